//! A move in sixteen bits.

use std::fmt;
use std::num::NonZeroU16;

use super::{PieceType, Square};

/// What a move does beyond carrying a piece from one square to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// A plain move or capture.
    Normal,
    /// A pawn takes another that passed it.
    EnPassant,
    /// King and rook; the move's target is the rook's square, in every variant.
    Castling,
    /// A pawn reaches the last rank and becomes this.
    Promotion(PieceType),
}

/// From, to and kind, packed: bits 0-5 from, 6-11 to, 12-13 promotion piece, 14-15 kind.
///
/// Never zero (no move stays where it is), so `Option<Move>` takes two bytes. Castling is written as the king
/// taking its own rook, which is unambiguous in Chess960; `position` turns it into the text a GUI expects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(NonZeroU16);

impl Move {
    const KIND_PROMOTION: u16 = 1 << 14;
    const KIND_EN_PASSANT: u16 = 2 << 14;
    const KIND_CASTLING: u16 = 3 << 14;

    /// A move of this kind.
    ///
    /// # Panics
    /// When a plain move stays on a1, the one word that would be zero; no generator makes such a move.
    #[inline]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        let tail = match kind {
            MoveKind::Normal => 0,
            MoveKind::EnPassant => Self::KIND_EN_PASSANT,
            MoveKind::Castling => Self::KIND_CASTLING,
            // Knight, bishop, rook, queen are 1 to 4; two bits hold 0 to 3.
            MoveKind::Promotion(piece) => Self::KIND_PROMOTION | ((piece.index() as u16 - 1) & 3) << 12,
        };
        let bits = from.index() as u16 | (to.index() as u16) << 6 | tail;
        match NonZeroU16::new(bits) {
            Some(bits) => Self(bits),
            None => panic!("a move never stays on a1"),
        }
    }

    /// A plain move or capture.
    #[inline]
    pub const fn normal(from: Square, to: Square) -> Self {
        Self::new(from, to, MoveKind::Normal)
    }

    /// Where the piece starts.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index(self.0.get() as usize)
    }

    /// Where the piece lands; for castling, the rook's square.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index((self.0.get() >> 6) as usize)
    }

    /// What else the move does.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match self.0.get() >> 14 {
            0 => MoveKind::Normal,
            1 => MoveKind::Promotion(PieceType::from_index((self.0.get() >> 12 & 3) as usize + 1)),
            2 => MoveKind::EnPassant,
            _ => MoveKind::Castling,
        }
    }

    /// What the pawn becomes, if it does.
    #[inline]
    pub const fn promotion(self) -> Option<PieceType> {
        match self.kind() {
            MoveKind::Promotion(piece) => Some(piece),
            _ => None,
        }
    }

    /// Is it castling?
    #[inline]
    pub const fn is_castling(self) -> bool {
        self.0.get() >> 14 == 3
    }

    /// Is it an en passant capture?
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0.get() >> 14 == 2
    }

    /// The packed bits, for the hash table. Range: 1 to 65535.
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0.get()
    }

    /// The move with these bits; `None` for 0. Any other word is some move, legal or not.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }
}

impl fmt::Display for Move {
    /// UCI text in Chess960 form: `e2e4`, `e7e8q`, castling as king takes rook.
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
    fn packs_and_unpacks_every_kind() {
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
