//! One position solved or not, as a line of the journal: everything a summary is computed from.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::mate::MateClaim;
use crate::run::{Entry, check_version};
use crate::uci::ReportedScore;

/// The format of [`PositionRecord`]; raised when an older harness could misread it.
pub(crate) const POSITION_VERSION: u32 = 1;

/// The journal record of one position: answer, score, effort and verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionRecord {
    /// Format version: [`POSITION_VERSION`] when written.
    pub v: u32,
    /// Number of the position in the run, from 0.
    pub index: u64,
    /// Name of the EPD file.
    pub file: String,
    /// Line number in the file, from 1.
    pub line: usize,
    /// The EPD's `id`, or `line N`.
    pub id: String,
    /// Position in FEN notation.
    pub fen: String,
    /// Expected answer, such as `bm Qg6`.
    pub expected: String,
    /// The best move as the engine wrote it; empty if there is none.
    pub best_move: String,
    /// The same move in SAN, if it is legal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub san: Option<String>,
    /// The last exact score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ReportedScore>,
    /// The depth of that score. Units: plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes of the whole search, as last reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Time from `go` to `bestmove`. Units: microseconds.
    pub time_us: u64,
    /// Principal variation with that score, as the engine wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<String>,
    /// Whether the position is solved.
    pub solved: bool,
    /// Points of the move, if moves have points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u32>,
    /// Maximum number of points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_points: Option<u32>,
    /// Effort until the answer was right and stayed so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution: Option<Solution>,
    /// The claimed mate, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<MateClaim>,
    /// Failure of the engine, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// The first report after which the answer stayed right; the end of the search if it only became
/// right after the last report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Solution {
    /// Depth of the report. Units: plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes at the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Time at the report, as reported by the engine if available. Units: milliseconds.
    pub time_ms: u64,
}

/// A failure of the engine on a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Kind of the failure.
    pub kind: FaultKind,
    /// Description, such as `exited with code 1`.
    #[serde(rename = "detail")]
    pub how: String,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The engine process exited.
    Crash,
    /// No answer before the timeout.
    Hang,
    /// An illegal move, or no move.
    IllegalMove,
}

impl FaultKind {
    /// Returns the name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::IllegalMove => "illegal move",
        }
    }
}

impl Entry for PositionRecord {
    fn number(&self) -> u64 {
        self.index
    }

    fn check(&self) -> Result<(), String> {
        check_version(self.v, POSITION_VERSION)
    }
}

impl PositionRecord {
    /// Describes the answer: the move, a claimed mate, or the failure.
    pub fn found(&self) -> String {
        if let Some(fault) = &self.fault {
            return fault.kind.name().to_owned();
        }
        let name = self.san.as_deref().unwrap_or(&self.best_move);
        match &self.mate {
            Some(claim) if claim.is_verified() => format!("{name} (mate {})", claim.moves),
            Some(claim) => format!("{name} (mate {}, not verified)", claim.moves),
            None => name.to_owned(),
        }
    }
}

/// Lists the positions that were not solved, a line each, in the order of the suite.
pub(crate) fn list_unsolved(records: &[PositionRecord]) -> String {
    let mut unsolved: Vec<&PositionRecord> = records.iter().filter(|record| !record.solved).collect();
    unsolved.sort_by_key(|record| record.index);
    let mut text = if unsolved.is_empty() { String::new() } else { "not solved:\n".to_owned() };
    for record in unsolved {
        let PositionRecord { file, line, id, expected, .. } = record;
        let _ = writeln!(text, "  {file}:{line} {id} ({expected}): {}", record.found());
    }
    text
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::measure::suite) fn sample(index: u64) -> PositionRecord {
        PositionRecord {
            v: POSITION_VERSION,
            index,
            file: "x.epd".to_owned(),
            line: index as usize + 1,
            id: format!("T.{index}"),
            fen: "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned(),
            expected: "bm e4".to_owned(),
            best_move: "e2e4".to_owned(),
            san: Some("e4".to_owned()),
            score: Some(ReportedScore::Cp(31)),
            depth: Some(9),
            nodes: Some(1000),
            time_us: 2500,
            pv: vec!["e2e4".to_owned()],
            solved: true,
            solution: Some(Solution { depth: Some(3), nodes: Some(100), time_ms: 1 }),
            ..PositionRecord::default()
        }
    }

    #[test]
    fn records_round_trip() {
        for record in [
            sample(3),
            PositionRecord {
                solved: false,
                solution: None,
                fault: Some(Fault { kind: FaultKind::Hang, how: "no bestmove".to_owned() }),
                mate: Some(MateClaim {
                    moves: -3,
                    relation: Some(crate::measure::suite::Relation::Longer),
                    verification: crate::measure::suite::Verification::PlayedOn { plies: 2 },
                }),
                ..sample(4)
            },
        ] {
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<PositionRecord>(&text).unwrap(), record);
        }
    }
}
