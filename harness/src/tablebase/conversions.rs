//! What captures and promotions are worth, for all squares of the last man.

use stretto::attacks;
use stretto::tablebase::Row;
use stretto::types::{Bitboard, Color, PieceType, Rank, Square};

use super::board::Conversion;
use super::link::Links;
use super::worth::Worth;

/// The best by square of the last man.
pub(super) type Worths = [Worth; Square::COUNT];

/// Conversions of one side from one row.
struct Converting<'a> {
    row: &'a Row<'a>,
    links: &'a Links<'a>,
    color: Color,
    /// Squares of the last man with which the side may be to move.
    legal: Bitboard,
}

/// The best conversion of a side by square of the last man, for those squares with which it may be to move.
pub(super) fn best_conversions(row: &Row<'_>, links: &Links<'_>, color: Color) -> Worths {
    let converting = Converting { row, links, color, legal: row.legal(color) };
    let mut best = [Worth::NONE; Square::COUNT];
    converting.by_fixed_men(&mut best);
    if row.last().color == color {
        converting.by_last_man(&mut best);
    }
    best
}

impl Converting<'_> {
    fn kind_of(&self, place: usize) -> PieceType {
        self.row.piece(place).kind
    }

    /// What a man may become on a square.
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

    /// Is it a pawn one step before promotion, and where to?
    fn promotion_square(&self, place: usize, from: Square) -> Option<Square> {
        let seventh = Bitboard::rank(self.color.relative_rank(Rank::SEVENTH));
        let to = from.forward(self.color);
        let is_open =
            self.kind_of(place) == PieceType::Pawn && seventh.has(from) && !self.row.occupied().has(to);
        is_open.then_some(to)
    }

    /// The best of a move, whatever it promotes to, with the last man on a square.
    fn worth(&self, place: usize, to: Square, captured: Option<usize>, last: Square) -> Worth {
        let men = self.row.with_last(last);
        let worths = self.promotions(place, to).iter().map(|&promotion| {
            self.links.worth(self.color, &men, Conversion { place, to, captured, promotion })
        });
        worths.max().unwrap_or_default()
    }

    fn by_fixed_men(&self, best: &mut Worths) {
        let row = self.row;
        let mut take = |squares: Bitboard, place: usize, to: Square, captured: Option<usize>| {
            for last in squares & self.legal {
                let found = self.worth(place, to, captured, last);
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
                    take(at.into(), place, at, Some(row.men().len()));
                }
            }
            if let Some(to) = self.promotion_square(place, from) {
                take(!Bitboard::from(to), place, to, None);
            }
        }
    }

    fn by_last_man(&self, best: &mut Worths) {
        let (row, place) = (self.row, self.row.men().len());
        let kind = row.last().kind;
        for (captured, _, at) in row.fixed_of(!self.color).filter(|&(place, ..)| place >= 2) {
            let origins = attacks::of(kind, !self.color, at, row.occupied()) & self.legal;
            if let Some(any) = origins.first() {
                // The same position wherever it came from.
                let found = self.worth(place, at, Some(captured), any);
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
                    *known = self.worth(place, to, None, last).max(*known);
                }
            }
        }
    }
}
