//! Evaluation of a side with only a king: drive it to the edge or to the right corner.
//!
//! Learned weights are poor here, because games end before such positions. A shallow search mates
//! if the evaluation tells it where to drive the king. Material that cannot win, such as two
//! knights or the wrong bishop with a rook pawn, is a draw. Both the network and the classical
//! evaluation delegate these positions to this module.

use super::material;
use crate::position::Position;
use crate::types::{Bitboard, Color, File, PieceType, Rank, Score, Square};

/// Bonus of a certain win, added to the material. Units: centipawns.
const KNOWN_WIN: i32 = 1000;
/// Bonus per step of the bare king away from the centre. Units: centipawns.
const EDGE_BONUS: i32 = 25;
/// Bonus per step nearer to the corner where bishop and knight mate. Units: centipawns.
const CORNER_BONUS: i32 = 40;
/// Bonus per step that the kings are closer together. Units: centipawns.
const KING_DISTANCE_BONUS: i32 = 12;

/// Evaluates for the side to move if one side has a bare king and the other either can force mate
/// or cannot win at all.
#[inline]
pub(crate) fn evaluate(position: &Position) -> Option<Score> {
    let is_bare = |color| !position.side(color).has_many();
    let attacker = match (is_bare(Color::White), is_bare(Color::Black)) {
        (true, false) => Color::Black,
        (false, true) => Color::White,
        _ => return None,
    };
    let value = evaluate_for_attacker(position, attacker)?;
    Some(if position.side_to_move() == attacker { Score(value) } else { Score(-value) }.clamp_to_eval())
}

/// Evaluates for the side with pieces; `None` if other rules apply.
#[cold]
#[inline(never)]
fn evaluate_for_attacker(position: &Position, attacker: Color) -> Option<i32> {
    let of = |kind| position.pieces_of(attacker, kind);
    let bishops = of(PieceType::Bishop);
    let has_both_bishops = (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any();
    let has_major = (of(PieceType::Queen) | of(PieceType::Rook)).any();
    let knights = of(PieceType::Knight).count();
    let has_pair = has_both_bishops || (bishops.any() && knights > 0) || knights > 2;
    let (king, bare_king) = (position.king(attacker), position.king(!attacker));
    if !has_major && !has_pair {
        let pawns = of(PieceType::Pawn);
        let is_drawn =
            pawns.is_empty() || (knights == 0 && holds_corner(pawns, bishops, bare_king, attacker));
        return is_drawn.then_some(Score::DRAW.0);
    }
    let material: i32 =
        PieceType::ALL.into_iter().map(|kind| material::VALUES[kind.index()] * of(kind).count() as i32).sum();
    let needs_corner = !has_major && !has_both_bishops && bishops.any() && knights < 3;
    let drive_bonus = if needs_corner {
        CORNER_BONUS * (7 - corner_distance(bishops, bare_king))
    } else {
        EDGE_BONUS * centre_distance(bare_king)
    };
    Some(KNOWN_WIN + material + drive_bonus + KING_DISTANCE_BONUS * (7 - i32::from(king.distance(bare_king))))
}

/// Whether the bare king holds the promotion corner of rook pawns, because no bishop controls it.
fn holds_corner(pawns: Bitboard, bishops: Bitboard, bare_king: Square, attacker: Color) -> bool {
    let Some(file) = [File::A, File::H].into_iter().find(|&file| (pawns & !Bitboard::file(file)).is_empty())
    else {
        return false;
    };
    let rank = if attacker == Color::White { Rank::EIGHTH } else { Rank::FIRST };
    let corner = Square::new(file, rank);
    let theirs = if Bitboard::LIGHT.has(corner) { Bitboard::LIGHT } else { Bitboard::DARK };
    (bishops & theirs).is_empty() && bare_king.distance(corner) <= 1
}

/// Returns the distance in files plus ranks from the four centre squares. Range: 0 to 6.
fn centre_distance(square: Square) -> i32 {
    let outwards = |index: usize| if index < 4 { 3 - index } else { index - 4 };
    (outwards(square.file().index()) + outwards(square.rank().index())) as i32
}

/// Returns the distance to the nearer corner of the bishops' color. Range: 0 to 7.
fn corner_distance(bishops: Bitboard, square: Square) -> i32 {
    let (one, other) = if (bishops & Bitboard::LIGHT).any() {
        (Square::new(File::H, Rank::FIRST), Square::new(File::A, Rank::EIGHTH))
    } else {
        (Square::new(File::A, Rank::FIRST), Square::new(File::H, Rank::EIGHTH))
    };
    // Files plus ranks, so that each step along an edge counts. The two corners are opposite, hence
    // at most 7.
    let steps = |corner: Square| {
        let files = corner.file().index().abs_diff(square.file().index());
        let ranks = corner.rank().index().abs_diff(square.rank().index());
        (files + ranks) as i32
    };
    steps(one).min(steps(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the score from White's point of view, which is the same with colors exchanged.
    fn for_white(fen: &str) -> Option<i32> {
        let position = Position::from_fen(fen).unwrap();
        let score = evaluate(&position).map(|score| score.0);
        let swapped: String = fen
            .split(' ')
            .next()
            .unwrap()
            .rsplit('/')
            .map(|rank| rank.chars().map(swap_case).collect::<String>())
            .collect::<Vec<_>>()
            .join("/");
        let other = if fen.contains(" w ") { "b" } else { "w" };
        let exchanged = Position::from_fen(&format!("{swapped} {other} - - 0 1")).unwrap();
        assert_eq!(evaluate(&exchanged).map(|score| score.0), score, "{fen}");
        if fen.contains(" w ") { score } else { score.map(|score| -score) }
    }

    fn swap_case(letter: char) -> char {
        if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
    }

    #[test]
    fn material_that_cannot_win_is_drawn() {
        for fen in [
            "8/8/4k3/8/8/3NNK2/8/8 w - - 0 1",
            "8/8/4k3/8/8/3N1K2/8/8 w - - 0 1",
            "8/8/4k3/8/8/3B1K2/8/8 b - - 0 1",
            // The bare king holds the corner of a rook pawn: without a bishop, and with the wrong one.
            "k7/8/8/8/P7/8/8/K7 w - - 0 1",
            "k7/8/8/8/P7/4B3/8/K7 b - - 0 1",
        ] {
            assert_eq!(for_white(fen), Some(0), "{fen}");
        }
    }

    #[test]
    fn certain_wins_exceed_any_evaluation_of_material() {
        for fen in [
            "8/8/4k3/8/8/5K2/8/R7 w - - 0 1",
            "8/8/4k3/8/8/3BBK2/8/8 w - - 0 1",
            "8/8/4k3/8/8/3BNK2/8/8 b - - 0 1",
            "8/8/4k3/8/8/2NNNK2/8/8 w - - 0 1",
        ] {
            assert!(for_white(fen).is_some_and(|score| score > KNOWN_WIN), "{fen}");
        }
    }

    #[test]
    fn other_material_is_left_to_other_rules() {
        for fen in [
            "8/8/4k3/8/4P3/5K2/8/8 w - - 0 1",
            "8/8/4k3/8/4P3/3NNK2/8/8 w - - 0 1",
            "k7/8/8/8/P7/3B4/8/K7 w - - 0 1",
            "8/8/4k3/8/8/3RrK2/8/8 w - - 0 1",
        ] {
            assert_eq!(for_white(fen), None, "{fen}");
        }
    }

    #[test]
    fn bishop_and_knight_drive_to_the_corner_of_the_bishop() {
        // The bishop on e3 is on a dark square. The corner h8 is dark, a8 is light.
        let dark = for_white("7k/8/5K2/8/8/4BN2/8/8 w - - 0 1");
        let light = for_white("k7/8/2K5/8/8/4BN2/8/8 w - - 0 1");
        assert!(dark > light, "{dark:?} {light:?}");
    }
}
