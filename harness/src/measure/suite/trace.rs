//! Follows the reports of a search and finds the point from which its answer stayed right.

use super::record::Solution;
use crate::uci::{ReportedScore, SearchInfo};

/// Follows the `info` lines of one search.
pub(super) struct Trace<F> {
    is_right: F,
    /// The last exact score and its line of play.
    pub(super) score: Option<ReportedScore>,
    /// The depth of that score. Units: plies.
    pub(super) depth: Option<u32>,
    /// Nodes as last reported.
    pub(super) nodes: Option<u64>,
    /// Principal variation of the last exact score.
    pub(super) pv: Vec<String>,
    /// First report of the current unbroken sequence of right ones.
    since: Option<Solution>,
    last_depth: Option<u32>,
}

impl<F: Fn(&SearchInfo<'_>) -> bool> Trace<F> {
    /// Creates an empty trace; `is_right` decides whether a report is right.
    pub(super) fn new(is_right: F) -> Self {
        Self {
            is_right,
            score: None,
            depth: None,
            nodes: None,
            pv: Vec::new(),
            since: None,
            last_depth: None,
        }
    }

    /// Reads a line of the engine's output that arrived `wall_ms` milliseconds after `go`.
    pub(super) fn read(&mut self, line: &str, wall_ms: u64) {
        let Some(info) = SearchInfo::parse(line) else { return };
        self.nodes = info.report.nodes.or(self.nodes);
        self.last_depth = info.report.depth.or(self.last_depth);
        if info.is_exact {
            (self.score, self.depth) = (info.report.score, info.report.depth);
            self.pv = info.pv().map(str::to_owned).collect();
        }
        // After a fail low there is no new move yet; a report without moves is ignored too.
        if info.is_upper_bound || info.report.score.is_none() || info.pv().next().is_none() {
            return;
        }
        if !(self.is_right)(&info) {
            self.since = None;
        } else if self.since.is_none() {
            let report = info.report;
            let time_ms = info.report.time_ms.unwrap_or(wall_ms);
            self.since = Some(Solution { depth: report.depth, nodes: report.nodes, time_ms });
        }
    }

    /// Returns the point from which the final, right answer stayed right; `time_ms` is the length of
    /// the search.
    pub(super) fn solution(&self, time_ms: u64) -> Solution {
        self.since.unwrap_or(Solution { depth: self.last_depth, nodes: self.nodes, time_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(lines: &[&str]) -> Solution {
        let mut trace = Trace::new(|info: &SearchInfo<'_>| info.pv().next() == Some("g3g6"));
        for (line, wall_ms) in lines.iter().zip(11..) {
            trace.read(line, wall_ms);
        }
        trace.solution(99)
    }

    fn at(depth: u32, nodes: u64, time_ms: u64) -> Solution {
        Solution { depth: Some(depth), nodes: Some(nodes), time_ms }
    }

    #[test]
    fn the_solution_counts_from_where_it_stayed() {
        let right = "info depth 1 score cp 5 nodes 10 time 1 pv g3g6";
        let wrong = "info depth 2 score cp 5 nodes 20 time 2 pv e2e4";
        let again = "info depth 3 score cp 5 nodes 30 time 3 pv g3g6 a7a6";
        let stays = "info depth 4 score cp 5 nodes 40 time 4 pv g3g6";
        assert_eq!(trace(&[right, wrong, again, stays]), at(3, 30, 3));
        assert_eq!(trace(&[right, stays]), at(1, 10, 1));
        assert_eq!(trace(&[again, wrong]), at(2, 20, 99), "found after the last report");
    }

    #[test]
    fn solution_without_a_reported_time_has_the_wall_time() {
        let wrong = "info depth 2 score cp 5 nodes 20 pv e2e4";
        let right = "info depth 3 score cp 5 nodes 30 pv g3g6";
        let stays = "info depth 4 score cp 5 nodes 40 pv g3g6";
        assert_eq!(trace(&[wrong, right, stays]), at(3, 30, 12));
    }

    #[test]
    fn failing_high_is_news_and_failing_low_is_not() {
        let wrong = "info depth 2 score cp 5 nodes 20 time 2 pv e2e4";
        let high = "info depth 3 score cp 50 lowerbound nodes 30 time 3 pv g3g6";
        let low = "info depth 4 score cp 9 upperbound nodes 40 time 4 pv e2e4";
        let bare = "info depth 4 currmove e2e4 currmovenumber 1 nodes 41";
        assert_eq!(trace(&[wrong, high, low, bare]), at(3, 30, 3));
    }
}
