//! The network's input features: a piece on a square, seen from either side with its king in one of
//! four areas (king buckets).
//!
//! Each side sees itself at the bottom of the board with its king on the files a to d. For a king
//! on the other half the board is mirrored, which halves the number of weights to learn. The
//! feature index is composed of the bucket of the own king, the owner of the piece (own first), its
//! type, and its square as seen by the side.
//!
//! Source: the 768 inputs common in small networks; horizontal mirroring is common since 2022, and
//! king buckets come from the `HalfKP` features of Y. Nasu (2018).

use crate::types::{ByColor, Color, Piece, Square};

/// Number of features for one king bucket: two owners, six piece types, sixty-four squares.
pub(super) const PIECE_FEATURES: usize = 768;

/// Number of king buckets.
pub const KING_BUCKETS: usize = 4;

/// Number of features per side.
pub const FEATURES: usize = KING_BUCKETS * PIECE_FEATURES;

/// Index offset of enemy pieces.
const OWNER: usize = PIECE_FEATURES / 2;

/// The XOR mask of a square that turns the board around for Black.
const TURN: u8 = 56;

/// The XOR mask of a square that mirrors the board.
const MIRROR: u8 = 7;

/// Returns the bucket of a king, as its side sees it, on the files a to d: the corner of the first
/// rank, the rest of it, the second rank, and beyond.
const fn king_bucket(square: usize) -> u8 {
    match square / 8 {
        0 if square % 8 < 2 => 0,
        0 => 1,
        1 => 2,
        _ => 3,
    }
}

/// The area of a side's king and the mirroring of its board: twice the king bucket, plus one if mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View(u8);

impl View {
    /// Number of views of one side.
    pub(super) const COUNT: usize = 2 * KING_BUCKETS;

    /// The view of White with its king in the first bucket.
    pub(super) const DEFAULT: Self = Self(0);

    /// Returns the view of a side whose king is on this square.
    #[inline]
    pub fn of(side: Color, king: Square) -> Self {
        let is_mirrored = king.file().index() >= 4;
        let turned = if side == Color::Black { TURN } else { 0 };
        let mirrored = if is_mirrored { MIRROR } else { 0 };
        let bucket = king_bucket(king.index() ^ usize::from(turned ^ mirrored));
        Self(2 * bucket + u8::from(is_mirrored))
    }

    /// Returns the bucket of the king. Range: below [`KING_BUCKETS`].
    #[inline]
    pub fn king_bucket(self) -> u8 {
        self.0 / 2
    }

    /// Returns its place among the views of a side. Range: below [`View::COUNT`].
    #[inline]
    pub(super) fn index(self) -> usize {
        self.0.into()
    }

    /// Returns the index of the feature for a piece on a square, seen by `side`. Range: below
    /// [`FEATURES`].
    #[inline]
    pub fn feature(self, side: Color, piece: Piece, square: Square) -> u16 {
        self.feature_of(PieceSquare::new(piece, square), side)
    }

    /// Returns the index of the feature for a piece on a square; see [`View::feature`].
    #[inline]
    pub(super) fn feature_of(self, piece: PieceSquare, side: Color) -> u16 {
        let mirrored = u16::from(self.0 & 1) * u16::from(MIRROR);
        (piece.0[side] ^ mirrored) + PIECE_FEATURES as u16 * u16::from(self.king_bucket())
    }
}

/// A piece on a square, as its feature in the first bucket of each side without mirroring. The rest
/// of the feature's index depends on the king alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceSquare(ByColor<u16>);

impl PieceSquare {
    #[inline]
    pub(super) fn new(piece: Piece, square: Square) -> Self {
        let own = (Square::COUNT * piece.kind.index() + square.index()) as u16;
        let owner = |side: Color| if piece.color == side { 0 } else { OWNER as u16 };
        Self(ByColor([own + owner(Color::White), (own ^ u16::from(TURN)) + owner(Color::Black)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    /// Returns all features of one side in increasing order.
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
    fn features_of_a_color_flipped_position_are_equal() {
        let white = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let black = "r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1";
        assert_eq!(features(white, Color::White), features(black, Color::Black));
        assert_eq!(features(white, Color::Black), features(black, Color::White));
    }

    #[test]
    fn features_of_a_horizontally_mirrored_position_are_equal() {
        let left = features("4k3/8/8/3q4/8/8/1P6/1K6 w - - 0 1", Color::White);
        let right = features("3k4/8/8/4q3/8/8/6P1/6K1 w - - 0 1", Color::White);
        assert_eq!(left, right);
        // Own pawn on b2, own king on b1, their queen on d5, their king on e8.
        assert_eq!(left, [9, 320 + 1, 384 + 256 + 35, 384 + 320 + 60]);
        // The same with the king on c2, in the third bucket.
        let second = features("4k3/8/8/3q4/8/8/1PK5/8 w - - 0 1", Color::White);
        assert_eq!(second, [9, 320 + 10, 384 + 256 + 35, 384 + 320 + 60].map(|index| 2 * 768 + index));
    }

    #[test]
    fn feature_indices_are_unique() {
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
