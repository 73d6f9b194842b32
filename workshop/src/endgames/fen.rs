//! FEN of table positions.

use stretto::tablebase::{Index, PieceSquares};
use stretto::types::{Color, Piece, Square};

/// Returns a table position as FEN.
pub(crate) fn fen(index: &Index, squares: &PieceSquares, side: Color) -> String {
    let pieces = squares.iter().enumerate().map(|(place, &square)| (index.piece(place), square));
    fen_of_pieces(&pieces.collect::<Vec<_>>(), side)
}

/// Returns a position with these pieces on different squares as FEN, without castling and en passant.
pub(crate) fn fen_of_pieces(pieces: &[(Piece, Square)], side: Color) -> String {
    let mut ranks = Vec::new();
    for rank in (0..8).rev() {
        let (mut text, mut empty) = (String::new(), 0);
        for file in 0..8 {
            match pieces.iter().find(|(_, square)| square.index() == 8 * rank + file) {
                None => empty += 1,
                Some((piece, _)) => {
                    if empty > 0 {
                        text.push_str(&empty.to_string());
                    }
                    empty = 0;
                    text.push(piece.to_char());
                }
            }
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        ranks.push(text);
    }
    format!("{} {} - - 0 1", ranks.join("/"), side.to_char())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_written_as_fen() {
        let index = Index::new("KQvKR".parse().unwrap());
        let squares: PieceSquares =
            ["a8", "f6", "a5", "e8"].iter().map(|square| square.parse().unwrap()).collect();
        assert_eq!(fen(&index, &squares, Color::White), "K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1");
    }
}
