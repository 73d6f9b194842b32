//! Measures engines by the number of their threads: nodes and time to a depth, or nodes a second.
//!
//! Every position is searched by every engine at every number of threads, as often as asked, each time from a fresh
//! `ucinewgame`. Searches that are compared with each other stand side by side in time, in alternating order, so that
//! what else the machine does falls on all alike. Workers take searches one by one; one collector writes and counts.
//! The caller is the command line.

mod record;
mod summary;
mod worker;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, AtomicUsize};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;
use thiserror::Error;

pub use record::{Reached, SEARCH_VERSION, SearchRecord};
pub use summary::{Cell, EngineCurve, Factor, Lateness, SMP_SUMMARY_VERSION, SmpSummary};

use crate::cancel::Cancel;
use crate::config::{FieldPath, Problem, SmpConfig, Variant};
use crate::epd;
use crate::runner::{PreflightError, RunError, RunState, Setup, Stamp, try_engine};
use crate::store::{Journal, RunFolder, StoreError, write_atomically};
use crate::uci_client::{Launcher, OptionCheck, OptionDecl, check_option};
use worker::{Message, Shared, work};

/// How often the observer may show something while no search ends.
const TICK: Duration = Duration::from_millis(200);
/// How often the journal is brought to disk during a run.
const SAVE_INTERVAL: Duration = Duration::from_secs(5);

/// Why a measurement could not be brought to its end. Everything found so far is saved.
#[derive(Debug, Error)]
pub enum SmpError {
    /// An engine, or the machine.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An engine failed; a measurement with holes would be another one.
    #[error("{name} with {threads} threads failed on position {position}: {how} (see {file})")]
    Engine {
        /// Its name.
        name: String,
        /// How many threads it had.
        threads: u32,
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

/// Reads the positions of a measurement, all of standard chess, as FEN.
pub fn load_positions(config: &SmpConfig) -> Result<Vec<String>, PositionsError> {
    let fail = |what: String| PositionsError { file: config.positions.display().to_string(), what };
    let bytes = std::fs::read(&config.positions).map_err(|error| fail(format!("cannot read it: {error}")))?;
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
    let asked = config.count.map_or(fens.len().max(1), NonZeroUsize::get);
    if fens.len() < asked {
        return Err(fail(format!("expected {asked} positions, found {}", fens.len())));
    }
    fens.truncate(asked);
    Ok(fens)
}

/// One search of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    pub(crate) engine: usize,
    /// Index into the numbers of threads.
    pub(crate) threads: usize,
    pub(crate) position: usize,
    pub(crate) repetition: u32,
}

/// Everything a measurement needs.
#[derive(Debug)]
pub struct Job {
    /// Who is measured, and how.
    pub config: SmpConfig,
    /// What the engines call themselves.
    pub id_names: Vec<String>,
    /// The positions, as FEN.
    pub positions: Vec<String>,
    /// How engines are started.
    pub launcher: Launcher,
    /// Raised to stop.
    pub cancel: Cancel,
}

impl Job {
    /// How many searches there are.
    pub fn searches(&self) -> usize {
        self.positions.len() * self.config.repetitions.get() as usize * self.round()
    }

    /// Searches of one position in one repetition.
    fn round(&self) -> usize {
        self.config.engines.len() * self.config.threads.len()
    }

    /// The search with this number. All searches of a position in a repetition follow each other, in every second
    /// round the other way about.
    pub(crate) fn search(&self, index: usize) -> Search {
        let (round, mut place) = (index / self.round(), index % self.round());
        if round % 2 == 1 {
            place = self.round() - 1 - place;
        }
        Search {
            engine: place % self.config.engines.len(),
            threads: place / self.config.engines.len(),
            position: round % self.positions.len(),
            repetition: (round / self.positions.len()) as u32,
        }
    }
}

/// Starts every engine once, checks its options, and ends it again, before anything is written.
///
/// Returns what they call themselves, and warnings for the user.
pub fn trial(
    config: &SmpConfig,
    launcher: &Launcher,
    cancel: &Cancel,
) -> Result<(Vec<String>, Vec<String>), PreflightError> {
    let setup = setup(config, launcher, cancel);
    let (mut id_names, mut warnings) = (Vec::new(), Vec::new());
    for (index, engine) in config.engines.iter().enumerate() {
        let path = FieldPath::root().key("engines").index(index);
        let trial = try_engine(engine, &path, &setup)?;
        let most = config.threads.last().map_or(1, |threads| threads.get());
        if let Some(refusal) = refuse_threads(&trial.options, most) {
            return Err(PreflightError::Option(Problem::new(path, refusal)));
        }
        id_names.push(trial.id_name);
        warnings.extend(trial.warnings);
    }
    Ok((id_names, warnings))
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

fn setup(config: &SmpConfig, launcher: &Launcher, cancel: &Cancel) -> Setup {
    Setup {
        launcher: launcher.clone(),
        watchdog: config.watchdog,
        variant: Variant::Standard,
        is_timed: config.times,
        logs: None,
        cancel: cancel.clone(),
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
    /// Opens the journal of `folder`; what it holds must be searches of `job`.
    pub fn open(folder: RunFolder, job: &Job) -> Result<Self, StoreError> {
        let path = folder.journal();
        let mut done: Vec<SearchRecord> = Vec::new();
        let (journal, torn_bytes) = Journal::open(&path, |record: SearchRecord| {
            let index = usize::try_from(record.index).ok().filter(|&index| index < job.searches());
            let is_ours = index.map(|index| job.search(index)).is_some_and(|search| {
                let threads = job.config.threads[search.threads].get();
                (search.engine, threads, search.position, search.repetition)
                    == (record.engine, record.threads, record.position, record.repetition)
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

    fn write_summary(&self, summary: &SmpSummary) -> Result<(), StoreError> {
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

/// Does the searches that are missing and returns the summary. An error leaves everything found so far saved.
pub fn run(job: &Job, records: &mut Records, observer: &mut dyn Observer) -> Result<SmpSummary, SmpError> {
    let mut is_missing = vec![true; job.searches()];
    for record in &records.done {
        is_missing[record.index as usize] = false;
    }
    let shared = Shared {
        job,
        setup: setup(&job.config, &job.launcher, &job.cancel),
        stamps: job.config.engines.iter().map(|engine| Stamp::of(&engine.program)).collect(),
        missing: (0..is_missing.len()).filter(|&index| is_missing[index]).collect(),
        next: AtomicUsize::new(0),
        stalls: AtomicU32::new(0),
    };
    let result = std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..job.config.concurrency.min(shared.missing.len()) {
            let sender = sender.clone();
            let shared = &shared;
            scope.spawn(move || work(shared, &sender));
        }
        drop(sender);
        let result = collect(job, records, observer, &receiver);
        if result.is_err() {
            // The workers must not search on for a collector that has given up.
            job.cancel.cancel();
        }
        result
    });
    let state = match &result {
        Err(_) => RunState::Failed,
        Ok(()) if records.done.len() < job.searches() => RunState::Interrupted,
        Ok(()) => RunState::Finished,
    };
    let summary = SmpSummary::of(job, &records.done, state);
    let written = records.journal.sync().and_then(|()| records.write_summary(&summary));
    result?;
    written?;
    Ok(summary)
}

/// Handles messages until every worker is gone.
fn collect(
    job: &Job,
    records: &mut Records,
    observer: &mut dyn Observer,
    messages: &Receiver<Message>,
) -> Result<(), SmpError> {
    let start = Instant::now();
    let done_before = records.done.len();
    let (mut last_save, mut failed_starts, mut is_stop_told) = (start, 0, false);
    loop {
        if !is_stop_told && job.cancel.is_cancelled() {
            is_stop_told = true;
            observer.notice("stopping; once more to leave at once");
        }
        match messages.recv_timeout(TICK) {
            Ok(Message::Search(record)) => {
                records.journal.append(&record)?;
                records.done.push(*record);
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
                return Err(SmpError::Engine {
                    name: job.config.engines[search.engine].name.clone(),
                    threads: job.config.threads[search.threads].get(),
                    position: search.position + 1,
                    how,
                    file: file.display().to_string(),
                });
            }
            Ok(Message::Fatal(error)) => return Err(error),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        let done = records.done.len();
        observer.progress(done, job.searches(), done - done_before, start.elapsed());
        if last_save.elapsed() >= SAVE_INTERVAL {
            last_save = Instant::now();
            records.journal.sync()?;
        }
    }
}
