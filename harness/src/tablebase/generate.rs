//! Retrograde analysis of one table.
//!
//! First every position is looked at once: is it legal, is it mate, and what do captures and promotions lead to, all of
//! which tables made before know. Then plies are counted up. In round `n`, whoever can move to a position lost in `n - 1` wins
//! in `n`; and who could move to a position won in `n - 1` may be lost in `n`, which looking at all his moves decides.
//! A win by a capture is entered at once with its distance, and takes effect when the rounds get there unless a shorter
//! one is found before; so does a loss that a capture puts off. What has no value when nothing changes any more is drawn.
//!
//! A round reads values that earlier rounds settled and writes one value only for each kind, so threads may write over one
//! another and the table comes out the same for any number of them.
//!
//! Sources: K. Thompson, "Retrograde Analysis of Certain Endgames" (1986); confirming candidates by a look forward, instead of
//! counting moves, is how R. de Man's Syzygy generator works.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use arrayvec::ArrayVec;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stretto::tablebase::{Index, MAX_OTHERS, Material, Outcome};
use stretto::types::{Color, Square};
use thiserror::Error;
use zerocopy::FromBytes;

use super::board::{Board, Conversion};
use super::codes::{Codes, DRAW, WIN_IN_ONE};
use super::link::Links;
use super::table::{Table, Tables};
use crate::cancel::Cancel;

/// What distances count to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Mate.
    #[default]
    Dtm,
    /// Mate, a capture or a promotion.
    Dtc,
}

impl Metric {
    /// What a position is worth whose conversion leads to one that is worth `next` to the other side.
    pub(super) fn converted(self, next: Outcome) -> Outcome {
        match (self, next.before()) {
            (Self::Dtc, Outcome::Win(_)) => Outcome::Win(1),
            (Self::Dtc, Outcome::Loss(_)) => Outcome::Loss(1),
            (_, outcome) => outcome,
        }
    }
}

/// Why a table was not made.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// One it leads to is not there.
    #[error("{table} leads to {missing}, which has to be made before")]
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

/// The best conversion of a position: none, one that does not lose, or the loss it leads to.
const NO_CONVERSION: u8 = 0;
const SAVING: u8 = 1;

/// A table being made.
struct Maker<'a> {
    index: &'a Index,
    metric: Metric,
    links: Links<'a>,
    codes: Codes,
    /// By side to move, then by place.
    values: [Vec<u8>; 2],
    /// The same: see [`SAVING`]; other numbers are codes of losses.
    conversions: [Vec<u8>; 2],
    /// Positions that may be lost in a round because of an en passant capture, by round.
    triggers: Vec<(u16, Color, usize)>,
    has_en_passant: bool,
    /// By code: is it the value of any position?
    occurs: [AtomicBool; 256],
}

/// Both sides' values, to be written by many.
#[derive(Clone, Copy)]
struct Shared<'a> {
    values: [&'a [AtomicU8]; 2],
    /// By code: is it the value of any position?
    occurs: &'a [AtomicBool; 256],
}

impl<'a> Shared<'a> {
    fn new(values: &'a mut [Vec<u8>; 2], occurs: &'a [AtomicBool; 256]) -> Self {
        let [white, black] = values;
        Self { values: [atomic(white), atomic(black)], occurs }
    }

    // Relaxed throughout: rounds are ordered by the end of the threads' work.
    #[inline]
    fn get(self, side: Color, place: usize) -> u8 {
        self.values[side.index()][place].load(Ordering::Relaxed)
    }

    #[inline]
    fn set(self, side: Color, place: usize, code: u8) {
        self.values[side.index()][place].store(code, Ordering::Relaxed);
        note(self.occurs, code);
    }
}

/// A byte and an atomic byte are the same in memory, so this cannot fail.
fn atomic(values: &mut [u8]) -> &[AtomicU8] {
    <[AtomicU8]>::mut_from_bytes(values).map_or(&[], |values| &*values)
}

/// Notes that a code occurs; only the first time is it written, so that threads do not fight for the line.
#[inline]
fn note(occurs: &[AtomicBool; 256], code: u8) {
    let flag = &occurs[usize::from(code)];
    if !flag.load(Ordering::Relaxed) {
        flag.store(true, Ordering::Relaxed);
    }
}

/// Makes the table of these men. Those it leads to must be there.
pub fn generate(
    material: Material,
    metric: Metric,
    tables: &Tables,
    cancel: &Cancel,
) -> Result<Table, GenerateError> {
    let index = Index::new(material);
    let links =
        Links::new(&index, tables).map_err(|missing| GenerateError::Missing { table: material, missing })?;
    let values = [0, 1].map(|_| vec![DRAW; index.len()]);
    let conversions = [0, 1].map(|_| vec![NO_CONVERSION; index.len()]);
    let mut maker = Maker {
        index: &index,
        metric,
        links,
        codes: Codes::new(),
        values,
        conversions,
        triggers: Vec::new(),
        has_en_passant: material.has_pawns_on_both_sides(),
        occurs: [const { AtomicBool::new(false) }; 256],
    };
    let too_many = || GenerateError::TooManyValues { table: material };
    maker.look_at_all().ok_or_else(too_many)?;
    let mut round = 1;
    while maker.is_open(round) {
        if cancel.is_cancelled() {
            return Err(GenerateError::Cancelled);
        }
        maker.round(round).ok_or_else(too_many)?;
        round += 1;
    }
    let Maker { codes, values, .. } = maker;
    Ok(Table::new(index, metric, codes, values))
}

/// What the first look at a position finds.
struct FirstLook {
    outcome: Option<Outcome>,
    conversion: Option<Outcome>,
    /// Rounds in which a double step turns out to lose by en passant.
    triggers: ArrayVec<u16, MAX_OTHERS>,
}

impl Maker<'_> {
    /// Looks at every position once; `None` if there are too many values.
    fn look_at_all(&mut self) -> Option<()> {
        // Codes are given out beforehand, since many threads write them: every distance that can be met at first.
        self.codes.give(Outcome::Loss(0))?;
        for outcome in self.first_distances() {
            self.codes.give(outcome)?;
        }
        let (index, slice) = (self.index, self.index.slice_len());
        for side in Color::ALL {
            let mut values = std::mem::take(&mut self.values[side.index()]);
            let mut conversions = std::mem::take(&mut self.conversions[side.index()]);
            let this = &*self;
            let triggers: Vec<(u16, Color, usize)> = values
                .par_chunks_mut(slice)
                .zip(conversions.par_chunks_mut(slice))
                .enumerate()
                .flat_map_iter(|(number, (values, conversions))| {
                    let mut triggers = Vec::new();
                    for within in 0..slice {
                        let place = number * slice + within;
                        let Some(board) = Board::at(index, place).filter(|board| board.is_legal(side)) else {
                            values[within] = WIN_IN_ONE;
                            continue;
                        };
                        let look = this.first_look(&board, side);
                        if let Some(outcome) = look.outcome {
                            let code = this.codes.of(outcome);
                            debug_assert!(code.is_some(), "{outcome} was not foreseen");
                            values[within] = code.unwrap_or(DRAW);
                            note(&this.occurs, values[within]);
                        }
                        conversions[within] = match look.conversion {
                            None => NO_CONVERSION,
                            Some(loss @ Outcome::Loss(_)) => this.codes.of(loss).unwrap_or(SAVING),
                            Some(_) => SAVING,
                        };
                        triggers.extend(look.triggers.into_iter().map(|round| (round, side, place)));
                    }
                    triggers
                })
                .collect();
            self.triggers.extend(triggers);
            self.values[side.index()] = values;
            self.conversions[side.index()] = conversions;
        }
        Some(())
    }

    /// Every outcome that a conversion may lead to, and where there is en passant, a step that it answers.
    fn first_distances(&self) -> Vec<Outcome> {
        let mut found: Vec<Outcome> =
            self.links.outcomes().into_iter().map(|next| self.metric.converted(next)).collect();
        if self.has_en_passant {
            found.extend(found.clone().into_iter().map(Outcome::before));
        }
        found
    }

    fn first_look(&self, board: &Board<'_>, side: Color) -> FirstLook {
        let mut conversion: Option<Outcome> = None;
        board.conversions(side, |move_out| {
            let found = self.metric.converted(self.links.outcome(side, &board.men, move_out));
            conversion = Some(conversion.map_or(found, |best| best.better(found)));
        });
        let mut has_quiet = false;
        let (mut won_by_push, mut triggers) = (None, ArrayVec::new());
        board.quiet_moves(side, |place, to| {
            has_quiet = true;
            if !self.has_en_passant {
                return false;
            }
            if let Some(answer) = self.en_passant(board, side, place, to) {
                match answer {
                    Outcome::Win(plies) => triggers.push(plies + 1),
                    // Stalemate but for the capture: then that is what happens.
                    Outcome::Loss(plies) if !self.has_move_after(board, side, place, to) => {
                        won_by_push = Some(Outcome::Win(plies + 1));
                    }
                    _ => {}
                }
            }
            true
        });
        let outcome = match (has_quiet, conversion) {
            (false, None) => board.is_check(side).then_some(Outcome::Loss(0)),
            // All there is to do loses.
            (false, Some(loss @ Outcome::Loss(_))) => Some(loss),
            (_, Some(win @ Outcome::Win(_))) => Some(won_by_push.map_or(win, |push| win.better(push))),
            _ => won_by_push,
        };
        FirstLook { outcome, conversion, triggers }
    }

    /// Has the other side a move after this one, en passant apart?
    fn has_move_after(&self, board: &Board<'_>, side: Color, place: usize, to: Square) -> bool {
        let after = Board::new(self.index, board.moved(place, to));
        let mut has_move = after.is_check(!side);
        after.quiet_moves(!side, |_, _| {
            has_move = true;
            false
        });
        after.conversions(!side, |_| has_move = true);
        has_move
    }

    /// After a double step of `side`: what the other side gets by taking en passant; `None` if it cannot.
    fn en_passant(&self, board: &Board<'_>, side: Color, place: usize, to: Square) -> Option<Outcome> {
        let takers = board.en_passant(side, place, to);
        let men = board.moved(place, to);
        let outcomes = takers.into_iter().map(|(taker, landing)| {
            let capture = Conversion { place: taker, to: landing, captured: Some(place), promotion: None };
            self.metric.converted(self.links.outcome(!side, &men, capture))
        });
        outcomes.reduce(Outcome::better)
    }

    /// Can this round, or a later one, still change anything?
    fn is_open(&self, round: u16) -> bool {
        let is_ahead = |outcome: &Outcome| match outcome {
            Outcome::Draw => false,
            Outcome::Win(plies) | Outcome::Loss(plies) => plies + 1 >= round,
        };
        self.triggers.iter().any(|&(when, ..)| when >= round)
            || self.codes.outcomes().iter().any(|outcome| is_ahead(outcome) && self.occurs(*outcome))
    }

    /// Is there a position with this value?
    fn occurs(&self, outcome: Outcome) -> bool {
        self.codes.of(outcome).is_some_and(|code| self.occurs[usize::from(code)].load(Ordering::Relaxed))
    }

    /// Positions of a side that have this value, by slice; empty where there are none at all.
    fn having(&self, side: Color, outcome: Outcome) -> Vec<Vec<u32>> {
        let code = self.codes.of(outcome).filter(|_| self.occurs(outcome));
        let Some(code) = code else { return Vec::new() };
        let slices = self.values[side.index()].par_chunks(self.index.slice_len());
        slices.map(|values| memchr::memchr_iter(code, values).map(|within| within as u32).collect()).collect()
    }

    /// All positions won or lost in `round`; `None` if there are too many values.
    fn round(&mut self, round: u16) -> Option<()> {
        let slice = self.index.slice_len();
        let lost = Color::ALL.map(|side| self.having(side, Outcome::Loss(round - 1)));
        let won = Color::ALL
            .map(|side| if round > 1 { self.having(side, Outcome::Win(round - 1)) } else { Vec::new() });
        let triggered: Vec<(Color, usize)> = self
            .triggers
            .iter()
            .filter(|trigger| trigger.0 == round)
            .map(|&(_, side, place)| (side, place))
            .collect();
        // Only codes that may be needed: there are 256.
        let is_any = |lists: &[Vec<Vec<u32>>; 2]| lists.iter().flatten().any(|list| !list.is_empty());
        let win = if is_any(&lost) { self.codes.give(Outcome::Win(round))? } else { DRAW };
        let may_lose = is_any(&won) || !triggered.is_empty();
        let loss = if may_lose { self.codes.give(Outcome::Loss(round))? } else { DRAW };
        let is_settled: Vec<bool> = (0..=u8::MAX)
            .map(|code| {
                code == WIN_IN_ONE || matches!(self.codes.outcome(code), Outcome::Win(plies) if plies < round)
            })
            .collect();
        let mut values = std::mem::take(&mut self.values);
        let this = &*self;
        let shared = Shared::new(&mut values, &this.occurs);
        // Empty places look like wins in one; no legal position is meant.
        let boards = |(number, fresh): (usize, &Vec<u32>), side: Color| {
            let places = fresh.clone().into_iter().map(move |within| number * slice + within as usize);
            let boards = places.filter_map(|place| Board::at(this.index, place));
            boards.filter(move |board| round != 2 || board.is_legal(side)).collect::<Vec<_>>()
        };
        for side in Color::ALL {
            let other = !side;
            lost[other.index()].par_iter().enumerate().for_each(|slice| {
                for board in boards(slice, other) {
                    this.win_before(&board, side, (round, win), shared);
                }
            });
            won[other.index()].par_iter().enumerate().for_each(|slice| {
                for board in boards(slice, other) {
                    board.quiet_unmoves(side, |man, from| {
                        let men = board.moved(man, from);
                        if let Some(before) = this.index.place(&men) {
                            let board = || Board::new(this.index, men.clone());
                            this.try_loss(before, board, side, (round, loss), &is_settled, shared);
                        }
                    });
                }
            });
        }
        for (side, place) in triggered {
            if let Some(board) = Board::at(this.index, place) {
                this.try_loss(place, || board.clone(), side, (round, loss), &is_settled, shared);
            }
        }
        self.values = values;
        Some(())
    }

    /// Whoever could move to this position, lost for the other side, wins.
    #[inline]
    fn win_before(&self, board: &Board<'_>, side: Color, (round, win): (u16, u8), shared: Shared<'_>) {
        board.quiet_unmoves(side, |man, from| {
            let men = board.moved(man, from);
            let Some(place) = self.index.place(&men) else { return };
            let known = shared.get(side, place);
            let is_better = match self.codes.outcome(known) {
                Outcome::Draw => true,
                Outcome::Win(plies) => plies > round,
                Outcome::Loss(_) => false,
            };
            if !is_better {
                return;
            }
            let code = if self.has_en_passant {
                let before = Board::new(self.index, men);
                match self.en_passant(&before, side, man, board.men[man]) {
                    None => win,
                    // The capture loses too, perhaps later.
                    Some(Outcome::Loss(plies)) => {
                        let outcome = Outcome::Win(round.max(plies + 1));
                        match (self.codes.of(outcome), self.codes.outcome(known)) {
                            (Some(code), known) if known.better(outcome) == outcome => code,
                            _ => return,
                        }
                    }
                    Some(_) => return,
                }
            } else {
                win
            };
            shared.set(side, place, code);
        });
    }

    /// If the position at `place` has no value yet and all its moves lose, it is lost.
    #[inline]
    fn try_loss<'b>(
        &self,
        place: usize,
        board: impl FnOnce() -> Board<'b>,
        side: Color,
        (round, loss): (u16, u8),
        is_settled: &[bool],
        shared: Shared<'_>,
    ) {
        let conversion = self.conversions[side.index()][place];
        if shared.get(side, place) != DRAW || conversion == SAVING {
            return;
        }
        let board = board();
        let mut is_lost = true;
        board.quiet_moves(side, |man, to| {
            let next = self.index.place(&board.moved(man, to));
            let is_refuted = next.is_none_or(|next| is_settled[usize::from(shared.get(!side, next))]);
            is_lost = is_refuted || self.is_refuted_en_passant(&board, side, (man, to), round);
            is_lost
        });
        if !is_lost {
            return;
        }
        let code = match self.codes.outcome(conversion) {
            Outcome::Loss(plies) if conversion != NO_CONVERSION && plies > round => conversion,
            _ => loss,
        };
        shared.set(side, place, code);
    }

    /// Is a double step refuted by taking en passant?
    #[inline]
    fn is_refuted_en_passant(
        &self,
        board: &Board<'_>,
        side: Color,
        (man, to): (usize, Square),
        round: u16,
    ) -> bool {
        self.has_en_passant
            && matches!(self.en_passant(board, side, man, to), Some(Outcome::Win(plies)) if plies < round)
    }
}
