//! Parser for `info` lines. Missing fields and fields that are not numbers are `None`.

use serde::{Deserialize, Serialize};

/// A score from the engine's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedScore {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate, negative when being mated.
    Mate(i32),
}

impl ReportedScore {
    /// Returns the score on one scale, where every mate lies beyond every centipawn score.
    pub fn as_centipawns(self) -> i32 {
        const MATE: i32 = 1_000_000;
        match self {
            Self::Cp(cp) => cp.clamp(-MATE / 2, MATE / 2),
            // `mate 0` is reported by the side that has been mated.
            Self::Mate(moves) if moves > 0 => MATE - moves.min(MATE / 4),
            Self::Mate(moves) => -MATE - moves.max(-MATE / 4),
        }
    }
}

/// The last complete report before a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchReport {
    /// Score of the position.
    pub score: Option<ReportedScore>,
    /// Completed depth. Units: plies.
    pub depth: Option<u32>,
    /// Selective depth. Units: plies.
    pub seldepth: Option<u32>,
    /// Number of nodes searched.
    pub nodes: Option<u64>,
    /// Usage of the hash table. Units: permille.
    pub hashfull: Option<u32>,
    /// Number of tablebase hits.
    pub tbhits: Option<u64>,
    /// Time since the start of the search. Units: milliseconds.
    pub time_ms: Option<u64>,
}

/// Returns whether the line has an exact score of the first PV; only such lines are kept.
pub(super) fn is_report(line: &str) -> bool {
    line.starts_with("info")
        && line.contains(" score ")
        && !line.contains("bound")
        && !line.contains(" string ")
        && (!line.contains(" multipv ") || line.contains(" multipv 1 "))
}

/// Returns whether the line counts nodes. A search that ends on a bound or within a line of several
/// reports its nodes only there.
pub(super) fn has_nodes(line: &str) -> bool {
    let fields = line.split(" pv ").next().unwrap_or_default();
    line.starts_with("info") && fields.contains(" nodes ") && !fields.contains(" string ")
}

/// Returns whether the line has moves of the first PV.
pub(super) fn has_pv(line: &str) -> bool {
    line.starts_with("info")
        && line.contains(" pv ")
        && !line.contains(" string ")
        && (!line.contains(" multipv ") || line.contains(" multipv 1 "))
}

/// The words of an `info` line that begin a field. A PV ends before the next one.
const KEYWORDS: [&str; 20] = [
    "depth",
    "seldepth",
    "time",
    "nodes",
    "pv",
    "multipv",
    "score",
    "currmove",
    "currmovenumber",
    "hashfull",
    "nps",
    "tbhits",
    "sbhits",
    "cpuload",
    "string",
    "refutation",
    "currline",
    "wdl",
    "lowerbound",
    "upperbound",
];

impl SearchReport {
    /// Parses one `info` line.
    pub fn parse(line: &str) -> Self {
        let mut report = Self::default();
        let mut tokens = line.split_ascii_whitespace().skip(1);
        while let Some(token) = tokens.next() {
            match token {
                "depth" => report.depth = parse_next(&mut tokens),
                "seldepth" => report.seldepth = parse_next(&mut tokens),
                "nodes" => report.nodes = parse_next(&mut tokens),
                "hashfull" => report.hashfull = parse_next(&mut tokens),
                "tbhits" => report.tbhits = parse_next(&mut tokens),
                "time" => report.time_ms = parse_next(&mut tokens),
                "score" => {
                    report.score = match tokens.next() {
                        Some("cp") => parse_next(&mut tokens).map(ReportedScore::Cp),
                        Some("mate") => parse_next(&mut tokens).map(ReportedScore::Mate),
                        _ => None,
                    };
                }
                // Nothing after `pv` or `string` is a field.
                "pv" | "string" => break,
                _ => {}
            }
        }
        report
    }

    /// Replaces nodes, time, usage of the hash table and tablebase hits by those of a later line, as
    /// far as it has them.
    pub(super) fn with_counts_of(self, later: &Self) -> Self {
        Self {
            nodes: later.nodes.or(self.nodes),
            hashfull: later.hashfull.or(self.hashfull),
            tbhits: later.tbhits.or(self.tbhits),
            time_ms: later.time_ms.or(self.time_ms),
            ..self
        }
    }
}

/// An `info` line about the first PV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchInfo<'a> {
    /// Parsed fields; the score may be a bound.
    pub report: SearchReport,
    /// Whether the score is exact.
    pub is_exact: bool,
    /// Whether the score is an upper bound; the PV is then the last one that failed low.
    pub is_upper_bound: bool,
    pv: &'a str,
}

impl<'a> SearchInfo<'a> {
    /// Parses an `info` line; `None` for `info string`, other PVs and other output.
    pub fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("info") || line.contains(" string ") {
            return None;
        }
        if line.contains(" multipv ") && !line.contains(" multipv 1 ") {
            return None;
        }
        let (numbers, pv) = line.split_once(" pv ").unwrap_or((line, ""));
        let is_upper_bound = numbers.contains(" upperbound");
        let report = SearchReport::parse(numbers);
        Some(Self { report, is_exact: is_report(line), is_upper_bound, pv })
    }

    /// Returns the moves of the PV; empty if none is reported.
    pub fn pv(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.pv.split_ascii_whitespace().take_while(|word| !KEYWORDS.contains(word))
    }
}

fn parse_next<'a, T: std::str::FromStr>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    tokens.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_from_the_last_line_that_has_them() {
        let exact = "info depth 9 score cp 31 nodes 288 hashfull 2 time 1 pv e2e4";
        for (later, counts) in [
            ("info depth 10 score cp 12 upperbound nodes 801 time 3 pv e2e4", (Some(801), Some(3))),
            ("info depth 10 multipv 2 score cp 12 nodes 801 pv d2d4", (Some(801), Some(1))),
            ("info nodes 801 nps 5", (Some(801), Some(1))),
            ("info currmove e2e4", (Some(288), Some(1))),
            ("info string nodes 5 are few", (Some(288), Some(1))),
        ] {
            let kept = if has_nodes(later) { later } else { exact };
            let report = SearchReport::parse(exact).with_counts_of(&SearchReport::parse(kept));
            assert_eq!((report.nodes, report.time_ms), counts, "{later}");
            assert_eq!((report.depth, report.score), (Some(9), Some(ReportedScore::Cp(31))), "{later}");
            assert_eq!(report.hashfull, Some(2), "{later}");
        }
    }

    #[test]
    fn ordinary_info_line_is_parsed() {
        let line = "info depth 12 seldepth 18 multipv 1 score cp -31 nodes 4711 nps 100 hashfull 12 tbhits 0 time 9 pv e2e4";
        assert!(is_report(line));
        let report = SearchReport::parse(line);
        assert_eq!(report.score, Some(ReportedScore::Cp(-31)));
        assert_eq!((report.depth, report.seldepth), (Some(12), Some(18)));
        assert_eq!((report.nodes, report.hashfull), (Some(4711), Some(12)));
        assert_eq!((report.tbhits, report.time_ms), (Some(0), Some(9)));
    }

    #[test]
    fn bounds_other_pvs_and_strings_are_not_reports() {
        for line in [
            "info depth 3 score cp 5 lowerbound nodes 7",
            "info depth 3 multipv 2 score cp 5",
            "info string score cp 7",
            "info depth 3 currmove e2e4",
        ] {
            assert!(!is_report(line), "{line}");
        }
    }

    #[test]
    fn pv_and_bound_are_parsed() {
        let line = "info depth 6 multipv 1 score cp 172 lowerbound nodes 50000 time 112 pv g3g6 f7g6";
        let info = SearchInfo::parse(line).unwrap();
        assert!(!info.is_exact && !info.is_upper_bound);
        assert_eq!((info.report.nodes, info.report.time_ms), (Some(50_000), Some(112)));
        assert!(info.pv().eq(["g3g6", "f7g6"]));
        let bare = SearchInfo::parse("info depth 1 score mate 3").unwrap();
        assert!(bare.is_exact && bare.pv().next().is_none());
        assert_eq!((bare.report.score, bare.report.time_ms), (Some(ReportedScore::Mate(3)), None));
        for line in ["bestmove e2e4", "info string pv e2e4 ", "info multipv 2 score cp 1 pv e2e4", ""] {
            assert_eq!(SearchInfo::parse(line), None, "{line}");
        }
    }

    #[test]
    fn pv_ends_at_the_next_field() {
        let info = SearchInfo::parse("info depth 2 score cp 5 pv e2e4 e7e5 nodes 40 time 1").unwrap();
        assert!(info.pv().eq(["e2e4", "e7e5"]));
        let empty = SearchInfo::parse("info depth 2 score cp 5 pv nodes 40").unwrap();
        assert_eq!(empty.pv().count(), 0);
    }

    #[test]
    fn bounds_and_lines_without_score_can_have_a_pv() {
        for line in
            ["info depth 3 score cp 5 lowerbound pv e2e4", "info depth 3 pv e2e4", "info multipv 1 pv a2a3"]
        {
            assert!(has_pv(line), "{line}");
        }
        for line in [
            "info depth 3 score cp 5",
            "info multipv 2 score cp 5 pv e2e4",
            "info string best pv e2e4",
            "bestmove e2e4",
        ] {
            assert!(!has_pv(line), "{line}");
        }
    }

    #[test]
    fn malformed_numbers_are_absent() {
        let report = SearchReport::parse("info depth x score cp 99999999999999 nodes -5 pv");
        assert_eq!(report, SearchReport::default());
    }

    #[test]
    fn mate_scores_lie_beyond_centipawn_scores() {
        let order = [
            ReportedScore::Mate(0),
            ReportedScore::Mate(-1),
            ReportedScore::Mate(-9),
            ReportedScore::Cp(-99_999),
            ReportedScore::Cp(5),
            ReportedScore::Mate(9),
            ReportedScore::Mate(1),
        ];
        assert!(order.is_sorted_by_key(|score| score.as_centipawns()));
    }
}
