//! The speed test: whole games, move by move, each position for its share of a fixed time.
//!
//! A game is searched as in play: the table and what the workers learned are kept from one move to the next and
//! forgotten before the next game, so speed and filling are those of a real game and not of forty first moves. A few
//! searches that do not count come first, so that memory is touched and the processor awake.
//!
//! Source of the idea: the `speedtest` of Stockfish 17.

use std::time::Duration;

use super::games::{GAMES, Replay};
use super::{BenchError, Listened};
use crate::engine::Configuration;
use crate::position::{Game, Position};
use crate::search::limits::Limits;
use crate::types::{Mebibytes, Millis, Nodes, Permille};

/// Searches that do not count.
const WARM_UP: usize = 3;
/// A side's move in so many is searched: the one side thinks, the other only answers.
const EVERY: usize = 2;

/// A speed test.
#[derive(Clone, Debug)]
pub struct Speedtest {
    /// Workers of the search.
    pub threads: usize,
    /// Size of the table.
    pub hash: Mebibytes,
    /// For all positions together, the warm-up left out.
    pub time: Millis,
}

impl Default for Speedtest {
    /// All cores, 64 MiB for each, 30 seconds.
    fn default() -> Self {
        let threads = num_cpus::get();
        Self { threads, hash: Mebibytes(64 * threads as u64), time: Millis(30_000) }
    }
}

/// What a speed test measured.
#[derive(Clone, Debug)]
pub struct Speed {
    /// How many positions were searched.
    pub positions: usize,
    /// Of all threads.
    pub nodes: Nodes,
    /// Wall time of the searches.
    pub elapsed: Duration,
    /// How full the table was with records of the last search, on average over searches.
    pub mean_hashfull: Permille,
    /// The same at its fullest.
    pub most_hashfull: Permille,
}

impl Speed {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (self.nodes.0 as f64 / self.elapsed.as_secs_f64().max(1e-6)) as u64
    }
}

impl Replay {
    /// The game up to each position that is searched.
    ///
    /// # Panics
    /// When the game is not one.
    fn stations(&self) -> Vec<Game> {
        let start = Position::from_fen(self.fen).expect("a replayed game starts from a valid FEN");
        let mut game = Game::new(start);
        let mut stations = Vec::new();
        for (ply, text) in self.moves.split_ascii_whitespace().enumerate() {
            if ply % EVERY == 0 {
                stations.push(game.clone());
            }
            let mv = game.position().parse_uci(text).expect("a replayed move is legal");
            game.play(mv);
        }
        stations
    }
}

impl Speedtest {
    /// Searches for the time given.
    pub fn run(&self) -> Result<Speed, BenchError> {
        let games: Vec<Vec<Game>> = GAMES.iter().map(Replay::stations).collect();
        let positions = games.iter().map(Vec::len).sum();
        let share = Millis((self.time.0 / positions as i64).max(1));
        let limits = Limits { movetime: Some(share), ..Limits::default() };
        let mut engine = Listened::new(self.threads, self.hash, Configuration::default())?;
        for game in games.iter().flatten().take(WARM_UP) {
            engine.search(game.clone(), &limits);
        }
        let (mut nodes, mut elapsed) = (0, Duration::ZERO);
        let (mut fills, mut most) = (0, Permille(0));
        for game in games {
            engine.engine.new_game();
            for station in game {
                let (outcome, time) = engine.search(station, &limits);
                nodes += outcome.nodes.0;
                elapsed += time;
                let fill = engine.engine.hashfull();
                fills += usize::from(fill.0);
                most = most.max(fill);
            }
        }
        Ok(Speed {
            positions,
            nodes: Nodes(nodes),
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
    fn every_game_can_be_replayed() {
        for replay in GAMES {
            let stations = replay.stations();
            assert!(stations.len() > 50, "{} is short", replay.fen);
            assert!(stations.iter().all(|game| game.position().has_legal_move()));
        }
    }
}
