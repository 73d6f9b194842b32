//! Simultaneous perturbation stochastic approximation (SPSA) of many parameters from game results.
//!
//! For each pair of games every parameter is shifted by its perturbation in a random direction. One
//! engine plays with these shifts, the other with the opposite ones. The result of a pair says
//! little about a single parameter, but on average each moves uphill. An iteration consists of
//! several pairs from the same values, whose moves are summed, so the order of its pairs does not
//! matter. This is a pure function of the seed and the results: the caller (`tune`) plays and
//! stores only the games.
//!
//! Source: J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic
//! optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998). Specifying
//! perturbation and rate by their final values follows fishtest, Stockfish's testing framework.

use serde::{Deserialize, Serialize};

use crate::base::random::SplitMix64;
use crate::play::matches::config::TuneConfig;
use stretto_stats::mean::mean;

/// A parameter that is tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parameter {
    /// Name of the engine's option.
    pub name: String,
    /// Value at the start.
    pub start: f64,
    /// Minimum and maximum of the option.
    pub range: (i64, i64),
    /// Perturbation in the last iteration, in units of the option. Range: above 0.
    pub step: f64,
    /// Move per point in the last iteration, as a share of the perturbation, instead of that of all parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The line of OpenBench or fishtest that it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}

impl Parameter {
    /// Returns a value rounded down after adding `fraction`, within the range.
    fn rounded(&self, value: f64, fraction: f64) -> i64 {
        ((value + fraction).floor() as i64).clamp(self.range.0, self.range.1)
    }
}

/// The state of an SPSA run.
#[derive(Clone, Debug)]
pub(crate) struct Spsa {
    pub(super) parameters: Vec<Parameter>,
    /// The length, and the gain sequences: `rate`, `stability`, `alpha` and `gamma`.
    pub(super) config: TuneConfig,
    seed: u64,
    /// Values by iteration, beginning with the start values, and by parameter. Shape: never empty.
    pub(super) path: Vec<Vec<f64>>,
}

impl Spsa {
    /// Returns the initial state. `iterations` and `pairs` are at least 1.
    pub(crate) fn new(config: &TuneConfig, parameters: Vec<Parameter>, seed: u64) -> Self {
        let path = vec![parameters.iter().map(|parameter| parameter.start).collect()];
        Self { parameters, config: config.clone(), seed, path }
    }

    /// Returns the planned number of iterations.
    pub(super) fn iterations(&self) -> u64 {
        self.config.iterations.get()
    }

    /// Returns the number of pairs of an iteration.
    pub(super) fn pairs(&self) -> u64 {
        self.config.pairs.get()
    }

    /// Returns the number of finished iterations.
    pub(super) fn done(&self) -> u64 {
        self.path.len() as u64 - 1
    }

    /// Returns the current values.
    pub(super) fn values(&self) -> &[f64] {
        &self.path[self.path.len() - 1]
    }

    /// Returns the result: the mean over the last quarter of the planned iterations, which has less
    /// noise than the last values. Before that quarter these are the current values.
    pub(crate) fn result(&self) -> Vec<f64> {
        let first_late = self.iterations() - self.iterations().div_ceil(4) + 1;
        let late = &self.path[first_late.min(self.done()) as usize..];
        (0..self.parameters.len()).map(|index| mean(late.iter().map(|values| values[index]))).collect()
    }

    /// Returns the settings of both engines in a pair of the current iteration. Shape: first
    /// engine, second; by parameter.
    pub(crate) fn settings(&self, pair: u64) -> [Vec<i64>; 2] {
        let (mut random, signs) = self.draw(pair);
        let mut settings = [Vec::with_capacity(signs.len()), Vec::with_capacity(signs.len())];
        for (index, sign) in signs.into_iter().enumerate() {
            let shift = sign * self.perturbation(index);
            // The same fraction for both, so that their distance is correct on average.
            let fraction = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
            let parameter = &self.parameters[index];
            for (setting, shift) in settings.iter_mut().zip([shift, -shift]) {
                setting.push(parameter.rounded(self.values()[index] + shift, fraction));
            }
        }
        settings
    }

    /// Returns the share of pairs in which both sides have the same value of a parameter, if the
    /// parameter stays at its current value in all remaining iterations.
    pub(crate) fn equal_share(&self, index: usize) -> f64 {
        /// Iterations and roundings sampled.
        const SAMPLES: u64 = 100;
        let (parameter, value) = (&self.parameters[index], self.values()[index]);
        let samples = || (0..SAMPLES).map(|sample| (sample as f64 + 0.5) / SAMPLES as f64);
        let is_equal = |share: f64, fraction: f64| {
            let done = self.done() as f64;
            let iteration = done + share * (self.iterations() as f64 - done);
            let shift = self.perturbation_at(index, iteration);
            parameter.rounded(value + shift, fraction) == parameter.rounded(value - shift, fraction)
        };
        let equal = |share: f64| samples().filter(|&fraction| is_equal(share, fraction)).count();
        samples().map(equal).sum::<usize>() as f64 / (SAMPLES * SAMPLES) as f64
    }

    /// Finishes the iteration, given each pair's points of the first engine minus those of the
    /// second, −2 to 2.
    pub(crate) fn advance(&mut self, points: impl IntoIterator<Item = (u64, i32)>) {
        let mut moves = vec![0.0; self.parameters.len()];
        for (pair, points) in points {
            let (_, signs) = self.draw(pair);
            for (index, (step, sign)) in moves.iter_mut().zip(signs).enumerate() {
                *step += self.rate(index) * self.perturbation(index) * sign * f64::from(points);
            }
        }
        let moved =
            self.values().iter().zip(moves).zip(&self.parameters).map(|((value, step), parameter)| {
                let (low, high) = parameter.range;
                (value + step).clamp(low as f64, high as f64)
            });
        self.path.push(moved.collect());
    }

    /// Returns the signs of a pair and the random generator after drawing them.
    fn draw(&self, pair: u64) -> (SplitMix64, Vec<f64>) {
        // Hashed twice, so that neither adjacent seeds nor adjacent pairs share a sequence.
        let scrambled = SplitMix64::new(self.seed).next_u64() ^ pair;
        let mut random = SplitMix64::new(SplitMix64::new(scrambled).next_u64());
        let signs = self.parameters.iter().map(|_| if random.next_u64() >> 63 == 0 { 1.0 } else { -1.0 });
        let signs = signs.collect();
        (random, signs)
    }

    /// Returns the perturbation of a parameter in the current iteration.
    fn perturbation(&self, index: usize) -> f64 {
        self.perturbation_at(index, (self.done() + 1) as f64)
    }

    /// Returns the perturbation of a parameter in an iteration, counted from 1.
    fn perturbation_at(&self, index: usize, iteration: f64) -> f64 {
        self.parameters[index].step * (self.iterations() as f64 / iteration).powf(self.config.gamma)
    }

    /// Returns the move per point of a parameter in the current iteration, as a share of the perturbation.
    fn rate(&self, index: usize) -> f64 {
        let &TuneConfig { rate, stability, alpha, gamma, .. } = &self.config;
        let rate = self.parameters[index].rate.unwrap_or(rate);
        let (all, now) = (self.iterations() as f64, (self.done() + 1) as f64);
        let offset = stability * all;
        // a_k decays with alpha, the perturbation c_k with gamma; the rate is a_k / c_k².
        rate * ((offset + all) / (offset + now)).powf(alpha) / (all / now).powf(2.0 * gamma)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate that a configuration has by default.
    const RATE: f64 = 0.002;

    fn spsa(parameters: Vec<Parameter>, rate: f64, iterations: u64, pairs: u64, seed: u64) -> Spsa {
        let text = format!("{{ parameters: [], iterations: {iterations}, pairs: {pairs}, rate: {rate} }}");
        Spsa::new(&serde_yaml::from_str(&text).unwrap(), parameters, seed)
    }

    fn parameter(name: &str, start: f64, range: (i64, i64), step: f64) -> Parameter {
        Parameter { name: name.to_owned(), start, range, step, rate: None, line: None }
    }

    fn two(iterations: u64, pairs: u64, seed: u64) -> Spsa {
        let parameters = vec![parameter("a", 100.0, (0, 400), 10.0), parameter("b", 300.0, (0, 400), 10.0)];
        spsa(parameters, RATE, iterations, pairs, seed)
    }

    #[test]
    fn engines_differ_by_twice_the_perturbation() {
        let spsa = two(100, 8, 7);
        // 10 * 100^0.101
        let perturbation = 15.922;
        assert!((spsa.perturbation(0) - perturbation).abs() < 1e-3, "{}", spsa.perturbation(0));
        let mut sums = [0.0; 2];
        for pair in 0..8000 {
            let [first, second] = spsa.settings(pair);
            for (index, sum) in sums.iter_mut().enumerate() {
                let apart = (first[index] - second[index]).abs() as f64;
                assert!((apart - 2.0 * perturbation).abs() <= 1.0, "{apart}");
                *sum += (first[index] + second[index]) as f64 / 2.0;
            }
        }
        let means = sums.map(|sum| sum / 8000.0);
        assert!((means[0] - 100.0).abs() < 0.05 && (means[1] - 300.0).abs() < 0.05, "{means:?}");
    }

    #[test]
    fn signs_are_fair_independent_and_reproducible() {
        let spsa = two(10, 10, 3);
        let (mut ups, mut alike, mut repeats) = (0, 0, 0);
        let mut before = Vec::new();
        for pair in 0..10_000 {
            let (_, signs) = spsa.draw(pair);
            assert_eq!(spsa.draw(pair).1, signs);
            ups += i32::from(signs[0] > 0.0);
            alike += i32::from((signs[0] - signs[1]).abs() < 0.5);
            repeats += i32::from(signs == before);
            before = signs;
        }
        for (count, expected) in [(ups, 5000), (alike, 5000), (repeats, 2500)] {
            assert!((count - expected).abs() < 200, "{ups} {alike} {repeats}");
        }
    }

    #[test]
    fn final_move_per_point_equals_the_rate() {
        let mut spsa = two(10, 1, 5);
        for pair in 0..9 {
            spsa.advance([(pair, 0)]);
        }
        assert_eq!(spsa.values(), [100.0, 300.0], "drawn pairs cause no move");
        let signs = spsa.draw(9).1;
        spsa.advance([(9, 2)]);
        for ((value, start), sign) in spsa.values().iter().zip([100.0, 300.0]).zip(signs) {
            assert!((value - start - sign * 0.002 * 10.0 * 2.0).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn rate_follows_the_gain_sequences_from_the_first_iteration() {
        // a_k / c_k^2 in units of the last iteration, by hand for 10 iterations: the offset is 1, so
        // a_k falls with (11 / (1 + k))^0.602 and c_k^2 with (10 / k)^0.202.
        for (done, expected) in [(0, 0.003_505_3), (4, 0.002_504_3), (9, 0.002)] {
            let mut spsa = two(10, 1, 5);
            for pair in 0..done {
                spsa.advance([(pair, 0)]);
            }
            let perturbation = 10.0 * (10.0 / (done + 1) as f64).powf(0.101);
            let signs = spsa.draw(done).1;
            spsa.advance([(done, 2)]);
            let rate = (spsa.values()[0] - 100.0) / (signs[0] * perturbation * 2.0);
            assert!((rate - expected).abs() < 1e-6, "iteration {}: {rate}", done + 1);
        }
    }

    #[test]
    fn equal_share_is_that_of_the_settings_dealt() {
        for (start, range, step) in
            [(10.0, (0, 20), 0.1), (10.0, (0, 20), 0.3), (10.4, (0, 20), 0.6), (0.0, (0, 20), 0.5)]
        {
            let mut spsa = spsa(vec![parameter("a", start, range, step)], RATE, 40, 100, 3);
            let expected = spsa.equal_share(0);
            let mut equal = 0;
            for iteration in 0..40 {
                let pairs = 100 * iteration..100 * (iteration + 1);
                equal +=
                    pairs.clone().filter(|&pair| spsa.settings(pair)[0] == spsa.settings(pair)[1]).count();
                spsa.advance(pairs.map(|pair| (pair, 0)));
            }
            let share = equal as f64 / 4000.0;
            // Three standard errors of 4,000 pairs and the grid.
            assert!((share - expected).abs() < 0.034, "{start} {step}: {share}, expected {expected}");
        }
        let share = |step| spsa(vec![parameter("a", 10.0, (0, 20), step)], RATE, 40, 1, 3).equal_share(0);
        assert!(share(0.1) > 0.7 && share(0.5) < 1e-9);
    }

    #[test]
    fn pair_order_does_not_matter_and_ranges_hold() {
        let (mut one, mut other) = (two(4, 3, 9), two(4, 3, 9));
        one.advance([(0, 2), (1, -1), (2, 0)]);
        other.advance([(2, 0), (1, -1), (0, 2)]);
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near(one.values(), other.values()), "{one:?} {other:?}");
        let mut wild = spsa(vec![parameter("a", 3.0, (0, 6), 2.0)], 50.0, 100, 1, 1);
        for pair in 0..100 {
            let settings = wild.settings(pair);
            assert!(settings.iter().all(|values| (0..=6).contains(&values[0])), "{settings:?}");
            wild.advance([(pair, if pair % 3 == 0 { -2 } else { 2 })]);
            assert!((0.0..=6.0).contains(&wild.values()[0]));
        }
    }

    /// The expected result follows a quadratic maximum at (180, 210), with realistic noise.
    #[test]
    fn noisy_maximum_is_found() {
        let top = [180.0, 210.0];
        let elo = |values: &[i64]| -> f64 {
            values.iter().zip(top).map(|(&value, top)| -((value as f64 - top) / 10.0).powi(2)).sum()
        };
        // A larger rate compensates for the small number of games.
        let mut spsa = spsa(two(1, 1, 0).parameters, 0.006, 4000, 4, 11);
        let mut random = SplitMix64::new(4);
        for iteration in 0..4000 {
            let points: Vec<(u64, i32)> = (4 * iteration..4 * iteration + 4)
                .map(|pair| {
                    let [first, second] = spsa.settings(pair);
                    let share = 1.0 / (1.0 + 10.0_f64.powf((elo(&second) - elo(&first)) / 400.0));
                    let game = |random: &mut SplitMix64| {
                        let toss = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                        // One third of the games are drawn.
                        let win = share - 1.0 / 6.0;
                        if toss < win {
                            1
                        } else if toss < win + 1.0 / 3.0 {
                            0
                        } else {
                            -1
                        }
                    };
                    (pair, game(&mut random) + game(&mut random))
                })
                .collect();
            spsa.advance(points);
        }
        let result = spsa.result();
        for ((value, top), start) in result.iter().zip(top).zip([100.0, 300.0_f64]) {
            assert!((value - top).abs() < (start - top).abs() / 4.0, "{result:?}");
        }
    }
}
