//! One worker's part of a search, from the start of the job to the final report.

use std::thread;
use std::time::Instant;

use super::context::Search;
use super::events::{Event, LoggedBallot, SearchResult, Tally};
use super::job::{IterationResult, Job};
use super::root_moves::{RootMove, RootResult};
use super::switches::Toggles;
use super::tt_access;
use super::worker::Worker;
use crate::strength::Handicap;
use crate::sync::atomic::Ordering;
use crate::sync::coherence;
use crate::threads::vote::{self, Ballot};
use crate::types::{Bound, Depth, Move, Nodes, Score};

/// Runs one worker's part of a search.
///
/// The main worker ends the search: it stops the helpers, counts the votes and reports the move. It
/// does not wait until the last helper has noticed, which could take a while with more threads than
/// cores. The last worker to finish, whichever it is, marks the engine as idle.
pub fn run<T: Toggles>(toggles: T, job: &Job, worker: &mut Worker) {
    let _finish = FinishGuard(job);
    // Does nothing without the feature `coherence`, which counts what shared tables cost.
    coherence::count_as(job.lockstep.as_ref().map(|_| worker.id));
    // Dropped before the finish guard, so that no worker waits for the turn of one that has
    // finished.
    let _turn = job.lockstep.as_ref().map(|lockstep| lockstep.join(worker.id));
    worker.prepare(job);
    let own = worker.histories();
    let histories = job.histories_of(worker.id, own.histories());
    let corrections = worker.corrections(job);
    let mut search = Search {
        toggles,
        job,
        tt: job.tt.view(),
        worker,
        histories: &histories,
        corrections: corrections.history(),
    };
    search.deepen();
    search.give_back_nodes();
    search.publish_counts();
    if search.is_main() {
        if job.root_moves.is_empty() {
            job.sink.event(&Event::GameOver { is_mate: job.game.position().is_check() });
        }
        job.control.wait_for_stop_or_ponderhit();
        if let Some(moment) = search.answer_time() {
            job.control.wait_for_stop_until(moment);
        }
        job.control.stop();
        search.publish_result();
        conclude(toggles, job, worker.tally);
    }
}

impl<T: Toggles> Search<'_, T> {
    /// Returns the moment at which a search with simulated thinking time reports its move.
    fn answer_time(&self) -> Option<Instant> {
        let (handicap, budget) = (self.job.handicap?, self.job.simulated?);
        let lines = self.worker.root_moves.iter().take(self.job.multipv);
        Some(self.job.started + handicap.thinking_time(&searched_scores(lines), budget.soft, budget.hard))
    }
}

/// Marks the worker as finished when dropped. A panic drops it too, so that no other thread waits
/// forever.
struct FinishGuard<'a>(&'a Job);

impl Drop for FinishGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.control.stop();
        }
        if self.0.running.leave() {
            if coherence::IS_ON && self.0.lockstep.is_some() {
                coherence::with(|directory| directory.add_nodes(self.0.nodes().0));
            }
            self.0.control.finish();
        }
    }
}

/// Chooses the worker whose move is played, reports its lines once more, and ends the search.
fn conclude(toggles: impl Toggles, job: &Job, tally: Tally) {
    let (winner, IterationResult { depth, lines, .. }) = elect(job);
    let mut score = Score::DRAW;
    let mut ponder = None;
    let mut lines: Vec<&RootMove> = lines.iter().collect();
    if let Some(handicap) = &job.handicap {
        apply_handicap(handicap, &mut lines);
    }
    for (index, line) in lines.iter().enumerate() {
        let unsearched;
        let current = match (index, line.current.is_searched()) {
            (_, true) => &line.current,
            // The search was stopped before the first iteration had a score: report the static
            // evaluation.
            (0, false) => {
                let score = job.evaluation.evaluate(job.game.position());
                unsearched = RootResult::without_line(score, Bound::Exact, Depth::ZERO);
                &unsearched
            }
            // A MultiPV line that was never searched.
            (_, false) => continue,
        };
        if index == 0 {
            let (reported, _, pv) = job.reported_line(line, current);
            score = reported;
            ponder = pv.get(1).copied();
            let shown = Depth(job.reported_depth.load(Ordering::Relaxed));
            if current.depth < shown {
                job.sink.event(&Event::ShallowerLine { thread: winner, depth: current.depth, shown });
            }
        }
        job.report(index, line, current, tally);
    }
    for failure in job.tb_config.tables.failures() {
        job.sink.event(&Event::TableFailed(failure));
    }
    let best = lines.first();
    job.sink.event(&Event::Done(SearchResult {
        best: best.map(|line| line.mv),
        ponder: ponder.or_else(|| expected_reply(toggles, job, best?.mv)),
        score,
        depth,
        nodes: job.nodes(),
        nodes_by_worker: job.nodes_by_worker(),
    }));
}

/// Returns the worker that the vote selects, and its result. Every helper stops, so this ends.
fn elect(job: &Job) -> (usize, IterationResult) {
    let is_voting = job.is_decided_by_vote();
    let choose = |ballots: &[Ballot]| if is_voting { vote::winner(ballots) } else { 0 };
    let elected = job.results.elect(choose, |result| result.lines.first().map(|line| line.mv));
    if job.teamwork.logs_ballots {
        log_ballots(job);
    }
    elected
}

/// Reports the vote of each worker that has one.
fn log_ballots(job: &Job) {
    for (thread, _) in job.results.ballots() {
        let Some(IterationResult { depth, lines, since, nodes }) = job.results.result_of(thread) else {
            continue;
        };
        if let Some(best) = lines.first() {
            job.sink.event(&Event::Ballot(LoggedBallot {
                thread,
                mv: best.mv,
                score: best.current.score,
                depth,
                since,
                nodes,
                best_nodes: Nodes(best.nodes),
            }));
        }
    }
}

/// Moves the line that the handicap chooses to the front.
fn apply_handicap(handicap: &Handicap, lines: &mut [&RootMove]) {
    if let Some(chosen) = handicap.choose(&searched_scores(lines.iter().copied())) {
        lines[..=chosen].rotate_right(1);
    }
}

/// Returns the scores of the lines that the search reached, which precede the others.
fn searched_scores<'a>(lines: impl Iterator<Item = &'a RootMove>) -> Vec<Score> {
    let scores = lines.map(|line| &line.current).take_while(|current| current.is_searched());
    scores.map(|current| current.score).collect()
}

/// Returns the TT move of the position after `mv`: the ponder move where the line has only one
/// move.
fn expected_reply(toggles: impl Toggles, job: &Job, mv: Move) -> Option<Move> {
    let position = job.game.position().after(mv);
    let reply = job.tt.probe(tt_access::key(toggles, &position))?.mv?;
    position.is_legal(reply).then_some(reply)
}
