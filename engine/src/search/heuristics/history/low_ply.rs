//! By the distance from the root: the same few nodes are searched again in every iteration. Off in play: -13 ± 30 Elo
//! (`results/search.md`, "One switch at a time").

use super::butterfly::FromTo;
use super::pull;
use crate::types::{Move, Ply};

/// Plies that have a table.
const PLIES: usize = 5;

/// How well each quiet move did at a ply. Shape: `[ply][from][to]`. Range: `±LIMIT`.
pub(super) struct LowPlyHistory(Box<[FromTo]>);

impl LowPlyHistory {
    pub(super) fn new() -> Self {
        Self(vec![[[0; 64]; 64]; PLIES].into_boxed_slice())
    }

    pub(super) fn clear(&mut self) {
        self.0.fill([[0; 64]; 64]);
    }

    /// What is known at this ply; it counts the less the farther from the root.
    #[inline]
    pub(super) fn score(&self, ply: Ply, mv: Move) -> i32 {
        self.0
            .get(ply.index())
            .map_or(0, |table| i32::from(table[mv.from().index()][mv.to().index()]) / (1 + i32::from(ply.0)))
    }

    #[inline]
    pub(super) fn add(&mut self, ply: Ply, mv: Move, bonus: i32) {
        if let Some(table) = self.0.get_mut(ply.index()) {
            pull(&mut table[mv.from().index()][mv.to().index()], bonus);
        }
    }
}
