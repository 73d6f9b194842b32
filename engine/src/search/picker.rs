//! The order in which a node tries its moves.
//!
//! Staged: moves are generated and scored only when their stage is reached, since most nodes that cut do so with
//! the hash move or a capture. Each criterion is a switch; with all of them off the generator's order remains.

use super::heuristics::history::ButterflyHistory;
use super::heuristics::killers::Killers;
use super::heuristics::mvv_lva;
use super::switches::{Toggles, on};
use crate::position::{MoveList, Position};
use crate::types::{Move, Score};

/// What the order depends on besides the position.
pub(crate) struct Ordering<'a, T: Toggles> {
    pub(crate) toggles: T,
    pub(crate) history: &'a ButterflyHistory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    HashMove,
    GenerateCaptures,
    Captures,
    Killer(u8),
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
    killers: Killers,
    moves: MoveList,
    scores: [i32; MoveList::CAPACITY],
    next: usize,
    /// Captures put off because they lose material.
    losing: MoveList,
    losing_next: usize,
}

impl Picker {
    /// All legal moves. `hash_move` may come from anywhere: it is checked.
    pub(crate) fn all(position: &Position, hash_move: Option<Move>, killers: Killers) -> Self {
        Self::new(Wanted::All, position, hash_move, killers)
    }

    /// Captures and promotions only.
    pub(crate) fn captures(position: &Position, hash_move: Option<Move>) -> Self {
        let hash_move = hash_move.filter(|&mv| position.is_noisy(mv));
        Self::new(Wanted::Captures, position, hash_move, Killers::default())
    }

    fn new(wanted: Wanted, position: &Position, hash_move: Option<Move>, killers: Killers) -> Self {
        Self {
            stage: Stage::HashMove,
            wanted,
            hash_move: hash_move.filter(|&mv| position.is_legal(mv)),
            killers,
            moves: MoveList::new(),
            scores: [0; MoveList::CAPACITY],
            next: 0,
            losing: MoveList::new(),
            losing_next: 0,
        }
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
                    self.load(position.captures(), |mv| {
                        if on!(order.toggles, MvvLva) { mvv_lva::score(position, mv) } else { 0 }
                    });
                    self.stage = Stage::Captures;
                }
                Stage::Captures => match self.pick() {
                    Some(mv) if on!(order.toggles, SeeOrdering) && self.puts_off(position, mv) => {
                        self.losing.push(mv);
                    }
                    Some(mv) => return Some(mv),
                    None if self.wanted == Wanted::All => self.stage = Stage::Killer(0),
                    None => self.stage = Stage::LosingCaptures,
                },
                Stage::Killer(index) => {
                    self.stage = if index == 0 { Stage::Killer(1) } else { Stage::GenerateQuiets };
                    if let Some(mv) = self.killers.0[usize::from(index)]
                        && Some(mv) != self.hash_move
                        && !position.is_noisy(mv)
                        && position.is_legal(mv)
                    {
                        return Some(mv);
                    }
                    // A killer that is not handed out here must come with the other quiet moves.
                    self.killers.0[usize::from(index)] = None;
                }
                Stage::GenerateQuiets => {
                    let side = position.side_to_move();
                    self.load(position.quiets(), |mv| {
                        if on!(order.toggles, History) { order.history.score(side, mv) } else { 0 }
                    });
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match self.pick() {
                    Some(mv) if self.killers.0.contains(&Some(mv)) => {}
                    Some(mv) => return Some(mv),
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

    fn puts_off(&self, position: &Position, mv: Move) -> bool {
        self.wanted == Wanted::All && !position.see_at_least(mv, Score::DRAW)
    }

    fn load(&mut self, moves: MoveList, score: impl Fn(Move) -> i32) {
        self.moves = moves;
        self.next = 0;
        for (slot, &mv) in self.scores.iter_mut().zip(self.moves.iter()) {
            *slot = score(mv);
        }
    }

    /// The best of the remaining moves, the first among equals, without the hash move.
    fn pick(&mut self) -> Option<Move> {
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
                return Some(mv);
            }
        }
    }
}
