//! Our own distance-to-mate (DTM) tables from several folders, with reporting of probe failures.

use std::fmt;
use std::path::Path;

use super::failures::Failures;
use super::{MateTables, Metric, OpenError, Outcome, Tablebase};
use crate::position::Position;

/// The DTM tables found in some folders.
pub struct DtmTables {
    tables: Tablebase,
    failures: Failures,
}

impl DtmTables {
    /// Opens the DTM tables in these folders and returns them with the errors, like [`Tablebase::open`].
    pub fn open<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> (Self, Vec<OpenError>) {
        let (tables, errors) = Tablebase::open(folders, Metric::Dtm);
        (Self::new(tables), errors)
    }

    /// Wraps a set of tables.
    ///
    /// # Panics
    /// Panics if their metric is not DTM.
    pub fn new(tables: Tablebase) -> Self {
        assert_eq!(tables.metric(), Metric::Dtm, "the engine needs DTM tables");
        Self { tables, failures: Failures::default() }
    }

    /// Whether there are no tables.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }
}

impl MateTables for DtmTables {
    fn max_pieces(&self) -> usize {
        if self.is_empty() { 0 } else { self.tables.max_pieces() }
    }

    fn outcome(&self, position: &Position) -> Option<Outcome> {
        self.tables.probe(position).unwrap_or_else(|error| {
            // The event already says that it is about an endgame table.
            let text = format!("`{}`: {}", error.name, error.problem);
            self.failures.record(error.name, text);
            None
        })
    }

    fn failures(&self) -> Vec<String> {
        self.failures.take_pending()
    }
}

/// Writes a summary such as `35 DTM tables of up to 4 pieces`.
impl fmt::Display for DtmTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no tables found");
        }
        write!(f, "{} DTM tables of up to {} pieces", self.tables.len(), self.tables.max_pieces())
    }
}

impl fmt::Debug for DtmTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DtmTables({self})")
    }
}
