//! Playing below full strength: what an Elo number means for the search and for the choice of its move.
//!
//! Two things make an opponent weaker without making it absurd. It looks less far: a search starts no iteration after
//! so many nodes. And it errs: of the best moves it has looked at, it plays one at random, the likelier the better
//! (Boltzmann's distribution over centipawns). At a spread of `s`, a move that loses `d` centipawns is `exp(-d / s)`
//! times as likely as the best, so a strong level never gives away a piece, and a weak one does now and then.
//!
//! [`LADDER`] is the only place where strength is written down, and what its numbers are worth is measured by games
//! (`configs/match/strength.yaml`). Knows nothing of a search; `engine` asks it, and `search` calls [`Handicap::choose`].

use crate::types::{Key, Score, SplitMix64};

/// What a rating stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The rating. Units: Elo, on the scale of `UCI_Elo`.
    pub elo: u32,
    /// No iteration starts after so many nodes; the first is always completed.
    pub nodes: u64,
    /// How many of the best moves are candidates.
    pub lines: usize,
    /// The loss at which a move is `e` times less likely than the best. Units: centipawns.
    pub spread: f64,
}

const fn level(elo: u32, nodes: u64, lines: usize, spread: f64) -> Level {
    Level { elo, nodes, lines, spread }
}

/// Every legal move.
const ALL: usize = 256;

/// The levels measured with the network, weakest first; between two of them everything is interpolated.
///
/// Evidence: `results/strength.md`.
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

/// The weakest rating there is. Units: Elo.
pub const WEAKEST: u32 = LADDER[0].elo;
/// The strongest that is not full strength. Units: Elo.
pub const STRONGEST: u32 = LADDER[LADDER.len() - 1].elo;

impl Level {
    /// What a rating stands for; one beyond the ladder is taken for its end.
    pub fn of(elo: u32) -> Self {
        let above = LADDER.partition_point(|level| level.elo <= elo);
        let (Some(low), Some(high)) = (LADDER.get(above.wrapping_sub(1)), LADDER.get(above)) else {
            return if above == 0 { LADDER[0] } else { LADDER[LADDER.len() - 1] };
        };
        let share = f64::from(elo - low.elo) / f64::from(high.elo - low.elo);
        // Strength grows with the logarithm of each.
        let between = |low: f64, high: f64| (low.ln() + share * (high.ln() - low.ln())).exp();
        Self {
            elo,
            nodes: between(low.nodes as f64, high.nodes as f64).round() as u64,
            lines: between(low.lines as f64, high.lines as f64).round() as usize,
            spread: between(low.spread, high.spread),
        }
    }
}

/// How strong to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// The rating. Units: Elo.
    pub elo: u32,
    /// What the errors follow from.
    pub seed: u64,
}

impl Strength {
    /// The handicap in one position of a game. The same seed, position and number of moves played give the same.
    pub fn handicap(self, position: Key, plies_played: usize) -> Handicap {
        let mut game = SplitMix64::new(self.seed);
        let mut here = SplitMix64::new(game.next_u64() ^ position.0);
        let random = SplitMix64::new(here.next_u64().wrapping_add(plies_played as u64));
        Handicap { level: Level::of(self.elo), random }
    }
}

/// What one search is held to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handicap {
    /// The strength.
    pub level: Level,
    random: SplitMix64,
}

/// Beyond so much, better or worse is all the same. Units: centipawns.
const DECIDED: i32 = 3000;

impl Handicap {
    /// Which of these moves is played, given what the search makes of each; none of no moves.
    pub fn choose(&self, scores: &[Score]) -> Option<usize> {
        let worth = |score: &Score| score.0.clamp(-DECIDED, DECIDED);
        let best = scores.iter().map(worth).max()?;
        let weight = |score: &Score| (f64::from(worth(score) - best) / self.level.spread).exp();
        let sum: f64 = scores.iter().map(weight).sum();
        let mut random = self.random;
        // 53 bits: all that a double holds between 0 and 1.
        let mut drawn = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 * sum;
        let hit = scores.iter().position(|score| {
            drawn -= weight(score);
            drawn < 0.0
        });
        // Rounding may leave a trace of the sum; it belongs to the best, whose weight is the greatest.
        hit.or_else(|| scores.iter().position(|score| worth(score) == best))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handicap(elo: u32, key: u64) -> Handicap {
        Strength { elo, seed: 7 }.handicap(Key(key), 3)
    }

    /// How often each of the moves is played in so many positions.
    fn counts(elo: u32, scores: &[i32], positions: u64) -> Vec<u32> {
        let scores: Vec<Score> = scores.iter().copied().map(Score).collect();
        let mut counts = vec![0; scores.len()];
        for key in 0..positions {
            counts[handicap(elo, key).choose(&scores).expect("a move")] += 1;
        }
        counts
    }

    #[test]
    fn the_ladder_rises_step_by_step() {
        for pair in LADDER.windows(2) {
            let [low, high] = pair else { unreachable!("windows of two") };
            assert!(low.elo < high.elo && low.nodes <= high.nodes, "{low:?} {high:?}");
            assert!(low.spread > high.spread && low.lines >= high.lines, "{low:?} {high:?}");
            let middle = Level::of(u32::midpoint(low.elo, high.elo));
            assert!((low.nodes..=high.nodes).contains(&middle.nodes), "{middle:?}");
            assert!((high.lines..=low.lines).contains(&middle.lines), "{middle:?}");
            assert!(middle.spread < low.spread && middle.spread > high.spread, "{middle:?}");
        }
        for &row in LADDER {
            let level = Level::of(row.elo);
            assert_eq!((level.elo, level.nodes, level.lines), (row.elo, row.nodes, row.lines));
        }
        assert_eq!(Level::of(0), LADDER[0]);
        assert_eq!(Level::of(10_000), LADDER[LADDER.len() - 1]);
    }

    #[test]
    fn errors_are_as_likely_as_the_spread_says() {
        let spread = Level::of(WEAKEST).spread;
        let found = counts(WEAKEST, &[0, -(spread as i32)], 20_000);
        let expected = 20_000.0 / (1.0 + std::f64::consts::E);
        // Standard deviation 63.
        assert!((f64::from(found[1]) - expected).abs() < 320.0, "{found:?}, expected {expected}");
    }

    #[test]
    fn a_strong_level_gives_nothing_away() {
        assert_eq!(counts(STRONGEST, &[-300, 20, -500], 20_000), [0, 20_000, 0]);
        let weak = counts(WEAKEST, &[-300, 20, -500], 20_000);
        assert!(weak[1] > weak[0] && weak[0] > weak[2] && weak[2] > 0, "{weak:?}");
    }

    #[test]
    fn the_same_seed_position_and_move_number_choose_the_same() {
        let scores = [Score(10), Score(0), Score(5)];
        for key in 0..50 {
            assert_eq!(handicap(900, key).choose(&scores), handicap(900, key).choose(&scores));
        }
        let choices: Vec<_> = (0..50)
            .map(|plies| Strength { elo: 600, seed: 7 }.handicap(Key(1), plies).choose(&scores))
            .collect();
        assert!(choices.iter().any(|choice| *choice != choices[0]), "the move number does not matter");
        assert_eq!(handicap(900, 0).choose(&[]), None);
    }

    #[test]
    fn mates_are_worth_no_more_than_a_won_game() {
        let mates = [Score::MATE, Score(4000), -Score::MATE];
        let found: Vec<_> = (0..200).filter_map(|key| handicap(WEAKEST, key).choose(&mates)).collect();
        assert!(found.contains(&0) && found.contains(&1) && !found.contains(&2));
    }
}
