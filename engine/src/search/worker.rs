//! The state that one search thread owns.
//!
//! A node reaches only its [`Worker`], which the pool's thread builds and keeps, and the [`Job`],
//! which all threads of a search share. Globals are constant.

use std::sync::Arc;
use std::time::Duration;

use super::events::Tally;
use super::heuristics::correction_history::CorrectionMemory;
use super::heuristics::experimental::killers::CounterMoves;
use super::heuristics::history::memory::HistoryMemory;
use super::job::Job;
use super::root_moves::{RootMove, RootResult};
use super::stack::Stack;
use crate::eval::network::Accumulators;
use crate::memory::{OutOfMemory, check_headroom};
use crate::threads::vote::Ballot;
use crate::types::{Bound, Depth, Key, MAX_PLY, Move, Ply};

/// The time between two reports of the counts.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// The state of one search thread.
pub struct Worker {
    /// 0 is the main worker.
    pub(crate) id: usize,
    /// Nodes entered in this search.
    pub(crate) nodes: u64,
    /// Successful tablebase probes in this search.
    pub(crate) tb_hits: u64,
    /// Statistics collected in the lab.
    pub(crate) tally: Tally,
    /// The node count at which to poll next.
    pub(crate) poll_at: u64,
    /// The time since `go` at which the main worker next reports its counts.
    pub(crate) progress_at: Duration,
    pub(crate) seldepth: u16,
    /// The iteration being searched.
    pub(crate) iteration: Depth,
    /// The last completed iteration.
    pub(crate) completed: Depth,
    /// The last completed iteration of the previous search of the same game.
    pub(crate) reached: Depth,
    pub(crate) root_moves: Vec<RootMove>,
    /// The best root move and the iteration since which it has been the best.
    best: Option<(Move, Depth)>,
    /// Keys of the positions before the current node, those of the game first.
    pub(crate) keys: Vec<Key>,
    pub(crate) stack: Stack,
    /// The worker's own histories, used where the team does not share them.
    histories: Option<Arc<HistoryMemory>>,
    pub(crate) counter_moves: CounterMoves,
    /// The worker's own correction history, created on first use where the team does not share one.
    corrections: Option<Arc<CorrectionMemory>>,
    /// The network's accumulators along the current path.
    pub(crate) accumulators: Accumulators,
    /// No null move is tried before this ply while a null move cutoff is verified.
    pub(crate) null_move_from: Ply,
}

impl Worker {
    /// Creates the state of worker `id`, with accumulators for networks of `hidden` neurons. Call
    /// it on the thread that will use it.
    ///
    /// Errors: memory is exhausted, or too little would be left to search with.
    pub fn new(id: usize, hidden: usize) -> Result<Self, OutOfMemory> {
        let mut worker = Self {
            id,
            nodes: 0,
            tb_hits: 0,
            tally: Tally::default(),
            poll_at: 0,
            progress_at: PROGRESS_INTERVAL,
            seldepth: 0,
            iteration: Depth::ZERO,
            completed: Depth::ZERO,
            reached: Depth::ZERO,
            root_moves: Vec::new(),
            best: None,
            keys: Vec::new(),
            stack: Stack::new()?,
            histories: Some(Arc::new(HistoryMemory::new(1)?)),
            counter_moves: CounterMoves::new(),
            corrections: None,
            accumulators: Accumulators::new(),
            null_move_from: Ply::ROOT,
        };
        worker.allocate(hidden)?;
        Ok(worker)
    }

    /// Grows the accumulators to networks of `hidden` neurons.
    ///
    /// Errors: memory is exhausted, or too little would be left to search with.
    pub(crate) fn allocate(&mut self, hidden: usize) -> Result<(), OutOfMemory> {
        self.accumulators.allocate(hidden)?;
        check_headroom()
    }

    /// Clears everything learned from earlier games.
    pub fn clear(&mut self) {
        // In place: freeing and allocating the memory again would cost a page fault per page.
        match self.histories.as_mut().map(Arc::get_mut) {
            Some(Some(own)) => own.clear(),
            _ => self.histories = None,
        }
        self.counter_moves.clear();
        self.corrections = None;
        self.completed = Depth::ZERO;
    }

    /// Returns the worker's own set of histories.
    pub(crate) fn histories(&mut self) -> Arc<HistoryMemory> {
        let fresh =
            || Arc::new(HistoryMemory::new(1).expect("as much memory as the previous histories occupied"));
        Arc::clone(self.histories.get_or_insert_with(fresh))
    }

    /// Returns the correction history used by a job: the group's, or the worker's own; a spare one if
    /// there is no memory for it.
    pub(crate) fn corrections(&mut self, job: &Job) -> Arc<CorrectionMemory> {
        if job.teamwork.shares_corrections {
            return job.shared_tables.corrections(self.id);
        }
        if self.corrections.is_none() {
            let new = CorrectionMemory::new(1).ok().filter(|_| check_headroom().is_ok());
            self.corrections = new.map(Arc::new);
        }
        self.corrections.as_ref().map_or_else(|| job.shared_tables.spare_corrections(), Arc::clone)
    }

    /// Prepares the worker for a job. The histories of earlier searches of the same game are kept.
    pub(crate) fn prepare(&mut self, job: &Job) {
        self.nodes = 0;
        self.tb_hits = 0;
        self.tally = Tally::default();
        self.poll_at = 0;
        self.progress_at = PROGRESS_INTERVAL;
        self.reached = std::mem::replace(&mut self.completed, Depth::ZERO);
        self.keys.clear();
        self.keys.extend_from_slice(job.game.keys());
        self.best = None;
        self.root_moves.clear();
        self.root_moves.extend(job.root_moves.iter().map(RootMove::new));
        self.stack.clear();
        self.accumulators.begin(job.game.position());
        self.null_move_from = first_null_move(job);
    }

    /// Adopts a published result for a root move and moves it to the front.
    pub(crate) fn adopt(&mut self, line: &RootMove) {
        let Some(index) = self.root_moves.iter().position(|own| own.mv == line.mv) else { return };
        self.root_moves[..=index].rotate_right(1);
        let nodes = self.root_moves[0].nodes;
        self.root_moves[0] = RootMove { nodes, ..line.clone() };
    }

    /// Moves a root move to the front, unless a tablebase ranks another one higher. Returns whether
    /// it did.
    pub(crate) fn prefer(&mut self, mv: Move) -> bool {
        let moves = &mut self.root_moves;
        let Some(index) = moves.iter().position(|own| own.mv == mv && own.rank == moves[0].rank) else {
            return false;
        };
        moves[..=index].rotate_right(1);
        true
    }

    /// Returns the iteration since which the best root move has been the best. To be called when the
    /// order of the root moves has changed.
    pub(crate) fn best_since(&mut self) -> Depth {
        let Some(mv) = self.root_moves.first().map(|best| best.mv) else { return Depth::ZERO };
        let (_, since) = *self.best.insert(match self.best {
            Some((known, since)) if known == mv => (mv, since),
            _ => (mv, self.iteration),
        });
        since
    }

    /// Returns the worker's vote for the best move.
    pub(crate) fn ballot(&self) -> Option<Ballot> {
        let best = self.root_moves.first()?;
        let RootResult { score, bound, depth, .. } = best.current;
        // A move without a score does not count at any depth, nor does one with no more than an upper
        // bound of an earlier iteration.
        let has_score = best.current.is_searched() && (bound != Bound::Upper || depth == self.iteration);
        let depth = if has_score { self.completed } else { Depth::ZERO };
        Some(Ballot { mv: best.mv, score, depth })
    }
}

/// Returns the ply from which null moves are allowed: the root, or none in a search for a mate,
/// which null moves would hide where the defender is in zugzwang.
fn first_null_move(job: &Job) -> Ply {
    if job.limits.mate.is_some() { Ply(MAX_PLY as u16) } else { Ply::ROOT }
}
