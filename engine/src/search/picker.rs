//! The order in which a node tries its moves.
//!
//! Staged: moves are generated and scored only when their stage is reached, since most nodes that cut do so with
//! the hash move or a capture. Each criterion is a switch; with all of them off the generator's order remains.

use super::heuristics::history::{Histories, Surroundings};
use super::heuristics::mvv_lva;
use super::params::Tunable;
use super::switches::{Toggles, on};
use crate::position::{MoveList, Position};
use crate::types::{Move, Score};

/// What the order depends on besides the position.
pub(crate) struct Ordering<'a, T: Toggles> {
    pub(crate) toggles: T,
    pub(crate) histories: &'a Histories,
    /// Needed where quiet moves are wanted.
    pub(crate) at: Option<&'a Surroundings>,
}

impl<T: Toggles> Ordering<'_, T> {
    fn quiet(&self, position: &Position, mv: Move) -> i32 {
        self.at.map_or(0, |at| self.histories.quiet(self.toggles, position, at, mv))
    }

    fn noisy(&self, position: &Position, mv: Move) -> i32 {
        let value = if on!(self.toggles, MvvLva) { mvv_lva::score(position, mv) } else { 0 };
        let history = self.histories.noisy(self.toggles, position, mv);
        value + history * self.toggles.value(Tunable::CaptureHistoryWeight) / 400
    }

    /// Does a capture lose so much by exchange that quiet moves come first? The better its record, the more it may lose.
    fn puts_off(&self, position: &Position, mv: Move, order: i32) -> bool {
        let forgiven = Score(order.max(0) / self.toggles.value(Tunable::SeeOrderingHistory));
        on!(self.toggles, SeeOrdering) && !position.see_at_least(mv, -forgiven)
    }
}

/// Quiet moves that refuted something like this: two killers and the counter-move.
pub(crate) type Refutations = [Option<Move>; 3];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    HashMove,
    GenerateCaptures,
    Captures,
    Refutation(u8),
    GenerateQuiets,
    Quiets,
    LosingCaptures,
    Done,
}

/// Which moves are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    All,
    Captures,
}

/// Hands out the moves of one node, each once, best first.
pub(crate) struct Picker {
    stage: Stage,
    wanted: Wanted,
    hash_move: Option<Move>,
    refutations: Refutations,
    skips_quiets: bool,
    moves: MoveList,
    scores: [i32; MoveList::CAPACITY],
    next: usize,
    /// Captures put off because they lose material.
    losing: MoveList,
    losing_next: usize,
}

impl Picker {
    /// All legal moves. The hash move must be legal.
    pub(crate) fn all(hash_move: Option<Move>, refutations: Refutations) -> Self {
        Self::new(Wanted::All, hash_move, refutations)
    }

    /// Captures and promotions only. The hash move must be legal.
    pub(crate) fn captures(position: &Position, hash_move: Option<Move>) -> Self {
        let hash_move = hash_move.filter(|&mv| position.is_noisy(mv));
        Self::new(Wanted::Captures, hash_move, [None; 3])
    }

    fn new(wanted: Wanted, hash_move: Option<Move>, refutations: Refutations) -> Self {
        Self {
            stage: Stage::HashMove,
            wanted,
            hash_move,
            refutations,
            skips_quiets: false,
            moves: MoveList::new(),
            scores: [0; MoveList::CAPACITY],
            next: 0,
            losing: MoveList::new(),
            losing_next: 0,
        }
    }

    /// Hands out no further quiet moves.
    pub(crate) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// Is the move one of those that refuted something like this?
    pub(crate) fn is_refutation(&self, mv: Move) -> bool {
        self.refutations.contains(&Some(mv))
    }

    /// The next move, or `None` when all have been handed out.
    pub(crate) fn next<T: Toggles>(&mut self, position: &Position, order: &Ordering<'_, T>) -> Option<Move> {
        loop {
            match self.stage {
                Stage::HashMove => {
                    self.stage = Stage::GenerateCaptures;
                    if self.hash_move.is_some() {
                        return self.hash_move;
                    }
                }
                Stage::GenerateCaptures => {
                    self.load(position.captures(), |mv| order.noisy(position, mv));
                    self.stage = Stage::Captures;
                }
                Stage::Captures => match self.pick() {
                    Some((mv, value))
                        if self.wanted == Wanted::All && order.puts_off(position, mv, value) =>
                    {
                        self.losing.push(mv);
                    }
                    Some((mv, _)) => return Some(mv),
                    None if self.wanted == Wanted::All => self.stage = Stage::Refutation(0),
                    None => self.stage = Stage::LosingCaptures,
                },
                Stage::Refutation(_) | Stage::GenerateQuiets | Stage::Quiets if self.skips_quiets => {
                    self.stage = Stage::LosingCaptures;
                }
                Stage::Refutation(index) => {
                    let index = usize::from(index);
                    self.stage = if index + 1 < self.refutations.len() {
                        Stage::Refutation(index as u8 + 1)
                    } else {
                        Stage::GenerateQuiets
                    };
                    if let Some(mv) = self.refutations[index]
                        && Some(mv) != self.hash_move
                        && !self.refutations[..index].contains(&Some(mv))
                        && position.is_legal(mv)
                        && !position.is_noisy(mv)
                    {
                        return Some(mv);
                    }
                    // A refutation that is not handed out here must come with the other quiet moves.
                    self.refutations[index] = None;
                }
                Stage::GenerateQuiets => {
                    self.load(position.quiets(), |mv| order.quiet(position, mv));
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match self.pick() {
                    Some((mv, _)) if self.is_refutation(mv) => {}
                    Some((mv, _)) => return Some(mv),
                    None => self.stage = Stage::LosingCaptures,
                },
                Stage::LosingCaptures => {
                    let next = self.losing.get(self.losing_next).copied();
                    self.losing_next += 1;
                    if next.is_some() {
                        return next;
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn load(&mut self, moves: MoveList, score: impl Fn(Move) -> i32) {
        self.moves = moves;
        self.next = 0;
        for (slot, &mv) in self.scores.iter_mut().zip(self.moves.iter()) {
            *slot = score(mv);
        }
    }

    /// The best of the remaining moves and its score, the first among equals, without the hash move.
    fn pick(&mut self) -> Option<(Move, i32)> {
        loop {
            let first = self.next;
            if first >= self.moves.len() {
                return None;
            }
            let mut best = first;
            for index in first + 1..self.moves.len() {
                if self.scores[index] > self.scores[best] {
                    best = index;
                }
            }
            self.moves.swap(first, best);
            self.scores.swap(first, best);
            self.next += 1;
            let mv = self.moves[first];
            if Some(mv) != self.hash_move {
                return Some((mv, self.scores[first]));
            }
        }
    }
}
