//! Double steps that the other side may answer by taking in passing.
//!
//! En passant has no place in a table, so what such a step is worth is not what the table says of the position after it: the
//! other side may do better by the capture, or have nothing else to do. These steps are few, and are looked at one by one.

use stretto::tablebase::{Outcome, Row};
use stretto::types::{Bitboard, Color, Square};

use super::board::{Board, Conversion};
use super::link::Links;
use super::steps::{fixed_passing, fixed_steps, last_passing, last_targets};
use super::worth::Worth;

/// A double step that may be answered in passing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passing {
    /// The square of the last man before it.
    pub(super) last: Square,
    /// The row after it.
    pub(super) row: usize,
    /// The square of the last man after it.
    pub(super) last_after: Square,
    /// What the other side gets by taking, if it legally can.
    pub(super) answer: Option<Outcome>,
    /// Has the other side nothing else to do than take?
    pub(super) is_forced: bool,
}

impl Passing {
    /// What the step is worth to the side that plays it, when the table says this of the position after it.
    pub(super) fn worth(&self, after: Outcome) -> Worth {
        let outcome = match self.answer {
            None => after,
            Some(answer) if self.is_forced => answer,
            Some(answer) => after.better(answer),
        };
        Worth::of(outcome.before())
    }
}

/// All such steps of a side from a row, legal ones only. `legal_after` says with which squares of the last man the other
/// side may be to move in a row.
pub(super) fn passing_steps(
    row: &Row<'_>,
    links: &Links<'_>,
    color: Color,
    legal_after: impl Fn(usize) -> Bitboard,
) -> Vec<Passing> {
    let mut found = Vec::new();
    let legal = row.legal(color);
    let mut add = |place: usize, to: Square, last: Square, row_after: usize, last_after: Square| {
        if legal_after(row_after).has(last_after) {
            let board = Board::new(row.index(), row.with_last(last));
            let (answer, is_forced) = answer(&board, links, color, place, to);
            found.push(Passing { last, row: row_after, last_after, answer, is_forced });
        }
    };
    fixed_steps(row, color, |place, to, row_after, between| {
        for last in fixed_passing(row, place, to) & legal & !between {
            add(place, to, last, row_after, last);
        }
        true
    });
    if row.last().color == color {
        let to = last_passing(row);
        for last in legal {
            for to in last_targets(row, last) & to {
                if last.index().abs_diff(to.index()) == 16 {
                    add(row.men().len(), to, last, row.number(), to);
                }
            }
        }
    }
    found
}

/// What the other side gets by taking in passing after this step, and whether it must.
fn answer(
    board: &Board<'_>,
    links: &Links<'_>,
    color: Color,
    place: usize,
    to: Square,
) -> (Option<Outcome>, bool) {
    let takers = board.en_passant(color, place, to);
    let after = board.moved(place, to);
    let worths = takers.into_iter().map(|(taker, landing)| {
        let capture = Conversion { place: taker, to: landing, captured: Some(place), promotion: None };
        links.worth(!color, &after, capture)
    });
    let answer = worths.max().and_then(Worth::outcome);
    let is_forced = answer.is_some() && !Board::new(links.index(), after).has_move(!color);
    (answer, is_forced)
}
