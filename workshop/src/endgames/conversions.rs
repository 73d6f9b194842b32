//! Values of captures and promotions, for all squares of the last piece at once.

use stretto::attacks;
use stretto::tablebase::Row;
use stretto::types::{Bitboard, Color, PieceType, Rank, Square};

use super::board::Conversion;
use super::link::Links;
use super::value::Value;

/// The best value for each square of the last piece.
pub(super) type Values = [Value; Square::COUNT];

/// The conversions of one side from one row.
struct Conversions<'a> {
    row: &'a Row<'a>,
    links: &'a Links<'a>,
    color: Color,
    /// Squares of the last piece for which the position is legal with this side to move.
    legal: Bitboard,
}

/// Returns the best conversion of a side for each square of the last piece with a legal position.
pub(super) fn best_conversions(row: &Row<'_>, links: &Links<'_>, color: Color) -> Values {
    let conversions = Conversions { row, links, color, legal: row.legal(color) };
    let mut best = [Value::NONE; Square::COUNT];
    conversions.by_fixed_pieces(&mut best);
    if row.last().color == color {
        conversions.by_last_piece(&mut best);
    }
    best
}

impl Conversions<'_> {
    fn kind_of(&self, place: usize) -> PieceType {
        self.row.piece(place).kind
    }

    /// Returns the pieces that a piece may become on a square.
    fn promotions(&self, place: usize, to: Square) -> &'static [Option<PieceType>] {
        const NONE: &[Option<PieceType>] = &[None];
        const ALL: &[Option<PieceType>] = &[
            Some(PieceType::Queen),
            Some(PieceType::Rook),
            Some(PieceType::Bishop),
            Some(PieceType::Knight),
        ];
        let last = Bitboard::rank(self.color.relative_rank(Rank::EIGHTH));
        if self.kind_of(place) == PieceType::Pawn && last.has(to) { ALL } else { NONE }
    }

    /// Returns the promotion square of a pawn on the seventh rank, if it is free.
    fn promotion_square(&self, place: usize, from: Square) -> Option<Square> {
        let seventh = Bitboard::rank(self.color.relative_rank(Rank::SEVENTH));
        let to = from.forward(self.color);
        let is_open =
            self.kind_of(place) == PieceType::Pawn && seventh.has(from) && !self.row.occupied().has(to);
        is_open.then_some(to)
    }

    /// Returns the best value of a move over all promotions, with the last piece on the given
    /// square.
    fn value(&self, place: usize, to: Square, captured: Option<usize>, last: Square) -> Value {
        let squares = self.row.with_last(last);
        let values = self.promotions(place, to).iter().map(|&promotion| {
            self.links.value(self.color, &squares, Conversion { place, to, captured, promotion })
        });
        values.max().unwrap_or_default()
    }

    fn by_fixed_pieces(&self, best: &mut Values) {
        let row = self.row;
        let mut take = |squares: Bitboard, place: usize, to: Square, captured: Option<usize>| {
            for last in squares & self.legal {
                let found = self.value(place, to, captured, last);
                let known = &mut best[last.index()];
                *known = found.max(*known);
            }
        };
        for (place, piece, from) in row.fixed_of(self.color) {
            let reached = attacks::of(piece.kind, piece.color, from, row.occupied());
            for (captured, _, at) in row.fixed_of(!self.color).filter(|&(place, ..)| place >= 2) {
                if reached.has(at) {
                    take(!attacks::between(from, at), place, at, Some(captured));
                }
            }
            if row.last().color != self.color {
                for at in reached & self.legal {
                    take(at.into(), place, at, Some(row.fixed_squares().len()));
                }
            }
            if let Some(to) = self.promotion_square(place, from) {
                take(!Bitboard::from(to), place, to, None);
            }
        }
    }

    fn by_last_piece(&self, best: &mut Values) {
        let (row, place) = (self.row, self.row.fixed_squares().len());
        let kind = row.last().kind;
        for (captured, _, at) in row.fixed_of(!self.color).filter(|&(place, ..)| place >= 2) {
            let origins = attacks::of(kind, !self.color, at, row.occupied()) & self.legal;
            if let Some(any) = origins.first() {
                // The resulting position does not depend on the origin of the last piece.
                let found = self.value(place, at, Some(captured), any);
                for last in origins {
                    let known = &mut best[last.index()];
                    *known = found.max(*known);
                }
            }
        }
        if kind == PieceType::Pawn {
            for last in self.legal {
                if let Some(to) = self.promotion_square(place, last) {
                    let known = &mut best[last.index()];
                    *known = self.value(place, to, None, last).max(*known);
                }
            }
        }
    }
}
