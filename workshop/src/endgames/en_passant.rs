//! Double steps that may be answered en passant.
//!
//! Tables do not store en passant rights, so the value of such a step differs from the table's
//! value after it: the capture may be better, or the only legal move. These steps are rare and
//! handled one by one.

use stretto::tablebase::{Outcome, Row};
use stretto::types::{Bitboard, Color, Square};

use super::board::{Board, Conversion};
use super::link::Links;
use super::steps::{fixed_en_passant, fixed_steps, last_en_passant, last_targets};
use super::value::Value;

/// A double step that may be answered en passant.
#[derive(Clone, Copy, Debug)]
pub(super) struct EnPassantReply {
    /// Square of the last piece before the step.
    pub(super) last: Square,
    /// Row after the step.
    pub(super) row: usize,
    /// Square of the last piece after the step.
    pub(super) last_after: Square,
    /// Best outcome of the en passant capture for the other side, if legal.
    pub(super) answer: Option<Outcome>,
    /// Whether the capture is the only legal move.
    pub(super) is_forced: bool,
}

impl EnPassantReply {
    /// Returns the value of the step for the side that plays it, given the table's outcome after
    /// it.
    pub(super) fn value(&self, after: Outcome) -> Value {
        let outcome = match self.answer {
            None => after,
            Some(answer) if self.is_forced => answer,
            Some(answer) => after.better(answer),
        };
        Value::of(outcome.before())
    }
}

/// Returns all legal double steps of a side from a row that allow en passant. `legal_after` returns
/// the squares of the last piece for which a row is legal with the other side to move.
pub(super) fn en_passant_steps(
    row: &Row<'_>,
    links: &Links<'_>,
    color: Color,
    legal_after: impl Fn(usize) -> Bitboard,
) -> Vec<EnPassantReply> {
    let mut found = Vec::new();
    let legal = row.legal(color);
    let mut add = |place: usize, to: Square, last: Square, row_after: usize, last_after: Square| {
        if legal_after(row_after).has(last_after) {
            let board = Board::new(row.index(), row.with_last(last));
            let (answer, is_forced) = answer(&board, links, color, place, to);
            found.push(EnPassantReply { last, row: row_after, last_after, answer, is_forced });
        }
    };
    fixed_steps(row, color, |place, to, row_after, between| {
        for last in fixed_en_passant(row, place, to) & legal & !between {
            add(place, to, last, row_after, last);
        }
        true
    });
    if row.last().color == color {
        let to = last_en_passant(row);
        for last in legal {
            for to in last_targets(row, last) & to {
                if last.index().abs_diff(to.index()) == 16 {
                    add(row.fixed_squares().len(), to, last, row.number(), to);
                }
            }
        }
    }
    found
}

/// Returns the best outcome of the en passant captures after this step, and whether the capture is
/// forced.
fn answer(
    board: &Board<'_>,
    links: &Links<'_>,
    color: Color,
    place: usize,
    to: Square,
) -> (Option<Outcome>, bool) {
    let takers = board.en_passant(color, place, to);
    let after = board.moved(place, to);
    let values = takers.into_iter().map(|(taker, target)| {
        let capture = Conversion { place: taker, to: target, captured: Some(place), promotion: None };
        links.value(!color, &after, capture)
    });
    let answer = values.max().and_then(Value::outcome);
    let is_forced = answer.is_some() && !Board::new(links.index(), after).has_move(!color);
    (answer, is_forced)
}
