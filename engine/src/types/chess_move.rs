//! Chess moves packed into sixteen bits.

use std::fmt;
use std::num::NonZeroU16;

use super::{PieceType, Square};

/// The kind of a move, with the promotion piece where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// A plain move or capture.
    Normal,
    /// A pawn capture of a pawn that has just made a double step.
    EnPassant,
    /// Castling, encoded as the king moving to its own rook's square, in every variant.
    Castling,
    /// A pawn move to the last rank, with the piece it promotes to.
    Promotion(PieceType),
}

/// A move in 16 bits: bits 0-5 from, 6-11 to, 12-13 promotion piece, 14-15 kind.
///
/// The value is never zero, because no move has equal squares; `Option<Move>` therefore takes two
/// bytes. Castling is encoded as the king taking its own rook, which is unambiguous in Chess960.
/// `position` converts it to the text that a GUI expects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(NonZeroU16);

impl Move {
    const KIND_PROMOTION: u16 = 1 << 14;
    const KIND_EN_PASSANT: u16 = 2 << 14;
    const KIND_CASTLING: u16 = 3 << 14;

    /// Returns the move between two squares with the given kind.
    ///
    /// # Panics
    /// Panics for a normal move from a1 to a1, the only one that packs to zero. Move generation
    /// never produces it.
    #[inline]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        let tail = match kind {
            MoveKind::Normal => 0,
            MoveKind::EnPassant => Self::KIND_EN_PASSANT,
            MoveKind::Castling => Self::KIND_CASTLING,
            // Knight, bishop, rook and queen have the indices 1 to 4; two bits hold 0 to 3.
            MoveKind::Promotion(piece) => Self::KIND_PROMOTION | ((piece.index() as u16 - 1) & 3) << 12,
        };
        let bits = from.index() as u16 | (to.index() as u16) << 6 | tail;
        match NonZeroU16::new(bits) {
            Some(bits) => Self(bits),
            None => panic!("a move from a1 to a1 cannot be packed"),
        }
    }

    /// Returns a normal move or capture between two squares.
    #[inline]
    pub const fn normal(from: Square, to: Square) -> Self {
        Self::new(from, to, MoveKind::Normal)
    }

    /// Returns the square the piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index(self.0.get() as usize)
    }

    /// Returns the target square; for castling, the square of the rook.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index((self.0.get() >> 6) as usize)
    }

    /// Returns the kind of the move.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match self.0.get() >> 14 {
            0 => MoveKind::Normal,
            1 => MoveKind::Promotion(PieceType::from_index((self.0.get() >> 12 & 3) as usize + 1)),
            2 => MoveKind::EnPassant,
            _ => MoveKind::Castling,
        }
    }

    /// Returns the piece that the pawn promotes to, if the move is a promotion.
    #[inline]
    pub const fn promotion(self) -> Option<PieceType> {
        match self.kind() {
            MoveKind::Promotion(piece) => Some(piece),
            _ => None,
        }
    }

    /// Whether the move is castling.
    #[inline]
    pub const fn is_castling(self) -> bool {
        self.0.get() >> 14 == 3
    }

    /// Whether the move is an en passant capture.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0.get() >> 14 == 2
    }

    /// Returns the packed bits, as the hash table stores them. Range: 1 to 65535.
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0.get()
    }

    /// Returns the move with these bits, or `None` for 0. Other words may decode to illegal moves.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }
}

impl fmt::Display for Move {
    /// Writes UCI text in Chess960 form: `e2e4`, `e7e8q`, castling as king takes rook.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(piece) => write!(f, "{}", piece.to_char()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}({:?})", self.kind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_kind_survives_packing() {
        let kinds = [MoveKind::Normal, MoveKind::EnPassant, MoveKind::Castling]
            .into_iter()
            .chain(PieceType::PROMOTIONS.map(MoveKind::Promotion));
        for kind in kinds {
            for from in Square::all() {
                for to in Square::all().filter(|&to| to != from) {
                    let mv = Move::new(from, to, kind);
                    assert_eq!((mv.from(), mv.to(), mv.kind()), (from, to, kind));
                    assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
                }
            }
        }
        assert_eq!(size_of::<Option<Move>>(), 2);
    }
}
