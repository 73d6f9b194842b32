//! Incrementally updated sums of the first layer (accumulators).
//!
//! The search notes the move that leads to each ply; noting costs a few stores. An evaluation looks
//! back for the last ply whose sums are up to date, and applies the moves since then. There may
//! be none nearby, or the king may have changed its bucket or its half of the board on the way. Then an entry of
//! the refresh table is updated by the squares that differ, and copied.
//!
//! Sources: lazily updated accumulators are common since 2022; refresh tables (finny tables) are
//! from Koivisto.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::features::{PieceSquare, View};
use super::inference::{Network, is_same_network};
use super::kernels::{CacheLine, Change, LANES, MoveRows};
use super::weights::bucket;
use crate::memory::{OutOfMemory, reserve};
use crate::position::{Position, Wing};
use crate::types::{Bitboard, ByColor, Color, MAX_PLY, Move, MoveKind, Piece, PieceType, Ply, Score, Square};

/// Plies that an update may look back. Beyond, the refresh table is nearer.
const MAX_LOOK_BACK: usize = 5;

const REFRESH_ENTRIES: usize = 2 * View::COUNT;

/// The move that leads to a ply, and whether the sums there include it.
#[derive(Clone, Copy)]
struct Step {
    /// The move; `None` for a null move.
    mv: Option<Move>,
    side: Color,
    moved: PieceType,
    captured: Option<PieceType>,
    /// The views after the move.
    views: ByColor<View>,
    /// Whether the sums of a side are up to date.
    is_current: ByColor<bool>,
}

impl Step {
    const NONE: Self = Self {
        mv: None,
        side: Color::White,
        moved: PieceType::Pawn,
        captured: None,
        views: ByColor([View::DEFAULT; 2]),
        is_current: ByColor([false; 2]),
    };

    /// Returns the pieces that the move adds and removes.
    #[inline]
    fn change(&self) -> MoveRows<PieceSquare> {
        let Some(mv) = self.mv else { return MoveRows::None };
        if mv.kind() != MoveKind::Normal {
            return self.special_change(mv);
        }
        let (us, to) = (self.side, mv.to());
        let removed = piece_square(us, self.moved, mv.from());
        let added = piece_square(us, self.moved, to);
        match self.captured {
            None => MoveRows::Quiet { added, removed },
            Some(kind) => MoveRows::Capture { added, removed: [removed, piece_square(!us, kind, to)] },
        }
    }

    /// Returns the change of castling, an en passant capture or a promotion.
    #[cold]
    #[inline(never)]
    fn special_change(&self, mv: Move) -> MoveRows<PieceSquare> {
        let (us, from, to) = (self.side, mv.from(), mv.to());
        let removed = piece_square(us, self.moved, from);
        let placed = match mv.kind() {
            MoveKind::Castling => {
                let (king, rook) = Wing::of(from, to).destinations(us);
                let added =
                    [piece_square(us, PieceType::King, king), piece_square(us, PieceType::Rook, rook)];
                let removed = [removed, piece_square(us, PieceType::Rook, to)];
                return MoveRows::Castling { added, removed };
            }
            MoveKind::Promotion(kind) => kind,
            MoveKind::Normal | MoveKind::EnPassant => self.moved,
        };
        let added = piece_square(us, placed, to);
        let Some(kind) = self.captured else { return MoveRows::Quiet { added, removed } };
        let taken_on = if mv.is_en_passant() { to.forward(!us) } else { to };
        MoveRows::Capture { added, removed: [removed, piece_square(!us, kind, taken_on)] }
    }
}

#[inline]
fn piece_square(color: Color, kind: PieceType, square: Square) -> PieceSquare {
    PieceSquare::new(Piece::new(color, kind), square)
}

/// The accumulators of one thread.
pub struct Accumulators {
    network: Option<Arc<Network>>,
    /// The moves of the current path, by the ply they lead to.
    steps: [Step; Self::PLIES],
    /// Sums by ply, then by side.
    sums: Vec<CacheLine>,
    /// Positions of the refresh table, by side and view; an entry without a position holds the
    /// biases.
    refresh_positions: [Option<Position>; REFRESH_ENTRIES],
    /// Sums of the refresh table, by side and view.
    refresh_sums: Vec<CacheLine>,
    /// Number of lines per accumulator.
    width: usize,
}

impl Default for Accumulators {
    fn default() -> Self {
        Self::new()
    }
}

impl Accumulators {
    /// The number of plies with accumulators: from the root to the deepest leaf.
    const PLIES: usize = MAX_PLY + 1;

    /// Creates the accumulators without memory and without a network.
    pub const fn new() -> Self {
        Self {
            network: None,
            steps: [Step::NONE; Self::PLIES],
            sums: Vec::new(),
            refresh_positions: [None; REFRESH_ENTRIES],
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
        self.sums.clear();
        self.refresh_sums.clear();
        let width = hidden.div_ceil(LANES);
        reserve(&mut self.sums, 2 * width * Self::PLIES)?;
        reserve(&mut self.refresh_sums, REFRESH_ENTRIES * width)
    }

    /// Resets the accumulators for a network.
    #[cold]
    #[inline(never)]
    fn reset_for(&mut self, network: &Arc<Network>) {
        self.width = network.biases.len();
        self.steps.iter_mut().for_each(|step| step.is_current = ByColor([false; 2]));
        self.sums.clear();
        self.sums.resize(2 * self.width * Self::PLIES, CacheLine::ZERO);
        self.refresh_positions = [None; REFRESH_ENTRIES];
        self.refresh_sums.clear();
        (0..REFRESH_ENTRIES).for_each(|_| self.refresh_sums.extend_from_slice(&network.biases));
        self.network = Some(Arc::clone(network));
    }

    /// Begins a path at this position, at ply 0.
    pub fn begin(&mut self, root: &Position) {
        let view = |side| View::of(side, root.king(side));
        self.steps[0] = Step { views: ByColor(Color::ALL.map(view)), ..Step::NONE };
    }

    /// Notes that a legal move leads from `position` at `ply` to the next ply. It replaces the move
    /// noted there before, and the path beyond.
    #[inline]
    pub fn note_move(&mut self, position: &Position, mv: Move, ply: Ply) {
        let (side, moved) = (position.side_to_move(), position.moved(mv));
        let mut views = self.steps[ply.index()].views;
        if moved == PieceType::King {
            let king =
                if mv.is_castling() { Wing::of(mv.from(), mv.to()).destinations(side).0 } else { mv.to() };
            views[side] = View::of(side, king);
        }
        let captured = position.captured(mv);
        let is_current = ByColor([false; 2]);
        self.steps[ply.index() + 1] = Step { mv: Some(mv), side, moved, captured, views, is_current };
    }

    /// Notes that a null move leads from `ply` to the next ply.
    #[inline]
    pub fn note_null_move(&mut self, ply: Ply) {
        let views = self.steps[ply.index()].views;
        self.steps[ply.index() + 1] = Step { views, ..Step::NONE };
    }

    /// Evaluates a position for the side to move. Units: centipawns. Range: `±Score::MAX_EVAL`.
    ///
    /// `ply` is its place on the path: the moves noted from the root of [`begin`](Self::begin) up
    /// to it lead to the position. Builds with debug assertions compare one result in 64 with that of
    /// a full evaluation.
    #[inline]
    pub fn evaluate(&mut self, network: &Arc<Network>, position: &Position, ply: Ply) -> Score {
        if !self.network.as_ref().is_some_and(|own| is_same_network(own, network)) {
            self.reset_for(network);
        }
        let ply = ply.index();
        self.update(network, position, ply);
        let (white, black) = self.sums[2 * ply * self.width..][..2 * self.width].split_at(self.width);
        let sums = if position.side_to_move() == Color::White { [white, black] } else { [black, white] };
        let score = network.output(sums, bucket(position.occupied().count() as usize));
        debug_assert!(
            !position.key().0.is_multiple_of(64) || score == network.evaluate(position),
            "the path does not lead to {position} at ply {ply}"
        );
        score
    }

    /// Brings the sums of both sides at a ply up to date.
    #[inline]
    fn update(&mut self, network: &Network, position: &Position, ply: usize) {
        let from = Color::ALL.map(|side| {
            self.last_current(ply, side).unwrap_or_else(|| {
                self.refresh(network, position, ply, side);
                ply
            })
        });
        for ply in from[0].min(from[1]) + 1..=ply {
            let change = self.steps[ply].change();
            for side in Color::ALL {
                if ply > from[side.index()] {
                    self.play(network, change, ply, side);
                }
            }
        }
    }

    /// Returns the last ply up to this one at which the sums of a side are up to date; `None` if those
    /// of the refresh table are nearer.
    #[inline]
    fn last_current(&self, ply: usize, side: Color) -> Option<usize> {
        let view = self.steps[ply].views[side];
        let mut base = ply;
        while !self.steps[base].is_current[side] {
            base = base.checked_sub(1)?;
            if self.steps[base].views[side] != view || ply - base > MAX_LOOK_BACK {
                return None;
            }
        }
        Some(base)
    }

    /// Computes the sums of a side at a ply from those of the ply before.
    #[inline]
    fn play(&mut self, network: &Network, change: MoveRows<PieceSquare>, ply: usize, side: Color) {
        let step = &mut self.steps[ply];
        step.is_current[side] = true;
        let rows = change.map(|piece| step.views[side].feature_of(piece, side));
        let (before, here) = self.sums.split_at_mut((2 * ply + side.index()) * self.width);
        let from = &before[before.len() - 2 * self.width..][..self.width];
        network.kernels.play(&mut here[..self.width], from, &network.rows, rows);
    }

    /// Computes the sums of a side at a ply from the refresh table.
    #[inline(never)]
    fn refresh(&mut self, network: &Network, position: &Position, ply: usize, side: Color) {
        let view = self.steps[ply].views[side];
        let entry = View::COUNT * side.index() + view.index();
        let refresh_sums = &mut self.refresh_sums[entry * self.width..][..self.width];
        let from = self.refresh_positions[entry].replace(*position);
        let squares = from.map_or(position.occupied(), |from| from.changed_squares(position));
        let (added, removed) = differences(from.as_ref(), position, squares, side, view);
        let change = Change { added: &added, removed: &removed };
        network.kernels.update(refresh_sums, &network.rows, change);
        self.sums[(2 * ply + side.index()) * self.width..][..self.width].copy_from_slice(refresh_sums);
        self.steps[ply].is_current[side] = true;
    }
}

/// Returns the rows to add and to remove between two positions, given the squares on which they
/// differ.
fn differences(
    from: Option<&Position>,
    to: &Position,
    squares: Bitboard,
    side: Color,
    view: View,
) -> (ArrayVec<u16, 64>, ArrayVec<u16, 64>) {
    let (mut added, mut removed) = (ArrayVec::new(), ArrayVec::new());
    for square in squares {
        if let Some(piece) = to.piece_on(square) {
            added.push(view.feature(side, piece, square));
        }
        if let Some(piece) = from.and_then(|from| from.piece_on(square)) {
            removed.push(view.feature(side, piece, square));
        }
    }
    (added, removed)
}
