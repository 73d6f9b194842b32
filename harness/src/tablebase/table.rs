//! A finished table, and those that are at hand.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use stretto::position::Position;
use stretto::tablebase::{
    Index, Material, Metric, Outcome, Table as TableFile, TableError, Tablebase, men_of,
};
use stretto::types::{Color, Square};

use super::codes::{Codes, WIN_IN_ONE};
use super::file::{StoredSides, to_bytes};
use super::generate::{GenerateError, generate};
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

    /// The code at a place.
    #[inline]
    pub(super) fn code(&self, side: Color, place: usize) -> u8 {
        self.values[side.index()][place]
    }

    /// What a code stands for.
    #[inline]
    pub(super) fn outcome_of(&self, code: u8) -> Outcome {
        self.codes.outcome(code)
    }

    /// May nothing legal stand where this code is?
    #[inline]
    pub(super) fn is_in_doubt(code: u8) -> bool {
        code == WIN_IN_ONE
    }

    /// Fills in one side to move.
    pub(super) fn set_values(&mut self, side: Color, values: Vec<u8>) {
        self.values[side.index()] = values;
    }

    /// The same with another value at one place, as damage would have it.
    #[cfg(test)]
    pub(super) fn with_value(&self, side: Color, place: usize, code: u8) -> Self {
        let mut damaged = self.clone();
        damaged.values[side.index()][place] = code;
        damaged
    }

    /// Every outcome that occurs with this side to move, none if that side is not here. A code may have been given to more.
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
        codes.map(|code| self.outcome_of(code)).collect()
    }

    /// Every outcome that has a code.
    #[cfg(test)]
    pub(super) fn coded_outcomes(&self) -> &[Outcome] {
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

    /// Keeps only these sides to move of a table; without any, the table goes.
    ///
    /// The others must not be asked for any more.
    pub fn keep(&mut self, material: Material, sides: [bool; 2]) {
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
        let men = men_of(position, &table.index, is_turned)?;
        let side = position.side_to_move();
        Some(table.outcome(if is_turned { !side } else { side }, &men))
    }

    /// Whose tables these are, as the engine reads them: all of them, coded.
    pub fn coded(&self, metric: Metric) -> Result<Tablebase, TableError> {
        let mut coded = Tablebase::new(metric);
        for table in self.0.values().filter(|table| table.material().men() > 2) {
            let bytes = to_bytes(table, StoredSides::One);
            coded.add(TableFile::from_bytes(&table.material().to_string(), bytes)?);
        }
        Ok(coded)
    }

    /// The table of these men, White's the stronger.
    pub fn get(&self, material: Material) -> Option<Arc<Table>> {
        self.0.get(&material).map(Arc::clone)
    }
}
