//! What a search tells the world while it runs.
//!
//! The search emits events and never prints; the UCI layer, the bench and the tests each bring a sink.

use std::time::Duration;

use crate::book::Choice;
use crate::types::{Bound, Depth, Move, Nodes, Permille, Score};

/// One line of analysis.
#[derive(Clone, Debug)]
pub struct Report {
    /// The iteration.
    pub depth: Depth,
    /// The deepest ply reached below the first move of the line.
    pub seldepth: u16,
    /// Which of the best moves this is, from 1.
    pub multipv: usize,
    /// What it is worth to the side to move at the root.
    pub score: Score,
    /// What the score says; anything but exact is a failed aspiration window.
    pub bound: Bound,
    /// Nodes of all workers so far.
    pub nodes: Nodes,
    /// Those of the main worker among them: the clock of a measurement that must not depend on the machine.
    pub main_nodes: Nodes,
    /// What the main worker counted beside them; nothing in play.
    pub tally: Tally,
    /// Time since `go`.
    pub elapsed: Duration,
    /// How full the hash table is.
    pub hashfull: Permille,
    /// Positions that endgame tables knew, of all workers.
    pub table_hits: u64,
    /// The expected line, best move first.
    pub pv: Vec<Move>,
}

/// What a worker counts beside nodes, in the laboratory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Nodes of the full-width search that a move cut off.
    pub cutoffs: u64,
    /// Those that the first move searched cut off.
    pub first_cutoffs: u64,
    /// Nodes of quiescence.
    pub quiescence: u64,
}

impl Tally {
    /// Counts a cutoff by a move with so many, itself among them, searched in its node.
    pub(crate) fn note_cutoff(&mut self, searched: usize) {
        self.cutoffs += 1;
        self.first_cutoffs += u64::from(searched == 1);
    }
}

/// The end of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The move to play; `None` when there is no legal one.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The score of the move played.
    pub score: Score,
    /// The last iteration the winner completed.
    pub depth: Depth,
    /// Nodes of all workers.
    pub nodes: Nodes,
}

/// Something a search tells.
#[derive(Clone, Debug)]
pub enum Event {
    /// A line of analysis.
    Report(Report),
    /// The root move that is being searched, and its number from 1.
    CurrentMove(Depth, Move, usize),
    /// The move is from the book; nothing is searched.
    Book(Choice),
    /// There is no move to search: mated (in check) or stalemated.
    GameOver {
        /// Is it mate?
        is_mate: bool,
    },
    /// An endgame table that was asked has proved to be damaged, and is left out from now on.
    TableFailed(String),
    /// The search is over. Nothing follows.
    Done(Outcome),
}

/// Where events go. Called from worker threads.
pub trait Sink: Send + Sync {
    /// Takes one event.
    fn event(&self, event: &Event);

    /// Shall lines of analysis be told? Where nobody reads them, making them costs a short search more than it searches.
    fn wants_reports(&self) -> bool {
        true
    }
}

/// Any function of an event is a sink.
impl<F: Fn(&Event) + Send + Sync> Sink for F {
    fn event(&self, event: &Event) {
        self(event);
    }
}
