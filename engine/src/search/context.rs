//! The search context: the struct whose methods are the node functions.
//!
//! The methods are spread over several files: `driver`, `quiescence`, `tablebases`, `tt_access`,
//! `stopping` and `draw` import this file and call each other's methods through [`Search`].

use super::heuristics::correction_history::CorrectionHistory;
use super::heuristics::experimental::{ending_scale, fifty_move_scaling};
use super::heuristics::history::histories::Histories;
use super::job::Job;
use super::switches::{Toggles, on};
use super::worker::Worker;
use crate::eval::{Evaluation, mating};
use crate::position::Position;
use crate::tt::TableView;
use crate::types::{Ply, Score, Window};

/// The search is over and the iteration aborted. Everything below the root unwinds and writes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// A running worker with its job.
pub(crate) struct Search<'a, T: Toggles> {
    pub(crate) toggles: T,
    pub(crate) job: &'a Job,
    /// The job's transposition table.
    pub(crate) tt: TableView<'a>,
    pub(crate) worker: &'a mut Worker,
    /// The worker's own histories, or those of its group where they are shared.
    pub(crate) histories: &'a Histories<'a>,
    /// The correction history of the group or the worker's own.
    pub(crate) corrections: CorrectionHistory<'a>,
}

impl<T: Toggles> Search<'_, T> {
    /// Whether this is the main worker, which reports and keeps the time.
    pub(crate) fn is_main(&self) -> bool {
        self.worker.id == 0
    }

    /// Returns the score of a node as its caller sees it: fail-soft, or limited to the window.
    #[inline]
    pub(crate) fn returned(&self, score: Score, window: Window) -> Score {
        if on!(self.toggles, FailSoft) { score } else { score.clamp(window.alpha, window.beta) }
    }

    /// Returns the raw static evaluation of a node.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position, ply: Ply) -> Score {
        match &self.job.evaluation {
            Evaluation::Network(network) => mating::evaluate(position)
                .unwrap_or_else(|| self.worker.accumulators.evaluate(network, position, ply)),
            other => other.evaluate(position),
        }
    }

    /// Returns the static evaluation after the scales of endings and of the fifty-move counter, and
    /// after correction history.
    #[inline]
    pub(crate) fn corrected_eval(&self, raw: Score, correction: i32, position: &Position) -> Score {
        let raw = ending_scale::scaled(self.toggles, raw, position, &self.job.evaluation);
        (fifty_move_scaling::scaled(self.toggles, raw, position) + correction).clamp_to_eval()
    }
}
