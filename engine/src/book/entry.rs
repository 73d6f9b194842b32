//! One entry of a book: position key, move, weight, and learned results.

use std::fmt;

use super::BookKey;
use crate::position::Position;
use crate::types::{Move, MoveKind, PieceType, Square};

/// Size of an entry: key, move, weight, games and half points, all big-endian. Units: bytes.
pub const ENTRY_BYTES: usize = 16;

/// An encoded book move: bits 0-5 target, 6-11 origin, 12-14 promotion (1 knight to 4 queen).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BookMove(pub u16);

/// The results of games in which a book move was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Learned {
    /// Number of games in which the move was played.
    pub games: u16,
    /// Points scored by the side that played the move: 2 per win, 1 per draw.
    pub half_points: u16,
}

/// An entry of a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    /// The position key; 0 in header lines, which are not entries.
    pub key: BookKey,
    /// The encoded move; castling is the king taking its rook.
    pub mv: BookMove,
    /// Weight relative to the position's other moves; 0 excludes the move. By convention twice the
    /// wins plus the draws.
    pub weight: u16,
    /// The learned results of the move.
    pub learned: Learned,
}

impl Entry {
    /// Decodes the bytes of a file.
    pub fn from_bytes(bytes: [u8; ENTRY_BYTES]) -> Self {
        let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, g0, g1, p0, p1] = bytes;
        Self {
            key: BookKey(u64::from_be_bytes([k0, k1, k2, k3, k4, k5, k6, k7])),
            mv: BookMove(u16::from_be_bytes([m0, m1])),
            weight: u16::from_be_bytes([w0, w1]),
            learned: Learned {
                games: u16::from_be_bytes([g0, g1]),
                half_points: u16::from_be_bytes([p0, p1]),
            },
        }
    }

    /// Encodes the entry for a file.
    pub fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let words = [self.mv.0, self.weight, self.learned.games, self.learned.half_points];
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..8].copy_from_slice(&self.key.0.to_be_bytes());
        for (pair, word) in bytes[8..].chunks_exact_mut(2).zip(words) {
            pair.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }
}

impl BookMove {
    /// Encodes a legal move, castling as the king taking its rook.
    pub fn new(mv: Move) -> Self {
        let promotion = mv.promotion().map_or(0, PieceType::index) as u16;
        Self(mv.to().index() as u16 | (mv.from().index() as u16) << 6 | promotion << 12)
    }

    /// Returns the legal move that is meant in a position. Castling may be encoded as the king
    /// taking its rook or as the king's move; from a square without a king, either encoding is an
    /// ordinary move.
    pub fn to_move(self, position: &Position) -> Option<Move> {
        let promotion = self.promotion().ok()?;
        (self.from() != self.to()).then(|| position.find_move(self.from(), self.to(), promotion)).flatten()
    }

    fn from(self) -> Square {
        Square::from_index(usize::from(self.0 >> 6))
    }

    fn to(self) -> Square {
        Square::from_index(usize::from(self.0))
    }

    /// Returns the promotion piece, if any.
    ///
    /// Errors: bits without a meaning.
    fn promotion(self) -> Result<Option<PieceType>, u16> {
        match self.0 >> 12 {
            0 => Ok(None),
            kind @ 1..=4 => Ok(Some(PieceType::from_index(usize::from(kind)))),
            unknown => Err(unknown),
        }
    }
}

impl fmt::Display for BookMove {
    /// Writes the move as in UCI; an encoding that is not a move is written as a number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.promotion() {
            Ok(promotion) if self.from() != self.to() => {
                let kind = promotion.map_or(MoveKind::Normal, MoveKind::Promotion);
                Move::new(self.from(), self.to(), kind).fmt(f)
            }
            _ => write!(f, "{:#06x}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect("a position")
    }

    fn bits(from: &str, to: &str, promotion: u16) -> BookMove {
        let index = |text: &str| text.parse::<Square>().expect("a square").index() as u16;
        BookMove(index(from) << 6 | index(to) | promotion << 12)
    }

    #[test]
    fn entries_are_sixteen_big_endian_bytes() {
        let entry = Entry {
            key: BookKey(0x0102_0304_0506_0708),
            mv: BookMove(0x090A),
            weight: 0x0B0C,
            learned: Learned { games: 0x0D0E, half_points: 0x0F10 },
        };
        let bytes: [u8; ENTRY_BYTES] = std::array::from_fn(|index| index as u8 + 1);
        assert_eq!(entry.to_bytes(), bytes);
        assert_eq!(Entry::from_bytes(bytes), entry);
    }

    #[test]
    fn every_legal_move_survives_encoding() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/P1k4p/8/2pP4/8/8/p5P1/1N2K3 w - c6 0 1",
            "1k6/8/8/8/8/8/4p3/R1K1R3 b - - 0 1",
            "nrb1kbqr/pppppppp/8/8/8/8/PPPPPPPP/NRB1K1QR w HBhb - 0 1",
        ] {
            let position = position(fen);
            for &mv in &position.legal_moves() {
                assert_eq!(BookMove::new(mv).to_move(&position), Some(mv), "{mv} in {fen}");
            }
        }
    }

    #[test]
    fn castling_has_two_encodings_and_needs_a_king() {
        let castles = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        for (to, rook) in [("h1", "h1"), ("g1", "h1"), ("a1", "a1"), ("c1", "a1")] {
            let found = bits("e1", to, 0).to_move(&castles).expect("castling");
            assert!(found.is_castling() && found.to() == rook.parse().expect("a square"), "{to}: {found}");
        }
        let rook = position("3k4/8/8/8/8/8/K7/4R3 w - - 0 1");
        for to in ["h1", "g1"] {
            let found = bits("e1", to, 0).to_move(&rook).expect("a rook's move");
            assert!(!found.is_castling() && found.to() == to.parse().expect("a square"));
        }
        let without = position("r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1");
        assert_eq!(bits("e1", "h1", 0).to_move(&without), None);
        // In Chess960 a king move to g1 is an ordinary move if one is legal.
        let fischer = position("1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1");
        assert!(!bits("f1", "g1", 0).to_move(&fischer).expect("a step").is_castling());
        assert!(bits("f1", "h1", 0).to_move(&fischer).expect("castling").is_castling());
    }

    #[test]
    fn illegal_or_malformed_moves_decode_to_none() {
        let start = Position::startpos();
        for mv in
            [BookMove(0), bits("e2", "e5", 0), bits("e2", "e4", 5), bits("e7", "e5", 0), BookMove(0xFFFF)]
        {
            assert_eq!(mv.to_move(&start), None, "{mv}");
        }
        assert_eq!(bits("e2", "e4", 1).to_move(&start), None);
        assert_eq!(
            (bits("e7", "e8", 4).to_string(), BookMove(0).to_string()),
            ("e7e8q".into(), "0x0000".into())
        );
    }
}
