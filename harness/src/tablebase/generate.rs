//! Retrograde analysis of one table.
//!
//! First every position is looked at once: is it legal, is it mate, and what do captures and promotions lead to, all of
//! which tables made before know. Then plies are counted up. In round `n`, whoever can move to a position lost in `n - 1` wins
//! in `n`; and who could move to a position won in `n - 1` may be lost in `n`, which looking at all his moves decides.
//! A win by a capture is entered at once with its distance, and takes effect when the rounds get there unless a shorter
//! one is found before; so does a loss that a capture puts off. What has no value when nothing changes any more is drawn.
//!
//! Positions are worked on by rows, a word at a time (`steps`). Threads share the slices of a table: each writes only to its
//! own, and reads of the others what earlier rounds have settled. So the table comes out the same for any number of
//! threads.
//!
//! Sources: K. Thompson, "Retrograde Analysis of Certain Endgames" (1986); confirming candidates by a look forward, instead of
//! counting moves, is how R. de Man's Syzygy generator works; sets of positions in words are after M. Bourzutschky's and Y.
//! Konoval's accounts of theirs.

use rayon::prelude::*;
use stretto::tablebase::{Index, Material, Metric, Outcome, Row, Symmetry};
use stretto::types::{Bitboard, Color, PieceType, Square};
use thiserror::Error;

use super::codes::{Codes, DRAW, WIN_IN_ONE};
use super::conversions::best_conversions;
use super::link::Links;
use super::passing::{Passing, passing_steps};
use super::pawn_moves::{Classes, best_pawn_moves};
use super::steps::{
    KingSteps, fixed_passing, fixed_passing_before, fixed_steps, fixed_unsteps, last_origins, last_passing,
    last_targets, row_after_king,
};
use super::table::{Table, Tables};
use crate::cancel::Cancel;

/// Why a table, or the side to move that its file leaves out, was not made or checked.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// One it leads to is not there.
    #[error("{table} leads to {missing}, which is not there")]
    Missing {
        /// The table asked for.
        table: Material,
        /// The one that is missing.
        missing: Material,
    },
    /// One byte does not hold its values.
    #[error("{table} has more than 256 different values")]
    TooManyValues {
        /// The table asked for.
        table: Material,
    },
    /// A stop was asked for.
    #[error("stopped on request")]
    Cancelled,
}

/// Makes the table of these men. Those it leads to must be there.
pub fn generate(
    material: Material,
    metric: Metric,
    tables: &Tables,
    cancel: &Cancel,
) -> Result<Table, GenerateError> {
    let (index, classes) = (Index::new(material), classes(material, metric, tables, cancel)?);
    Maker::begun(&index, metric, classes.as_ref(), tables)?.run(cancel)
}

/// The same. `release` lets go of what only this table has asked for, as soon as that is done: well before the end, when most
/// memory is needed.
pub fn generate_releasing(
    material: Material,
    metric: Metric,
    tables: &mut Tables,
    release: impl FnOnce(&mut Tables),
    cancel: &Cancel,
) -> Result<Table, GenerateError> {
    let (index, classes) = (Index::new(material), classes(material, metric, tables, cancel)?);
    let maker = Maker::begun(&index, metric, classes.as_ref(), tables)?;
    release(tables);
    maker.run(cancel)
}

/// Who wins, where that has to be known before: a move of a pawn within the table may end the count.
fn classes(
    material: Material,
    metric: Metric,
    tables: &Tables,
    cancel: &Cancel,
) -> Result<Option<Classes>, GenerateError> {
    if metric != Metric::Dtz || !material.has_pawns() {
        return Ok(None);
    }
    let index = Index::new(material);
    let table = Maker::begun(&index, Metric::Dtc, None, tables)?.run(cancel)?;
    Ok(Some(Classes::of(&table)))
}

/// Sets of positions of a slice: words by row, and none as long as nothing is in them.
#[derive(Default)]
struct Marks(Vec<u64>);

impl Marks {
    #[inline]
    fn add(&mut self, within: usize, squares: u64, rows: usize) {
        if self.0.is_empty() {
            self.0 = vec![0; rows];
        }
        self.0[within] |= squares;
    }

    #[inline]
    fn has(&self, within: usize, last: Square) -> bool {
        self.0.get(within).is_some_and(|word| word >> last.index() & 1 != 0)
    }

    fn is_any(&self) -> bool {
        !self.0.is_empty()
    }
}

/// What the threads may read of a slice, for one side to move. Words are by row.
struct Settled {
    /// Legal positions not won so far: a way out for the other side.
    open: Vec<u64>,
    /// Won in the round before.
    won: Marks,
    /// Lost in the round before.
    lost: Marks,
    /// Lost in any round before; kept only where double steps may be answered in passing.
    been_lost: Vec<u64>,
}

/// What one thread writes of a slice, for one side to move.
struct Slice {
    /// Codes by place. Of a position not decided yet: the win that a conversion brings, the loss that conversions put off, or
    /// nothing.
    values: Vec<u8>,
    /// Positions not decided whose conversions do not save them.
    may_lose: Vec<u64>,
    /// Positions that have nothing left but a conversion, and lose in the round it says.
    doomed: Marks,
    won: Marks,
    lost: Marks,
    /// By code: was it entered at first, to take effect in its round?
    ahead: [bool; 256],
    /// Steps that may be answered in passing.
    passing: Vec<(u32, Passing)>,
}

struct Maker<'a> {
    index: &'a Index,
    metric: Metric,
    classes: Option<&'a Classes>,
    kings: KingSteps,
    codes: Codes,
    settled: [Vec<Settled>; 2],
    slices: [Vec<Slice>; 2],
    has_passing: bool,
    /// The last round in which something entered at first takes effect.
    last_ahead: u16,
}

/// A round, and the codes of what is won and lost in it.
#[derive(Clone, Copy)]
struct Round {
    number: u16,
    win: u8,
    loss: u8,
}

impl<'a> Maker<'a> {
    /// Every position looked at once. What it leads to is not asked for after that.
    fn begun(
        index: &'a Index,
        metric: Metric,
        classes: Option<&'a Classes>,
        tables: &Tables,
    ) -> Result<Self, GenerateError> {
        let table = index.material();
        let links =
            Links::new(index, tables, metric).map_err(|missing| GenerateError::Missing { table, missing })?;
        let mut maker = Self::new(index, metric, classes);
        maker.look_at_all(&links).ok_or(GenerateError::TooManyValues { table })?;
        Ok(maker)
    }

    /// All rounds.
    fn run(mut self, cancel: &Cancel) -> Result<Table, GenerateError> {
        let table = self.index.material();
        let mut round = 1;
        while self.is_open(round) {
            if cancel.is_cancelled() {
                return Err(GenerateError::Cancelled);
            }
            self.round(round).ok_or(GenerateError::TooManyValues { table })?;
            round += 1;
        }
        Ok(self.finish())
    }

    fn new(index: &'a Index, metric: Metric, classes: Option<&'a Classes>) -> Self {
        let rows = index.rows_in_slice();
        // A step of a pawn ends the count where there are classes: no pawn moves within the table then.
        let has_passing = index.material().has_pawns_on_both_sides() && classes.is_none();
        let settled = Color::ALL.map(|side| {
            let of = |slice: usize| Settled {
                open: (slice * rows..(slice + 1) * rows)
                    .map(|number| index.row(number).map_or(0, |row| row.legal(side).0))
                    .collect(),
                won: Marks::default(),
                lost: Marks::default(),
                been_lost: if has_passing { vec![0; rows] } else { Vec::new() },
            };
            (0..index.slices()).into_par_iter().map(of).collect()
        });
        let kings = KingSteps::new(index);
        let slices = [Vec::new(), Vec::new()];
        let codes = Codes::new();
        Self { index, metric, classes, kings, codes, settled, slices, has_passing, last_ahead: 0 }
    }

    /// Looks at every position once; `None` if there are too many values.
    fn look_at_all(&mut self, links: &Links<'_>) -> Option<()> {
        // Codes are given out beforehand, since many threads write them: every distance that can be met at first.
        self.codes.give(Outcome::Loss(0))?;
        for outcome in self.first_distances(links) {
            self.codes.give(outcome)?;
        }
        for side in Color::ALL {
            let look = |slice: usize| self.first_look(slice, side, links);
            self.slices[side.index()] = (0..self.index.slices()).into_par_iter().map(look).collect();
        }
        self.last_ahead = self.slices.iter().flatten().map(|slice| self.last_ahead_of(slice)).max()?;
        self.publish();
        Some(())
    }

    /// Every outcome that is entered at first.
    fn first_distances(&self, links: &Links<'_>) -> Vec<Outcome> {
        let mut found = links.outcomes(self.metric);
        if self.classes.is_some() {
            found.extend([Outcome::Win(1), Outcome::Loss(1)]);
        }
        found
    }

    fn last_ahead_of(&self, slice: &Slice) -> u16 {
        let entered = self.codes.outcomes().iter().zip(slice.ahead).filter(|(_, is_ahead)| *is_ahead);
        let entered = entered.map(|(outcome, _)| plies(*outcome));
        let answers = slice.passing.iter().filter_map(|(_, step)| step.answer);
        entered.chain(answers.map(|answer| plies(answer) + 1)).max().unwrap_or(0)
    }

    /// Where a row of one slice is kept.
    #[inline]
    fn settled(&self, side: Color, row: usize) -> (&Settled, usize) {
        let rows = self.index.rows_in_slice();
        (&self.settled[side.index()][row / rows], row % rows)
    }

    /// The squares of the last man with which a step of a fixed man is not one that may be answered in passing.
    #[inline]
    fn plain(&self, row: &Row<'_>, place: usize, to: Square) -> Bitboard {
        if self.has_passing { !fixed_passing(row, place, to) } else { Bitboard::ALL }
    }

    /// Do the moves of this man stay in the table without ending the count?
    #[inline]
    fn is_counted(&self, row: &Row<'_>, place: usize) -> bool {
        self.classes.is_none() || row.piece(place).kind != PieceType::Pawn
    }

    /// Of these squares of the last man, those with which a side has no move to an open position of the other side.
    fn without_way_out(&self, row: &Row<'_>, side: Color, mut squares: Bitboard) -> Bitboard {
        let other = !side;
        fixed_steps(row, side, |place, to, after, between| {
            if self.is_counted(row, place) {
                let (settled, within) = self.settled(other, after);
                squares &= !(Bitboard(settled.open[within]) & !between & self.plain(row, place, to));
            }
            squares.any()
        });
        for &step in self.kings.of(side, row.slice()) {
            if squares.is_empty() {
                return squares;
            }
            let open = self.settled[other.index()][step.slice].open[row_after_king(self.index, row, step)];
            squares &= !step.symmetry.brought_into(Bitboard(open));
        }
        let last = row.men().len();
        if row.last().color == side && squares.any() && self.is_counted(row, last) {
            let (settled, within) = self.settled(other, row.number());
            let open = Bitboard(settled.open[within]);
            let passing = if self.has_passing { last_passing(row) } else { Bitboard::EMPTY };
            for from in squares {
                let mut to = last_targets(row, from) & open;
                if (to & passing).any() {
                    to &= !(passing & double_step(from));
                }
                if to.any() {
                    squares &= !Bitboard::from(from);
                }
            }
        }
        squares
    }

    fn first_look(&self, number: usize, side: Color, links: &Links<'_>) -> Slice {
        let rows = self.index.rows_in_slice();
        let mut slice = Slice::new(rows, self.index.slice_len());
        for within in 0..rows {
            if let Some(row) = self.index.row(number * rows + within) {
                self.look_at_row(&row, within, side, links, &mut slice);
            }
        }
        slice
    }

    fn look_at_row(&self, row: &Row<'_>, within: usize, side: Color, links: &Links<'_>, slice: &mut Slice) {
        let (legal, check, rows) = (row.legal(side), row.checks(side), self.index.rows_in_slice());
        let mut best = best_conversions(row, links, side);
        if let Some(classes) = self.classes {
            best_pawn_moves(row, side, classes, links, &mut best);
        }
        let mut is_stuck = self.without_way_out(row, side, legal);
        if self.has_passing {
            let legal_after = |row| {
                let (settled, within) = self.settled(!side, row);
                Bitboard(settled.open[within])
            };
            for step in passing_steps(row, links, side, legal_after) {
                if step.is_forced {
                    let worth = &mut best[step.last.index()];
                    *worth = step.worth(Outcome::Draw).max(*worth);
                } else {
                    is_stuck &= !Bitboard::from(step.last);
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
            let has_nothing_else = is_stuck.has(square);
            match outcome {
                None if !has_nothing_else => slice.may_lose[within] |= bit,
                None if check.has(square) => {
                    *value = self.code(Outcome::Loss(0));
                    slice.lost.add(within, bit, rows);
                }
                None | Some(Outcome::Draw) => {}
                Some(decisive) => {
                    *value = self.code(decisive);
                    slice.ahead[usize::from(*value)] = true;
                    match decisive {
                        Outcome::Loss(_) if has_nothing_else => slice.doomed.add(within, bit, rows),
                        Outcome::Loss(_) => slice.may_lose[within] |= bit,
                        _ => {}
                    }
                }
            }
        }
    }

    #[inline]
    fn code(&self, outcome: Outcome) -> u8 {
        let code = self.codes.of(outcome);
        debug_assert!(code.is_some(), "{outcome} was not foreseen");
        code.unwrap_or(DRAW)
    }

    /// Can this round, or a later one, still change anything?
    fn is_open(&self, round: u16) -> bool {
        round <= self.last_ahead
            || self.is_any(|settled| &settled.won)
            || self.is_any(|settled| &settled.lost)
    }

    /// All positions won or lost in a round; `None` if there are too many values.
    fn round(&mut self, number: u16) -> Option<()> {
        let (win, loss) = (Outcome::Win(number), Outcome::Loss(number));
        let (has_won, has_lost) = (self.is_any(|settled| &settled.won), self.is_any(|settled| &settled.lost));
        let steps = self.slices.iter().flatten().flat_map(|slice| &slice.passing);
        let answers = steps.filter_map(|(_, step)| step.answer.map(Outcome::before));
        let (mut wins_by_answer, mut loses_by_answer) = (false, false);
        for worth in answers {
            wins_by_answer |= worth == win;
            loses_by_answer |= worth == loss;
        }
        // Only codes that may be needed: there are 256. The longest of five men take them all, and then one more may be needed in
        // the round after them: it is taken for another, which no position must get.
        let mut code = |outcome: Outcome, is_needed: bool| match self.codes.of(outcome) {
            Some(code) => (code, false),
            None if !is_needed => (DRAW, false),
            None => self.codes.give(outcome).map_or((WIN_IN_ONE, true), |code| (code, false)),
        };
        let (win, is_win_spare) = code(win, has_lost || wins_by_answer);
        let (loss, is_loss_spare) = code(loss, has_won || loses_by_answer);
        let round = Round { number, win, loss };
        let mut slices = std::mem::take(&mut self.slices);
        let this = &*self;
        for side in Color::ALL {
            slices[side.index()].par_iter_mut().enumerate().for_each_init(
                || vec![0_u64; this.index.rows_in_slice()],
                |words, (number, slice)| this.work(number, slice, side, round, words),
            );
        }
        self.slices = slices;
        self.publish();
        let (is_any_won, is_any_lost) =
            (self.is_any(|settled| &settled.won), self.is_any(|settled| &settled.lost));
        let is_uncoded = is_win_spare && is_any_won || is_loss_spare && is_any_lost;
        (!is_uncoded).then_some(())
    }

    /// Is there anything in one of the sets of any slice?
    fn is_any(&self, set: impl Fn(&Settled) -> &Marks) -> bool {
        self.settled.iter().flatten().any(|settled| set(settled).is_any())
    }

    /// Lets all threads see what a round has decided.
    fn publish(&mut self) {
        for (settled, slices) in self.settled.iter_mut().zip(&mut self.slices) {
            settled.par_iter_mut().zip(slices).for_each(|(settled, slice)| {
                settled.won = std::mem::take(&mut slice.won);
                settled.lost = std::mem::take(&mut slice.lost);
                for (been_lost, lost) in settled.been_lost.iter_mut().zip(&settled.lost.0) {
                    *been_lost |= lost;
                }
                for (open, won) in settled.open.iter_mut().zip(&settled.won.0) {
                    *open &= !won;
                }
            });
        }
    }

    /// One round of one slice for one side to move.
    fn work(&self, number: usize, slice: &mut Slice, side: Color, round: Round, words: &mut [u64]) {
        if round.win != DRAW {
            if self.reached(number, side, |settled| &settled.lost, words) {
                self.win_all(number, slice, side, round, words);
            }
            self.win_by_conversion(number, slice, side, round);
        }
        if self.has_passing {
            self.win_by_passing(number, slice, side, round);
        }
        if round.loss != DRAW {
            let is_any = self.reached(number, side, |settled| &settled.won, words);
            if self.add_passing(slice, side, round, words, is_any) {
                self.lose_all(number, slice, side, round, words);
            }
            self.lose_by_conversion(slice, round);
        }
    }

    /// Where a side may have come from to certain positions with the other side to move, by row of a slice, whether legal or
    /// not. Says whether there may be any.
    fn reached<'s>(
        &'s self,
        number: usize,
        side: Color,
        set: impl Fn(&'s Settled) -> &'s Marks,
        words: &mut [u64],
    ) -> bool {
        let settled = &self.settled[(!side).index()];
        let here = set(&settled[number]);
        let kings = self.kings.of(side, number).iter().filter(|step| set(&settled[step.slice]).is_any());
        if !here.is_any() && kings.clone().next().is_none() {
            return false;
        }
        words.fill(0);
        if here.is_any() {
            self.reached_here(number, side, &here.0, words);
        }
        let first = number * words.len();
        for &step in kings {
            let there = &set(&settled[step.slice]).0;
            if step.symmetry == Symmetry::NONE {
                for (word, there) in words.iter_mut().zip(there) {
                    *word |= there;
                }
                continue;
            }
            for (within, word) in words.iter_mut().enumerate() {
                let Some(row) = self.index.row(first + within) else { continue };
                let there = there[row_after_king(self.index, &row, step)];
                if there != 0 {
                    *word |= step.symmetry.brought_into(Bitboard(there)).0;
                }
            }
        }
        true
    }

    /// The same for all men but the kings, who stay in the slice.
    fn reached_here(&self, number: usize, side: Color, set: &[u64], words: &mut [u64]) {
        let first = number * words.len();
        for (within, &set) in set.iter().enumerate().filter(|(_, set)| **set != 0) {
            let Some(row) = self.index.row(first + within) else { continue };
            fixed_unsteps(&row, side, |place, from, before, between| {
                if !self.is_counted(&row, place) {
                    return;
                }
                let to = row.men()[place];
                let mut plain = Bitboard::ALL;
                if self.has_passing
                    && from.index().abs_diff(to.index()) == 16
                    && let Some(before) = self.index.row(before)
                {
                    plain = !fixed_passing_before(&before, from, to);
                }
                words[before - first] |= (Bitboard(set) & !between & plain).0;
            });
            if row.last().color == side && self.is_counted(&row, row.men().len()) {
                words[within] |= self.last_reached(&row, Bitboard(set)).0;
            }
        }
    }

    fn last_reached(&self, row: &Row<'_>, set: Bitboard) -> Bitboard {
        let passing = if self.has_passing { last_passing(row) & set } else { Bitboard::EMPTY };
        let doubles = passing
            .into_iter()
            .fold(Bitboard::EMPTY, |from, to| from | last_origins(row, to.into()) & !double_step(to));
        last_origins(row, set & !passing) | doubles
    }

    /// Enters wins.
    fn win_all(&self, number: usize, slice: &mut Slice, side: Color, round: Round, words: &[u64]) {
        let open = &self.settled[side.index()][number].open;
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

    /// Wins by conversions that were entered at first and that nothing shorter has replaced.
    fn win_by_conversion(&self, number: usize, slice: &mut Slice, side: Color, round: Round) {
        if !slice.ahead[usize::from(round.win)] {
            return;
        }
        let open = &self.settled[side.index()][number].open;
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

    /// Wins by double steps that the other side may answer in passing, and loses whatever it does.
    fn win_by_passing(&self, number: usize, slice: &mut Slice, side: Color, round: Round) {
        let open = &self.settled[side.index()][number].open;
        let steps = std::mem::take(&mut slice.passing);
        for &(within, step) in &steps {
            let within = within as usize;
            let bit = 1 << step.last.index();
            if open[within] & bit == 0 {
                continue;
            }
            let (settled, after) = self.settled(!side, step.row);
            let is_fresh = settled.lost.has(after, step.last_after);
            let is_won = match step.answer {
                None => is_fresh,
                Some(Outcome::Loss(plies)) if plies + 1 < round.number => is_fresh,
                Some(Outcome::Loss(plies)) => {
                    plies + 1 == round.number && settled.has_been_lost(after, step.last_after)
                }
                Some(_) => false,
            };
            if is_won {
                self.enter_wins(slice, within, bit, round.win);
            }
        }
        slice.passing = steps;
    }

    /// Adds to the candidates those whose double step was answered. Says whether there are any.
    fn add_passing(&self, slice: &Slice, side: Color, round: Round, words: &mut [u64], is_any: bool) -> bool {
        let mut is_begun = is_any;
        for (within, step) in &slice.passing {
            let (settled, after) = self.settled(!side, step.row);
            let is_fresh = settled.won.has(after, step.last_after);
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

    /// Enters losses: candidates without a way out.
    fn lose_all(&self, number: usize, slice: &mut Slice, side: Color, round: Round, words: &mut [u64]) {
        for (within, step) in &slice.passing {
            let (settled, after) = self.settled(!side, step.row);
            let is_way_out = settled.open[after] >> step.last_after.index() & 1 != 0
                && !matches!(step.answer, Some(Outcome::Win(plies)) if plies < round.number);
            if is_way_out {
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
            let lost = self.without_way_out(&row, side, Bitboard(candidates));
            slice.may_lose[within] &= !lost.0;
            for square in lost {
                let value = &mut slice.values[within * len + square.index() - self.index.first_square()];
                match self.codes.outcome(*value) {
                    Outcome::Loss(plies) if plies > round.number => {
                        slice.doomed.add(within, 1 << square.index(), words.len());
                    }
                    _ => {
                        *value = round.loss;
                        slice.lost.add(within, 1 << square.index(), words.len());
                    }
                }
            }
        }
    }

    /// Losses that a conversion has put off until now.
    fn lose_by_conversion(&self, slice: &mut Slice, round: Round) {
        if !slice.ahead[usize::from(round.loss)] {
            return;
        }
        let (len, rows) = (self.index.row_len(), slice.doomed.0.len());
        for within in 0..rows {
            for square in Bitboard(slice.doomed.0[within]) {
                if slice.values[within * len + square.index() - self.index.first_square()] == round.loss {
                    slice.doomed.0[within] &= !(1 << square.index());
                    slice.lost.add(within, 1 << square.index(), rows);
                }
            }
        }
    }

    /// What could not be decided is drawn.
    fn finish(self) -> Table {
        let len = self.index.row_len();
        let first = self.index.first_square();
        // Before the values are copied together, which takes room for one side more.
        drop(self.settled);
        let values = self.slices.map(|slices| {
            let mut values = Vec::with_capacity(self.index.len());
            for mut slice in slices {
                for (within, &drawn) in slice.may_lose.iter().enumerate() {
                    for square in Bitboard(drawn) {
                        slice.values[within * len + square.index() - first] = DRAW;
                    }
                }
                values.append(&mut slice.values);
            }
            values
        });
        Table::new(self.index.clone(), self.metric, self.codes, values)
    }
}

impl Settled {
    #[inline]
    fn has_been_lost(&self, within: usize, last: Square) -> bool {
        self.been_lost[within] >> last.index() & 1 != 0
    }
}

impl Slice {
    fn new(rows: usize, places: usize) -> Self {
        Self {
            values: vec![DRAW; places],
            may_lose: vec![0; rows],
            doomed: Marks::default(),
            won: Marks::default(),
            lost: Marks::default(),
            ahead: [false; 256],
            passing: Vec::new(),
        }
    }
}

/// Squares two ranks from one.
#[inline]
fn double_step(square: Square) -> Bitboard {
    let at = Bitboard::from(square);
    Bitboard(at.0 << 16 | at.0 >> 16)
}

#[inline]
fn plies(outcome: Outcome) -> u16 {
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(plies) | Outcome::Loss(plies) => plies,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_code_may_be_used_and_none_be_missing() {
        // Wins in 1 to 19 plies, losses in 0 to 20, and draws.
        const CODES: usize = 10 + 11 + 1;
        let index = Index::new("KQvK".parse().unwrap());
        let with_codes = |codes| {
            let mut maker = Maker::begun(&index, Metric::Dtm, None, &Tables::new(Metric::Dtm))?;
            maker.codes.limit(codes);
            maker.run(&Cancel::new())
        };
        let whole = with_codes(256).unwrap();
        let just = with_codes(CODES).unwrap();
        for side in Color::ALL {
            for place in 0..index.len() {
                assert_eq!(just.at(side, place), whole.at(side, place));
            }
        }
        assert!(matches!(with_codes(CODES - 1), Err(GenerateError::TooManyValues { .. })));
    }
}
