//! Recomputation of one side to move from the values one ply later.
//!
//! Used to verify a finished table and to restore the side to move that a file omits. Works by rows
//! like `generate`, but on values instead of sets: 64 byte maxima per row at once.

use rayon::prelude::*;
use stretto::tablebase::{Outcome, Row};
use stretto::types::{Bitboard, Color, PieceType, Square};

use super::codes::Codes;
use super::conversions::{Values, best_conversions};
use super::en_passant::en_passant_steps;
use super::generate::GenerateError;
use super::link::Links;
use super::steps::{
    KingSteps, double_step, fixed_en_passant, fixed_steps, last_en_passant, last_targets, row_after_king,
};
use super::table::{Table, Tables};
use super::value::Value;

/// The values that follow for one side to move from a table's values for the other side.
pub(super) struct Lookahead<'a> {
    table: &'a Table,
    color: Color,
    links: Links<'a>,
    kings: KingSteps,
    /// By rank: the value of a position from which a move leads to a position of that rank.
    values: Vec<Value>,
    /// By index, with the other side to move: rank of a move to this position. 0 for illegal
    /// positions.
    ranks: Vec<u8>,
    has_en_passant: bool,
}

/// Ranks by square of the last piece.
type Ranks = [u8; Square::COUNT];
/// Number of ranks in a byte.
const RANKS: usize = 256;

impl<'a> Lookahead<'a> {
    /// Prepares the recomputation for `color` to move.
    pub(super) fn new(table: &'a Table, color: Color, tables: &Tables) -> Result<Self, GenerateError> {
        let index = table.index();
        let links = Links::of(index, tables, table.metric(), &[color])
            .map_err(|missing| GenerateError::Missing { table: table.material(), missing })?;
        let outcomes = table.outcomes(!color).into_iter();
        let mut values: Vec<Value> = outcomes.map(|outcome| Value::of(outcome.before())).collect();
        values.push(Value::NONE);
        values.sort_unstable();
        values.dedup();
        if values.len() > RANKS {
            return Err(GenerateError::TooManyValues { table: table.material() });
        }
        let rank_of = |code: u8| {
            let value = Value::of(table.outcome_of(!color, code).before());
            values.binary_search(&value).unwrap_or(0) as u8
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
        let has_en_passant = index.material().has_pawns_on_both_sides();
        Ok(Self { table, color, links, kings, values, ranks, has_en_passant })
    }

    /// Returns the outcome for each square of the last piece; undefined for illegal positions.
    pub(super) fn outcomes(&self, row: &Row<'_>) -> [Outcome; Square::COUNT] {
        let mut best = best_conversions(row, &self.links, self.color);
        self.count_pawn_moves(row, &mut best);
        let mut ranks = [0; Square::COUNT];
        self.by_fixed_pieces(row, &mut ranks);
        self.by_king(row, &mut ranks);
        if row.last().color == self.color {
            self.by_last_piece(row, &mut ranks);
        }
        if self.has_en_passant {
            self.by_en_passant(row, &mut best);
        }
        let check = row.checks(self.color);
        let mut outcomes = [Outcome::Draw; Square::COUNT];
        for square in row.legal(self.color) {
            let value = best[square.index()].max(self.values[usize::from(ranks[square.index()])]);
            let stuck = if check.has(square) { Outcome::Loss(0) } else { Outcome::Draw };
            outcomes[square.index()] = value.outcome().unwrap_or(stuck);
        }
        outcomes
    }

    /// Whether pawn moves are zeroing moves of the metric.
    fn ends_with_pawns(&self) -> bool {
        self.table.metric().ends_with(false, true)
    }

    fn row_ranks(&self, number: usize) -> &[u8] {
        let len = self.table.index().row_len();
        &self.ranks[number * len..][..len]
    }

    /// Adds pawn moves where they are zeroing, since their value is not that of the rank.
    fn count_pawn_moves(&self, row: &Row<'_>, best: &mut Values) {
        if !self.ends_with_pawns() {
            return;
        }
        let first = row.index().first_square();
        let mut take = |last: Square, rank: u8| {
            let known = &mut best[last.index()];
            *known = self.values[usize::from(rank)].zeroed().max(*known);
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
        if self.has_en_passant { fixed_en_passant(row, place, to) } else { Bitboard::EMPTY }
    }

    /// Returns the moves of the last piece without double steps that allow en passant.
    fn plain_targets(&self, row: &Row<'_>, from: Square) -> Bitboard {
        let to = last_targets(row, from);
        if !self.has_en_passant {
            return to;
        }
        to & !(last_en_passant(row) & double_step(from))
    }

    fn by_fixed_pieces(&self, row: &Row<'_>, ranks: &mut Ranks) {
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

    fn by_last_piece(&self, row: &Row<'_>, ranks: &mut Ranks) {
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

    fn by_en_passant(&self, row: &Row<'_>, best: &mut Values) {
        let index = row.index();
        let legal_after =
            |number: usize| index.row(number).map_or(Bitboard::EMPTY, |row| row.legal(!self.color));
        for step in en_passant_steps(row, &self.links, self.color, legal_after) {
            let place = step.row * index.row_len() + step.last_after.index() - index.first_square();
            let mut value = step.value(self.table.at(!self.color, place));
            if self.ends_with_pawns() {
                value = value.zeroed();
            }
            let known = &mut best[step.last.index()];
            *known = value.max(*known);
        }
    }
}

/// Recomputes the codes of a side to move from those of the other side.
pub(super) fn reconstructed(
    table: &Table,
    color: Color,
    codes: &Codes,
    tables: &Tables,
) -> Result<Vec<u8>, GenerateError> {
    let follow = Lookahead::new(table, color, tables)?;
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
