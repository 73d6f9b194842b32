//! Incrementally updated sums of the first layer (accumulators).
//!
//! Each accumulator stores the position it belongs to. The squares on which two positions differ
//! give the rows to add and remove, so any accumulator can be the base of an update. A node uses
//! the nearest of up to three bases: the accumulator of its parent's ply, the last one of its own
//! ply, or the refresh table entry of its king's half of the board. No move needs to be passed in
//! and none is undone; a distant base costs time but is always correct.
//!
//! Sources: lazily updated accumulators are common since 2022; refresh tables (finny tables) are
//! from Koivisto. Deriving the update from the stored positions at every ply is ours.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::features::View;
use super::inference::{Network, is_same_network};
use super::kernels::{CacheLine, Change, LANES};
use super::weights::bucket;
use crate::memory::{OutOfMemory, reserve};
use crate::position::Position;
use crate::types::{Bitboard, ByColor, Color, MAX_PLY, Ply, Score};

/// A base with at most this many different squares is used without looking at others: a move
/// changes two to four.
const MOVE_CHANGES: u32 = 4;
/// From this many different squares on, the refresh table entry is used as base instead.
const REFRESH_THRESHOLD: u32 = 12;

/// The position of an accumulator pair, with the view of each side.
#[derive(Clone, Copy)]
struct AccumulatorBase {
    position: Position,
    views: ByColor<View>,
}

impl AccumulatorBase {
    #[inline]
    fn of(position: &Position) -> Self {
        let view = |side| View::of(side, position.king(side));
        Self { position: *position, views: ByColor(Color::ALL.map(view)) }
    }
}

/// The accumulators of one thread.
pub struct Accumulators {
    network: Option<Arc<Network>>,
    /// Stored positions by ply.
    bases: Vec<Option<AccumulatorBase>>,
    /// Sums by ply, then by side.
    sums: Vec<CacheLine>,
    /// Positions of the refresh table, by side and half of the board; an entry without a position
    /// holds the biases.
    refresh_positions: [Option<Position>; 4],
    /// Sums of the refresh table, by side and half of the board.
    refresh_sums: Vec<CacheLine>,
    /// Number of lines per accumulator.
    width: usize,
}

/// The rows to add and to remove: at most all pieces of both positions.
#[derive(Default)]
struct RowChange {
    added: ArrayVec<u16, 64>,
    removed: ArrayVec<u16, 64>,
}

impl RowChange {
    /// Returns the change from one position to another as `side` sees it, given the squares on
    /// which they differ.
    #[inline]
    fn between(from: Option<&Position>, to: &Position, squares: Bitboard, side: Color, view: View) -> Self {
        let mut rows = Self::default();
        for square in squares {
            if let Some(piece) = to.piece_on(square) {
                rows.added.push(view.feature(side, piece, square));
            }
            if let Some(piece) = from.and_then(|from| from.piece_on(square)) {
                rows.removed.push(view.feature(side, piece, square));
            }
        }
        rows
    }

    #[inline]
    fn change(&self) -> Change<'_> {
        Change { added: &self.added, removed: &self.removed }
    }
}

impl Default for Accumulators {
    fn default() -> Self {
        Self::new()
    }
}

impl Accumulators {
    /// The last ply with its own accumulator; deeper plies share it.
    const LAST: usize = MAX_PLY;

    /// Creates the accumulators without memory and without a network.
    pub const fn new() -> Self {
        Self {
            network: None,
            bases: Vec::new(),
            sums: Vec::new(),
            refresh_positions: [None; 4],
            refresh_sums: Vec::new(),
            width: 0,
        }
    }

    /// Discards all sums and allocates the accumulators for a network of this size, so that a
    /// search allocates nothing.
    ///
    /// Errors: [`OutOfMemory`] if the allocation fails.
    pub(crate) fn allocate(&mut self, hidden: usize) -> Result<(), OutOfMemory> {
        self.network = None;
        self.bases.clear();
        self.sums.clear();
        self.refresh_sums.clear();
        let width = hidden.div_ceil(LANES);
        reserve(&mut self.bases, Self::LAST + 1)?;
        reserve(&mut self.sums, 2 * width * (Self::LAST + 1))?;
        reserve(&mut self.refresh_sums, 4 * width)
    }

    /// Resets the accumulators for a network.
    fn reset_for(&mut self, network: &Arc<Network>) {
        self.width = network.biases.len();
        self.bases.clear();
        self.bases.resize(Self::LAST + 1, None);
        self.sums.clear();
        self.sums.resize(2 * self.width * (Self::LAST + 1), CacheLine::ZERO);
        self.refresh_positions = [None; 4];
        self.refresh_sums.clear();
        (0..4).for_each(|_| self.refresh_sums.extend_from_slice(&network.biases));
        self.network = Some(Arc::clone(network));
    }

    /// Evaluates a position for the side to move at a ply. Units: centipawns. Range:
    /// `±Score::MAX_EVAL`. The result depends only on the position; it is fast if a neighbouring
    /// position was evaluated at this or the previous ply.
    #[inline]
    pub fn evaluate(&mut self, network: &Arc<Network>, position: &Position, ply: Ply) -> Score {
        if !self.network.as_ref().is_some_and(|own| is_same_network(own, network)) {
            self.reset_for(network);
        }
        let ply = ply.index().min(Self::LAST);
        self.update_accumulator(network, position, ply);
        let (white, black) = self.sums[2 * ply * self.width..][..2 * self.width].split_at(self.width);
        let sums = if position.side_to_move() == Color::White { [white, black] } else { [black, white] };
        network.output(sums, bucket(position.occupied().count() as usize))
    }

    /// Updates the accumulator of a ply to a position.
    #[inline]
    fn update_accumulator(&mut self, network: &Network, position: &Position, ply: usize) {
        let wanted = AccumulatorBase::of(position);
        let differs = |owner: &Option<AccumulatorBase>| {
            owner.as_ref().map(|owner| owner.position.changed_squares(position))
        };
        let parent = ply.checked_sub(1).and_then(|parent| differs(&self.bases[parent]));
        let own = if parent.is_some_and(|squares| squares.count() <= MOVE_CHANGES) {
            None
        } else {
            differs(&self.bases[ply])
        };
        for side in Color::ALL {
            let view = wanted.views[side];
            let from = |squares: Option<Bitboard>, ply: usize| {
                let owner = self.bases[ply].as_ref().filter(|owner| owner.views[side] == view)?;
                Some((squares?, owner.position))
            };
            let parent = parent.and_then(|squares| from(Some(squares), ply - 1));
            let own = from(own, ply);
            let nearest = [parent, own].into_iter().flatten().map(|(squares, _)| squares.count()).min();
            let (before, here) = self.sums.split_at_mut((2 * ply + side.index()) * self.width);
            let here = &mut here[..self.width];
            if nearest.is_none_or(|squares| squares >= REFRESH_THRESHOLD) {
                // Too far from both bases, or another view: update the refresh table entry and copy
                // it.
                let half = 2 * side.index() + usize::from(view.is_mirrored());
                let refresh_sums = &mut self.refresh_sums[half * self.width..][..self.width];
                let from = self.refresh_positions[half].replace(*position);
                let squares = from.map_or(position.occupied(), |from| from.changed_squares(position));
                let rows = RowChange::between(from.as_ref(), position, squares, side, view);
                network.kernels.update(refresh_sums, None, &network.rows, rows.change());
                here.copy_from_slice(refresh_sums);
                continue;
            }
            match (parent, own) {
                (Some((squares, from)), _) if Some(squares.count()) == nearest => {
                    let rows = RowChange::between(Some(&from), position, squares, side, view);
                    let base = &before[before.len() - 2 * self.width..][..self.width];
                    network.kernels.update(here, Some(base), &network.rows, rows.change());
                }
                (_, Some((squares, from))) => {
                    let rows = RowChange::between(Some(&from), position, squares, side, view);
                    network.kernels.update(here, None, &network.rows, rows.change());
                }
                _ => {}
            }
        }
        self.bases[ply] = Some(wanted);
    }
}
