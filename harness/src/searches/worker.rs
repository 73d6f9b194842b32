//! A worker: takes searches from the list and has them done, one after the other, until there are no more.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use super::record::{Listener, SEARCH_VERSION, SearchRecord};
use super::{Grid, Plan, Search, SearchesError};
use crate::config::EngineOption;
use crate::referee::go_command;
use crate::runner::{LEGEND, NotReady, Player, Setup, Stamp};
use crate::store::Side;
use crate::uci_client::{Engine, UciError};

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

/// An engine and the threads it was last told to use.
struct Bench<'a> {
    player: Player<'a>,
    threads: Option<u32>,
}

/// Searches until the list is empty, the run is cancelled or something fatal happens.
pub(super) fn work(shared: &Shared<'_>, messages: &Sender<Message>) {
    let engines = shared.plan.engines.iter().zip(&shared.stamps);
    let mut benches: Vec<Bench<'_>> = engines
        .map(|(engine, &stamp)| Bench { player: Player::new(engine, stamp, &shared.setup), threads: None })
        .collect();
    if let Err(Stop::Told(message)) = search_all(shared, &mut benches, messages) {
        let _ = messages.send(message);
    }
    if shared.setup.cancel.is_cancelled() {
        // In a hurry: dropping kills, and nothing is owed to an engine at this point.
        return;
    }
    for bench in &mut benches {
        bench.player.quit();
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
    let config = &shared.plan.engines[search.engine];
    loop {
        let mut is_new = bench.player.engine_mut().is_none();
        let report = |error: &UciError, dialogue: &str| {
            is_new = true;
            let text = format!("{}: failed to start: {error}", config.name);
            let _ = messages.send(Message::FailedStart(text, dialogue.to_owned()));
        };
        let engine = bench.player.ready(report).map_err(|error| match error {
            NotReady::Cancelled => Stop::Cancelled,
            NotReady::Broken(error) => Stop::Told(Message::Fatal(error.into())),
        })?;
        if is_new {
            bench.threads = None;
        }
        match attempt(shared, engine, &mut bench.threads, index, search) {
            Ok(record) => return Ok(record),
            Err(UciError::Cancelled) => return Err(Stop::Cancelled),
            Err(UciError::Stalled) => {
                bench.player.discard();
                let stalls = shared.stalls.fetch_add(1, Ordering::Relaxed) + 1;
                if stalls > MAX_STALLS {
                    return Err(Stop::Told(Message::Fatal(SearchesError::Starved { searches: stalls })));
                }
                let text =
                    format!("search {index}: the harness was not running for over a second; done again");
                let _ = messages.send(Message::Notice(text));
            }
            Err(error) => {
                let dialogue = format!("{error}\n{LEGEND}\n\n{}", engine.dialogue());
                return Err(Stop::Told(Message::Failed { search, how: error.to_string(), dialogue }));
            }
        }
    }
}

fn attempt(
    shared: &Shared<'_>,
    engine: &mut Engine,
    threads: &mut Option<u32>,
    index: usize,
    search: Search,
) -> Result<SearchRecord, UciError> {
    let plan = shared.plan;
    let asked = shared.grid.threads_of(search);
    if *threads != Some(asked) {
        if asked > 0 {
            engine.set_options(&[threads_option(asked)])?;
        }
        *threads = Some(asked);
        // Other threads, other memory: from the start again.
        engine.new_game()?;
    }
    let limits = &plan.config.limits;
    let go = go_command(limits, None, None, Side::White);
    let text = format!("position fen {}\n{go}\n", plan.positions[search.position]);
    let time = limits.movetime.map_or(Duration::ZERO, |time| Duration::from_millis(time.get()));
    let mut listener = Listener::default();
    let start = Instant::now();
    let answer = engine.search_watched(&text, time + plan.config.watchdog.answer, &mut |line| {
        listener.hear(line, micros(start.elapsed()));
    })?;
    Ok(SearchRecord {
        v: SEARCH_VERSION,
        index: index as u64,
        engine: search.engine,
        threads: asked,
        position: search.position,
        repetition: search.repetition,
        depths: listener.depths,
        counters: listener.counters,
        nodes: answer.report.nodes.unwrap_or(0),
        // The clock starts when `go` is written; a harness that was held up right then may find the answer there.
        time_us: micros(answer.elapsed).max(1),
        hashfull: answer.report.hashfull,
        best_move: answer.best_move,
    })
}

/// The option that says how many threads search.
pub(super) fn threads_option(threads: u32) -> EngineOption {
    EngineOption { name: "Threads".to_owned(), value: Some(threads.to_string()) }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
