//! Adjudication by scores and length: a pure function of the scores reported so far.

use crate::play::adjudication::{Adjudication, DrawRule, WinRule};
use crate::play::record::{GameResult, Side, Termination};

/// The running counts of the adjudication rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Adjudicator {
    rules: Adjudication,
    /// Moves in a row with a score of `-score` or worse. Shape: White, Black.
    losing: [u32; 2],
    /// Moves in a row with a score of `score` or better. Shape: White, Black.
    winning: [u32; 2],
    /// Plies in a row with a score near 0.
    level: u32,
    /// Number of plies played.
    plies: u32,
}

/// A move as the rules of adjudication see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JudgedMove {
    pub side: Side,
    /// Score that the engine of `side` reported. Units: centipawns.
    pub score: Option<i32>,
    /// Number of the move in the game.
    pub full_move: u32,
    /// Whether it is a capture or a pawn move.
    pub is_irreversible: bool,
}

impl Adjudicator {
    pub(crate) fn new(rules: Adjudication) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Counts a move, and returns the verdict if a rule applies. A move without a score
    /// restarts the draw count and the win counts of its side.
    pub(crate) fn judge(&mut self, played: JudgedMove) -> Option<(GameResult, Termination)> {
        self.plies += 1;
        let JudgedMove { side, score, .. } = played;
        let winner = self.rules.win.and_then(|rule| self.judge_win(rule, side, score));
        let is_draw = self.rules.draw.is_some_and(|rule| self.judge_draw(rule, played));
        if let Some(result) = winner {
            return Some((result, Termination::AdjudicatedWin));
        }
        if is_draw {
            return Some((GameResult::Draw, Termination::AdjudicatedDraw));
        }
        let limit = self.rules.max_moves?.get();
        // Both sides have had the same number of moves.
        (self.plies >= limit.saturating_mul(2)).then_some((GameResult::Draw, Termination::MaxMoves))
    }

    fn judge_win(&mut self, rule: WinRule, side: Side, score: Option<i32>) -> Option<GameResult> {
        let bar = i32::try_from(rule.score).unwrap_or(i32::MAX);
        let count = |row: &mut u32, holds: bool| *row = if holds { *row + 1 } else { 0 };
        count(&mut self.losing[side.index()], score.is_some_and(|score| score <= -bar));
        count(&mut self.winning[side.index()], score.is_some_and(|score| score >= bar));
        let moves = rule.moves.get();
        let loser = [side, side.other()].into_iter().find(|&loser| {
            let agrees = !rule.two_sided || self.winning[loser.other().index()] >= moves;
            self.losing[loser.index()] >= moves && agrees
        })?;
        Some(GameResult::won_by(loser.other()))
    }

    fn judge_draw(&mut self, rule: DrawRule, played: JudgedMove) -> bool {
        let is_level = played.score.is_some_and(|score| score.unsigned_abs() <= rule.score);
        // The irreversible move itself is the first of the new count.
        let before = if rule.irreversible_restarts && played.is_irreversible { 0 } else { self.level };
        self.level = if is_level { before + 1 } else { 0 };
        played.full_move >= rule.from_move && self.level >= rule.moves.get().saturating_mul(2)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn moves(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    /// Feeds scores in turn, White first, with a capture at `capture`, a ply from 1. Returns the ply
    /// that decided, from 1.
    fn run_with_capture(
        rules: Adjudication,
        scores: &[Option<i32>],
        capture: usize,
    ) -> Option<(usize, GameResult, Termination)> {
        let mut judge = Adjudicator::new(rules);
        scores.iter().enumerate().find_map(|(ply, &score)| {
            let side = if ply % 2 == 0 { Side::White } else { Side::Black };
            let (full_move, is_irreversible) = ((ply / 2 + 1) as u32, ply + 1 == capture);
            let verdict = judge.judge(JudgedMove { side, score, full_move, is_irreversible })?;
            Some((ply + 1, verdict.0, verdict.1))
        })
    }

    fn run(rules: Adjudication, scores: &[Option<i32>]) -> Option<(usize, GameResult, Termination)> {
        run_with_capture(rules, scores, 0)
    }

    #[test]
    fn one_side_resigns_alone_only_if_allowed() {
        let rule = WinRule { score: 500, moves: moves(2), two_sided: false };
        let one = Adjudication { win: Some(rule), ..Adjudication::default() };
        let two = Adjudication { win: Some(WinRule { two_sided: true, ..rule }), ..Adjudication::default() };
        let scores = [20, -500, 30, -700, 600, -800, 900].map(Some);
        assert_eq!(run(one, &scores), Some((4, GameResult::White, Termination::AdjudicatedWin)));
        assert_eq!(run(two, &scores), Some((7, GameResult::White, Termination::AdjudicatedWin)));
        let broken = [Some(20), Some(-500), Some(30), None, Some(600), Some(-800), Some(900)];
        assert_eq!(run(one, &broken), None);
    }

    #[test]
    fn draws_need_both_sides_and_the_move_number() {
        let rule = DrawRule { from_move: 4, moves: moves(2), score: 10, irreversible_restarts: false };
        let rules = Adjudication { draw: Some(rule), ..Adjudication::default() };
        assert_eq!(run(rules, &[Some(0); 12]).unwrap().0, 7);
        let late = [90, 0, 0, 0, 0, 0, -11, 10, -10, 5, 0].map(Some);
        assert_eq!(run(rules, &late).unwrap().0, 11);
    }

    #[test]
    fn level_scores_around_a_capture_are_no_draw_if_it_restarts_the_count() {
        let rule = DrawRule { from_move: 1, moves: moves(2), score: 10, irreversible_restarts: false };
        let plain = Adjudication { draw: Some(rule), ..Adjudication::default() };
        let rule = DrawRule { irreversible_restarts: true, ..rule };
        let restarting = Adjudication { draw: Some(rule), ..Adjudication::default() };
        let level = [Some(0); 6];
        assert_eq!(run_with_capture(plain, &level, 3).map(|end| end.0), Some(4));
        assert_eq!(run_with_capture(restarting, &level[..5], 3), None);
        assert_eq!(run_with_capture(restarting, &level, 3).map(|end| end.0), Some(6));
        let unequal = [0, 0, 90, 0, 0, 0].map(Some);
        assert_eq!(run_with_capture(restarting, &unequal, 3), None, "a capture without a level score");
    }

    #[test]
    fn long_games_are_drawn() {
        let rules = Adjudication { max_moves: Some(moves(3)), ..Adjudication::default() };
        let end = run(rules, &[None; 10]);
        assert_eq!(end, Some((6, GameResult::Draw, Termination::MaxMoves)));
    }
}
