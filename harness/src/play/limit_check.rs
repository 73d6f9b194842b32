//! Whether an engine keeps to its limit of nodes or time per move.
//!
//! An engine that ignores its limit is still measured, but the figures mean something else. Every
//! kind of run counts its searches here, shows one notice per engine, and states it in the report.
//! Measurements leave out timed searches with more threads than processors: the machine is late then.

use std::fmt;

use serde::Serialize;
use serde_json::json;
use shakmaty::Position;

use super::record::GameRecord;
use super::referee::Board;
use crate::base::wording::distinct;
use crate::config::{EngineConfig, Limits, Variant};
use crate::run::executor::Notice;
use crate::uci::ReportedScore;

/// Least number of late searches for which the engine is blamed: a busy machine delays single ones.
const MIN_LATE: u64 = 2;
/// Least share of late searches for which the engine is blamed: one in this number.
const LATE_OF: u64 = 20;
/// Minimum number of searches of an engine for a statement about most of them.
const MIN_CHECKED: u64 = 4;
/// Time beyond `movetime` for latency and scheduling. Units: microseconds.
const TIME_GRACE_US: u64 = 100_000;
/// Nodes beyond the limit, since engines check it at intervals.
const NODE_GRACE: u64 = 1000;

/// The effort of one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Nodes as last reported.
    pub nodes: Option<u64>,
    /// Time from `go` to `bestmove`. Units: microseconds.
    pub time_us: u64,
    /// Whether the engine may stop early: a mate was found, only one move is legal, or its strength is reduced.
    pub may_stop_early: bool,
}

/// The way in which an engine ignores its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Excess {
    /// Searches used far more.
    Exceeded,
    /// Most searches used less than half.
    Short,
    /// Most searches on a clock that counts nodes reported none, so the clock did not run.
    Unreported,
}

/// The unit of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitUnit {
    /// Nodes of a search.
    Nodes,
    /// Time of a search.
    Ms,
}

/// An engine that ignores its limit, as `summary.json` and the event `limit_ignored` report it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitViolation {
    /// Name of the engine in the configuration.
    pub engine: String,
    /// The unit of `limit` and `used`.
    pub unit: LimitUnit,
    /// The limit of each search.
    pub limit: u64,
    /// Whether the searches used more or less.
    pub kind: Excess,
    /// The most that a search used, or the least of the short ones.
    pub used: u64,
    /// Searches that used far more, or less than half.
    pub searches: u64,
    /// All searches with this limit, or those that should have used the whole of it.
    #[serde(rename = "judged")]
    pub checked: u64,
}

impl fmt::Display for LimitViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { engine, unit, limit, kind, used, searches, checked } = self;
        let unit = match unit {
            LimitUnit::Nodes => "nodes",
            LimitUnit::Ms => "ms",
        };
        match kind {
            Excess::Unreported => write!(
                f,
                "{engine} has unlimited time: its clock counts nodes, and {searches} of {checked} searches report none"
            ),
            Excess::Exceeded => write!(
                f,
                "{engine} ignores its limit of {limit} {unit}: {searches} of {checked} searches used more, up to {used} {unit}"
            ),
            Excess::Short => {
                // The time is measured, the nodes are those of the last `info` line.
                let [verb, note] = match self.unit {
                    LimitUnit::Nodes => {
                        ["reports", ": it stops early, or counts no nodes after its last `info` line"]
                    }
                    LimitUnit::Ms => ["uses", ""],
                };
                let used = format!("{searches} of {checked} searches, the least {used} {unit}");
                write!(f, "{engine} {verb} less than half of its limit of {limit} {unit} in {used}{note}")
            }
        }
    }
}

/// Returns the lines of a report, without repetitions.
pub fn violation_lines<'a>(violations: impl IntoIterator<Item = &'a LimitViolation>) -> Vec<String> {
    distinct(violations.into_iter().map(ToString::to_string))
}

/// The searches of one engine, counted against its limit.
///
/// A search exceeds the limit with more than 1.2 times the nodes plus 1,000, or 1.2 times the time
/// plus 100 ms. Late searches count if there are several, and at least one in twenty. A search is short if it uses less than half the nodes or time. It counts only if the
/// limit is the only one and nodes are reported (book moves have none). Mates and forced moves do
/// not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LimitTally {
    checked: u64,
    short: u64,
    /// All searches with a limit of nodes or time.
    counted: u64,
    /// Searches that exceeded it.
    exceeded: u64,
    /// The most that a search used, if it exceeded the limit. Units: nodes or microseconds.
    most: Option<u64>,
    /// The least effort of a short search.
    least: Option<u64>,
    /// Whether a clock counts nodes. Short searches are then those that report none.
    is_clocked: bool,
    is_reported: bool,
}

impl LimitTally {
    /// Counts a search that had these limits; one without a limit of nodes or time does not count.
    pub(crate) fn add(&mut self, limits: &Limits, effort: Effort) {
        let Limits { time_control, nodes, depth, movetime } = *limits;
        let is_only = time_control.is_none() && depth.is_none() && nodes.is_some() != movetime.is_some();
        let (limit, value, most) = match (nodes, movetime, effort.nodes) {
            (Some(limit), _, Some(nodes)) => {
                let limit = limit.get();
                (limit, nodes, limit.saturating_add(limit / 5).saturating_add(NODE_GRACE))
            }
            (None, Some(limit), _) => {
                let limit = limit.get().saturating_mul(1000);
                (limit, effort.time_us, limit.saturating_add(limit / 5).saturating_add(TIME_GRACE_US))
            }
            _ => return,
        };
        self.counted += 1;
        if value > most {
            self.exceeded += 1;
            self.most = self.most.max(Some(value));
        }
        let is_book = effort.nodes.is_none_or(|nodes| nodes == 0);
        if is_only && !effort.may_stop_early && !is_book {
            self.checked += 1;
            if value < limit.div_ceil(2) {
                self.short += 1;
                self.least = Some(self.least.map_or(value, |least| least.min(value)));
            }
        }
    }

    /// Returns how the engine of this name ignores its limit; `None` if it keeps to it.
    fn violation(&self, engine: &str, limits: &Limits) -> Option<LimitViolation> {
        let (unit, limit, scale) = match (limits.nodes, limits.movetime) {
            _ if self.is_clocked => (LimitUnit::Nodes, 0, 1),
            (Some(nodes), _) => (LimitUnit::Nodes, nodes.get(), 1),
            (None, Some(time)) => (LimitUnit::Ms, time.get(), 1000),
            (None, None) => return None,
        };
        let is_most = self.checked >= MIN_CHECKED && 2 * self.short > self.checked;
        let Self { counted, exceeded: late, .. } = *self;
        let is_blamed = unit == LimitUnit::Nodes || (late >= MIN_LATE && LATE_OF * late >= counted);
        let exceeded = self.most.filter(|_| is_blamed);
        let exceeded = exceeded.map(|used| (Excess::Exceeded, used, late, counted));
        let kind = if self.is_clocked { Excess::Unreported } else { Excess::Short };
        let short = self.least.filter(|_| is_most);
        let short = short.map(|used| (kind, used, self.short, self.checked));
        let (kind, used, searches, checked) = exceeded.or(short)?;
        let engine = engine.to_owned();
        Some(LimitViolation { engine, unit, limit, kind, used: used / scale, searches, checked })
    }
}

/// The tallies of all engines of a run.
#[derive(Clone, Debug, Default)]
pub struct LimitWatch {
    engines: Vec<(String, Limits, LimitTally)>,
    pending: Vec<LimitViolation>,
}

impl LimitWatch {
    /// Returns a watch for engines with these names and limits.
    pub fn new(engines: impl IntoIterator<Item = (String, Limits)>) -> Self {
        let engines = engines.into_iter().map(|(name, limits)| (name, limits, LimitTally::default()));
        Self { engines: engines.collect(), pending: Vec::new() }
    }

    /// Counts the searches of one record, by engine. A notice that they cause is pending until the
    /// next record.
    pub fn add(&mut self, efforts: impl IntoIterator<Item = (usize, Effort)>) {
        self.pending.clear();
        for (engine, effort) in efforts {
            if let Some((_, limits, tally)) = self.engines.get_mut(engine) {
                tally.add(limits, effort);
            }
        }
        // After the whole record: the first moves of a game may be unlike the others.
        for (name, limits, tally) in self.engines.iter_mut().filter(|(.., tally)| !tally.is_reported) {
            if let Some(violation) = tally.violation(name, limits) {
                tally.is_reported = true;
                self.pending.push(violation);
            }
        }
    }

    /// Counts the moves of a game by engines under these configurations. Clocks that count nodes
    /// give no times, so their engines are checked by nodes alone.
    pub(crate) fn add_game(&mut self, engines: &[EngineConfig], game: &GameRecord, variant: Variant) {
        let mut board = Board::new(&game.fen, variant).ok();
        for text in &game.book {
            board = board.and_then(|mut board| board.play(text).then_some(board));
        }
        let mut efforts = Vec::with_capacity(game.moves.len());
        for (ply, played) in game.moves.iter().enumerate() {
            let engine = game.engine(game.side_of(ply));
            let is_forced = board.as_ref().is_some_and(|board| board.position().legal_moves().len() == 1);
            board = board.and_then(|mut board| board.play(&played.text).then_some(board));
            let counts_nodes = engines.get(engine).is_some_and(|engine| engine.nodes_per_ms().is_some());
            if counts_nodes && engines[engine].limits.nodes.is_none() {
                if let Some((.., tally)) = self.engines.get_mut(engine) {
                    (tally.is_clocked, tally.least) = (true, Some(0));
                    tally.checked += 1;
                    tally.short += u64::from(played.nodes.is_none_or(|nodes| nodes == 0));
                }
                continue;
            }
            let is_mate = matches!(played.score, Some(ReportedScore::Mate(_)));
            let is_weakened = engines.get(engine).is_some_and(limits_strength);
            let may_stop_early = is_forced || is_mate || is_weakened;
            // Compared with the limit of the configuration.
            let time_us = game
                .clock_permille
                .map_or(played.time_us, |permille| played.time_us.saturating_mul(1000) / u64::from(permille));
            efforts.push((engine, Effort { nodes: played.nodes, time_us, may_stop_early }));
        }
        self.add(efforts);
    }

    /// Returns the notices that the last record caused.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        let notice = |violation: &LimitViolation| Notice {
            text: violation.to_string(),
            event: Some(("limit_ignored", json!(violation))),
        };
        self.pending.iter().map(notice).collect()
    }

    /// Returns the engines that ignore their limits.
    pub fn violations(&self) -> Vec<LimitViolation> {
        self.engines.iter().filter_map(|(name, limits, tally)| tally.violation(name, limits)).collect()
    }
}

/// Whether an engine plays below its full strength, for which it may use a part of its limit.
pub(crate) fn limits_strength(engine: &EngineConfig) -> bool {
    engine.option("UCI_LimitStrength") == Some("true")
}

/// Whether the side to move has exactly one legal move in this position.
pub(crate) fn is_forced(fen: &str, variant: Variant) -> bool {
    Board::new(fen, variant).is_ok_and(|board| board.position().legal_moves().len() == 1)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn nodes(limit: u64) -> Limits {
        Limits { nodes: NonZeroU64::new(limit), ..Limits::default() }
    }

    fn movetime(limit: u64) -> Limits {
        Limits { movetime: NonZeroU64::new(limit), ..Limits::default() }
    }

    fn effort(nodes: u64, ms: u64) -> Effort {
        Effort { nodes: Some(nodes), time_us: 1000 * ms, may_stop_early: false }
    }

    fn violation(limits: &Limits, efforts: &[Effort]) -> Option<String> {
        let mut tally = LimitTally::default();
        for &effort in efforts {
            tally.add(limits, effort);
        }
        tally.violation("a", limits).map(|violation| violation.to_string())
    }

    fn lines(watch: &LimitWatch) -> Vec<String> {
        violation_lines(&watch.violations())
    }

    #[test]
    fn excess_is_reported_at_the_first_search() {
        let limits = nodes(20_000);
        assert_eq!(violation(&limits, &[effort(25_000, 1)]), None, "1.2 times the limit plus 1,000");
        let how = violation(&limits, &[effort(20_000, 1), effort(25_001, 1)]);
        let expected = "a ignores its limit of 20000 nodes: 1 of 2 searches used more, up to 25001 nodes";
        assert_eq!(how.unwrap(), expected);
        assert_eq!(violation(&movetime(100), &[effort(9, 220); 2]), None);
        let how = violation(&movetime(100), &[effort(9, 221), effort(9, 300), effort(9, 100)]);
        let expected = "a ignores its limit of 100 ms: 2 of 3 searches used more, up to 300 ms";
        assert_eq!(how.unwrap(), expected);
    }

    #[test]
    fn few_late_searches_are_the_machines_fault() {
        let late = |late: usize, in_time: usize| {
            let efforts = [vec![effort(9, 500); late], vec![effort(9, 100); in_time]].concat();
            violation(&movetime(100), &efforts).is_some()
        };
        assert!(!late(1, 0) && !late(1, 9), "a single one");
        assert!(late(2, 38) && !late(2, 39), "one in twenty");
    }

    #[test]
    fn short_searches_are_reported_if_they_are_most() {
        let limits = nodes(20_000);
        let (short, full) = (effort(4, 1), effort(10_000, 1));
        assert_eq!(violation(&limits, &[short; 3]), None, "too few");
        assert_eq!(violation(&limits, &[short, short, full, full]), None, "not most");
        let how = violation(&limits, &[short, short, short, full]).unwrap();
        let expected = "a reports less than half of its limit of 20000 nodes in 3 of 4 searches, the least 4 nodes: \
             it stops early, or counts no nodes after its last `info` line";
        assert_eq!(how, expected);
        let how = violation(&movetime(100), &[effort(9, 49); 4]).unwrap();
        assert_eq!(how, "a uses less than half of its limit of 100 ms in 4 of 4 searches, the least 49 ms");
        assert_eq!(violation(&movetime(100), &[effort(9, 50); 4]), None);
    }

    #[test]
    fn mates_forced_moves_books_and_other_limits_explain_short_searches() {
        let limits = nodes(20_000);
        assert_eq!(violation(&limits, &[Effort { may_stop_early: true, ..effort(4, 1) }; 9]), None);
        assert_eq!(violation(&limits, &[effort(0, 1); 9]), None, "a book move");
        assert_eq!(violation(&limits, &[Effort { nodes: None, ..effort(4, 1) }; 9]), None);
        let both = Limits { movetime: NonZeroU64::new(5), ..limits };
        assert_eq!(violation(&both, &[effort(4, 1); 9]), None);
        assert_eq!(violation(&Limits::default(), &[effort(4, 1); 9]), None);
    }

    #[test]
    fn each_engine_has_one_notice() {
        let mut watch = LimitWatch::new([("a".to_owned(), nodes(1000)), ("b".to_owned(), nodes(1000))]);
        watch.add([(0, effort(1000, 1)), (1, effort(9000, 1))]);
        let [Notice { text, event: Some((name, body)) }] = &watch.notices()[..] else {
            panic!("one notice with its event")
        };
        assert_eq!(text, "b ignores its limit of 1000 nodes: 1 of 1 searches used more, up to 9000 nodes");
        let expected = json!({
            "engine": "b", "unit": "nodes", "limit": 1000, "kind": "exceeded", "used": 9000, "searches": 1, "judged": 1
        });
        assert_eq!((*name, body), ("limit_ignored", &expected));
        watch.add([(1, effort(9500, 1))]);
        assert!(watch.notices().is_empty());
        assert_eq!(
            lines(&watch),
            ["b ignores its limit of 1000 nodes: 2 of 2 searches used more, up to 9500 nodes"]
        );
    }

    #[test]
    fn game_is_judged_as_a_whole() {
        let mut watch = LimitWatch::new([("a".to_owned(), nodes(1000))]);
        let game = |short: usize| [vec![(0, effort(9, 1)); short], vec![(0, effort(1000, 1)); 10]].concat();
        watch.add(game(9));
        assert!(watch.notices().is_empty(), "the first nine are not most of the game");
        watch.add(game(12));
        assert_eq!(watch.notices().len(), 1);
    }

    #[test]
    fn short_searches_are_serialized_with_their_number() {
        let mut watch = LimitWatch::new([("a".to_owned(), movetime(100))]);
        watch.add((0..5).map(|_| (0, effort(9, 7))));
        let expected = json!([{
            "engine": "a", "unit": "ms", "limit": 100, "kind": "short", "used": 7, "searches": 5, "judged": 5
        }]);
        assert_eq!(json!(watch.violations()), expected);
        let twice = [watch.violations(), watch.violations()].concat();
        assert_eq!(violation_lines(&twice).len(), 1, "of two parts of a run");
    }

    #[test]
    fn moves_of_a_game_count_for_their_side() {
        let mut game = crate::play::record::sample_game(0);
        game.moves[1].nodes = Some(50_000);
        let mut watch = LimitWatch::new([("a".to_owned(), nodes(1000)), ("b".to_owned(), nodes(1000))]);
        watch.add_game(&[], &game, Variant::Standard);
        assert_eq!(
            lines(&watch),
            ["b ignores its limit of 1000 nodes: 1 of 1 searches used more, up to 50000 nodes"]
        );
    }

    #[test]
    fn scaled_times_are_compared_with_the_configured_limit() {
        for (clock_permille, expected) in [(None, 1), (Some(2500), 0)] {
            let mut game = GameRecord { clock_permille, ..crate::play::record::sample_game(0) };
            game.moves.iter_mut().for_each(|played| played.time_us = 250_000);
            let mut watch = LimitWatch::new([("a".to_owned(), movetime(100))]);
            watch.add_game(&[], &game, Variant::Standard);
            assert_eq!(watch.violations().len(), expected, "{clock_permille:?}: {:?}", lines(&watch));
        }
    }

    #[test]
    fn clock_that_counts_nodes_needs_reported_nodes() {
        let option = ("nodestime".to_owned(), Some("100".to_owned()));
        let limits = Limits { time_control: Some("1".parse().unwrap()), ..Limits::default() };
        let engine = EngineConfig::of_words("sh", Some("a"), &[], &[option], limits).unwrap();
        let lines_of = |nodes: Option<u64>| {
            let mut watch = LimitWatch::new([("a".to_owned(), limits)]);
            for number in 0..20 {
                let mut game = crate::play::record::sample_game(number);
                game.moves.iter_mut().for_each(|played| played.nodes = nodes);
                watch.add_game(std::slice::from_ref(&engine), &game, Variant::Standard);
            }
            lines(&watch)
        };
        assert_eq!(lines_of(Some(500)), [""; 0]);
        let [line] = &lines_of(None)[..] else { panic!("one line") };
        assert!(line.starts_with("a has unlimited time: its clock counts nodes, and "), "{line}");
    }

    #[test]
    fn forced_moves_are_known() {
        let game = crate::play::record::sample_game(0);
        assert!(is_forced("7k/8/8/8/8/8/r7/7K w - - 0 1", Variant::Standard));
        assert!(!is_forced(&game.fen, Variant::Standard));
    }
}
