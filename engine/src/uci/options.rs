//! The options of a session: declares them to the GUI and sets them by name.

use super::option::{OptionError, UciOption};
use super::state::SessionState;
use super::{book, lab, standard, tables};

/// The options of a session, in the order of declaration.
pub(super) struct OptionTable {
    options: Vec<UciOption>,
}

impl OptionTable {
    /// Returns the options of a session in its initial state, from which the defaults are read.
    /// With `is_lab` every switch and tunable of the search is an option too.
    pub(super) fn new(initial: &SessionState, is_lab: bool) -> Self {
        let mut options = standard::options(initial);
        options.extend(tables::options(initial));
        options.extend(book::options(initial));
        if is_lab {
            options.extend(lab::options(initial));
        }
        Self { options }
    }

    /// Returns the names in the order of declaration.
    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.options.iter().map(|option| option.name)
    }

    /// Returns the lines that declare the options, each with a line end.
    pub(super) fn declare(&self) -> String {
        self.options.iter().flat_map(|option| [option.to_string(), "\n".to_owned()]).collect()
    }

    /// Sets the option with this name, in any case. `value` is `None` if `setoption` has no word
    /// `value`.
    ///
    /// Errors: the option is unknown or only one of the lab, or its value is missing, invalid or could
    /// not be applied.
    pub(super) fn set(
        &self,
        name: &str,
        value: Option<&str>,
        state: &mut SessionState,
    ) -> Result<(), OptionError> {
        match self.find(name) {
            Ok(option) => option.set(value, state),
            Err(OptionError::Unknown(name)) if lab::has_option(&name, state) => {
                Err(OptionError::LabOnly(name))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the option with this name, in any case.
    ///
    /// Errors: there is none.
    pub(super) fn find(&self, name: &str) -> Result<&UciOption, OptionError> {
        let found = self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| OptionError::Unknown(name.to_owned()))
    }
}
