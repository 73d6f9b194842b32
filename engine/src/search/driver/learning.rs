//! What a node teaches the nodes after it: killers, counter-moves and histories, after a cutoff or for want of one.

use arrayvec::ArrayVec;

use crate::position::Position;
use crate::search::heuristics::history::{Cutoff, LastMove, PLIES_BACK, Surroundings};
use crate::search::picker::Refutations;
use crate::search::switches::{Toggles, on};
use crate::search::worker::Search;
use crate::types::{Depth, Move, Ply};

impl<T: Toggles> Search<'_, T> {
    /// The quiet moves to try before others at a ply, as far as they are used.
    #[inline]
    pub(super) fn refutations(&self, ply: Ply) -> Refutations {
        let worker = &self.worker;
        let killers = if on!(self.toggles, Killers) { worker.frames[ply].killers.0 } else { [None; 2] };
        let counter = if on!(self.toggles, CounterMoves) {
            worker.counter_moves.reply(worker.frames.before(ply, 1).landing)
        } else {
            None
        };
        [killers[0], killers[1], counter]
    }

    /// The table cut a node: its move, if a quiet one, did well again.
    #[inline]
    pub(super) fn note_hash_cutoff(&mut self, position: &Position, mv: Option<Move>, depth: Depth, ply: Ply) {
        let Some(mv) = mv.filter(|&mv| !position.is_noisy(mv)) else { return };
        let at = Surroundings::of(position, self.worker.frames.landings(ply), ply);
        let cutoff = Cutoff { best: mv, quiets: &[], noisy: &[], depth };
        self.histories.reward(self.toggles, position, &at, cutoff);
    }

    /// A node was cut: all that orders moves learns from it. (Learning from the best moves of exact nodes and of the
    /// root as well was tried and cost strength: see `results/search.md`.)
    #[inline]
    pub(super) fn note_cutoff(
        &mut self,
        position: &Position,
        at: &Surroundings,
        mv: Move,
        tried: &Tried,
        depth: Depth,
        ply: Ply,
    ) {
        let worker = &mut *self.worker;
        if !position.is_noisy(mv) {
            if on!(self.toggles, Killers) {
                worker.frames[ply].killers.add(mv);
            }
            if on!(self.toggles, CounterMoves) {
                let refuted = worker.frames.before(ply, 1).landing;
                worker.counter_moves.add(refuted, mv);
            }
        }
        let cutoff = Cutoff { best: mv, quiets: &tried.quiets, noisy: &tried.noisy, depth };
        self.histories.reward(self.toggles, position, at, cutoff);
    }

    /// No move beat alpha: the quiet move that led here did well.
    pub(super) fn note_fail_low(&mut self, position: &Position, depth: Depth, ply: Ply) {
        if let Some(last) = self.last_quiet(position, ply) {
            self.histories.reward_unrefuted(self.toggles, &last, depth);
        }
    }

    /// The move that led here, if it was a quiet one.
    pub(super) fn last_quiet(&self, position: &Position, ply: Ply) -> Option<LastMove> {
        let frames = &self.worker.frames;
        let parent = frames.before(ply, 1);
        let mv = parent.current.filter(|mv| parent.capture.is_none() && mv.promotion().is_none())?;
        Some(LastMove {
            mover: !position.side_to_move(),
            mv,
            landing: parent.landing,
            threats: parent.threats,
            before: PLIES_BACK.map(|back| frames.before(ply, back + 1).landing),
        })
    }
}

/// Moves that are remembered for the malus of a cutoff, of each sort.
const MAX_TRIED: usize = 32;

/// Moves searched before a cutoff. Beyond [`MAX_TRIED`] they are not worth remembering.
#[derive(Default)]
pub(super) struct Tried {
    pub(super) quiets: ArrayVec<Move, MAX_TRIED>,
    pub(super) noisy: ArrayVec<Move, MAX_TRIED>,
}

impl Tried {
    #[inline]
    pub(super) fn push(&mut self, mv: Move, is_quiet: bool) {
        let few = if is_quiet { &mut self.quiets } else { &mut self.noisy };
        if !few.is_full() {
            few.push(mv);
        }
    }
}
