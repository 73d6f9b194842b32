//! In-memory tables.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use stretto::position::Position;
use stretto::tablebase::{Index, Material, Metric, Outcome, piece_squares};
use stretto::types::{Color, Square};

use super::codes::{Codes, WIN_IN_ONE};

/// The outcomes of all positions of one material.
#[derive(Clone)]
pub(crate) struct Table {
    index: Index,
    metric: Metric,
    /// By side to move.
    codes: [Codes; 2],
    /// By side to move, then by place.
    values: [Vec<u8>; 2],
}

impl Table {
    pub(super) fn new(index: Index, metric: Metric, codes: [Codes; 2], values: [Vec<u8>; 2]) -> Self {
        Self { index, metric, codes, values }
    }

    /// Returns the table of bare kings, in which every position is drawn.
    pub(crate) fn bare_kings(metric: Metric) -> Self {
        let index = Index::new(Material::default());
        let values = [0, 1].map(|_| vec![super::codes::DRAW; index.len()]);
        Self { index, metric, codes: [Codes::new(), Codes::new()], values }
    }

    /// Returns the index of the table.
    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) fn material(&self) -> Material {
        self.index.material()
    }

    /// Returns the metric of the distances.
    pub(crate) fn metric(&self) -> Metric {
        self.metric
    }

    /// Returns the outcome for the side to move; a draw for adjacent kings. `squares` are in the order
    /// of the index.
    #[inline]
    pub(crate) fn outcome(&self, side: Color, squares: &[Square]) -> Outcome {
        self.index.index_of(squares).map_or(Outcome::Draw, |place| self.at(side, place))
    }

    /// Returns the outcome at an index; undefined for illegal positions.
    #[inline]
    pub(crate) fn at(&self, side: Color, place: usize) -> Outcome {
        self.outcome_of(side, self.values[side.index()][place])
    }

    /// Returns the code at an index.
    #[inline]
    pub(super) fn code(&self, side: Color, place: usize) -> u8 {
        self.values[side.index()][place]
    }

    /// Returns the outcome of a code of a side to move.
    #[inline]
    pub(super) fn outcome_of(&self, side: Color, code: u8) -> Outcome {
        self.codes[side.index()].outcome(code)
    }

    /// Returns whether the code is shared with illegal positions.
    #[inline]
    pub(super) fn may_be_illegal(code: u8) -> bool {
        code == WIN_IN_ONE
    }

    /// Replaces the values of one side to move.
    pub(super) fn set_values(&mut self, side: Color, values: Vec<u8>) {
        self.values[side.index()] = values;
    }

    /// Returns a copy with one changed value, to simulate damage.
    #[cfg(test)]
    pub(super) fn with_value(&self, side: Color, place: usize, code: u8) -> Self {
        let mut damaged = self.clone();
        damaged.values[side.index()][place] = code;
        damaged
    }

    /// Returns every outcome that occurs with this side to move; empty if that side is not loaded.
    /// Other outcomes may have a code too.
    pub(super) fn outcomes(&self, side: Color) -> Vec<Outcome> {
        const TOGETHER: usize = 1 << 16;
        let occurs = self.values[side.index()]
            .par_chunks(TOGETHER)
            .map(|values| {
                let mut occurs = [false; 256];
                for &value in values {
                    occurs[usize::from(value)] = true;
                }
                occurs
            })
            .reduce(|| [false; 256], |one, other| std::array::from_fn(|code| one[code] | other[code]));
        let codes = (0..=u8::MAX).filter(|&code| occurs[usize::from(code)]);
        codes.map(|code| self.outcome_of(side, code)).collect()
    }

    /// Returns every outcome with an assigned code.
    #[cfg(test)]
    pub(super) fn coded_outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.codes.iter().flat_map(Codes::outcomes)
    }

    /// Returns the raw codes, for byte-wise comparison.
    pub(crate) fn bytes(&self, side: Color) -> &[u8] {
        &self.values[side.index()]
    }
}

/// The tables of a metric by material, shared between threads.
#[derive(Clone, Default)]
pub(crate) struct Tables(HashMap<Material, Arc<Table>>);

impl Tables {
    /// Returns a set with only the table of bare kings.
    pub(crate) fn new(metric: Metric) -> Self {
        let mut tables = Self::default();
        tables.add(Table::bare_kings(metric));
        tables
    }

    /// Adds a table and returns it.
    pub(crate) fn add(&mut self, table: Table) -> Arc<Table> {
        let table = Arc::new(table);
        self.0.insert(table.material(), Arc::clone(&table));
        table
    }

    /// Keeps only the given sides to move of a table; without any, the table is removed.
    ///
    /// The removed sides must not be probed afterwards.
    pub(crate) fn keep(&mut self, material: Material, sides: [bool; 2]) {
        let Some(table) = self.0.remove(&material) else { return };
        if sides == [false; 2] {
            return;
        }
        let mut table = Arc::unwrap_or_clone(table);
        for (values, _) in table.values.iter_mut().zip(sides).filter(|(_, is_kept)| !is_kept) {
            *values = Vec::new();
        }
        self.add(table);
    }

    /// Returns the outcome for the side to move; `None` if the table is missing, or if castling or
    /// en passant is possible.
    pub(crate) fn probe(&self, position: &Position) -> Option<Outcome> {
        if position.castling_rooks().any() || position.ep_square().is_some() {
            return None;
        }
        let (material, is_turned) = Material::of(position)?.canonical();
        let table = self.0.get(&material)?;
        let squares = piece_squares(position, &table.index, is_turned)?;
        let side = position.side_to_move();
        Some(table.outcome(if is_turned { !side } else { side }, &squares))
    }

    /// Returns all tables, in no particular order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Table> {
        self.0.values().map(AsRef::as_ref)
    }

    /// Returns the table of this material, with White as the stronger side.
    pub(crate) fn get(&self, material: Material) -> Option<Arc<Table>> {
        self.0.get(&material).map(Arc::clone)
    }
}
