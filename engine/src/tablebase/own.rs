//! Our own tables of distances to mate, as an engine has them: of several folders, with word kept of those that fail.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::failures::Failures;
use super::{MateTables, Metric, OpenError, Outcome, Table, Tablebase};
use crate::position::Position;

/// The tables found in some folders.
pub struct OwnTables {
    tables: Tablebase,
    failures: Failures,
}

impl OwnTables {
    /// The tables of distances to mate in these folders, and what cannot be used. Of two tables of the same men the first
    /// counts. Other files are passed over.
    pub fn open<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> (Self, Vec<OpenError>) {
        let mut tables = Tablebase::new(Metric::Dtm);
        let mut errors = Vec::new();
        for folder in folders {
            let path = folder.as_ref().to_path_buf();
            match paths(&path) {
                Ok(paths) => {
                    for path in paths {
                        match Table::open(&path) {
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

    /// These tables.
    ///
    /// # Panics
    /// When they count to anything but mate.
    pub fn new(tables: Tablebase) -> Self {
        assert_eq!(tables.metric(), Metric::Dtm, "an engine wants to know how far mate is");
        Self { tables, failures: Failures::default() }
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }
}

impl MateTables for OwnTables {
    fn men(&self) -> usize {
        if self.is_empty() { 0 } else { self.tables.men() }
    }

    fn outcome(&self, position: &Position) -> Option<Outcome> {
        self.tables.probe(position).unwrap_or_else(|error| {
            self.failures.note(error.name.clone(), error.to_string());
            None
        })
    }

    fn failures(&self) -> Vec<String> {
        self.failures.take()
    }
}

/// `35 DTM tables of up to 4 men`.
impl fmt::Display for OwnTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no tables found");
        }
        write!(f, "{} DTM tables of up to {} men", self.tables.len(), self.tables.men())
    }
}

impl fmt::Debug for OwnTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnTables({self})")
    }
}

/// The files of a folder that are named like tables, in the order of their names.
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
