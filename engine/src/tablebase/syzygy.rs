//! Syzygy tables of up to seven men: which are there, and what they say of a position.
//!
//! The reader is the crate `shakmaty-syzygy`; nothing outside this file knows it. It has rules of its own, so a position is
//! handed over as bitboards. What a table cannot answer (missing, damaged, castling still possible) is `None`, and the
//! search goes on as if there were no tables; the first failure of a file is kept to be told. The caller is
//! [`Tablebases`](super::Tablebases).

mod checksum;
mod files;

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakmaty::{Board, ByColor, ByRole, CastlingMode, Chess, PositionError, Setup};
use shakmaty_syzygy as reader;
use thiserror::Error;

pub use files::FileFault;

use super::failures::Failures;
use super::wdl::{Dtz, Wdl};
use crate::position::Position;
use crate::types::{Bitboard, Color, PieceType};
use files::{Files, Sort};

/// Something in the folders that cannot be used. The rest can.
#[derive(Debug, Error)]
pub enum SyzygyError {
    /// A folder that is not there, or may not be read.
    #[error("{}: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A file that is named like a table and is none, or is damaged.
    #[error("{} {fault}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: FileFault,
    },
}

/// The tables found in some folders.
pub struct Syzygy {
    tables: reader::Tablebase<Chess>,
    men: usize,
    results: usize,
    distances: usize,
    /// What went wrong with tables that had seemed whole.
    failures: Failures,
}

impl Syzygy {
    /// The tables in these folders, and what cannot be used. Of two tables of the same men the first counts. Files that
    /// are not named like tables are passed over.
    pub fn open<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> (Self, Vec<SyzygyError>) {
        let mut found = Self {
            tables: reader::Tablebase::with_filesystem(Arc::new(Files::default())),
            men: 0,
            results: 0,
            distances: 0,
            failures: Failures::default(),
        };
        let mut names = HashSet::new();
        let mut errors = Vec::new();
        for folder in folders {
            let folder = folder.as_ref();
            match paths(folder) {
                Ok(paths) => {
                    for (path, sort) in paths {
                        let name = path.file_name().map(ToOwned::to_owned);
                        if names.contains(&name) {
                            continue;
                        }
                        match found.add(&path, sort) {
                            Ok(()) => {
                                names.insert(name);
                            }
                            Err(fault) => errors.push(SyzygyError::File { path, fault }),
                        }
                    }
                }
                Err(error) => errors.push(SyzygyError::Folder { path: folder.to_path_buf(), error }),
            }
        }
        (found, errors)
    }

    fn add(&mut self, path: &Path, sort: Sort) -> Result<(), FileFault> {
        files::check(path, sort)?;
        self.tables.add_file(path).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => FileFault::Name,
            _ => FileFault::Read(error),
        })?;
        match sort {
            Sort::Results => {
                self.results += 1;
                // Named `KQvKR`: a letter a man, and one between the sides.
                let men = path.file_stem().map_or(0, |stem| stem.len() - 1);
                self.men = self.men.max(men);
            }
            Sort::Distances => self.distances += 1,
        }
        Ok(())
    }

    /// Men of the largest tables; none where there is no table. Units: men, kings among them.
    pub fn men(&self) -> usize {
        self.men
    }

    /// The result of best play after a capture or pawn move. Range: `None` where the tables do not know.
    pub fn wdl(&self, position: &Position) -> Option<Wdl> {
        let position = handed_over(position)?;
        self.heard(self.tables.probe_wdl_after_zeroing(&position)).map(|result| match result {
            reader::Wdl::Loss => Wdl::Loss,
            reader::Wdl::BlessedLoss => Wdl::BlessedLoss,
            reader::Wdl::Draw => Wdl::Draw,
            reader::Wdl::CursedWin => Wdl::CursedWin,
            reader::Wdl::Win => Wdl::Win,
        })
    }

    /// The distance to the next capture or pawn move that keeps the result. Range: `None` where the tables do not know.
    pub fn dtz(&self, position: &Position) -> Option<Dtz> {
        let position = handed_over(position)?;
        let found = self.heard(self.tables.probe_dtz(&position))?;
        Some(Dtz { plies: found.ignore_rounding().0, is_rounded: found.precise().is_none() })
    }

    /// What a probe found. The first failure of each table is noted; that one is missing is no failure.
    fn heard<T>(&self, probed: Result<T, reader::SyzygyError>) -> Option<T> {
        match probed {
            Ok(found) => Some(found),
            Err(reader::SyzygyError::ProbeFailed { metric, material, error }) => {
                self.note_failure(format!("{material} ({metric})"), &error);
                None
            }
            Err(_) => None,
        }
    }

    #[cold]
    fn note_failure(&self, table: String, error: &reader::ProbeError) {
        let text = match error {
            reader::ProbeError::CorruptedTable { .. } => format!("{table}: it is damaged"),
            other => format!("{table}: {other}"),
        };
        self.failures.note(table, text);
    }

    /// Which tables have failed since the last call, and why.
    pub fn failures(&self) -> Vec<String> {
        self.failures.take()
    }
}

/// `35 WDL and 35 DTZ tables of up to 4 men`.
impl fmt::Display for Syzygy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.results + self.distances == 0 {
            return f.write_str("no tables found");
        }
        write!(f, "{} WDL and {} DTZ tables of up to {} men", self.results, self.distances, self.men)
    }
}

impl fmt::Debug for Syzygy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Syzygy({self})")
    }
}

/// The files of a folder that are named like tables, in the order of their names.
fn paths(folder: &Path) -> io::Result<Vec<(PathBuf, Sort)>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some(sort) = Sort::of(&path) {
            paths.push((path, sort));
        }
    }
    paths.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(paths)
}

/// A position in the terms of the reader; `None` where castling is possible, which tables leave out, or where a position
/// set up by hand is not one that its rules take.
fn handed_over(position: &Position) -> Option<Chess> {
    if position.castling_rooks().any() {
        return None;
    }
    let set = |squares: Bitboard| shakmaty::Bitboard(squares.0);
    let kind = |kind| set(position.pieces(kind));
    let by_role = ByRole {
        pawn: kind(PieceType::Pawn),
        knight: kind(PieceType::Knight),
        bishop: kind(PieceType::Bishop),
        rook: kind(PieceType::Rook),
        queen: kind(PieceType::Queen),
        king: kind(PieceType::King),
    };
    let by_color =
        ByColor { black: set(position.side(Color::Black)), white: set(position.side(Color::White)) };
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: match position.side_to_move() {
            Color::White => shakmaty::Color::White,
            Color::Black => shakmaty::Color::Black,
        },
        ep_square: position.ep_square().map(|square| shakmaty::Square::new(square.index() as u32)),
        ..Setup::empty()
    };
    setup
        .position::<Chess>(CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .ok()
}
