//! FEN of table positions.

use std::fmt::Write as _;

use stretto::tablebase::{Index, PieceSquares};
use stretto::types::{Color, Piece, Square};

/// Returns a table position as FEN.
pub(crate) fn fen(index: &Index, squares: &PieceSquares, side: Color) -> String {
    let pieces = squares.iter().enumerate().map(|(place, &square)| (index.piece(place), square));
    fen_of_pieces(&pieces.collect::<Vec<_>>(), side)
}

/// Returns a position with these pieces on different squares as FEN, without castling and en passant.
pub(crate) fn fen_of_pieces(pieces: &[(Piece, Square)], side: Color) -> String {
    let mut board = [None; 64];
    for &(piece, square) in pieces {
        board[square.index()] = Some(piece);
    }
    format!("{} {} - - 0 1", placement(&board), side.to_char())
}

/// Returns the placement field of a FEN.
pub(crate) fn placement(board: &[Option<Piece>; 64]) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for piece in &board[8 * rank..8 * rank + 8] {
            match piece {
                None => empty += 1,
                Some(piece) => {
                    if empty > 0 {
                        let _ = write!(text, "{empty}");
                    }
                    empty = 0;
                    text.push(piece.to_char());
                }
            }
        }
        if empty > 0 {
            let _ = write!(text, "{empty}");
        }
        if rank > 0 {
            text.push('/');
        }
    }
    text
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
