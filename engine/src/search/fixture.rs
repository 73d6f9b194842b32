//! A single worker on a planted position, for tests of single nodes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::context::Search;
use super::driver_kind::Driver;
use super::events::{Event, Sink};
use super::heuristics::correction_history::CorrectionMemory;
use super::heuristics::history::memory::HistoryMemory;
use super::job::{Counter, Job, Teamwork};
use super::limits::Limits;
use super::shared_tables::SharedTables;
use super::switches::Toggles;
use super::tablebases::config::TbConfig;
use super::tablebases::mate_line::MateLines;
use super::time::SoftLimit;
use super::worker::Worker;
use crate::eval::Evaluation;
use crate::position::{Game, Position};
use crate::sync::atomic::{AtomicBool, AtomicI32, AtomicU64};
use crate::sync::{CachePadded, Mutex};
use crate::tablebase::RankedMove;
use crate::threads::control::{RunningWorkers, SearchControl};
use crate::threads::groups::Groups;
use crate::threads::result_board::ResultBoard;
use crate::tt::TranspositionTable;

/// A worker with empty tables, and a job without limits.
pub(super) struct Fixture {
    pub(super) job: Job,
    worker: Worker,
    histories: HistoryMemory,
    corrections: CorrectionMemory,
}

struct NullSink;

impl Sink for NullSink {
    fn event(&self, _event: &Event) {}
}

impl Fixture {
    /// Prepares a worker for this position.
    pub(super) fn new(fen: &str) -> Self {
        Self::with_threads(1, fen)
    }

    /// Prepares the main worker of a search with this number of threads.
    pub(super) fn with_threads(threads: usize, fen: &str) -> Self {
        let job = job(threads, fen.parse().expect("a position"));
        let mut worker = Worker::new(0, job.evaluation.hidden()).expect("memory for a worker");
        worker.prepare(&job);
        let histories = HistoryMemory::new(1).expect("memory for histories");
        let corrections = CorrectionMemory::new(1).expect("memory for corrections");
        Self { job, worker, histories, corrections }
    }

    /// Calls functions of the search on this worker.
    pub(super) fn with<T: Toggles, R>(
        &mut self,
        toggles: T,
        work: impl FnOnce(&mut Search<'_, T>) -> R,
    ) -> R {
        let histories = self.histories.histories();
        work(&mut Search {
            toggles,
            job: &self.job,
            tt: self.job.tt.view(),
            worker: &mut self.worker,
            histories: &histories,
            corrections: self.corrections.history(),
        })
    }
}

fn job(threads: usize, position: Position) -> Job {
    let unranked = |&mv| RankedMove { mv, rank: 0, score: None };
    Job {
        game: Game::new(position),
        limits: Limits::default(),
        root_moves: position.legal_moves().iter().map(unranked).collect(),
        tb_config: TbConfig::default(),
        tt: Arc::new(TranspositionTable::with_clusters(1 << 12).expect("little memory")),
        shared_tables: Arc::new(SharedTables::new(Groups::of(&vec![None; threads]), false)),
        control: Arc::new(SearchControl::new()),
        counters: (0..threads).map(|_| CachePadded(Counter::default())).collect(),
        total_nodes: CachePadded(AtomicU64::new(0)),
        node_budget: None,
        driver: Driver::default(),
        evaluation: Evaluation::default(),
        multipv: 1,
        shown: 1,
        handicap: None,
        simulated: None,
        teamwork: Teamwork::default(),
        lockstep: None,
        is_analysis: false,
        started: Instant::now(),
        node_clock: None,
        budget: None,
        soft_limit: Arc::new(SoftLimit::new(Duration::MAX)),
        deadline: None,
        sink: Arc::new(NullSink),
        results: ResultBoard::new(threads),
        mate_lines: Mutex::new(MateLines::new(None)),
        reported_depth: AtomicI32::new(0),
        is_mate_found: AtomicBool::new(false),
        running: RunningWorkers::new(threads),
    }
}
