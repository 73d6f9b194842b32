//! Play below full strength: maps an Elo rating to search limits and to a random choice among the
//! best moves.
//!
//! A weaker level searches less: no iteration starts after a number of nodes. It also makes errors:
//! it plays one of the best moves at random, with Boltzmann's distribution over centipawns. With a
//! spread of `s`, a move that loses `d` centipawns is `exp(-d / s)` times as likely as the best. So
//! a strong level never gives away a piece, and a weak one sometimes does. In a decided game smaller
//! losses count, so that every level makes progress towards mate.
//!
//! [`LADDER`] has all the levels. Their ratings are measured by games
//! (`configs/match/strength.yaml`). This module knows nothing of the search: `engine` selects the
//! level, and `search` calls [`Handicap::choose`] and [`Handicap::thinking_time`].

use std::time::Duration;

use crate::types::{Key, Score, SplitMix64};

/// The search limits and the error rate of a rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The rating. Units: Elo, on the scale of `UCI_Elo`.
    pub elo: u32,
    /// The soft node limit. The first iteration is always completed.
    pub nodes: u64,
    /// The number of best moves that are candidates.
    pub lines: usize,
    /// The loss at which a move is `e` times less likely than the best one. Units: centipawns.
    pub spread: f64,
}

const fn level(elo: u32, nodes: u64, lines: usize, spread: f64) -> Level {
    Level { elo, nodes, lines, spread }
}

/// More lines than any position has moves: every legal move is a candidate.
const ALL: usize = 256;

/// The levels, weakest first. Values between two levels are interpolated.
///
/// Evidence: `results/strength.md`, confirmed with the engine of bench 1576547.
pub const LADDER: &[Level] = &[
    level(100, 1, ALL, 150.0),
    level(250, 1, ALL, 102.0),
    level(400, 1, ALL, 70.0),
    level(550, 600, 24, 69.0),
    level(800, 1_000, 16, 68.0),
    level(1150, 2_000, 12, 60.0),
    level(1300, 2_800, 12, 49.0),
    level(1500, 3_000, 8, 48.0),
    level(1650, 4_000, 6, 40.0),
    level(1800, 6_300, 6, 32.0),
    level(1950, 10_000, 4, 25.0),
    level(2100, 17_000, 4, 19.0),
    level(2200, 30_000, 4, 15.0),
    level(2450, 120_000, 3, 8.0),
];

/// The lowest rating. Units: Elo.
pub const WEAKEST: u32 = LADDER[0].elo;
/// The highest rating below full strength. Units: Elo.
pub const STRONGEST: u32 = LADDER[LADDER.len() - 1].elo;

impl Level {
    /// Returns the level of a rating. A rating beyond the ladder is clamped to its end.
    pub fn of(elo: u32) -> Self {
        let above = LADDER.partition_point(|level| level.elo <= elo);
        let (Some(low), Some(high)) = (LADDER.get(above.wrapping_sub(1)), LADDER.get(above)) else {
            return if above == 0 { LADDER[0] } else { LADDER[LADDER.len() - 1] };
        };
        let share = f64::from(elo - low.elo) / f64::from(high.elo - low.elo);
        // Strength grows with the logarithm of each value.
        let between = |low: f64, high: f64| (low.ln() + share * (high.ln() - low.ln())).exp();
        Self {
            elo,
            nodes: between(low.nodes as f64, high.nodes as f64).round() as u64,
            lines: between(low.lines as f64, high.lines as f64).round() as usize,
            spread: between(low.spread, high.spread),
        }
    }
}

/// A strength below the full one: a rating, and the seed of the errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// The rating. Units: Elo.
    pub elo: u32,
    /// The seed of the errors.
    pub seed: u64,
}

impl Strength {
    /// Returns the handicap in one position of a game. It is a function of the seed, the position
    /// and the plies since the last irreversible move.
    pub fn handicap(self, position: Key, reversible_plies: usize) -> Handicap {
        let mut game = SplitMix64::new(self.seed);
        let mut here = SplitMix64::new(game.next_u64() ^ position.0);
        let random = SplitMix64::new(here.next_u64().wrapping_add(reversible_plies as u64));
        Handicap { level: Level::of(self.elo), random }
    }
}

/// The level and the random choice of one search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handicap {
    /// The level that limits the search and spreads the choice of the move.
    pub level: Level,
    random: SplitMix64,
}

/// The score beyond which a game counts as decided: what a bare king's opponent scores at least. Units:
/// centipawns.
const DECIDED: i32 = 1000;
/// The factor of losses beyond [`DECIDED`]. Progress towards mate shows in a few centipawns, which would be
/// lost in the spread.
const PROGRESS: i32 = 40;
/// A ply on the way to mate, in centipawns beyond [`DECIDED`].
const MATE_PLY: i32 = 8;

/// Returns the value of a score in the random choice. Units: centipawns of the spread.
fn value(score: Score) -> i32 {
    let size = score.0.abs();
    let mate_plies = (size - Score::MATE_IN_MAX_PLY.0).max(0);
    let beyond = (size - DECIDED).max(0) + (MATE_PLY - 1) * mate_plies;
    score.0.signum() * (size.min(DECIDED) + PROGRESS * beyond)
}

/// The thinking time of a move without alternatives, and the time that each further move as good as the
/// best one adds. Units: parts of the time planned for a move.
const THINKING: [f64; 2] = [0.2, 0.3];
/// The most moves between which a player hesitates.
const MAX_ALTERNATIVES: f64 = 4.0;

impl Handicap {
    /// Returns the index of the move to play, given the score of each move; `None` without moves.
    pub fn choose(&self, scores: &[Score]) -> Option<usize> {
        let weights = self.weights(scores);
        let mut random = self.random;
        let mut drawn = uniform(&mut random) * weights.iter().sum::<f64>();
        let hit = weights.iter().position(|weight| {
            drawn -= weight;
            drawn < 0.0
        });
        // If rounding leaves a rest of the sum, the best move is played, which has the largest
        // weight.
        hit.or_else(|| scores.iter().enumerate().max_by_key(|(_, score)| **score).map(|(index, _)| index))
    }

    /// Returns how long a human would think, given the score of each move: longer with more good moves,
    /// and not always as long. `soft` and `hard` are the limits of the move; the result is
    /// at most `hard`.
    pub fn thinking_time(&self, scores: &[Score], soft: Duration, hard: Duration) -> Duration {
        let alternatives = self.weights(scores).iter().sum::<f64>() - 1.0;
        let [least, each] = THINKING;
        let mut random = self.random;
        // The first number drawn chooses the move.
        random.next_u64();
        let mood = 0.5 + uniform(&mut random);
        let share = mood * (least + each * alternatives.clamp(0.0, MAX_ALTERNATIVES));
        soft.mul_f64(share).min(hard)
    }

    /// Returns how likely each move is, relative to the best one.
    fn weights(&self, scores: &[Score]) -> Vec<f64> {
        let best = scores.iter().copied().max().map_or(0, value);
        scores.iter().map(|&score| (f64::from(value(score) - best) / self.level.spread).exp()).collect()
    }
}

/// Draws a number. Range: 0 to 1, exclusive.
fn uniform(random: &mut SplitMix64) -> f64 {
    // 53 bits, the precision of a double between 0 and 1.
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests;
