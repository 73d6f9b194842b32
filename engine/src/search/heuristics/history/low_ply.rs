//! By the distance from the root: the same few nodes are searched again in every iteration. Off in play: -13 ± 30 Elo
//! (`results/search.md`, "One switch at a time").

use super::Entry;
use super::butterfly::{FromTo, tables};
use crate::memory::OutOfMemory;
use crate::types::{Move, Ply};

/// Plies that have a table.
const PLIES: usize = 5;

/// How well each quiet move did at a ply. Shape: `[ply][from][to]`. Range: `±LIMIT`.
pub(super) struct LowPlyHistory(Box<[FromTo]>);

impl LowPlyHistory {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        tables(PLIES).map(Self)
    }

    pub(super) fn clear(&mut self) {
        self.0.as_flattened_mut().as_flattened_mut().fill_with(Entry::default);
    }

    /// Forgets, while other workers may read.
    pub(super) fn start_search(&self) {
        self.0.as_flattened().as_flattened().iter().for_each(Entry::clear);
    }

    /// What is known at this ply; it counts the less the farther from the root.
    #[inline]
    pub(super) fn score(&self, ply: Ply, mv: Move) -> i32 {
        self.0
            .get(ply.index())
            .map_or(0, |table| table[mv.from().index()][mv.to().index()].get() / (1 + i32::from(ply.0)))
    }

    #[inline]
    pub(super) fn add(&self, ply: Ply, mv: Move, bonus: i32) {
        if let Some(table) = self.0.get(ply.index()) {
            table[mv.from().index()][mv.to().index()].pull(bonus);
        }
    }
}
