//! Probing of tables for the value of positions.
//!
//! Most tables store one side to move. Values for the other side, and for positions with en
//! passant, follow from the positions after each move. Decoded blocks are kept in a cache shared by
//! all threads.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::file::{TableError, TableFile};
use super::{Index, Material, Metric, Outcome, PieceSquares};
use crate::position::Position;
use crate::sync::{Arc, Mutex};
use crate::types::{Bitboard, Color, Move, Piece, PieceType};

/// Default capacity of the cache. Units: blocks of about 4 KiB.
const CACHED_BLOCKS: usize = 4096;

/// Reason why a folder of tables, or a table, cannot be opened.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum OpenError {
    #[error("{}: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error(transparent)]
    TableFile(#[from] TableError),
}

/// Returns the files of tables in a folder, by name.
///
/// Errors: the folder cannot be read.
pub fn table_files(folder: &Path, metric: Metric) -> io::Result<Vec<PathBuf>> {
    let entries = folder.read_dir()?.map(|entry| Ok(entry?.path()));
    let mut files: Vec<PathBuf> = entries.collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == metric.name()));
    files.sort_unstable();
    Ok(files)
}

/// A set of tables of one metric.
pub struct Tablebase {
    metric: Metric,
    tables: HashMap<Material, (usize, TableFile)>,
    max_pieces: usize,
    cache: Vec<Mutex<Option<Cached>>>,
}

/// The stored information about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// The stored value of the position.
    Outcome(Outcome),
    /// The position is not stored; its value follows from the positions after each move.
    Derived,
    /// There is no table.
    Missing,
}

/// A decoded block, with the numbers that identify it among all tables.
struct Cached {
    key: (usize, usize),
    values: Arc<Vec<u8>>,
}

impl Tablebase {
    /// Creates an empty set.
    pub fn new(metric: Metric) -> Self {
        Self { metric, tables: HashMap::new(), max_pieces: 2, cache: Self::empty_cache(CACHED_BLOCKS) }
    }

    fn empty_cache(blocks: usize) -> Vec<Mutex<Option<Cached>>> {
        (0..blocks.max(1)).map(|_| Mutex::new(None)).collect()
    }

    /// Opens all tables of a metric in these folders and returns them with the errors: folders that cannot
    /// be read, and invalid files. If several folders contain a table of the same pieces, the first one
    /// counts. Headers are verified now, blocks when they are read.
    pub fn open<P: AsRef<Path>>(
        folders: impl IntoIterator<Item = P>,
        metric: Metric,
    ) -> (Self, Vec<OpenError>) {
        let mut tables = Self::new(metric);
        let mut errors = Vec::new();
        for folder in folders {
            let path = folder.as_ref().to_path_buf();
            match table_files(&path, metric) {
                Ok(files) => {
                    for file in files {
                        match TableFile::open(&file) {
                            Ok(table) if tables.table(table.material()).is_none() => tables.add(table),
                            Ok(_) => {}
                            Err(error) => errors.push(error.into()),
                        }
                    }
                }
                Err(error) => errors.push(OpenError::Folder { path, error }),
            }
        }
        (tables, errors)
    }

    /// Sets the capacity of the cache, in decoded blocks.
    #[must_use]
    pub fn with_cache(mut self, blocks: usize) -> Self {
        self.cache = Self::empty_cache(blocks);
        self
    }

    /// Adds a table, unless it has another metric. A table of the same material is replaced.
    pub fn add(&mut self, table: TableFile) {
        if table.metric() == self.metric {
            self.max_pieces = self.max_pieces.max(table.material().piece_count());
            let material = table.material();
            let number = self.tables.get(&material).map_or(self.tables.len(), |&(number, _)| number);
            if self.tables.insert(material, (number, table)).is_some() {
                // The cached blocks may be those of the replaced table.
                self.cache = Self::empty_cache(self.cache.len());
            }
        }
    }

    /// Returns the metric of the tables.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Returns the number of tables.
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// Whether there are no tables.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Returns the number of pieces of the largest table.
    pub fn max_pieces(&self) -> usize {
        self.max_pieces
    }

    /// Returns the table of a canonical material.
    pub fn table(&self, material: Material) -> Option<&TableFile> {
        self.tables.get(&material).map(|(_, table)| table)
    }

    /// Returns the value of a position for the side to move, ignoring the fifty-move rule. `None`
    /// if a table is missing or castling rights exist.
    ///
    /// Errors: [`TableError`] if a table is damaged.
    pub fn probe(&self, position: &Position) -> Result<Option<Outcome>, TableError> {
        let pieces = position.occupied().count() as usize;
        if pieces > self.max_pieces.max(2) || position.castling_rooks().any() {
            return Ok(None);
        }
        if pieces == 2 {
            return Ok(Some(Outcome::Draw));
        }
        match self.stored(position)? {
            Stored::Outcome(outcome) => Ok(Some(outcome)),
            Stored::Derived => self.best_move_value(position),
            Stored::Missing => Ok(None),
        }
    }

    /// Looks up the stored information about a position without castling rights.
    pub(super) fn stored(&self, position: &Position) -> Result<Stored, TableError> {
        let Some((material, is_swapped)) = Material::of(position).map(|material| material.canonical()) else {
            return Ok(Stored::Missing);
        };
        let Some((number, table)) = self.tables.get(&material) else { return Ok(Stored::Missing) };
        let side = position.side_to_move();
        let side = if is_swapped { !side } else { side };
        let Some(outcomes) = table.outcomes(side).filter(|_| position.ep_square().is_none()) else {
            return Ok(Stored::Derived);
        };
        let place = piece_squares(position, table.index(), is_swapped)
            .and_then(|squares| table.index().index_of(&squares));
        let Some(place) = place else { return Ok(Stored::Missing) };
        let len = table.rows_in_block() * table.index().row_len();
        let values = self.block(*number, table, side, place / len)?;
        let found = outcomes.get(usize::from(values[place % len])).copied();
        Ok(found.map_or(Stored::Missing, Stored::Outcome))
    }

    /// Returns the value of a move for the side that plays it; `None` if the table of the next
    /// position is missing.
    ///
    /// Errors: [`TableError`] if a table is damaged.
    pub fn move_value(&self, position: &Position, mv: Move) -> Result<Option<Outcome>, TableError> {
        let is_pawn = position.kind_on(mv.from()) == Some(PieceType::Pawn);
        let is_conversion =
            position.piece_on(mv.to()).is_some() || mv.promotion().is_some() || mv.is_en_passant();
        let Some(next) = self.probe(&position.after(mv))? else { return Ok(None) };
        let ends = self.metric.ends_with(is_conversion, is_pawn);
        Ok(Some(if ends { self.metric.converted(next) } else { next.before() }))
    }

    /// Returns the value of the best move.
    fn best_move_value(&self, position: &Position) -> Result<Option<Outcome>, TableError> {
        let stuck = if position.is_check() { Outcome::Loss(0) } else { Outcome::Draw };
        let mut best: Option<Outcome> = None;
        for mv in position.legal_moves() {
            let Some(outcome) = self.move_value(position, mv)? else { return Ok(None) };
            best = Some(best.map_or(outcome, |best| best.better(outcome)));
        }
        Ok(Some(best.unwrap_or(stuck)))
    }

    /// Returns a decoded block, from the cache if possible.
    fn block(
        &self,
        number: usize,
        table: &TableFile,
        side: Color,
        block: usize,
    ) -> Result<Arc<Vec<u8>>, TableError> {
        let key = (number << 1 | side.index(), block);
        let hash = (key.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(block as u64);
        let slot = &self.cache[(hash % self.cache.len() as u64) as usize];
        if let Some(cached) = slot.lock().as_ref().filter(|cached| cached.key == key) {
            return Ok(Arc::clone(&cached.values));
        }
        // Decoded outside the lock: two threads may decode the same block, but none waits for
        // another.
        let values = Arc::new(table.block(side, block)?);
        *slot.lock() = Some(Cached { key, values: Arc::clone(&values) });
        Ok(values)
    }
}

/// Returns the squares of a position's pieces in the order of a table, with colors exchanged if
/// `is_swapped`; `None` if the pieces do not match.
pub fn piece_squares(position: &Position, index: &Index, is_swapped: bool) -> Option<PieceSquares> {
    let mut squares = PieceSquares::new();
    let mut taken = Bitboard::EMPTY;
    for place in 0..index.material().piece_count() {
        let piece = index.piece(place);
        let piece = if is_swapped { Piece::new(!piece.color, piece.kind) } else { piece };
        let square = (position.pieces_of(piece.color, piece.kind) & !taken).first()?;
        taken |= Bitboard::from(square);
        squares.push(if is_swapped { square.relative_to(Color::Black) } else { square });
    }
    Some(squares)
}
