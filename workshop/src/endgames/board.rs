//! Board of a table position with move generation for its few pieces.

use stretto::attacks;
use stretto::tablebase::{Index, PieceSquares};
use stretto::types::{Bitboard, Color, Piece, PieceType, Rank, Square};

use super::steps::{pawn_steps, targets};

/// A position of a table without side to move and en passant square.
#[derive(Clone)]
pub(super) struct Board<'a> {
    index: &'a Index,
    pub(super) squares: PieceSquares,
    sides: [Bitboard; 2],
}

/// A capture, a promotion, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conversion {
    /// Index of the moving piece in `PieceSquares`.
    pub(super) place: usize,
    pub(super) to: Square,
    /// Index of the captured piece.
    pub(super) captured: Option<usize>,
    pub(super) promotion: Option<PieceType>,
}

impl<'a> Board<'a> {
    #[inline]
    pub(super) fn new(index: &'a Index, squares: PieceSquares) -> Self {
        let mut sides = [Bitboard::EMPTY; 2];
        for (place, &square) in squares.iter().enumerate() {
            sides[index.piece(place).color.index()] |= Bitboard::from(square);
        }
        Self { index, squares, sides }
    }

    /// Returns the board at an index of the table; `None` if it has no position there.
    #[inline]
    pub(super) fn at(index: &'a Index, place: usize) -> Option<Self> {
        index.squares_at(place).map(|squares| Self::new(index, squares))
    }

    #[inline]
    fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    #[inline]
    fn king(&self, color: Color) -> Square {
        self.squares[color.index()]
    }

    /// Returns the pieces of a side with their indices and squares.
    #[inline]
    fn places(&self, color: Color) -> impl Iterator<Item = (usize, Piece, Square)> + '_ {
        let squares = self.squares.iter().enumerate();
        squares
            .map(|(place, &square)| (place, self.index.piece(place), square))
            .filter(move |(_, piece, _)| piece.color == color)
    }

    /// Returns whether a side attacks a square with the given occupancy. `gone` is the index of a
    /// captured piece.
    #[inline]
    fn attacks(&self, by: Color, square: Square, occupied: Bitboard, gone: Option<usize>) -> bool {
        self.places(by).any(|(place, piece, from)| {
            gone != Some(place) && attacks::of(piece.kind, by, from, occupied).has(square)
        })
    }

    /// Returns whether the side's king is attacked.
    #[inline]
    pub(super) fn is_check(&self, color: Color) -> bool {
        self.attacks(!color, self.king(color), self.occupied(), None)
    }

    /// Returns whether the position is legal with this side to move: the other king must not be in
    /// check.
    #[inline]
    pub(super) fn is_legal(&self, to_move: Color) -> bool {
        !self.is_check(!to_move)
    }

    /// Returns whether the own king is safe after a piece has moved and possibly captured.
    #[inline]
    fn is_safe(&self, color: Color, place: usize, to: Square, captured: Option<usize>) -> bool {
        let mut occupied = self.occupied() & !Bitboard::from(self.squares[place]);
        if let Some(captured) = captured {
            occupied &= !Bitboard::from(self.squares[captured]);
        }
        occupied |= Bitboard::from(to);
        let king = if place == color.index() { to } else { self.king(color) };
        !self.attacks(!color, king, occupied, captured)
    }

    /// Returns the squares after the piece at `place` has moved to `to`.
    #[inline]
    pub(super) fn moved(&self, place: usize, to: Square) -> PieceSquares {
        let mut squares = self.squares.clone();
        squares[place] = to;
        squares
    }

    /// Visits the legal moves within the table: no captures and no promotions. `visit` returns
    /// whether to continue.
    #[inline]
    pub(super) fn quiet_moves(&self, color: Color, mut visit: impl FnMut(usize, Square) -> bool) {
        for (place, piece, from) in self.places(color) {
            for to in targets(piece, from, self.occupied()) {
                if self.is_safe(color, place, to, None) && !visit(place, to) {
                    return;
                }
            }
        }
    }

    /// Returns whether the side has a legal move other than en passant.
    pub(super) fn has_move(&self, color: Color) -> bool {
        let mut has_move = false;
        self.quiet_moves(color, |_, _| {
            has_move = true;
            false
        });
        self.conversions(color, |_| has_move = true);
        has_move
    }

    /// Visits the legal moves that leave the table.
    #[inline]
    pub(super) fn conversions(&self, color: Color, mut visit: impl FnMut(Conversion)) {
        let last = Bitboard::rank(color.relative_rank(Rank::EIGHTH));
        let theirs = self.sides[(!color).index()];
        for (place, piece, from) in self.places(color) {
            let reached = attacks::of(piece.kind, color, from, self.occupied()) & theirs;
            let steps = if piece.kind == PieceType::Pawn {
                pawn_steps(color, from, self.occupied()) & last
            } else {
                Bitboard::EMPTY
            };
            for to in reached | steps {
                let captured = self.squares.iter().position(|&square| square == to);
                // A position in which a king can be captured is not legal.
                if captured.is_some_and(|captured| captured < 2) || !self.is_safe(color, place, to, captured)
                {
                    continue;
                }
                if piece.kind == PieceType::Pawn && last.has(to) {
                    for promotion in PieceType::PROMOTIONS {
                        visit(Conversion { place, to, captured, promotion: Some(promotion) });
                    }
                } else {
                    visit(Conversion { place, to, captured, promotion: None });
                }
            }
        }
    }

    /// Returns the pawns that can legally capture en passant after a double step to `to`, with
    /// their target square.
    pub(super) fn en_passant(&self, color: Color, place: usize, to: Square) -> Vec<(usize, Square)> {
        let from = self.squares[place];
        let is_double =
            self.index.piece(place).kind == PieceType::Pawn && from.index().abs_diff(to.index()) == 16;
        if !is_double {
            return Vec::new();
        }
        let target = Square::from_index(usize::midpoint(from.index(), to.index()));
        let after = Self::new(self.index, self.moved(place, to));
        let takers = attacks::pawn(color, target);
        let pawns = after
            .places(!color)
            .filter(|(_, piece, square)| piece.kind == PieceType::Pawn && takers.has(*square));
        pawns
            .map(|(taker, ..)| taker)
            .filter(|&taker| after.is_safe(!color, taker, target, Some(place)))
            .map(|taker| (taker, target))
            .collect()
    }
}
