//! The errors of a principal variation that the referee finds.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An error in the PV that an engine reported last before its move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PvError {
    /// A move is illegal or not in UCI notation.
    IllegalMove,
    /// The PV continues after checkmate.
    AfterCheckmate,
    /// The PV continues after stalemate.
    AfterStalemate,
    /// The PV continues after the third occurrence of a position, counting those of the game.
    AfterThreefold,
    /// The PV continues after 100 plies without capture or pawn move.
    AfterFiftyMoves,
    /// The PV continues although neither side can mate.
    AfterInsufficientMaterial,
    /// The move played is not the first move of the PV.
    BestMoveDiffers,
    /// The ponder move is illegal after the move played.
    IllegalPonderMove,
    /// The ponder move is not the second move of the PV.
    PonderMoveDiffers,
    /// The score is a mate, and the PV ends before it.
    MateIncomplete,
    /// The PV mates in another number of moves than the score.
    MateDistance,
    /// The score is a mate, and the PV is long enough for it but does not mate.
    NoMate,
}

impl fmt::Display for PvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IllegalMove => "illegal move in the PV",
            Self::AfterCheckmate => "PV continues after checkmate",
            Self::AfterStalemate => "PV continues after stalemate",
            Self::AfterThreefold => "PV continues after threefold repetition",
            Self::AfterFiftyMoves => "PV continues after the fifty-move rule",
            Self::AfterInsufficientMaterial => "PV continues with insufficient material",
            Self::BestMoveDiffers => "bestmove is not the first move of the PV",
            Self::IllegalPonderMove => "illegal ponder move",
            Self::PonderMoveDiffers => "ponder move is not the second move of the PV",
            Self::MateIncomplete => "PV ends before the mate of the score",
            Self::MateDistance => "PV mates in another number of moves than the score",
            Self::NoMate => "PV of a mate score does not mate",
        })
    }
}

/// A wrong PV of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongPv {
    /// Index of the move in [`GameRecord::moves`](super::record::GameRecord::moves) before which the PV was
    /// reported.
    pub ply: usize,
    /// The rule that the PV breaks.
    pub error: PvError,
    /// The first wrong move of the PV, counted from 1. Absent if the error is not in one move.
    #[serde(rename = "at", default, skip_serializing_if = "Option::is_none")]
    pub pv_move: Option<usize>,
    /// The ponder move, if the error is in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ponder: Option<String>,
    /// The `info` line. Only the first line per side, error and game is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}
