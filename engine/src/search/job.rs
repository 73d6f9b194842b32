//! The job: what all threads of one search share.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::driver_kind::Driver;
use super::events::{Event, Progress, Report, Sink, Tally};
use super::heuristics::history::histories::Histories;
use super::heuristics::history::memory::HistoryMemory;
use super::limits::Limits;
use super::root_moves::{RootMove, RootResult};
use super::shared_tables::SharedTables;
use super::tablebases::config::TbConfig;
use super::tablebases::mate_line::MateLines;
use super::time::{Budget, Deadline, NodeClock, SoftLimit};
use crate::eval::{self, Evaluation, WdlModel};
use crate::position::Game;
use crate::strength::Handicap;
use crate::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use crate::sync::coherence::Watched;
use crate::sync::{CachePadded, Mutex};
use crate::tablebase::RankedMove;
use crate::threads::control::{RunningWorkers, SearchControl};
use crate::threads::lockstep::Lockstep;
use crate::threads::node_budget::NodeBudget;
use crate::threads::result_board::{Relay, ResultBoard};
use crate::threads::stagger::{Occupancy, Stagger};
use crate::tt::TranspositionTable;
use crate::types::{Bound, Depth, Move, Nodes, Ply, Score};

/// The published progress of one worker.
///
/// Relaxed throughout: these are statistics, and nothing is ordered by them. Each counter has one
/// writer, so no read-modify-write is needed.
#[derive(Default)]
pub(crate) struct Counter {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
    iteration: AtomicI32,
}

impl Counter {
    fn set(&self, nodes: u64, tb_hits: u64) {
        self.nodes.store(nodes, Ordering::Relaxed);
        self.tb_hits.store(tb_hits, Ordering::Relaxed);
    }

    /// Publishes the iteration being searched.
    pub(crate) fn begin(&self, iteration: Depth) {
        self.iteration.store(iteration.0, Ordering::Relaxed);
    }

    fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    fn iteration(&self) -> Depth {
        Depth(self.iteration.load(Ordering::Relaxed))
    }
}

/// The result of a worker's last completed iteration.
#[derive(Clone)]
pub(crate) struct IterationResult {
    /// The depth with which the worker votes for the first line; zero if it has no say.
    pub(crate) depth: Depth,
    /// The best root moves, as many as MultiPV asks for.
    pub(crate) lines: Vec<RootMove>,
    /// The iteration since which the first of them has been the best.
    pub(crate) since: Depth,
    /// Nodes of the worker so far.
    pub(crate) nodes: Nodes,
}

/// The cooperation of the threads of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent choice")]
pub struct Teamwork {
    /// The scheme by which helpers skip iterations.
    pub stagger: Stagger,
    /// The length of a turn if the threads take turns (lockstep); `None` lets them run freely.
    /// Units: nodes.
    pub lockstep: Option<NonZeroU64>,
    /// The way in which a completed iteration helps the other threads.
    pub relay: Relay,
    /// Whether the threads of a group share the pawn history.
    pub shares_pawn: bool,
    /// Whether the threads of a group share the continuation history.
    pub shares_continuation: bool,
    /// Whether the threads of a group share the butterfly and capture histories.
    pub shares_butterfly: bool,
    /// Whether the threads of a group share the correction history.
    pub shares_corrections: bool,
    /// Whether the main worker thinks longer when helpers prefer another move.
    pub agreed_stop: bool,
    /// Whether the move is chosen by vote; otherwise the main worker's move is played.
    pub vote: bool,
    /// Whether the votes are reported.
    pub logs_ballots: bool,
}

impl Default for Teamwork {
    fn default() -> Self {
        Self {
            stagger: Stagger::default(),
            lockstep: None,
            relay: Relay::default(),
            shares_pawn: false,
            shares_continuation: true,
            shares_butterfly: true,
            shares_corrections: true,
            agreed_stop: true,
            vote: true,
            logs_ballots: false,
        }
    }
}

/// One search, as all its workers see it. It is immutable except for atomics and published results.
pub struct Job {
    pub(crate) game: Game,
    pub(crate) limits: Limits,
    /// The candidate moves: legal, in `searchmoves` if given, and preserving the tablebase result.
    /// Best rank first.
    pub(crate) root_moves: Vec<RankedMove>,
    pub(crate) tb_config: TbConfig,
    pub(crate) tt: Arc<TranspositionTable>,
    /// The tables that the workers of a group share.
    pub(crate) shared_tables: Arc<SharedTables>,
    pub(crate) control: Arc<SearchControl>,
    pub(crate) counters: Box<[CachePadded<Counter>]>,
    /// The sum of the published nodes of all workers, which each of them adds to.
    pub(crate) total_nodes: CachePadded<AtomicU64>,
    /// The nodes that no worker has reserved yet, if there is a node limit.
    pub(crate) node_budget: Option<NodeBudget>,
    pub(crate) driver: Driver,
    pub(crate) evaluation: Evaluation,
    /// The number of best moves searched with an exact score.
    pub(crate) multipv: usize,
    /// The largest number of lines reported.
    pub(crate) shown: usize,
    pub(crate) handicap: Option<Handicap>,
    /// The time limits of simulated thinking, if the answer waits for it.
    pub(crate) simulated: Option<Budget>,
    pub(crate) teamwork: Teamwork,
    /// The workers' turns in a lockstep search.
    pub(crate) lockstep: Option<Lockstep>,
    /// Whether this is an analysis, which also searches a forced move.
    pub(crate) is_analysis: bool,
    pub(crate) started: Instant,
    /// The node clock, if time is measured in nodes.
    pub(crate) node_clock: Option<NodeClock>,
    pub(crate) budget: Option<Budget>,
    /// The budget's soft limit, as adjusted by the main worker.
    pub(crate) soft_limit: Arc<SoftLimit>,
    /// The hard limit; the timekeeper's alarm is set to it where it is a time.
    pub(crate) deadline: Option<Deadline>,
    pub(crate) sink: Arc<dyn Sink>,
    /// The result of each worker's last completed iteration.
    pub(crate) results: ResultBoard<IterationResult>,
    /// The greatest depth of a reported first line. Relaxed: it orders nothing.
    pub(crate) reported_depth: AtomicI32,
    /// Completed lines to mate, so that none is completed twice.
    pub(crate) mate_lines: Mutex<MateLines>,
    /// Whether a helper has found the mate that `go mate` asks for. Released after its result is
    /// published, and acquired before the vote that reads it.
    pub(crate) is_mate_found: AtomicBool,
    pub(crate) running: RunningWorkers,
}

impl Job {
    /// Whether the move is chosen by the votes of all workers. Otherwise the main worker decides: it alone
    /// keeps a depth limit, and levels below full strength are those of one thread.
    pub(crate) fn is_decided_by_vote(&self) -> bool {
        self.teamwork.vote && self.handicap.is_none() && self.limits.depth.is_none()
    }

    /// Returns the names and addresses of the tables that the workers share.
    pub(crate) fn watched(&self) -> Vec<Watched> {
        let mut tables = self.shared_tables.watched();
        tables.push(self.tt.watched());
        tables
    }

    /// Returns the histories of a worker: those of its group where the team shares them, otherwise
    /// `own`.
    pub(crate) fn histories_of<'a>(&'a self, worker: usize, own: Histories<'a>) -> Histories<'a> {
        let Teamwork { shares_pawn, shares_continuation, shares_butterfly, .. } = self.teamwork;
        let shares_with_group = shares_pawn || shares_continuation || shares_butterfly;
        if !shares_with_group {
            return own;
        }
        let Some(group) = self.shared_tables.histories(worker).map(HistoryMemory::histories) else {
            return own;
        };
        let mut histories = own;
        if shares_pawn {
            histories = histories.with_pawn_of(group);
        }
        if shares_continuation {
            histories = histories.with_continuation_of(group);
        }
        if shares_butterfly {
            histories = histories.with_butterfly_of(group);
        }
        histories
    }

    /// Returns the nodes that all workers have published. A single load.
    pub(crate) fn nodes(&self) -> Nodes {
        Nodes(self.total_nodes.0.load(Ordering::Relaxed))
    }

    /// Publishes a worker's nodes and tablebase hits so far.
    pub(crate) fn publish(&self, worker: usize, nodes: u64, tb_hits: u64) {
        let counter = &self.counters[worker].0;
        // Relaxed, as the counters.
        self.total_nodes.0.fetch_add(nodes - counter.nodes(), Ordering::Relaxed);
        counter.set(nodes, tb_hits);
    }

    /// Returns the nodes that each worker has published.
    pub(crate) fn nodes_by_worker(&self) -> Vec<Nodes> {
        self.counters.iter().map(|counter| Nodes(counter.0.nodes())).collect()
    }

    fn tb_hits(&self) -> u64 {
        let below: u64 = self.counters.iter().map(|counter| counter.0.tb_hits.load(Ordering::Relaxed)).sum();
        self.tb_config.root_hits + below
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress {
            nodes: self.nodes(),
            elapsed: self.elapsed(),
            hashfull: self.tt.hashfull(),
            tb_hits: self.tb_hits(),
        }
    }

    /// Counts the other workers that search this depth or a greater one.
    pub(crate) fn occupancy(&self, worker: usize, depth: Depth) -> Occupancy {
        let others = self.counters.iter().enumerate().filter(|&(id, _)| id != worker);
        let at_or_above = others.filter(|(_, counter)| counter.0.iteration() >= depth).count();
        Occupancy { at_or_above, threads: self.counters.len() }
    }

    /// Reports the line at `index` of a worker's root moves with the result `found`.
    pub(crate) fn report(&self, index: usize, line: &RootMove, found: &RootResult, tally: Tally) {
        if index >= self.shown || !self.sink.wants_reports() {
            return;
        }
        let (score, bound, pv) = self.reported_line(line, found);
        if index == 0 {
            self.reported_depth.fetch_max(found.depth.0, Ordering::Relaxed);
        }
        let progress = self.progress();
        // The nodes so far stand for the thinking time of all moves of the game.
        let material = eval::material_points(self.game.position());
        let curve = WdlModel::of(self.evaluation.kind()).curve(material, progress.nodes);
        self.sink.event(&Event::Report(Report {
            depth: found.depth,
            seldepth: found.seldepth,
            multipv: index + 1,
            score,
            bound,
            curve,
            is_tb_draw: line.tb_score.is_some_and(|score| !score.is_decisive()),
            progress,
            main_nodes: Nodes(self.counters[0].0.nodes()),
            tally,
            pv,
        }));
    }

    /// Returns the score, its bound and the principal variation to report for a root move with the
    /// result `found`.
    ///
    /// The line of an exact mate score ends in that mate. Where it cannot be completed, or not in time,
    /// the score is that of the tables if they know that the position is won or lost, and otherwise a
    /// bound: the winner may have a shorter mate.
    pub(crate) fn reported_line(&self, line: &RootMove, found: &RootResult) -> (Score, Bound, Vec<Move>) {
        let (score, bound) = line.reported_score(found.score, found.bound);
        let pv = line.line_of(found);
        // Without tables a bound is reported as it is.
        let is_claim = bound == Bound::Exact || line.tb_score.is_some();
        let Some(plies) = score.mate_plies().filter(|_| is_claim && self.sink.wants_reports()) else {
            return (score, bound, pv);
        };
        let completed = self.mate_lines.lock().complete(&self.tb_config.tables, &self.game, &pv, plies);
        match (completed, line.tb_score) {
            (Some(mate), _) => (score, bound, mate),
            (None, Some(score)) => {
                // The mate that the tables know would need a third repetition, or there is no time.
                let won =
                    if score.0 > 0 { Score::tb_win_in(Ply(plies)) } else { Score::tb_loss_in(Ply(plies)) };
                let score = if score.is_mate() { won } else { score };
                (score, Bound::Exact, pv)
            }
            (None, None) => (score, if score.is_lost() { Bound::Upper } else { Bound::Lower }, pv),
        }
    }

    /// Whether the deadline has passed. It covers a late alarm, and limits measured in nodes.
    pub(crate) fn is_overdue(&self) -> bool {
        let is_past = |deadline| match deadline {
            Deadline::At(moment) => moment <= Instant::now(),
            Deadline::After(nodes) => nodes <= self.nodes(),
        };
        !self.control.is_pondering() && self.deadline.is_some_and(is_past)
    }

    /// Returns the time since `go`.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the time spent since `go`, which the node clock derives from the published nodes.
    pub(crate) fn spent(&self) -> Duration {
        self.node_clock.map_or_else(|| self.elapsed(), |clock| clock.time(self.nodes()))
    }
}
