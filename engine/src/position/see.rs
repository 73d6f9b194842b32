//! Static exchange evaluation: what a move wins or loses if both sides keep taking on its target square.
//!
//! Each side takes with its least valuable piece and stops when going on would lose; a piece behind another joins in
//! (x-rays), a king takes only what is no longer defended, and pins are ignored. A pawn that promotes by taking
//! takes after knights, bishops and rooks: it is a queen that stands on the square then. The exchange is an estimate
//! for ordering and pruning; `search` decides what to make of it.

use super::Position;
use crate::attacks;
use crate::types::{Bitboard, Color, Move, MoveKind, PieceType, Score, Square};

/// Values by kind; one set for every use. Units: centipawns. The king's only has to exceed all else.
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 20_000];

/// What a promotion to this kind adds.
const fn promotion_gain(kind: PieceType) -> i32 {
    value(kind) - value(PieceType::Pawn)
}

const fn value(kind: PieceType) -> i32 {
    VALUES[kind.index()]
}

/// What static exchange evaluation takes a kind to be worth: 100, 300, 300, 500, 900 and, for the king, 20000.
pub const fn see_value(kind: PieceType) -> Score {
    Score(value(kind))
}

/// The most captures one square can see: all pieces but the one taken first, and room to spare.
const LONGEST: usize = 32;

/// A side's capture on the contested square.
struct Taker {
    kind: PieceType,
    promotes: bool,
}

/// The pieces that contest one square, as they are used up.
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

    /// Lets `side` take with its least valuable piece, if it can.
    #[inline]
    fn take(&mut self, side: Color) -> Option<Taker> {
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
            return Some(Taker { kind, promotes: promotes && kind == PieceType::Pawn });
        }
        None
    }

    /// Takes a piece off the board; those behind it join in.
    #[inline]
    fn remove(&mut self, kind: PieceType, from: Bitboard) {
        self.occupied ^= from;
        if matches!(kind, PieceType::Pawn | PieceType::Bishop | PieceType::Queen) {
            self.attackers |= attacks::bishop(self.target, self.occupied) & self.position.diagonal_sliders();
        }
        if matches!(kind, PieceType::Rook | PieceType::Queen) {
            self.attackers |= attacks::rook(self.target, self.occupied) & self.position.straight_sliders();
        }
        self.attackers &= self.occupied;
    }
}

impl Position {
    /// The material a legal move nets, in the mover's favour, when both sides exchange on its target.
    ///
    /// Units: centipawns. Castling nets nothing.
    pub fn see(&self, mv: Move) -> Score {
        if mv.is_castling() {
            return Score(0);
        }
        let mut gains = [0; LONGEST];
        let mut last = 0;
        let (occupied, first_gain, mut standing) = self.first_capture(mv);
        gains[0] = first_gain;
        let mut exchange = Exchange::new(self, mv.to(), occupied);
        let mut side = !self.side;
        while let Some(taker) = exchange.take(side) {
            last += 1;
            let promotion = if taker.promotes { promotion_gain(PieceType::Queen) } else { 0 };
            gains[last] = standing + promotion - gains[last - 1];
            standing = if taker.promotes { value(PieceType::Queen) } else { value(taker.kind) };
            side = !side;
        }
        // From the end: whoever is to take chooses between taking and leaving it.
        for ply in (1..=last).rev() {
            gains[ply - 1] = -gains[ply].max(-gains[ply - 1]);
        }
        Score(gains[0])
    }

    /// Is [`Position::see`] at least `threshold`? Stops as soon as that is known.
    pub fn see_at_least(&self, mv: Move, threshold: Score) -> bool {
        if mv.is_castling() {
            return threshold.0 <= 0;
        }
        let last_ranks = Self::back_rank(Color::White) | Self::back_rank(Color::Black);
        if last_ranks.has(mv.to()) {
            // Promotions by capture upset the simple bounds below; they are rare.
            return self.see(mv) >= threshold;
        }
        let (occupied, first_gain, standing) = self.first_capture(mv);
        // How far the side that just took is above what it needs, if the exchange stopped here.
        let mut margin = first_gain - threshold.0;
        if margin < 0 {
            return false;
        }
        // And if it lost the piece that took for nothing.
        margin -= standing;
        if margin >= 0 {
            return true;
        }
        let mut exchange = Exchange::new(self, mv.to(), occupied);
        let mut side = !self.side;
        while let Some(taker) = exchange.take(side) {
            side = !side;
            // The taker needs more than the other side's margin, and risks its own piece.
            margin = -margin - 1 - value(taker.kind);
            if margin >= 0 {
                break;
            }
        }
        // `side` cannot or need not take any more: it has lost the argument.
        side != self.side
    }

    /// What the move itself does: who is left on the board, what it gains, what then stands on the target.
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

/// Who takes first on the last rank.
const PROMOTING_ORDER: [PieceType; 6] = [
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Pawn,
    PieceType::Queen,
    PieceType::King,
];
