//! The bench searches a fixed set of positions to a fixed depth. The speed test ([`Speedtest`])
//! searches whole games for a fixed time.
//!
//! With one thread the node count of the bench is a signature of the search: a change that keeps it
//! has changed no decision of the search. Commits that touch the engine state it as `Bench: N`.

mod games;
mod runner;
mod speedtest;

use std::time::Duration;

use crate::engine::{Configuration, DEFAULT_HASH, DEFAULT_THREADS};
use crate::position::{Game, Position};
use crate::search::events::SearchResult;
use crate::search::limits::Limits;
use crate::types::{Depth, Mebibytes, Nodes, Permille};
use runner::{BenchEngine, per_second};

pub use runner::BenchError;
pub use speedtest::{Speed, Speedtest};

/// The result of a bench.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Nodes of all positions together.
    pub nodes: Nodes,
    /// Wall time of all searches.
    pub elapsed: Duration,
    /// CPU time of all searches and threads; `None` where the system does not tell.
    pub cpu: Option<Duration>,
    /// Fill of the hash table after the last search.
    pub hashfull: Permille,
    /// The outcome of each position, in order.
    pub outcomes: Vec<SearchResult>,
}

impl Measured {
    /// Returns the nodes per second.
    pub fn nps(&self) -> u64 {
        per_second(self.nodes, self.elapsed)
    }

    /// Returns the nodes per second of CPU time, which other programs on the machine affect less.
    pub fn nodes_per_cpu_second(&self) -> Option<u64> {
        self.cpu.map(|cpu| per_second(self.nodes, cpu))
    }
}

/// The settings of a bench: fixed positions searched to a fixed depth.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The search depth of each position.
    pub depth: Depth,
    /// The number of search threads.
    pub threads: usize,
    /// The size of the hash table.
    pub hash: Mebibytes,
    /// The other settings of the engine.
    pub configuration: Configuration,
}

/// The default depth of a bench: about half a second on one core.
pub const DEFAULT_DEPTH: Depth = Depth(12);

impl Bench {
    /// Returns a bench with this configuration, and the defaults in place of the other settings that are
    /// `None`.
    pub fn of(
        configuration: Configuration,
        depth: Option<Depth>,
        threads: Option<usize>,
        hash: Option<Mebibytes>,
    ) -> Self {
        Self {
            depth: depth.unwrap_or(DEFAULT_DEPTH),
            threads: threads.unwrap_or(DEFAULT_THREADS),
            hash: hash.unwrap_or(DEFAULT_HASH),
            configuration,
        }
    }
}

impl Default for Bench {
    fn default() -> Self {
        Self::of(Configuration::default(), None, None, None)
    }
}

impl Bench {
    /// Searches every position of the bench and passes each index, FEN and outcome to `done`.
    pub fn run(&self, done: impl FnMut(usize, &str, &SearchResult)) -> Result<Measured, BenchError> {
        self.run_on(POSITIONS, done)
    }

    /// Searches the given FENs and passes each index, FEN and outcome to `done`.
    ///
    /// # Panics
    /// When a FEN is invalid.
    pub fn run_on(
        &self,
        fens: &[&str],
        mut done: impl FnMut(usize, &str, &SearchResult),
    ) -> Result<Measured, BenchError> {
        let limits = Limits { depth: Some(self.depth), ..Limits::default() };
        let mut engine = BenchEngine::new(self.threads, self.hash, self.configuration.clone())?;
        let mut outcomes = Vec::new();
        let mut elapsed = Duration::ZERO;
        let mut cpu = Some(Duration::ZERO);
        for (index, fen) in fens.iter().enumerate() {
            let position = Position::from_fen(fen).expect("a bench position is a valid FEN");
            let before = cpu_time();
            let (outcome, time) = engine.search(Game::new(position), &limits);
            elapsed += time;
            let searched = cpu_time().zip(before).map(|(after, before)| after.saturating_sub(before));
            cpu = cpu.zip(searched).map(|(sum, searched)| sum + searched);
            done(index, fen, &outcome);
            outcomes.push(outcome);
        }
        let nodes = Nodes(outcomes.iter().map(|outcome| outcome.nodes.0).sum());
        Ok(Measured { nodes, elapsed, cpu, hashfull: engine.hashfull(), outcomes })
    }
}

/// Returns the CPU time that all threads of the process have used, ended ones included; `None` where it
/// cannot be read.
fn cpu_time() -> Option<Duration> {
    ::cpu_time::ProcessTime::try_now().ok().map(|time| time.as_duration())
}

/// The bench positions: the start position, and one opening, middlegame or endgame position from
/// each of forty games of the Lichess database (CC0). The last two, from Win at Chess, are mates in six,
/// so that the signature depends on the mate scores in the hash table.
pub const POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rn1qk1nr/ppp1ppbp/6p1/3pPb2/3P4/5N2/PPP2PPP/RNBQKB1R w KQkq - 1 5",
    "r2qkbnr/pp3pp1/2n1p2p/2ppPb2/3P4/P1P2N2/1P3PPP/RNBQKB1R w KQkq - 0 7",
    "r1bk3r/ppp1n1pp/2n5/4pp2/4P3/2N2N2/PPP2PPP/R3KB1R w KQ - 0 9",
    "r4b1r/pp1knppp/4p3/2p1P3/4p3/2P5/PP2KPPP/RNB4R w - - 2 11",
    "2kr3r/ppq2ppp/2nbbn2/2p1p3/2PpP3/3P1NNP/PP1BBPP1/1R1QK2R w K - 1 13",
    "r2q3r/pp2nkp1/3p1npp/3pp3/3P2PP/2PBPP2/PPQN4/R3K2R w KQ - 0 15",
    "5rk1/p1p3pp/2p1b3/3nq3/4N3/2P5/PPQ3PP/R1B3K1 w - - 0 17",
    "1r1q2k1/1p1b1pb1/p2r2pp/2pnp3/P1P1P3/1P1B2B1/2Q2PPP/R4RK1 w - - 0 19",
    "r4rn1/p1p3k1/1p1p1qpp/3Pp2n/2P1Pp1P/2N5/PP2QPPN/2KR3R w - - 3 21",
    "r6k/1p3p1n/p3p1r1/3pP3/6q1/2P1RN1Q/PP3PPP/5R1K w - - 3 23",
    "5rk1/ppq3p1/1n3bp1/3p4/6Q1/2PB4/P1P2P2/1K1R2R1 w - - 1 25",
    "5k2/1B2r1pp/1p1r1p2/p1p1p3/8/7P/P4PP1/2R2RK1 w - - 0 27",
    "4r1k1/p4Nb1/2p5/7N/1pbp3P/6P1/PPP2R2/6K1 w - - 1 29",
    "8/R4pk1/4p1pp/p2bP3/5P2/p2BK1P1/1P5P/2r5 w - - 0 31",
    "2r5/5p1p/p2kp1rB/1p1p4/8/8/3N1PPP/5RK1 w - - 3 33",
    "3r4/p1p1rp2/1pk1pnp1/6Np/P1P4P/2RPP1P1/1R2KP2/8 w - - 5 35",
    "8/8/2R5/4kp1P/P2p4/8/1r3PK1/8 w - - 3 37",
    "8/2k3pp/1R3p2/2r5/p3KP2/3P3P/2P5/8 w - - 1 39",
    "8/3N2pp/B3n3/4pk2/8/r4P2/7P/5R1K w - - 0 41",
    "2r5/R7/P7/1K6/1P3P2/2PkP3/8/1r6 w - - 0 43",
    "8/2kB4/3n3p/1p2p1p1/1P2P2P/3K2P1/8/8 w - - 3 45",
    "8/5pk1/r3p1p1/7p/1R6/7P/5PPK/8 w - - 0 47",
    "8/R7/4n1pp/P1p1kp2/1r2p2P/4P1P1/5P2/4K3 w - - 0 49",
    "2r5/8/2P4R/8/3pk3/P6P/6PK/8 w - - 0 51",
    "8/8/3kp3/4pp2/1p1pP3/5PPp/2P4P/r1NK4 w - - 0 53",
    "6k1/6P1/6K1/8/8/2B1b3/2n5/8 w - - 13 55",
    "8/8/2p3R1/pk3r2/8/1KP5/8/8 w - - 0 57",
    "8/8/2k4P/8/4K3/5P2/6P1/8 w - - 1 59",
    "8/8/4p1K1/3b4/8/8/2k5/1R6 w - - 1 61",
    "r1bq1rk1/1p2ppbp/p1n2np1/6B1/3pP3/1N1P1P2/PPP1Q1PP/R3KBNR w KQ - 0 10",
    "r2q1rk1/p1pb1ppp/5n2/1p2p3/3B4/8/PPP2PPP/RN1Q1RK1 w - - 0 12",
    "2rqr1kb/1p1bpp1p/p2p1npB/8/3NP3/1PN2P2/1PPQ2PP/3R1R1K w - - 8 16",
    "r3k2r/p1pq1p1p/1pn3p1/5bN1/3b1P2/3P2P1/P3P1BP/1R1Q1R1K w kq - 2 18",
    "r3k1nr/pp1n1p2/2p1p3/6pq/3P2p1/P1N3B1/1PP4N/R2Q2RK w kq - 2 20",
    "3rr1k1/pp4p1/n3b2p/3N1p2/1P5q/PQ5P/2B2PP1/R4RK1 w - - 3 22",
    "5rk1/pprqb1pp/2n1p3/3p2P1/3P4/P2BB2P/1P3P2/2RQ1RK1 w - - 1 24",
    "4r1k1/6p1/p1b5/1p1p1p2/2p3p1/1P6/P1P1BKPP/3R4 w - - 2 26",
    "8/5k2/1p6/p1p4p/7P/2P1r1P1/P5K1/2R5 w - - 0 30",
    "r7/pbp1b3/1p1p4/4k1q1/3R1R2/2P3PQ/PP5P/6K1 w - - 2 34",
    "r5k1/1bQ2pp1/pp2P3/7q/4n3/P1P5/1P6/K2R2N1 w - - 0 38",
    "k7/p4p2/P1q1b1p1/3p3p/3Q4/7P/5PP1/1R4K1 w - - 0 1",
    "r1b2rk1/ppqn1p1p/2n1p1p1/2b3N1/2N5/PP1BP3/1B3PPP/R2QK2R w KQ - 0 1",
];
