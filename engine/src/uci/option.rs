//! A UCI option: its name, its kind with the default, and its setter, declared together in one row.

use std::fmt;
use std::ops::RangeInclusive;

use thiserror::Error;

use super::state::{SessionState, SettingError};
use super::words::{excerpt, number};

/// A function that applies a value of type `T`.
type Setter<T> = Box<dyn Fn(&mut SessionState, T) -> Result<(), SettingError>>;

/// A function that applies a text.
type TextSetter = Box<dyn Fn(&mut SessionState, &str) -> Result<(), SettingError>>;

/// A UCI option. Its `Display` is the line that declares it.
pub(super) struct UciOption {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// The kind of an option: its values, its default and its setter.
pub(super) enum Kind {
    /// A switch: `true` or `false`.
    Check { default: bool, set: Setter<bool> },
    /// An integer in a range. A number out of range is refused, or clamped with a note.
    Spin { default: i64, range: RangeInclusive<i64>, is_clamped: bool, set: Setter<i64> },
    /// One of a list. The setter gets its index.
    Combo { default: usize, choices: Vec<&'static str>, set: Setter<usize> },
    /// An action without a value.
    Button { press: Setter<()> },
    /// A text. `<empty>` is an empty one.
    Text { default: String, set: TextSetter },
}

/// Reason why a `setoption` changes nothing.
#[derive(Debug, Error)]
pub(super) enum OptionError {
    /// There is no option of this name.
    #[error("unknown option '{}'; `uci` lists the options", excerpt(.0))]
    Unknown(String),
    /// Only `stretto --lab` has an option of this name.
    #[error("unknown option '{}'; it is an option of `stretto --lab`", excerpt(.0))]
    LabOnly(String),
    /// The value is missing or invalid.
    #[error(
        "option {option}: expected {expected}, found {}",
        value.as_ref().map_or("no value".to_owned(), |value| format!("'{}'", excerpt(value)))
    )]
    Value {
        option: &'static str,
        /// The value as sent; `None` without the word `value`.
        value: Option<String>,
        expected: String,
    },
    /// The value is valid and could not be applied.
    #[error("option {option}: {error}")]
    Setting { option: &'static str, error: SettingError },
}

/// Declares an option that is true or false.
pub(super) fn check(
    name: &'static str,
    default: bool,
    set: impl Fn(&mut SessionState, bool) -> Result<(), SettingError> + 'static,
) -> UciOption {
    UciOption { name, kind: Kind::Check { default, set: Box::new(set) } }
}

/// Declares an option that is an integer in a range.
pub(super) fn spin(
    name: &'static str,
    default: i64,
    range: RangeInclusive<i64>,
    set: impl Fn(&mut SessionState, i64) -> Result<(), SettingError> + 'static,
) -> UciOption {
    UciOption { name, kind: Kind::Spin { default, range, is_clamped: false, set: Box::new(set) } }
}

/// Declares an option that is an integer in a range, and into which numbers out of range are
/// clamped with a note: for a value that GUIs keep from other engines.
pub(super) fn clamped_spin(
    name: &'static str,
    default: i64,
    range: RangeInclusive<i64>,
    set: impl Fn(&mut SessionState, i64) -> Result<(), SettingError> + 'static,
) -> UciOption {
    UciOption { name, kind: Kind::Spin { default, range, is_clamped: true, set: Box::new(set) } }
}

/// Declares an option that is one of `values`, each with the label that `label` returns.
///
/// # Panics
/// When the default is not one of the values, which is an error in the declaration.
pub(super) fn combo<T: Copy + PartialEq + 'static>(
    name: &'static str,
    default: T,
    values: &'static [T],
    label: impl Fn(T) -> &'static str,
    set: impl Fn(&mut SessionState, T) -> Result<(), SettingError> + 'static,
) -> UciOption {
    let index = values.iter().position(|&value| value == default);
    let default = index.expect("the default of a combo option is one of its values");
    let choices = values.iter().map(|&value| label(value)).collect();
    let set = Box::new(move |state: &mut SessionState, index: usize| set(state, values[index]));
    UciOption { name, kind: Kind::Combo { default, choices, set } }
}

/// Declares an option without a value that starts an action.
pub(super) fn button(
    name: &'static str,
    press: impl Fn(&mut SessionState) -> Result<(), SettingError> + 'static,
) -> UciOption {
    UciOption { name, kind: Kind::Button { press: Box::new(move |state, ()| press(state)) } }
}

/// Declares an option that is a text.
pub(super) fn text(
    name: &'static str,
    default: impl Into<String>,
    set: impl Fn(&mut SessionState, &str) -> Result<(), SettingError> + 'static,
) -> UciOption {
    UciOption { name, kind: Kind::Text { default: default.into(), set: Box::new(set) } }
}

impl UciOption {
    /// Checks a value as sent and applies it. `value` is `None` if `setoption` has no word `value`.
    ///
    /// Errors: the value is missing, invalid, or could not be applied.
    pub(super) fn set(&self, value: Option<&str>, state: &mut SessionState) -> Result<(), OptionError> {
        let result = match &self.kind {
            Kind::Button { press } => press(state, ()),
            Kind::Check { set, .. } => set(state, self.parse(value, parse_check)?),
            Kind::Spin { range, is_clamped, set, .. } => {
                let mut notes = Vec::new();
                let value = self.parse(value, |text| match text.parse() {
                    Ok(number) if range.contains(&number) => Some(number),
                    _ if *is_clamped && !text.contains('.') => {
                        number(self.name, text, *range.start(), *range.end(), &mut notes).ok()
                    }
                    _ => None,
                })?;
                for note in &notes {
                    state.output.note(note);
                }
                set(state, value)
            }
            Kind::Combo { choices, set, .. } => {
                let index = |text: &str| choices.iter().position(|choice| choice.eq_ignore_ascii_case(text));
                set(state, self.parse(value, index)?)
            }
            Kind::Text { set, .. } => {
                let text = self.parse(value, |text| Some(text.to_owned()))?;
                set(state, if text == "<empty>" { "" } else { &text })
            }
        };
        result.map_err(|error| OptionError::Setting { option: self.name, error })
    }

    fn parse<T>(&self, value: Option<&str>, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, OptionError> {
        value.and_then(parse).ok_or_else(|| OptionError::Value {
            option: self.name,
            value: value.map(str::to_owned),
            expected: self.expected(),
        })
    }

    /// Describes the valid values.
    fn expected(&self) -> String {
        match &self.kind {
            Kind::Check { .. } => "true or false".to_owned(),
            Kind::Spin { range, .. } => format!("an integer from {} to {}", range.start(), range.end()),
            Kind::Combo { choices, .. } => format!("one of {}", choices.join(", ")),
            Kind::Button { .. } => "no value".to_owned(),
            Kind::Text { .. } => "text".to_owned(),
        }
    }
}

fn parse_check(text: &str) -> Option<bool> {
    [("true", true), ("false", false)]
        .into_iter()
        .find_map(|(word, value)| text.eq_ignore_ascii_case(word).then_some(value))
}

impl fmt::Display for UciOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            Kind::Check { default, .. } => write!(f, "check default {default}"),
            Kind::Spin { default, range, .. } => {
                write!(f, "spin default {default} min {} max {}", range.start(), range.end())
            }
            Kind::Combo { default, choices, .. } => {
                write!(f, "combo default {}", choices[*default])?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            Kind::Button { .. } => write!(f, "button"),
            Kind::Text { default, .. } if default.is_empty() => write!(f, "string default <empty>"),
            Kind::Text { default, .. } => write!(f, "string default {default}"),
        }
    }
}
