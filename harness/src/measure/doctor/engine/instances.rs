//! An A/A test: two processes of the same engine, compared at fixed nodes.
//!
//! Equal engines must give equal results, or every comparison at fixed nodes contains differences
//! that no change of the engine caused. Their speeds show the noise of timed measurements.

use std::time::Duration;

use super::support::{CASTLES, MIDDLE, REDUCED, START, Subject, failed, search};
use crate::measure::doctor::{Finding, Severity};
use crate::play::limit_check::limits_strength;
use crate::uci::{Engine, ReportedScore, UciError};

const CHECK: &str = "two instances (A/A)";

/// Nodes of each search.
const NODES: u64 = 20_000;

const POSITIONS: [&str; 6] = [
    START,
    MIDDLE,
    CASTLES,
    "r1bqkb1r/pp3ppp/2nppn2/8/3NP3/2N5/PPP1BPPP/R1BQK2R w KQkq - 0 7",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "6k1/5ppp/8/8/3q4/8/5PPP/3R2K1 w - - 0 1",
];

/// The result of a search, as far as it must be equal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    best_move: String,
    nodes: Option<u64>,
    depth: Option<u32>,
    score: Option<ReportedScore>,
}

/// Searches of one process.
#[derive(Clone, Debug, Default)]
struct Instance {
    found: Vec<Found>,
    time: Duration,
}

impl Instance {
    /// Searches a position as a new game.
    fn search(&mut self, engine: &mut Engine, fen: &str) -> Result<(), UciError> {
        engine.new_game()?;
        let (answer, _) = search(engine, fen, &format!("go nodes {NODES}"))?;
        let report = answer.report;
        self.time += answer.elapsed;
        self.found.push(Found {
            best_move: answer.best_move,
            nodes: report.nodes,
            depth: report.depth,
            score: report.score,
        });
        Ok(())
    }

    /// Returns nodes per second; `None` if the engine reports no nodes.
    fn speed(&self) -> Option<f64> {
        let nodes: Option<u64> = self.found.iter().map(|found| found.nodes).sum();
        nodes.filter(|&nodes| nodes > 0).map(|nodes| nodes as f64 / self.time.as_secs_f64().max(1e-9))
    }
}

/// Runs the test; `None` if it was cancelled.
pub(super) fn equal_instances(subject: Subject<'_>) -> Option<Finding> {
    let mut engines = Vec::with_capacity(2);
    for _ in 0..2 {
        match subject.start() {
            Ok(engine) => engines.push(engine),
            Err((error, dialogue)) => return failed(CHECK, &error, &dialogue),
        }
    }
    let mut instances = [Instance::default(), Instance::default()];
    for (index, fen) in POSITIONS.into_iter().enumerate() {
        // The order alternates, so that a change of the machine's speed affects both.
        let order = if index % 2 == 0 { [0, 1] } else { [1, 0] };
        for place in order {
            if let Err(error) = instances[place].search(&mut engines[place], fen) {
                return failed(CHECK, &error, &engines[place].dialogue());
            }
        }
    }
    Engine::quit_all(engines.into_iter().map(|engine| (subject.config.name.as_str(), engine)));
    let (severity, message) = judge(&instances, subject.config.threads(), limits_strength(subject.config));
    Some(Finding { check: CHECK, severity, message })
}

/// Compares the searches of two processes with this number of threads each, which may play at reduced strength.
fn judge(instances: &[Instance; 2], threads: usize, is_weakened: bool) -> (Severity, String) {
    let [first, second] = instances;
    let pairs = || first.found.iter().zip(&second.found).zip(POSITIONS);
    let differing = pairs().filter(|((one, other), _)| one != other).count();
    if let Some(((one, other), fen)) = pairs().find(|((one, other), _)| one != other) {
        let message = format!(
            "differ in {differing} of {} searches of {NODES} nodes: {} against {} in {fen}",
            first.found.len(),
            describe(one),
            describe(other)
        );
        return if threads > 1 {
            (Severity::Note, format!("{message}; with {threads} threads that is usual"))
        } else if is_weakened {
            (Severity::Note, format!("{message}; {REDUCED}"))
        } else {
            (Severity::Bad, format!("{message}; results at fixed nodes do not repeat"))
        };
    }
    let speeds = first.speed().zip(second.speed());
    let speeds = speeds.map_or_else(String::new, |(one, other)| {
        format!("; their speeds differ by {:.1} %", 100.0 * (one.max(other) / one.min(other) - 1.0))
    });
    (Severity::Good, format!("equal moves, nodes, depths and scores at {NODES} nodes{speeds}"))
}

fn describe(found: &Found) -> String {
    let nodes = found.nodes.map_or_else(|| "no".to_owned(), |nodes| nodes.to_string());
    let score = match found.score {
        Some(ReportedScore::Cp(cp)) => format!("cp {cp}"),
        Some(ReportedScore::Mate(moves)) => format!("mate {moves}"),
        None => "no score".to_owned(),
    };
    format!("`{}` ({score}, {nodes} nodes)", found.best_move)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(moves: [&str; 2], nodes: Option<u64>, ms: u64) -> Instance {
        let found = moves.map(|best_move| Found {
            best_move: best_move.to_owned(),
            nodes,
            depth: Some(5),
            score: Some(ReportedScore::Cp(12)),
        });
        Instance { found: found.to_vec(), time: Duration::from_millis(ms) }
    }

    #[test]
    fn equal_instances_are_good_at_any_speed() {
        let both = [instance(["e2e4", "d2d4"], Some(500), 10), instance(["e2e4", "d2d4"], Some(500), 15)];
        let (severity, message) = judge(&both, 1, false);
        assert_eq!(severity, Severity::Good);
        assert!(message.ends_with("at 20000 nodes; their speeds differ by 50.0 %"), "{message}");
        let silent = [instance(["e2e4", "d2d4"], None, 10), instance(["e2e4", "d2d4"], None, 15)];
        let (_, message) = judge(&silent, 1, false);
        assert!(message.ends_with("at 20000 nodes"), "{message}");
    }

    #[test]
    fn different_instances_are_bad_unless_they_have_threads() {
        let base = instance(["e2e4", "d2d4"], Some(500), 10);
        let mut cases =
            vec![instance(["e2e4", "c2c4"], Some(500), 10), instance(["e2e4", "d2d4"], Some(501), 10)];
        for change in [|found: &mut Found| found.depth = None, |found: &mut Found| found.score = None] {
            let mut other = base.clone();
            change(&mut other.found[1]);
            cases.push(other);
        }
        for other in cases {
            let both = [base.clone(), other];
            let (severity, message) = judge(&both, 1, false);
            assert_eq!(severity, Severity::Bad, "{message}");
            assert!(message.starts_with("differ in "), "{message}");
            assert_eq!(judge(&both, 4, false).0, Severity::Note);
            assert_eq!(judge(&both, 1, true).0, Severity::Note);
        }
        let both = [base, instance(["e2e4", "c2c4"], Some(500), 10)];
        assert_eq!(
            judge(&both, 1, false).1,
            format!(
                "differ in 1 of 2 searches of 20000 nodes: `d2d4` (cp 12, 500 nodes) against `c2c4` (cp 12, 500 \
                 nodes) in {MIDDLE}; results at fixed nodes do not repeat"
            )
        );
    }
}
