//! The engine: a game, a hash table, a pool of workers, and `go`.
//!
//! The façade for the UCI loop, the bench and the tests. `go` turns limits into an immutable `Job`,
//! hands it to the pool and returns at once; the search reports to the sink. Methods that would
//! disturb a running search stop it first, so callers need not know whether one is running.
//! [`Solo`] is the same without the pool.

mod configuration;
mod resources;
mod shared;
mod solo;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::book::{Choice, OwnBook};
use crate::eval::Evaluation;
use crate::machine::topology::{self, TopologyError};
use crate::memory::OutOfMemory;
use crate::position::{Game, Position};
use crate::search::events::Sink;
use crate::search::limits::Limits;
use crate::search::switches::Fixed;
use crate::search::time::{self, Budget, Clock, Deadline, SoftLimit};
use crate::search::{FIRST_ITERATION_NODES, Worker, run};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::coherence;
use crate::threads::control::Hold;
use crate::threads::placement::Placement;
use crate::threads::pool::{Pool, PoolError};
use crate::threads::timekeeper::Timekeeper;
use crate::tt::AllocationError;
use crate::types::{Millis, Permille};
use shared::{SearchPlan, Shared};

pub use configuration::{
    Configuration, DEFAULT_HASH, DEFAULT_OVERHEAD, DEFAULT_THREADS, MAX_HASH, MAX_THREADS, Mode,
};
pub use solo::Solo;

/// A chess engine: a game, its settings, and the threads that search.
pub struct Engine {
    /// The settings of the next search. Only [`Engine::configure`] changes them, because some have
    /// consequences.
    configuration: Configuration,
    /// The opening book, from which moves are played without a search.
    pub book: OwnBook,
    game: Game,
    shared: Shared,
    pool: Pool<Worker>,
    /// The widest network that running workers, and those started later, have accumulators for.
    /// Units: neurons.
    hidden: Arc<AtomicUsize>,
    /// The requested places of the threads, and the nodes of the machine.
    placement: Placement,
    /// The reason why the nodes of the machine are not known.
    topology_error: Option<TopologyError>,
    table_state: TableState,
    timekeeper: Timekeeper,
    /// Start and soft limit of a running search with a clock.
    thinking: Option<(Instant, Arc<SoftLimit>)>,
}

/// The contents of the hash table, which decide whether a clear has anything to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableState {
    /// The table is empty, and its pages are not touched yet.
    Untouched,
    /// The table is empty.
    Clean,
    /// A search may have stored records.
    Used,
}

/// Reason why an engine could not be created.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No memory for the default hash table.
    #[error(transparent)]
    Table(#[from] AllocationError),
    /// The first worker thread could not be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The accumulators of the network could not be allocated.
    #[error("cannot use the network: {0}")]
    Network(#[from] OutOfMemory),
    /// The timer thread could not be started.
    #[error("cannot start the timer thread: {0}")]
    Timekeeper(io::Error),
}

impl Engine {
    /// Creates an engine with default settings, at the start position.
    pub fn new(sink: Arc<dyn Sink>) -> Result<Self, StartError> {
        let configuration = Configuration::default();
        let hidden = Arc::new(AtomicUsize::new(configuration.evaluation.hidden()));
        let width = Arc::clone(&hidden);
        let mut pool = Pool::new(move |id| {
            Worker::new(id, width.load(Ordering::Relaxed)).map_err(|refused| refused.to_string())
        });
        let (machine, topology_error) = match topology::nodes() {
            Ok(nodes) => (nodes.into_iter().map(|node| node.cpus).collect(), None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let placement = Placement { machine, ..Placement::default() };
        pool.resize(DEFAULT_THREADS, placement.clone())?;
        Ok(Self {
            configuration,
            book: OwnBook::default(),
            game: Game::new(Position::startpos()),
            shared: Shared::new(DEFAULT_HASH, sink)?,
            pool,
            hidden,
            placement,
            topology_error,
            table_state: TableState::Untouched,
            timekeeper: Timekeeper::new().map_err(StartError::Timekeeper)?,
            thinking: None,
        })
    }

    /// Returns the game that the next search starts from.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Sets the game of the next search. A running search continues with the old one.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// Returns the share of the hash table that the current search has filled.
    pub fn hashfull(&self) -> Permille {
        self.shared.tt.hashfull()
    }

    /// Returns the settings of the next search.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Changes the settings of the next search. A running search keeps the ones it started with.
    ///
    /// A change of the evaluation or of the fifty-move rule makes the scores in the hash table
    /// invalid. It stops a running search and clears the table; a new evaluation also clears what the
    /// threads have learned.
    ///
    /// Errors: there is no memory for the network; nothing is changed.
    pub fn configure(&mut self, change: impl FnOnce(&mut Configuration)) -> Result<(), OutOfMemory> {
        let mut next = self.configuration.clone();
        change(&mut next);
        if !is_same_evaluation(&next.evaluation, &self.configuration.evaluation) {
            self.set_evaluation(next.evaluation.clone())?;
        }
        let has_new_draw_rule =
            next.tables.usage.has_fifty_moves != self.configuration.tables.usage.has_fifty_moves;
        self.configuration = next;
        if has_new_draw_rule {
            self.clear_hash();
        }
        Ok(())
    }

    /// Sets the evaluation, and clears the hash table and what the threads have learned, which come from
    /// the old one.
    ///
    /// Errors: there is no memory for each thread's accumulators of a wider network; the old
    /// evaluation is kept.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) -> Result<(), OutOfMemory> {
        self.stop_and_wait();
        let hidden = evaluation.hidden();
        if hidden > self.hidden.load(Ordering::Relaxed) {
            let is_refused = Arc::new(AtomicBool::new(false));
            let refused = Arc::clone(&is_refused);
            self.pool.start(Arc::new(move |_, worker: &mut Worker| {
                refused.fetch_or(worker.allocate(hidden).is_err(), Ordering::Relaxed);
            }));
            self.pool.wait();
            if is_refused.load(Ordering::Relaxed) {
                return Err(OutOfMemory);
            }
            self.hidden.store(hidden, Ordering::Relaxed);
        }
        self.configuration.evaluation = evaluation;
        self.clear_hash();
        self.clear_learned();
        Ok(())
    }

    /// Clears everything learned from earlier games.
    pub fn new_game(&mut self) {
        self.stop_and_wait();
        self.clear_table();
        self.clear_learned();
    }

    /// Clears what idle threads have learned: all but the hash table.
    fn clear_learned(&mut self) {
        self.shared.forget();
        self.pool.start(Arc::new(|_, worker: &mut Worker| worker.clear()));
        self.pool.wait();
    }

    /// Starts a search and returns. A running search is stopped first.
    pub fn go(&mut self, limits: Limits) {
        let started = Instant::now();
        let limits = limits.without_overridden_times();
        self.stop_and_wait();
        self.timekeeper.clear();
        let hold = match (limits.infinite, limits.ponder) {
            (true, _) => Hold::Infinite,
            (false, true) => Hold::Ponder,
            (false, false) => Hold::Free,
        };
        if !self.shared.control.begin(hold) {
            return;
        }
        if let Some(choice) = self.book_move(&limits) {
            return self.shared.answer(choice);
        }
        // The clock runs: the search itself touches the pages of an unprepared table that it uses.
        self.table_state = TableState::Used;
        let configuration = &self.configuration;
        let budget = limits.clock.map(|clock| plan_time(configuration, clock));
        let soft_limit = Arc::new(SoftLimit::new(budget.map_or(Duration::MAX, |budget| budget.soft)));
        // With a clock that counts nodes, the search itself checks the soft limit between
        // iterations.
        let node_clock = configuration.node_clock;
        self.thinking = budget.filter(|_| node_clock.is_none()).map(|_| (started, Arc::clone(&soft_limit)));
        let movetime = limits.movetime.map(Millis::to_duration);
        let hard = movetime.or(budget.map(|budget| budget.hard));
        // A human does not use all of the time for a single move either.
        let simulated = movetime.map(|hard| Budget { soft: hard / 2, hard }).or(budget);
        let simulated = simulated.filter(|_| node_clock.is_none());
        let deadline = hard.map(|hard| match node_clock {
            Some(node_clock) => Deadline::After(node_clock.nodes(hard)),
            None => Deadline::At(started + hard),
        });
        if let Some(Deadline::At(deadline)) = deadline {
            self.timekeeper.set(Arc::clone(&self.shared.control), deadline);
        }
        // Below full strength one thread searches, so that the same seed gives the same moves.
        let is_limited = configuration.strength_for(&limits).is_some();
        // A small node limit is used up before helpers are awake. In lockstep they take their turns.
        let is_small = configuration.teamwork.lockstep.is_none()
            && limits.nodes.is_some_and(|limit| limit < FIRST_ITERATION_NODES);
        let is_team = !is_limited && !is_small && hard.is_none_or(time::is_long_enough_for_helpers);
        let threads = if is_team { self.threads() } else { 1 };
        let mut memory_nodes = self.pool.memory_nodes();
        if is_limited {
            // The size of a shared history depends on the threads of its group.
            memory_nodes.truncate(1);
        }
        if configuration.teamwork.lockstep.is_some() {
            // In lockstep the same nodes are visited on any machine.
            memory_nodes.fill(None);
        }
        let plan = SearchPlan {
            started,
            node_clock,
            budget,
            simulated,
            soft_limit,
            deadline,
            threads,
            memory_nodes,
        };
        let job = Arc::new(self.shared.job(configuration, &self.game, limits, plan));
        if coherence::IS_ON && job.lockstep.is_some() {
            coherence::with(|directory| directory.watch(job.watched()));
        }
        match configuration.mode.clone() {
            Mode::Play => self.pool.start_first(threads, Arc::new(move |_, worker| run(Fixed, &job, worker))),
            Mode::Lab(settings) => {
                self.pool.start_first(threads, Arc::new(move |_, worker| run(&settings, &job, worker)));
            }
        }
    }

    /// Returns the book's move, if there is one and this is no analysis.
    fn book_move(&mut self, limits: &Limits) -> Option<Choice> {
        if self.allows_book(limits) { self.book.choose(&self.game, &limits.searchmoves) } else { None }
    }

    /// Whether a book move may answer a search with these limits: not in analysis.
    fn allows_book(&self, limits: &Limits) -> bool {
        let is_analysis = limits.infinite || limits.ponder || limits.mate.is_some();
        !is_analysis && !self.configuration.is_analysis
    }

    /// Whether a search with these limits would use the book, but none is loaded.
    pub fn lacks_book(&self, limits: &Limits) -> bool {
        self.book.is_on && !self.book.has_book() && self.allows_book(limits)
    }

    /// Asks a running search to stop soon. Does nothing when idle.
    pub fn stop(&self) {
        self.shared.control.stop();
    }

    /// Tells the search that the move pondered on was played. Pondering time counts as thinking
    /// time: a search that has passed its soft limit stops.
    pub fn ponderhit(&self) {
        let was_pondering = self.shared.control.is_pondering();
        self.shared.control.ponderhit();
        self.timekeeper.recheck();
        let is_enough = |(started, soft): &(Instant, Arc<SoftLimit>)| started.elapsed() >= soft.limit();
        if was_pondering && self.thinking.as_ref().is_some_and(is_enough) {
            self.shared.control.stop();
        }
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        self.shared.control.is_searching()
    }

    /// Blocks until the search has ended by itself.
    pub fn wait(&self) {
        self.shared.control.wait_idle();
        self.pool.wait();
    }

    /// Stops a running search and waits for its end.
    pub fn stop_and_wait(&self) {
        self.stop();
        self.wait();
    }
}

/// Returns the budget of a move on this clock.
fn plan_time(configuration: &Configuration, clock: Clock) -> Budget {
    let overhead = configuration.move_overhead;
    let budget = match &configuration.mode {
        Mode::Play => time::move_budget(clock, overhead, Fixed),
        Mode::Lab(settings) => time::move_budget(clock, overhead, settings),
    };
    if configuration.ponders { budget.for_pondering() } else { budget }
}

/// Whether two evaluations give the same scores: the same kind and, for networks, the same loaded
/// network.
fn is_same_evaluation(one: &Evaluation, other: &Evaluation) -> bool {
    match (one, other) {
        (Evaluation::Network(one), Evaluation::Network(other)) => Arc::ptr_eq(one, other),
        _ => one.kind() == other.kind(),
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shared.control.quit();
        self.wait();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::eval::EvalType;
    use crate::search::events::Event;
    use crate::sync::Mutex;
    use crate::types::{Depth, Mebibytes, Nodes, Score};

    /// A sink that ignores every event.
    pub(super) struct NullSink;

    impl Sink for NullSink {
        fn event(&self, _event: &Event) {}
    }

    /// Score and nodes of the last search.
    #[derive(Default)]
    struct LastResult(Mutex<(Score, Nodes)>);

    impl Sink for LastResult {
        fn event(&self, event: &Event) {
            if let Event::Done(result) = event {
                *self.0.lock() = (result.score, result.nodes);
            }
        }
    }

    #[test]
    fn search_without_timer_still_ends_at_its_movetime() {
        let mut engine = Engine::new(Arc::new(NullSink)).expect("an engine");
        let limits = |ponder| Limits { movetime: Some(Millis(30)), ponder, ..Limits::default() };
        let started = Instant::now();
        engine.go(limits(false));
        engine.timekeeper.clear();
        engine.wait();
        assert!(started.elapsed() >= Duration::from_millis(30));
        // While pondering the deadline does not apply, so the search must not stop at it.
        engine.go(limits(true));
        engine.timekeeper.clear();
        std::thread::sleep(Duration::from_millis(60));
        assert!(!engine.shared.control.should_stop());
        engine.ponderhit();
        engine.wait();
    }

    #[test]
    fn time_spent_pondering_counts_as_thinking_time() {
        let mut engine = Engine::new(Arc::new(NullSink)).expect("an engine");
        let hour =
            Clock { remaining: Millis(3_600_000), increment: Millis(0), moves_to_go: None, move_number: 1 };
        for (soft, is_over) in [(Duration::MAX, false), (Duration::ZERO, true)] {
            engine.go(Limits { clock: Some(hour), ponder: true, ..Limits::default() });
            engine.thinking = Some((Instant::now(), Arc::new(SoftLimit::new(soft))));
            engine.ponderhit();
            assert_eq!(engine.shared.control.should_stop(), is_over, "soft limit {soft:?}");
            engine.stop_and_wait();
        }
    }

    #[test]
    fn engine_that_ponders_plans_more_time() {
        let clock =
            Clock { remaining: Millis(60_000), increment: Millis(0), moves_to_go: None, move_number: 9 };
        let planned = |ponders| {
            let mut engine = Engine::new(Arc::new(NullSink)).expect("an engine");
            engine.configure(|next| next.ponders = ponders).expect("memory");
            plan_time(engine.configuration(), clock)
        };
        assert_eq!(planned(true), planned(false).for_pondering());
        assert_ne!(planned(true), planned(false));
    }

    /// The corrections of the static evaluation are errors of the old one.
    #[test]
    fn another_evaluation_searches_as_in_a_new_engine() {
        let fen = "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/8/PPP2PPP/RNBQKB1R w KQkq - 1 5";
        let last = Arc::new(LastResult::default());
        let mut engine = Engine::new(last.clone()).expect("an engine");
        engine.set_game(Game::new(fen.parse().expect("a position")));
        let search = |engine: &mut Engine, depth| {
            engine.go(Limits { depth: Some(Depth(depth)), ..Limits::default() });
            engine.wait();
            *last.0.lock()
        };
        search(&mut engine, 9);
        engine.configure(|next| next.evaluation = Evaluation::Material).expect("memory");
        let changed = search(&mut engine, 6);
        engine.new_game();
        assert_eq!(changed, search(&mut engine, 6));
    }

    #[test]
    fn configure_replaces_the_evaluation_and_clears_the_table() {
        let mut engine = Engine::new(Arc::new(NullSink)).expect("an engine");
        engine.set_hash(Mebibytes(1)).expect("one MiB");
        let fill = |engine: &mut Engine| {
            engine.go(Limits { depth: Some(Depth(8)), ..Limits::default() });
            engine.wait();
            engine.hashfull()
        };
        assert!(fill(&mut engine) > Permille(0));
        engine.configure(|configuration| configuration.multipv = 2).expect("memory");
        assert!(engine.hashfull() > Permille(0), "the number of lines does not change scores");
        engine.configure(|configuration| configuration.evaluation = Evaluation::Material).expect("memory");
        assert_eq!(engine.configuration().evaluation.kind(), EvalType::Material);
        assert_eq!((engine.configuration().multipv, engine.hashfull()), (2, Permille(0)));
        assert!(fill(&mut engine) > Permille(0));
        engine.configure(|configuration| configuration.evaluation = Evaluation::Material).expect("memory");
        assert!(engine.hashfull() > Permille(0), "the same evaluation keeps the table");
        engine.configure(|configuration| configuration.tables.usage.has_fifty_moves = false).expect("memory");
        assert_eq!(engine.hashfull(), Permille(0));
    }
}
