//! The only parser for `info` lines: matches, measurements, suites, `doctor` and the check of PVs use it.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::words::Words;

/// A score from the engine's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedScore {
    /// Centipawns from the point of view of the engine.
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

impl SearchReport {
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

/// An `info` line, read in one pass over its words.
///
/// Fields may stand in any order. Unknown fields are skipped, a field without a readable value is
/// missing, and of a repeated field the last counts. `string` ends the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchInfo<'a> {
    /// Parsed fields; the score may be a bound.
    pub report: SearchReport,
    /// Whether the line has a score and it is exact.
    pub is_exact: bool,
    /// Whether the score is an upper bound; the PV is then the last one that failed low.
    pub is_upper_bound: bool,
    /// Whether the line is about the first PV, as all are that have no `multipv`.
    pub(crate) is_first_pv: bool,
    pub(super) pv: &'a str,
}

impl<'a> SearchInfo<'a> {
    /// Parses an `info` line; `None` for `info string`, other PVs and other output.
    pub fn parse(line: &'a str) -> Option<Self> {
        Self::of_any_pv(line).filter(|info| info.is_first_pv)
    }

    /// Parses an `info` line, whatever PV it is about; `None` for `info string` and other output.
    pub(crate) fn of_any_pv(line: &'a str) -> Option<Self> {
        let mut words = Words(line);
        if words.next() != Some("info") || words.split().is_some_and(|(word, _)| word == "string") {
            return None;
        }
        let mut report = SearchReport::default();
        let (mut has_score, mut is_lower_bound, mut is_upper_bound) = (false, false, false);
        let (mut is_first_pv, mut pv) = (true, "");
        while let Some(word) = words.next() {
            match word {
                "depth" => words.number(&mut report.depth),
                "seldepth" => words.number(&mut report.seldepth),
                "nodes" => words.number(&mut report.nodes),
                "hashfull" => words.number(&mut report.hashfull),
                "tbhits" => words.number(&mut report.tbhits),
                "time" => words.number(&mut report.time_ms),
                "score" => (has_score, report.score) = (true, None),
                "cp" if has_score && report.score.is_none() => {
                    report.score = words.parse().map(ReportedScore::Cp);
                }
                "mate" if has_score && report.score.is_none() => {
                    report.score = words.parse().map(ReportedScore::Mate);
                }
                "lowerbound" => is_lower_bound = true,
                "upperbound" => is_upper_bound = true,
                "multipv" => is_first_pv = words.next_unless_field().is_none_or(|number| number == "1"),
                "pv" => pv = words.moves(),
                "string" => break,
                _ => {}
            }
        }
        let is_exact = has_score && !is_lower_bound && !is_upper_bound;
        Some(Self { report, is_exact, is_upper_bound, is_first_pv, pv })
    }

    /// Returns the moves of the PV; empty if none is reported.
    pub fn pv(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        Words(self.pv)
    }
}

impl<'a> Words<'a> {
    /// Reads the next word unless it is the name of a field.
    fn next_unless_field(&mut self) -> Option<&'a str> {
        let (word, rest) = self.split().filter(|(word, _)| !is_field(word))?;
        *self = rest;
        Some(word)
    }

    /// Reads the value of a field; `None` if it has no readable one.
    fn parse<T: FromStr>(&mut self) -> Option<T> {
        self.next_unless_field()?.parse().ok()
    }

    /// Reads the value of a field into `number`, which stays as it is if there is no readable one.
    fn number<T: FromStr>(&mut self, number: &mut Option<T>) {
        *number = self.parse().or(number.take());
    }

    /// Reads the moves of a PV, which end before the next field.
    fn moves(&mut self) -> &'a str {
        let start = self.0;
        while self.next_unless_field().is_some() {}
        start[..start.len() - self.0.len()].trim_start()
    }
}

/// Whether a word is the name of a field, known or not: it consists of letters, and every move has a digit.
fn is_field(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(line: &str) -> SearchReport {
        SearchInfo::parse(line).unwrap().report
    }

    #[test]
    fn counts_come_from_the_last_line_that_has_them() {
        let exact = "info depth 9 score cp 31 nodes 288 hashfull 2 time 1 pv e2e4";
        for (later, counts) in [
            ("info depth 10 score cp 12 upperbound nodes 801 time 3 pv e2e4", (Some(801), Some(3))),
            ("info depth 10 multipv 2 score cp 12 nodes 801 pv d2d4", (Some(801), Some(1))),
            ("info depth 10 score cp 12 upperbound pv e2e4 nodes 801", (Some(801), Some(1))),
            ("info nodes 801 nps 5", (Some(801), Some(1))),
            ("info currmove e2e4", (Some(288), Some(1))),
            ("info nodes -5 time 7", (Some(288), Some(7))),
        ] {
            let later = SearchInfo::of_any_pv(later).unwrap().report;
            let report = report(exact).with_counts_of(&later);
            assert_eq!((report.nodes, report.time_ms), counts, "{later:?}");
            assert_eq!((report.depth, report.score), (Some(9), Some(ReportedScore::Cp(31))), "{later:?}");
            assert_eq!(report.hashfull, Some(2), "{later:?}");
        }
        assert_eq!(SearchInfo::of_any_pv("info string nodes 5 are few"), None);
    }

    /// Fields in any order, with any white space, around unknown ones, and with a remark at the end.
    #[test]
    fn equal_fields_are_read_from_every_form_of_a_line() {
        let plain = "info depth 12 seldepth 18 multipv 1 score cp -31 nodes 4711 hashfull 12 tbhits 0 time 9 pv e2e4 e7e5";
        let expected = SearchInfo::parse(plain).unwrap();
        assert_eq!(expected.report.score, Some(ReportedScore::Cp(-31)));
        assert_eq!((expected.report.depth, expected.report.seldepth), (Some(12), Some(18)));
        assert_eq!((expected.report.nodes, expected.report.hashfull), (Some(4711), Some(12)));
        assert_eq!((expected.report.tbhits, expected.report.time_ms), (Some(0), Some(9)));
        assert!(expected.is_exact && !expected.pv.is_empty() && expected.pv().eq(["e2e4", "e7e5"]));
        let fields = "depth 12 seldepth 18 score cp -31 nodes 4711 hashfull 12 tbhits 0 time 9";
        for line in [
            format!(
                "info {fields} pv e2e4 e7e5 string quiet move, score cp 900 lowerbound multipv 2 pv a2a3"
            ),
            format!("info {fields} pv e2e4 e7e5 multipv 1"),
            format!("info pv e2e4 e7e5 {fields} multipv 1"),
            format!("info {fields} multipv  1 pv  e2e4   e7e5 "),
            format!("info {fields} pv e2e4 e7e5").replace(' ', "\t"),
            format!("info ebf 1.75 idle {fields} movesleft 44 wdl 100 800 100 pv e2e4 e7e5 my_field -2 idle"),
            format!("info {fields} currmove d2d4 currmovenumber 2 pv e2e4 e7e5"),
            format!("info {fields} refutation d1h5 g6h5 pv e2e4 e7e5 currline 1 d2d4 d7d5"),
            format!("info depth 3 nodes 5 multipv 2 pv a2a3 {fields} multipv 1 pv e2e4 e7e5"),
            format!("info nodes x time depth {fields} nodes -5 cp 7 pv e2e4 e7e5"),
        ] {
            let found = SearchInfo::parse(&line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((found.report, found.is_exact), (expected.report, true), "{line}");
            assert!(found.pv().eq(expected.pv()), "{line}");
        }
    }

    #[test]
    fn bounds_other_pvs_and_strings_are_not_exact_reports() {
        for line in [
            "info depth 3 score cp 5 lowerbound nodes 7",
            "info depth 3 score cp 5 nodes 7 pv e2e4 upperbound",
            "info depth 3 score lowerbound cp 5",
            "info depth 3 currmove e2e4",
            "info depth 3 cp 5",
        ] {
            assert!(!SearchInfo::parse(line).unwrap().is_exact, "{line}");
        }
        for line in [
            "info depth 3 multipv 2 score cp 5",
            "info depth 3 score cp 5 pv e2e4 multipv 2",
            "info depth 3 multipv 99999999999999999999 score cp 5",
        ] {
            assert_eq!(SearchInfo::parse(line), None, "{line}");
            assert!(SearchInfo::of_any_pv(line).is_some(), "{line}");
        }
    }

    #[test]
    fn pv_and_bound_are_parsed() {
        let line = "info depth 6 multipv 1 score cp 172 lowerbound nodes 50000 time 112 pv g3g6 f7g6";
        let info = SearchInfo::parse(line).unwrap();
        assert!(!info.is_exact && !info.is_upper_bound);
        assert_eq!((info.report.nodes, info.report.time_ms), (Some(50_000), Some(112)));
        assert!(info.pv().eq(["g3g6", "f7g6"]));
        assert!(SearchInfo::parse("info score upperbound cp 5").unwrap().is_upper_bound);
        let bare = SearchInfo::parse("info depth 1 score mate 3").unwrap();
        assert!(bare.is_exact && bare.pv().next().is_none());
        assert_eq!((bare.report.score, bare.report.time_ms), (Some(ReportedScore::Mate(3)), None));
        for line in [
            "bestmove e2e4",
            "info string pv e2e4 ",
            "info multipv 2 score cp 1 pv e2e4",
            "",
            "informal depth 3",
        ] {
            assert_eq!(SearchInfo::parse(line), None, "{line}");
        }
    }

    #[test]
    fn pv_ends_at_the_next_field() {
        let pv = |line| SearchInfo::parse(line).unwrap().pv().collect::<Vec<_>>().join(" ");
        assert_eq!(pv("info depth 2 score cp 5 pv e2e4 e7e5 nodes 40 time 1"), "e2e4 e7e5");
        assert_eq!(pv("info depth 2 score cp 5 pv e2e4 e7e5 ebf 1.7"), "e2e4 e7e5", "unknown");
        assert_eq!(
            pv("info depth 2 score cp 5 pv e2e4 O-O (none) 0000 Nf6 e7e8q"),
            "e2e4 O-O (none) 0000 Nf6 e7e8q"
        );
        assert_eq!(pv("info depth 2 score cp 5 pv nodes 40"), "");
        assert_eq!(pv("info depth 2 score cp 5 pv"), "");
    }

    #[test]
    fn malformed_numbers_are_absent() {
        let line = "info depth x score cp 99999999999999 nodes -5 seldepth 3.5 time 99999999999999999999 pv";
        assert_eq!(report(line), SearchReport::default());
        assert_eq!(report("info score 54 depth 3").score, None);
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
        let scores = order.map(ReportedScore::as_centipawns);
        assert!(scores.is_sorted_by(|one, next| one < next), "{scores:?}");
    }
}
