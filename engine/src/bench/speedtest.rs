//! The speed test: searches the positions of whole games in order, each for an equal share of a
//! fixed time.
//!
//! Hash table and histories are kept from move to move and cleared between games, as in play. So
//! speed and hash fill are those of real games. A few untimed searches come first, to touch the
//! memory and to raise the processor's clock.
//!
//! Source of the idea: the `speedtest` of Stockfish 17.1.

use std::time::Duration;

use super::games::{GAMES, Replay};
use super::runner::{BenchEngine, BenchError, per_second};
use crate::engine::Configuration;
use crate::position::{Game, Position};
use crate::search::limits::Limits;
use crate::types::{Mebibytes, Millis, Nodes, Permille};

/// Untimed searches at the start.
const WARM_UP: usize = 3;
/// Every second position is searched: one side thinks, the other replies at once.
const EVERY: usize = 2;
/// The least time of a search. Shorter ones would leave out the helper threads.
const MIN_SHARE: Millis = Millis(20);

/// The settings of a speed test: searches of positions from games, for a fixed time in all.
#[derive(Clone, Debug)]
pub struct Speedtest {
    /// The number of search threads.
    pub threads: usize,
    /// The size of the hash table.
    pub hash: Mebibytes,
    /// The total time, without the warm-up.
    pub time: Millis,
}

impl Speedtest {
    /// Returns a test with this number of threads, 64 MiB of hash for each, and 30 seconds.
    pub fn of_threads(threads: usize) -> Self {
        Self { threads, hash: Mebibytes(64 * threads as u64), time: Millis(30_000) }
    }
}

impl Default for Speedtest {
    /// Returns a test with a thread per logical processor.
    fn default() -> Self {
        Self::of_threads(num_cpus::get())
    }
}

/// The result of a speed test.
#[derive(Clone, Debug)]
pub struct Speed {
    /// The number of positions searched.
    pub positions: usize,
    /// Nodes of all threads.
    pub nodes: Nodes,
    /// Nodes of each thread, the main thread first.
    pub nodes_by_thread: Vec<Nodes>,
    /// Wall time of the searches.
    pub elapsed: Duration,
    /// Fill of the hash table with entries of the last search, averaged over all searches.
    pub mean_hashfull: Permille,
    /// The largest such fill.
    pub most_hashfull: Permille,
}

impl Speed {
    /// Returns the nodes per second.
    pub fn nps(&self) -> u64 {
        per_second(self.nodes, self.elapsed)
    }

    /// Returns the nodes per second of the slowest and of the fastest thread.
    pub fn nps_range(&self) -> (u64, u64) {
        let speeds = || self.nodes_by_thread.iter().map(|&nodes| per_second(nodes, self.elapsed));
        (speeds().min().unwrap_or(0), speeds().max().unwrap_or(0))
    }
}

impl Replay {
    /// Returns the game up to each position that is searched.
    ///
    /// # Panics
    /// When the FEN or a move is invalid.
    fn prefixes(&self) -> Vec<Game> {
        let start = Position::from_fen(self.fen).expect("a replayed game starts from a valid FEN");
        let mut game = Game::new(start);
        let mut prefixes = Vec::new();
        for (ply, text) in self.moves.split_ascii_whitespace().enumerate() {
            if ply % EVERY == 0 {
                prefixes.push(game.clone());
            }
            let mv = game.position().parse_uci(text).expect("a replayed move is legal");
            game.play(mv);
        }
        prefixes
    }
}

impl Speedtest {
    /// Returns the positions to search: all, or if the time is too short for that, every n-th of
    /// each game.
    fn selected(&self, games: Vec<Vec<Game>>) -> Vec<Vec<Game>> {
        let all: usize = games.iter().map(Vec::len).sum();
        let wanted = all as u64 * MIN_SHARE.0 as u64;
        let step = wanted.div_ceil(self.time.0.max(1) as u64).max(1) as usize;
        games.into_iter().map(|game| game.into_iter().step_by(step).collect()).collect()
    }

    /// Searches the positions of the games after a warm-up, and returns nodes and time.
    pub fn run(&self) -> Result<Speed, BenchError> {
        let games = self.selected(GAMES.iter().map(Replay::prefixes).collect());
        let positions = games.iter().map(Vec::len).sum();
        let share = Millis((self.time.0 / positions as i64).max(MIN_SHARE.0));
        let limits = Limits { movetime: Some(share), ..Limits::default() };
        let mut engine = BenchEngine::new(self.threads, self.hash, Configuration::default())?;
        for game in games.iter().flatten().take(WARM_UP) {
            engine.search(game.clone(), &limits);
        }
        let (mut nodes, mut elapsed) = (0, Duration::ZERO);
        let mut nodes_by_thread = vec![Nodes(0); self.threads];
        let (mut fills, mut most) = (0, Permille(0));
        for game in games {
            engine.new_game();
            for prefix in game {
                let (outcome, time) = engine.search(prefix, &limits);
                nodes += outcome.nodes.0;
                for (sum, nodes) in nodes_by_thread.iter_mut().zip(&outcome.nodes_by_worker) {
                    sum.0 += nodes.0;
                }
                elapsed += time;
                let fill = engine.hashfull();
                fills += usize::from(fill.0);
                most = most.max(fill);
            }
        }
        Ok(Speed {
            positions,
            nodes: Nodes(nodes),
            nodes_by_thread,
            elapsed,
            mean_hashfull: Permille((fills / positions) as u16),
            most_hashfull: most,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replayed_games_are_legal_and_long_enough() {
        for replay in GAMES {
            let prefixes = replay.prefixes();
            assert!(prefixes.len() > 50, "{} is short", replay.fen);
            assert!(prefixes.iter().all(|game| game.position().has_legal_move()));
        }
    }

    #[test]
    fn speeds_are_nodes_by_the_wall_time() {
        let speed = Speed {
            positions: 1,
            nodes: Nodes(3_000),
            nodes_by_thread: vec![Nodes(2_000), Nodes(1_000)],
            elapsed: Duration::from_millis(500),
            mean_hashfull: Permille(0),
            most_hashfull: Permille(0),
        };
        assert_eq!((speed.nps(), speed.nps_range()), (6_000, (2_000, 4_000)));
    }

    #[test]
    fn short_test_searches_fewer_positions_instead_of_shorter() {
        let games = || -> Vec<Vec<Game>> { GAMES.iter().map(Replay::prefixes).collect() };
        let count = |seconds: i64| -> i64 {
            let test = Speedtest { time: Millis(1000 * seconds), ..Speedtest::default() };
            test.selected(games()).iter().map(|game| game.len() as i64).sum()
        };
        let all = count(60);
        assert_eq!(all, games().iter().map(|game| game.len() as i64).sum::<i64>());
        for seconds in 1..=10 {
            let searched = count(seconds);
            // Each game rounds up.
            let slack = GAMES.len() as i64;
            assert!((searched - slack) * MIN_SHARE.0 <= 1000 * seconds, "{searched} in {seconds} s");
            assert!(searched >= GAMES.len() as i64, "{searched} in {seconds} s");
        }
        assert!(count(1) < count(3) && count(3) < all);
    }
}
