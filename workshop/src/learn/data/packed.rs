//! A position packed into 32 bytes.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | occupied squares, a1 in bit 0 |
//! | 8 | 16 | pieces in square order, four bits each, low nibble first: 0 to 5 for pawn to king, 6
//! for a rook with castling rights, plus 8 for Black |
//! | 24 | 1 | 128 if Black is to move, plus the en passant square, or 64 |
//! | 25 | 1 | halfmove clock |
//! | 26 | 2 | fullmove number |
//! | 28 | 2 | score from White's point of view |
//! | 30 | 1 | result: 0 Black won, 1 draw, 2 White won |
//! | 31 | 1 | unused |
//!
//! Little-endian. The layout is the "marlinformat" of other engines.

use std::fmt::Write as _;

use stretto::position::Position;
use stretto::types::{Color, Piece, PieceType, Square};

use crate::endgames::placement;

/// Size of a packed position. Units: bytes.
pub(crate) const PACKED: usize = 32;

/// Code of a rook with castling rights.
const CASTLING_ROOK: u8 = 6;
const NO_SQUARE: u8 = 64;
/// Place of the side to move and the en passant square.
const STATE: usize = 24;
const BLACK_TO_MOVE: u8 = 128;

/// Packs a position with a score of 0 and the given result.
pub(crate) fn pack(position: &Position, half_points: u8) -> [u8; PACKED] {
    let mut bytes = [0; PACKED];
    bytes[..8].copy_from_slice(&position.occupied().0.to_le_bytes());
    for (index, square) in position.occupied().into_iter().enumerate() {
        let Some(piece) = position.piece_on(square) else { continue };
        let kind =
            if position.castling_rooks().has(square) { CASTLING_ROOK } else { piece.kind.index() as u8 };
        let code = kind + 8 * piece.color.index() as u8;
        bytes[8 + index / 2] |= code << (4 * (index % 2));
    }
    let side = if position.side_to_move() == Color::Black { BLACK_TO_MOVE } else { 0 };
    bytes[STATE] = side + position.ep_square().map_or(NO_SQUARE, |square| square.index() as u8);
    bytes[25] = position.halfmove_clock().min(255) as u8;
    bytes[26..28].copy_from_slice(&position.fullmove_number().to_le_bytes());
    bytes[30] = half_points;
    bytes
}

/// Unpacks a position with its result, or returns a description of the error.
pub(crate) fn unpack(bytes: &[u8; PACKED]) -> Result<(Position, u8), String> {
    let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let occupied = u64::from_le_bytes(std::array::from_fn(|index| bytes[index]));
    if occupied.count_ones() > 32 {
        return Err(format!("expected at most 32 pieces, found {}", occupied.count_ones()));
    }
    let mut board: [Option<Piece>; 64] = [None; 64];
    let mut rooks = Vec::new();
    for (index, square) in stretto::types::Bitboard(occupied).into_iter().enumerate() {
        let code = bytes[8 + index / 2] >> (4 * (index % 2)) & 15;
        let color = if code & 8 == 0 { Color::White } else { Color::Black };
        let kind = match code & 7 {
            CASTLING_ROOK => {
                rooks.push((color, square));
                PieceType::Rook
            }
            kind @ 0..=5 => PieceType::from_index(kind.into()),
            _ => return Err(format!("invalid piece code 7 on {square}")),
        };
        board[square.index()] = Some(Piece::new(color, kind));
    }
    let half_points = bytes[30];
    if half_points > 2 {
        return Err(format!("invalid result {half_points}"));
    }
    let move_number = word(26);
    if move_number == 0 {
        return Err("invalid move number 0, expected at least 1".to_owned());
    }
    let fen = fen(&board, &rooks, bytes[STATE], move_number, bytes[25])?;
    let position = Position::from_fen(&fen).map_err(|error| format!("{error} in {fen}"))?;
    // The FEN parser silently drops rights that a position cannot have; here they are damage, except a square behind a pawn
    // that no pawn may capture: other programs store it too.
    let mut packed = pack(&position, half_points);
    if was_passed(&position, bytes[STATE] & !BLACK_TO_MOVE) {
        packed[STATE] = bytes[STATE];
    }
    if packed[..28] != bytes[..28] {
        return Err(format!("impossible castling or en passant rights in {fen}"));
    }
    Ok((position, half_points))
}

/// Whether the opponent's last move can have been the double step of a pawn over this square.
fn was_passed(position: &Position, square: u8) -> bool {
    let (rank, pawn_rank, start_rank) =
        if position.side_to_move() == Color::White { (5, 4, 6) } else { (2, 3, 1) };
    let on = |rank: u8| position.piece_on(Square::from_index(usize::from(8 * rank + square % 8)));
    let pawn = Piece::new(!position.side_to_move(), PieceType::Pawn);
    square / 8 == rank && on(pawn_rank) == Some(pawn) && on(rank).is_none() && on(start_rank).is_none()
}

fn fen(
    board: &[Option<Piece>; 64],
    rooks: &[(Color, Square)],
    state: u8,
    move_number: u16,
    clock: u8,
) -> Result<String, String> {
    let mut text = placement(board);
    text.push_str(if state & BLACK_TO_MOVE == 0 { " w " } else { " b " });
    for &(color, square) in rooks {
        let file = square.file().to_char();
        text.push(if color == Color::White { file.to_ascii_uppercase() } else { file });
    }
    if rooks.is_empty() {
        text.push('-');
    }
    match state & !BLACK_TO_MOVE {
        NO_SQUARE => text.push_str(" -"),
        index if index < NO_SQUARE => {
            let _ = write!(text, " {}", Square::from_index(index.into()));
        }
        index => return Err(format!("invalid en passant square {index}")),
    }
    let _ = write!(text, " {clock} {move_number}");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_round_trip() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
            "rnbqkbnr/1pp1pppp/8/p2pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
            "8/8/8/8/8/8/1k6/3K3R b - - 99 300",
            // Chess960: the inner rook has castling rights.
            "1r2k1r1/8/8/8/8/8/8/R1R1K3 w C - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            for half_points in 0..3 {
                assert_eq!(unpack(&pack(&position, half_points)), Ok((position, half_points)), "{fen}");
            }
        }
    }

    /// The pawn on e5 is pinned. The reference stores d6 because a pawn stands beside the one that moved.
    #[test]
    fn square_that_no_pawn_may_capture_on_is_read() {
        let fen = "rnb1kbnr/ppp1qppp/8/3pP3/5p2/7P/PPPP2P1/RNBQKBNR w KQkq - 0 5";
        let position = Position::from_fen(fen).unwrap();
        let mut bytes = pack(&position, 1);
        bytes[STATE] = 43;
        assert_eq!(unpack(&bytes), Ok((position, 1)));
        bytes[STATE] = 44;
        assert!(unpack(&bytes).unwrap_err().contains("en passant rights"), "no pawn has passed e6");
    }

    #[test]
    fn damage_is_reported() {
        let start = pack(&Position::startpos(), 1);
        let damaged = |at: usize, value: u8| {
            let mut bytes = start;
            bytes[at] = value;
            unpack(&bytes).unwrap_err()
        };
        assert!(damaged(30, 3).contains("invalid result 3"));
        assert!(damaged(8, 0x17).contains("invalid piece code 7 on a1"));
        assert!(damaged(4, 1).contains("at most 32 pieces, found 33"));
        assert!(damaged(24, 100).contains("invalid en passant square 100"));
        assert!(damaged(26, 0).contains("invalid move number 0"));
        assert!(damaged(24, 20).contains("castling or en passant rights"));
        assert!(damaged(10, 0x11).contains("kings"), "{}", damaged(10, 0x11));
    }
}
