//! Retrograde analysis of one table.
//!
//! Initialization evaluates every position once: legality, mate, and the values of captures and
//! promotions from the successor tables. Then the rounds count plies. In round `n`, a side that can
//! move to a position lost in `n - 1` wins in `n`. A side that can move to a position won in `n -
//! 1` may be lost in `n`, which is confirmed by looking at all its moves. A win by a capture is
//! entered during initialization with its distance and takes effect in its round unless a shorter
//! win is found first. The same applies to a loss that a capture delays. Positions without a value
//! after the last round are draws.
//!
//! The generator processes rows, one 64-bit word at a time (`steps`). Threads share the slices of a
//! table: each writes only to its own, and reads the state of the others that earlier rounds have
//! frozen. The result therefore does not depend on the number of threads.
//!
//! Sources: K. Thompson, "Retrograde Analysis of Certain Endgames" (1986); R. de Man's Syzygy
//! generator, for confirming candidates by a forward search instead of counting moves; M.
//! Bourzutschky and Y. Konoval, for bitboard sets of positions.

use rayon::prelude::*;
use stretto::tablebase::{Index, Material, Metric, Outcome, Row, Symmetry};
use stretto::types::{Bitboard, Color, PieceType, Square};
use thiserror::Error;

use super::codes::{Codes, DRAW, WIN_IN_ONE};
use super::conversions::best_conversions;
use super::en_passant::{EnPassantReply, en_passant_steps};
use super::link::Links;
use super::pawn_moves::{Classes, best_pawn_moves};
use super::steps::{
    KingSteps, fixed_en_passant, fixed_en_passant_before, fixed_retro_steps, fixed_steps, last_en_passant,
    last_origins, last_targets, row_after_king,
};
use super::table::{Table, Tables};
use crate::base::cancel::Cancel;

/// The reason why a table, or the omitted side of a file, was not generated or verified.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// A successor table is missing.
    #[error("{table}: successor table {missing} is missing")]
    Missing {
        /// The requested table.
        table: Material,
        /// The missing successor.
        missing: Material,
    },
    /// The table needs more than 256 codes.
    #[error("{table} has more than 256 different values")]
    TooManyValues {
        /// The requested table.
        table: Material,
    },
    /// Cancellation was requested.
    #[error("stopped on request")]
    Cancelled,
}

/// Generates the table of this material. Its successor tables must be present.
pub fn generate(
    material: Material,
    metric: Metric,
    tables: &Tables,
    cancel: &Cancel,
) -> Result<Table, GenerateError> {
    let (index, classes) = (Index::new(material), classes(material, metric, tables, cancel)?);
    Generator::initialized(&index, metric, classes.as_ref(), tables)?.run(cancel)
}

/// Like [`generate`], but calls `release` as soon as the successor tables are no longer needed,
/// before the phase with the highest memory use.
pub fn generate_releasing(
    material: Material,
    metric: Metric,
    tables: &mut Tables,
    release: impl FnOnce(&mut Tables),
    cancel: &Cancel,
) -> Result<Table, GenerateError> {
    let (index, classes) = (Index::new(material), classes(material, metric, tables, cancel)?);
    let generator = Generator::initialized(&index, metric, classes.as_ref(), tables)?;
    release(tables);
    generator.run(cancel)
}

/// Computes the win/draw/loss classes where they are needed first: under DTZ, pawn moves within the
/// table are zeroing.
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
    let table = Generator::initialized(&index, Metric::Dtc, None, tables)?.run(cancel)?;
    Ok(Some(Classes::of(&table)))
}

/// A set of positions of a slice: one word per row, allocated on first use.
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

/// The state of a slice that all threads may read, for one side to move. Words are indexed by row.
struct Frozen {
    /// Legal positions that are not won so far: an escape for the other side.
    open: Vec<u64>,
    /// Positions won in the previous round.
    won: Marks,
    /// Positions lost in the previous round.
    lost: Marks,
    /// Positions lost in any earlier round; only kept if en passant is possible.
    ever_lost: Vec<u64>,
}

/// The state of a slice that one thread writes, for one side to move.
struct Slice {
    /// Codes by index. An undecided position has the win of its best conversion, the loss that its
    /// conversions delay, or no value.
    values: Vec<u8>,
    /// Undecided positions that no conversion saves.
    may_lose: Vec<u64>,
    /// Positions with only losing conversions left; they become lost in the round of their value.
    delayed_losses: Marks,
    won: Marks,
    lost: Marks,
    /// By code: whether positions were initialized with it and it takes effect in its round.
    scheduled: [bool; 256],
    /// Double steps that may be answered en passant.
    passing: Vec<(u32, EnPassantReply)>,
}

struct Generator<'a> {
    index: &'a Index,
    metric: Metric,
    classes: Option<&'a Classes>,
    kings: KingSteps,
    codes: Codes,
    frozen: [Vec<Frozen>; 2],
    slices: [Vec<Slice>; 2],
    has_en_passant: bool,
    /// Last round in which an initialized value takes effect.
    last_scheduled: u16,
}

/// A round with the codes of its wins and losses.
#[derive(Clone, Copy)]
struct Round {
    number: u16,
    win: u8,
    loss: u8,
}

impl<'a> Generator<'a> {
    /// Initializes every position. The successor tables are not needed afterwards.
    fn initialized(
        index: &'a Index,
        metric: Metric,
        classes: Option<&'a Classes>,
        tables: &Tables,
    ) -> Result<Self, GenerateError> {
        let table = index.material();
        let links =
            Links::new(index, tables, metric).map_err(|missing| GenerateError::Missing { table, missing })?;
        let mut generator = Self::new(index, metric, classes);
        generator.initialize(&links).ok_or(GenerateError::TooManyValues { table })?;
        Ok(generator)
    }

    /// Runs all rounds.
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
        // With classes, pawn moves are zeroing and none stays within the table.
        let has_en_passant = index.material().has_pawns_on_both_sides() && classes.is_none();
        let frozen = Color::ALL.map(|side| {
            let of = |slice: usize| Frozen {
                open: (slice * rows..(slice + 1) * rows)
                    .map(|number| index.row(number).map_or(0, |row| row.legal(side).0))
                    .collect(),
                won: Marks::default(),
                lost: Marks::default(),
                ever_lost: if has_en_passant { vec![0; rows] } else { Vec::new() },
            };
            (0..index.slices()).into_par_iter().map(of).collect()
        });
        let kings = KingSteps::new(index);
        let slices = [Vec::new(), Vec::new()];
        let codes = Codes::new();
        Self { index, metric, classes, kings, codes, frozen, slices, has_en_passant, last_scheduled: 0 }
    }

    /// Initializes every position; `None` if there are too many values.
    fn initialize(&mut self, links: &Links<'_>) -> Option<()> {
        // Codes are assigned in advance because several threads use them: every distance that can
        // occur initially.
        self.codes.assign(Outcome::Loss(0))?;
        for outcome in self.initial_outcomes(links) {
            self.codes.assign(outcome)?;
        }
        for side in Color::ALL {
            let look = |slice: usize| self.initialize_slice(slice, side, links);
            self.slices[side.index()] = (0..self.index.slices()).into_par_iter().map(look).collect();
        }
        self.last_scheduled =
            self.slices.iter().flatten().map(|slice| self.last_scheduled_of(slice)).max()?;
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

    fn last_scheduled_of(&self, slice: &Slice) -> u16 {
        let entered =
            self.codes.outcomes().iter().zip(slice.scheduled).filter(|(_, is_scheduled)| *is_scheduled);
        let entered = entered.map(|(outcome, _)| plies(*outcome));
        let answers = slice.passing.iter().filter_map(|(_, step)| step.answer);
        entered.chain(answers.map(|answer| plies(answer) + 1)).max().unwrap_or(0)
    }

    /// Returns the frozen state of the slice of a row, and the row's index within it.
    #[inline]
    fn frozen(&self, side: Color, row: usize) -> (&Frozen, usize) {
        let rows = self.index.rows_in_slice();
        (&self.frozen[side.index()][row / rows], row % rows)
    }

    /// Returns the squares of the last piece for which the move of a fixed piece does not allow en
    /// passant.
    #[inline]
    fn without_en_passant(&self, row: &Row<'_>, place: usize, to: Square) -> Bitboard {
        if self.has_en_passant { !fixed_en_passant(row, place, to) } else { Bitboard::ALL }
    }

    /// Returns whether moves of this piece stay in the table without zeroing.
    #[inline]
    fn is_counted(&self, row: &Row<'_>, place: usize) -> bool {
        self.classes.is_none() || row.piece(place).kind != PieceType::Pawn
    }

    /// Returns those of `squares` for which a side has no move to an open position of the other
    /// side.
    fn without_escape(&self, row: &Row<'_>, side: Color, mut squares: Bitboard) -> Bitboard {
        let other = !side;
        fixed_steps(row, side, |place, to, after, between| {
            if self.is_counted(row, place) {
                let (frozen, within) = self.frozen(other, after);
                squares &=
                    !(Bitboard(frozen.open[within]) & !between & self.without_en_passant(row, place, to));
            }
            squares.any()
        });
        for &step in self.kings.of(side, row.slice()) {
            if squares.is_empty() {
                return squares;
            }
            let open = self.frozen[other.index()][step.slice].open[row_after_king(self.index, row, step)];
            squares &= !step.symmetry.preimage(Bitboard(open));
        }
        let last = row.fixed_squares().len();
        if row.last().color == side && squares.any() && self.is_counted(row, last) {
            let (frozen, within) = self.frozen(other, row.number());
            let open = Bitboard(frozen.open[within]);
            let passing = if self.has_en_passant { last_en_passant(row) } else { Bitboard::EMPTY };
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
                    *value = self.code(Outcome::Loss(0));
                    slice.lost.add(within, bit, rows);
                }
                None | Some(Outcome::Draw) => {}
                Some(decisive) => {
                    *value = self.code(decisive);
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
    fn code(&self, outcome: Outcome) -> u8 {
        let code = self.codes.of(outcome);
        debug_assert!(code.is_some(), "no code for {outcome}");
        code.unwrap_or(DRAW)
    }

    /// Returns whether this or a later round can still change anything.
    fn is_open(&self, round: u16) -> bool {
        round <= self.last_scheduled
            || self.is_any(|frozen| &frozen.won)
            || self.is_any(|frozen| &frozen.lost)
    }

    /// Computes all positions won or lost in a round; `None` if there are too many values.
    fn round(&mut self, number: u16) -> Option<()> {
        let (win, loss) = (Outcome::Win(number), Outcome::Loss(number));
        let (has_won, has_lost) = (self.is_any(|frozen| &frozen.won), self.is_any(|frozen| &frozen.lost));
        let steps = self.slices.iter().flatten().flat_map(|slice| &slice.passing);
        let answers = steps.filter_map(|(_, step)| step.answer.map(Outcome::before));
        let (mut wins_by_answer, mut loses_by_answer) = (false, false);
        for value in answers {
            wins_by_answer |= value == win;
            loses_by_answer |= value == loss;
        }
        // Codes are assigned only when needed, since there are 256. The longest five-piece tables
        // use all of them, and one more may seem needed in the round after. It is replaced by
        // another code, which no position may then get.
        let mut code = |outcome: Outcome, is_needed: bool| match self.codes.of(outcome) {
            Some(code) => (code, false),
            None if !is_needed => (DRAW, false),
            None => self.codes.assign(outcome).map_or((WIN_IN_ONE, true), |code| (code, false)),
        };
        let (win, is_win_spare) = code(win, has_lost || wins_by_answer);
        let (loss, is_loss_spare) = code(loss, has_won || loses_by_answer);
        let round = Round { number, win, loss };
        let mut slices = std::mem::take(&mut self.slices);
        let this = &*self;
        for side in Color::ALL {
            slices[side.index()].par_iter_mut().enumerate().for_each_init(
                || vec![0_u64; this.index.rows_in_slice()],
                |words, (number, slice)| this.process_slice(number, slice, side, round, words),
            );
        }
        self.slices = slices;
        self.publish();
        let (is_any_won, is_any_lost) =
            (self.is_any(|frozen| &frozen.won), self.is_any(|frozen| &frozen.lost));
        let is_uncoded = is_win_spare && is_any_won || is_loss_spare && is_any_lost;
        (!is_uncoded).then_some(())
    }

    /// Returns whether a set is non-empty in any slice.
    fn is_any(&self, set: impl Fn(&Frozen) -> &Marks) -> bool {
        self.frozen.iter().flatten().any(|frozen| set(frozen).is_any())
    }

    /// Makes the decisions of a round visible to all threads.
    fn publish(&mut self) {
        for (frozen, slices) in self.frozen.iter_mut().zip(&mut self.slices) {
            frozen.par_iter_mut().zip(slices).for_each(|(frozen, slice)| {
                frozen.won = std::mem::take(&mut slice.won);
                frozen.lost = std::mem::take(&mut slice.lost);
                for (ever_lost, lost) in frozen.ever_lost.iter_mut().zip(&frozen.lost.0) {
                    *ever_lost |= lost;
                }
                for (open, won) in frozen.open.iter_mut().zip(&frozen.won.0) {
                    *open &= !won;
                }
            });
        }
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

    /// Computes the predecessors of a set of positions with the other side to move, by row of a
    /// slice, legal or not. Returns whether there may be any.
    fn predecessors<'s>(
        &'s self,
        number: usize,
        side: Color,
        set: impl Fn(&'s Frozen) -> &'s Marks,
        words: &mut [u64],
    ) -> bool {
        let frozen = &self.frozen[(!side).index()];
        let here = set(&frozen[number]);
        let kings = self.kings.of(side, number).iter().filter(|step| set(&frozen[step.slice]).is_any());
        if !here.is_any() && kings.clone().next().is_none() {
            return false;
        }
        words.fill(0);
        if here.is_any() {
            self.predecessors_in_slice(number, side, &here.0, words);
        }
        let first = number * words.len();
        for &step in kings {
            let there = &set(&frozen[step.slice]).0;
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
                    *word |= step.symmetry.preimage(Bitboard(there)).0;
                }
            }
        }
        true
    }

    /// Adds the predecessors by moves of all pieces other than the kings, which stay in the slice.
    fn predecessors_in_slice(&self, number: usize, side: Color, set: &[u64], words: &mut [u64]) {
        let first = number * words.len();
        for (within, &set) in set.iter().enumerate().filter(|(_, set)| **set != 0) {
            let Some(row) = self.index.row(first + within) else { continue };
            fixed_retro_steps(&row, side, |place, from, before, between| {
                if !self.is_counted(&row, place) {
                    return;
                }
                let to = row.fixed_squares()[place];
                let mut without_en_passant = Bitboard::ALL;
                if self.has_en_passant
                    && from.index().abs_diff(to.index()) == 16
                    && let Some(before) = self.index.row(before)
                {
                    without_en_passant = !fixed_en_passant_before(&before, from, to);
                }
                words[before - first] |= (Bitboard(set) & !between & without_en_passant).0;
            });
            if row.last().color == side && self.is_counted(&row, row.fixed_squares().len()) {
                words[within] |= self.last_predecessors(&row, Bitboard(set)).0;
            }
        }
    }

    fn last_predecessors(&self, row: &Row<'_>, set: Bitboard) -> Bitboard {
        let passing = if self.has_en_passant { last_en_passant(row) & set } else { Bitboard::EMPTY };
        let doubles = passing
            .into_iter()
            .fold(Bitboard::EMPTY, |from, to| from | last_origins(row, to.into()) & !double_step(to));
        last_origins(row, set & !passing) | doubles
    }

    /// Enters wins.
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
                match self.codes.outcome(*value) {
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

    /// Builds the table; undecided positions are draws.
    fn finish(self) -> Table {
        let len = self.index.row_len();
        let first = self.index.first_square();
        // Freed before the values are concatenated, which needs memory for one more side.
        drop(self.frozen);
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

impl Frozen {
    #[inline]
    fn is_ever_lost(&self, within: usize, last: Square) -> bool {
        self.ever_lost[within] >> last.index() & 1 != 0
    }
}

impl Slice {
    fn new(rows: usize, places: usize) -> Self {
        Self {
            values: vec![DRAW; places],
            may_lose: vec![0; rows],
            delayed_losses: Marks::default(),
            won: Marks::default(),
            lost: Marks::default(),
            scheduled: [false; 256],
            passing: Vec::new(),
        }
    }
}

/// Returns the squares two ranks from a square.
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
    fn generation_succeeds_with_exactly_the_needed_codes() {
        // Wins in 1 to 19 plies, losses in 0 to 20, and draws.
        const CODES: usize = 10 + 11 + 1;
        let index = Index::new("KQvK".parse().unwrap());
        let with_codes = |codes| {
            let mut generator = Generator::initialized(&index, Metric::Dtm, None, &Tables::new(Metric::Dtm))?;
            generator.codes.limit(codes);
            generator.run(&Cancel::new())
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
