//! The first layer's sums, kept from node to node.
//!
//! Every sum knows the position it belongs to, so any of them can be the base of any other: where the two positions differ
//! says which rows are added and which go. A node takes the nearest of a few candidates: the sum at its parent's ply, the one
//! that was last at its own, and one kept for each half of the board its king may be on. No move has to be told to anybody and
//! nothing is taken back; a base that lies far off makes a longer way, never a wrong result.
//!
//! Sources: sums that are brought up to date only where they are wanted are common since 2022; keeping a placement
//! beside a sum, to start from when a king changes its half, is from Koivisto. Doing so at every ply is ours.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::features::View;
use super::kernels::{Change, LANES, Line};
use super::{Network, bucket, is_same};
use crate::memory::{OutOfMemory, reserve};
use crate::position::Position;
use crate::types::{Bitboard, ByColor, Color, MAX_PLY, Ply, Score};

/// A base that differs on so few squares is not worth comparing with another: one move changes two to four.
const NEAR: u32 = 4;
/// A base that differs on so many squares is compared with the one that is kept for the half.
const FAR: u32 = 12;

/// Whose sum, and for which position.
#[derive(Clone, Copy)]
struct Owner {
    position: Position,
    views: ByColor<View>,
}

impl Owner {
    #[inline]
    fn of(position: &Position) -> Self {
        let view = |side| View::of(side, position.king(side));
        Self { position: *position, views: ByColor(Color::ALL.map(view)) }
    }
}

/// The sums one thread keeps.
pub struct Accumulators {
    network: Option<Arc<Network>>,
    /// By ply.
    owners: Vec<Option<Owner>>,
    /// By ply, then by side.
    sums: Vec<Line>,
    /// By side and half; one without a position is just the biases.
    kept_owners: [Option<Position>; 4],
    /// By side and half.
    kept: Vec<Line>,
    /// Lines in a sum.
    width: usize,
}

/// Rows that come and go: at most all pieces of both positions.
#[derive(Default)]
struct Rows {
    added: ArrayVec<u16, 64>,
    removed: ArrayVec<u16, 64>,
}

impl Rows {
    /// The way from one position to another, as `side` sees it, given where they differ.
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
    /// The last ply that has sums of its own; those beyond share them.
    const LAST: usize = MAX_PLY;

    /// Sums of no network yet.
    pub const fn new() -> Self {
        Self {
            network: None,
            owners: Vec::new(),
            sums: Vec::new(),
            kept_owners: [None; 4],
            kept: Vec::new(),
            width: 0,
        }
    }

    /// Forgets all sums and makes room for those of a network with so many neurons, so that a search with it asks for no
    /// more.
    ///
    /// Errors: there is no memory for them.
    pub(crate) fn make_room(&mut self, hidden: usize) -> Result<(), OutOfMemory> {
        self.network = None;
        self.owners.clear();
        self.sums.clear();
        self.kept.clear();
        let width = hidden.div_ceil(LANES);
        reserve(&mut self.owners, Self::LAST + 1)?;
        reserve(&mut self.sums, 2 * width * (Self::LAST + 1))?;
        reserve(&mut self.kept, 4 * width)
    }

    /// Makes room for the sums of a network, and forgets those of another.
    fn fit(&mut self, network: &Arc<Network>) {
        self.width = network.biases.len();
        self.owners.clear();
        self.owners.resize(Self::LAST + 1, None);
        self.sums.clear();
        self.sums.resize(2 * self.width * (Self::LAST + 1), Line::ZERO);
        self.kept_owners = [None; 4];
        self.kept.clear();
        (0..4).for_each(|_| self.kept.extend_from_slice(&network.biases));
        self.network = Some(Arc::clone(network));
    }

    /// The value for the side to move of a position so many plies from the root. Units: centipawns. Range:
    /// `±Score::MAX_EVAL`. Any position may be asked for at any ply; neighbours of those asked for before are fast.
    #[inline]
    pub fn evaluate(&mut self, network: &Arc<Network>, position: &Position, ply: Ply) -> Score {
        if !self.network.as_ref().is_some_and(|own| is_same(own, network)) {
            self.fit(network);
        }
        let ply = ply.index().min(Self::LAST);
        self.bring(network, position, ply);
        let (white, black) = self.sums[2 * ply * self.width..][..2 * self.width].split_at(self.width);
        let sums = if position.side_to_move() == Color::White { [white, black] } else { [black, white] };
        network.output(sums, bucket(position.occupied().count() as usize))
    }

    /// Brings the sums of a ply to a position.
    #[inline]
    fn bring(&mut self, network: &Network, position: &Position, ply: usize) {
        let wanted = Owner::of(position);
        let differs = |owner: &Option<Owner>| owner.as_ref().map(|owner| owner.position.differs_on(position));
        let parent = ply.checked_sub(1).and_then(|parent| differs(&self.owners[parent]));
        let own = if parent.is_some_and(|squares| squares.count() <= NEAR) {
            None
        } else {
            differs(&self.owners[ply])
        };
        for side in Color::ALL {
            let view = wanted.views[side];
            let from = |squares: Option<Bitboard>, ply: usize| {
                let owner = self.owners[ply].as_ref().filter(|owner| owner.views[side] == view)?;
                Some((squares?, owner.position))
            };
            let parent = parent.and_then(|squares| from(Some(squares), ply - 1));
            let own = from(own, ply);
            let nearest = [parent, own].into_iter().flatten().map(|(squares, _)| squares.count()).min();
            let (before, here) = self.sums.split_at_mut((2 * ply + side.index()) * self.width);
            let here = &mut here[..self.width];
            if nearest.is_none_or(|squares| squares >= FAR) {
                // Far from both, or on another half: from what is kept, which is brought along.
                let half = 2 * side.index() + usize::from(view.is_mirrored());
                let kept = &mut self.kept[half * self.width..][..self.width];
                let from = self.kept_owners[half].replace(*position);
                let squares = from.map_or(position.occupied(), |from| from.differs_on(position));
                let rows = Rows::between(from.as_ref(), position, squares, side, view);
                network.kernels.update(kept, None, &network.rows, rows.change());
                here.copy_from_slice(kept);
                continue;
            }
            match (parent, own) {
                (Some((squares, from)), _) if Some(squares.count()) == nearest => {
                    let rows = Rows::between(Some(&from), position, squares, side, view);
                    let base = &before[before.len() - 2 * self.width..][..self.width];
                    network.kernels.update(here, Some(base), &network.rows, rows.change());
                }
                (_, Some((squares, from))) => {
                    let rows = Rows::between(Some(&from), position, squares, side, view);
                    network.kernels.update(here, None, &network.rows, rows.change());
                }
                _ => {}
            }
        }
        self.owners[ply] = Some(wanted);
    }
}
