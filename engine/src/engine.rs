//! The engine as a whole: a game, a table, a pool of workers, and `go`.
//!
//! A façade for the UCI loop, the bench and tests. It turns limits into a frozen `Job`, hands it to the pool and
//! returns at once; what the search has to say goes to the sink. Whatever would disturb a running search stops it
//! and waits first, so callers need not know whether one runs. [`Solo`] is the same without the pool.

mod shared;
mod solo;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::book::{Choice, OwnBook};
use crate::eval::Evaluation;
use crate::memory::OutOfMemory;
use crate::position::{Game, Position};
use crate::search::driver::Driver;
use crate::search::events::Sink;
use crate::search::limits::Limits;
use crate::search::switches::{Fixed, Settings};
use crate::search::timing::{self, SoftLimit};
use crate::search::{Deadline, Teamwork, Worker, run};
use crate::strength::Strength;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::tablebase::Tablebases;
use crate::threads::control::Hold;
use crate::threads::pinning::Pinning;
use crate::threads::pool::{Pool, PoolError};
use crate::threads::timekeeper::Timekeeper;
use crate::time::{self, Pace};
use crate::tt::{AllocationError, Clearing, Layout, Table};
use crate::types::{Mebibytes, Millis, Permille};
use shared::{Plan, Shared};

pub use solo::Solo;

/// How the search reads its switches.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "an engine has one of them, copied once a search")]
pub enum Mode {
    /// The play set, folded to constants.
    Play,
    /// Switches and tunables as set.
    Lab(Settings),
}

/// What a search is run with, besides the position and the limits.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// How switches are read.
    pub mode: Mode,
    /// Which search walks the tree.
    pub driver: Driver,
    /// What judges a leaf.
    pub evaluation: Evaluation,
    /// The endgame tables, and how they are used.
    pub tables: Tablebases,
    /// How many lines to report. Range: at least 1.
    pub multipv: usize,
    /// How the threads work together.
    pub teamwork: Teamwork,
    /// What each move is expected to cost on the clock besides thought.
    pub move_overhead: Millis,
    /// Does the engine think on the opponent's time as well? Then more of its own may be spent on a move.
    pub ponders: bool,
    /// How fast a clock of nodes runs, where the time of limits is counted so; `None` for real time.
    pub pace: Option<Pace>,
    /// Analysis: a forced move is searched like any other.
    pub is_analysis: bool,
    /// How strong to play; `None` for as strong as it can. Analysis is always at full strength.
    pub strength: Option<Strength>,
}

impl Configuration {
    /// How strong a search with these limits is to play.
    fn strength_for(&self, limits: &Limits) -> Option<Strength> {
        let is_analysis = self.is_analysis || limits.infinite || limits.mate.is_some();
        self.strength.filter(|_| !is_analysis)
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            mode: Mode::Play,
            driver: Driver::default(),
            evaluation: Evaluation::default(),
            tables: Tablebases::default(),
            multipv: 1,
            teamwork: Teamwork::default(),
            move_overhead: DEFAULT_OVERHEAD,
            ponders: false,
            pace: None,
            is_analysis: false,
            strength: None,
        }
    }
}

/// What a move costs between engine and clock unless the user knows better: a pipe, a scheduler, a match tool.
pub const DEFAULT_OVERHEAD: Millis = Millis(10);

/// The size of a new engine's hash table.
pub const DEFAULT_HASH: Mebibytes = Mebibytes(16);

/// A chess engine.
pub struct Engine {
    /// What the next search is run with.
    pub configuration: Configuration,
    /// What is played without a search.
    pub book: OwnBook,
    game: Game,
    shared: Shared,
    pool: Pool<Worker>,
    /// The widest network that the workers, and those yet to start, have room for. Units: neurons.
    hidden: Arc<AtomicUsize>,
    pinning: Pinning,
    timekeeper: Timekeeper,
    /// When the search that runs began to think on a clock, and after how long it would start no further iteration.
    thinking: Option<(Instant, Arc<SoftLimit>)>,
}

/// The engine could not be built.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No memory for the smallest table.
    #[error(transparent)]
    Table(#[from] AllocationError),
    /// Not even one worker thread.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// No thread to keep time.
    #[error("no thread to keep time: {0}")]
    Timekeeper(io::Error),
}

impl Engine {
    /// An engine with one thread, the default table, at the start position.
    pub fn new(sink: Arc<dyn Sink>) -> Result<Self, StartError> {
        let configuration = Configuration::default();
        let hidden = Arc::new(AtomicUsize::new(configuration.evaluation.hidden()));
        let room = Arc::clone(&hidden);
        let mut pool = Pool::trying(move |id| {
            Worker::new(id, room.load(Ordering::Relaxed)).map_err(|refused| refused.to_string())
        });
        pool.resize(1, Pinning::Off)?;
        Ok(Self {
            configuration,
            book: OwnBook::default(),
            game: Game::new(Position::startpos()),
            shared: Shared::new(DEFAULT_HASH, sink)?,
            pool,
            hidden,
            pinning: Pinning::Off,
            timekeeper: Timekeeper::new().map_err(StartError::Timekeeper)?,
            thinking: None,
        })
    }

    /// The game the next search starts from.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Sets up a game. A running search goes on with the old one.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.pool.len()
    }

    /// The size of the hash table.
    pub fn hash(&self) -> Mebibytes {
        self.shared.table.size()
    }

    /// How much of the table the current search has filled.
    pub fn hashfull(&self) -> Permille {
        self.shared.table.hashfull()
    }

    /// Sets the number of threads. On failure those that run are kept.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        self.settle();
        self.pool.resize(threads, self.pinning.clone())
    }

    /// Says where the threads may run, and restarts them there.
    pub fn set_pinning(&mut self, pinning: Pinning) -> Result<(), PoolError> {
        self.pinning = pinning;
        let threads = self.threads();
        self.set_threads(threads)
    }

    /// Gives the hash table another size, empty. On failure the old one is kept, with its contents.
    pub fn set_hash(&mut self, size: Mebibytes) -> Result<(), AllocationError> {
        self.replace_table(size, self.shared.table.layout())
    }

    /// Lays the slots of the hash table out anew, empty. On failure the old one is kept, with its contents.
    pub fn set_layout(&mut self, layout: Layout) -> Result<(), AllocationError> {
        self.replace_table(self.hash(), layout)
    }

    fn replace_table(&mut self, size: Mebibytes, layout: Layout) -> Result<(), AllocationError> {
        self.settle();
        // Once the workers are idle nobody else holds the table; if somebody did, it would get a new one.
        match Arc::get_mut(&mut self.shared.table) {
            Some(table) => table.resize(size, layout)?,
            None => self.shared.table = Arc::new(Table::new(size, layout)?),
        }
        // First touch by many threads, instead of page by page in the first search.
        self.clear_table();
        Ok(())
    }

    /// All workers, which must be idle, empty the table together.
    fn clear_table(&self) {
        let (table, clearing) = (Arc::clone(&self.shared.table), Clearing::default());
        self.pool.start(Arc::new(move |_, _: &mut Worker| table.help_to_clear(&clearing)));
        self.pool.wait();
    }

    /// Empties the hash table.
    pub fn clear_hash(&mut self) {
        self.settle();
        self.clear_table();
    }

    /// Evaluates so from now on, with an empty table: the old one keeps static evaluations that now mean something
    /// else. On failure the old evaluation is kept.
    ///
    /// Errors: there is no memory for what each thread sums up of a wider network.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) -> Result<(), OutOfMemory> {
        self.settle();
        let hidden = evaluation.hidden();
        if hidden > self.hidden.load(Ordering::Relaxed) {
            let is_refused = Arc::new(AtomicBool::new(false));
            let told = Arc::clone(&is_refused);
            self.pool.start(Arc::new(move |_, worker: &mut Worker| {
                told.fetch_or(worker.make_room(hidden).is_err(), Ordering::Relaxed);
            }));
            self.pool.wait();
            if is_refused.load(Ordering::Relaxed) {
                return Err(OutOfMemory);
            }
            self.hidden.store(hidden, Ordering::Relaxed);
        }
        self.configuration.evaluation = evaluation;
        self.clear_table();
        Ok(())
    }

    /// Forgets everything about earlier games.
    pub fn new_game(&mut self) {
        self.clear_hash();
        self.shared.forget();
        self.pool.start(Arc::new(|_, worker: &mut Worker| worker.clear()));
        self.pool.wait();
    }

    /// Starts a search and returns. A search that still runs is stopped first.
    pub fn go(&mut self, limits: Limits) {
        let started = Instant::now();
        self.settle();
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
        let configuration = &self.configuration;
        // `infinite` and `movetime` are taken at their word: a clock beside them plans nothing.
        let clock = limits.clock.filter(|_| limits.movetime.is_none() && !limits.infinite);
        let temper = match &configuration.mode {
            Mode::Play => timing::temper(Fixed),
            Mode::Lab(settings) => timing::temper(settings),
        };
        let planned = clock.map(|clock| time::plan(clock, configuration.move_overhead, &temper));
        let budget =
            if configuration.ponders { planned.map(time::Budget::beside_pondering) } else { planned };
        let soft_limit = Arc::new(SoftLimit::new(budget.map_or(Duration::MAX, |budget| budget.soft)));
        // On a clock of nodes the search itself finds out, at the end of its iteration, that it has thought enough.
        let pace = configuration.pace;
        self.thinking = budget.filter(|_| pace.is_none()).map(|_| (started, Arc::clone(&soft_limit)));
        let movetime = limits.movetime.filter(|_| !limits.infinite);
        let hard = movetime.map(Millis::to_duration).or(budget.map(|budget| budget.hard));
        let deadline = hard.map(|hard| match pace {
            Some(pace) => Deadline::After(pace.nodes(hard)),
            None => Deadline::At(started + hard),
        });
        if let Some(Deadline::At(deadline)) = deadline {
            self.timekeeper.set(Arc::clone(&self.shared.control), deadline);
        }
        // A weak player thinks alone, so that the same seed errs in the same way.
        let is_team =
            configuration.strength_for(&limits).is_none() && hard.is_none_or(time::is_worth_helpers);
        let threads = if is_team { self.threads() } else { 1 };
        let plan = Plan { started, pace, budget, soft_limit, deadline, threads };
        let job = Arc::new(self.shared.job(configuration, &self.game, limits, plan));
        match configuration.mode.clone() {
            Mode::Play => self.pool.start_first(threads, Arc::new(move |_, worker| run(Fixed, &job, worker))),
            Mode::Lab(settings) => {
                self.pool.start_first(threads, Arc::new(move |_, worker| run(&settings, &job, worker)));
            }
        }
    }

    /// What the book says, where a move is wanted and not an analysis.
    fn book_move(&mut self, limits: &Limits) -> Option<Choice> {
        let is_analysis =
            limits.infinite || limits.ponder || limits.mate.is_some() || self.configuration.is_analysis;
        if is_analysis { None } else { self.book.choose(&self.game, &limits.searchmoves) }
    }

    /// Asks a running search to end soon. Does nothing when idle.
    pub fn stop(&self) {
        self.shared.control.stop();
    }

    /// The move that was pondered on has been played. Time pondered counts as time thought: a search that would not
    /// have started another iteration by now is over.
    pub fn ponderhit(&self) {
        let was_pondering = self.shared.control.is_pondering();
        self.shared.control.ponderhit();
        self.timekeeper.recheck();
        let is_enough = |(started, soft): &(Instant, Arc<SoftLimit>)| started.elapsed() >= soft.limit();
        if was_pondering && self.thinking.as_ref().is_some_and(is_enough) {
            self.shared.control.stop();
        }
    }

    /// Is a search running?
    pub fn is_searching(&self) -> bool {
        self.shared.control.is_searching()
    }

    /// Parks until the search is over by itself.
    pub fn wait(&self) {
        self.shared.control.wait_idle();
        self.pool.wait();
    }

    /// Stops a running search and waits for its end.
    pub fn settle(&self) {
        self.stop();
        self.wait();
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
    use crate::search::events::Event;

    struct Deaf;

    impl Sink for Deaf {
        fn event(&self, _event: &Event) {}
    }

    #[test]
    fn a_search_ends_without_its_alarm_too() {
        let mut engine = Engine::new(Arc::new(Deaf)).expect("an engine");
        let limits = |ponder| Limits { movetime: Some(Millis(30)), ponder, ..Limits::default() };
        let started = Instant::now();
        engine.go(limits(false));
        engine.timekeeper.clear();
        engine.wait();
        assert!(started.elapsed() >= Duration::from_millis(30));
        // While the opponent thinks the clock is not ours, and nobody may look at it.
        engine.go(limits(true));
        engine.timekeeper.clear();
        std::thread::sleep(Duration::from_millis(60));
        assert!(!engine.shared.control.should_stop());
        engine.ponderhit();
        engine.wait();
    }
}
