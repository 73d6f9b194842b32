//! The search stack: one frame per ply, and the principal variations.

use std::ops::{Index, IndexMut};

use super::heuristics::experimental::killers::Killers;
use super::heuristics::history::context::{PLIES_BACK, PreviousMoves};
use super::heuristics::piece_to::PieceTo;
use crate::memory::{OutOfMemory, boxed};
use crate::types::{Bitboard, MAX_PLY, Move, Ply, Score, Square};

/// A principal variation from one ply on.
#[derive(Clone)]
pub(crate) struct Line {
    moves: [Option<Move>; MAX_PLY],
    len: usize,
}

impl Line {
    const EMPTY: Self = Self { moves: [None; MAX_PLY], len: 0 };

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Replaces the line by `mv` followed by `rest`.
    pub(crate) fn set(&mut self, mv: Move, rest: &Self) {
        let kept = rest.len.min(MAX_PLY - 1);
        self.moves[0] = Some(mv);
        self.moves[1..=kept].copy_from_slice(&rest.moves[..kept]);
        self.len = kept + 1;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().copied().flatten()
    }
}

/// The state of one ply.
#[derive(Clone)]
pub(crate) struct Frame {
    /// The move being searched from here; `None` during a null move.
    pub(crate) current: Option<Move>,
    /// The piece and target square of that move.
    pub(crate) piece_to: PieceTo,
    /// The target square of that move if it is a capture.
    pub(crate) capture: Option<Square>,
    /// The squares attacked by the opponent.
    pub(crate) threats: Bitboard,
    /// Whether the move being searched is extended.
    pub(crate) is_extended: bool,
    /// Whether the node is, or was in an earlier search, on the principal variation.
    pub(crate) was_pv: bool,
    /// The fraction of a ply by which the node at this ply should be less deep. Units: 1/1024 ply.
    /// Range: 0 to 1023.
    pub(crate) fraction: i32,
    /// Whether the null move at this ply was answered by mate.
    pub(crate) is_mate_threatened: bool,
    /// The corrected static evaluation; `None` in check.
    pub(crate) static_eval: Option<Score>,
    /// Quiet moves that caused a cutoff at this ply.
    pub(crate) killers: Killers,
    /// The number of cutoffs at this ply below one node two plies up.
    pub(crate) cutoffs: u8,
    /// The number of extensions by more than one ply on the path to this node.
    pub(crate) double_extensions: u8,
}

impl Frame {
    const NEW: Self = Self {
        current: None,
        piece_to: PieceTo::NONE,
        capture: None,
        threats: Bitboard::EMPTY,
        was_pv: false,
        is_extended: false,
        fraction: 0,
        is_mate_threatened: false,
        static_eval: None,
        killers: Killers([None; 2]),
        cutoffs: 0,
        double_extensions: 0,
    };
}

/// The frames of all plies, with padding before the root and after the last ply so that lookups
/// need no bounds checks of their own.
pub(crate) struct Stack {
    frames: Box<[Frame]>,
    /// The principal variation from each ply, maintained in PV nodes only. Kept apart from the
    /// frames because the lines are long and rarely read.
    lines: Box<[Line]>,
}

impl Stack {
    /// A node looks back at the moves up to six plies before its parent's.
    const BEFORE: usize = 7;
    /// A node looks two plies ahead.
    const AFTER: usize = 3;

    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            frames: boxed(Self::BEFORE + MAX_PLY + Self::AFTER, || Frame::NEW)?,
            lines: boxed(MAX_PLY + Self::AFTER, || Line::EMPTY)?,
        })
    }

    pub(crate) fn clear(&mut self) {
        self.frames.fill(Frame::NEW);
        self.lines.iter_mut().for_each(Line::clear);
    }

    /// Returns the frame `back` plies before `ply`; frames before the root are empty. Range: `back`
    /// up to 7.
    #[inline]
    pub(crate) fn before(&self, ply: Ply, back: usize) -> &Frame {
        &self.frames[Self::BEFORE + ply.index() - back]
    }

    /// Returns the frame `ahead` plies after `ply`. Range: `ahead` up to 2.
    #[inline]
    pub(crate) fn after(&self, ply: Ply, ahead: usize) -> &Frame {
        &self.frames[Self::BEFORE + ply.index() + ahead]
    }

    /// As [`Self::after`], to change it.
    #[inline]
    pub(crate) fn after_mut(&mut self, ply: Ply, ahead: usize) -> &mut Frame {
        &mut self.frames[Self::BEFORE + ply.index() + ahead]
    }

    /// Returns the principal variation from `ply`.
    #[inline]
    pub(crate) fn line(&mut self, ply: Ply) -> &mut Line {
        &mut self.lines[ply.index()]
    }

    /// Sets the principal variation of `ply` to `mv` followed by that of the child.
    #[inline]
    pub(crate) fn extend_line(&mut self, ply: Ply, mv: Move) {
        let (here, below) = self.lines.split_at_mut(ply.index() + 1);
        here[ply.index()].set(mv, &below[0]);
    }

    /// Returns the previous moves that the continuation histories of `ply` look at.
    #[inline]
    pub(crate) fn previous_moves(&self, ply: Ply) -> PreviousMoves {
        PLIES_BACK.map(|back| self.before(ply, back).piece_to)
    }

    /// Returns the last two moves before `ply`, the opponent's first.
    #[inline]
    pub(crate) fn last_two_moves(&self, ply: Ply) -> [PieceTo; 2] {
        [1, 2].map(|back| self.before(ply, back).piece_to)
    }
}

impl Index<Ply> for Stack {
    type Output = Frame;

    #[inline]
    fn index(&self, ply: Ply) -> &Frame {
        self.after(ply, 0)
    }
}

impl IndexMut<Ply> for Stack {
    #[inline]
    fn index_mut(&mut self, ply: Ply) -> &mut Frame {
        self.after_mut(ply, 0)
    }
}
