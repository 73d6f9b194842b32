//! A finished table, and those that are at hand.

use std::collections::HashMap;
use std::sync::Arc;

use stretto::position::Position;
use stretto::tablebase::{Index, Material, Men, Outcome};
use stretto::types::{Bitboard, Color, Piece, Square};

use super::codes::Codes;
use super::generate::{GenerateError, Metric, generate};
use crate::cancel::Cancel;

/// The outcome of every position of some men.
#[derive(Clone)]
pub struct Table {
    index: Index,
    metric: Metric,
    codes: Codes,
    /// By side to move, then by place.
    values: [Vec<u8>; 2],
}

impl Table {
    pub(super) fn new(index: Index, metric: Metric, codes: Codes, values: [Vec<u8>; 2]) -> Self {
        Self { index, metric, codes, values }
    }

    /// The table of bare kings, in which nobody wins.
    pub fn bare_kings(metric: Metric) -> Self {
        let index = Index::new(Material::default());
        let values = [0, 1].map(|_| vec![super::codes::DRAW; index.len()]);
        Self { index, metric, codes: Codes::new(), values }
    }

    /// Where positions stand in it.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The men.
    pub fn material(&self) -> Material {
        self.index.material()
    }

    /// What distances count to.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The outcome for the side to move; a draw where the kings touch. Men stand in the order of the index.
    #[inline]
    pub fn outcome(&self, side: Color, men: &[Square]) -> Outcome {
        self.index.place(men).map_or(Outcome::Draw, |place| self.at(side, place))
    }

    /// The outcome at a place. Without meaning where no legal position stands.
    #[inline]
    pub fn at(&self, side: Color, place: usize) -> Outcome {
        self.codes.outcome(self.values[side.index()][place])
    }

    /// The same with another value at one place, as damage would have it.
    #[cfg(test)]
    pub(super) fn with_value(&self, side: Color, place: usize, code: u8) -> Self {
        let mut damaged = self.clone();
        damaged.values[side.index()][place] = code;
        damaged
    }

    /// Every outcome that may occur in it.
    pub(super) fn outcomes(&self) -> &[Outcome] {
        self.codes.outcomes()
    }

    /// The values as they are, for those who compare tables byte by byte.
    pub fn bytes(&self, side: Color) -> &[u8] {
        &self.values[side.index()]
    }
}

/// Tables by their men.
#[derive(Clone, Default)]
pub struct Tables(HashMap<Material, Arc<Table>>);

impl Tables {
    /// Only that of bare kings.
    pub fn new(metric: Metric) -> Self {
        let mut tables = Self::default();
        tables.add(Table::bare_kings(metric));
        tables
    }

    /// Adds a table.
    pub fn add(&mut self, table: Table) -> Arc<Table> {
        let table = Arc::new(table);
        self.0.insert(table.material(), Arc::clone(&table));
        table
    }

    /// All tables of up to so many men, made now: seconds for three, a minute or less for four.
    pub fn up_to(men: usize, metric: Metric, cancel: &Cancel) -> Result<Self, GenerateError> {
        let mut tables = Self::new(metric);
        for material in (3..=men).flat_map(Material::all) {
            tables.add(generate(material, metric, &tables, cancel)?);
        }
        Ok(tables)
    }

    /// The outcome of a position for the side to move; `None` where its table is not here, or somebody may castle or take
    /// en passant, which tables do not know.
    pub fn probe(&self, position: &Position) -> Option<Outcome> {
        if position.castling_rooks().any() || position.ep_square().is_some() {
            return None;
        }
        let (material, is_turned) = Material::of(position)?.canonical();
        let table = self.0.get(&material)?;
        let seen = |piece: Piece| if is_turned { Piece::new(!piece.color, piece.kind) } else { piece };
        let mut men = Men::new();
        let mut taken = Bitboard::EMPTY;
        for place in 0..material.men() {
            let piece = seen(table.index.piece(place));
            let free = position.pieces_of(piece.color, piece.kind) & !taken;
            let square = free.first()?;
            taken |= Bitboard::from(square);
            men.push(if is_turned { square.relative_to(Color::Black) } else { square });
        }
        let side = position.side_to_move();
        Some(table.outcome(if is_turned { !side } else { side }, &men))
    }

    /// The table of these men, White's the stronger.
    pub fn get(&self, material: Material) -> Option<Arc<Table>> {
        self.0.get(&material).map(Arc::clone)
    }
}
