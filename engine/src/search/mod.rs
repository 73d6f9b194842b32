//! The search: from a [`Job`] to a move.
//!
//! [`run`] is what each thread of the pool does with its [`Worker`]. `driver` walks the tree, `heuristics` holds
//! the bets, `switches` and `params` what can be turned off or tuned. The caller is `engine`, which builds the job;
//! events go to the job's sink. Nothing here prints, reads a clock but the main worker's, or reaches a global.

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
mod worker;

pub use worker::{Job, Teamwork, Worker};

pub(crate) use worker::Counter;

use events::{Event, Outcome, Report};
use switches::Toggles;
use worker::{Finished, Search};

use crate::threads::vote;
use crate::types::{Bound, Depth, Move, Score};

/// One worker's part of a search. The last worker to finish counts the votes and reports the move.
pub fn run<T: Toggles>(toggles: T, job: &Job, worker: &mut Worker) {
    worker.prepare(job);
    let mut search = Search { toggles, job, worker };
    search.deepen();
    if search.is_main() {
        if job.root_moves.is_empty() {
            job.sink.event(&Event::GameOver { is_mate: job.game.position().is_check() });
        }
        job.control.wait_for_stop_or_ponderhit();
        job.control.stop();
    }
    job.counters[worker.id].set(worker.nodes);
    hand_in(job, worker);
}

/// Leaves what the worker found; whoever is last concludes the search.
fn hand_in(job: &Job, worker: &Worker) {
    let lines = worker.root_moves.iter().take(job.multipv).cloned().collect();
    let mut finished = job.finished.lock();
    finished[worker.id] = Some(Finished { ballot: worker.ballot(), lines });
    if finished.iter().all(Option::is_some) {
        let finished: Vec<Finished> = finished.iter().flatten().cloned().collect();
        conclude(job, &finished);
        job.control.finish();
    }
}

/// Chooses the worker whose move is played, reports its lines once more, and ends the search.
fn conclude(job: &Job, finished: &[Finished]) {
    // Workers have the same root moves, so either all have something to say or none has.
    let ballots: Vec<_> = finished.iter().filter_map(|finished| finished.ballot).collect();
    let is_voting = job.teamwork.is_voting && job.multipv == 1 && job.limits.depth.is_none();
    let winner = if is_voting { vote::winner(&ballots) } else { 0 };
    let winner = &finished[winner];
    let depth = winner.ballot.map_or(Depth::ZERO, |ballot| ballot.depth);
    let mut score = Score::DRAW;
    for (index, line) in winner.lines.iter().enumerate().rev() {
        score = [line.score, line.previous]
            .into_iter()
            .find(|&score| score > -Score::INFINITE)
            .unwrap_or_else(|| job.evaluation.evaluate(job.game.position()));
        job.sink.event(&Event::Report(Report {
            depth: depth.max(Depth(1)),
            seldepth: line.seldepth,
            multipv: index + 1,
            score,
            bound: Bound::Exact,
            nodes: job.nodes(),
            elapsed: job.elapsed(),
            hashfull: job.table.hashfull(),
            pv: line.pv.clone(),
        }));
    }
    let best = winner.lines.first();
    job.sink.event(&Event::Done(Outcome {
        best: best.map(|line| line.mv),
        ponder: best.and_then(|line| line.pv.get(1).copied().or_else(|| expected_reply(job, line.mv))),
        score,
        depth,
        nodes: job.nodes(),
    }));
}

/// The reply the hash table expects where the line ends with our own move.
fn expected_reply(job: &Job, mv: Move) -> Option<Move> {
    let position = job.game.position().after(mv);
    let reply = job.table.probe(position.key())?.mv?;
    position.is_legal(reply).then_some(reply)
}
