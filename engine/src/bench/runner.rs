//! The engine that the bench and the speed test run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::{Configuration, Engine, StartError};
use crate::memory::OutOfMemory;
use crate::position::Game;
use crate::search::events::{Event, SearchResult};
use crate::search::limits::Limits;
use crate::sync::Mutex;
use crate::threads::pool::PoolError;
use crate::tt::AllocationError;
use crate::types::{Mebibytes, Nodes, Permille};

/// Reason why a bench could not run.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The engine could not be created.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The hash table could not be allocated.
    #[error(transparent)]
    Table(#[from] AllocationError),
    /// The threads could not be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The network's accumulators could not be allocated.
    #[error("cannot use the network: {0}")]
    Network(#[from] OutOfMemory),
}

/// Returns the nodes per second.
pub(super) fn per_second(nodes: Nodes, time: Duration) -> u64 {
    (nodes.0 as f64 / time.as_secs_f64().max(1e-6)) as u64
}

/// An engine, and the outcome of its last search.
pub(super) struct BenchEngine {
    engine: Engine,
    last: Arc<Mutex<Option<SearchResult>>>,
}

impl BenchEngine {
    pub(super) fn new(
        threads: usize,
        hash: Mebibytes,
        configuration: Configuration,
    ) -> Result<Self, BenchError> {
        let last = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&last);
        let sink = move |event: &Event| {
            if let Event::Done(outcome) = event {
                *kept.lock() = Some(outcome.clone());
            }
        };
        let mut engine = Engine::new(Arc::new(sink))?;
        engine.set_threads(threads)?;
        engine.set_hash(hash)?;
        engine.configure(|settings| *settings = configuration)?;
        engine.prepare();
        Ok(Self { engine, last })
    }

    /// Clears everything learned from earlier games.
    pub(super) fn new_game(&mut self) {
        self.engine.new_game();
    }

    /// Returns the share of the hash table that the last search has filled.
    pub(super) fn hashfull(&self) -> Permille {
        self.engine.hashfull()
    }

    /// Searches the last position of a game and returns the outcome and the time taken.
    pub(super) fn search(&mut self, game: Game, limits: &Limits) -> (SearchResult, Duration) {
        self.engine.set_game(game);
        let started = Instant::now();
        self.engine.go(limits.clone());
        self.engine.wait();
        let elapsed = started.elapsed();
        (self.last.lock().take().expect("a search ends with its outcome"), elapsed)
    }
}
