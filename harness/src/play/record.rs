//! One finished game, as a line of the journal: everything a statistic, a PGN or a report is computed from.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::run::Entry;
use crate::uci::ReportedScore;

/// The format of [`GameRecord`]; raised when an older harness could misread it.
pub const RECORD_VERSION: u32 = 1;

/// Who moves first, or second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Moves first in the start position.
    White,
    /// The other.
    Black,
}

impl Side {
    /// The opponent.
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::White => "White",
            Self::Black => "Black",
        })
    }
}

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GameResult {
    /// White.
    #[serde(rename = "1-0")]
    White,
    /// Black.
    #[serde(rename = "0-1")]
    Black,
    /// Nobody.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl GameResult {
    /// The result with this winner.
    pub fn won_by(side: Side) -> Self {
        match side {
            Side::White => Self::White,
            Side::Black => Self::Black,
        }
    }

    /// Half points of `side`. Range: 0, 1, 2.
    pub fn half_points(self, side: Side) -> u8 {
        match self {
            Self::Draw => 1,
            _ if self == Self::won_by(side) => 2,
            _ => 0,
        }
    }

    /// As PGN writes it.
    pub fn text(self) -> &'static str {
        match self {
            Self::White => "1-0",
            Self::Black => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }
}

/// How a game ended, and where it was a fault, whose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Termination {
    /// Mate.
    Checkmate,
    /// No legal move, no check.
    Stalemate,
    /// A hundred plies without capture or pawn move.
    FiftyMoves,
    /// The third occurrence of a position.
    Threefold,
    /// Neither side can mate.
    InsufficientMaterial,
    /// Decided by the win rule of the adjudication.
    AdjudicatedWin,
    /// Decided by the draw rule of the adjudication.
    AdjudicatedDraw,
    /// Decided by endgame tables.
    Tablebase,
    /// Drawn by `max_moves`.
    MaxMoves,
    /// Fault: no move before the flag fell.
    TimeForfeit {
        /// Whose clock.
        by: Side,
        /// Time beyond the clock when the harness stopped waiting or had the move. Units: microseconds.
        over_us: u64,
    },
    /// Fault: a move that is not legal or not a move.
    IllegalMove {
        /// Whose.
        by: Side,
        /// What was played instead of a move.
        text: String,
    },
    /// Fault: the process ended.
    Crash {
        /// Whose.
        by: Side,
        /// Such as `exited with code 1`.
        how: String,
    },
    /// Fault: silence where no clock runs, or unread input.
    Hang {
        /// Whose.
        by: Side,
        /// What was waited for.
        how: String,
    },
}

impl Termination {
    /// The side whose fault ended the game.
    pub fn fault(&self) -> Option<Side> {
        match self {
            Self::TimeForfeit { by, .. }
            | Self::IllegalMove { by, .. }
            | Self::Crash { by, .. }
            | Self::Hang { by, .. } => Some(*by),
            _ => None,
        }
    }

    /// The word used in summaries; the same as in the journal.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::FiftyMoves => "fifty_moves",
            Self::Threefold => "threefold",
            Self::InsufficientMaterial => "insufficient_material",
            Self::AdjudicatedWin => "adjudicated_win",
            Self::AdjudicatedDraw => "adjudicated_draw",
            Self::Tablebase => "tablebase",
            Self::MaxMoves => "max_moves",
            Self::TimeForfeit { .. } => "time_forfeit",
            Self::IllegalMove { .. } => "illegal_move",
            Self::Crash { .. } => "crash",
            Self::Hang { .. } => "hang",
        }
    }

    /// The value of PGN's Termination tag.
    pub fn pgn_tag(&self) -> &'static str {
        match self {
            Self::AdjudicatedWin | Self::AdjudicatedDraw | Self::Tablebase | Self::MaxMoves => "adjudication",
            Self::TimeForfeit { .. } => "time forfeit",
            Self::IllegalMove { .. } => "rules infraction",
            Self::Crash { .. } | Self::Hang { .. } => "abandoned",
            _ => "normal",
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeForfeit { by, over_us } => {
                write!(f, "{by} forfeits on time ({:.1} ms over)", *over_us as f64 / 1e3)
            }
            Self::IllegalMove { by, text } => write!(f, "{by} plays an illegal move: `{text}`"),
            Self::Crash { by, how } => write!(f, "{by}'s engine {how}"),
            Self::Hang { by, how } => write!(f, "{by}'s engine hangs: {how}"),
            other => f.write_str(&other.name().replace('_', " ")),
        }
    }
}

/// One move with what its engine said about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// UCI text.
    #[serde(rename = "m")]
    pub text: String,
    /// Time used, by the clock of the game: where that counts nodes, what they stand for. Units: microseconds.
    #[serde(rename = "t")]
    pub time_us: u64,
    /// From the mover's side.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ReportedScore>,
    /// Units: plies.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions searched.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// What is kept beyond that, where it was asked for.
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    pub more: Option<Box<MoveDetails>>,
}

/// What an engine said about its move besides score, depth and nodes; and how its clock stood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveDetails {
    /// Deepest line. Units: plies.
    #[serde(rename = "sd", default, skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    /// Fill of the hash table. Units: permille.
    #[serde(rename = "h", default, skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u32>,
    /// Positions found in endgame tables.
    #[serde(rename = "tb", default, skip_serializing_if = "Option::is_none")]
    pub tbhits: Option<u64>,
    /// Time left after the move, its increment included. Units: microseconds, below 0 within the margin.
    #[serde(rename = "tl", default, skip_serializing_if = "Option::is_none")]
    pub left_us: Option<i64>,
    /// The time used less the time the engine itself last reported. Units: microseconds.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<i64>,
    /// The line of play, in UCI's notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pv: Option<String>,
}

/// Sums over the moves of one side in one game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideStats {
    /// Moves made.
    pub moves: u64,
    /// Time used, by the clock of the game: where that counts nodes, what they stand for. Units: microseconds.
    pub time_us: u64,
    /// Nodes reported.
    pub nodes: u64,
    /// Depths reported, summed.
    pub depth_sum: u64,
    /// Moves with a reported depth.
    pub depth_count: u64,
    /// Longest move. Units: microseconds.
    pub max_time_us: u64,
    /// Time used beyond what the engine itself last reported, summed. Units: microseconds.
    #[serde(default)]
    pub latency_us: i64,
    /// Moves with a reported time.
    #[serde(default)]
    pub latency_count: u64,
}

impl SideStats {
    /// Counts one move.
    pub fn add(&mut self, played: &MoveRecord) {
        self.moves += 1;
        self.time_us += played.time_us;
        self.max_time_us = self.max_time_us.max(played.time_us);
        self.nodes += played.nodes.unwrap_or(0);
        if let Some(depth) = played.depth {
            self.depth_sum += u64::from(depth);
            self.depth_count += 1;
        }
    }

    /// Counts what a move took beyond the time its engine reported.
    pub fn add_latency(&mut self, latency_us: i64) {
        self.latency_us += latency_us;
        self.latency_count += 1;
    }

    /// Adds the sums of another game.
    pub fn merge(&mut self, other: &Self) {
        self.moves += other.moves;
        self.time_us += other.time_us;
        self.max_time_us = self.max_time_us.max(other.max_time_us);
        self.nodes += other.nodes;
        self.depth_sum += other.depth_sum;
        self.depth_count += other.depth_count;
        self.latency_us += other.latency_us;
        self.latency_count += other.latency_count;
    }
}

/// One finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// See [`RECORD_VERSION`].
    pub v: u32,
    /// Unique in the run: `2 * pair + half`.
    pub game: u64,
    /// Games with one opening and swapped colours.
    pub pair: u64,
    /// Which of the pair's two games it is, 0 or 1. The first engine has White in the first, and Black in the second unless
    /// colours are not swapped.
    pub half: u8,
    /// Index of White's engine in the configuration.
    pub white: usize,
    /// Index of Black's engine.
    pub black: usize,
    /// The start position.
    pub fen: String,
    /// The opening's moves from there, before the engines' own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub book: Vec<String>,
    /// The opening's name in its file.
    pub opening: String,
    /// Since 1970. Units: milliseconds.
    pub started_ms: u64,
    /// From the first `go` to the end. Units: milliseconds.
    pub duration_ms: u64,
    /// Of the processor time asked for meanwhile, on the whole machine, what the host of a virtual machine gave to others
    /// ([`crate::base::steal_time`]). Units: permille.
    #[serde(default, alias = "stolen_permille", skip_serializing_if = "Option::is_none")]
    pub steal_time_permille: Option<u32>,
    /// CPU load from other programs, as a share of all processors ([`crate::base::other_load`]). Absent where no engine plays on
    /// time. Units: permille.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_load_permille: Option<u32>,
    /// Who won.
    pub result: GameResult,
    /// How it ended.
    pub termination: Termination,
    /// Half-moves the engines have played.
    pub plies: usize,
    /// White's sums.
    pub white_stats: SideStats,
    /// Black's sums.
    pub black_stats: SideStats,
    /// The game itself.
    pub moves: Vec<MoveRecord>,
}

impl GameRecord {
    /// The side that the first engine of the pairing plays: the one that stands first in the configuration.
    pub fn first_side(&self) -> Side {
        if self.white < self.black { Side::White } else { Side::Black }
    }

    /// Half points of the pair's first engine. Range: 0, 1, 2.
    pub fn first_half_points(&self) -> u8 {
        self.result.half_points(self.first_side())
    }
}
impl Entry for GameRecord {
    fn number(&self) -> u64 {
        self.game
    }

    fn check(&self) -> Result<(), String> {
        if self.v != RECORD_VERSION {
            return Err(format!("record version {}, expected {RECORD_VERSION}", self.v));
        }
        if self.half > 1 || self.game != 2 * self.pair + u64::from(self.half) {
            return Err(format!("game {} is not half {} of pair {}", self.game, self.half, self.pair));
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) fn sample_game(game: u64) -> GameRecord {
    let half = (game % 2) as u8;
    let texts = ["e2e4", "e7e5", "g1f3"];
    let moves = texts.map(|text| MoveRecord {
        text: text.to_owned(),
        time_us: 1500,
        score: Some(crate::uci::ReportedScore::Cp(12)),
        depth: Some(5),
        nodes: None,
        more: None,
    });
    GameRecord {
        v: RECORD_VERSION,
        game,
        pair: game / 2,
        half,
        white: half.into(),
        black: (1 - half).into(),
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
        book: Vec::new(),
        opening: "start".to_owned(),
        started_ms: 1_700_000_000_000,
        duration_ms: 5,
        steal_time_permille: None,
        other_load_permille: None,
        result: GameResult::Draw,
        termination: Termination::AdjudicatedDraw,
        plies: 3,
        white_stats: SideStats::default(),
        black_stats: SideStats::default(),
        moves: moves.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_with_the_wrong_half_or_version_is_refused() {
        assert_eq!(sample_game(3).check(), Ok(()));
        let error = GameRecord { half: 1, ..sample_game(4) }.check().unwrap_err();
        assert!(error.contains("not half 1"), "{error}");
        let error = GameRecord { v: 9, ..sample_game(0) }.check().unwrap_err();
        assert!(error.contains("version 9"), "{error}");
    }
}
