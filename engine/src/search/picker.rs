//! The order in which a node tries its moves.
//!
//! Staged: moves are generated and scored only when their stage is reached, since most nodes that cut do so with
//! the hash move or a capture. Each criterion is a switch; with all of them off the generator's order remains.

use arrayvec::ArrayVec;

use super::heuristics::history::{Histories, Surroundings};
use super::heuristics::mvv_lva;
use super::params::Tunable;
use super::switches::{Toggles, on};
use crate::position::{MAX_MOVES, MoveList, Position, QuietChecks};
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

/// A move, when its list was made and how it ranks, in one word: the greatest is the best, and of equals the first.
///
/// Bits: 0-15 the move, 16-31 places from the end of the list, 32-63 the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked(i64);

impl Ranked {
    /// What a move leaves behind that was handed out; below all others.
    const GONE: Self = Self(i64::MIN);

    #[inline]
    fn new(mv: Move, index: usize, rank: i32) -> Self {
        Self(i64::from(rank) << 32 | ((MAX_MOVES - index) as i64) << 16 | i64::from(mv.to_bits()))
    }

    #[inline]
    fn index(self) -> usize {
        MAX_MOVES - usize::from((self.0 >> 16) as u16)
    }

    #[inline]
    fn rank(self) -> i32 {
        (self.0 >> 32) as i32
    }

    /// The move; none where it is gone.
    #[inline]
    fn mv(self) -> Option<Move> {
        Move::from_bits(self.0 as u16)
    }
}

/// Hands out the moves of one node, each once, best first.
pub(crate) struct Picker {
    stage: Stage,
    wanted: Wanted,
    hash_move: Option<Move>,
    refutations: Refutations,
    skips_quiets: bool,
    /// Those of the stage.
    moves: ArrayVec<Ranked, MAX_MOVES>,
    /// How many of them are left.
    left: usize,
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
            moves: ArrayVec::new(),
            left: 0,
            losing: MoveList::new(),
            losing_next: 0,
        }
    }

    /// Hands out no further quiet moves.
    pub(crate) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// Of the quiet moves that are left hands out only those that give check. Returns how many others there were.
    pub(crate) fn keep_checks(&mut self, position: &Position) -> usize {
        if self.stage != Stage::Quiets {
            return 0;
        }
        let checks = QuietChecks::of(position);
        let (hash_move, refutations, before) = (self.hash_move, self.refutations, self.left);
        for ranked in &mut self.moves {
            // The hash move and refutations are passed over by themselves, and never counted.
            if let Some(mv) = ranked.mv()
                && Some(mv) != hash_move
                && !refutations.contains(&Some(mv))
                && !checks.has(position, mv)
            {
                *ranked = Ranked::GONE;
                self.left -= 1;
            }
        }
        before - self.left
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
                    self.load(&position.captures(), |mv| order.noisy(position, mv));
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
                    self.load(&position.quiets(), |mv| order.quiet(position, mv));
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

    #[inline]
    fn load(&mut self, moves: &MoveList, rank: impl Fn(Move) -> i32) {
        self.moves.clear();
        self.moves.extend(moves.iter().enumerate().map(|(index, &mv)| Ranked::new(mv, index, rank(mv))));
        self.left = moves.len();
    }

    /// The best of the remaining moves and its rank, the first among equals, without the hash move.
    #[inline]
    fn pick(&mut self) -> Option<(Move, i32)> {
        loop {
            // A plain maximum, over those that are gone too: the compiler takes several words at a time.
            self.left = self.left.checked_sub(1)?;
            let best = self.moves.iter().copied().fold(Ranked::GONE, Ranked::max);
            self.moves[best.index()] = Ranked::GONE;
            let mv = best.mv()?;
            if Some(mv) != self.hash_move {
                return Some((mv, best.rank()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::heuristics::history::{Landing, PLIES_BACK};
    use crate::search::switches::Fixed;
    use crate::types::Ply;

    #[test]
    fn of_late_quiet_moves_only_checks_are_handed_out() {
        let histories = Histories::new().expect("some memory");
        let mut dropped = 0;
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "4k3/8/8/8/8/4N3/4R3/Q3K2R w K - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ] {
            let position: Position = fen.parse().expect("a position");
            let at = Surroundings::of(&position, [Landing::NONE; PLIES_BACK.len()], Ply(1));
            let order = Ordering { toggles: Fixed, histories: &histories, at: Some(&at) };
            let quiets = position.quiets();
            // Both are handed out by themselves, whether they give check or not.
            let (hash_move, killer) = (quiets.first().copied(), quiets.last().copied());
            let picker = || Picker::all(hash_move, [killer, None, None]);
            let rest = |mut picker: Picker| -> Vec<Move> {
                std::iter::from_fn(|| picker.next(&position, &order)).collect()
            };
            let all = rest(picker());
            assert_eq!(all.len(), position.legal_moves().len(), "{fen}");
            for before in 0..all.len() {
                let mut picker = picker();
                for _ in 0..before {
                    let _ = picker.next(&position, &order);
                }
                let is_among_quiets = picker.stage == Stage::Quiets;
                let gone = picker.keep_checks(&position);
                let stays =
                    |mv: &Move| !is_among_quiets || position.is_noisy(*mv) || position.gives_check(*mv);
                let expected: Vec<Move> = all[before..].iter().copied().filter(stays).collect();
                assert_eq!(gone, all.len() - before - expected.len(), "{fen} after {before}");
                assert_eq!(rest(picker), expected, "{fen} after {before}");
                dropped += gone;
            }
        }
        assert!(dropped > 100, "{dropped}");
    }
}
