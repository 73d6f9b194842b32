//! What moves of pawns within a table are worth where they end the count.
//!
//! They lead to positions of the same table, of which only who wins has to be known: the caller has made it before, by another
//! count.

use stretto::attacks;
use stretto::tablebase::{Metric, Outcome, Row};
use stretto::types::{Bitboard, Color, PieceType, Square};

use super::conversions::Worths;
use super::link::Links;
use super::passing::passing_steps;
use super::steps::{fixed_passing, fixed_steps, last_passing, last_targets};
use super::table::Table;
use super::worth::Worth;

/// Who wins, by side to move, then by place: a bit each for won and for lost.
pub(super) struct Classes([[Vec<u64>; 2]; 2]);

impl Classes {
    /// Of a table.
    pub(super) fn of(table: &Table) -> Self {
        Self(Color::ALL.map(|side| {
            let class: Vec<u8> = (0..=u8::MAX)
                .map(|code| match table.outcome_of(code) {
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

    /// An outcome of the right class; its distance says nothing.
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

/// Adds to the best of each square of the last man what steps of pawns are worth.
pub(super) fn best_pawn_moves(
    row: &Row<'_>,
    color: Color,
    classes: &Classes,
    links: &Links<'_>,
    best: &mut Worths,
) {
    let index = row.index();
    let legal = row.legal(color);
    let after = |number: usize| index.row(number);
    let legal_after = |number: usize| after(number).map_or(Bitboard::EMPTY, |row| row.legal(!color));
    let worth = |outcome: Outcome| Worth::of(Metric::Dtz.converted(outcome));
    let mut take = |last: Square, found: Worth| {
        let known = &mut best[last.index()];
        *known = found.max(*known);
    };
    fixed_steps(row, color, |place, to, number, between| {
        let is_pawn = row.piece(place).kind == PieceType::Pawn;
        if let Some(there) = after(number).filter(|_| is_pawn) {
            let plain = legal & there.legal(!color) & !between & !fixed_passing(row, place, to);
            for last in plain {
                take(last, worth(classes.outcome(!color, there.place(last))));
            }
        }
        true
    });
    if row.last().color == color && row.last().kind == PieceType::Pawn {
        let passing = last_passing(row);
        for last in legal {
            for to in last_targets(row, last) & legal_after(row.number()) {
                let is_double = attacks::between(last, to).any();
                if !(is_double && passing.has(to)) {
                    take(last, worth(classes.outcome(!color, row.place(to))));
                }
            }
        }
    }
    for step in passing_steps(row, links, color, legal_after) {
        if let Some(there) = after(step.row) {
            let class = classes.outcome(!color, there.place(step.last_after));
            if let Some(outcome) = step.worth(class).outcome() {
                let shown = match outcome {
                    Outcome::Win(_) => Outcome::Win(1),
                    Outcome::Loss(_) => Outcome::Loss(1),
                    Outcome::Draw => Outcome::Draw,
                };
                take(step.last, Worth::of(shown));
            }
        }
    }
}
