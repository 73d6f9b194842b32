//! The events a search emits.
//!
//! The search never prints: the UCI layer, the bench and the tests each provide a sink.

use std::time::Duration;

use crate::book::Choice;
use crate::eval::WdlCurve;
use crate::threads::vote::Ballot;
use crate::types::{Bound, Depth, Move, Nodes, Permille, Score};

/// One line of analysis.
#[derive(Clone, Debug)]
pub struct Report {
    /// The depth of the iteration that found the line.
    pub depth: Depth,
    /// The deepest ply reached below the first move of the line.
    pub seldepth: u16,
    /// The index of the line, from 1.
    pub multipv: usize,
    /// The score for the side to move at the root.
    pub score: Score,
    /// The bound of the score; not exact after a failed aspiration window.
    pub bound: Bound,
    /// The curves that give the chances of win, draw and loss of a score.
    pub curve: WdlCurve,
    /// Whether tables prove that the line ends in a draw, with the fifty-move rule taken into account.
    pub is_tb_draw: bool,
    /// The counts when the line was found.
    pub progress: Progress,
    /// Nodes of the main worker, which measure time independently of the machine.
    pub main_nodes: Nodes,
    /// Statistics of the main worker; empty in play.
    pub tally: Tally,
    /// The principal variation, from the root move on.
    pub pv: Vec<Move>,
}

/// The statistics of a worker, collected in the lab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cutoffs by a move in the main search.
    pub cutoffs: u64,
    /// Cutoffs by the first move searched.
    pub first_cutoffs: u64,
    /// Nodes of quiescence search.
    pub quiescence: u64,
    /// Null-window searches of moves of PV nodes.
    pub null_windows: u64,
}

impl Tally {
    /// Counts a cutoff by the last of `searched` moves.
    pub(crate) fn note_cutoff(&mut self, searched: usize) {
        self.cutoffs += 1;
        self.first_cutoffs += u64::from(searched == 1);
    }
}

/// Counts that a running search reports between its lines of analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Nodes of all workers so far.
    pub nodes: Nodes,
    /// Wall time since `go`, with the time spent pondering.
    pub elapsed: Duration,
    /// The share of the TT that this search has filled.
    pub hashfull: Permille,
    /// Tablebase hits of all workers.
    pub tb_hits: u64,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play; `None` when there is no legal one.
    pub best: Option<Move>,
    /// The expected reply, to ponder on; `None` if there is none.
    pub ponder: Option<Move>,
    /// The score of the move played.
    pub score: Score,
    /// The depth with which the winner votes; zero if its move has no score of its own.
    pub depth: Depth,
    /// Nodes of all workers.
    pub nodes: Nodes,
    /// Nodes of each worker, the main worker first.
    pub nodes_by_worker: Vec<Nodes>,
}

/// The vote of one worker, with what a formula may weigh it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedBallot {
    /// Index of the worker; 0 is the main worker.
    pub thread: usize,
    /// The move that it would play.
    pub mv: Move,
    /// The score of the move.
    pub score: Score,
    /// The last iteration it has completed; zero if it has no say.
    pub depth: Depth,
    /// The iteration in which the move became the best and since which it has stayed so.
    pub since: Depth,
    /// Nodes of the worker up to its last result.
    pub nodes: Nodes,
    /// Nodes below the move among them.
    pub best_nodes: Nodes,
}

impl LoggedBallot {
    /// Returns the ballot as the vote counts it.
    pub fn ballot(&self) -> Ballot {
        let Self { mv, score, depth, .. } = *self;
        Ballot { mv, score, depth }
    }
}

/// An event of a search.
#[derive(Clone, Debug)]
pub enum Event {
    /// A line of analysis.
    Report(Report),
    /// The counts so far, once a second.
    Progress(Progress),
    /// The root move being searched, and its number from 1.
    CurrentMove(Depth, Move, usize),
    /// A book move; nothing is searched.
    Book(Choice),
    /// There is no legal move.
    GameOver {
        /// Whether it is checkmate; otherwise stalemate.
        is_mate: bool,
    },
    /// A tablebase file is damaged, and is ignored from now on.
    TableFailed(String),
    /// The vote of one worker at the end of the search, if ballots are logged.
    Ballot(LoggedBallot),
    /// The last first line is less deep than one reported before: this worker has won the vote, or the
    /// main worker, 0, has not finished the iteration.
    ShallowerLine {
        /// The worker whose line follows.
        thread: usize,
        /// The depth of its line.
        depth: Depth,
        /// The greatest depth reported.
        shown: Depth,
    },
    /// The search is over. No event follows.
    Done(SearchResult),
}

/// A receiver of events. Called from worker threads.
pub trait Sink: Send + Sync {
    /// Receives an event. The worker that sends it waits for the return.
    fn event(&self, event: &Event);

    /// Whether to send lines of analysis. Building them dominates the cost of very short searches.
    fn wants_reports(&self) -> bool {
        true
    }
}

/// Calls the function with each event.
impl<F: Fn(&Event) + Send + Sync> Sink for F {
    fn event(&self, event: &Event) {
        self(event);
    }
}
