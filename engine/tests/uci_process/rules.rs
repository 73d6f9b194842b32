//! Legality of moves, checked by a library that shares no code with the engine.

use cozy_chess::util::parse_uci_move;
use cozy_chess::{Board, Move};

/// Checks that these moves are legal in sequence. A FEN that the library refuses, because it is
/// stricter about reachable positions, is not checked.
///
/// Errors: the first move that is not legal.
pub(crate) fn check_line(fen: &str, moves: &[String], is_chess960: bool) -> Result<(), String> {
    let Some(mut board) = board(fen) else { return Ok(()) };
    for text in moves {
        let Some(mv) = read_move(&board, text, is_chess960) else {
            return Err(format!("{text} of {moves:?} is not legal from {fen}"));
        };
        board.play(mv);
    }
    Ok(())
}

/// Returns the position after these moves; `None` if the FEN is refused or a move is illegal.
pub(crate) fn play(fen: &str, moves: &[&str], is_chess960: bool) -> Option<Board> {
    let mut board = board(fen)?;
    for text in moves {
        let mv = read_move(&board, text, is_chess960)?;
        board.play(mv);
    }
    Some(board)
}

fn board(fen: &str) -> Option<Board> {
    Board::from_fen(fen, false).or_else(|_| Board::from_fen(fen, true)).ok()
}

fn read_move(board: &Board, text: &str, is_chess960: bool) -> Option<Move> {
    let mv = if is_chess960 { text.parse().ok()? } else { parse_uci_move(board, text).ok()? };
    // In standard chess castling is written as the king's move of two squares.
    let is_written_so = is_chess960 || cozy_chess::util::display_uci_move(board, mv).to_string() == text;
    (is_written_so && board.is_legal(mv)).then_some(mv)
}
