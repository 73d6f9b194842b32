//! One round of the analysis: the positions won or lost in a number of plies.

use rayon::prelude::*;
use stretto::tablebase::Outcome;
use stretto::types::{Bitboard, Color};

use super::super::codes::{DRAW, WIN_IN_ONE};
use super::Generator;
use super::state::Slice;

/// A round with the codes of its wins and losses for a side to move.
#[derive(Clone, Copy)]
struct Round {
    number: u16,
    win: u8,
    loss: u8,
}

impl Generator<'_> {
    /// Returns whether this or a later round can still change anything.
    pub(super) fn is_open(&self, round: u16) -> bool {
        let has_fresh =
            |side| self.is_any(side, |frozen| &frozen.won) || self.is_any(side, |frozen| &frozen.lost);
        round <= self.last_scheduled || Color::ALL.into_iter().any(has_fresh)
    }

    /// Computes all positions won or lost in a round; `None` if there are too many values.
    pub(super) fn round(&mut self, number: u16) -> Option<()> {
        let rounds = Color::ALL.map(|side| self.begin_round(number, side));
        let mut slices = std::mem::take(&mut self.slices);
        let this = &*self;
        for side in Color::ALL {
            slices[side.index()].par_iter_mut().enumerate().for_each_init(
                || vec![0_u64; this.index.rows_in_slice()],
                |words, (number, slice)| {
                    this.process_slice(number, slice, side, rounds[side.index()].0, words);
                },
            );
        }
        self.slices = slices;
        self.publish();
        let is_uncoded = |side: Color| {
            let [is_win_spare, is_loss_spare] = rounds[side.index()].1;
            is_win_spare && self.is_any(side, |frozen| &frozen.won)
                || is_loss_spare && self.is_any(side, |frozen| &frozen.lost)
        };
        (!Color::ALL.into_iter().any(is_uncoded)).then_some(())
    }

    /// Assigns the codes of a round for a side to move. Returns also whether those of wins and losses are spare.
    ///
    /// Codes are assigned only when needed, since there are 256. The longest five-piece tables use all of
    /// them, and one more may seem needed in the round after. It is replaced by another code, which no
    /// position may then get: a spare one.
    fn begin_round(&mut self, number: u16, side: Color) -> (Round, [bool; 2]) {
        let (win, loss) = (Outcome::Win(number), Outcome::Loss(number));
        let (has_won, has_lost) =
            (self.is_any(!side, |frozen| &frozen.won), self.is_any(!side, |frozen| &frozen.lost));
        let steps = self.slices[side.index()].iter().flat_map(|slice| &slice.passing);
        let (mut wins_by_answer, mut loses_by_answer) = (false, false);
        for value in steps.filter_map(|(_, step)| step.answer.map(Outcome::before)) {
            wins_by_answer |= value == win;
            loses_by_answer |= value == loss;
        }
        let codes = &mut self.codes[side.index()];
        let mut code = |outcome: Outcome, is_needed: bool| match codes.of(outcome) {
            Some(code) => (code, false),
            None if !is_needed => (DRAW, false),
            None => codes.assign(outcome).map_or((WIN_IN_ONE, true), |code| (code, false)),
        };
        let (win, is_win_spare) = code(win, has_lost || wins_by_answer);
        let (loss, is_loss_spare) = code(loss, has_won || loses_by_answer);
        (Round { number, win, loss }, [is_win_spare, is_loss_spare])
    }

    /// Runs one round on one slice for one side to move.
    fn process_slice(&self, number: usize, slice: &mut Slice, side: Color, round: Round, words: &mut [u64]) {
        if round.win != DRAW {
            if self.predecessors(number, side, |frozen| &frozen.lost, words) {
                self.win_all(number, slice, side, round, words);
            }
            self.win_by_conversion(number, slice, side, round);
        }
        if self.has_en_passant {
            self.win_by_double_step(number, slice, side, round);
        }
        if round.loss != DRAW {
            let is_any = self.predecessors(number, side, |frozen| &frozen.won, words);
            if self.add_double_step_candidates(slice, side, round, words, is_any) {
                self.lose_all(number, slice, side, round, words);
            }
            self.lose_by_conversion(slice, round);
        }
    }

    /// Marks the open entries of `words` as wins of this round.
    fn win_all(&self, number: usize, slice: &mut Slice, side: Color, round: Round, words: &[u64]) {
        let open = &self.frozen[side.index()][number].open;
        for (within, (&word, &open)) in words.iter().zip(open).enumerate() {
            if word & open != 0 {
                self.enter_wins(slice, within, word & open, round.win);
            }
        }
    }

    fn enter_wins(&self, slice: &mut Slice, within: usize, won: u64, code: u8) {
        slice.won.add(within, won, self.index.rows_in_slice());
        slice.may_lose[within] &= !won;
        let start = within * self.index.row_len();
        for square in Bitboard(won) {
            slice.values[start + square.index() - self.index.first_square()] = code;
        }
    }

    /// Collects wins by conversions that were initialized with this distance and not replaced by a
    /// shorter one.
    fn win_by_conversion(&self, number: usize, slice: &mut Slice, side: Color, round: Round) {
        if !slice.scheduled[usize::from(round.win)] {
            return;
        }
        let open = &self.frozen[side.index()][number].open;
        let (len, open_rows) = (self.index.row_len(), open.len());
        for (within, &open) in open.iter().enumerate() {
            let values = &slice.values[within * len..][..len];
            let mut found = 0;
            for place in memchr::memchr_iter(round.win, values) {
                found |= 1 << (place + self.index.first_square());
            }
            found &= open;
            if found != 0 {
                slice.won.add(within, found, open_rows);
            }
        }
    }

    /// Enters wins by double steps that may be answered en passant and win in either case.
    fn win_by_double_step(&self, number: usize, slice: &mut Slice, side: Color, round: Round) {
        let open = &self.frozen[side.index()][number].open;
        let steps = std::mem::take(&mut slice.passing);
        for &(within, step) in &steps {
            let within = within as usize;
            let bit = 1 << step.last.index();
            if open[within] & bit == 0 {
                continue;
            }
            let (frozen, after) = self.frozen(!side, step.row);
            let is_fresh = frozen.lost.has(after, step.last_after);
            let is_won = match step.answer {
                None => is_fresh,
                Some(Outcome::Loss(plies)) if plies + 1 < round.number => is_fresh,
                Some(Outcome::Loss(plies)) => {
                    plies + 1 == round.number && frozen.is_ever_lost(after, step.last_after)
                }
                Some(_) => false,
            };
            if is_won {
                self.enter_wins(slice, within, bit, round.win);
            }
        }
        slice.passing = steps;
    }

    /// Adds the candidates whose double step has a known answer. Returns whether there are any
    /// candidates.
    fn add_double_step_candidates(
        &self,
        slice: &Slice,
        side: Color,
        round: Round,
        words: &mut [u64],
        is_any: bool,
    ) -> bool {
        let mut is_begun = is_any;
        for (within, step) in &slice.passing {
            let (frozen, after) = self.frozen(!side, step.row);
            let is_fresh = frozen.won.has(after, step.last_after);
            let is_answered = matches!(step.answer, Some(Outcome::Win(plies)) if plies + 1 == round.number);
            if is_fresh || is_answered {
                if !is_begun {
                    words.fill(0);
                    is_begun = true;
                }
                words[*within as usize] |= 1 << step.last.index();
            }
        }
        is_begun
    }

    /// Enters losses: candidates without an escape.
    fn lose_all(&self, number: usize, slice: &mut Slice, side: Color, round: Round, words: &mut [u64]) {
        for (within, step) in &slice.passing {
            let (frozen, after) = self.frozen(!side, step.row);
            let is_escape = frozen.open[after] >> step.last_after.index() & 1 != 0
                && !matches!(step.answer, Some(Outcome::Win(plies)) if plies < round.number);
            if is_escape {
                words[*within as usize] &= !(1 << step.last.index());
            }
        }
        let len = self.index.row_len();
        for (within, &word) in words.iter().enumerate() {
            let candidates = word & slice.may_lose[within];
            if candidates == 0 {
                continue;
            }
            let Some(row) = self.index.row(number * words.len() + within) else { continue };
            let lost = self.without_escape(&row, side, Bitboard(candidates));
            slice.may_lose[within] &= !lost.0;
            for square in lost {
                let value = &mut slice.values[within * len + square.index() - self.index.first_square()];
                match self.codes[side.index()].outcome(*value) {
                    Outcome::Loss(plies) if plies > round.number => {
                        slice.delayed_losses.add(within, 1 << square.index(), words.len());
                    }
                    _ => {
                        *value = round.loss;
                        slice.lost.add(within, 1 << square.index(), words.len());
                    }
                }
            }
        }
    }

    /// Enters the losses that a conversion has delayed until this round.
    fn lose_by_conversion(&self, slice: &mut Slice, round: Round) {
        if !slice.scheduled[usize::from(round.loss)] {
            return;
        }
        let (len, rows) = (self.index.row_len(), slice.delayed_losses.0.len());
        for within in 0..rows {
            for square in Bitboard(slice.delayed_losses.0[within]) {
                if slice.values[within * len + square.index() - self.index.first_square()] == round.loss {
                    slice.delayed_losses.0[within] &= !(1 << square.index());
                    slice.lost.add(within, 1 << square.index(), rows);
                }
            }
        }
    }
}
