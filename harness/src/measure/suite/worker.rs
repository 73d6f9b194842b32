//! A worker of a suite: searches one position, finds the point from which its answer stayed right, and verifies a
//! claimed mate.

use std::time::{Duration, Instant};

use anyhow::Context;

use super::Task;
use super::mate::{MateClaim, Relation, Verification, verify};
use super::record::{Fault, FaultKind, POSITION_VERSION, PositionRecord, Solution};
use super::study::SuiteStudy;
use crate::base::errors::Stop;
use crate::base::micros;
use crate::play::referee::Board;
use crate::pool::Player;
use crate::run::executor::{Attempt, Evidence, LEGEND, Outbox, VoidCause};
use crate::uci::{Engine, ReportedScore, SearchAnswer, SearchInfo, UciError, go_line};

/// Longest part of an invalid move that is recorded. Units: characters.
const MOVE_SHOWN: usize = 100;

/// Solves one position, and repeats it if the harness was suspended meanwhile.
pub(super) fn solve(
    job: &SuiteStudy,
    player: &mut Player<'_>,
    index: usize,
    outbox: &Outbox<'_, PositionRecord, ()>,
) -> Result<(PositionRecord, Option<Evidence>), Stop> {
    let task = &job.suite.tasks[index];
    let board = Board::new(&task.fen, job.suite.variant).context("opening")?;
    outbox.repeat_while_void(&task.id, "done again", || {
        let name = &job.config.engine.name;
        let report = |reason: &str, dialogue: &str| outbox.failed_start(name, reason, dialogue);
        let engine = player.ready(report)?;
        let mut record = blank(job, index);
        match attempt(job, engine, task, &board, &mut record) {
            Ok(()) => {}
            Err(UciError::Cancelled) => return Err(Stop::Cancelled),
            Err(UciError::Stalled) => {
                player.discard();
                return Ok(Attempt::Void(VoidCause::Stalled));
            }
            Err(error) => fail(&mut record, &error),
        }
        let evidence = record.fault.as_ref().map(|fault| evidence(player, task, &record, fault));
        if record.fault.is_some() {
            // Restarts the engine also after an illegal move, since its position may differ from
            // that of the harness.
            player.discard();
        }
        Ok(Attempt::Done((record, evidence)))
    })
}

/// Returns the record of a position before its search.
fn blank(job: &SuiteStudy, index: usize) -> PositionRecord {
    let task = &job.suite.tasks[index];
    PositionRecord {
        v: POSITION_VERSION,
        index: index as u64,
        file: job.suite.files[task.file].clone(),
        line: task.line,
        id: task.id.clone(),
        fen: task.fen.clone(),
        expected: task.expectation.text(),
        points: task.expectation.max_points().map(|_| 0),
        max_points: task.expectation.max_points(),
        ..PositionRecord::default()
    }
}

/// Searches the position, scores the answer and checks a claimed mate.
fn attempt(
    job: &SuiteStudy,
    engine: &mut Engine,
    task: &Task,
    board: &Board,
    record: &mut PositionRecord,
) -> Result<(), UciError> {
    let expectation = &task.expectation;
    let is_right = |info: &SearchInfo<'_>| {
        if expectation.asks_for_move() {
            return info.pv().next().is_some_and(|uci| expectation.is_solved_by(uci));
        }
        let is_mate_like = |known: i32| matches!(info.report.score, Some(ReportedScore::Mate(moves)) if (moves > 0) == (known > 0));
        expectation.mate.is_some_and(is_mate_like)
    };
    let mut trace = Trace::default();
    // The clock starts before `go` is written: see `SearchAnswer::elapsed`.
    let (start, mut elapsed) = (Instant::now(), Duration::ZERO);
    let answer = search(job, engine, board, &[], &mut |line| {
        elapsed = start.elapsed();
        trace.read(line, u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX), is_right);
    })?;
    record.best_move = answer.best_move.chars().take(MOVE_SHOWN).collect();
    record.time_us = micros(elapsed);
    (record.score, record.depth, record.nodes) = (trace.score, trace.depth, trace.nodes);
    record.pv.clone_from(&trace.pv);
    record.san = board.san(&answer.best_move);
    if record.san.is_none() {
        let how = format!("played `{}`", record.best_move);
        record.fault = Some(Fault { kind: FaultKind::IllegalMove, how });
        return Ok(());
    }
    record.points = expectation.points_of(&answer.best_move);
    if let Some(ReportedScore::Mate(moves)) = trace.score {
        let relation = expectation.mate.map(|known| Relation::of(moves, known));
        let unfinished = Verification::Failed { why: "the engine failed while playing on".to_owned() };
        record.mate = Some(MateClaim { moves, relation, verification: unfinished });
        let verification = verify(board, moves, &trace.pv, |_, played| {
            let answer = search(job, engine, board, played, &mut |_| {})?;
            Ok::<_, UciError>((answer.best_move, answer.report.score))
        })?;
        record.mate = Some(MateClaim { moves, relation, verification });
    }
    record.solved = if expectation.asks_for_move() {
        expectation.is_solved_by(&answer.best_move)
    } else {
        record.mate.as_ref().is_some_and(MateClaim::is_verified)
    };
    record.solution = record.solved.then(|| trace.solution(record.time_us / 1000));
    Ok(())
}

/// Searches the position `played` moves after the start of `board`.
fn search(
    job: &SuiteStudy,
    engine: &mut Engine,
    board: &Board,
    played: &[String],
    watch: &mut dyn FnMut(&str),
) -> Result<SearchAnswer, UciError> {
    let limits = &job.config.engine.limits;
    let moves = if played.is_empty() { String::new() } else { format!(" moves {}", played.join(" ")) };
    let go = go_line(limits);
    let text = format!("position fen {}{moves}\n{go}\n", board.start_fen);
    let time = limits.movetime.map_or(Duration::ZERO, |time| Duration::from_millis(time.get()));
    engine.search_watched(&text, time + job.config.watchdog.answer, watch, None)
}

/// Records the failure of an engine; its earlier answers do not count.
fn fail(record: &mut PositionRecord, error: &UciError) {
    let kind = match error {
        UciError::Timeout { .. } => FaultKind::Hang,
        _ => FaultKind::Crash,
    };
    record.fault = Some(Fault { kind, how: error.to_string() });
    record.points = record.max_points.map(|_| 0);
}

/// Builds the file that documents a failure.
fn evidence(player: &mut Player<'_>, task: &Task, record: &PositionRecord, fault: &Fault) -> Evidence {
    let (name, command) = player.identity();
    let dialogue = player.engine_mut().map(Engine::dialogue).unwrap_or_default();
    let text = format!(
        "{}:{} {} ({}): {}: {}\n{}\nengine: {name}: {command}\n{LEGEND}\n\n{dialogue}",
        record.file,
        record.line,
        task.id,
        record.expected,
        fault.kind.name(),
        fault.how,
        task.fen,
    );
    Evidence { text, replay: None }
}

/// Follows the `info` lines of one search.
#[derive(Default)]
pub(super) struct Trace {
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

impl Trace {
    /// Reads a line of the engine's output that arrived `wall_ms` milliseconds after `go`; `is_right` decides whether a report
    /// is right.
    pub(super) fn read(&mut self, line: &str, wall_ms: u64, is_right: impl Fn(&SearchInfo<'_>) -> bool) {
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
        if !is_right(&info) {
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
        let mut trace = Trace::default();
        for (line, wall_ms) in lines.iter().zip(11..) {
            trace.read(line, wall_ms, |info| info.pv().next() == Some("g3g6"));
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
