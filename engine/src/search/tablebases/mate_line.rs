//! Completion of a mate line: from a claimed distance to moves that end in mate.
//!
//! The score of a mate may come from a table or from the TT, and then the principal variation ends
//! before the mate or has left the shortest way. A line is completed in three steps: the moves of
//! the principal variation while they keep the distance, moves of the tables where they hold
//! distances to mate, and a small proof search for the rest.
//!
//! Called when a mate is reported, outside the search, so it changes no node count. Each line is
//! tried once, unless time runs out: on a clock, all lines of a search together have a limit,
//! because tables may have to be decoded. After it no table is probed, and the proof search goes on
//! with a small number of positions.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::position::{Game, Position};
use crate::tablebase::{Outcome, Tablebases};
use crate::types::{FIFTY_MOVES, Key, Move};

/// Positions that the proof search may visit for one line.
const PROOF_BUDGET: u32 = 20_000;
/// Positions that the proof search may visit after the time limit, for all lines of a search. They take
/// about a millisecond.
const LATE_BUDGET: u32 = 1_000;
/// The longest mate that the proof search tries. Units: plies.
const PROOF_PLIES: u16 = 9;

/// The mate lines of one search, and the lines without a mate to be found.
#[derive(Debug, Default)]
pub(crate) struct MateLines {
    completed: Vec<Vec<Move>>,
    /// Principal variations that could not be completed, with the distance to mate in plies.
    failed: Vec<(Vec<Move>, u16)>,
    /// The time left to complete lines; `None` if it is unlimited.
    time_left: Option<Duration>,
    /// Positions that may be visited after that time.
    late_budget: u32,
}

impl MateLines {
    /// Creates an empty set. `time_limit` is for all lines together.
    pub(crate) fn new(time_limit: Option<Duration>) -> Self {
        Self { time_left: time_limit, late_budget: LATE_BUDGET, ..Self::default() }
    }

    /// Returns a line of exactly `plies` moves that ends in mate, beginning with the first move of
    /// `pv`; `None` if none was found in time. An odd number means that the side to move mates. The
    /// line contains no position for the third time.
    pub(in crate::search) fn complete(
        &mut self,
        tables: &Tablebases,
        game: &Game,
        pv: &[Move],
        plies: u16,
    ) -> Option<Vec<Move>> {
        let is_this = |known: &&Vec<Move>| known.len() == usize::from(plies) && known.first() == pv.first();
        if let Some(known) = self.completed.iter().find(is_this) {
            return Some(known.clone());
        }
        if self.failed.iter().any(|(line, distance)| *distance == plies && line == pv) {
            return None;
        }
        let begun = Instant::now();
        let line = MateLine {
            tables,
            repeated: repeated_positions(game.keys()),
            budget: Cell::new(PROOF_BUDGET),
            late_budget: Cell::new(self.late_budget),
            deadline: self.time_left.and_then(|left| begun.checked_add(left)),
        };
        let completed = line.complete(game.position(), pv, plies);
        self.late_budget = line.late_budget.get();
        self.time_left = self.time_left.map(|left| left.saturating_sub(begun.elapsed()));
        match &completed {
            Some(moves) => self.completed.push(moves.clone()),
            None if line.is_late() => {}
            None => self.failed.push((pv.to_vec(), plies)),
        }
        completed
    }
}

/// Returns the keys that occur at least twice.
fn repeated_positions(keys: &[Key]) -> Vec<Key> {
    let is_repeated = |(index, key): (usize, &Key)| keys[..index].contains(key).then_some(*key);
    keys.iter().enumerate().filter_map(is_repeated).collect()
}

struct MateLine<'a> {
    tables: &'a Tablebases,
    /// Positions that were on the board twice in the game: the next time is a draw. Within a line the
    /// distance to mate shrinks, so no position occurs again.
    repeated: Vec<Key>,
    /// Positions that the proof search may still visit.
    budget: Cell<u32>,
    /// Positions that it may visit after the deadline.
    late_budget: Cell<u32>,
    /// The moment after which no table is probed.
    deadline: Option<Instant>,
}

/// The table value of a position that is `plies` from mate.
const fn expected(plies: u16) -> Outcome {
    if plies % 2 == 1 { Outcome::Win(plies) } else { Outcome::Loss(plies) }
}

impl MateLine<'_> {
    /// Returns the line that begins with the first move of `pv`.
    fn complete(&self, root: &Position, pv: &[Move], plies: u16) -> Option<Vec<Move>> {
        let (&first, rest) = pv.split_first()?;
        let mut moves = vec![first];
        self.extend(&root.after(first), plies.checked_sub(1)?, rest, &mut moves).then_some(moves)
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Appends the moves from `position` to the mate in exactly `plies`. Leaves `moves` unchanged on
    /// failure.
    fn extend(&self, position: &Position, plies: u16, pv: &[Move], moves: &mut Vec<Move>) -> bool {
        let legal = position.legal_moves();
        if plies == 0 || legal.is_empty() {
            return plies == 0 && legal.is_empty() && position.is_check();
        }
        if self.repeated.contains(&position.key()) {
            return false;
        }
        if self.has_fifty_moves() && position.halfmove_clock() >= FIFTY_MOVES {
            return false;
        }
        let known = self.outcome(position);
        if known.is_some_and(|outcome| outcome != expected(plies)) {
            return false;
        }
        if let Some((&mv, rest)) = pv.split_first()
            && self.step(position, mv, plies, rest, moves)
        {
            return true;
        }
        if known.is_some() {
            let keeps_distance =
                |mv: &&Move| self.distance(&position.after(**mv)) == Some(expected(plies - 1));
            let candidates: Vec<Move> = legal.iter().filter(keeps_distance).copied().collect();
            return candidates.into_iter().any(|mv| self.step(position, mv, plies, &[], moves));
        }
        if plies > PROOF_PLIES {
            return false;
        }
        // The defender takes the longest way: no reply after which the mate comes sooner.
        let is_move = |child: &Position| match plies % 2 {
            1 => self.is_mated_within(child, plies - 1),
            _ => self.mates_within(child, plies - 1) && (plies < 4 || !self.mates_within(child, plies - 3)),
        };
        let candidates: Vec<Move> =
            legal.iter().copied().filter(|&mv| is_move(&position.after(mv))).collect();
        candidates.into_iter().any(|mv| self.step(position, mv, plies, &[], moves))
    }

    /// Appends `mv` and the line after it.
    fn step(&self, position: &Position, mv: Move, plies: u16, pv: &[Move], moves: &mut Vec<Move>) -> bool {
        let length = moves.len();
        moves.push(mv);
        let is_complete = self.extend(&position.after(mv), plies - 1, pv, moves);
        if !is_complete {
            moves.truncate(length);
        }
        is_complete
    }

    /// Returns the table value; `None` after the deadline, since a table may have to be decoded, and where a
    /// repetition may change it.
    fn outcome(&self, position: &Position) -> Option<Outcome> {
        if self.is_late() || !self.repeated.is_empty() { None } else { self.tables.outcome(position) }
    }

    /// Returns the table value, with mate and stalemate counted as known.
    fn distance(&self, position: &Position) -> Option<Outcome> {
        if position.has_legal_move() {
            self.outcome(position)
        } else {
            Some(if position.is_check() { Outcome::Loss(0) } else { Outcome::Draw })
        }
    }

    /// Whether the side to move gives mate within `plies`, which is odd. False when the budget is used
    /// up.
    fn mates_within(&self, position: &Position, plies: u16) -> bool {
        if let Some(outcome) = self.outcome(position) {
            return matches!(outcome, Outcome::Win(distance) if distance <= plies);
        }
        self.may_visit()
            && !self.repeated.contains(&position.key())
            && position.legal_moves().iter().any(|&mv| self.is_mated_within(&position.after(mv), plies - 1))
    }

    /// Whether all moves of the side to move lose to a mate within `plies`, an even number.
    fn is_mated_within(&self, position: &Position, plies: u16) -> bool {
        if !position.has_legal_move() {
            return position.is_check();
        }
        if plies == 0 {
            return false;
        }
        if let Some(outcome) = self.outcome(position) {
            return matches!(outcome, Outcome::Loss(distance) if distance <= plies);
        }
        self.may_visit()
            && !self.repeated.contains(&position.key())
            && position.legal_moves().iter().all(|&mv| self.mates_within(&position.after(mv), plies - 1))
    }

    fn may_visit(&self) -> bool {
        let budget = if self.is_late() { &self.late_budget } else { &self.budget };
        let left = budget.get();
        budget.set(left.saturating_sub(1));
        left > 0
    }

    fn has_fifty_moves(&self) -> bool {
        self.tables.usage.has_fifty_moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::TableUse;

    /// Completes the line of a mate in two moves after its first move.
    fn completed(lines: &mut MateLines, tables: &Tablebases) -> Option<Vec<Move>> {
        let game = Game::new(Position::from_fen("7k/8/5K2/8/8/8/8/Q7 w - - 0 1").expect("a position"));
        let first = game.position().parse_uci("f6f7").expect("a legal move");
        lines.complete(tables, &game, &[first], 3)
    }

    #[test]
    fn no_table_is_probed_after_the_time_limit() {
        let usage = TableUse { has_embedded: true, ..TableUse::default() };
        let embedded = Tablebases { usage, ..Tablebases::default() };
        let mut late = MateLines::new(Some(Duration::ZERO));
        late.late_budget = 0;
        assert_eq!(completed(&mut late, &embedded), None);
        assert!(late.failed.is_empty(), "nothing is known about the line");
        late.time_left = None;
        let line = completed(&mut late, &embedded).expect("a mate in two");
        assert_eq!(line.len(), 3);
        // A completed line takes no more time.
        late.time_left = Some(Duration::ZERO);
        assert_eq!(completed(&mut late, &embedded), Some(line));
    }

    #[test]
    fn proof_search_visits_a_few_positions_after_the_time_limit() {
        let mut late = MateLines::new(Some(Duration::ZERO));
        assert_eq!(completed(&mut late, &Tablebases::default()).map(|line| line.len()), Some(3));
        let left = late.late_budget;
        assert!(left < LATE_BUDGET && LATE_BUDGET - left < 100, "{left}");
    }

    #[test]
    fn completed_lines_use_up_the_time() {
        let mut lines = MateLines::new(Some(Duration::MAX));
        assert!(completed(&mut lines, &Tablebases::default()).is_some());
        assert!(lines.time_left.is_some_and(|left| left < Duration::MAX));
    }
}
