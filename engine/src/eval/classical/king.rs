//! King safety: the pawns before the king, and how many pieces look at it.

use super::{Tapered, tapered};
use crate::attacks;
use crate::position::Position;
use crate::types::{Bitboard, Color, PieceType};

/// A pawn one or two ranks before the king, on its file or beside.
const SHIELD: Tapered = tapered(12, 0);
/// A file at the king without an own pawn.
const BARE_FILE: Tapered = tapered(-16, 2);
/// What an attacker of the king's surroundings weighs, by kind.
const ATTACKER: [i32; 6] = [0, 2, 2, 3, 5, 0];
/// Danger grows with the square of the weight; this divides it. Units: weight² per centipawn.
const DANGER_DIVISOR: i32 = 2;
/// The most that danger costs. Units: centipawns.
const MAX_DANGER: i32 = 320;

/// Shelter of one side's king less the danger it is in.
pub(super) fn term(position: &Position, color: Color) -> Tapered {
    shelter(position, color) + tapered(-danger(position, color), 0)
}

fn shelter(position: &Position, color: Color) -> Tapered {
    let king = Bitboard::from(position.king(color));
    let own = position.pieces_of(color, PieceType::Pawn);
    let near = king | king.east() | king.west();
    let one = near.forward(color);
    let shield = own & (one | one.forward(color));
    let mut sum = SHIELD * shield.count() as i32;
    for square in near {
        if (own & Bitboard::file(square.file())).is_empty() {
            sum += BARE_FILE;
        }
    }
    sum
}

/// What the enemy's pieces at the king cost. Units: centipawns, not negative.
fn danger(position: &Position, color: Color) -> i32 {
    let king = position.king(color);
    let zone = attacks::king(king) | Bitboard::from(king);
    let occupied = position.occupied();
    let mut weight = 0;
    let mut attackers = 0;
    for kind in [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen] {
        for square in position.pieces_of(!color, kind) {
            let reached = match kind {
                PieceType::Knight => attacks::knight(square),
                PieceType::Bishop => attacks::bishop(square, occupied),
                PieceType::Rook => attacks::rook(square, occupied),
                _ => attacks::queen(square, occupied),
            };
            let hits = (reached & zone).count() as i32;
            if hits > 0 {
                attackers += 1;
                weight += ATTACKER[kind.index()] * hits;
            }
        }
    }
    // A single piece rarely mates.
    if attackers < 2 { 0 } else { (weight * weight / DANGER_DIVISOR).min(MAX_DANGER) }
}
