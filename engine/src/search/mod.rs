//! The search: from a [`Job`] to a move.
//!
//! [`run`] is what each thread of the pool does with its [`Worker`]. `driver` walks the tree, `heuristics` holds
//! the bets, `switches` and `params` what can be turned off or tuned. The caller is `engine`, which builds the job;
//! events go to the job's sink. Nothing here prints, waits for a clock, or reaches a global.

mod draw;
pub mod driver;
pub mod events;
mod hash;
mod heuristics;
pub mod limits;
pub mod params;
mod picker;
mod quiescence;
pub mod switches;
pub mod timing;
mod worker;

pub use worker::{Job, Teamwork, Worker};

pub(crate) use heuristics::correction_history::CorrectionHistory;
pub(crate) use heuristics::history::Histories;
pub(crate) use heuristics::tablebase::Consulted;
pub(crate) use worker::{Counter, Deadline};

use events::{Event, Outcome, Tally};
use switches::Toggles;
use worker::{Findings, Known, RootMove, Search};

use crate::strength::Handicap;
use crate::sync::atomic::Ordering;
use crate::threads::vote;
use crate::types::{Bound, Depth, Move, Score};

/// One worker's part of a search.
///
/// The main worker ends the search: it stops the helpers, counts the votes and reports, without waiting until the
/// last helper has noticed, which with more threads than cores could take a while. The last one out, whoever it
/// is, says that the engine is idle.
pub fn run<T: Toggles>(toggles: T, job: &Job, worker: &mut Worker) {
    let _leave = Leave(job);
    // Given up before the worker leaves, so that nobody waits for the turn of one who is gone.
    let _seat = job.lockstep.as_ref().map(|lockstep| lockstep.sit_down(worker.id));
    worker.prepare(job);
    let (histories, corrections) = (worker.histories(toggles, job), worker.corrections(job));
    let mut search = Search { toggles, job, worker, histories: &histories, corrections: &corrections };
    search.deepen();
    let is_main = search.is_main();
    search.publish_counts();
    if is_main {
        if job.root_moves.is_empty() {
            job.sink.event(&Event::GameOver { is_mate: job.game.position().is_check() });
        }
        job.control.wait_for_stop_or_ponderhit();
        job.control.stop();
        job.publish(worker);
        conclude(toggles, job, worker.tally);
    }
}

/// Leaves the search when dropped, also by a panic, which must leave nobody waiting.
struct Leave<'a>(&'a Job);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.control.stop();
        }
        // Release, so that whoever sees the engine idle sees what every worker wrote.
        if self.0.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.control.finish();
        }
    }
}

/// Chooses the worker whose move is played, reports its lines once more, and ends the search.
fn conclude(toggles: impl Toggles, job: &Job, tally: Tally) {
    // A helper that has completed nothing yet is not among them; the main worker, the first, always is.
    let findings: Vec<Findings> = job.board.all().collect();
    let ballots: Vec<_> = findings.iter().filter_map(|findings| findings.ballot).collect();
    let is_voting = job.teamwork.is_voting && job.multipv == 1 && job.limits.depth.is_none();
    let winner = if is_voting { vote::winner(&ballots) } else { 0 };
    let Some(winner) = findings.get(winner) else { return };
    let depth = winner.ballot.map_or(Depth::ZERO, |ballot| ballot.depth);
    let mut score = Score::DRAW;
    let mut lines: Vec<&RootMove> = winner.lines.iter().collect();
    if let Some(handicap) = &job.handicap {
        err(handicap, &mut lines);
    }
    for (index, line) in lines.iter().enumerate() {
        let known = match (index, line.known.is_something()) {
            (_, true) => line.known,
            // Stopped before the first iteration said anything: the evaluation must do.
            (0, false) => Known { score: job.evaluation.evaluate(job.game.position()), bound: Bound::Exact },
            // A line of MultiPV that was never searched.
            (_, false) => continue,
        };
        if index == 0 {
            score = line.told(known).score;
        }
        job.report(depth.max(Depth(1)), index, line, known, tally);
    }
    for failure in job.consulted.tables.failures() {
        job.sink.event(&Event::TableFailed(failure));
    }
    let best = lines.first();
    job.sink.event(&Event::Done(Outcome {
        best: best.map(|line| line.mv),
        ponder: best
            .and_then(|line| line.pv.get(1).copied().or_else(|| expected_reply(toggles, job, line.mv))),
        score,
        depth,
        nodes: job.nodes(),
    }));
}

/// Puts the move that a handicap chooses to the front.
fn err(handicap: &Handicap, lines: &mut [&RootMove]) {
    // Searched lines stand before those that the search did not come to.
    let scores: Vec<Score> = lines
        .iter()
        .map(|line| line.known)
        .take_while(|known| known.is_something())
        .map(|known| known.score)
        .collect();
    if let Some(chosen) = handicap.choose(&scores) {
        lines[..=chosen].rotate_right(1);
    }
}

/// The reply the hash table expects where the line ends with our own move.
fn expected_reply(toggles: impl Toggles, job: &Job, mv: Move) -> Option<Move> {
    let position = job.game.position().after(mv);
    let reply = job.table.probe(hash::key(toggles, &position))?.mv?;
    position.is_legal(reply).then_some(reply)
}
