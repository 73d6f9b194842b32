//! The inputs of the network: which piece stands where, seen by either side.
//!
//! Each side sees itself at the bottom of the board, and its king on the files a to d: for a king on the other half the
//! board is mirrored, which halves what there is to learn. An input is numbered by whose piece it is (own first), what
//! it is, and its square as seen.
//!
//! Source: the usual 768 inputs of small networks; mirroring is in common use since 2022.

use crate::types::{Color, Piece, Square};

/// Inputs of one side: two colours, six kinds, sixty-four squares.
pub const FEATURES: usize = 768;

/// The number of the input that says whose piece it is, own or not.
const OWNER: usize = FEATURES / 2;

/// How a side sees the board: what its squares are changed by (XOR). Range: 0, 7, 56 or 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View(u8);

impl View {
    /// How a side sees the board whose king stands there.
    #[inline]
    pub fn of(side: Color, king: Square) -> Self {
        let turned = if side == Color::Black { 56 } else { 0 };
        let mirrored = if king.file().index() >= 4 { 7 } else { 0 };
        Self(turned | mirrored)
    }

    /// Is left right?
    #[inline]
    pub fn is_mirrored(self) -> bool {
        self.0 & 1 != 0
    }

    /// The number of the input that says, to `side`, that this piece stands there. Range: below [`FEATURES`].
    #[inline]
    pub fn feature(self, side: Color, piece: Piece, square: Square) -> u16 {
        let owner = if piece.color == side { 0 } else { OWNER };
        (owner + Square::COUNT * piece.kind.index() + (square.index() ^ usize::from(self.0))) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    /// All inputs of one side, in order.
    fn features(fen: &str, side: Color) -> Vec<u16> {
        let position = Position::from_fen(fen).expect("a position");
        let view = View::of(side, position.king(side));
        let mut features: Vec<u16> = position
            .occupied()
            .into_iter()
            .filter_map(|square| position.piece_on(square).map(|piece| view.feature(side, piece, square)))
            .collect();
        features.sort_unstable();
        features
    }

    #[test]
    fn both_sides_see_a_mirrored_position_alike() {
        let white = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let black = "r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1";
        assert_eq!(features(white, Color::White), features(black, Color::Black));
        assert_eq!(features(white, Color::Black), features(black, Color::White));
    }

    #[test]
    fn left_and_right_are_alike() {
        let left = features("4k3/8/8/3q4/8/8/1P6/1K6 w - - 0 1", Color::White);
        let right = features("3k4/8/8/4q3/8/8/6P1/6K1 w - - 0 1", Color::White);
        assert_eq!(left, right);
        // Own pawn on b2, own king on b1, their queen on d5, their king on e8.
        assert_eq!(left, [9, 320 + 1, 384 + 256 + 35, 384 + 320 + 60]);
    }

    #[test]
    fn numbers_are_all_different() {
        for side in Color::ALL {
            for king in Square::all() {
                let view = View::of(side, king);
                let mut seen = vec![false; FEATURES];
                for color in Color::ALL {
                    for kind in crate::types::PieceType::ALL {
                        for square in Square::all() {
                            let feature = view.feature(side, Piece::new(color, kind), square);
                            assert!(!std::mem::replace(&mut seen[usize::from(feature)], true));
                        }
                    }
                }
            }
        }
    }
}
