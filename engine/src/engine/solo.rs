//! Searches on the caller's own thread, for programs that want very many short ones: no pool, no clock, no hand-over.

use std::sync::Arc;

use super::shared::{Plan, Shared};
use super::{Configuration, Mode};
use crate::memory::OutOfMemory;
use crate::position::Game;
use crate::search::events::{Event, Outcome, Sink};
use crate::search::limits::Limits;
use crate::search::switches::Fixed;
use crate::search::{Worker, run};
use crate::sync::Mutex;
use crate::threads::control::Hold;
use crate::tt::AllocationError;
use crate::types::Mebibytes;

/// One worker and all it searches with.
pub struct Solo {
    /// What the next search is run with.
    pub configuration: Configuration,
    shared: Shared,
    worker: Worker,
    last: Arc<Mutex<Option<Outcome>>>,
}

/// Hears how a search ended, and nothing else.
struct Ear(Arc<Mutex<Option<Outcome>>>);

impl Sink for Ear {
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
    /// A searcher with a hash table of its own.
    pub fn new(hash: Mebibytes, configuration: Configuration) -> Result<Self, AllocationError> {
        let last = Arc::new(Mutex::new(None));
        let shared = Shared::new(hash, Arc::new(Ear(Arc::clone(&last))))?;
        let worker = Worker::new(0, configuration.evaluation.hidden())
            .map_err(|OutOfMemory| AllocationError::Refused { asked: hash })?;
        Ok(Self { configuration, shared, worker, last })
    }

    /// Forgets everything about earlier games.
    pub fn new_game(&mut self) {
        self.shared.table.clear();
        self.shared.forget();
        self.worker.clear();
    }

    /// Searches to a limit of depth or nodes; others do not count here. The same calls since [`Solo::new_game`] give the
    /// same outcomes.
    ///
    /// # Panics
    /// When there is no such limit.
    pub fn search(&mut self, game: &Game, limits: Limits) -> Outcome {
        let is_bounded = limits.depth.is_some() || limits.nodes.is_some() || limits.soft_nodes.is_some();
        assert!(is_bounded, "a search without an end");
        let limits = Limits { infinite: false, ponder: false, clock: None, movetime: None, ..limits };
        let is_begun = self.shared.control.begin(Hold::Free);
        debug_assert!(is_begun, "nobody else has this control");
        let job = self.shared.job(&self.configuration, game, limits, Plan::alone());
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
    fn repeats_itself_after_a_new_game() {
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
    fn a_soft_limit_ends_with_an_iteration() {
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
    fn no_legal_move_is_no_move() {
        let game = Game::new(Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").expect("a position"));
        let outcome = solo().search(&game, Limits { depth: Some(Depth(3)), ..Limits::default() });
        assert_eq!(outcome.best, None);
    }
}
