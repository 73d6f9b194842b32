//! Our own distance-to-mate (DTM) tables from several folders, with reporting of probe failures.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::failures::Failures;
use super::{MateTables, Metric, OpenError, Outcome, TableFile, Tablebase};
use crate::position::Position;

/// The DTM tables found in some folders.
pub struct DtmTables {
    tables: Tablebase,
    failures: Failures,
}

impl DtmTables {
    /// Opens the DTM tables in these folders and returns them with the errors. If several folders
    /// contain a table of the same pieces, the first one counts. Other files are ignored.
    pub fn open<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> (Self, Vec<OpenError>) {
        let mut tables = Tablebase::new(Metric::Dtm);
        let mut errors = Vec::new();
        for folder in folders {
            let path = folder.as_ref().to_path_buf();
            match paths(&path) {
                Ok(paths) => {
                    for path in paths {
                        match TableFile::open(&path) {
                            Ok(table) if tables.table(table.material()).is_none() => tables.add(table),
                            Ok(_) => {}
                            Err(error) => errors.push(error.into()),
                        }
                    }
                }
                Err(error) => errors.push(OpenError::Folder { path, error }),
            }
        }
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

/// Returns the table files of a folder in the order of their names.
fn paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == Metric::Dtm.name()) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
