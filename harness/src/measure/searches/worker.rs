//! A worker of a measurement: runs searches in engine processes and records them.

use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::Builder;
use std::time::{Duration, Instant};

use anyhow::anyhow;

use super::counted::Counter;
use super::placement::{Load, placement, threads_option};
use super::record::{Listener, SEARCH_VERSION, SearchCounters, SearchRecord};
use super::{Grid, Plan, Search};
use crate::base::errors::Stop;
use crate::base::micros;
use crate::base::system::files::FileStamp;
use crate::config::{EngineConfig, EngineOption, Variant};
use crate::play::limit_check::is_forced;
use crate::pool::{Player, Setup};
use crate::run::executor::{Attempt, LEGEND, Outbox, VoidCause};
use crate::uci::{Engine, ReportedScore, SearchAnswer, UciError, go_line};

/// One engine process and the options that depend on its load.
struct Runner<'a> {
    player: Player<'a>,
    /// The options as they were set last; `None` if the process is new.
    set: Option<Vec<EngineOption>>,
}

/// The processes of one engine in one worker. There is one, except for [`Load::Processes`].
pub(crate) struct EnginePool<'a> {
    config: &'a EngineConfig,
    stamp: Option<FileStamp>,
    setup: Arc<Setup>,
    runners: Vec<Runner<'a>>,
    /// Instructions of a process without a search, once counted.
    start_up: Option<u64>,
}

impl<'a> EnginePool<'a> {
    /// Creates a pool without processes.
    pub(super) fn new(config: &'a EngineConfig, stamp: Option<FileStamp>, setup: &Arc<Setup>) -> Self {
        Self { config, stamp, setup: Arc::clone(setup), runners: Vec::new(), start_up: None }
    }

    /// Returns `count` processes of the pool, adding the missing ones.
    fn runners(&mut self, count: usize) -> &mut [Runner<'a>] {
        while self.runners.len() < count {
            let player = Player::new(self.config, self.stamp, &self.setup);
            self.runners.push(Runner { player, set: None });
        }
        &mut self.runners[..count]
    }

    /// Counts the instructions of a search.
    fn count(&mut self, counter: &Counter, search: &str) -> Result<SearchCounters, Stop> {
        let start_up = match self.start_up {
            Some(count) => count,
            None => *self.start_up.insert(counter.count(&self.setup, self.config, None)?.0),
        };
        counter.search(&self.setup, self.config, search, start_up)
    }

    /// Returns the players of all processes.
    pub(super) fn players(&mut self) -> impl Iterator<Item = &mut Player<'a>> {
        self.runners.iter_mut().map(|runner| &mut runner.player)
    }
}

/// The connection of a worker to the collector.
type SearchOutbox<'a> = Outbox<'a, SearchRecord, ()>;

/// Runs one search, and repeats it if the harness was suspended meanwhile.
pub(super) fn measure(
    plan: &Plan,
    grid: &Grid,
    pool: &mut EnginePool<'_>,
    index: usize,
    outbox: &SearchOutbox<'_>,
) -> Result<SearchRecord, Stop> {
    let search = grid.search(index);
    let load = grid.loads[search.load];
    let name = &pool.config.name;
    let config = pool.config;
    let runners = pool.runners(load.processes());
    let record = outbox.repeat_while_void(&format!("search {index}"), "done again", || {
        for runner in runners.iter_mut() {
            runner.get_ready(name, outbox)?;
        }
        match search_at_once(plan, config, runners, load, search.position) {
            Ok(outputs) => {
                let is_forced = is_forced(&plan.positions[search.position], Variant::Standard);
                let is_mate = outputs.iter().any(SearchOutput::is_mate);
                let record = record(outputs, load, index, search);
                Ok(Attempt::Done(SearchRecord { may_stop_early: is_forced || is_mate, ..record }))
            }
            Err(Failure::NoThread(error)) => Err(anyhow!("cannot start a worker thread: {error}").into()),
            Err(Failure::Engine(UciError::Cancelled, _)) => Err(Stop::Cancelled),
            Err(Failure::Engine(UciError::Stalled, _)) => {
                for runner in runners.iter_mut() {
                    runner.player.discard();
                }
                Ok(Attempt::Void(VoidCause::Stalled))
            }
            Err(Failure::Engine(error, dialogue)) => {
                Err(failed(name, load, search, &error, &dialogue, outbox))
            }
        }
    })?;
    // Repetitions of a search have the same count.
    match plan.counter.as_ref().filter(|_| search.repetition == 0) {
        None => Ok(record),
        Some(counter) => {
            let counted = pool.count(counter, &search_lines(plan, search.position))?;
            Ok(SearchRecord { counters: record.counters.into_iter().chain(counted).collect(), ..record })
        }
    }
}

/// Saves the dialogue of an engine that failed and ends the run: an incomplete measurement would
/// compare different positions.
fn failed(
    name: &str,
    load: Load,
    search: Search,
    error: &UciError,
    dialogue: &str,
    outbox: &SearchOutbox<'_>,
) -> Stop {
    let position = search.position + 1;
    let file = format!("search-{position}-{}.txt", search.engine);
    match outbox.keep_fault(&file, &format!("{error}\n{LEGEND}\n\n{dialogue}")) {
        Ok(file) => {
            anyhow!("{name}{load} failed on position {position}: {error} (see {})", file.display()).into()
        }
        Err(error) => error.into(),
    }
}

/// The output of one process's search.
struct SearchOutput {
    listener: Listener,
    answer: SearchAnswer,
    /// Up to the answer, by the clock that times the depths.
    elapsed: Duration,
    /// CPU time of the search, if times are compared and the system reports it.
    processor: Option<Duration>,
}

impl SearchOutput {
    /// Returns the speed of this process up to its last report of nodes: engines that report none at the end go on searching.
    /// Units: nodes per second.
    fn speed(&self) -> f64 {
        let nodes = self.answer.report.nodes.unwrap_or(0);
        // At least a microsecond, so that the sum is finite.
        nodes as f64 * 1e6 / self.listener.counted_us.max(1) as f64
    }

    /// Whether the engine reports a mate.
    fn is_mate(&self) -> bool {
        matches!(self.answer.report.score, Some(ReportedScore::Mate(_)))
    }
}

/// Pause after the answer: the kernel accounts for the engine's threads when they go to sleep.
const SETTLING: Duration = Duration::from_millis(1);

/// The reason why a search has no result.
enum Failure {
    /// The engine failed, or the harness was suspended; with the dialogue.
    Engine(UciError, String),
    /// The system could not start a thread to wait for another process.
    NoThread(io::Error),
}

impl Runner<'_> {
    /// Starts the process if needed and prepares it for a new game.
    fn get_ready(&mut self, name: &str, outbox: &SearchOutbox<'_>) -> Result<(), Stop> {
        let mut is_new = self.player.engine_mut().is_none();
        let report = |reason: &str, dialogue: &str| {
            is_new = true;
            outbox.failed_start(name, reason, dialogue);
        };
        self.player.ready(report)?;
        if is_new {
            self.set = None;
        }
        Ok(())
    }

    /// Calls `work` with the running engine; errors carry the dialogue.
    fn with_engine<T>(
        &mut self,
        work: impl FnOnce(&mut Engine) -> Result<T, UciError>,
    ) -> Result<T, Failure> {
        let Some(engine) = self.player.engine_mut() else {
            return Err(Failure::Engine(UciError::Stalled, String::new()));
        };
        work(engine).map_err(|error| Failure::Engine(error, engine.dialogue()))
    }

    /// Sets the options of the following searches: the number of threads and their placement. Without
    /// any, the engine is left unchanged.
    fn set_options(&mut self, options: Vec<EngineOption>) -> Result<(), Failure> {
        if self.set.as_ref() == Some(&options) {
            return Ok(());
        }
        self.with_engine(|engine| {
            if !options.is_empty() {
                engine.set_up(&options, &[])?;
            }
            // A changed number of threads reallocates memory.
            engine.new_game()
        })?;
        self.set = Some(options);
        Ok(())
    }

    fn search(&mut self, plan: &Plan, position: usize) -> Result<SearchOutput, Failure> {
        let limits = &plan.config.limits;
        let text = search_lines(plan, position);
        let time = limits.movetime.map_or(Duration::ZERO, |time| Duration::from_millis(time.get()));
        let mut listener = Listener::default();
        let times = plan.config.times;
        let mut elapsed = Duration::ZERO;
        let (answer, processor) = self.with_engine(|engine| {
            let before = times.then(|| engine.processor_time()).flatten();
            // The clock starts before `go` is written. If it started afterwards and the harness was
            // suspended in between, a finished search would appear instantaneous.
            let start = Instant::now();
            let mut hear = |line: &str| {
                elapsed = start.elapsed();
                listener.read(line, micros(elapsed));
            };
            let answer = engine.search_watched(&text, time + plan.config.watchdog.answer, &mut hear, None)?;
            let Some(before) = before else { return Ok((answer, None)) };
            std::thread::sleep(SETTLING);
            Ok((answer, engine.processor_time().map(|after| after.saturating_sub(before))))
        })?;
        Ok(SearchOutput { listener, answer, elapsed, processor })
    }
}

/// Runs the search in all processes at the same time. Errors: the first failure.
fn search_at_once(
    plan: &Plan,
    config: &EngineConfig,
    runners: &mut [Runner<'_>],
    load: Load,
    position: usize,
) -> Result<Vec<SearchOutput>, Failure> {
    for (index, runner) in runners.iter_mut().enumerate() {
        let threads = load.threads_of_each().map(threads_option);
        runner.set_options(threads.into_iter().chain(placement(config, load, index)).collect())?;
    }
    let Some((first, others)) = runners.split_first_mut() else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let mut waiting = Vec::with_capacity(others.len());
        for runner in others {
            let thread = Builder::new().spawn_scoped(scope, || runner.search(plan, position));
            waiting.push(thread.map_err(Failure::NoThread)?);
        }
        let first = first.search(plan, position);
        let others =
            waiting.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(first).chain(others).collect()
    })
}

/// Builds the journal record of a search.
fn record(outputs: Vec<SearchOutput>, load: Load, index: usize, search: Search) -> SearchRecord {
    let nodes = outputs.iter().map(|output| output.answer.report.nodes.unwrap_or(0)).sum();
    let time = outputs.iter().map(|output| output.elapsed).max().unwrap_or_default();
    let processor: Option<Duration> = outputs.iter().map(|output| output.processor).sum();
    // Each over its own time: the slowest process would lower the speed of all others.
    let speed: f64 = outputs.iter().map(SearchOutput::speed).sum();
    let first = outputs.into_iter().next();
    let (listener, answer) =
        first.map_or_else(Default::default, |first| (first.listener, Some(first.answer)));
    SearchRecord {
        v: SEARCH_VERSION,
        index: index as u64,
        engine: search.engine,
        threads: load.threads(),
        separate_processes: load.is_separate(),
        position: search.position,
        repetition: search.repetition,
        depths: listener.depths,
        counters: listener.counters,
        nodes,
        time_us: micros(time),
        nps: Some(speed.round() as u64),
        processor_us: processor.map(micros),
        hashfull: answer.as_ref().and_then(|answer| answer.report.hashfull),
        best_move: answer.map_or_else(String::new, |answer| answer.best_move),
        ..SearchRecord::default()
    }
}

/// Returns the lines that start the search of a position.
fn search_lines(plan: &Plan, position: usize) -> String {
    format!("position fen {}\n{}\n", plan.positions[position], go_line(&plan.config.limits))
}
