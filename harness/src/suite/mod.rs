//! Solves positions with known answers, scores what was found, and replays every mate that is claimed.
//!
//! Workers take positions one by one, each from a fresh `ucinewgame`, so that a result depends on neither the order nor
//! the number of workers; one collector writes and counts. Only the collector touches the run folder. On a stop request
//! searches under way are abandoned, and done again when the run is resumed. The caller is the command line.

mod compare;
mod expect;
mod load;
mod mate;
mod record;
mod summary;
mod trace;
mod worker;

use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicUsize};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use thiserror::Error;

pub use compare::{Change, Comparison};
pub use expect::{Expectation, NamedMove};
pub use load::{Complaint, LoadError, Suite, Task};
pub use mate::{MateClaim, Relation, Verification, verify};
pub use record::{Fault, FaultKind, POSITION_VERSION, PositionRecord, Solution, list_unsolved};
pub(crate) use summary::complaints_shown;
pub use summary::{Claim, Effort, FileSummary, MateCounts, Points, Row, SUITE_SUMMARY_VERSION, SuiteSummary};

use crate::cancel::Cancel;
use crate::config::{FieldPath, SuiteConfig};
use crate::crew;
use crate::runner::{PreflightError, RunError, RunState, Setup, Stamp, try_engine};
use crate::store::{Journal, RunFolder, StoreError, read_journal, write_atomically};
use crate::uci_client::Launcher;
use summary::Summarizer;
use worker::{Message, Shared, work};

/// How often the observer may show something while no search ends.
const TICK: Duration = Duration::from_millis(200);
/// How often the journal is brought to disk and `summary.json` renewed during a run.
const SAVE_INTERVAL: Duration = Duration::from_secs(5);

/// Why a suite could not be solved to its end. Everything found so far is saved.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// The engine, or the machine.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Times mean nothing on this machine.
    #[error(
        "the harness itself was not running during {searches} searches: the machine is too busy to measure on"
    )]
    Starved {
        /// Void searches.
        searches: u32,
    },
}

/// Everything a suite run needs.
#[derive(Debug)]
pub struct Job {
    /// Who solves, and with which limit.
    pub config: SuiteConfig,
    /// What the engine calls itself.
    pub id_name: String,
    /// What there is to solve.
    pub suite: Suite,
    /// How engines are started.
    pub launcher: Launcher,
    /// Raised to stop.
    pub cancel: Cancel,
}

/// Starts the engine once, checks its options, and ends it again, before anything is written.
///
/// Returns what it calls itself, and warnings for the user.
pub fn trial(
    config: &SuiteConfig,
    suite: &Suite,
    launcher: &Launcher,
    cancel: &Cancel,
) -> Result<(String, Vec<String>), PreflightError> {
    let setup = setup(config, suite, launcher, cancel);
    let trial = try_engine(&config.engine, &FieldPath::root(), &setup)?;
    Ok((trial.id_name, trial.warnings))
}

fn setup(config: &SuiteConfig, suite: &Suite, launcher: &Launcher, cancel: &Cancel) -> Setup {
    Setup {
        launcher: launcher.clone(),
        watchdog: config.watchdog,
        variant: suite.variant,
        // The report says how long an engine took, whatever its limit.
        is_timed: true,
        logs: None,
        cancel: cancel.clone(),
    }
}

/// What these positions of a suite say. Errors: one that is none of it.
pub fn summarize(job: &Job, done: &[PositionRecord]) -> Result<SuiteSummary, UnknownPosition> {
    let mut summarizer = Summarizer::new(job);
    for record in done {
        let task = job.suite.tasks.get(record.index as usize);
        if task.is_none_or(|task| (task.line, &task.fen) != (record.line, &record.fen)) {
            return Err(UnknownPosition { file: record.file.clone(), line: record.line });
        }
        summarizer.add(record);
    }
    let is_whole = done.len() >= job.suite.tasks.len();
    Ok(summarizer.summary(if is_whole { RunState::Finished } else { RunState::Interrupted }))
}

/// A position that the suite does not have: its file has changed since.
#[derive(Debug, Error)]
#[error("{file}:{line} is another position now")]
pub struct UnknownPosition {
    file: String,
    line: usize,
}

/// The open files of a run, with what is already in them.
#[derive(Debug)]
pub struct Records {
    folder: RunFolder,
    journal: Journal<PositionRecord>,
    /// The positions of earlier sessions.
    pub done: Vec<PositionRecord>,
    /// Bytes of an unfinished line cut from the journal.
    pub torn_bytes: u64,
}

impl Records {
    /// Opens the journal of `folder`; what it holds must be positions of `suite`.
    pub fn open(folder: RunFolder, suite: &Suite) -> Result<Self, StoreError> {
        let path = folder.journal();
        let mut done: Vec<PositionRecord> = Vec::new();
        let (journal, torn_bytes) = Journal::open(&path, |record: PositionRecord| {
            let task = usize::try_from(record.index).ok().and_then(|index| suite.tasks.get(index));
            if task.is_none_or(|task| (task.line, &task.fen) != (record.line, &record.fen)) {
                let what = format!("position {} is none of this suite", record.index);
                return Err(StoreError::Damaged { path: path.clone(), line: done.len() + 1, what });
            }
            done.push(record);
            Ok(())
        })?;
        Ok(Self { folder, journal, done, torn_bytes })
    }

    /// Everything in the journal, those of this session too.
    pub fn all(&self) -> Result<Vec<PositionRecord>, StoreError> {
        let mut all = Vec::new();
        read_journal(&self.folder.journal(), |record| {
            all.push(record);
            Ok(())
        })?;
        Ok(all)
    }

    fn write_summary(&self, summary: &SuiteSummary) -> Result<(), StoreError> {
        let path = self.folder.summary();
        let mut text = serde_json::to_vec_pretty(summary)
            .map_err(|error| StoreError::io("write", &path, error.into()))?;
        text.push(b'\n');
        write_atomically(&path, &text).map_err(|error| StoreError::io("write", &path, error))
    }
}

/// What a run tells while it goes on.
pub trait Observer {
    /// A position is done; `fault` is the file with the evidence if the engine failed on it.
    fn position(&mut self, record: &PositionRecord, fault: Option<&Path>);
    /// Something the user should know.
    fn notice(&mut self, text: &str);
    /// Called several times a second and after each position, with everything so far.
    fn progress(&mut self, progress: &Progress);
}

/// A moment of a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Positions done, in all sessions.
    pub done: usize,
    /// Positions of the suite.
    pub all: usize,
    /// Of those done, how many were solved.
    pub solved: u64,
    /// Points won and to win, where moves have points.
    pub points: Option<Points>,
    /// Since this session began.
    pub elapsed: Duration,
    /// Positions done in this session.
    pub session_done: usize,
}

impl Progress {
    /// Expected time to the end, from the pace of this session.
    pub fn eta(&self) -> Option<Duration> {
        let left = self.all.saturating_sub(self.done) as f64;
        let each = (self.session_done > 0).then(|| self.elapsed.as_secs_f64() / self.session_done as f64)?;
        Duration::try_from_secs_f64(each * left).ok()
    }
}

/// Solves what is missing and returns the summary. An error leaves everything found so far saved.
pub fn run(
    job: &Job,
    records: &mut Records,
    observer: &mut dyn Observer,
) -> Result<SuiteSummary, SuiteError> {
    let mut summarizer = Summarizer::new(job);
    let mut is_missing = vec![true; job.suite.tasks.len()];
    for record in &records.done {
        is_missing[record.index as usize] = false;
        summarizer.add(record);
    }
    let missing: Vec<usize> = (0..is_missing.len()).filter(|&index| is_missing[index]).collect();
    let shared = Shared {
        job,
        setup: setup(&job.config, &job.suite, &job.launcher, &job.cancel),
        stamp: Stamp::of(&job.config.engine.program),
        missing,
        next: AtomicUsize::new(0),
        stalls: AtomicU32::new(0),
    };
    let result = std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let crew = (0..job.config.concurrency.min(shared.missing.len())).map(|_| {
            let (sender, shared) = (sender.clone(), &shared);
            move || work(shared, &sender)
        });
        if let Some(shortage) = crew::start(scope, crew).map_err(RunError::from)? {
            observer.notice(&shortage);
        }
        drop(sender);
        let mut collector = Collector { records, summarizer: &mut summarizer, observer, job };
        let result = collector.collect(&receiver);
        if result.is_err() {
            // The workers must not search on for a collector that has given up.
            job.cancel.cancel();
        }
        result
    });
    let state = match &result {
        Err(_) => RunState::Failed,
        Ok(()) if summarizer.done() < job.suite.tasks.len() => RunState::Interrupted,
        Ok(()) => RunState::Finished,
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
    job: &'a Job,
}

impl Collector<'_> {
    /// Handles messages until every worker is gone.
    fn collect(&mut self, messages: &Receiver<Message>) -> Result<(), SuiteError> {
        let start = Instant::now();
        let done_before = self.summarizer.done();
        let (mut last_save, mut failed_starts, mut is_stop_told) = (start, 0, false);
        loop {
            if !is_stop_told && self.job.cancel.is_cancelled() {
                is_stop_told = true;
                self.observer.notice("stopping; once more to leave at once");
            }
            match messages.recv_timeout(TICK) {
                Ok(Message::Position(record, evidence)) => self.take(&record, evidence.as_deref())?,
                Ok(Message::Notice(text)) => self.observer.notice(&text),
                Ok(Message::FailedStart(text, dialogue)) => {
                    failed_starts += 1;
                    let name = format!("start-{failed_starts}");
                    let file = self
                        .records
                        .folder
                        .write_fault(&format!("{name}.txt"), &format!("{text}\n\n{dialogue}"))?;
                    self.observer.notice(&format!("{text} (see {})", file.display()));
                }
                Ok(Message::Fatal(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            let done = self.summarizer.done();
            self.observer.progress(&Progress {
                done,
                all: self.job.suite.tasks.len(),
                solved: self.summarizer.solved(),
                points: self.summarizer.points(),
                elapsed: start.elapsed(),
                session_done: done - done_before,
            });
            if last_save.elapsed() >= SAVE_INTERVAL {
                last_save = Instant::now();
                self.records.journal.sync()?;
                self.records.write_summary(&self.summarizer.summary(RunState::Running))?;
            }
        }
    }

    /// Saves and counts a position.
    fn take(&mut self, record: &PositionRecord, evidence: Option<&str>) -> Result<(), SuiteError> {
        self.records.journal.append(record)?;
        let name = record.index.to_string();
        let fault =
            evidence.map(|text| self.records.folder.write_fault(&format!("{name}.txt"), text)).transpose()?;
        self.summarizer.add(record);
        self.observer.position(record, fault.as_deref());
        Ok(())
    }
}
