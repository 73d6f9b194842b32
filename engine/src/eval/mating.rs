//! Hunting a bare king: to the edge, to the right corner, and never mind the squares of the pieces.
//!
//! Learned weights say little here, since games are over before; a search of a few plies mates if it is told which way
//! to drive the king. And what cannot be won however much it is, two knights or the wrong bishop beside a pawn at the edge, is a
//! draw. The network and the classical evaluation both leave these positions to it.

use super::material;
use crate::position::Position;
use crate::types::{Bitboard, Color, File, PieceType, Rank, Score, Square};

/// What a certain win is worth on top of the material. Units: centipawns.
const WON: i32 = 1000;
/// For each step of the bare king away from the middle. Units: centipawns.
const TO_THE_EDGE: i32 = 25;
/// For each step nearer to the corner where bishop and knight mate. Units: centipawns.
const TO_THE_CORNER: i32 = 40;
/// For each step that the kings are nearer to each other. Units: centipawns.
const TOGETHER: i32 = 12;

/// The value for the side to move, where one side has a bare king and the other can mate it by force, or cannot win at all.
#[inline]
pub(crate) fn evaluate(position: &Position) -> Option<Score> {
    let is_bare = |color| !position.side(color).has_many();
    let hunter = match (is_bare(Color::White), is_bare(Color::Black)) {
        (true, false) => Color::Black,
        (false, true) => Color::White,
        _ => return None,
    };
    let value = hunt(position, hunter)?;
    Some(if position.side_to_move() == hunter { Score(value) } else { Score(-value) }.clamp_to_eval())
}

/// What the hunt is worth to the hunter.
#[cold]
#[inline(never)]
fn hunt(position: &Position, hunter: Color) -> Option<i32> {
    let of = |kind| position.pieces_of(hunter, kind);
    let bishops = of(PieceType::Bishop);
    let has_both_bishops = (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any();
    let has_major = (of(PieceType::Queen) | of(PieceType::Rook)).any();
    let knights = of(PieceType::Knight).count();
    let has_pair = has_both_bishops || (bishops.any() && knights > 0) || knights > 2;
    let (king, prey) = (position.king(hunter), position.king(!hunter));
    if !has_major && !has_pair {
        let pawns = of(PieceType::Pawn);
        let is_drawn = pawns.is_empty() || (knights == 0 && holds_corner(pawns, bishops, prey, hunter));
        return is_drawn.then_some(Score::DRAW.0);
    }
    let material: i32 =
        PieceType::ALL.into_iter().map(|kind| material::VALUES[kind.index()] * of(kind).count() as i32).sum();
    let needs_corner = !has_major && !has_both_bishops && bishops.any() && knights < 3;
    let drive = if needs_corner {
        TO_THE_CORNER * (7 - steps_to_corner(bishops, prey))
    } else {
        TO_THE_EDGE * steps_from_middle(prey)
    };
    Some(WON + material + drive + TOGETHER * (7 - i32::from(king.distance(prey))))
}

/// Does a bare king hold the corner in which pawns at one edge would have to promote, since no bishop can drive it out?
fn holds_corner(pawns: Bitboard, bishops: Bitboard, prey: Square, hunter: Color) -> bool {
    let Some(file) = [File::A, File::H].into_iter().find(|&file| (pawns & !Bitboard::file(file)).is_empty())
    else {
        return false;
    };
    let rank = if hunter == Color::White { Rank::EIGHTH } else { Rank::FIRST };
    let corner = Square::new(file, rank);
    let theirs = if Bitboard::LIGHT.has(corner) { Bitboard::LIGHT } else { Bitboard::DARK };
    (bishops & theirs).is_empty() && prey.distance(corner) <= 1
}

/// Steps by files and ranks from the four squares in the middle. Range: 0 to 6.
fn steps_from_middle(square: Square) -> i32 {
    let outwards = |index: usize| if index < 4 { 3 - index } else { index - 4 };
    (outwards(square.file().index()) + outwards(square.rank().index())) as i32
}

/// Steps to the nearer corner of the bishops' colour. Range: 0 to 7.
fn steps_to_corner(bishops: Bitboard, square: Square) -> i32 {
    let (one, other) = if (bishops & Bitboard::LIGHT).any() {
        (Square::new(File::H, Rank::FIRST), Square::new(File::A, Rank::EIGHTH))
    } else {
        (Square::new(File::A, Rank::FIRST), Square::new(File::H, Rank::EIGHTH))
    };
    // Files and ranks added up, so that each step along an edge counts; the corners are opposite, hence 7.
    let steps = |corner: Square| {
        let files = corner.file().index().abs_diff(square.file().index());
        let ranks = corner.rank().index().abs_diff(square.rank().index());
        (files + ranks) as i32
    };
    steps(one).min(steps(other))
}
