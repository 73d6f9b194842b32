//! A worker: takes pairs from the schedule and plays their games, one after the other, until there are no more.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::player::{NotReady, Player, Setup, Stamp};
use super::roster::Roster;
use super::{Job, RunError};
use crate::config::{EngineConfig, EngineOption, Pairing};
use crate::referee::{Board, MatchRules, PlayedGame, Seat, Unfinished, play_game};
use crate::schedule::{PairJob, Schedule};
use crate::stolen::ProcessorTime;
use crate::store::{GameRecord, RECORD_VERSION, Side, Termination};
use crate::uci_client::{Replay, UciError};

/// Games void because the harness was not running, after which the machine is called unfit.
const MAX_STALLS: u32 = 20;

/// Times in a row that a game may be void because the host took too much of it.
const MAX_ROBBERIES: u32 = 20;

/// How to read a dialogue in the evidence of a fault.
pub(crate) const LEGEND: &str =
    "seconds since its start, > to the engine, < from it, ! its stderr, # remarks";

/// What a worker tells the collector.
#[derive(Debug)]
pub(super) enum Message {
    /// A game is finished; where it ended in a fault, the evidence comes along.
    Game(Box<GameRecord>, Option<Evidence>),
    /// A worker has finished what it took from the schedule and waits until it is counted.
    PairDone(Sender<()>),
    /// Something the user should know.
    Notice(String),
    /// An engine failed to start; its dialogue.
    FailedStart(String, String),
    /// The run cannot go on.
    Fatal(RunError),
}

/// What is kept of a game that ended in a fault.
#[derive(Debug)]
pub(super) struct Evidence {
    /// What was said, to read.
    pub(super) text: String,
    /// The game as the engine was told it, to do it again.
    pub(super) replay: Replay,
}

/// What the workers of a run share.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) job: &'a Job,
    pub(super) setup: Setup,
    /// Of the executables when the run began, in the order of the configuration.
    pub(super) stamps: Vec<Option<Stamp>>,
    pub(super) schedule: Mutex<Schedule>,
    pub(super) stalls: AtomicU32,
}

/// Why a worker stopped before the schedule was empty.
enum Stop {
    Cancelled,
    Fatal(RunError),
}

/// Why the clocks of a game say nothing.
enum Void {
    /// The harness was not running meanwhile.
    Stalled,
    /// The host took so much of the processors' time. Units: permille.
    Robbed(u32),
}

/// Is a game void of which so much was taken? Whoever won it, or else games would be chosen by their results; but what an
/// engine did wrong besides being late it did all the same.
fn is_void(stolen: u32, most: Option<u32>, termination: &Termination) -> bool {
    let is_blameless =
        termination.fault().is_none() || matches!(termination, Termination::TimeForfeit { .. });
    is_blameless && most.is_some_and(|most| stolen > most)
}

/// One worker: its engines, and whom it tells.
struct Worker<'a> {
    shared: &'a Shared<'a>,
    players: Roster<'a>,
    /// What the engines of the present pair are told beside their options.
    dealt: Option<[Vec<EngineOption>; 2]>,
    messages: &'a Sender<Message>,
}

/// A game to be played.
#[derive(Clone, Copy)]
struct Assignment {
    pair: u64,
    half: u8,
    pairing: Pairing,
    /// Do the engines swap colours for the second half?
    swaps: bool,
}

impl Assignment {
    /// Its number in the run.
    fn game(self) -> u64 {
        2 * self.pair + u64::from(self.half)
    }

    /// The engines of White and Black, by their places in the configuration.
    fn seats(self) -> [usize; 2] {
        let [first, second] = self.pairing.engines();
        if self.half == 0 || !self.swaps { [first, second] } else { [second, first] }
    }

    /// The engine of this side.
    fn seat(self, side: Side) -> usize {
        self.seats()[usize::from(side == Side::Black)]
    }
}

/// Plays until the schedule is empty, the run is cancelled or something fatal happens.
///
/// `place` is the worker's number, by which it has its processors.
pub(super) fn work(shared: &Shared<'_>, place: usize, messages: &Sender<Message>) {
    let launcher = shared.setup.launcher.on(shared.job.cpu_sets.get(place).cloned());
    let logs = shared.setup.logs.as_ref().map(|folder| folder.join(format!("{}-", place + 1)));
    let setup = Setup { launcher, logs, ..shared.setup.clone() };
    let engines = shared.job.config.engines.iter().zip(&shared.stamps);
    let players = engines.map(|(config, &stamp)| Player::new(config, stamp, &setup));
    let mut worker = Worker { shared, players: Roster::new(players.collect()), dealt: None, messages };
    if let Err(Stop::Fatal(error)) = worker.play_pairs() {
        let _ = messages.send(Message::Fatal(error));
    }
    if shared.setup.cancel.is_cancelled() {
        // In a hurry: dropping kills, and nothing is owed to an engine at this point.
        return;
    }
    worker.players.quit();
}

impl Worker<'_> {
    fn play_pairs(&mut self) -> Result<(), Stop> {
        loop {
            if self.shared.setup.cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            // The schedule is plain data: a panic elsewhere cannot have left it half changed.
            let next = self.shared.schedule.lock().unwrap_or_else(PoisonError::into_inner).next_job();
            let Some(PairJob { pair, halves }) = next else { return Ok(()) };
            let pairing = self.shared.job.config.pairings.of(pair);
            self.players.make_room(pairing);
            if let Some(dealer) = &self.shared.job.dealer {
                let options = dealer.options(pair, &self.shared.setup.cancel);
                self.dealt = Some(options.ok_or(Stop::Cancelled)?);
            }
            for half in halves {
                self.play_half(Assignment { pair, half, pairing, swaps: self.shared.job.config.swap })?;
            }
            // Without this, quick games would run ahead of the verdict and be "under way" in any number.
            let (counted, wait) = channel();
            self.messages.send(Message::PairDone(counted)).map_err(|_| Stop::Cancelled)?;
            wait.recv().map_err(|_| Stop::Cancelled)?;
        }
    }

    /// Plays one game, again if its clocks say nothing.
    fn play_half(&mut self, assignment: Assignment) -> Result<(), Stop> {
        let game = assignment.game();
        let mut robberies = 0;
        loop {
            let why = match self.play_once(assignment)? {
                Ok((record, evidence)) => {
                    // The collector is gone only when the run has failed; then nobody wants the game.
                    let sent = self.messages.send(Message::Game(Box::new(record), evidence));
                    return sent.map_err(|_| Stop::Cancelled);
                }
                Err(Void::Stalled) => {
                    let stalls = self.shared.stalls.fetch_add(1, Ordering::Relaxed) + 1;
                    if stalls > MAX_STALLS {
                        return Err(Stop::Fatal(RunError::Starved { games: stalls }));
                    }
                    "the harness was not running for a while".to_owned()
                }
                Err(Void::Robbed(permille)) => {
                    robberies += 1;
                    if robberies > MAX_ROBBERIES {
                        return Err(Stop::Fatal(RunError::Robbed { game, tries: robberies }));
                    }
                    let share = f64::from(permille) / 10.0;
                    format!(
                        "the host of this machine gave {share:.1} % of the processor time asked for to others"
                    )
                }
            };
            let _ =
                self.messages.send(Message::Notice(format!("game {game}: {why}; void, and played again")));
        }
    }

    /// One try at a game: the game, and where it ended in a fault, the evidence.
    fn play_once(
        &mut self,
        assignment: Assignment,
    ) -> Result<Result<(GameRecord, Option<Evidence>), Void>, Stop> {
        let config = &self.shared.job.config;
        let opening = self.shared.job.book.opening(config.opening(assignment.pair, assignment.half));
        let (board, book) =
            Board::after(opening, config.variant).map_err(|error| Stop::Fatal(error.into()))?;
        if board.outcome().is_some() {
            let fen = opening.fen.clone();
            return Err(Stop::Fatal(RunError::OpeningOver { fen, label: opening.label.clone() }));
        }
        for (place, engine) in assignment.pairing.engines().into_iter().enumerate() {
            self.get_ready(engine)?;
            self.deal(place, engine)?;
        }
        let fen = board.start_fen.clone();
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let processors = ProcessorTime::now();
        let [white, black] = assignment.seats();
        let players = self.players.pair(white, black);
        let played = match seat_and_play(self.shared.job, players, [white, black], board) {
            Ok(played) => played,
            Err(Unfinished::Cancelled) => return Err(Stop::Cancelled),
            Err(Unfinished::Stalled) => {
                self.players.pair(white, black).into_iter().for_each(Player::discard);
                return Ok(Err(Void::Stalled));
            }
        };
        let stolen_permille = ProcessorTime::stolen_permille_since(processors);
        let evidence = self.collect_evidence(&played, stolen_permille, assignment);
        if let Some(permille) = stolen_permille
            && is_void(permille, config.watchdog.stolen_permille, &played.termination)
        {
            return Ok(Err(Void::Robbed(permille)));
        }
        let record = GameRecord {
            v: RECORD_VERSION,
            game: assignment.game(),
            pair: assignment.pair,
            half: assignment.half,
            white,
            black,
            fen,
            book,
            opening: opening.label.clone(),
            started_ms: u64::try_from(started.as_millis()).unwrap_or(u64::MAX),
            duration_ms: u64::try_from(played.duration.as_millis()).unwrap_or(u64::MAX),
            stolen_permille,
            result: played.result,
            termination: played.termination,
            plies: played.moves.len(),
            white_stats: played.stats[0],
            black_stats: played.stats[1],
            moves: played.moves,
        };
        Ok(Ok((record, evidence)))
    }

    /// Has an engine running and told of the new game.
    fn get_ready(&mut self, engine: usize) -> Result<(), Stop> {
        let messages = self.messages;
        let name = &self.shared.job.config.engines[engine].name;
        let report = |error: &_, dialogue: &str| {
            let text = format!("{name}: failed to start: {error}");
            let _ = messages.send(Message::FailedStart(text, dialogue.to_owned()));
        };
        match self.players.one(engine).ready(report) {
            Ok(_) => Ok(()),
            Err(NotReady::Cancelled) => Err(Stop::Cancelled),
            Err(NotReady::Broken(error)) => Err(Stop::Fatal(error)),
        }
    }

    /// Tells an engine that is ready what it plays this pair with.
    fn deal(&mut self, place: usize, engine: usize) -> Result<(), Stop> {
        let Some(options) = &self.dealt else { return Ok(()) };
        let player = self.players.one(engine);
        let Some(running) = player.engine_mut() else { return Ok(()) };
        match running.set_options(&options[place]) {
            Ok(()) => Ok(()),
            Err(UciError::Cancelled) => Err(Stop::Cancelled),
            Err(error) => {
                let dialogue = running.dialogue();
                Err(Stop::Fatal(RunError::Trial { name: player.identity().0.to_owned(), error, dialogue }))
            }
        }
    }

    /// Takes down what led to a fault, and discards engines that cannot go on.
    fn collect_evidence(
        &mut self,
        played: &PlayedGame,
        stolen_permille: Option<u32>,
        assignment: Assignment,
    ) -> Option<Evidence> {
        let game = assignment.game();
        let evidence = played.termination.fault().and_then(|side| {
            let seat = assignment.seat(side);
            let config = &self.shared.job.config.engines[seat];
            let player = self.players.one(seat);
            let (name, command) = player.identity();
            let engine = player.engine_mut()?;
            let replay = Replay::of(engine, config, played.termination.to_string());
            let (dialogue, ended) = (engine.dialogue(), &played.termination);
            let robbed = stolen_permille.map_or_else(String::new, |share| {
                let share = f64::from(share) / 10.0;
                format!("during the game the host of this machine gave {share:.1} % of the processor time asked for to others\n")
            });
            let text = format!("game {game}: {ended}\nengine: {name}: {command}\n{robbed}{LEGEND}\n\n{dialogue}");
            Some(Evidence { text, replay })
        });
        for side in [Side::White, Side::Black] {
            // An illegal move says that engine and harness no longer agree on the position: start clean.
            let is_broken = played.broken[usize::from(side == Side::Black)];
            if is_broken
                || (played.termination.fault() == Some(side) && played.termination.name() == "illegal_move")
            {
                self.players.one(assignment.seat(side)).discard();
            }
        }
        evidence
    }
}

/// `players` and `seats` are White's and Black's.
fn seat_and_play(
    job: &Job,
    players: [&mut Player<'_>; 2],
    seats: [usize; 2],
    board: Board,
) -> Result<PlayedGame, Unfinished> {
    let config = &job.config;
    let rules = MatchRules {
        tables: job.tables.as_deref(),
        adjudication: config.adjudication,
        time_margin: config.time_margin,
        answer_limit: config.watchdog.answer,
        keeps_details: !config.pgn.is_empty(),
    };
    let [white, black] = players.map(Player::engine_mut);
    let (Some(white), Some(black)) = (white, black) else { return Err(Unfinished::Cancelled) };
    let [of_white, of_black] = seats.map(|seat| &config.engines[seat]);
    let seat =
        |engine, of: &EngineConfig| Seat { engine, limits: of.limits, pace: of.pace(), ponders: of.ponder };
    let (white, black) = (seat(white, of_white), seat(black, of_black));
    play_game(board, white, black, rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_host_took_too_much_of_is_void_whoever_won() {
        let late = Termination::TimeForfeit { by: Side::White, over_us: 1 };
        let crash = Termination::Crash { by: Side::White, how: "exited with code 1".to_owned() };
        for (stolen, most, ending, expected) in [
            (900, None, &late, false),
            (100, Some(100), &late, false),
            (101, Some(100), &late, true),
            (101, Some(100), &Termination::Checkmate, true),
            (101, Some(100), &crash, false),
        ] {
            assert_eq!(is_void(stolen, most, ending), expected, "{stolen} {most:?} {ending:?}");
        }
    }
}
