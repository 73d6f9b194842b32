//! Perft: counting the leaf nodes of the legal move tree, to verify move generation.

use super::Position;
use super::generate::{Visitor, origin};
use crate::types::{Bitboard, Move, MoveKind, PieceType, Side, Square, by_side};

/// Returns the number of sequences of `depth` legal moves. The last ply is counted without playing
/// its moves.
///
/// ```
/// use stretto::position::{Position, perft};
///
/// let start = Position::startpos();
/// assert_eq!([1, 2, 3, 4].map(|depth| perft(&start, depth)), [20, 400, 8_902, 197_281]);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        _ => by_side!(position.side, S => count_below::<S>(position, depth)),
    }
}

/// Returns [`perft`] split by first move, sorted by the squares of the moves. Empty at depth 0.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else { return Vec::new() };
    let mut moves = position.legal_moves().to_vec();
    moves.sort_unstable_by_key(|mv| (mv.from(), mv.to(), mv.to_bits()));
    moves.into_iter().map(|mv| (mv, perft(&position.after(mv), rest))).collect()
}

/// Counts the leaves `depth` plies below a position in which `S` is to move. Range: `depth` at
/// least 1.
fn count_below<S: Side>(position: &Position, depth: u32) -> u64 {
    if depth <= 1 {
        return u64::from(position.count_moves::<S>());
    }
    let mut visitor = PerftVisitor { position, rest: depth - 1, leaves: 0 };
    position.visit_moves::<S, _>(&mut visitor);
    visitor.leaves
}

/// A visitor that plays each move and counts the leaves behind it.
struct PerftVisitor<'a> {
    position: &'a Position,
    rest: u32,
    leaves: u64,
}

impl PerftVisitor<'_> {
    #[inline]
    fn play<S: Side>(&mut self, mv: Move) {
        let mut next = *self.position;
        next.make::<S>(mv);
        self.leaves += count_below::<S::Other>(&next, self.rest);
    }
}

impl<S: Side> Visitor<S> for PerftVisitor<'_> {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.play::<S>(Move::normal(from, to));
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            self.play::<S>(Move::normal(origin(to, step), to));
        }
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            for kind in PieceType::PROMOTIONS {
                self.play::<S>(Move::new(origin(to, step), to, MoveKind::Promotion(kind)));
            }
        }
    }

    #[inline]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.play::<S>(Move::new(from, to, MoveKind::EnPassant));
    }

    #[inline]
    fn castling(&mut self, king: Square, rook: Square) {
        self.play::<S>(Move::new(king, rook, MoveKind::Castling));
    }
}
