//! Searches of positions by engines, planned beforehand and done side by side.
//!
//! Every position is searched by every engine, at every number of threads if there are several, as often as asked, each
//! time from a fresh `ucinewgame`. Searches that are compared with each other stand side by side in time, in alternating
//! order, so that what else the machine does falls on all alike. Workers take searches one by one; one collector writes
//! the journal. What the searches say is for `smp`, `bench` and `ablation`, each a [`Measurement`].

mod load;
mod record;
mod worker;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::Serialize;
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;
use thiserror::Error;

pub use load::Load;
pub use record::{Counters, Reached, SEARCH_VERSION, SearchRecord};

use crate::cancel::Cancel;
use crate::config::{EngineConfig, FieldPath, Problem, SearchesConfig, Variant};
use crate::crew;
use crate::epd;
use crate::runner::{PreflightError, RunError, RunState, Setup, Stamp, try_engine};
use crate::store::{Journal, RunFolder, StoreError, write_atomically};
use crate::uci_client::{Launcher, OptionCheck, OptionDecl, check_option};
use worker::{Message, Shared, work};

/// How often the observer may show something while no search ends.
const TICK: Duration = Duration::from_millis(200);
/// How often the journal is brought to disk during a run.
const SAVE_INTERVAL: Duration = Duration::from_secs(5);

/// Why searches could not be brought to their end. Everything found so far is saved.
#[derive(Debug, Error)]
pub enum SearchesError {
    /// An engine, or the machine.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An engine failed; a measurement with holes would be another one.
    #[error("{name}{load} failed on position {position}: {how} (see {file})")]
    Engine {
        /// Its name.
        name: String,
        /// How many threads it had.
        load: Load,
        /// Which position, from 1.
        position: usize,
        /// What it did.
        how: String,
        /// The file with the dialogue.
        file: String,
    },
    /// Times mean nothing on this machine.
    #[error(
        "the harness itself was not running during {searches} searches: the machine is too busy to measure on"
    )]
    Starved {
        /// Void searches.
        searches: u32,
    },
}

/// Why there are no positions.
#[derive(Debug, Error)]
#[error("{file}: {what}")]
pub struct PositionsError {
    file: String,
    what: String,
}

/// Reads positions, all of standard chess, as FEN; the first `count` of them if one is named.
pub fn load_positions(path: &Path, count: Option<usize>) -> Result<Vec<String>, PositionsError> {
    let fail = |what: String| PositionsError { file: path.display().to_string(), what };
    let bytes = std::fs::read(path).map_err(|error| fail(format!("cannot read it: {error}")))?;
    let mut fens = Vec::new();
    for (index, line) in epd::lines(&bytes).enumerate() {
        let Some(read) = epd::parse(line) else { continue };
        let read = read.map_err(|error| fail(format!("line {}: {error}", index + 1)))?;
        if !read.castling.is_standard() {
            return Err(fail(format!(
                "line {}: expected standard chess, found castling of Chess960",
                index + 1
            )));
        }
        fens.push(Fen::from_position(&read.position, EnPassantMode::Legal).to_string());
    }
    let asked = count.unwrap_or(fens.len().max(1));
    if fens.len() < asked {
        return Err(fail(format!("expected {asked} positions, found {}", fens.len())));
    }
    fens.truncate(asked);
    Ok(fens)
}

/// One search of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    pub(crate) engine: usize,
    /// Index into the loads.
    pub(crate) load: usize,
    pub(crate) position: usize,
    pub(crate) repetition: u32,
}

/// Which searches there are, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// How many engines search.
    pub engines: usize,
    /// What each searches with. Shape: at least one.
    pub loads: Vec<Load>,
    /// How many positions there are.
    pub positions: usize,
    /// Searches of each position by each engine at each number of threads.
    pub repetitions: u32,
}

impl Grid {
    /// How many searches there are.
    pub fn searches(&self) -> usize {
        self.repetitions as usize * self.pass()
    }

    /// Searches of one position in one repetition.
    fn round(&self) -> usize {
        self.engines * self.loads.len()
    }

    /// Searches of all positions in one repetition.
    pub fn pass(&self) -> usize {
        self.positions * self.round()
    }

    /// The search with this number. All searches of a position in a repetition follow each other, in every second
    /// round the other way about.
    pub(crate) fn search(&self, index: usize) -> Search {
        let (round, mut place) = (index / self.round(), index % self.round());
        if round % 2 == 1 {
            place = self.round() - 1 - place;
        }
        Search {
            engine: place % self.engines,
            load: place / self.engines,
            position: round % self.positions,
            repetition: (round / self.positions) as u32,
        }
    }

    /// What a search is done with.
    pub(crate) fn load_of(&self, search: Search) -> Load {
        self.loads[search.load]
    }
}

/// What is to be searched, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who searches.
    pub engines: Vec<EngineConfig>,
    /// What each searches with, as in [`Grid::loads`].
    pub loads: Vec<Load>,
    /// As FEN.
    pub positions: Vec<String>,
    /// Limits, repetitions, what is waited for.
    pub config: SearchesConfig,
    /// How engines are started.
    pub launcher: Launcher,
    /// Raised to stop.
    pub cancel: Cancel,
}

impl Plan {
    /// The searches by their numbers.
    pub fn grid(&self) -> Grid {
        Grid {
            engines: self.engines.len(),
            loads: self.loads.clone(),
            positions: self.positions.len(),
            repetitions: self.config.repetitions.get(),
        }
    }

    fn setup(&self) -> Setup {
        Setup {
            launcher: self.launcher.clone(),
            watchdog: self.config.watchdog,
            variant: Variant::Standard,
            // Where times do not matter a sleep of the harness harms nothing.
            is_timed: self.config.times,
            logs: None,
            cancel: self.cancel.clone(),
        }
    }

    /// The options that the first engine declares.
    pub fn declared(&self) -> Result<Vec<OptionDecl>, PreflightError> {
        let path = FieldPath::root().key("engine");
        let first =
            self.engines.first().map(|engine| try_engine(engine, &path, &self.setup())).transpose()?;
        Ok(first.map(|trial| trial.options).unwrap_or_default())
    }

    /// Starts every engine once, checks its options, and ends it again, before anything is written.
    ///
    /// Returns what they call themselves, and warnings for the user.
    pub fn trial(&self) -> Result<(Vec<String>, Vec<String>), PreflightError> {
        let setup = self.setup();
        let (mut id_names, mut warnings) = (Vec::new(), Vec::new());
        for (index, engine) in self.engines.iter().enumerate() {
            let path = FieldPath::root().key("engines").index(index);
            let trial = try_engine(engine, &path, &setup)?;
            let most = self.loads.iter().filter_map(|load| load.threads_of_each()).max();
            if let Some(refusal) = most.and_then(|most| refuse_threads(&trial.options, most)) {
                return Err(PreflightError::Option(Problem::new(path, refusal)));
            }
            id_names.push(trial.id_name);
            warnings.extend(trial.warnings);
        }
        Ok((id_names, warnings))
    }
}

/// Why an engine that declared these options cannot have so many threads.
fn refuse_threads(options: &[OptionDecl], most: u32) -> Option<String> {
    match check_option(options, &worker::threads_option(most)) {
        OptionCheck::Fits => None,
        OptionCheck::Unknown if most == 1 => None,
        OptionCheck::Unknown => Some("it declares no option Threads".to_owned()),
        OptionCheck::Refused(expected) => {
            Some(format!("its option Threads does not take {most}: expected {expected}"))
        }
    }
}

/// The open files of a run, with what is already in them.
#[derive(Debug)]
pub struct Records {
    folder: RunFolder,
    journal: Journal<SearchRecord>,
    /// All searches so far.
    pub done: Vec<SearchRecord>,
    /// Bytes of an unfinished line cut from the journal.
    pub torn_bytes: u64,
}

impl Records {
    /// Opens the journal of `folder`; what it holds must be searches of `plan`.
    pub fn open(folder: RunFolder, plan: &Plan) -> Result<Self, StoreError> {
        let (path, grid) = (folder.journal(), plan.grid());
        let mut done: Vec<SearchRecord> = Vec::new();
        let (journal, torn_bytes) = Journal::open(&path, |record: SearchRecord| {
            let index = usize::try_from(record.index).ok().filter(|&index| index < grid.searches());
            let is_ours = index.map(|index| grid.search(index)).is_some_and(|search| {
                (search.engine, search.position, search.repetition)
                    == (record.engine, record.position, record.repetition)
                    && record.is_of(grid.load_of(search))
            });
            if !is_ours {
                let what = format!("search {} is none of this measurement", record.index);
                return Err(StoreError::Damaged { path: path.clone(), line: done.len() + 1, what });
            }
            done.push(record);
            Ok(())
        })?;
        Ok(Self { folder, journal, done, torn_bytes })
    }

    /// The folder of the run.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Writes what the searches say to the run's `summary.json`.
    fn write_summary(&self, summary: &impl Serialize) -> Result<(), StoreError> {
        let path = self.folder.summary();
        let mut text = serde_json::to_vec_pretty(summary)
            .map_err(|error| StoreError::io("write", &path, error.into()))?;
        text.push(b'\n');
        write_atomically(&path, &text).map_err(|error| StoreError::io("write", &path, error))
    }
}

/// What a run tells while it goes on.
pub trait Observer {
    /// Something the user should know.
    fn notice(&mut self, text: &str);
    /// Called several times a second and after each search: searches done in all, of how many, and in this session.
    fn progress(&mut self, done: usize, all: usize, session: usize, elapsed: Duration);
}

/// A kind of measurement: what it makes of its searches.
pub trait Measurement {
    /// What they come to.
    type Summary: Serialize;

    /// Of the searches so far.
    fn summary(&self, done: &[SearchRecord], state: RunState) -> Self::Summary;

    /// Is what has been found enough? Asked whenever all positions have been searched once more.
    fn is_enough(&self, _done: &[SearchRecord]) -> bool {
        false
    }
}

/// Does the searches that are missing, or as many as are needed, and returns how the run ended and what it says. An error
/// leaves everything found so far saved.
pub fn run<M: Measurement>(
    measurement: &M,
    plan: &Plan,
    records: &mut Records,
    observer: &mut dyn Observer,
) -> Result<(RunState, M::Summary), SearchesError> {
    let found = search_missing(plan, records, observer, &mut |done| measurement.is_enough(done));
    let state = found.as_ref().map_or(RunState::Failed, |&state| state);
    let summary = measurement.summary(&records.done, state);
    let written = records.write_summary(&summary);
    found?;
    written?;
    Ok((state, summary))
}

/// Does the searches that are missing until all are done, or those there are are enough, or a stop is asked for.
fn search_missing(
    plan: &Plan,
    records: &mut Records,
    observer: &mut dyn Observer,
    is_enough: &mut dyn FnMut(&[SearchRecord]) -> bool,
) -> Result<RunState, SearchesError> {
    let grid = plan.grid();
    let mut is_missing = vec![true; grid.searches()];
    for record in &records.done {
        is_missing[record.index as usize] = false;
    }
    let shared = Shared {
        plan,
        setup: plan.setup(),
        stamps: plan.engines.iter().map(|engine| Stamp::of(&engine.program)).collect(),
        missing: (0..is_missing.len()).filter(|&index| is_missing[index]).collect(),
        grid,
        next: AtomicUsize::new(0),
        stalls: AtomicU32::new(0),
        is_enough: AtomicBool::new(false),
    };
    let is_enough = std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let crew = (0..plan.config.concurrency.min(shared.missing.len())).map(|_| {
            let (sender, shared) = (sender.clone(), &shared);
            move || work(shared, &sender)
        });
        if let Some(shortage) = crew::start(scope, crew).map_err(RunError::from)? {
            observer.notice(&shortage);
        }
        drop(sender);
        let result = collect(&shared, records, observer, is_enough, &receiver);
        if result.is_err() {
            // The workers must not search on for a collector that has given up.
            plan.cancel.cancel();
        }
        result
    });
    records.journal.sync()?;
    let is_whole = records.done.len() >= shared.grid.searches();
    Ok(if is_enough? || is_whole { RunState::Finished } else { RunState::Interrupted })
}

/// Handles messages until every worker is gone; was it enough before all was done?
fn collect(
    shared: &Shared<'_>,
    records: &mut Records,
    observer: &mut dyn Observer,
    is_enough: &mut dyn FnMut(&[SearchRecord]) -> bool,
    messages: &Receiver<Message>,
) -> Result<bool, SearchesError> {
    let (plan, grid) = (shared.plan, &shared.grid);
    let start = Instant::now();
    let mut is_over = false;
    let done_before = records.done.len();
    let (mut last_save, mut failed_starts, mut is_stop_told) = (start, 0, false);
    loop {
        if !is_stop_told && plan.cancel.is_cancelled() {
            is_stop_told = true;
            observer.notice("stopping; once more to leave at once");
        }
        match messages.recv_timeout(TICK) {
            Ok(Message::Search(record)) => {
                records.journal.append(&record)?;
                records.done.push(*record);
                if !is_over && records.done.len().is_multiple_of(grid.pass()) && is_enough(&records.done) {
                    is_over = records.done.len() < grid.searches();
                    shared.is_enough.store(is_over, std::sync::atomic::Ordering::Relaxed);
                }
            }
            Ok(Message::Notice(text)) => observer.notice(&text),
            Ok(Message::FailedStart(text, dialogue)) => {
                failed_starts += 1;
                let name = format!("start-{failed_starts}");
                let file =
                    records.folder.write_fault(&format!("{name}.txt"), &format!("{text}\n\n{dialogue}"))?;
                observer.notice(&format!("{text} (see {})", file.display()));
            }
            Ok(Message::Failed { search, how, dialogue }) => {
                let name = format!("search-{}-{}", search.position + 1, search.engine);
                let file = records.folder.write_fault(&format!("{name}.txt"), &dialogue)?;
                return Err(SearchesError::Engine {
                    name: plan.engines[search.engine].name.clone(),
                    load: grid.load_of(search),
                    position: search.position + 1,
                    how,
                    file: file.display().to_string(),
                });
            }
            Ok(Message::Fatal(error)) => return Err(error),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(is_over),
        }
        let done = records.done.len();
        observer.progress(done, grid.searches(), done - done_before, start.elapsed());
        if last_save.elapsed() >= SAVE_INTERVAL {
            last_save = Instant::now();
            records.journal.sync()?;
        }
    }
}
