//! Tables asked for the outcome of positions.
//!
//! Most tables hold one side to move; with the other to move, the answer follows from those one move away. So does that of a
//! position with en passant, which has no place of its own. Blocks are decoded when they are first asked for and kept in a
//! cache that all threads share.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::file::{Table, TableError};
use super::{Index, Material, Men, Metric, Outcome};
use crate::position::Position;
use crate::sync::{Arc, Mutex};
use crate::types::{Bitboard, Color, Move, Piece, PieceType};

/// Blocks that are kept, of some 4 KiB each, unless told otherwise.
const CACHED_BLOCKS: usize = 4096;

/// Why a folder of tables, or something in it, cannot be used.
#[derive(Debug, Error)]
pub enum OpenError {
    /// It cannot be read.
    #[error("`{}`: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Nothing in it is a table.
    #[error("`{}` holds no endgame tables (such as KQvKR.{metric})", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
        /// Of which kind.
        metric: Metric,
    },
    /// One of its tables is not in order.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Tables of one metric.
pub struct Tablebase {
    metric: Metric,
    tables: HashMap<Material, (usize, Table)>,
    men: usize,
    cache: Vec<Mutex<Option<Cached>>>,
}

/// What a table holds of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// Its outcome.
    Outcome(Outcome),
    /// Nothing: it follows from the positions one move away.
    LeftOut,
    /// There is no table.
    Missing,
}

/// A decoded block.
struct Cached {
    key: (usize, usize),
    values: Arc<Vec<u8>>,
}

impl Tablebase {
    /// Without tables.
    pub fn new(metric: Metric) -> Self {
        Self { metric, tables: HashMap::new(), men: 2, cache: Self::empty_cache(CACHED_BLOCKS) }
    }

    fn empty_cache(blocks: usize) -> Vec<Mutex<Option<Cached>>> {
        (0..blocks.max(1)).map(|_| Mutex::new(None)).collect()
    }

    /// All tables of this metric in a folder. Their heads are checked now, their blocks when they are read.
    pub fn open(folder: &Path, metric: Metric) -> Result<Self, OpenError> {
        let fail = |error| OpenError::Folder { path: folder.to_path_buf(), error };
        let mut tables = Self::new(metric);
        for entry in folder.read_dir().map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.extension().is_some_and(|extension| extension == metric.name()) {
                tables.add(Table::open(&path)?);
            }
        }
        if tables.is_empty() {
            return Err(OpenError::Empty { path: folder.to_path_buf(), metric });
        }
        Ok(tables)
    }

    /// The same with room for so many decoded blocks.
    #[must_use]
    pub fn with_cache(mut self, blocks: usize) -> Self {
        self.cache = Self::empty_cache(blocks);
        self
    }

    /// Adds a table; one of another metric is left out.
    pub fn add(&mut self, table: Table) {
        if table.metric() == self.metric {
            self.men = self.men.max(table.material().men());
            let number = self.tables.len();
            self.tables.insert(table.material(), (number, table));
        }
    }

    /// What distances count to.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// How many tables there are.
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The most men of a table.
    pub fn men(&self) -> usize {
        self.men
    }

    /// The table of these men, White's the stronger.
    pub fn table(&self, material: Material) -> Option<&Table> {
        self.tables.get(&material).map(|(_, table)| table)
    }

    /// The outcome of a position for the side to move, the fifty-move rule apart; `None` where a table is missing, or somebody
    /// may castle.
    ///
    /// Errors: a damaged table is never answered from.
    pub fn probe(&self, position: &Position) -> Result<Option<Outcome>, TableError> {
        let men = position.occupied().count() as usize;
        if men > self.men.max(2) || position.castling_rooks().any() {
            return Ok(None);
        }
        if men == 2 {
            return Ok(Some(Outcome::Draw));
        }
        match self.stored(position)? {
            Stored::Outcome(outcome) => Ok(Some(outcome)),
            Stored::LeftOut => self.by_moves(position),
            Stored::Missing => Ok(None),
        }
    }

    /// What is written down of a position of which nobody may castle.
    pub(super) fn stored(&self, position: &Position) -> Result<Stored, TableError> {
        let Some((material, is_turned)) = Material::of(position).map(|material| material.canonical()) else {
            return Ok(Stored::Missing);
        };
        let Some((number, table)) = self.tables.get(&material) else { return Ok(Stored::Missing) };
        let side = position.side_to_move();
        let side = if is_turned { !side } else { side };
        let Some(outcomes) = table.outcomes(side).filter(|_| position.ep_square().is_none()) else {
            return Ok(Stored::LeftOut);
        };
        let place = men_of(position, table.index(), is_turned).and_then(|men| table.index().place(&men));
        let Some(place) = place else { return Ok(Stored::Missing) };
        let len = table.rows_in_block() * table.index().row_len();
        let values = self.block(*number, table, side, place / len)?;
        let found = outcomes.get(usize::from(values[place % len])).copied();
        Ok(found.map_or(Stored::Missing, Stored::Outcome))
    }

    /// The outcome of a position after a move, and what the move is worth to the side that plays it.
    pub fn worth(&self, position: &Position, mv: Move) -> Result<Option<Outcome>, TableError> {
        let is_pawn = position.kind_on(mv.from()) == Some(PieceType::Pawn);
        let is_conversion =
            position.piece_on(mv.to()).is_some() || mv.promotion().is_some() || mv.is_en_passant();
        let Some(next) = self.probe(&position.after(mv))? else { return Ok(None) };
        let ends = self.metric.ends_with(is_conversion, is_pawn);
        Ok(Some(if ends { self.metric.converted(next) } else { next.before() }))
    }

    /// The best of all moves.
    fn by_moves(&self, position: &Position) -> Result<Option<Outcome>, TableError> {
        let stuck = if position.is_check() { Outcome::Loss(0) } else { Outcome::Draw };
        let mut best: Option<Outcome> = None;
        for mv in position.legal_moves() {
            let Some(outcome) = self.worth(position, mv)? else { return Ok(None) };
            best = Some(best.map_or(outcome, |best| best.better(outcome)));
        }
        Ok(Some(best.unwrap_or(stuck)))
    }

    /// A block, from the cache if it is there.
    fn block(
        &self,
        number: usize,
        table: &Table,
        side: Color,
        block: usize,
    ) -> Result<Arc<Vec<u8>>, TableError> {
        let key = (number << 1 | side.index(), block);
        let hash = (key.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(block as u64);
        let slot = &self.cache[(hash % self.cache.len() as u64) as usize];
        if let Some(cached) = slot.lock().as_ref().filter(|cached| cached.key == key) {
            return Ok(Arc::clone(&cached.values));
        }
        // Decoded outside the lock: two threads may do it twice, none waits for another.
        let values = Arc::new(table.block(side, block)?);
        *slot.lock() = Some(Cached { key, values: Arc::clone(&values) });
        Ok(values)
    }
}

/// Where the men of a position stand, in the order of a table; colours exchanged if its stronger side is Black there.
pub fn men_of(position: &Position, index: &Index, is_turned: bool) -> Option<Men> {
    let mut men = Men::new();
    let mut taken = Bitboard::EMPTY;
    for place in 0..index.material().men() {
        let piece = index.piece(place);
        let piece = if is_turned { Piece::new(!piece.color, piece.kind) } else { piece };
        let square = (position.pieces_of(piece.color, piece.kind) & !taken).first()?;
        taken |= Bitboard::from(square);
        men.push(if is_turned { square.relative_to(Color::Black) } else { square });
    }
    Some(men)
}
