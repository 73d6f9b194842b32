//! A worker: takes positions from the list and has them searched, one after the other, until there are no more.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use super::mate::{MateClaim, Relation, Verification, verify};
use super::record::{Fault, FaultKind, POSITION_VERSION, PositionRecord};
use super::trace::Trace;
use super::{Job, SuiteError, Task};
use crate::referee::{Board, go_command};
use crate::runner::{LEGEND, NotReady, Player, Setup, Stamp};
use crate::uci_client::{Engine, ReportedScore, SearchAnswer, SearchInfo, UciError};

/// Searches void because the harness was not running, after which the machine is called unfit.
const MAX_STALLS: u32 = 20;
/// Longest part of a text in the place of a move that is kept. Units: characters.
const MOVE_SHOWN: usize = 100;

/// What a worker tells the collector.
#[derive(Debug)]
pub(super) enum Message {
    /// A position is done; where the engine failed on it, the evidence comes along.
    Position(Box<PositionRecord>, Option<String>),
    /// Something the user should know.
    Notice(String),
    /// The engine failed to start; its dialogue.
    FailedStart(String, String),
    /// The run cannot go on.
    Fatal(SuiteError),
}

/// What the workers of a run share.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) job: &'a Job,
    pub(super) setup: Setup,
    /// Of the executable when the run began.
    pub(super) stamp: Option<Stamp>,
    /// Indices of the positions to do.
    pub(super) missing: Vec<usize>,
    /// Into `missing`.
    pub(super) next: AtomicUsize,
    pub(super) stalls: AtomicU32,
}

/// Why a worker stopped before the list was empty.
enum Stop {
    Cancelled,
    Fatal(SuiteError),
}

/// Solves until the list is empty, the run is cancelled or something fatal happens.
pub(super) fn work(shared: &Shared<'_>, messages: &Sender<Message>) {
    let mut player = Player::new(&shared.job.config.engine, shared.stamp, &shared.setup);
    if let Err(Stop::Fatal(error)) = solve_all(shared, &mut player, messages) {
        let _ = messages.send(Message::Fatal(error));
    }
    if shared.setup.cancel.is_cancelled() {
        // In a hurry: dropping kills, and nothing is owed to an engine at this point.
        return;
    }
    player.quit();
}

fn solve_all(shared: &Shared<'_>, player: &mut Player<'_>, messages: &Sender<Message>) -> Result<(), Stop> {
    loop {
        if shared.setup.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        // Relaxed: the counter orders nothing but itself.
        let next = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(&index) = shared.missing.get(next) else { return Ok(()) };
        let (record, evidence) = solve(shared, player, messages, index)?;
        // The collector is gone only when the run has failed; then nobody wants the result.
        messages.send(Message::Position(Box::new(record), evidence)).map_err(|_| Stop::Cancelled)?;
    }
}

/// Solves one position, again if the harness itself was asleep during it.
fn solve(
    shared: &Shared<'_>,
    player: &mut Player<'_>,
    messages: &Sender<Message>,
    index: usize,
) -> Result<(PositionRecord, Option<String>), Stop> {
    let task = &shared.job.suite.tasks[index];
    let board = Board::new(&task.fen, shared.job.suite.variant)
        .map_err(|error| Stop::Fatal(SuiteError::Run(error.into())))?;
    loop {
        let report = |error: &UciError, dialogue: &str| {
            let text = format!("{}: failed to start: {error}", shared.job.config.engine.name);
            let _ = messages.send(Message::FailedStart(text, dialogue.to_owned()));
        };
        let engine = player.ready(report).map_err(|error| match error {
            NotReady::Cancelled => Stop::Cancelled,
            NotReady::Broken(error) => Stop::Fatal(error.into()),
        })?;
        let mut record = blank(shared, index);
        match attempt(shared, engine, task, &board, &mut record) {
            Ok(()) => {}
            Err(UciError::Cancelled) => return Err(Stop::Cancelled),
            Err(UciError::Stalled) => {
                player.discard();
                let stalls = shared.stalls.fetch_add(1, Ordering::Relaxed) + 1;
                if stalls > MAX_STALLS {
                    return Err(Stop::Fatal(SuiteError::Starved { searches: stalls }));
                }
                let text = format!("{}: the harness was not running for over a second; done again", task.id);
                let _ = messages.send(Message::Notice(text));
                continue;
            }
            Err(error) => fail(&mut record, &error),
        }
        let evidence = record.fault.as_ref().map(|fault| evidence(player, task, &record, fault));
        if record.fault.is_some() {
            // Also after an illegal move: what such an engine does next is not to be trusted.
            player.discard();
        }
        return Ok((record, evidence));
    }
}

/// The record of a position nobody has looked at.
fn blank(shared: &Shared<'_>, index: usize) -> PositionRecord {
    let task = &shared.job.suite.tasks[index];
    PositionRecord {
        v: POSITION_VERSION,
        index: index as u64,
        file: shared.job.suite.files[task.file].clone(),
        line: task.line,
        id: task.id.clone(),
        fen: task.fen.clone(),
        expected: task.expectation.text(),
        best_move: String::new(),
        san: None,
        score: None,
        depth: None,
        nodes: None,
        time_us: 0,
        pv: Vec::new(),
        solved: false,
        points: task.expectation.max_points().map(|_| 0),
        max_points: task.expectation.max_points(),
        solution: None,
        mate: None,
        fault: None,
    }
}

/// Searches the position, scores the answer and checks a claimed mate.
fn attempt(
    shared: &Shared<'_>,
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
    // From before `go` is written: see `SearchAnswer::elapsed`.
    let (start, mut elapsed) = (Instant::now(), Duration::ZERO);
    let answer = search(shared, engine, board, &[], &mut |line| {
        elapsed = start.elapsed();
        trace.hear(line);
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
            let answer = search(shared, engine, board, played, &mut |_| {})?;
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

/// Is this the score of a mate for the side that is known to mate?
fn is_mate_like(score: ReportedScore, known: i32) -> bool {
    matches!(score, ReportedScore::Mate(moves) if (moves > 0) == (known > 0))
}

/// Searches the position `played` moves after the start of `board`.
fn search(
    shared: &Shared<'_>,
    engine: &mut Engine,
    board: &Board,
    played: &[String],
    watch: &mut dyn FnMut(&str),
) -> Result<SearchAnswer, UciError> {
    let limits = &shared.job.config.engine.limits;
    let moves = if played.is_empty() { String::new() } else { format!(" moves {}", played.join(" ")) };
    let go = go_command(limits, None, None, board.turn());
    let text = format!("position fen {}{moves}\n{go}\n", board.start_fen);
    let time = limits.movetime.map_or(Duration::ZERO, |time| Duration::from_millis(time.get()));
    engine.search_watched(&text, time + shared.job.config.watchdog.answer, watch)
}

/// Notes the failure of an engine; what it found before does not count.
fn fail(record: &mut PositionRecord, error: &UciError) {
    let kind = match error {
        UciError::Silent { .. } => FaultKind::Hang,
        _ => FaultKind::Crash,
    };
    record.fault = Some(Fault { kind, how: error.to_string() });
    record.points = record.max_points.map(|_| 0);
}

/// What led to a failure, for a file.
fn evidence(player: &mut Player<'_>, task: &Task, record: &PositionRecord, fault: &Fault) -> String {
    let (name, command) = player.identity();
    let dialogue = player.engine_mut().map(Engine::dialogue).unwrap_or_default();
    format!(
        "{}:{} {} ({}): {}: {}\n{}\nengine: {name}: {command}\n{LEGEND}\n\n{dialogue}",
        record.file,
        record.line,
        task.id,
        record.expected,
        fault.kind.name(),
        fault.how,
        task.fen,
    )
}
