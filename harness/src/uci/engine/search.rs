//! Searches and pondering, one absolute deadline each.

use std::time::{Duration, Instant};

use super::super::dialogue::Speaker;
use super::super::error::UciError;
use super::super::info::{SearchInfo, SearchReport};
use super::super::sent_search::ReplaySearch;
use super::super::words::{READY, is_best_move, is_ready};
use super::Engine;

/// Time that an engine has to answer `isready` after an illegal move, and then the `stop` before it.
const READY_TIME: Duration = Duration::from_secs(1);
const STOP_TIME: Duration = Duration::from_millis(100);
/// Words that engines print in place of a ponder move that they do not have.
const NO_MOVE: [&str; 3] = ["(none)", "0000", "NULL"];
/// Maximum number of searches kept for a replay; longer games lose their beginning.
const MAX_SEARCHES: usize = 1000;

/// The answer to a `go`.
#[derive(Clone, Debug)]
pub struct SearchAnswer {
    /// The move after `bestmove`; empty if there was none.
    pub best_move: String,
    /// The expected reply, from `ponder`.
    pub ponder_move: Option<String>,
    /// Time from writing `go` to reading `bestmove`, as counted by a player's clock. It can be
    /// almost zero if the harness was suspended right after writing, so measurements use their own
    /// clock.
    pub elapsed: Duration,
    /// Time from the last report of nodes to `bestmove`; all of it without one.
    pub uncounted: Duration,
    /// The last complete report, with the counts of the last line that has any.
    pub report: SearchReport,
    /// The PV of the report, moves separated by spaces; empty if none was reported.
    pub pv: String,
    /// The last `info` line with a first PV, which may be a bound; empty if the last report has no PV.
    pub pv_line: String,
}

impl Engine {
    /// Sends `text` (position and go, in one write) and waits at most `time` for the best move.
    pub fn search(&mut self, text: &str, time: Duration) -> Result<SearchAnswer, UciError> {
        self.search_watched(text, time, &mut |_| {}, None)
    }

    /// Like [`Engine::search`], but passes every line of output to `watch`, and reads the output of a pondering `other`
    /// meanwhile, so that no full pipe blocks it.
    pub(crate) fn search_watched(
        &mut self,
        text: &str,
        time: Duration,
        watch: &mut dyn FnMut(&str),
        other: Option<&mut Self>,
    ) -> Result<SearchAnswer, UciError> {
        self.note_search(text, time);
        let start = self.ask(text, time)?;
        self.await_best_move(start, time, watch, other)
    }

    /// Sends `text` (position and `go ponder`, in one write) without waiting.
    pub(crate) fn ponder(&mut self, text: &str) -> Result<(), UciError> {
        self.early_answer = None;
        text.clone_into(&mut self.pondered);
        self.ask(text, self.watchdog.ready).map(|_| ())
    }

    /// Records a search for a replay.
    fn note_search(&mut self, text: &str, time: Duration) {
        if self.searches.len() == MAX_SEARCHES {
            self.searches.pop_front();
        }
        let lines = text.lines().map(str::to_owned).collect();
        let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.searches.push_back(ReplaySearch { lines, time_ms, nodes: None });
    }

    /// Records the nodes that the last search was allowed, for a replay.
    pub(crate) fn limit_last_search(&mut self, nodes: Option<u64>) {
        if let Some(last) = self.searches.back_mut() {
            last.nodes = nodes;
        }
    }

    /// Reads the available output of a pondering engine without waiting.
    pub(super) fn read_ponder_output(&mut self) {
        self.pipes.read_available(&mut self.dialogue);
        while let Some(line) = self.pipes.take_line() {
            let line = line.to_owned();
            self.dialogue.push(Speaker::Engine, &line, self.pipes.last_read);
            if is_best_move(&line) {
                self.early_answer = Some(line);
            } else {
                self.note_report(line);
            }
        }
    }

    /// Sends `ponderhit` and waits at most `time` for the best move, while `other` may ponder.
    pub(crate) fn ponderhit(
        &mut self,
        time: Duration,
        other: Option<&mut Self>,
    ) -> Result<SearchAnswer, UciError> {
        self.end_pondering("ponderhit\n", time, other)
    }

    /// Stops pondering after another move was played and discards the best move. Returns the time
    /// this took.
    pub(crate) fn stop_pondering(&mut self, time: Duration) -> Result<Duration, UciError> {
        Ok(self.end_pondering("stop\n", time, None)?.elapsed)
    }

    fn end_pondering(
        &mut self,
        word: &str,
        time: Duration,
        other: Option<&mut Self>,
    ) -> Result<SearchAnswer, UciError> {
        // A replay sends the word at once, so that it does not depend on the other engine.
        self.note_search(&format!("{}{word}", self.pondered), time);
        let start = Instant::now();
        self.send(word, start + time)?;
        self.read_ponder_output();
        // The engine answered too early, but its answer counts.
        match self.early_answer.take() {
            Some(line) => Ok(self.answer(&line, start.elapsed())),
            None => self.await_best_move(start, time, &mut |_| {}, other),
        }
    }

    /// Sends a search command; returns the time before writing it.
    ///
    /// The engine runs from the write on. On a busy processor it may preempt the harness there, and a
    /// time taken afterwards would leave out the first milliseconds of the search.
    fn ask(&mut self, text: &str, time: Duration) -> Result<Instant, UciError> {
        // A second `bestmove` of an earlier search must not answer this one.
        self.pipes.discard_input(&mut self.dialogue);
        self.report = SearchReport::default();
        self.counted_at = None;
        self.last_report.clear();
        self.later_pv.clear();
        let start = Instant::now();
        self.send(text, start + time)?;
        Ok(start)
    }

    /// Sends `isready` after a search without waiting. Lines that the engine prints before its answer do not count for its
    /// next search. An engine whose input is full is not asked.
    pub(crate) fn ask_ready(&mut self) {
        self.awaits_ready = self.pipes.streams.post(b"isready\n").unwrap_or(false);
        if self.awaits_ready {
            self.dialogue.push(Speaker::Harness, "isready", Instant::now());
        }
    }

    /// Drops the lines up to the answer to [`Engine::ask_ready`]; returns the number of `bestmove` lines among them.
    pub(crate) fn await_ready(&mut self) -> Result<u64, UciError> {
        let (time, mut answers) = (self.watchdog.ready, 0);
        if !std::mem::take(&mut self.awaits_ready) {
            return Ok(answers);
        }
        self.pipes.begin();
        let mut deadline = Instant::now() + time;
        loop {
            let line = self.read_line(&mut deadline, READY, time)?;
            if is_ready(&line) {
                return Ok(answers);
            }
            if is_best_move(&line) {
                self.note("a second `bestmove`, which is dropped");
                answers += 1;
            }
        }
    }

    /// Sends `stop` and waits at most `time` for the best move.
    pub(crate) fn stop(&mut self, time: Duration) -> Result<SearchAnswer, UciError> {
        let start = Instant::now();
        self.send("stop\n", start + time)?;
        self.await_best_move(start, time, &mut |_| {}, None)
    }

    /// Whether another `bestmove` comes after the answer to the last `go`: that answer was then the second to an
    /// earlier one. Stops a search.
    pub(crate) fn answers_again(&mut self) -> bool {
        // Many engines answer `isready` while they search, others after it.
        let found = self.exchange("stop\nisready\n", READY_TIME, |line| is_best_move(line) || is_ready(line));
        match found {
            Ok(lines) if lines.last().is_some_and(|line| is_best_move(line)) => true,
            Ok(_) => {
                self.read_lines(STOP_TIME).is_ok_and(|lines| lines.iter().any(|line| is_best_move(line)))
            }
            Err(_) => false,
        }
    }

    fn await_best_move(
        &mut self,
        start: Instant,
        time: Duration,
        watch: &mut dyn FnMut(&str),
        mut other: Option<&mut Self>,
    ) -> Result<SearchAnswer, UciError> {
        let mut deadline = start + time;
        loop {
            let extends_on_stall = self.extends_on_stall;
            let line = self.read_line_beside(
                &mut deadline,
                "bestmove",
                time,
                other.as_deref_mut(),
                extends_on_stall,
            )?;
            watch(&line);
            if is_best_move(&line) {
                return Ok(self.answer(&line, self.pipes.last_read.saturating_duration_since(start)));
            }
            self.note_report(line);
        }
    }

    /// Reads a line. One with an exact score of the first PV is the report until the next such line.
    fn note_report(&mut self, line: String) {
        let Some(info) = SearchInfo::of_any_pv(&line) else { return };
        let SearchReport { score, depth, seldepth, .. } = info.report;
        let (is_report, has_pv) =
            (info.is_first_pv && info.is_exact, info.is_first_pv && !info.pv.is_empty());
        self.report = self.report.with_counts_of(&info.report);
        if info.report.nodes.is_some() {
            self.counted_at = Some(self.pipes.last_read);
        }
        if is_report {
            self.report = SearchReport { score, depth, seldepth, ..self.report };
            self.last_report = line;
            self.later_pv.clear();
        } else if has_pv {
            self.later_pv = line;
        }
    }

    /// Builds the answer from a `bestmove` line and the last report.
    fn answer(&self, line: &str, elapsed: Duration) -> SearchAnswer {
        let mut words = line.split_ascii_whitespace().skip(1);
        let best_move = words.next().unwrap_or_default().to_owned();
        let ponder_move = words.next().filter(|&word| word == "ponder").and_then(|_| words.next());
        let ponder_move = ponder_move.filter(|word| !NO_MOVE.contains(word));
        let pv = pv_text(&self.last_report);
        let last = match (self.later_pv.as_str(), pv.as_str()) {
            ("", "") => "",
            ("", _) => &self.last_report,
            (later, _) => later,
        };
        let since = |at| self.pipes.last_read.saturating_duration_since(at);
        SearchAnswer {
            uncounted: self.counted_at.map_or(elapsed, since),
            pv_line: last.to_owned(),
            pv,
            best_move,
            ponder_move: ponder_move.map(str::to_owned),
            elapsed,
            report: self.report,
        }
    }
}

/// Returns the moves of the PV in an `info` line, separated by spaces; empty if it has none.
fn pv_text(line: &str) -> String {
    SearchInfo::parse(line).map_or_else(String::new, |info| info.pv().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn stall_right_after_a_write_extends_the_deadline_or_fails_the_search() {
        use std::collections::BTreeMap;

        use crate::base::cancel::Cancel;
        use crate::config::{EngineConfig, Limits, Watchdog};
        use crate::uci::Launcher;

        const STALL: Duration = Duration::from_mins(1);
        const LIMIT: Duration = Duration::from_secs(30);
        let script = "read uci; echo uciok; while read go; do echo bestmove e2e4; done";
        let config = EngineConfig {
            name: "sh".to_owned(),
            program: "sh".into(),
            git: None,
            args: vec!["-c".to_owned(), script.to_owned()],
            options: Vec::new(),
            init: Vec::new(),
            ponder: false,
            env: BTreeMap::default(),
            working_dir: None,
            rating: None,
            limits: Limits::default(),
        };
        let search = |stall: Duration, extends: bool| {
            let launcher = Launcher::default();
            let mut engine =
                Engine::start(&config, &launcher, Watchdog::default(), &Cancel::default()).unwrap();
            engine.extends_on_stall = extends;
            let start = engine.ask("go\n", LIMIT).unwrap();
            engine.pipes.awake -= stall;
            engine.await_best_move(start.checked_sub(STALL).unwrap(), LIMIT, &mut |_| {}, None)
        };
        assert_eq!(search(STALL, true).unwrap().best_move, "e2e4");
        assert!(matches!(search(STALL, false), Err(UciError::Stalled)));
        assert!(matches!(search(Duration::ZERO, true), Err(UciError::Timeout { .. })));
    }

    #[test]
    fn pv_is_written_with_single_spaces() {
        assert_eq!(pv_text("info depth 2 score cp 5 pv\te2e4   e7e5 nodes 40"), "e2e4 e7e5");
        assert_eq!(pv_text("info depth 2 score cp 5"), "");
        assert_eq!(pv_text(""), "");
    }
}
