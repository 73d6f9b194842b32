//! Positions from placements of pieces.

use stretto::position::Position;
use stretto::tablebase::Material;
use stretto::types::{Color, Piece, PieceType, Square};

use crate::endgames::fen_of_pieces;
use stretto_harness::base::random::SplitMix64;

/// Returns the position with these pieces on different squares; `None` if it is not legal.
pub(super) fn position_of(pieces: &[(Piece, Square)], side: Color) -> Option<Position> {
    Position::from_fen(&fen_of_pieces(pieces, side)).ok()
}

/// Returns all pieces of a material: the kings first, White's before Black's.
pub(super) fn pieces_of(material: Material) -> Vec<Piece> {
    let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
    kings.into_iter().chain(material.others()).collect()
}

/// Returns a random placement of the pieces; `None` if it is not legal. All placements on different
/// squares and both sides to move are equally likely.
pub(super) fn random_position(material: Material, random: &mut SplitMix64) -> Option<Position> {
    let mut placed: Vec<(Piece, Square)> = Vec::new();
    for piece in pieces_of(material) {
        let square = loop {
            let square = Square::from_index(random.below(64) as usize);
            if placed.iter().all(|&(_, other)| other != square) {
                break square;
            }
        };
        placed.push((piece, square));
    }
    let side = if random.below(2) == 0 { Color::White } else { Color::Black };
    position_of(&placed, side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_positions_have_the_material_and_are_legal() {
        let mut random = SplitMix64::new(1);
        let material: Material = "KQvKP".parse().unwrap();
        let found: Vec<Position> = (0..300).filter_map(|_| random_position(material, &mut random)).collect();
        assert!((30..300).contains(&found.len()), "{} of 300 placements are legal", found.len());
        for position in &found {
            let pieces = Material::of(position).unwrap();
            assert_eq!(pieces.canonical().0, material.canonical().0, "{position}");
        }
    }

    #[test]
    fn pieces_stand_on_their_squares() {
        let square = |text: &str| text.parse::<Square>().unwrap();
        let piece = |letter| Piece::from_char(letter).unwrap();
        let pieces = [(piece('K'), square("a1")), (piece('k'), square("h8")), (piece('p'), square("c7"))];
        let position = position_of(&pieces, Color::Black).unwrap();
        assert_eq!(position.to_string(), "7k/2p5/8/8/8/8/8/K7 b - - 0 1");
        assert!(position_of(&pieces[..1], Color::White).is_none(), "a king is missing");
    }
}
