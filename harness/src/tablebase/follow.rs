//! The value of every position of one side to move, from the values of those one move away.
//!
//! This is how a finished table is checked, and how the side to move that a file leaves out is computed again. It works by
//! rows like `generate`, but on values instead of sets: the best of a row is the larger of two bytes, 64 times at once.

use rayon::prelude::*;
use stretto::tablebase::{Metric, Outcome, Row};
use stretto::types::{Bitboard, Color, PieceType, Square};

use super::codes::Codes;
use super::conversions::{Worths, best_conversions};
use super::generate::GenerateError;
use super::link::Links;
use super::passing::passing_steps;
use super::steps::{KingSteps, fixed_passing, fixed_steps, last_passing, last_targets, row_after_king};
use super::table::{Table, Tables};
use super::worth::Worth;

/// What follows for one side to move from a table's values for the other.
pub(super) struct Follow<'a> {
    table: &'a Table,
    color: Color,
    links: Links<'a>,
    kings: KingSteps,
    /// By rank: what a move is worth to a position with that rank.
    worths: Vec<Worth>,
    /// By place, the other side to move: how good it is for this side to move there. 0 where nothing legal stands.
    ranks: Vec<u8>,
    has_passing: bool,
}

/// Ranks by square of the last man.
type Ranks = [u8; Square::COUNT];
/// How many ranks a byte tells apart.
const RANKS: usize = 256;

impl<'a> Follow<'a> {
    /// For `color` to move.
    pub(super) fn new(table: &'a Table, color: Color, tables: &Tables) -> Result<Self, GenerateError> {
        let index = table.index();
        let links = Links::of(index, tables, table.metric(), &[color])
            .map_err(|missing| GenerateError::Missing { table: table.material(), missing })?;
        let outcomes = table.outcomes(!color).into_iter();
        let mut worths: Vec<Worth> = outcomes.map(|outcome| Worth::of(outcome.before())).collect();
        worths.push(Worth::NONE);
        worths.sort_unstable();
        worths.dedup();
        if worths.len() > RANKS {
            return Err(GenerateError::TooManyValues { table: table.material() });
        }
        let rank_of = |code: u8| {
            let worth = Worth::of(table.outcome_of(code).before());
            worths.binary_search(&worth).unwrap_or(0) as u8
        };
        let rank_of: Vec<u8> = (0..=u8::MAX).map(rank_of).collect();
        let len = index.row_len();
        let mut ranks = vec![0; index.len()];
        ranks.par_chunks_mut(len).zip(table.bytes(!color).par_chunks(len)).enumerate().for_each(
            |(number, (ranks, codes))| {
                if let Some(row) = index.row(number) {
                    for square in row.legal(!color) {
                        let within = square.index() - index.first_square();
                        ranks[within] = rank_of[usize::from(codes[within])];
                    }
                }
            },
        );
        let kings = KingSteps::new(index);
        let has_passing = index.material().has_pawns_on_both_sides();
        Ok(Self { table, color, links, kings, worths, ranks, has_passing })
    }

    /// The outcome by square of the last man. Without meaning where the position is not legal.
    pub(super) fn outcomes(&self, row: &Row<'_>) -> [Outcome; Square::COUNT] {
        let mut best = best_conversions(row, &self.links, self.color);
        self.count_pawn_moves(row, &mut best);
        let mut ranks = [0; Square::COUNT];
        self.by_fixed_men(row, &mut ranks);
        self.by_king(row, &mut ranks);
        if row.last().color == self.color {
            self.by_last_man(row, &mut ranks);
        }
        if self.has_passing {
            self.by_passing(row, &mut best);
        }
        let check = row.checks(self.color);
        let mut outcomes = [Outcome::Draw; Square::COUNT];
        for square in row.legal(self.color) {
            let worth = best[square.index()].max(self.worths[usize::from(ranks[square.index()])]);
            let stuck = if check.has(square) { Outcome::Loss(0) } else { Outcome::Draw };
            outcomes[square.index()] = worth.outcome().unwrap_or(stuck);
        }
        outcomes
    }

    /// Do moves of pawns end the count?
    fn ends_with_pawns(&self) -> bool {
        self.table.metric() == Metric::Dtz
    }

    fn row_ranks(&self, number: usize) -> &[u8] {
        let len = self.table.index().row_len();
        &self.ranks[number * len..][..len]
    }

    /// What ranks are worth where a move of a pawn has led there.
    fn pawn_worth(&self, rank: u8) -> Worth {
        let worth = self.worths[usize::from(rank)];
        match worth.outcome() {
            Some(Outcome::Win(_)) => Worth::of(Outcome::Win(1)),
            Some(Outcome::Loss(_)) => Worth::of(Outcome::Loss(1)),
            _ => worth,
        }
    }

    /// Where moves of pawns end the count, they are worth another thing than their rank.
    fn count_pawn_moves(&self, row: &Row<'_>, best: &mut Worths) {
        if !self.ends_with_pawns() {
            return;
        }
        let first = row.index().first_square();
        let mut take = |last: Square, rank: u8| {
            let known = &mut best[last.index()];
            *known = self.pawn_worth(rank).max(*known);
        };
        fixed_steps(row, self.color, |place, to, number, between| {
            if row.piece(place).kind == PieceType::Pawn {
                let there = self.row_ranks(number);
                for last in row.legal(self.color) & !between & !self.passing(row, place, to) {
                    take(last, there[last.index() - first]);
                }
            }
            true
        });
        if row.last().kind == PieceType::Pawn && row.last().color == self.color {
            let there = self.row_ranks(row.number());
            for last in row.legal(self.color) {
                for to in self.plain_targets(row, last) {
                    take(last, there[to.index() - first]);
                }
            }
        }
    }

    fn passing(&self, row: &Row<'_>, place: usize, to: Square) -> Bitboard {
        if self.has_passing { fixed_passing(row, place, to) } else { Bitboard::EMPTY }
    }

    /// Steps of the last man that are not double steps to be answered in passing.
    fn plain_targets(&self, row: &Row<'_>, from: Square) -> Bitboard {
        let to = last_targets(row, from);
        if !self.has_passing {
            return to;
        }
        let at = Bitboard::from(from).0;
        to & !(last_passing(row) & Bitboard(at << 16 | at >> 16))
    }

    fn by_fixed_men(&self, row: &Row<'_>, ranks: &mut Ranks) {
        let first = row.index().first_square();
        fixed_steps(row, self.color, |place, to, number, between| {
            if self.ends_with_pawns() && row.piece(place).kind == PieceType::Pawn {
                return true;
            }
            let there = self.row_ranks(number);
            let barred = between | self.passing(row, place, to);
            if barred.is_empty() {
                for (rank, &other) in ranks[first..].iter_mut().zip(there) {
                    *rank = other.max(*rank);
                }
            } else {
                for (within, (rank, &other)) in ranks[first..].iter_mut().zip(there).enumerate() {
                    let is_barred = barred.0 >> (within + first) & 1 != 0;
                    *rank = if is_barred { *rank } else { other.max(*rank) };
                }
            }
            true
        });
    }

    fn by_king(&self, row: &Row<'_>, ranks: &mut Ranks) {
        let index = row.index();
        let (first, rows) = (index.first_square(), index.rows_in_slice());
        for &step in self.kings.of(self.color, row.slice()) {
            let there = self.row_ranks(step.slice * rows + row_after_king(index, row, step));
            for (within, rank) in ranks[first..].iter_mut().take(there.len()).enumerate() {
                *rank = there[step.symmetry.square(within + first) - first].max(*rank);
            }
        }
    }

    fn by_last_man(&self, row: &Row<'_>, ranks: &mut Ranks) {
        if self.ends_with_pawns() && row.last().kind == PieceType::Pawn {
            return;
        }
        let (first, there) = (row.index().first_square(), self.row_ranks(row.number()));
        for from in row.legal(self.color) {
            let rank = &mut ranks[from.index()];
            for to in self.plain_targets(row, from) {
                *rank = there[to.index() - first].max(*rank);
            }
        }
    }

    fn by_passing(&self, row: &Row<'_>, best: &mut Worths) {
        let index = row.index();
        let legal_after =
            |number: usize| index.row(number).map_or(Bitboard::EMPTY, |row| row.legal(!self.color));
        for step in passing_steps(row, &self.links, self.color, legal_after) {
            let place = step.row * index.row_len() + step.last_after.index() - index.first_square();
            let mut worth = step.worth(self.table.at(!self.color, place));
            if self.ends_with_pawns() {
                worth = match worth.outcome() {
                    Some(Outcome::Win(_)) => Worth::of(Outcome::Win(1)),
                    Some(Outcome::Loss(_)) => Worth::of(Outcome::Loss(1)),
                    _ => worth,
                };
            }
            let known = &mut best[step.last.index()];
            *known = worth.max(*known);
        }
    }
}

/// The codes of a side to move, from those of the other side.
pub(super) fn reconstructed(
    table: &Table,
    color: Color,
    codes: &Codes,
    tables: &Tables,
) -> Result<Vec<u8>, GenerateError> {
    let follow = Follow::new(table, color, tables)?;
    let index = table.index();
    let mut values = vec![super::codes::WIN_IN_ONE; index.len()];
    let rows = values.par_chunks_mut(index.row_len()).enumerate();
    let is_coded = rows.try_for_each(|(number, values)| {
        let Some(row) = index.row(number) else { return Some(()) };
        let outcomes = follow.outcomes(&row);
        for square in row.legal(color) {
            values[square.index() - index.first_square()] = codes.of(outcomes[square.index()])?;
        }
        Some(())
    });
    is_coded.ok_or(GenerateError::TooManyValues { table: table.material() })?;
    Ok(values)
}
