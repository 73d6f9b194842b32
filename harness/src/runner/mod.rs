//! Runs a match or test: workers play pairs, one collector writes, counts and decides.
//!
//! The collector alone touches the run folder. A game is in the journal before it is counted; a pair is on disk before
//! the next message is read. When a bound is crossed the schedule closes and pairs under way are finished. On a stop
//! request games under way are abandoned, and played again when the run is resumed.

mod player;
mod roster;
mod standings;
mod summary;
mod worker;

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::atomic::AtomicU32;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;

pub use player::{Preflight, PreflightError, preflight};
pub use standings::{KNOWN, Standing, Standings};
pub use summary::{EngineSummary, PairingSummary, RunState, SUMMARY_VERSION, Summarizer, Summary, Theft};

use crate::cancel::Cancel;
use crate::config::{EngineOption, Limits, MatchConfig};
use crate::cpus::CpuSet;
use crate::crew::{self, NoCrew};
use crate::openings::OpeningBook;
use crate::referee::{OpeningError, Tables};
use crate::schedule::Schedule;
use crate::store::{
    AtomicFile, GameRecord, Journal, PgnContext, RunFolder, Side, StoreError, Termination, write_atomically,
};
use crate::uci_client::{Launcher, UciError};
pub(crate) use player::{NotReady, Player, Setup, Stamp, try_engine};
pub(crate) use worker::LEGEND;
use worker::{Evidence, Message, Shared, work};

/// Where nothing else is asked for, so many games lost by crashes, hangs and illegal moves are told of: statistics of
/// an engine that fails say how often it does, not how well it plays.
const NOTABLE_FAULTS: u64 = 10;
/// How often the observer may show something while no game ends.
const TICK: Duration = Duration::from_millis(200);
/// How often `summary.json` is renewed during a run.
const SUMMARY_INTERVAL: Duration = Duration::from_secs(10);

/// Why a run could not be started or finished. Everything played so far is saved.
#[derive(Debug, Error)]
pub enum RunError {
    /// The run folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An opening cannot be set up.
    #[error("opening: {0}")]
    Opening(OpeningError),
    /// An opening leaves nothing to play.
    #[error("opening {label}: the game is over in `{fen}`")]
    OpeningOver {
        /// The position.
        fen: String,
        /// Its name in the file.
        label: String,
    },
    /// An engine failed on trial, before the run.
    #[error("engine {name}: {error}\n{dialogue}")]
    Trial {
        /// As configured.
        name: String,
        /// What went wrong.
        error: UciError,
        /// What was said.
        dialogue: String,
    },
    /// An engine does not start any more.
    #[error("engine {name} failed to start {tries} times in a row: {error}")]
    EngineBroken {
        /// As configured.
        name: String,
        /// How often it was tried.
        tries: u32,
        /// The last failure.
        error: UciError,
    },
    /// Another program stands where the engine was when the run began.
    #[error("engine {name}: {} was replaced or removed during the run", program.display())]
    EngineChanged {
        /// As configured.
        name: String,
        /// The executable.
        program: PathBuf,
    },
    /// An engine has lost as many games by faults as the configuration bears.
    #[error(
        "engine {name} has failed in {faults} games by crashes, hangs or illegal moves, and max_faults is {most}; the dialogues are in \
         faults/ of the run folder"
    )]
    Faulty {
        /// As configured.
        name: String,
        /// Games lost so.
        faults: u64,
        /// `max_faults`.
        most: u64,
    },
    /// Clocks mean nothing on this machine.
    #[error("the harness itself was not running during {games} games: the machine is too busy to measure on")]
    Starved {
        /// Void games.
        games: u32,
    },
    /// Nor where the host takes too much of them.
    #[error(
        "game {game}: {tries} times in a row the host of this machine took more processor time than watchdog.stolen allows"
    )]
    Robbed {
        /// Its number.
        game: u64,
        /// Void tries.
        tries: u32,
    },
    /// Nobody to play the games.
    #[error(transparent)]
    Crew(#[from] NoCrew),
    /// The test's description.
    #[error(transparent)]
    Sprt(#[from] crate::stats::bounds::SprtError),
}

impl From<OpeningError> for RunError {
    fn from(error: OpeningError) -> Self {
        Self::Opening(error)
    }
}

/// Everything a run needs.
#[derive(Debug)]
pub struct Job {
    /// What to play.
    pub config: MatchConfig,
    /// From where.
    pub book: OpeningBook,
    /// How engines are started.
    pub launcher: Launcher,
    /// Endgame tables that decide games.
    pub tables: Option<Arc<Tables>>,
    /// What else the engines are told before each pair.
    pub dealer: Option<Arc<dyn Dealer>>,
    /// The processors of each game at once; empty where games run anywhere.
    pub cpu_sets: Vec<CpuSet>,
    /// Raised to stop.
    pub cancel: Cancel,
}

/// Says what the engines of a pair play with, where that differs from pair to pair; and hears of every game.
pub trait Dealer: fmt::Debug + Send + Sync {
    /// Options of the pair's first and second engine. Waits where games under way decide them; `None` when the run is
    /// stopped meanwhile.
    fn options(&self, pair: u64, cancel: &Cancel) -> Option<[Vec<EngineOption>; 2]>;

    /// A game is in the journal: of an earlier session, or of this one.
    fn count(&self, game: &GameRecord);
}

/// A file that follows the journal game by game, and is made anew from it whenever a run is resumed.
#[derive(Debug)]
struct Export {
    path: PathBuf,
    file: File,
}

impl Export {
    /// Goes on with the file that `new` has become.
    fn follow(new: AtomicFile, path: PathBuf) -> Result<Self, StoreError> {
        let opened = new.commit().and_then(|()| OpenOptions::new().append(true).open(&path));
        match opened {
            Ok(file) => Ok(Self { path, file }),
            Err(error) => Err(StoreError::io("write", &path, error)),
        }
    }

    fn append(&mut self, text: &str) -> Result<(), StoreError> {
        self.file.write_all(text.as_bytes()).map_err(|error| StoreError::io("write", &self.path, error))
    }
}

/// The open files of a run, with the games already in them.
#[derive(Debug)]
pub struct Records {
    folder: RunFolder,
    journal: Journal,
    pgn: Export,
    /// The final positions, where they are wanted.
    epd: Option<Export>,
    context: PgnContext,
    /// The games of earlier sessions, without their moves.
    pub games: Vec<GameRecord>,
    /// Bytes of an unfinished line cut from the journal.
    pub torn_bytes: u64,
}

impl Records {
    /// Opens the journal of `folder` and writes `games.pgn` anew from it.
    pub fn open(folder: RunFolder, config: &MatchConfig) -> Result<Self, StoreError> {
        let players = config.engines.iter().map(|engine| (engine.name.clone(), engine.limits));
        let players: Vec<(String, Limits)> = players.collect();
        let run = folder.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let context = PgnContext { event: run, players, variant: config.variant, fields: config.pgn.clone() };
        let path = folder.journal();
        let begin = |path: PathBuf| match AtomicFile::create(&path) {
            Ok(file) => Ok((file, path)),
            Err(error) => Err(StoreError::io("write", &path, error)),
        };
        let (mut pgn, pgn_path) = begin(folder.games())?;
        let mut epd = config.epd.then(|| begin(folder.final_positions())).transpose()?;
        let mut games = Vec::new();
        let (journal, torn_bytes) = Journal::open(&path, |mut game: GameRecord| {
            if game.white.max(game.black) >= context.players.len() {
                let what = format!("game {} names an engine that the run does not have", game.game);
                return Err(StoreError::Damaged { path: path.clone(), line: games.len() + 1, what });
            }
            let text = context.game(&game);
            pgn.write_all(text.as_bytes()).map_err(|error| StoreError::io("write", &pgn_path, error))?;
            if let Some((file, path)) = &mut epd {
                let line = context.final_position(&game);
                file.write_all(line.as_bytes()).map_err(|error| StoreError::io("write", path, error))?;
            }
            // No statistic needs the moves, and a long run has many.
            game.moves = Vec::new();
            game.book = Vec::new();
            games.push(game);
            Ok(())
        })?;
        let pgn = Export::follow(pgn, pgn_path)?;
        let epd = epd.map(|(file, path)| Export::follow(file, path)).transpose()?;
        Ok(Self { folder, journal, pgn, epd, context, games, torn_bytes })
    }

    fn append(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        self.journal.append(game)?;
        self.pgn.append(&self.context.game(game))?;
        match &mut self.epd {
            Some(epd) => epd.append(&self.context.final_position(game)),
            None => Ok(()),
        }
    }

    /// Keeps what is left of a fault; returns the file to read.
    fn write_evidence(&self, game: u64, evidence: &Evidence) -> Result<PathBuf, StoreError> {
        let replay = serde_yaml::to_string(&evidence.replay);
        let replay = replay.map_err(|error| {
            StoreError::io("describe", &self.folder.path().join("faults"), std::io::Error::other(error))
        })?;
        self.folder.write_fault(&format!("{game}.replay.yaml"), &replay)?;
        self.folder.write_fault(&format!("{game}.txt"), &evidence.text)
    }

    /// Writes `summary.json`.
    pub fn write_summary(&self, summary: &Summary) -> Result<(), StoreError> {
        let path = self.folder.summary();
        let mut text = serde_json::to_vec_pretty(summary)
            .map_err(|error| StoreError::io("write", &path, error.into()))?;
        text.push(b'\n');
        write_atomically(&path, &text).map_err(|error| StoreError::io("write", &path, error))
    }

    /// The folder of the run.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }
}

/// What a run tells while it goes on.
pub trait Observer {
    /// A game is finished; `fault` is the file with the evidence if it ended in one.
    fn game(&mut self, game: &GameRecord, fault: Option<&std::path::Path>);
    /// Something the user should know.
    fn notice(&mut self, text: &str);
    /// Called several times a second and after each pair, with everything so far.
    fn progress(&mut self, progress: &Progress<'_>);
}

/// A moment of a run.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The statistics.
    pub summarizer: &'a Summarizer,
    /// Has a pair been completed since the last call?
    pub is_new_pair: bool,
    /// Since this session began.
    pub elapsed: Duration,
    /// Pairs completed in this session.
    pub session_pairs: u64,
    /// The most pairs the run may have.
    pub max_pairs: Option<u64>,
}

impl Progress<'_> {
    /// Expected time to the end, from the pace of this session and, in a test, the drift of its LLR.
    pub fn eta(&self) -> Option<Duration> {
        let done = self.summarizer.pairs();
        let by_length = self.max_pairs.map(|max| max.saturating_sub(done) as f64);
        let test = self.summarizer.stats().and_then(|stats| stats.sprt);
        let by_test = test.and_then(|sprt| sprt.remaining).map(|passage| passage.items);
        let left = match (by_length, by_test) {
            (Some(length), Some(test)) => length.min(test),
            (length, test) => length.or(test)?,
        };
        if self.session_pairs == 0 {
            return None;
        }
        let seconds = self.elapsed.as_secs_f64() / self.session_pairs as f64 * left;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// Plays what is missing and returns the last summary. An error leaves everything played so far saved.
pub fn run(job: &Job, records: &mut Records, observer: &mut dyn Observer) -> Result<Summary, RunError> {
    let mut summarizer = Summarizer::new(&job.config)?;
    for game in &records.games {
        summarizer.add(game);
        job.dealer.iter().for_each(|dealer| dealer.count(game));
    }
    let played = records.games.iter().map(|game| (game.pair, game.half));
    let (shard, pairings) = (job.config.shard, job.config.pairings.clone());
    let is_own = move |pair| shard.has(pairings.round(pair));
    let mut schedule = Schedule::new(job.config.max_pairs(), is_own, played);
    if summarizer.decision().is_some() {
        schedule.close();
    }
    let shared = Shared {
        job,
        setup: Setup {
            launcher: job.launcher.clone(),
            watchdog: job.config.watchdog,
            variant: job.config.variant,
            is_timed: job.config.is_timed(),
            logs: job.config.logs.then(|| records.folder.logs()).transpose()?,
            cancel: job.cancel.clone(),
        },
        stamps: job.config.engines.iter().map(|engine| Stamp::of(&engine.program)).collect(),
        schedule: Mutex::new(schedule),
        stalls: AtomicU32::new(0),
    };
    let result: Result<(), RunError> = std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let crew = (0..job.config.concurrency).map(|place| {
            let (sender, shared) = (sender.clone(), &shared);
            move || work(shared, place, &sender)
        });
        if let Some(shortage) = crew::start(scope, crew)? {
            observer.notice(&shortage);
        }
        drop(sender);
        let mut collector = Collector { records, summarizer: &mut summarizer, observer, shared: &shared };
        let result = collector.collect(&receiver);
        if result.is_err() {
            // The workers must not play on for a collector that has given up.
            job.cancel.cancel();
        }
        result
    });
    let state = match (&result, job.cancel.is_cancelled()) {
        (Err(_), _) => RunState::Failed,
        (Ok(()), true) => RunState::Interrupted,
        (Ok(()), false) => RunState::Finished,
    };
    let summary = summarizer.summary(state);
    let written = records.journal.sync().and_then(|()| records.write_summary(&summary));
    result?;
    written?;
    Ok(summary)
}

struct Collector<'a> {
    records: &'a mut Records,
    summarizer: &'a mut Summarizer,
    observer: &'a mut dyn Observer,
    shared: &'a Shared<'a>,
}

impl Collector<'_> {
    /// Handles messages until every worker is gone.
    fn collect(&mut self, messages: &Receiver<Message>) -> Result<(), RunError> {
        let start = Instant::now();
        let pairs_before = self.summarizer.pairs();
        let mut last_summary = start;
        let mut failed_starts = 0;
        let mut is_stop_told = false;
        loop {
            if !is_stop_told && self.shared.setup.cancel.is_cancelled() {
                is_stop_told = true;
                self.observer.notice("stopping; once more to leave at once");
            }
            let is_new_pair = match messages.recv_timeout(TICK) {
                Ok(Message::Game(game, evidence)) => self.take_game(&game, evidence.as_ref())?,
                Ok(Message::PairDone(counted)) => {
                    // A worker that is gone meanwhile does not wait.
                    let _ = counted.send(());
                    false
                }
                Ok(Message::Notice(text)) => {
                    self.observer.notice(&text);
                    false
                }
                Ok(Message::FailedStart(text, dialogue)) => {
                    failed_starts += 1;
                    self.note_failed_start(failed_starts, &text, &dialogue)?;
                    false
                }
                Ok(Message::Fatal(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            let progress = Progress {
                summarizer: self.summarizer,
                is_new_pair,
                elapsed: start.elapsed(),
                session_pairs: self.summarizer.pairs() - pairs_before,
                max_pairs: self.shared.job.config.own_pairs(),
            };
            self.observer.progress(&progress);
            if last_summary.elapsed() >= SUMMARY_INTERVAL {
                last_summary = Instant::now();
                self.records.write_summary(&self.summarizer.summary(RunState::Running))?;
            }
        }
    }

    /// Saves and counts a game; returns whether it completed its pair.
    fn take_game(&mut self, game: &GameRecord, evidence: Option<&Evidence>) -> Result<bool, RunError> {
        self.records.append(game)?;
        let fault = evidence.map(|evidence| self.records.write_evidence(game.game, evidence)).transpose()?;
        let is_new_pair = self.summarizer.add(game);
        self.shared.job.dealer.iter().for_each(|dealer| dealer.count(game));
        if is_new_pair {
            self.records.journal.sync()?;
        }
        self.observer.game(game, fault.as_deref());
        if self.summarizer.decision().is_some() {
            self.shared.schedule.lock().unwrap_or_else(PoisonError::into_inner).close();
        } else {
            self.judge_fault(game)?;
        }
        Ok(is_new_pair)
    }

    /// Ends the run, or warns, after a game that one engine too many times failed in. A lost clock may be the machine's fault.
    fn judge_fault(&mut self, game: &GameRecord) -> Result<(), RunError> {
        let Some(side) = game.termination.fault() else { return Ok(()) };
        if matches!(game.termination, Termination::TimeForfeit { .. }) {
            return Ok(());
        }
        let (config, engine) =
            (&self.shared.job.config, if side == Side::White { game.white } else { game.black });
        let (name, faults) = (&config.engines[engine].name, self.summarizer.failures(engine));
        match config.max_faults.map(NonZeroU64::get) {
            Some(most) if faults >= most => Err(RunError::Faulty { name: name.clone(), faults, most }),
            None if faults == NOTABLE_FAULTS => {
                self.observer.notice(&format!(
                    "{name} has failed in {faults} games by crashes, hangs or illegal moves; max_faults would end the run"
                ));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn note_failed_start(&mut self, number: u32, text: &str, dialogue: &str) -> Result<(), RunError> {
        let evidence = format!("{text}\n\n{dialogue}");
        let file = self.records.folder.write_fault(&format!("start-{number}.txt"), &evidence)?;
        self.observer.notice(&format!("{text} (see {})", file.display()));
        Ok(())
    }
}
