//! A worker: takes searches from the list and has them done, one after the other, until there are no more.

use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::record::{Listener, SEARCH_VERSION, SearchRecord};
use super::{Grid, Load, Plan, Search, SearchesError};
use crate::config::{EngineConfig, EngineOption};
use crate::referee::go_command;
use crate::runner::{LEGEND, NotReady, Player, RunError, Setup, Stamp};
use crate::store::Side;
use crate::uci_client::{Engine, SearchAnswer, UciError};

/// Searches void because the harness was not running, after which the machine is called unfit.
const MAX_STALLS: u32 = 20;

/// What a worker tells the collector.
#[derive(Debug)]
pub(super) enum Message {
    /// A search is done.
    Search(Box<SearchRecord>),
    /// Something the user should know.
    Notice(String),
    /// An engine failed to start; its dialogue.
    FailedStart(String, String),
    /// An engine failed in a search.
    Failed { search: Search, how: String, dialogue: String },
    /// The run cannot go on.
    Fatal(SearchesError),
}

/// What the workers of a run share.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) plan: &'a Plan,
    pub(super) grid: Grid,
    pub(super) setup: Setup,
    /// Of the executables when the run began.
    pub(super) stamps: Vec<Option<Stamp>>,
    /// Indices of the searches to do.
    pub(super) missing: Vec<usize>,
    /// Into `missing`.
    pub(super) next: AtomicUsize,
    pub(super) stalls: AtomicU32,
    /// No further search is wanted.
    pub(super) is_enough: AtomicBool,
}

/// Why a worker stopped before the list was empty.
enum Stop {
    Cancelled,
    Told(Message),
}

/// One process of an engine, and the threads it was last told to use.
struct Runner<'a> {
    player: Player<'a>,
    threads: Option<u32>,
}

/// An engine and the processes it has been given so far: one, unless it was to search apart.
struct Bench<'a> {
    config: &'a EngineConfig,
    stamp: Option<Stamp>,
    setup: &'a Setup,
    runners: Vec<Runner<'a>>,
}

impl<'a> Bench<'a> {
    /// So many of its processes.
    fn runners(&mut self, count: usize) -> &mut [Runner<'a>] {
        while self.runners.len() < count {
            let player = Player::new(self.config, self.stamp, self.setup);
            self.runners.push(Runner { player, threads: None });
        }
        &mut self.runners[..count]
    }
}

/// Searches until the list is empty, the run is cancelled or something fatal happens.
pub(super) fn work(shared: &Shared<'_>, messages: &Sender<Message>) {
    let engines = shared.plan.engines.iter().zip(&shared.stamps);
    let mut benches: Vec<Bench<'_>> = engines
        .map(|(config, &stamp)| Bench { config, stamp, setup: &shared.setup, runners: Vec::new() })
        .collect();
    if let Err(Stop::Told(message)) = search_all(shared, &mut benches, messages) {
        let _ = messages.send(message);
    }
    if shared.setup.cancel.is_cancelled() {
        // In a hurry: dropping kills, and nothing is owed to an engine at this point.
        return;
    }
    for runner in benches.iter_mut().flat_map(|bench| &mut bench.runners) {
        runner.player.quit();
    }
}

fn search_all(
    shared: &Shared<'_>,
    benches: &mut [Bench<'_>],
    messages: &Sender<Message>,
) -> Result<(), Stop> {
    loop {
        if shared.setup.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if shared.is_enough.load(Ordering::Relaxed) {
            return Ok(());
        }
        // Relaxed: the counter orders nothing but itself.
        let next = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(&index) = shared.missing.get(next) else { return Ok(()) };
        let search = shared.grid.search(index);
        let record = measure(shared, &mut benches[search.engine], messages, index, search)?;
        // The collector is gone only when the run has failed; then nobody wants the result.
        messages.send(Message::Search(Box::new(record))).map_err(|_| Stop::Cancelled)?;
    }
}

/// Does one search, again if the harness itself was asleep during it.
fn measure(
    shared: &Shared<'_>,
    bench: &mut Bench<'_>,
    messages: &Sender<Message>,
    index: usize,
    search: Search,
) -> Result<SearchRecord, Stop> {
    let load = shared.grid.load_of(search);
    let name = &bench.config.name;
    let runners = bench.runners(load.processes());
    loop {
        for runner in runners.iter_mut() {
            runner.get_ready(name, messages)?;
        }
        match search_at_once(shared.plan, runners, load, search.position) {
            Ok(heard) => return Ok(record(heard, load, index, search)),
            Err(Failure::NoThread(error)) => {
                return Err(Stop::Told(Message::Fatal(RunError::Crew(error.into()).into())));
            }
            Err(Failure::Engine(UciError::Cancelled, _)) => return Err(Stop::Cancelled),
            Err(Failure::Engine(UciError::Stalled, _)) => {
                for runner in runners.iter_mut() {
                    runner.player.discard();
                }
                let stalls = shared.stalls.fetch_add(1, Ordering::Relaxed) + 1;
                if stalls > MAX_STALLS {
                    return Err(Stop::Told(Message::Fatal(SearchesError::Starved { searches: stalls })));
                }
                let text =
                    format!("search {index}: the harness was not running for over a second; done again");
                let _ = messages.send(Message::Notice(text));
            }
            Err(Failure::Engine(error, dialogue)) => {
                let dialogue = format!("{error}\n{LEGEND}\n\n{dialogue}");
                return Err(Stop::Told(Message::Failed { search, how: error.to_string(), dialogue }));
            }
        }
    }
}

/// What was heard of one process's search.
struct Heard {
    listener: Listener,
    answer: SearchAnswer,
    /// Up to the answer, by the clock that times the depths.
    elapsed: Duration,
    /// How long processors worked for it, where times count and the system says.
    processor: Option<Duration>,
}

/// After its answer an engine's threads go to sleep, which makes up their accounts.
const SETTLING: Duration = Duration::from_millis(1);

/// Why a search came to nothing.
enum Failure {
    /// The engine, or who listens to it; and what was said.
    Engine(UciError, String),
    /// The system grants no thread to wait for another process in.
    NoThread(io::Error),
}

impl Runner<'_> {
    /// Has the process running and told of a new game.
    fn get_ready(&mut self, name: &str, messages: &Sender<Message>) -> Result<(), Stop> {
        let mut is_new = self.player.engine_mut().is_none();
        let report = |error: &UciError, dialogue: &str| {
            is_new = true;
            let text = format!("{name}: failed to start: {error}");
            let _ = messages.send(Message::FailedStart(text, dialogue.to_owned()));
        };
        match self.player.ready(report) {
            Ok(_) => {}
            Err(NotReady::Cancelled) => return Err(Stop::Cancelled),
            Err(NotReady::Broken(error)) => return Err(Stop::Told(Message::Fatal(error.into()))),
        }
        if is_new {
            self.threads = None;
        }
        Ok(())
    }

    /// Does something with the engine that is ready; where that fails, what was said comes along.
    fn with_engine<T>(
        &mut self,
        work: impl FnOnce(&mut Engine) -> Result<T, UciError>,
    ) -> Result<T, Failure> {
        let Some(engine) = self.player.engine_mut() else {
            return Err(Failure::Engine(UciError::Stalled, String::new()));
        };
        work(engine).map_err(|error| Failure::Engine(error, engine.dialogue()))
    }

    /// Has it search with so many threads from now on; `None` leaves them as they are.
    fn set_threads(&mut self, threads: Option<u32>) -> Result<(), Failure> {
        let asked = threads.unwrap_or(0);
        if self.threads == Some(asked) {
            return Ok(());
        }
        self.threads = Some(asked);
        self.with_engine(|engine| {
            if let Some(threads) = threads {
                engine.set_options(&[threads_option(threads)])?;
            }
            // Other threads, other memory: from the start again.
            engine.new_game()
        })
    }

    fn search(&mut self, plan: &Plan, position: usize) -> Result<Heard, Failure> {
        let limits = &plan.config.limits;
        let go = go_command(limits, None, None, Side::White);
        let text = format!("position fen {}\n{go}\n", plan.positions[position]);
        let time = limits.movetime.map_or(Duration::ZERO, |time| Duration::from_millis(time.get()));
        let mut listener = Listener::default();
        let times = plan.config.times;
        let mut elapsed = Duration::ZERO;
        let (answer, processor) = self.with_engine(|engine| {
            let before = times.then(|| engine.processor_time()).flatten();
            // One clock for depths and answer, from before `go` is written: a harness that is held up right after writing
            // would find the search done and call it instant.
            let start = Instant::now();
            let answer = engine.search_watched(&text, time + plan.config.watchdog.answer, &mut |line| {
                elapsed = start.elapsed();
                listener.hear(line, micros(elapsed));
            })?;
            let Some(before) = before else { return Ok((answer, None)) };
            std::thread::sleep(SETTLING);
            Ok((answer, engine.processor_time().map(|after| after.saturating_sub(before))))
        })?;
        Ok(Heard { listener, answer, elapsed, processor })
    }
}

/// Has all these processes search at the same time. The first failure counts.
fn search_at_once(
    plan: &Plan,
    runners: &mut [Runner<'_>],
    load: Load,
    position: usize,
) -> Result<Vec<Heard>, Failure> {
    for runner in runners.iter_mut() {
        runner.set_threads(load.threads_of_each())?;
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

/// The line of the journal.
fn record(heard: Vec<Heard>, load: Load, index: usize, search: Search) -> SearchRecord {
    let nodes = heard.iter().map(|heard| heard.answer.report.nodes.unwrap_or(0)).sum();
    let time = heard.iter().map(|heard| heard.elapsed).max().unwrap_or_default();
    let processor: Option<Duration> = heard.iter().map(|heard| heard.processor).sum();
    let first = heard.into_iter().next();
    let (listener, answer) =
        first.map_or_else(Default::default, |first| (first.listener, Some(first.answer)));
    SearchRecord {
        v: SEARCH_VERSION,
        index: index as u64,
        engine: search.engine,
        threads: load.threads(),
        apart: load.is_apart(),
        position: search.position,
        repetition: search.repetition,
        depths: listener.depths,
        counters: listener.counters,
        nodes,
        time_us: micros(time),
        processor_us: processor.map(micros),
        hashfull: answer.as_ref().and_then(|answer| answer.report.hashfull),
        best_move: answer.map_or_else(String::new, |answer| answer.best_move),
    }
}

/// The option that says how many threads search.
pub(super) fn threads_option(threads: u32) -> EngineOption {
    EngineOption { name: "Threads".to_owned(), value: Some(threads.to_string()) }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
