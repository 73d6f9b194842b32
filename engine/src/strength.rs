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

/// Every legal move.
const ALL: usize = 256;

/// The levels, weakest first. Values between two levels are interpolated.
///
/// Evidence: `results/strength.md`, confirmed with the engine of bench 1317503.
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

/// A playing strength.
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
    /// The level.
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
mod tests {
    use super::*;

    fn handicap(elo: u32, key: u64) -> Handicap {
        Strength { elo, seed: 7 }.handicap(Key(key), 3)
    }

    /// Returns how often each move is played in a number of positions.
    fn counts(elo: u32, scores: &[i32], positions: u64) -> Vec<u32> {
        let scores: Vec<Score> = scores.iter().copied().map(Score).collect();
        let mut counts = vec![0; scores.len()];
        for key in 0..positions {
            counts[handicap(elo, key).choose(&scores).expect("a move")] += 1;
        }
        counts
    }

    #[test]
    fn levels_grow_stronger_in_every_value() {
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
    fn move_that_loses_the_spread_is_e_times_less_likely() {
        let spread = Level::of(WEAKEST).spread;
        let found = counts(WEAKEST, &[0, -(spread as i32)], 20_000);
        let expected = 20_000.0 / (1.0 + std::f64::consts::E);
        // Standard deviation 63.
        assert!((f64::from(found[1]) - expected).abs() < 320.0, "{found:?}, expected {expected}");
    }

    #[test]
    fn strongest_level_never_plays_a_losing_move() {
        assert_eq!(counts(STRONGEST, &[-300, 20, -500], 20_000), [0, 20_000, 0]);
        let weak = counts(WEAKEST, &[-300, 20, -500], 20_000);
        assert!(weak[1] > weak[0] && weak[0] > weak[2] && weak[2] > 0, "{weak:?}");
    }

    #[test]
    fn same_seed_position_and_ply_choose_the_same_move() {
        let scores = [Score(10), Score(0), Score(5)];
        for key in 0..50 {
            assert_eq!(handicap(900, key).choose(&scores), handicap(900, key).choose(&scores));
        }
        let choices: Vec<_> = (0..50)
            .map(|plies| Strength { elo: 600, seed: 7 }.handicap(Key(1), plies).choose(&scores))
            .collect();
        assert!(choices.iter().any(|choice| *choice != choices[0]), "the choice must depend on the ply");
        assert_eq!(handicap(900, 0).choose(&[]), None);
    }

    #[test]
    fn decided_games_make_progress_at_every_level() {
        let share_of_first = |elo, scores: &[i32]| counts(elo, scores, 2_000)[0];
        // A king driven a step towards the edge is worth 25 centipawns.
        let step = [1620, 1595, 1595, 1595];
        let mate = Score::MATE.0;
        // The shortest mate, and the longest resistance.
        for scores in [[mate - 1, mate - 3, mate - 3, mate - 3], [6 - mate, 4 - mate, 4 - mate, 4 - mate]] {
            let shares = [WEAKEST, 800, 1500].map(|elo| share_of_first(elo, &scores));
            assert!(shares[0] > 1_000 && shares[0] < 1_960, "{shares:?}");
            assert!(shares.is_sorted() && shares[2] == 2_000, "{shares:?}");
        }
        for elo in [WEAKEST, 800, 1300, STRONGEST] {
            assert!(share_of_first(elo, &step) > 1_950, "{elo}");
            assert_eq!(share_of_first(elo, &[mate - 41, 4_000, 1_600]), 2_000, "{elo}: a mate in sight");
        }
        // A game that is not decided has the usual spread.
        let undecided = counts(800, &[620, 595, 595, 595], 2_000);
        assert!(undecided[0] < 1_000, "{undecided:?}");
    }

    #[test]
    fn values_rise_with_scores_from_one_mate_to_the_other() {
        let scores = (-Score::MATE.0..=Score::MATE.0).map(Score).map(value);
        assert!(scores.is_sorted_by(|one, other| one < other));
        assert_eq!((value(Score(-700)), value(Score::DRAW)), (-700, 0));
    }

    #[test]
    fn thinking_takes_longer_with_more_good_moves_and_fits_the_clock() {
        let (soft, hard) = (Duration::from_secs(4), Duration::from_secs(5));
        let mean = |scores: &[i32]| {
            let scores: Vec<Score> = scores.iter().copied().map(Score).collect();
            let times = (0..500).map(|key| handicap(1500, key).thinking_time(&scores, soft, hard));
            times.clone().for_each(|time| assert!(time <= hard, "{time:?}"));
            assert!(times.clone().max() > times.clone().min(), "not always as long");
            times.sum::<Duration>() / 500
        };
        let (forced, obvious, open) = (mean(&[30]), mean(&[30, -400]), mean(&[30, 28, 25, 20, 10, 0]));
        assert!(forced <= obvious && obvious < open, "{forced:?} {obvious:?} {open:?}");
        assert!(forced > soft / 10 && open < soft * 3 / 2, "{forced:?} {open:?}");
    }
}
