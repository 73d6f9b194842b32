//! The state that all searches of one engine share, and the job built from it for each search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::configuration::Configuration;
use crate::book::Choice;
use crate::position::Game;
use crate::search::events::{Event, SearchResult, Sink};
use crate::search::limits::Limits;
use crate::search::time::{self, Budget, Deadline, NodeClock, SoftLimit};
use crate::search::{Counter, FIRST_ITERATION_NODES, Job, MateLines, SharedTables, TbConfig};
use crate::sync::atomic::{AtomicBool, AtomicI32, AtomicU64};
use crate::sync::{CachePadded, Mutex};
use crate::tablebase::Tablebases;
use crate::threads::control::{RunningWorkers, SearchControl};
use crate::threads::groups::Groups;
use crate::threads::lockstep::Lockstep;
use crate::threads::node_budget::NodeBudget;
use crate::threads::result_board::ResultBoard;
use crate::tt::{AllocationError, TranspositionTable};
use crate::types::{Mebibytes, Move, Nodes};

/// The hash table, learned statistics, search control and event sink of an engine.
pub(super) struct Shared {
    pub(super) tt: Arc<TranspositionTable>,
    /// Tables shared by groups of workers; replaced when the groups change.
    group_tables: Mutex<Arc<SharedTables>>,
    pub(super) control: Arc<SearchControl>,
    sink: Arc<dyn Sink>,
}

/// The time limits and the number of threads of a search.
pub(super) struct SearchPlan {
    pub(super) started: Instant,
    /// The speed of the clock, if it counts nodes.
    pub(super) node_clock: Option<NodeClock>,
    pub(super) budget: Option<Budget>,
    /// The time limits of simulated thinking below full strength; `None` without a clock in real time.
    pub(super) simulated: Option<Budget>,
    /// The current soft limit, which the main worker adjusts.
    pub(super) soft_limit: Arc<SoftLimit>,
    /// The hard limit.
    pub(super) deadline: Option<Deadline>,
    pub(super) threads: usize,
    /// The memory nodes of all workers of the engine, at least as many as `threads`.
    pub(super) memory_nodes: Vec<Option<usize>>,
}

impl SearchPlan {
    /// Returns a plan for one thread without a clock.
    pub(super) fn alone() -> Self {
        let soft_limit = Arc::new(SoftLimit::new(Duration::MAX));
        Self {
            started: Instant::now(),
            node_clock: None,
            budget: None,
            simulated: None,
            soft_limit,
            deadline: None,
            threads: 1,
            memory_nodes: vec![None],
        }
    }
}

impl Shared {
    pub(super) fn new(hash: Mebibytes, sink: Arc<dyn Sink>) -> Result<Self, AllocationError> {
        Ok(Self {
            tt: Arc::new(TranspositionTable::new(hash)?),
            group_tables: Mutex::new(Arc::new(SharedTables::new(Groups::of(&[None]), false))),
            control: Arc::new(SearchControl::new()),
            sink,
        })
    }

    /// Clears everything learned from earlier games except the hash table: the caller knows which
    /// threads can clear it.
    pub(super) fn forget(&mut self) {
        let mut tables = self.group_tables.lock();
        // Idle workers hold no reference, so they are cleared in place. Otherwise new ones are
        // allocated.
        match Arc::get_mut(&mut tables) {
            Some(tables) => tables.clear(),
            None => *tables = Arc::new(tables.renewed()),
        }
    }

    /// Ends the search that has just begun with a book move.
    pub(super) fn answer(&self, choice: Choice) {
        let best = Some(choice.taken.mv);
        self.sink.event(&Event::Book(choice));
        self.sink.event(&Event::Done(SearchResult { best, ..SearchResult::default() }));
        self.control.finish();
    }

    /// Returns the tables that the workers on these memory nodes share, by groups. Their
    /// contents are kept as long as the groups stay the same.
    fn shared_tables(&self, nodes: &[Option<usize>], has_pawn: bool) -> Arc<SharedTables> {
        let groups = Groups::of(nodes);
        let mut tables = self.group_tables.lock();
        if !tables.are_of(&groups, has_pawn) {
            *tables = Arc::new(SharedTables::new(groups, has_pawn));
        }
        Arc::clone(&tables)
    }

    /// Returns the job that searches the game's current position.
    pub(super) fn job(
        &self,
        configuration: &Configuration,
        game: &Game,
        limits: Limits,
        plan: SearchPlan,
    ) -> Job {
        self.tt.new_search();
        let moves: Vec<Move> = game
            .position()
            .legal_moves()
            .iter()
            .copied()
            .filter(|mv| limits.searchmoves.is_empty() || limits.searchmoves.contains(mv))
            .collect();
        let strength = configuration.strength_for(&limits);
        let handicap = strength.map(|strength| strength.handicap(game.position().key(), game.keys().len()));
        let level = handicap.map(|handicap| handicap.level);
        let soft_nodes = limits.soft_nodes.into_iter().chain(level.map(|level| Nodes(level.nodes))).min();
        let limits = Limits { soft_nodes, ..limits };
        // Below full strength the lines are the candidates, whose number is part of the level.
        let multipv = level.map_or(configuration.multipv, |level| level.lines);
        // Below full strength no tables are probed: they would play perfectly.
        let tables = if level.is_some() { &Tablebases::default() } else { &configuration.tables };
        let decode_time =
            time::decode_time_limit(limits.movetime, limits.clock, limits.infinite || limits.ponder)
                .filter(|_| plan.node_clock.is_none());
        let ranking = Instant::now();
        let (root_moves, tb_config) = TbConfig::at_root(tables, game, moves, multipv, decode_time);
        let left = limits
            .clock
            .zip(plan.budget)
            .map(|(clock, budget)| time::left_after(clock, configuration.move_overhead, budget.hard));
        let line_time = decode_time.map(|all| {
            time::mate_line_time_limit(all, limits.movetime, ranking.elapsed())
                .min(left.unwrap_or(Duration::MAX))
        });
        let teamwork = configuration.teamwork;
        // In lockstep one thread runs at a time.
        let concurrent = if teamwork.lockstep.is_some() { 1 } else { plan.threads };
        let node_budget = limits.nodes.map(|limit| NodeBudget::new(limit, concurrent, FIRST_ITERATION_NODES));
        Job {
            game: game.clone(),
            budget: plan.budget,
            soft_limit: plan.soft_limit,
            deadline: plan.deadline,
            multipv: multipv.clamp(1, root_moves.len().max(1)),
            shown: configuration.multipv,
            handicap,
            simulated: plan.simulated.filter(|_| configuration.simulates_thinking),
            limits,
            root_moves,
            tb_config,
            tt: Arc::clone(&self.tt),
            shared_tables: self.shared_tables(&plan.memory_nodes, teamwork.shares_pawn),
            control: Arc::clone(&self.control),
            counters: (0..plan.threads).map(|_| CachePadded(Counter::default())).collect(),
            total_nodes: CachePadded(AtomicU64::new(0)),
            node_budget,
            driver: configuration.driver,
            evaluation: configuration.evaluation.clone(),
            teamwork,
            lockstep: teamwork.lockstep.map(|turn| Lockstep::new(plan.threads, turn)),
            is_analysis: configuration.is_analysis,
            started: plan.started,
            node_clock: plan.node_clock,
            sink: Arc::clone(&self.sink),
            results: ResultBoard::new(plan.threads),
            reported_depth: AtomicI32::new(0),
            mate_lines: Mutex::new(MateLines::new(line_time)),
            is_mate_found: AtomicBool::new(false),
            running: RunningWorkers::new(plan.threads),
        }
    }
}
