//! Static exchange evaluation (SEE): the material result of mutual captures on a move's target
//! square.
//!
//! Each side captures with its least valuable piece and stops when continuing would lose material.
//! Sliders behind other pieces join in (x-rays), a king captures only if the square is no longer
//! defended, and pins are ignored. A pawn that promotes by capturing does so after knights, bishops
//! and rooks, because a queen then stands on the square. The result is an estimate for move
//! ordering and pruning.

use super::Position;
use crate::attacks;
use crate::types::{Bitboard, Color, Move, MoveKind, PieceType, Score, Square};

/// Piece values by type. Units: centipawns. The king's value only has to exceed all others.
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 20_000];

/// Returns the material gained by a promotion to this type.
const fn promotion_gain(kind: PieceType) -> i32 {
    value(kind) - value(PieceType::Pawn)
}

const fn value(kind: PieceType) -> i32 {
    VALUES[kind.index()]
}

/// Returns the value of a piece type in SEE: 100, 300, 300, 500, 900 and, for the king, 20000
/// centipawns.
pub const fn see_value(kind: PieceType) -> Score {
    Score(value(kind))
}

/// Upper bound of the number of captures on one square.
const MAX_CAPTURES: usize = 32;

/// The piece that captures on the contested square.
struct Attacker {
    kind: PieceType,
    promotes: bool,
}

/// The state of an exchange: the pieces that still attack the contested square.
struct Exchange<'a> {
    position: &'a Position,
    target: Square,
    occupied: Bitboard,
    attackers: Bitboard,
}

impl<'a> Exchange<'a> {
    fn new(position: &'a Position, target: Square, occupied: Bitboard) -> Self {
        let attackers = position.attackers_to(target, occupied) & occupied;
        Self { position, target, occupied, attackers }
    }

    /// Captures with the least valuable piece of `side`, if it has an attacker that may capture.
    #[inline]
    fn take(&mut self, side: Color) -> Option<Attacker> {
        let ours = self.attackers & self.position.side(side);
        if ours.is_empty() {
            return None;
        }
        let promotes = Position::back_rank(!side).has(self.target);
        let order = if promotes { &PROMOTING_ORDER } else { &PieceType::ALL };
        for &kind in order {
            let candidates = ours & self.position.pieces(kind);
            if candidates.is_empty() {
                continue;
            }
            if kind == PieceType::King && (self.attackers & self.position.side(!side)).any() {
                return None;
            }
            self.remove(kind, candidates ^ candidates.without_first());
            return Some(Attacker { kind, promotes: promotes && kind == PieceType::Pawn });
        }
        None
    }

    /// Removes a piece from the board and adds the sliders behind it.
    #[inline]
    fn remove(&mut self, kind: PieceType, from: Bitboard) {
        self.occupied ^= from;
        if matches!(kind, PieceType::Pawn | PieceType::Bishop | PieceType::Queen) {
            self.attackers |= attacks::bishop(self.target, self.occupied) & self.position.diagonal_sliders();
        }
        if matches!(kind, PieceType::Rook | PieceType::Queen) {
            self.attackers |= attacks::rook(self.target, self.occupied) & self.position.orthogonal_sliders();
        }
        self.attackers &= self.occupied;
    }
}

impl Position {
    /// Returns the material that a legal move wins for the mover after all exchanges on its target
    /// square.
    ///
    /// Units: centipawns. Castling wins nothing.
    pub fn see(&self, mv: Move) -> Score {
        if mv.is_castling() {
            return Score(0);
        }
        let mut gains = [0; MAX_CAPTURES];
        let mut last = 0;
        let (occupied, first_gain, mut standing) = self.first_capture(mv);
        gains[0] = first_gain;
        let mut exchange = Exchange::new(self, mv.to(), occupied);
        let mut side = !self.side;
        while let Some(attacker) = exchange.take(side) {
            last += 1;
            let promotion = if attacker.promotes { promotion_gain(PieceType::Queen) } else { 0 };
            gains[last] = standing + promotion - gains[last - 1];
            standing = if attacker.promotes { value(PieceType::Queen) } else { value(attacker.kind) };
            side = !side;
        }
        // Backwards: each side chooses between capturing and stopping.
        for ply in (1..=last).rev() {
            gains[ply - 1] = -gains[ply].max(-gains[ply - 1]);
        }
        Score(gains[0])
    }

    /// Whether [`Position::see`] is at least `threshold`. Stops as soon as the answer is certain.
    pub fn see_at_least(&self, mv: Move, threshold: Score) -> bool {
        if mv.is_castling() {
            return threshold.0 <= 0;
        }
        let last_ranks = Self::back_rank(Color::White) | Self::back_rank(Color::Black);
        if last_ranks.has(mv.to()) {
            // Promotions by capture break the simple bounds below; they are rare.
            return self.see(mv) >= threshold;
        }
        let (occupied, first_gain, standing) = self.first_capture(mv);
        // The surplus of the side that captured last, if the exchange ended here.
        let mut margin = first_gain - threshold.0;
        if margin < 0 {
            return false;
        }
        // The surplus if the capturing piece is then lost for nothing.
        margin -= standing;
        if margin >= 0 {
            return true;
        }
        let mut exchange = Exchange::new(self, mv.to(), occupied);
        let mut side = !self.side;
        while let Some(attacker) = exchange.take(side) {
            side = !side;
            // The other side needs more than this margin and risks its own piece.
            margin = -margin - 1 - value(attacker.kind);
            if margin >= 0 {
                break;
            }
        }
        // `side` has no capture left that helps, so it loses the exchange.
        side != self.side
    }

    /// Whether no piece can capture on the target square of a legal move, given the squares that the
    /// opponent attacks ([`Position::threats`]). The exchange then wins the captured piece.
    ///
    /// A slider behind the origin attacks the origin too. Special moves are not covered.
    #[inline]
    pub fn is_beyond_capture(mv: Move, threats: Bitboard) -> bool {
        mv.kind() == MoveKind::Normal && !threats.has(mv.from()) && !threats.has(mv.to())
    }

    /// Returns the occupancy after the move, the material it gains, and the value of the piece on
    /// the target square.
    fn first_capture(&self, mv: Move) -> (Bitboard, i32, i32) {
        let (from, to) = (mv.from(), mv.to());
        let occupied = (self.occupied() & !Bitboard::from(from)) | Bitboard::from(to);
        let taken = self.captured(mv).map_or(0, value);
        match mv.kind() {
            MoveKind::Promotion(kind) => (occupied, taken + promotion_gain(kind), value(kind)),
            MoveKind::EnPassant => {
                let victim = Bitboard::from(to.forward(!self.side));
                (occupied & !victim, taken, value(PieceType::Pawn))
            }
            MoveKind::Normal | MoveKind::Castling => (occupied, taken, value(self.moved(mv))),
        }
    }
}

/// Order of the attackers on the last rank, where a pawn captures as a queen.
const PROMOTING_ORDER: [PieceType; 6] = [
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Pawn,
    PieceType::Queen,
    PieceType::King,
];
