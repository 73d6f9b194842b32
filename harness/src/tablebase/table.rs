//! A finished table, and those that are at hand.

use std::collections::HashMap;
use std::sync::Arc;

use stretto::tablebase::{Index, Material, Outcome};
use stretto::types::{Color, Square};

use super::codes::Codes;
use super::generate::Metric;

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

    /// The table of these men, White's the stronger.
    pub fn get(&self, material: Material) -> Option<Arc<Table>> {
        self.0.get(&material).map(Arc::clone)
    }
}
