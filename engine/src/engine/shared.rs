//! What all searches of one engine share, and the frozen job each is made of it.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::Configuration;
use crate::book::Choice;
use crate::position::Game;
use crate::search::events::{Event, Outcome, Sink};
use crate::search::limits::Limits;
use crate::search::timing::SoftLimit;
use crate::search::{Consulted, CorrectionHistory, Counter, Deadline, Histories, Job};
use crate::sync::atomic::AtomicUsize;
use crate::tablebase::Tablebases;
use crate::threads::board::Board;
use crate::threads::control::SearchControl;
use crate::threads::lockstep::Lockstep;
use crate::time::{Budget, Pace};
use crate::tt::{AllocationError, Layout, Table};
use crate::types::{Mebibytes, Move, Nodes};

/// Endgame tables may take one part in so many of what is left on the clock.
const PATIENCE: u32 = 8;

/// A table, what was learned, a handshake, and who listens.
pub(super) struct Shared {
    pub(super) table: Arc<Table>,
    /// Made when a team first wants to share them.
    histories: OnceLock<Arc<Histories>>,
    corrections: Arc<CorrectionHistory>,
    pub(super) control: Arc<SearchControl>,
    sink: Arc<dyn Sink>,
}

/// How long a search may take, and how many take part.
pub(super) struct Plan {
    pub(super) started: Instant,
    /// How fast the clock runs, if it counts nodes.
    pub(super) pace: Option<Pace>,
    pub(super) budget: Option<Budget>,
    /// The budget's soft limit, which the main worker moves.
    pub(super) soft_limit: Arc<SoftLimit>,
    /// When it must be over.
    pub(super) deadline: Option<Deadline>,
    pub(super) threads: usize,
}

impl Plan {
    /// By one thread, with whatever limits there are but no clock.
    pub(super) fn alone() -> Self {
        let soft_limit = Arc::new(SoftLimit::new(Duration::MAX));
        Self { started: Instant::now(), pace: None, budget: None, soft_limit, deadline: None, threads: 1 }
    }
}

impl Shared {
    pub(super) fn new(hash: Mebibytes, sink: Arc<dyn Sink>) -> Result<Self, AllocationError> {
        Ok(Self {
            table: Arc::new(Table::new(hash, Layout::default())?),
            histories: OnceLock::new(),
            corrections: Arc::new(CorrectionHistory::new()),
            control: Arc::new(SearchControl::new()),
            sink,
        })
    }

    /// Forgets what was learned from earlier games. The table is the caller's, who knows how many threads can clear it.
    pub(super) fn forget(&mut self) {
        self.histories = OnceLock::new();
        // Between two games nobody else holds them; if somebody did, he would keep the old ones.
        match Arc::get_mut(&mut self.corrections) {
            Some(corrections) => corrections.clear(),
            None => self.corrections = Arc::new(CorrectionHistory::new()),
        }
    }

    /// Ends the search just begun with a move of the book.
    pub(super) fn answer(&self, choice: Choice) {
        let best = Some(choice.taken.mv);
        self.sink.event(&Event::Book(choice));
        self.sink.event(&Event::Done(Outcome { best, ..Outcome::default() }));
        self.control.finish();
    }

    /// The histories that all workers of a search share.
    fn histories_of_the_team(&self) -> Arc<Histories> {
        let new = || Arc::new(Histories::new().expect("memory for as much as each worker has"));
        let histories = self.histories.get_or_init(new);
        histories.start_search();
        Arc::clone(histories)
    }

    /// A search of the position on the board.
    pub(super) fn job(&self, configuration: &Configuration, game: &Game, limits: Limits, plan: Plan) -> Job {
        self.table.new_search();
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
        let multipv = level.map_or(configuration.multipv, |level| level.lines.max(configuration.multipv));
        // Tables know too much for a weak player.
        let tables = if level.is_some() { &Tablebases::default() } else { &configuration.tables };
        // Tables that have to be decoded must not lose the game on time.
        let patience = limits.clock.map(|clock| clock.remaining.to_duration() / PATIENCE);
        let (root_moves, consulted) = Consulted::at_root(tables, game, moves, multipv, patience);
        let teamwork = configuration.teamwork;
        Job {
            game: game.clone(),
            budget: plan.budget,
            soft_limit: plan.soft_limit,
            deadline: plan.deadline,
            multipv: multipv.clamp(1, root_moves.len().max(1)),
            shown: configuration.multipv,
            handicap,
            limits,
            root_moves,
            consulted,
            table: Arc::clone(&self.table),
            histories: teamwork.shares_histories.then(|| self.histories_of_the_team()),
            corrections: teamwork.shares_corrections.then(|| Arc::clone(&self.corrections)),
            control: Arc::clone(&self.control),
            counters: (0..plan.threads).map(|_| Counter::default()).collect(),
            driver: configuration.driver,
            evaluation: configuration.evaluation.clone(),
            teamwork,
            lockstep: teamwork.turn.map(|turn| Lockstep::new(plan.threads, turn)),
            is_analysis: configuration.is_analysis,
            started: plan.started,
            pace: plan.pace,
            sink: Arc::clone(&self.sink),
            board: Board::new(plan.threads, teamwork.relay),
            running: AtomicUsize::new(plan.threads),
        }
    }
}
