//! Syzygy tables of up to seven pieces.
//!
//! The reader is the crate `shakmaty-syzygy`, which no other module uses. It has its own types, so
//! positions are converted from bitboards. If a table cannot answer (missing, damaged, castling
//! rights), the result is `None` and the search continues without it. The first failure of a file
//! is recorded for reporting. The caller is [`Tablebases`](super::Tablebases).

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

pub use files::{FileFault, Files as SyzygyFiles, check_syzygy_file};

use super::failures::Failures;
use super::wdl::{Dtz, Wdl};
use crate::position::Position;
use crate::types::{Bitboard, Color, PieceType};
use files::{Files, TableKind};

/// Error for a folder or file that cannot be used. The others remain usable.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum SyzygyError {
    #[error("{}: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("{} {fault}", path.display())]
    File { path: PathBuf, fault: FileFault },
}

/// The Syzygy tables found in some folders.
pub struct Syzygy {
    tables: reader::Tablebase<Chess>,
    max_pieces: usize,
    wdl_tables: usize,
    dtz_tables: usize,
    failures: Failures,
}

impl Syzygy {
    /// Opens the tables in these folders and returns them with the errors. If several folders
    /// contain the same table, the first one counts. Other files are ignored.
    pub fn open<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> (Self, Vec<SyzygyError>) {
        let mut found = Self {
            tables: reader::Tablebase::with_filesystem(Arc::new(Files::default())),
            max_pieces: 0,
            wdl_tables: 0,
            dtz_tables: 0,
            failures: Failures::default(),
        };
        let mut names = HashSet::new();
        let mut errors = Vec::new();
        for folder in folders {
            let folder = folder.as_ref();
            match paths(folder) {
                Ok(paths) => {
                    for (path, kind) in paths {
                        let name = path.file_name().map(ToOwned::to_owned);
                        if names.contains(&name) {
                            continue;
                        }
                        match found.add(&path, kind) {
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

    fn add(&mut self, path: &Path, kind: TableKind) -> Result<(), FileFault> {
        files::check(path, kind)?;
        self.tables.add_file(path).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => FileFault::Name,
            _ => FileFault::Read(error),
        })?;
        match kind {
            TableKind::Wdl => {
                self.wdl_tables += 1;
                // A name such as `KQvKR` has one letter per piece and one separator.
                let pieces = path.file_stem().map_or(0, |stem| stem.len() - 1);
                self.max_pieces = self.max_pieces.max(pieces);
            }
            TableKind::Dtz => self.dtz_tables += 1,
        }
        Ok(())
    }

    /// Returns the number of pieces, including kings, of the largest table; 0 without tables.
    pub fn max_pieces(&self) -> usize {
        self.max_pieces
    }

    /// Returns the WDL value after a capture or pawn move; `None` if the tables do not cover the
    /// position.
    pub fn wdl(&self, position: &Position) -> Option<Wdl> {
        let position = to_shakmaty(position)?;
        self.or_record_failure(self.tables.probe_wdl_after_zeroing(&position)).map(|result| match result {
            reader::Wdl::Loss => Wdl::Loss,
            reader::Wdl::BlessedLoss => Wdl::BlessedLoss,
            reader::Wdl::Draw => Wdl::Draw,
            reader::Wdl::CursedWin => Wdl::CursedWin,
            reader::Wdl::Win => Wdl::Win,
        })
    }

    /// Returns the DTZ value; `None` if the tables do not cover the position.
    pub fn dtz(&self, position: &Position) -> Option<Dtz> {
        let position = to_shakmaty(position)?;
        let found = self.or_record_failure(self.tables.probe_dtz(&position))?;
        Some(Dtz { plies: found.ignore_rounding().0, is_rounded: found.precise().is_none() })
    }

    /// Converts the result of a probe. Records the first failure of each table; a missing table is
    /// not a failure.
    fn or_record_failure<T>(&self, probed: Result<T, reader::SyzygyError>) -> Option<T> {
        match probed {
            Ok(found) => Some(found),
            Err(reader::SyzygyError::ProbeFailed { metric, material, error }) => {
                self.record_failure(format!("{material} ({metric})"), &error);
                None
            }
            Err(_) => None,
        }
    }

    #[cold]
    fn record_failure(&self, table: String, error: &reader::ProbeError) {
        let text = match error {
            reader::ProbeError::CorruptedTable { .. } => format!("{table}: the file is damaged"),
            other => format!("{table}: {other}"),
        };
        self.failures.record(table, text);
    }

    /// Returns messages about tables that have failed since the last call.
    pub fn failures(&self) -> Vec<String> {
        self.failures.take_pending()
    }
}

/// Writes a summary such as `35 WDL and 35 DTZ tables of up to 4 pieces`.
impl fmt::Display for Syzygy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.wdl_tables, self.dtz_tables) {
            (0, 0) => f.write_str("no tables found"),
            (0, 1) => f.write_str("1 DTZ table without WDL tables (.rtbw); it is not used"),
            (0, dtz) => write!(f, "{dtz} DTZ tables without WDL tables (.rtbw); they are not used"),
            (wdl, dtz) => write!(f, "{wdl} WDL and {dtz} DTZ tables of up to {} pieces", self.max_pieces),
        }
    }
}

impl fmt::Debug for Syzygy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Syzygy({self})")
    }
}

/// Returns the table files of a folder in the order of their names.
fn paths(folder: &Path) -> io::Result<Vec<(PathBuf, TableKind)>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some(kind) = TableKind::of(&path) {
            paths.push((path, kind));
        }
    }
    paths.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(paths)
}

/// Converts a position to the types of the reader; `None` with castling rights, or if the reader
/// considers the position invalid.
fn to_shakmaty(position: &Position) -> Option<Chess> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_states_that_dtz_tables_alone_are_not_used() {
        let (mut tables, errors) = Syzygy::open(Vec::<PathBuf>::new());
        assert!(errors.is_empty(), "{errors:?}");
        for (wdl, dtz, expected) in [
            (0, 0, "no tables found"),
            (0, 1, "1 DTZ table without WDL tables (.rtbw); it is not used"),
            (0, 5, "5 DTZ tables without WDL tables (.rtbw); they are not used"),
            (35, 0, "35 WDL and 0 DTZ tables of up to 4 pieces"),
        ] {
            (tables.wdl_tables, tables.dtz_tables, tables.max_pieces) = (wdl, dtz, 4);
            assert_eq!(tables.to_string(), expected);
        }
    }

    #[test]
    fn position_with_a_legal_en_passant_capture_is_passed_on_with_it() {
        let chess = |fen: &str| to_shakmaty(&Position::from_fen(fen).unwrap()).unwrap();
        let square =
            |fen: &str| shakmaty::Position::legal_ep_square(&chess(fen)).map(|square| square.to_string());
        assert_eq!(square("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1").as_deref(), Some("e3"));
        assert_eq!(square("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1"), None);
    }
}
