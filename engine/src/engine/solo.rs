//! A searcher that runs on the caller's thread, for programs with very many short searches: no pool
//! and no clock.

use std::sync::Arc;

use super::configuration::{Configuration, Mode};
use super::shared::{SearchPlan, Shared};
use crate::memory::OutOfMemory;
use crate::position::Game;
use crate::search::events::{Event, SearchResult, Sink};
use crate::search::limits::Limits;
use crate::search::switches::Fixed;
use crate::search::{Worker, run};
use crate::sync::Mutex;
use crate::threads::control::Hold;
use crate::tt::AllocationError;
use crate::types::Mebibytes;

/// A single worker with its own hash table.
pub struct Solo {
    /// The settings of the next search.
    pub configuration: Configuration,
    shared: Shared,
    worker: Worker,
    last: Arc<Mutex<Option<SearchResult>>>,
}

/// A sink that keeps the outcome of the last search and ignores all other events.
struct OutcomeSink(Arc<Mutex<Option<SearchResult>>>);

impl Sink for OutcomeSink {
    fn event(&self, event: &Event) {
        if let Event::Done(outcome) = event {
            *self.0.lock() = Some(outcome.clone());
        }
    }

    fn wants_reports(&self) -> bool {
        false
    }
}

impl Solo {
    /// Creates a searcher with its own hash table.
    ///
    /// Errors: there is no memory for the table or for the worker.
    pub fn new(hash: Mebibytes, configuration: Configuration) -> Result<Self, AllocationError> {
        let last = Arc::new(Mutex::new(None));
        let shared = Shared::new(hash, Arc::new(OutcomeSink(Arc::clone(&last))))?;
        let worker = Worker::new(0, configuration.evaluation.hidden())
            .map_err(|OutOfMemory| AllocationError::Refused { asked: hash })?;
        Ok(Self { configuration, shared, worker, last })
    }

    /// Clears everything learned from earlier games.
    pub fn new_game(&mut self) {
        self.shared.tt.clear();
        self.shared.forget();
        self.worker.clear();
    }

    /// Searches to a limit of depth or nodes and ignores all other limits. The same calls since
    /// [`Solo::new_game`] give the same outcomes.
    ///
    /// # Panics
    /// When `limits` has neither a depth nor a number of nodes.
    pub fn search(&mut self, game: &Game, limits: Limits) -> SearchResult {
        let is_bounded = limits.depth.is_some() || limits.nodes.is_some() || limits.soft_nodes.is_some();
        assert!(is_bounded, "a search needs a limit of depth or nodes");
        let limits =
            Limits { infinite: false, ponder: false, clock: None, movetime: None, mate: None, ..limits };
        let is_begun = self.shared.control.begin(Hold::Free);
        debug_assert!(is_begun, "only this searcher uses its control");
        let job = self.shared.job(&self.configuration, game, limits, SearchPlan::alone());
        match &self.configuration.mode {
            Mode::Play => run(Fixed, &job, &mut self.worker),
            Mode::Lab(settings) => run(settings, &job, &mut self.worker),
        }
        self.last.lock().take().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::types::{Depth, Nodes};

    fn solo() -> Solo {
        Solo::new(Mebibytes(1), Configuration::default()).expect("a table of one MiB")
    }

    #[test]
    fn new_game_makes_a_game_repeat_itself() {
        let mut solo = solo();
        let mut play = || {
            solo.new_game();
            let mut game = Game::new(Position::startpos());
            let mut outcomes = Vec::new();
            for _ in 0..12 {
                let limits = Limits { soft_nodes: Some(Nodes(200)), ..Limits::default() };
                let outcome = solo.search(&game, limits);
                game.play(outcome.best.expect("a move"));
                outcomes.push(outcome);
            }
            outcomes
        };
        let first = play();
        assert_eq!(first, play());
    }

    #[test]
    fn soft_node_limit_stops_after_a_complete_iteration() {
        let game = Game::new(Position::startpos());
        let soft = |nodes| {
            let limits = Limits { soft_nodes: Some(Nodes(nodes)), ..Limits::default() };
            solo().search(&game, limits)
        };
        let deep = |depth| solo().search(&game, Limits { depth: Some(Depth(depth)), ..Limits::default() });
        let found = soft(1000);
        assert!(found.nodes.0 >= 1000);
        assert_eq!(found, deep(found.depth.0));
        assert!(deep(found.depth.0 - 1).nodes.0 < 1000);
        assert_eq!(soft(1).depth, Depth(1));
    }

    #[test]
    fn search_without_legal_moves_returns_no_move() {
        let game = Game::new(Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").expect("a position"));
        let outcome = solo().search(&game, Limits { depth: Some(Depth(3)), ..Limits::default() });
        assert_eq!(outcome.best, None);
    }
}
