//! Values of zeroing pawn moves within a table under DTZ.
//!
//! They lead to positions of the same table, of which only the win/draw/loss class is needed. The
//! caller computes the classes first with another metric.

use stretto::attacks;
use stretto::tablebase::{Metric, Outcome, Row};
use stretto::types::{Bitboard, Color, PieceType, Square};

use super::conversions::Values;
use super::en_passant::en_passant_steps;
use super::link::Links;
use super::steps::{fixed_en_passant, fixed_steps, last_en_passant, last_targets};
use super::table::Table;
use super::value::Value;

/// The win/draw/loss classes by side to move and index: one bit for won and one for lost.
pub(super) struct Classes([[Vec<u64>; 2]; 2]);

impl Classes {
    /// Extracts the classes of a table.
    pub(super) fn of(table: &Table) -> Self {
        Self(Color::ALL.map(|side| {
            let class: Vec<u8> = (0..=u8::MAX)
                .map(|code| match table.outcome_of(side, code) {
                    Outcome::Win(_) => 1,
                    Outcome::Draw => 0,
                    Outcome::Loss(_) => 2,
                })
                .collect();
            let words = |bit: u8| {
                let word = |codes: &[u8]| {
                    codes
                        .iter()
                        .rev()
                        .fold(0, |word, &code| word << 1 | u64::from(class[usize::from(code)] & bit != 0))
                };
                table.bytes(side).chunks(64).map(word).collect()
            };
            [words(1), words(2)]
        }))
    }

    /// Returns an outcome of the right class with an arbitrary distance.
    #[inline]
    fn outcome(&self, side: Color, place: usize) -> Outcome {
        let has = |words: &[u64]| words[place / 64] >> (place % 64) & 1 != 0;
        let [won, lost] = &self.0[side.index()];
        if has(won) {
            Outcome::Win(1)
        } else if has(lost) {
            Outcome::Loss(0)
        } else {
            Outcome::Draw
        }
    }
}

/// Updates the best value for each square of the last piece with the pawn moves.
pub(super) fn best_pawn_moves(
    row: &Row<'_>,
    color: Color,
    classes: &Classes,
    links: &Links<'_>,
    best: &mut Values,
) {
    let index = row.index();
    let legal = row.legal(color);
    let after = |number: usize| index.row(number);
    let legal_after = |number: usize| after(number).map_or(Bitboard::EMPTY, |row| row.legal(!color));
    let value = |outcome: Outcome| Value::of(Metric::Dtz.converted(outcome));
    let mut take = |last: Square, found: Value| {
        let known = &mut best[last.index()];
        *known = found.max(*known);
    };
    fixed_steps(row, color, |place, to, number, between| {
        let is_pawn = row.piece(place).kind == PieceType::Pawn;
        if let Some(there) = after(number).filter(|_| is_pawn) {
            let plain = legal & there.legal(!color) & !between & !fixed_en_passant(row, place, to);
            for last in plain {
                take(last, value(classes.outcome(!color, there.index_of(last))));
            }
        }
        true
    });
    if row.last().color == color && row.last().kind == PieceType::Pawn {
        let passing = last_en_passant(row);
        for last in legal {
            for to in last_targets(row, last) & legal_after(row.number()) {
                let is_double = attacks::between(last, to).any();
                if !(is_double && passing.has(to)) {
                    take(last, value(classes.outcome(!color, row.index_of(to))));
                }
            }
        }
    }
    for step in en_passant_steps(row, links, color, legal_after) {
        if let Some(there) = after(step.row) {
            let class = classes.outcome(!color, there.index_of(step.last_after));
            take(step.last, step.value(class).zeroed());
        }
    }
}
