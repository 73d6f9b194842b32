//! The state that all searches of one engine share, and the job built from it for each search.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::configuration::Configuration;
use crate::book::Choice;
use crate::position::Game;
use crate::search::events::{Event, SearchResult, Sink};
use crate::search::limits::Limits;
use crate::search::{
    Counter, Deadline, FIRST_ITERATION_NODES, HistoryMemory, Job, MateLines, SharedTables, SoftLimit,
    TbConfig,
};
use crate::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize};
use crate::sync::{CachePadded, Mutex};
use crate::tablebase::Tablebases;
use crate::threads::control::SearchControl;
use crate::threads::groups::Groups;
use crate::threads::lockstep::Lockstep;
use crate::threads::node_budget::NodeBudget;
use crate::threads::result_board::ResultBoard;
use crate::time::{self, Budget, NodeClock};
use crate::tt::{AllocationError, TranspositionTable};
use crate::types::{Mebibytes, Millis, Move, Nodes};

/// Decoding endgame tables at the root and completing mate lines may together take one part in this
/// many of the time on the clock.
const DECODE_TIME_DIVISOR: u32 = 8;

/// With a time per move, decoding may always take this long, even beyond that time. The embedded
/// tables need 15 milliseconds at most on a fast core, and a move without tables may give away the
/// result.
const MIN_DECODE_TIME: Duration = Duration::from_millis(50);
/// Time for decoding tables and completing mate lines in an analysis without a clock. Tables on a slow
/// disk would otherwise delay the answer to `stop` without a limit.
const ANALYSIS_DECODE_TIME: Duration = Duration::from_secs(5);

/// The hash table, learned statistics, search control and event sink of an engine.
pub(super) struct Shared {
    pub(super) tt: Arc<TranspositionTable>,
    /// Histories shared by all workers; created when a search first asks for them.
    histories: OnceLock<Arc<HistoryMemory>>,
    /// Tables shared by groups of workers; replaced when the groups change.
    group_tables: Mutex<Arc<SharedTables>>,
    pub(super) control: Arc<SearchControl>,
    sink: Arc<dyn Sink>,
}

/// The time limits and the number of threads of a search.
pub(super) struct Plan {
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

impl Plan {
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
            histories: OnceLock::new(),
            group_tables: Mutex::new(Arc::new(SharedTables::new(Groups::of(&[None]), false))),
            control: Arc::new(SearchControl::new()),
            sink,
        })
    }

    /// Clears everything learned from earlier games except the hash table: the caller knows which
    /// threads can clear it.
    pub(super) fn forget(&mut self) {
        self.histories = OnceLock::new();
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

    /// Returns the histories that all workers of a search share.
    fn shared_histories(&self) -> Arc<HistoryMemory> {
        let new = || Arc::new(HistoryMemory::new(1).expect("memory for one more set of histories"));
        let histories = self.histories.get_or_init(new);
        histories.histories().start_search();
        Arc::clone(histories)
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
    pub(super) fn job(&self, configuration: &Configuration, game: &Game, limits: Limits, plan: Plan) -> Job {
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
        let decode_time = decode_time_limit(&limits).filter(|_| plan.node_clock.is_none());
        let ranking = Instant::now();
        let (root_moves, tb_config) = TbConfig::at_root(tables, game, moves, multipv, decode_time);
        let left = limits
            .clock
            .zip(plan.budget)
            .map(|(clock, budget)| time::left_after(clock, configuration.move_overhead, budget.hard));
        let line_time = decode_time.map(|all| {
            mate_line_time_limit(all, limits.movetime, ranking.elapsed()).min(left.unwrap_or(Duration::MAX))
        });
        let teamwork = configuration.teamwork;
        // In lockstep one thread runs at a time.
        let concurrent = if teamwork.turn.is_some() { 1 } else { plan.threads };
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
            histories: teamwork.shares_histories.then(|| self.shared_histories()),
            shared_tables: self.shared_tables(&plan.memory_nodes, teamwork.shares_pawn),
            control: Arc::clone(&self.control),
            counters: (0..plan.threads).map(|_| CachePadded(Counter::default())).collect(),
            total_nodes: CachePadded(AtomicU64::new(0)),
            node_budget,
            driver: configuration.driver,
            evaluation: configuration.evaluation.clone(),
            teamwork,
            lockstep: teamwork.turn.map(|turn| Lockstep::new(plan.threads, turn)),
            is_analysis: configuration.is_analysis,
            started: plan.started,
            node_clock: plan.node_clock,
            sink: Arc::clone(&self.sink),
            results: ResultBoard::new(plan.threads, teamwork.relay),
            reported_depth: AtomicI32::new(0),
            mate_lines: Mutex::new(MateLines::new(line_time)),
            running: AtomicUsize::new(plan.threads),
        }
    }
}

/// Returns the time that decoding tables at the root may take: a share of the clock, so that it does
/// not lose the game on time, or the time per move. An analysis waits for `stop`, which is read after
/// the decoding. `None` for a number of nodes or plies: the result must not depend on time.
fn decode_time_limit(limits: &Limits) -> Option<Duration> {
    match (limits.movetime, limits.clock) {
        (Some(movetime), _) => Some(movetime.to_duration().max(MIN_DECODE_TIME)),
        (None, Some(clock)) => Some(clock.remaining.to_duration() / DECODE_TIME_DIVISOR),
        (None, None) => (limits.infinite || limits.ponder).then_some(ANALYSIS_DECODE_TIME),
    }
}

/// Returns the time that completing mate lines may take in a search whose root moves took `ranking`
/// of the decode time. A `movetime` gives the same share as a clock, because lines are completed
/// after its end too.
fn mate_line_time_limit(decode_time: Duration, movetime: Option<Millis>, ranking: Duration) -> Duration {
    let share = movetime
        .map_or(decode_time, |movetime| (movetime.to_duration() / DECODE_TIME_DIVISOR).max(MIN_DECODE_TIME));
    share.saturating_sub(ranking)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Clock;

    #[test]
    fn tables_are_decoded_even_with_a_short_movetime() {
        let limit = |movetime| {
            decode_time_limit(&Limits { movetime: Some(Millis(movetime)), ..Limits::default() }).unwrap()
        };
        assert_eq!((limit(1), limit(1000)), (MIN_DECODE_TIME, Duration::from_secs(1)));
    }

    #[test]
    fn decoding_takes_a_small_share_of_the_clock() {
        let clock =
            Clock { remaining: Millis(800), increment: Millis(0), moves_to_go: None, move_number: 40 };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        assert_eq!(decode_time_limit(&limits), Some(Duration::from_millis(100)));
        assert_eq!(decode_time_limit(&Limits::default()), None);
        let infinite = Limits { infinite: true, ..Limits::default() };
        assert_eq!(decode_time_limit(&infinite), Some(ANALYSIS_DECODE_TIME));
    }

    #[test]
    fn mate_lines_take_the_rest_of_the_decode_time() {
        let ms = Duration::from_millis;
        assert_eq!(mate_line_time_limit(ms(100), None, ms(30)), ms(70));
        assert_eq!(mate_line_time_limit(ms(100), None, ms(200)), Duration::ZERO);
        assert_eq!(mate_line_time_limit(ms(50), Some(Millis(20)), ms(30)), ms(20));
        assert_eq!(mate_line_time_limit(ms(8000), Some(Millis(8000)), ms(0)), ms(1000));
    }
}
