//! The record of a finished game, one line of the journal. Statistics, PGN files and reports are
//! computed from it.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::wording::counted;
use crate::run::{Entry, check_version};
use crate::uci::ReportedScore;

/// Version of [`GameRecord`], raised when an older harness could misread it.
pub const RECORD_VERSION: u32 = 1;

/// A side of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The side with the white pieces.
    White,
    /// The side with the black pieces.
    Black,
}

impl Side {
    /// Returns the opponent's side.
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// Returns its place in a list of both sides: 0 for White, 1 for Black.
    pub(crate) fn index(self) -> usize {
        usize::from(self == Self::Black)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::White { "White" } else { "Black" })
    }
}

/// Result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GameResult {
    /// White won the game.
    #[serde(rename = "1-0")]
    White,
    /// Black won the game.
    #[serde(rename = "0-1")]
    Black,
    /// The game was drawn.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl GameResult {
    /// Returns the result in which `side` wins.
    pub fn won_by(side: Side) -> Self {
        match side {
            Side::White => Self::White,
            Side::Black => Self::Black,
        }
    }

    /// Returns the half points of `side`. Range: 0, 1, 2.
    pub fn half_points(self, side: Side) -> u8 {
        match self {
            Self::Draw => 1,
            _ if self == Self::won_by(side) => 2,
            _ => 0,
        }
    }

    /// Returns the result in PGN notation.
    pub fn text(self) -> &'static str {
        match self {
            Self::White => "1-0",
            Self::Black => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }
}

/// Reason for the end of a game. Faults have the side at fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Termination {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// A draw after 100 plies without capture or pawn move.
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
    /// Adjudicated as a draw after `max_moves`.
    MaxMoves,
    /// A fault: no move before the flag fell. A loss, or a draw against a lone king.
    TimeForfeit {
        /// The side that lost on time.
        by: Side,
        /// Time over the limit when the move arrived or the harness stopped waiting. Units:
        /// microseconds.
        over_us: u64,
        /// Whether the opponent had a lone king, which makes the game a draw.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lone_king: bool,
    },
    /// A fault: an illegal or unreadable move.
    IllegalMove {
        /// The side at fault.
        by: Side,
        /// The rejected move text.
        text: String,
    },
    /// A fault: an illegal move, because the engine had answered an earlier `go` twice and its second
    /// `bestmove` came as the answer to this one.
    AnsweredTwice {
        /// The side at fault.
        by: Side,
        /// The rejected move text.
        text: String,
    },
    /// A fault: the engine process ended.
    Crash {
        /// The side at fault.
        by: Side,
        /// Exit status, such as `exited with code 1`.
        how: String,
    },
    /// A fault: no answer where no clock runs, or, under a clock, none to `stop` after the flag fell; or
    /// unread input.
    Hang {
        /// The side at fault.
        by: Side,
        /// Description of the missing answer.
        how: String,
    },
}

/// The name of losses on time, which are counted apart from other faults.
pub(crate) const TIME_FORFEIT: &str = "time_forfeit";
/// The value of PGN's Termination tag for games that the rules of chess ended.
const NORMAL: &str = "normal";
/// The value of PGN's Termination tag for games that rules of the match ended.
const ADJUDICATION: &str = "adjudication";

impl Termination {
    /// Returns the side at fault, if a fault ended the game.
    pub fn fault(&self) -> Option<Side> {
        match self {
            Self::TimeForfeit { by, .. }
            | Self::IllegalMove { by, .. }
            | Self::AnsweredTwice { by, .. }
            | Self::Crash { by, .. }
            | Self::Hang { by, .. } => Some(*by),
            _ => None,
        }
    }

    /// Whether a rule of the match ended the game, and not the rules of chess or a fault.
    pub(crate) fn is_adjudicated(&self) -> bool {
        self.pgn_tag() == ADJUDICATION
    }

    /// Returns the result of a game that a fault of `side` ended.
    pub fn result_of_fault(&self, side: Side) -> GameResult {
        match self {
            Self::TimeForfeit { lone_king: true, .. } => GameResult::Draw,
            _ => GameResult::won_by(side.other()),
        }
    }

    /// Returns the name used in summaries and the journal.
    pub fn name(&self) -> &'static str {
        self.words().0
    }

    /// Returns the value of PGN's Termination tag.
    pub fn pgn_tag(&self) -> &'static str {
        self.words().1
    }

    /// Returns the name and the value of PGN's tag.
    fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Checkmate => ("checkmate", NORMAL),
            Self::Stalemate => ("stalemate", NORMAL),
            Self::FiftyMoves => ("fifty_moves", NORMAL),
            Self::Threefold => ("threefold", NORMAL),
            Self::InsufficientMaterial => ("insufficient_material", NORMAL),
            Self::AdjudicatedWin => ("adjudicated_win", ADJUDICATION),
            Self::AdjudicatedDraw => ("adjudicated_draw", ADJUDICATION),
            Self::Tablebase => ("tablebase", ADJUDICATION),
            Self::MaxMoves => ("max_moves", ADJUDICATION),
            Self::TimeForfeit { .. } => (TIME_FORFEIT, "time forfeit"),
            Self::IllegalMove { .. } => ("illegal_move", "rules infraction"),
            Self::AnsweredTwice { .. } => ("answered_twice", "rules infraction"),
            Self::Crash { .. } => ("crash", "abandoned"),
            Self::Hang { .. } => ("hang", "abandoned"),
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeForfeit { by, over_us, lone_king } => {
                write!(f, "{by} forfeits on time ({:.1} ms over)", *over_us as f64 / 1e3)?;
                if *lone_king { write!(f, "; {} has a lone king: draw", by.other()) } else { Ok(()) }
            }
            Self::IllegalMove { by, text } if text.is_empty() => {
                write!(f, "{by} answers `bestmove` without a move")
            }
            Self::IllegalMove { by, text } => write!(f, "{by} plays an illegal move: `{text}`"),
            Self::AnsweredTwice { by, text } => {
                write!(f, "{by} plays an illegal move: `{text}`, a second `bestmove` to an earlier `go`")
            }
            Self::Crash { by, how } => write!(f, "{by}'s engine {how}"),
            Self::Hang { by, how } => write!(f, "{by}'s engine hangs: {how}"),
            other => f.write_str(&other.name().replace('_', " ")),
        }
    }
}

/// A move with the engine's report on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move in UCI notation.
    #[serde(rename = "m")]
    pub text: String,
    /// Time used on the clock of the game, or the time equivalent of nodes on a node clock. Units:
    /// microseconds.
    #[serde(rename = "t")]
    pub time_us: u64,
    /// Score from the view of the side that moved.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ReportedScore>,
    /// Depth of the search. Units: plies.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Number of nodes searched, after a ponder hit with those of the opponent's time.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Whether the engine pondered on the move that the opponent made. Its nodes and the time it
    /// reports then include the opponent's time, unlike `time_us`.
    #[serde(rename = "ph", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_ponder_hit: bool,
    /// Details that only the field `pgn` of the configuration asks for.
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    pub more: Option<Box<MoveDetails>>,
}

/// Optional details of a move: further fields of the engine's report and the state of its clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveDetails {
    /// Selective depth. Units: plies.
    #[serde(rename = "sd", default, skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    /// Fill of the hash table. Units: permille.
    #[serde(rename = "h", default, skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u32>,
    /// Number of tablebase hits.
    #[serde(rename = "tb", default, skip_serializing_if = "Option::is_none")]
    pub tbhits: Option<u64>,
    /// Time left after the move, including the increment. At least 0. Units:
    /// microseconds.
    #[serde(rename = "tl", default, skip_serializing_if = "Option::is_none")]
    pub left_us: Option<i64>,
    /// Time after the last report of nodes. Units: microseconds.
    #[serde(rename = "u", default, skip_serializing_if = "is_zero")]
    pub uncounted_us: u64,
    /// Time used minus the time last reported by the engine. Units: microseconds.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<i64>,
    /// Principal variation in UCI notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pv: Option<String>,
}

/// Sums over the moves of one side in one game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideStats {
    /// Number of moves made.
    pub moves: u64,
    /// Time used on the clock of the game, or the time equivalent of nodes on a node clock. Units:
    /// microseconds.
    pub time_us: u64,
    /// Sum of the reported nodes, without moves after a ponder hit.
    pub nodes: u64,
    /// Part of `time_us` for which `nodes` has none: that of moves after a ponder hit, and of other moves the time after the last
    /// report of nodes. Units: microseconds.
    #[serde(default, alias = "ponder_hit_time_us", skip_serializing_if = "is_zero")]
    pub uncounted_us: u64,
    /// Sum of the reported depths.
    pub depth_sum: u64,
    /// Number of moves with a reported depth.
    pub depth_count: u64,
    /// Longest time of a move, also of one that lost on time. Units: microseconds.
    pub max_time_us: u64,
    /// Sum of the times used minus the times last reported by the engine. Units: microseconds.
    #[serde(default)]
    pub latency_us: i64,
    /// Number of moves with a reported time.
    #[serde(default)]
    pub latency_count: u64,
    /// Number of moves whose reported PV was checked.
    #[serde(default)]
    pub checked_pvs: u64,
    /// Second `bestmove` lines to one search, which were dropped.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub second_answers: u64,
    /// Failed starts of the engine, and its exits and hangs between games, before this game.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restarts: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "signature required by serde")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl SideStats {
    /// Adds one move to the sums; `uncounted_us` is its time after the last report of nodes.
    pub fn add(&mut self, played: &MoveRecord, uncounted_us: u64) {
        self.moves += 1;
        self.time_us += played.time_us;
        self.max_time_us = self.max_time_us.max(played.time_us);
        if played.is_ponder_hit {
            self.uncounted_us += played.time_us;
        } else {
            self.uncounted_us += uncounted_us.min(played.time_us);
            self.nodes = self.nodes.saturating_add(played.nodes.unwrap_or(0));
        }
        if let Some(depth) = played.depth {
            self.depth_sum += u64::from(depth);
            self.depth_count += 1;
        }
    }

    /// Returns the nodes per second of the time in which nodes are counted; `None` without nodes or time.
    pub(crate) fn nps(&self) -> Option<f64> {
        let time_us = self.time_us.saturating_sub(self.uncounted_us);
        (self.nodes > 0 && time_us > 0).then(|| self.nodes as f64 * 1e6 / time_us as f64)
    }

    /// Adds the sums of another game.
    pub fn merge(&mut self, other: &Self) {
        self.moves += other.moves;
        self.time_us += other.time_us;
        self.max_time_us = self.max_time_us.max(other.max_time_us);
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.uncounted_us += other.uncounted_us;
        self.depth_sum += other.depth_sum;
        self.depth_count += other.depth_count;
        self.latency_us += other.latency_us;
        self.latency_count += other.latency_count;
        self.checked_pvs += other.checked_pvs;
        self.second_answers += other.second_answers;
        self.restarts += other.restarts;
    }
}

/// The rest of an adjudicated game, played on to audit the verdict. It enters no statistics of the engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// Result of the rest; `None` if it was broken off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// Reason for the end of the rest, or why it was broken off.
    pub ended: String,
    /// Moves after the verdict, in UCI notation.
    pub moves: Vec<String>,
    /// Duration of the rest. Units: milliseconds.
    pub duration_ms: u64,
}

impl fmt::Display for Audit {
    /// Formats `1-0 by checkmate after 34 plies`, or `broken off after 3 plies: White's engine exited with code 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plies = counted(self.moves.len(), "ply");
        match self.result {
            Some(result) => write!(f, "{} by {} after {plies}", result.text(), self.ended),
            None => write!(f, "broken off after {plies}: {}", self.ended),
        }
    }
}

/// An error in the PV that an engine reported last before its move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PvError {
    /// A move is illegal or not in UCI notation.
    #[error("illegal move in the PV")]
    IllegalMove,
    /// The PV continues after checkmate.
    #[error("PV continues after checkmate")]
    AfterCheckmate,
    /// The PV continues after stalemate.
    #[error("PV continues after stalemate")]
    AfterStalemate,
    /// The PV continues after the third occurrence of a position, counting those of the game.
    #[error("PV continues after threefold repetition")]
    AfterThreefold,
    /// The PV continues after 100 plies without capture or pawn move.
    #[error("PV continues after the fifty-move rule")]
    AfterFiftyMoves,
    /// The PV continues although neither side can mate.
    #[error("PV continues with insufficient material")]
    AfterInsufficientMaterial,
    /// The move played is not the first move of the PV.
    #[error("bestmove is not the first move of the PV")]
    BestMoveDiffers,
    /// The ponder move is illegal after the move played.
    #[error("illegal ponder move")]
    IllegalPonderMove,
    /// The ponder move is not the second move of the PV.
    #[error("ponder move is not the second move of the PV")]
    PonderMoveDiffers,
    /// The score is a mate, and the PV ends before it.
    #[error("PV ends before the mate of the score")]
    MateIncomplete,
    /// The PV mates in another number of moves than the score.
    #[error("PV mates in another number of moves than the score")]
    MateDistance,
    /// The score is a mate, and the PV is long enough for it but does not mate.
    #[error("PV of a mate score does not mate")]
    NoMate,
}

/// A wrong PV of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongPv {
    /// Index of the move in [`GameRecord::moves`] before which the PV was
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

/// The record of a finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Version of the format, [`RECORD_VERSION`].
    pub v: u32,
    /// Index of the game in the run, from 0: `2 * pair + half`.
    pub game: u64,
    /// Index of the pair, from 0: two games with one opening and swapped colours.
    pub pair: u64,
    /// Index of the game in its pair, 0 or 1. The first engine has White in game 0, and Black in game
    /// 1 if colours are swapped.
    pub half: u8,
    /// Index of White's engine in the configuration.
    pub white: usize,
    /// Index of Black's engine in the configuration.
    pub black: usize,
    /// The start position of the opening.
    pub fen: String,
    /// Moves of the opening from the start position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub book: Vec<String>,
    /// Name of the opening in its file.
    pub opening: String,
    /// Start time since 1970. Units: milliseconds.
    pub started_ms: u64,
    /// Duration from the first `go` to the end. Units: milliseconds.
    pub duration_ms: u64,
    /// Steal time during the game, as a share of the CPU time requested on the whole machine, busy plus
    /// steal time. Units: permille.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_time_permille: Option<u32>,
    /// CPU load from other programs, as a share of all processors
    /// ([`crate::base::system::other_load`]). Absent if no engine plays on time. Units: permille.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_load_permille: Option<u32>,
    /// Factor of clocks and times per move, if they were scaled to the speed of the machine. Units: permille.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_permille: Option<u32>,
    /// Result of the game.
    pub result: GameResult,
    /// Reason for the end of the game.
    pub termination: Termination,
    /// Number of plies played by the engines.
    pub plies: usize,
    /// Sums over the moves of White.
    pub white_stats: SideStats,
    /// Sums over the moves of Black.
    pub black_stats: SideStats,
    /// Moves of the engines with their reports.
    pub moves: Vec<MoveRecord>,
    /// Wrong PVs that the engines reported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong_pvs: Vec<WrongPv>,
    /// The rest of the game, if its verdict was audited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<Audit>,
}

impl GameRecord {
    /// Returns the number of the game for people and in PGN, which counts from 1.
    pub fn number(&self) -> u64 {
        self.game + 1
    }

    /// Returns the side of the pairing's first engine, which is the earlier one in the configuration.
    pub fn first_side(&self) -> Side {
        if self.white < self.black { Side::White } else { Side::Black }
    }

    /// Returns the side that played the move with this index in [`GameRecord::moves`].
    pub fn side_of(&self, ply: usize) -> Side {
        // The side to move at the start plays the even plies of the opening and the game.
        let first = if self.fen.split(' ').nth(1) == Some("b") { Side::Black } else { Side::White };
        if (self.book.len() + ply).is_multiple_of(2) { first } else { first.other() }
    }

    /// Returns the `position` command before the move with this index in [`GameRecord::moves`].
    pub fn position_before(&self, ply: usize) -> String {
        let mut text = format!("position fen {}", self.fen);
        let own = self.moves.iter().take(ply).map(|played| &played.text);
        for (index, played) in self.book.iter().chain(own).enumerate() {
            text.push_str(if index == 0 { " moves " } else { " " });
            text.push_str(played);
        }
        text
    }

    /// Returns the index of this side's engine in the configuration.
    pub fn engine(&self, side: Side) -> usize {
        if side == Side::White { self.white } else { self.black }
    }

    /// Returns the sums over the moves of this side.
    pub(crate) fn stats(&self, side: Side) -> &SideStats {
        if side == Side::White { &self.white_stats } else { &self.black_stats }
    }

    /// Whether the engine of this side hung at its first move.
    pub(crate) fn is_first_hang(&self, side: Side) -> bool {
        self.stats(side).moves == 0 && matches!(self.termination, Termination::Hang { by, .. } if by == side)
    }

    /// Returns the half points of the pairing's first engine. Range: 0, 1, 2.
    pub fn first_half_points(&self) -> u8 {
        self.result.half_points(self.first_side())
    }
}
impl Entry for GameRecord {
    fn number(&self) -> u64 {
        self.game
    }

    fn fault_name(&self) -> String {
        format!("game-{}", self.game + 1)
    }

    fn check(&self) -> Result<(), String> {
        check_version(self.v, RECORD_VERSION)?;
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
        is_ponder_hit: false,
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
        clock_permille: None,
        result: GameResult::Draw,
        termination: Termination::AdjudicatedDraw,
        plies: 3,
        white_stats: SideStats::default(),
        black_stats: SideStats::default(),
        moves: moves.to_vec(),
        wrong_pvs: Vec::new(),
        audit: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_leaves_out_time_without_nodes() {
        let mut stats = SideStats::default();
        assert_eq!(stats.nps(), None);
        let played = |time_us, nodes, is_ponder_hit| MoveRecord {
            time_us,
            nodes: Some(nodes),
            is_ponder_hit,
            ..sample_game(0).moves[0].clone()
        };
        stats.add(&played(1_500_000, 5000, false), 500_000);
        stats.add(&played(500_000, 90_000, true), 0);
        assert_eq!(stats.nps(), Some(5000.0));
        assert_eq!((stats.time_us, stats.nodes, stats.uncounted_us), (2_000_000, 5000, 1_000_000));
        let mut sum = stats;
        sum.merge(&stats);
        assert_eq!(sum.nps(), Some(5000.0));
    }

    #[test]
    fn sums_of_games_are_added_field_by_field() {
        let one = SideStats {
            moves: 1,
            time_us: 2,
            nodes: 3,
            uncounted_us: 4,
            depth_sum: 5,
            depth_count: 6,
            max_time_us: 7,
            latency_us: -8,
            latency_count: 9,
            checked_pvs: 10,
            second_answers: 11,
            restarts: 12,
        };
        let mut sum = one;
        sum.merge(&one);
        let twice = SideStats {
            moves: 2,
            time_us: 4,
            nodes: 6,
            uncounted_us: 8,
            depth_sum: 10,
            depth_count: 12,
            max_time_us: 7,
            latency_us: -16,
            latency_count: 18,
            checked_pvs: 20,
            second_answers: 22,
            restarts: 24,
        };
        assert_eq!(sum, twice);
    }

    #[test]
    fn a_game_with_the_wrong_half_or_version_is_refused() {
        assert_eq!(sample_game(3).check(), Ok(()));
        let error = GameRecord { half: 1, ..sample_game(4) }.check().unwrap_err();
        assert!(error.contains("not half 1"), "{error}");
        let error = GameRecord { v: 9, ..sample_game(0) }.check().unwrap_err();
        assert!(error.contains("version 9"), "{error}");
    }
}
