//! One position with the moves of all settings, as a line of the journal.

use serde::{Deserialize, Serialize};

use super::ballot::ThreadBallot;
use crate::run::Entry;
use crate::uci::ReportedScore;

/// The format of [`RegretRecord`]; raised when an older harness could misread it.
pub(super) const REGRET_VERSION: u32 = 1;

/// A position: the move of each setting, and the judge's scores where they differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RegretRecord {
    /// Format version: [`REGRET_VERSION`] when written.
    pub v: u32,
    /// Number of the position in the run, from 0.
    pub index: u64,
    /// The position as FEN.
    pub fen: String,
    /// The move of each setting in the order of the configuration, as UCI.
    pub moves: Vec<String>,
    /// Nodes of each setting's search.
    pub nodes: Vec<u64>,
    /// Whether each setting's search may end before its limit: it found a mate, or one move is legal.
    /// Empty in records of earlier builds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_stop_early: Vec<bool>,
    /// The judge's score of each different move; empty where all settings and their threads agree.
    pub judged: Vec<JudgedMove>,
    /// Moves whose score was known from an earlier run.
    #[serde(default)]
    pub known: u64,
    /// The ballots of each setting's threads, in the order of the configuration; empty if no setting
    /// prints any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ballots: Vec<Vec<ThreadBallot>>,
}

/// A move with the judge's score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JudgedMove {
    /// The move, as UCI.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its score, from the point of view of the side that plays it.
    pub score: ReportedScore,
    /// Nodes of the judge's search; absent if the score was known or the rules gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl Entry for RegretRecord {
    fn number(&self) -> u64 {
        self.index
    }

    fn check(&self) -> Result<(), String> {
        if self.v != REGRET_VERSION {
            return Err(format!("record version {}, expected {REGRET_VERSION}", self.v));
        }
        let candidates = self.candidates();
        let is_judged = |mv: &&str| self.judged.iter().any(|judged| judged.mv == **mv);
        let has_ballots = self.ballots.is_empty() || self.ballots.len() == self.moves.len();
        let is_complete = self.moves.len() == self.nodes.len() && has_ballots;
        if is_complete && (candidates.len() < 2 || candidates.iter().all(is_judged)) {
            Ok(())
        } else {
            Err("a move has no score".to_owned())
        }
    }
}

impl RegretRecord {
    /// Returns the different moves of settings and threads, in alphabetical order.
    pub(super) fn candidates(&self) -> Vec<&str> {
        let voted = self.ballots.iter().flatten().map(|ballot| ballot.mv.as_str());
        let mut all: Vec<&str> = self.moves.iter().map(String::as_str).chain(voted).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether settings chose different moves.
    pub(super) fn has_different_moves(&self) -> bool {
        self.moves.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// Returns the ballots of the setting at `index`.
    pub(super) fn ballots_of(&self, index: usize) -> &[ThreadBallot] {
        self.ballots.get(index).map_or(&[], Vec::as_slice)
    }

    /// Returns the win probability after a judged move; 0 for other moves.
    pub(super) fn chance(&self, mv: &str, scale: f64) -> f64 {
        let judged = self.judged.iter().find(|judged| judged.mv == mv);
        judged.map_or(0.0, |judged| win_probability(judged.score, scale))
    }

    /// Returns the win probability that each setting's move loses against the best move that any of
    /// them found. Range: 0 to 1.
    pub(crate) fn regrets(&self, scale: f64) -> Vec<f64> {
        let chances: Vec<f64> = self.moves.iter().map(|mv| self.chance(mv, scale)).collect();
        let best = chances.iter().copied().fold(0.0, f64::max);
        chances.iter().map(|chance| best - chance).collect()
    }
}

/// Returns the win probability of a score, by the logistic function. Range: 0 to 1.
fn win_probability(score: ReportedScore, scale: f64) -> f64 {
    match score {
        ReportedScore::Cp(centipawns) => 1.0 / (1.0 + (-f64::from(centipawns) / scale).exp()),
        ReportedScore::Mate(moves) if moves > 0 => 1.0,
        ReportedScore::Mate(_) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(in super::super) fn record(index: u64, moves: &[&str], scores: &[(&str, i32)]) -> RegretRecord {
        RegretRecord {
            v: REGRET_VERSION,
            index,
            fen: "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned(),
            moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
            nodes: vec![100; moves.len()],
            may_stop_early: Vec::new(),
            judged: scores
                .iter()
                .map(|&(mv, cp)| JudgedMove { mv: mv.to_owned(), score: ReportedScore::Cp(cp), nodes: None })
                .collect(),
            known: 0,
            ballots: Vec::new(),
        }
    }

    #[test]
    fn regret_is_the_lost_win_probability() {
        let differ = record(0, &["a1a2", "a1a3", "a1a2"], &[("a1a2", 0), ("a1a3", 150)]);
        let regrets = differ.regrets(150.0);
        let lost = 1.0 / (1.0 + (-1.0_f64).exp()) - 0.5;
        let is_near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(is_near(regrets[0], lost) && is_near(regrets[1], 0.0) && is_near(regrets[2], lost));
        assert_eq!(record(1, &["a1a2", "a1a2"], &[]).regrets(150.0), [0.0, 0.0]);
        assert!(is_near(win_probability(ReportedScore::Mate(3), 150.0), 1.0));
        assert!(is_near(win_probability(ReportedScore::Mate(0), 150.0), 0.0));
    }

    #[test]
    fn incomplete_records_are_refused() {
        assert!(record(0, &["a1a2", "a1a3"], &[("a1a2", 0), ("a1a3", 1)]).check().is_ok());
        assert!(record(0, &["a1a2", "a1a3"], &[("a1a2", 0)]).check().is_err());
        let vote = ThreadBallot::parse(
            "info string ballot thread 1 move a1a4 score cp 3 depth 2 since 1 nodes 9 best 8",
        );
        let voted = RegretRecord {
            ballots: vec![vec![vote.unwrap()], Vec::new()],
            ..record(0, &["a1a2", "a1a2"], &[("a1a2", 0)])
        };
        assert!(voted.check().is_err(), "a thread's move has no score");
        assert!(RegretRecord { v: 9, ..record(0, &["a1a2", "a1a2"], &[]) }.check().is_err());
    }
}
