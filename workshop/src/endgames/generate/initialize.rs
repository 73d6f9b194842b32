//! Initialization: the value of every position from its legality, its captures and its promotions.

use rayon::prelude::*;
use stretto::tablebase::{Outcome, Row};
use stretto::types::{Bitboard, Color, Square};

use super::super::codes::{DRAW, WIN_IN_ONE};
use super::super::conversions::best_conversions;
use super::super::en_passant::en_passant_steps;
use super::super::link::Links;
use super::super::pawn_moves::best_pawn_moves;
use super::super::value::plies;
use super::Generator;
use super::state::Slice;

impl Generator<'_> {
    /// Initializes every position; `None` if there are too many values.
    pub(super) fn initialize(&mut self, links: &Links<'_>) -> Option<()> {
        // Codes are assigned in advance because several threads use them: every distance that can
        // occur initially.
        let outcomes = self.initial_outcomes(links);
        for codes in &mut self.codes {
            codes.assign(Outcome::Loss(0))?;
            outcomes.iter().try_for_each(|&outcome| codes.assign(outcome).map(|_| ()))?;
        }
        for side in Color::ALL {
            let look = |slice: usize| self.initialize_slice(slice, side, links);
            self.slices[side.index()] = (0..self.index.slices()).into_par_iter().map(look).collect();
        }
        let slices = Color::ALL
            .iter()
            .flat_map(|&side| self.slices[side.index()].iter().map(move |slice| (side, slice)));
        self.last_scheduled = slices.map(|(side, slice)| self.last_scheduled_of(side, slice)).max()?;
        self.publish();
        Some(())
    }

    /// Returns every outcome that can be entered during initialization.
    fn initial_outcomes(&self, links: &Links<'_>) -> Vec<Outcome> {
        let mut found = links.outcomes(self.metric);
        if self.classes.is_some() {
            found.extend([Outcome::Win(1), Outcome::Loss(1)]);
        }
        found
    }

    fn last_scheduled_of(&self, side: Color, slice: &Slice) -> u16 {
        let entered = self.codes[side.index()]
            .outcomes()
            .iter()
            .zip(slice.scheduled)
            .filter(|(_, is_scheduled)| *is_scheduled);
        let entered = entered.map(|(outcome, _)| plies(*outcome));
        let answers = slice.passing.iter().filter_map(|(_, step)| step.answer);
        entered.chain(answers.map(|answer| plies(answer) + 1)).max().unwrap_or(0)
    }

    fn initialize_slice(&self, number: usize, side: Color, links: &Links<'_>) -> Slice {
        let rows = self.index.rows_in_slice();
        let mut slice = Slice::new(rows, self.index.slice_len());
        for within in 0..rows {
            if let Some(row) = self.index.row(number * rows + within) {
                self.initialize_row(&row, within, side, links, &mut slice);
            }
        }
        slice
    }

    fn initialize_row(
        &self,
        row: &Row<'_>,
        within: usize,
        side: Color,
        links: &Links<'_>,
        slice: &mut Slice,
    ) {
        let (legal, check, rows) = (row.legal(side), row.checks(side), self.index.rows_in_slice());
        let mut best = best_conversions(row, links, side);
        if let Some(classes) = self.classes {
            best_pawn_moves(row, side, classes, links, &mut best);
        }
        let mut has_no_escape = self.without_escape(row, side, legal);
        if self.has_en_passant {
            let legal_after = |row| {
                let (frozen, within) = self.frozen(!side, row);
                Bitboard(frozen.open[within])
            };
            for step in en_passant_steps(row, links, side, legal_after) {
                if step.is_forced {
                    let value = &mut best[step.last.index()];
                    *value = step.value(Outcome::Draw).max(*value);
                } else {
                    has_no_escape &= !Bitboard::from(step.last);
                    slice.passing.push((within as u32, step));
                }
            }
        }
        let values = &mut slice.values[within * self.index.row_len()..][..self.index.row_len()];
        for square in Square::all().skip(self.index.first_square()).take(values.len()) {
            let value = &mut values[square.index() - self.index.first_square()];
            let bit = 1 << square.index();
            if !legal.has(square) {
                *value = WIN_IN_ONE;
                continue;
            }
            let outcome = best[square.index()].outcome();
            let is_forced = has_no_escape.has(square);
            match outcome {
                None if !is_forced => slice.may_lose[within] |= bit,
                None if check.has(square) => {
                    *value = self.code(side, Outcome::Loss(0));
                    slice.lost.add(within, bit, rows);
                }
                None | Some(Outcome::Draw) => {}
                Some(decisive) => {
                    *value = self.code(side, decisive);
                    slice.scheduled[usize::from(*value)] = true;
                    match decisive {
                        Outcome::Loss(_) if is_forced => slice.delayed_losses.add(within, bit, rows),
                        Outcome::Loss(_) => slice.may_lose[within] |= bit,
                        _ => {}
                    }
                }
            }
        }
    }

    #[inline]
    fn code(&self, side: Color, outcome: Outcome) -> u8 {
        let code = self.codes[side.index()].of(outcome);
        debug_assert!(code.is_some(), "no code for {outcome}");
        code.unwrap_or(DRAW)
    }
}
