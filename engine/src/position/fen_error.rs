//! The dialects of FEN and the reasons why a text is not one.

use thiserror::Error;

use crate::types::{Color, Square};

/// The notation of castling rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenDialect {
    /// `KQkq`; as in X-FEN, a file letter for a rook that is not the outermost.
    Standard,
    /// The files of the rooks: `HAha`.
    Shredder,
}

/// Reason why a text is not the FEN of a valid position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum FenError {
    #[error("FEN is empty: expected at least placement and side to move")]
    Empty,
    #[error("the FEN ends after {found:?}: expected `w` or `b`")]
    NoSide { found: String },
    #[error("the FEN continues with {found:?}: expected at most six fields")]
    TooManyFields { found: String },
    #[error("placement {found:?}: expected 8 ranks, found {ranks}")]
    RankCount { found: String, ranks: usize },
    #[error("rank {found:?} has {squares} squares: expected 8")]
    RankLength { found: String, squares: usize },
    #[error("rank {found:?} contains {letter:?}: expected one of PNBRQKpnbrqk or a digit 1 to 8")]
    PieceLetter { found: String, letter: char },
    #[error("rank {found:?} has two digits in a row: expected their sum")]
    TwoDigits { found: String },
    #[error("side to move is {found:?}: expected `w` or `b`")]
    Side { found: String },
    #[error("castling field is {found:?}: expected `-` or letters of KQkq or A to H, a to h")]
    Castling { found: String },
    #[error("en passant field is {found:?}: expected `-` or a square")]
    EnPassant { found: String },
    #[error("{counter} is {found:?}: expected a number")]
    Counter { counter: &'static str, found: String },
    #[error("{color:?} has {found} kings: expected one")]
    Kings { color: Color, found: u32 },
    #[error("a pawn stands on {square}: expected none on the first and last rank")]
    BackRankPawn { square: Square },
    #[error("{color:?} has {found} pieces: expected at most 16")]
    TooManyPieces { color: Color, found: u32 },
    #[error("{color:?} has {found} pawns: expected at most 8")]
    TooManyPawns { color: Color, found: u32 },
    #[error("{color:?} is in check from {checker}, but it is not {color:?}'s move")]
    OpponentInCheck { color: Color, checker: Square },
}
