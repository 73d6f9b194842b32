//! The ballots of a team of threads, as Stretto prints them with its option `BallotLog`.

use serde::{Deserialize, Serialize};

use crate::uci::ReportedScore;

/// The vote of one thread at the end of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ThreadBallot {
    /// Index of the thread.
    pub thread: usize,
    /// The move that it would play, as UCI.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its score.
    pub score: ReportedScore,
    /// The last depth that the thread has completed; 0 for none.
    pub depth: i32,
    /// The depth since which the move has been its best.
    pub since: i32,
    /// Nodes of the thread up to its last result.
    pub nodes: u64,
    /// Nodes below the move.
    pub best: u64,
}

impl ThreadBallot {
    /// Parses `info string ballot thread 3 move e2e4 score cp 31 depth 9 since 6 nodes 5000 best 4100`;
    /// `None` for any other line.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("info string ballot ")?.split_whitespace();
        let mut field = |name: &str| words.next().filter(|word| *word == name).and_then(|_| words.next());
        let (thread, mv) = (field("thread")?.parse().ok()?, field("move")?.to_owned());
        let score = match field("score")? {
            "cp" => ReportedScore::Cp(words.next()?.parse().ok()?),
            "mate" => ReportedScore::Mate(words.next()?.parse().ok()?),
            _ => return None,
        };
        let mut field = |name: &str| words.next().filter(|word| *word == name).and_then(|_| words.next());
        Some(Self {
            thread,
            mv,
            score,
            depth: field("depth")?.parse().ok()?,
            since: field("since")?.parse().ok()?,
            nodes: field("nodes")?.parse().ok()?,
            best: field("best")?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ballot_lines_are_parsed_and_others_ignored() {
        let line = "info string ballot thread 3 move e1g1 score cp -12 depth 9 since 6 nodes 5000 best 4100";
        let ballot = ThreadBallot {
            thread: 3,
            mv: "e1g1".to_owned(),
            score: ReportedScore::Cp(-12),
            depth: 9,
            since: 6,
            nodes: 5000,
            best: 4100,
        };
        assert_eq!(ThreadBallot::parse(line), Some(ballot));
        let mate = ThreadBallot::parse(&line.replace("cp -12", "mate 4")).unwrap();
        assert_eq!(mate.score, ReportedScore::Mate(4));
        for other in [
            "info depth 9 score cp 3 pv e2e4",
            "info string ballot box",
            &line.replace("since", "after"),
            &line.replace("cp", "pawns"),
            &line.replace(" best 4100", ""),
        ] {
            assert_eq!(ThreadBallot::parse(other), None, "{other}");
        }
    }
}
