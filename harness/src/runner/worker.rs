//! A worker: takes pairs from the schedule and plays their games, one after the other, until there are no more.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::player::{NotReady, Player, Setup, Stamp};
use super::{Job, RunError};
use crate::config::MatchConfig;
use crate::referee::{Board, MatchRules, PlayedGame, Seat, Unfinished, play_game};
use crate::schedule::{PairJob, Schedule};
use crate::store::{GameRecord, RECORD_VERSION, Side};
use crate::uci_client::Engine;

/// Games void because the harness was not running, after which the machine is called unfit.
const MAX_STALLS: u32 = 20;

/// How to read a dialogue in the evidence of a fault.
pub(crate) const LEGEND: &str =
    "seconds since its start, > to the engine, < from it, ! its stderr, # remarks";

/// What a worker tells the collector.
#[derive(Debug)]
pub(super) enum Message {
    /// A game is finished; where it ended in a fault, the evidence comes along.
    Game(Box<GameRecord>, Option<String>),
    /// A worker has finished what it took from the schedule and waits until it is counted.
    PairDone(Sender<()>),
    /// Something the user should know.
    Notice(String),
    /// An engine failed to start; its dialogue.
    FailedStart(String, String),
    /// The run cannot go on.
    Fatal(RunError),
}

/// What the workers of a run share.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) job: &'a Job,
    pub(super) setup: Setup,
    /// Of the executables when the run began.
    pub(super) stamps: [Option<Stamp>; 2],
    pub(super) schedule: Mutex<Schedule>,
    pub(super) stalls: AtomicU32,
}

/// Why a worker stopped before the schedule was empty.
enum Stop {
    Cancelled,
    Fatal(RunError),
}

/// Plays until the schedule is empty, the run is cancelled or something fatal happens.
pub(super) fn work(shared: &Shared<'_>, messages: &Sender<Message>) {
    let [first, second] = &shared.job.config.engines[..] else { return };
    let [first_stamp, second_stamp] = shared.stamps;
    let mut players =
        [Player::new(first, first_stamp, &shared.setup), Player::new(second, second_stamp, &shared.setup)];
    let result = play_pairs(shared, &mut players, messages);
    if let Err(Stop::Fatal(error)) = result {
        let _ = messages.send(Message::Fatal(error));
    }
    if shared.setup.cancel.is_cancelled() {
        // In a hurry: dropping kills, and nothing is owed to an engine at this point.
        return;
    }
    players.iter_mut().for_each(Player::quit);
}

fn play_pairs(
    shared: &Shared<'_>,
    players: &mut [Player<'_>; 2],
    messages: &Sender<Message>,
) -> Result<(), Stop> {
    loop {
        if shared.setup.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        // The schedule is plain data: a panic elsewhere cannot have left it half changed.
        let next = shared.schedule.lock().unwrap_or_else(PoisonError::into_inner).next_job();
        let Some(PairJob { pair, halves }) = next else { return Ok(()) };
        for half in halves {
            play_half(shared, players, messages, pair, half)?;
        }
        // Without this, quick games would run ahead of the verdict and be "under way" in any number.
        let (counted, wait) = channel();
        messages.send(Message::PairDone(counted)).map_err(|_| Stop::Cancelled)?;
        wait.recv().map_err(|_| Stop::Cancelled)?;
    }
}

/// Plays one game, again if the harness itself was asleep during it.
fn play_half(
    shared: &Shared<'_>,
    players: &mut [Player<'_>; 2],
    messages: &Sender<Message>,
    pair: u64,
    half: u8,
) -> Result<(), Stop> {
    loop {
        if let Some((record, evidence)) = play_once(shared, players, messages, pair, half)? {
            // The collector is gone only when the run has failed; then nobody wants the game.
            let sent = messages.send(Message::Game(Box::new(record), evidence));
            return sent.map_err(|_| Stop::Cancelled);
        }
        let stalls = shared.stalls.fetch_add(1, Ordering::Relaxed) + 1;
        if stalls > MAX_STALLS {
            return Err(Stop::Fatal(RunError::Starved { games: stalls }));
        }
        let game = 2 * pair + u64::from(half);
        let text = format!("game {game}: the harness was not running for over a second; played again");
        let _ = messages.send(Message::Notice(text));
    }
}

/// One try at a game; `None` if its clocks say nothing.
fn play_once(
    shared: &Shared<'_>,
    players: &mut [Player<'_>; 2],
    messages: &Sender<Message>,
    pair: u64,
    half: u8,
) -> Result<Option<(GameRecord, Option<String>)>, Stop> {
    let config = &shared.job.config;
    let opening = shared.job.book.opening(pair);
    let board = Board::new(&opening.fen, config.variant).map_err(|error| Stop::Fatal(error.into()))?;
    if board.outcome().is_some() {
        let fen = opening.fen.clone();
        return Err(Stop::Fatal(RunError::OpeningOver { fen, label: opening.label.clone() }));
    }
    for (player, engine) in players.iter_mut().zip(&config.engines) {
        let report = |error: &_, dialogue: &str| {
            let text = format!("{}: failed to start: {error}", engine.name);
            let _ = messages.send(Message::FailedStart(text, dialogue.to_owned()));
        };
        player.ready(report).map_err(|error| match error {
            NotReady::Cancelled => Stop::Cancelled,
            NotReady::Broken(error) => Stop::Fatal(error),
        })?;
    }
    let fen = board.start_fen.clone();
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let white = usize::from(half);
    let played = match seat_and_play(config, players, white, board) {
        Ok(played) => played,
        Err(Unfinished::Cancelled) => return Err(Stop::Cancelled),
        Err(Unfinished::Stalled) => {
            players.iter_mut().for_each(Player::discard);
            return Ok(None);
        }
    };
    let evidence = collect_evidence(players, white, &played, 2 * pair + u64::from(half));
    let record = GameRecord {
        v: RECORD_VERSION,
        game: 2 * pair + u64::from(half),
        pair,
        half,
        white,
        black: 1 - white,
        fen,
        opening: opening.label.clone(),
        started_ms: u64::try_from(started.as_millis()).unwrap_or(u64::MAX),
        duration_ms: u64::try_from(played.duration.as_millis()).unwrap_or(u64::MAX),
        result: played.result,
        termination: played.termination,
        plies: played.moves.len(),
        white_stats: played.stats[0],
        black_stats: played.stats[1],
        moves: played.moves,
    };
    Ok(Some((record, evidence)))
}

fn seat_and_play(
    config: &MatchConfig,
    players: &mut [Player<'_>; 2],
    white: usize,
    board: Board,
) -> Result<PlayedGame, Unfinished> {
    let rules = MatchRules {
        adjudication: config.adjudication,
        time_margin: config.time_margin,
        answer_limit: config.watchdog.answer,
    };
    let [first, second] = players;
    let (Some(first), Some(second)) = (first.engine_mut(), second.engine_mut()) else {
        return Err(Unfinished::Cancelled);
    };
    let first = Seat { engine: first, limits: config.engines[0].limits };
    let second = Seat { engine: second, limits: config.engines[1].limits };
    if white == 0 { play_game(board, first, second, rules) } else { play_game(board, second, first, rules) }
}

/// Takes down what led to a fault, and discards engines that cannot go on.
fn collect_evidence(
    players: &mut [Player<'_>; 2],
    white: usize,
    played: &PlayedGame,
    game: u64,
) -> Option<String> {
    let index = |side: Side| if side == Side::White { white } else { 1 - white };
    let evidence = played.termination.fault().map(|side| {
        let player = &mut players[index(side)];
        let (name, command) = player.identity();
        let dialogue = player.engine_mut().map(Engine::dialogue).unwrap_or_default();
        format!("game {game}: {}\nengine: {name}: {command}\n{LEGEND}\n\n{dialogue}", played.termination)
    });
    for side in [Side::White, Side::Black] {
        // An illegal move says that engine and harness no longer agree on the position: start clean.
        let is_broken = played.broken[usize::from(side == Side::Black)];
        if is_broken
            || (played.termination.fault() == Some(side) && played.termination.name() == "illegal_move")
        {
            players[index(side)].discard();
        }
    }
    evidence
}
