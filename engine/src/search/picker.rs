//! The staged move picker.
//!
//! Moves are generated and scored only when their stage is reached, since most cutoffs come from
//! the TT move or a capture. Each ordering criterion is a switch; with all of them off, the order of
//! the generator remains.

use arrayvec::ArrayVec;

use super::heuristics::check_ordering::{self, DirectChecks};
use super::heuristics::history::context::HistoryContext;
use super::heuristics::history::histories::Histories;
use super::heuristics::{mvv_lva, threat_ordering};
use super::params::Tunable;
use super::switches::{Toggles, on};
use crate::position::{CheckSquares, MAX_MOVES, MoveList, Position};
use crate::types::{Move, Score};

/// The inputs of move ordering besides the position.
pub(crate) struct MoveOrder<'a, T: Toggles> {
    pub(crate) toggles: T,
    pub(crate) histories: &'a Histories<'a>,
    /// Required where quiet moves are wanted.
    pub(crate) context: Option<&'a HistoryContext>,
}

impl<T: Toggles> MoveOrder<'_, T> {
    #[inline]
    fn capture(&self, position: &Position, mv: Move) -> i32 {
        let value = if on!(self.toggles, MvvLva) { mvv_lva::score(position, mv) } else { 0 };
        let history = self.histories.capture_score(self.toggles, position, mv);
        value + history * self.toggles.value(Tunable::CaptureHistoryWeight) / 100
    }

    /// Whether a capture loses so much material that it comes after the quiet moves. The higher its
    /// ordering score, the more it may lose.
    fn is_losing(&self, position: &Position, mv: Move, order: i32) -> bool {
        let is_safe = self.context.is_some_and(|context| Position::is_beyond_capture(mv, context.threats));
        if !on!(self.toggles, SeeOrdering) || is_safe {
            return false;
        }
        let allowed = Score(order.max(0) / self.toggles.value(Tunable::SeeOrderingHistory));
        !position.see_at_least(mv, -allowed)
    }
}

/// Two killers and the counter-move; none with both switches off.
pub(crate) type Refutations = [Option<Move>; 3];

/// Whether there are refutations at all.
#[inline]
fn has_refutations(toggles: impl Toggles) -> bool {
    on!(toggles, Killers) || on!(toggles, CounterMoves)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    TtMove,
    GenerateCaptures,
    Captures,
    Refutation(u8),
    GenerateQuiets,
    Quiets,
    LosingCaptures,
    Done,
}

/// The set of moves that a picker returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    All,
    Captures,
}

/// A move, its place in the generated list and its ordering score, packed so that the maximum is
/// the best move, and the first among equals.
///
/// Bits: 0-15 the move, 16-31 places from the end of the list, 32-63 the ordering score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked(i64);

impl Ranked {
    /// Replaces a move that was taken; below all others.
    const TAKEN: Self = Self(i64::MIN);

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

    /// Adds to the ordering score.
    #[inline]
    fn raise(&mut self, bonus: i32) {
        self.0 += i64::from(bonus) << 32;
    }

    /// Returns the move; `None` if it was taken.
    #[inline]
    fn mv(self) -> Option<Move> {
        Move::from_bits(self.0 as u16)
    }
}

/// Returns the best move: a plain maximum that includes taken moves, which the compiler vectorizes.
#[inline]
fn best_of(moves: &[Ranked]) -> Ranked {
    moves.iter().copied().fold(Ranked::TAKEN, Ranked::max)
}

/// Places in a list of moves.
type MoveIndices = ArrayVec<u16, MAX_MOVES>;

/// Returns the moves of one node, each once, best first.
pub(crate) struct Picker {
    stage: Stage,
    wanted: Wanted,
    tt_move: Option<Move>,
    refutations: Refutations,
    skips_quiets: bool,
    /// The moves of the current stage.
    moves: ArrayVec<Ranked, MAX_MOVES>,
    /// The number of moves of the stage not yet returned.
    left: usize,
    /// The best of those, where it is known already.
    best: Option<Ranked>,
    /// Captures that lose material, returned last.
    losing: MoveList,
    losing_next: usize,
}

impl Picker {
    /// Creates a picker for all legal moves. The TT move must be legal.
    pub(crate) fn all(tt_move: Option<Move>, refutations: Refutations) -> Self {
        Self::new(Wanted::All, tt_move, refutations)
    }

    /// Creates a picker for captures and promotions. The TT move must be legal.
    pub(crate) fn captures(position: &Position, tt_move: Option<Move>) -> Self {
        let tt_move = tt_move.filter(|&mv| position.is_noisy(mv));
        Self::new(Wanted::Captures, tt_move, [None; 3])
    }

    fn new(wanted: Wanted, tt_move: Option<Move>, refutations: Refutations) -> Self {
        Self {
            stage: Stage::TtMove,
            wanted,
            tt_move,
            refutations,
            skips_quiets: false,
            moves: ArrayVec::new(),
            left: 0,
            best: None,
            losing: MoveList::new(),
            losing_next: 0,
        }
    }

    /// Drops the quiet moves that have not been returned yet.
    pub(crate) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// Drops the remaining quiet moves that do not give check. Returns how many were dropped.
    pub(crate) fn keep_checks<T: Toggles>(
        &mut self,
        toggles: T,
        position: &Position,
        checks: &CheckSquares,
    ) -> usize {
        if self.stage != Stage::Quiets {
            return 0;
        }
        self.best = None;
        let (tt_move, refutations, before) = (self.tt_move, self.refutations, self.left);
        let is_refutation = |mv| has_refutations(toggles) && refutations.contains(&Some(mv));
        for ranked in &mut self.moves {
            // The TT move and refutations have been returned already, and are not counted.
            if let Some(mv) = ranked.mv()
                && Some(mv) != tt_move
                && !is_refutation(mv)
                && !checks.has(position, mv)
            {
                *ranked = Ranked::TAKEN;
                self.left -= 1;
            }
        }
        before - self.left
    }

    /// Whether the move is a killer or the counter-move.
    #[inline]
    pub(crate) fn is_refutation<T: Toggles>(&self, toggles: T, mv: Move) -> bool {
        has_refutations(toggles) && self.refutations.contains(&Some(mv))
    }

    /// Returns the next move, or `None` after the last.
    pub(crate) fn next<T: Toggles>(&mut self, position: &Position, order: &MoveOrder<'_, T>) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::GenerateCaptures;
                    if self.tt_move.is_some() {
                        return self.tt_move;
                    }
                }
                Stage::GenerateCaptures => {
                    self.load_captures(position, order);
                    self.stage = Stage::Captures;
                }
                Stage::Captures => match self.pick() {
                    Some((mv, value))
                        if self.wanted == Wanted::All && order.is_losing(position, mv, value) =>
                    {
                        self.losing.push(mv);
                    }
                    Some((mv, _)) => return Some(mv),
                    None if self.wanted == Wanted::All && has_refutations(order.toggles) => {
                        self.stage = Stage::Refutation(0);
                    }
                    None if self.wanted == Wanted::All => self.stage = Stage::GenerateQuiets,
                    None => self.stage = Stage::LosingCaptures,
                },
                Stage::Refutation(_) | Stage::GenerateQuiets | Stage::Quiets if self.skips_quiets => {
                    self.stage = Stage::LosingCaptures;
                }
                Stage::Refutation(index) => {
                    if let Some(mv) = self.take_refutation(position, usize::from(index)) {
                        return Some(mv);
                    }
                }
                Stage::GenerateQuiets => {
                    self.load_quiets(position, order);
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match self.pick() {
                    Some((mv, _)) if self.is_refutation(order.toggles, mv) => {}
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

    /// Returns the refutation at `index` if it is legal here and new, and moves on to the next
    /// stage.
    #[inline]
    fn take_refutation(&mut self, position: &Position, index: usize) -> Option<Move> {
        self.stage = if index + 1 < self.refutations.len() {
            Stage::Refutation(index as u8 + 1)
        } else {
            Stage::GenerateQuiets
        };
        if let Some(mv) = self.refutations[index]
            && Some(mv) != self.tt_move
            && !self.refutations[..index].contains(&Some(mv))
            && position.is_legal(mv)
            && !position.is_noisy(mv)
        {
            return Some(mv);
        }
        // Removed, because the quiet stage skips every move of the list.
        self.refutations[index] = None;
        None
    }

    // Out of line, so that the function that returns one move needs little stack.
    #[inline(never)]
    fn load_captures<T: Toggles>(&mut self, position: &Position, order: &MoveOrder<'_, T>) {
        let mut captures = MoveList::new();
        position.list_captures(&mut captures);
        self.load(&captures, |_, mv| order.capture(position, mv));
    }

    #[inline(never)]
    fn load_quiets<T: Toggles>(&mut self, position: &Position, order: &MoveOrder<'_, T>) {
        let mut quiets = MoveList::new();
        position.list_quiets(&mut quiets);
        let context = order.context.expect("a context where quiet moves are wanted");
        let history = order.histories.ordering_score(order.toggles, position, context);
        let threats =
            on!(order.toggles, ThreatOrdering).then(|| threat_ordering::score(order.toggles, position));
        let threat = |mv| threats.as_ref().map_or(0, |score| score(mv));
        let checks = on!(order.toggles, DirectCheckOrder).then(|| DirectChecks::of(position));
        // A capture sequence is looked at after the loop, which is then free of calls.
        let mut giving_check = MoveIndices::new();
        self.load(&quiets, |index, mv| {
            if checks.as_ref().is_some_and(|checks| checks.has(position, mv)) {
                giving_check.push(index as u16);
            }
            history(mv) + 100 * threat(mv)
        });
        for index in giving_check {
            let index = usize::from(index);
            if check_ordering::is_safe(position, context.threats, quiets[index]) {
                self.moves[index].raise(100 * order.toggles.value(Tunable::DirectCheckBonus));
            }
        }
    }

    #[inline]
    fn load(&mut self, moves: &MoveList, mut rank: impl FnMut(usize, Move) -> i32) {
        self.moves.clear();
        let ranked = |(index, &mv): (usize, &Move)| Ranked::new(mv, index, rank(index, mv));
        self.moves.extend(moves.iter().enumerate().map(ranked));
        self.left = moves.len();
        self.best = None;
    }

    /// Returns the move that will probably be next, if its stage has begun.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<Move> {
        if self.left == 0 {
            return None;
        }
        self.best.get_or_insert_with(|| best_of(&self.moves)).mv()
    }

    /// Takes the best of the remaining moves and its ordering score, skipping the TT move.
    #[inline]
    fn pick(&mut self) -> Option<(Move, i32)> {
        loop {
            self.left = self.left.checked_sub(1)?;
            let best = self.best.take().unwrap_or_else(|| best_of(&self.moves));
            self.moves[best.index()] = Ranked::TAKEN;
            let mv = best.mv()?;
            if Some(mv) != self.tt_move {
                return Some((mv, best.rank()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::heuristics::history::context::{Cutoff, PLIES_BACK};
    use crate::search::heuristics::history::memory::HistoryMemory;
    use crate::search::heuristics::piece_to::PieceTo;
    use crate::search::switches::{Fixed, Settings, Switch};
    use crate::types::Depth;

    #[test]
    fn keep_checks_drops_exactly_the_quiet_moves_without_check() {
        let settings = Settings::default().with(Switch::Killers, true);
        let memory = HistoryMemory::new(1).expect("some memory");
        let histories = memory.histories();
        let mut dropped = 0;
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "4k3/8/8/8/8/4N3/4R3/Q3K2R w K - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ] {
            let position: Position = fen.parse().expect("a position");
            let context = HistoryContext::of(&position, [PieceTo::NONE; PLIES_BACK.len()]);
            let order = MoveOrder { toggles: &settings, histories: &histories, context: Some(&context) };
            let quiets = position.quiets();
            // Both are returned in any case, whether they give check or not.
            let (tt_move, killer) = (quiets.first().copied(), quiets.last().copied());
            let picker = || Picker::all(tt_move, [killer, None, None]);
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
                let gone = picker.keep_checks(order.toggles, &position, &CheckSquares::of(&position));
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

    #[test]
    fn capture_that_loses_material_is_late_unless_its_history_allows_the_loss() {
        let memory = HistoryMemory::new(1).expect("some memory");
        let histories = memory.histories();
        let order = MoveOrder { toggles: Fixed, histories: &histories, context: None };
        let per_centipawn = Fixed.value(Tunable::SeeOrderingHistory);
        let is_losing = |fen: &str, mv: &str, allowed: i32| {
            let position: Position = fen.parse().expect("a position");
            let mv = position.parse_uci(mv).expect("a legal move");
            order.is_losing(&position, mv, allowed * per_centipawn)
        };
        // The knight takes a protected pawn: a loss of 200.
        let loss = "4k3/8/2p5/3p4/8/4N3/8/4K3 w - - 0 1";
        assert!(is_losing(loss, "e3d5", 0) && is_losing(loss, "e3d5", -300) && is_losing(loss, "e3d5", 199));
        assert!(!is_losing(loss, "e3d5", 200) && !is_losing(loss, "e3d5", 300));
        // A pawn for a pawn.
        let even = "4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1";
        assert!(!is_losing(even, "e4d5", 0) && !is_losing(even, "e4d5", 300));
    }

    #[test]
    fn quiet_move_with_the_better_history_comes_first() {
        let memory = HistoryMemory::new(1).expect("some memory");
        let histories = memory.histories();
        let position = Position::startpos();
        let context = HistoryContext::of(&position, [PieceTo::NONE; PLIES_BACK.len()]);
        let order = MoveOrder { toggles: Fixed, histories: &histories, context: Some(&context) };
        let quiets = position.quiets();
        let (good, bad) = (quiets[quiets.len() - 1], quiets[0]);
        let cutoff = Cutoff { best: good, quiets: &[bad], captures: &[], depth: Depth(12) };
        histories.learn_cutoff(Fixed, &position, &context, cutoff);
        let mut picker = Picker::all(None, [None; 3]);
        let moves: Vec<Move> = std::iter::from_fn(|| picker.next(&position, &order)).collect();
        assert_eq!((moves.first(), moves.last()), (Some(&good), Some(&bad)));
    }

    #[test]
    fn safe_check_comes_before_other_quiet_moves() {
        let memory = HistoryMemory::new(1).expect("some memory");
        let histories = memory.histories();
        // The rook gives check on e1, and on d8, where the king takes it.
        let position: Position = "4k3/8/8/8/8/8/6K1/3R4 w - - 0 1".parse().expect("a position");
        let context = HistoryContext::of(&position, [PieceTo::NONE; PLIES_BACK.len()]);
        let order = MoveOrder { toggles: Fixed, histories: &histories, context: Some(&context) };
        let mut picker = Picker::all(None, [None; 3]);
        let moves: Vec<Move> = std::iter::from_fn(|| picker.next(&position, &order)).collect();
        let [safe, unsafe_check] = ["d1e1", "d1d8"].map(|mv| position.parse_uci(mv).expect("a legal move"));
        assert_eq!(moves.first(), Some(&safe));
        assert_ne!(moves.get(1), Some(&unsafe_check));
        assert_ne!(position.quiets().first(), Some(&safe), "the generator's order would pass this test");
    }
}
