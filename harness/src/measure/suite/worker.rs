//! A worker of a suite: searches one position, scores the answer and verifies a claimed mate.

use std::time::{Duration, Instant};

use super::mate::{MateClaim, Relation, Verification, verify};
use super::record::{Fault, FaultKind, POSITION_VERSION, PositionRecord};
use super::study::SuiteStudy;
use super::trace::Trace;
use super::{SuiteError, Task};
use crate::play::referee::Board;
use crate::pool::Player;
use crate::run::executor::{Attempt, Evidence, LEGEND, Outbox, Stop, VoidCause};
use crate::uci::{Engine, ReportedScore, SearchAnswer, SearchInfo, UciError, go_line};

/// Longest part of an invalid move that is recorded. Units: characters.
const MOVE_SHOWN: usize = 100;

/// Solves one position, and repeats it if the harness was suspended meanwhile.
pub(super) fn solve(
    job: &SuiteStudy,
    player: &mut Player<'_>,
    index: usize,
    outbox: &Outbox<'_, PositionRecord, (), SuiteError>,
) -> Result<(PositionRecord, Option<Evidence>), Stop<SuiteError>> {
    let task = &job.suite.tasks[index];
    let board =
        Board::new(&task.fen, job.suite.variant).map_err(|error| Stop::failed(SuiteError::Opening(error)))?;
    outbox.repeat_while_void(&task.id, "done again", || {
        let name = &job.config.engine.name;
        let report = |error: &UciError, dialogue: &str| outbox.failed_start(name, error, dialogue);
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
    let mut trace = Trace::new(|info: &SearchInfo<'_>| {
        if expectation.asks_for_move() {
            return info.pv().next().is_some_and(|uci| expectation.is_solved_by(uci));
        }
        expectation.mate.zip(info.report.score).is_some_and(|(known, score)| is_mate_like(score, known))
    });
    // The clock starts before `go` is written: see `SearchAnswer::elapsed`.
    let (start, mut elapsed) = (Instant::now(), Duration::ZERO);
    let answer = search(job, engine, board, &[], &mut |line| {
        elapsed = start.elapsed();
        trace.read(line, u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
    })?;
    record.best_move = answer.best_move.chars().take(MOVE_SHOWN).collect();
    record.time_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
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

/// Whether this score is a mate for the side that is known to mate.
fn is_mate_like(score: ReportedScore, known: i32) -> bool {
    matches!(score, ReportedScore::Mate(moves) if (moves > 0) == (known > 0))
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
    engine.search_watched(&text, time + job.config.watchdog.answer, watch)
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
