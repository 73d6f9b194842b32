//! Simulations of error rates, coverage and bias with 5,000 runs each: `make statistics-check`.
//!
//! Each share is printed with its expectation and its tolerance. The tolerance is three standard errors of
//! the number of runs, plus the known error of the approximation where there is one.

use std::fmt::Write;

use super::*;
use stretto_stats::effects::{Trial, effects};
use stretto_stats::interval::EloInterval;

const RUNS: u32 = 5000;
/// Error of Brownian motion as a model of a test of 20 nElo, whose steps are not small, and of an effect's
/// normal interval.
const MODEL_ERROR: f64 = 0.01;

/// The table of the figures, printed at the end.
#[derive(Default)]
struct Table {
    text: String,
    failures: usize,
}

impl Table {
    /// Adds a share of `all` that is expected to be `expected`.
    fn share(&mut self, what: &str, count: u32, all: u32, expected: f64, model_error: f64) {
        let found = f64::from(count) / f64::from(all);
        let tolerance = 3.0 * (expected * (1.0 - expected) / f64::from(all)).sqrt() + model_error;
        let is_near = (found - expected).abs() <= tolerance;
        self.failures += usize::from(!is_near);
        self.line(
            what,
            &format!("{:.2} %", 100.0 * found),
            &format!("{:.2} ± {:.2} %", 100.0 * expected, 100.0 * tolerance),
            is_near,
        );
    }

    fn line(&mut self, what: &str, found: &str, expected: &str, is_near: bool) {
        let mark = if is_near { "" } else { "  FAILED" };
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{what:56} {found:>10}  expected {expected}{mark}");
    }
}

/// Returns whether an interval contains a value.
fn contains(interval: EloInterval, truth: f64) -> bool {
    interval.low.is_none_or(|low| low.0 <= truth) && interval.high.is_none_or(|high| truth <= high.0)
}

/// Tests of 0 against 20 nElo: error rates, and the estimates after stopping.
fn tests(table: &mut Table) {
    let test = sprt(Normalized, 0.0, 20.0);
    for (truth, wrong) in [(0.0, Some(Verdict::AcceptH1)), (10.0, None), (20.0, Some(Verdict::AcceptH0))] {
        let probabilities = tilted(truth);
        let counts = Pentanomial(probabilities.map(|p| (1e9 * p).round() as u64));
        let true_elo = elo(&counts).unwrap().value.0;
        let mut random = SplitMix64::new(100 + truth as u64);
        let (mut decided, mut below, mut covered) = (0, 0, 0);
        let mut bias = [0.0; 2];
        for _ in 0..RUNS {
            let (verdict, pairs) = simulate(&test, probabilities, &mut random);
            decided += u32::from(verdict == wrong.unwrap_or(Verdict::AcceptH1));
            let found = median_unbiased(&pairs, &test).unwrap();
            below += u32::from(found.elo.0 < true_elo);
            covered += u32::from(contains(found.interval(), true_elo));
            bias[0] += found.elo.0 - true_elo;
            bias[1] += elo(&pairs).unwrap().value.0 - true_elo;
        }
        let at = |what: &str| format!("SPRT [0, 20] at {truth} nElo: {what}");
        match wrong {
            Some(verdict) => {
                table.share(&at(&format!("{verdict:?}, which is wrong")), decided, RUNS, 0.05, MODEL_ERROR);
            }
            None => table.share(&at("AcceptH1"), decided, RUNS, 0.5, MODEL_ERROR),
        }
        table.share(&at("unbiased estimate below the truth"), below, RUNS, 0.5, MODEL_ERROR);
        table.share(&at("unbiased interval covers"), covered, RUNS, 0.95, MODEL_ERROR);
        let [unbiased, plain] = bias.map(|sum| sum / f64::from(RUNS));
        // Where the truth is a bound, stopping biases the plain estimate most.
        let is_near = wrong.is_none() || unbiased.abs() < plain.abs();
        table.failures += usize::from(!is_near);
        table.line(
            &at("mean bias, Elo"),
            &format!("{unbiased:.2}"),
            &format!("less than the plain {plain:.2}"),
            is_near,
        );
    }
}

/// Matches of 200 pairs: the interval of Elo.
fn matches(table: &mut Table) {
    for truth in [0.0, 100.0] {
        let probabilities = tilted(truth);
        let counts = Pentanomial(probabilities.map(|p| (1e9 * p).round() as u64));
        let true_elo = elo(&counts).unwrap().value.0;
        let mut random = SplitMix64::new(200 + truth as u64);
        let mut covered = 0;
        for _ in 0..RUNS {
            let mut pairs = Pentanomial::default();
            for _ in 0..200 {
                pairs.0[draw(&probabilities, &mut random)] += 1;
            }
            covered +=
                u32::from(EloInterval::of(&pairs).is_some_and(|interval| contains(interval, true_elo)));
        }
        table.share(
            &format!("200 pairs at {truth} nElo: Elo interval covers"),
            covered,
            RUNS,
            0.95,
            MODEL_ERROR,
        );
    }
}

/// Screenings of five settings and 200 pairs: the intervals of the effects.
fn screenings(table: &mut Table) {
    let values = [0.0, 60.0, -25.0, 8.0, -150.0];
    let mut random = SplitMix64::new(300);
    let (mut covered, mut all) = (0, 0);
    while all < RUNS {
        let trials: Vec<Trial> = (0..200)
            .map(|_| {
                let differences: Vec<f64> = values
                    .iter()
                    .map(|_| [0.0, 0.0, 1.0, -1.0][(random.next_u64() >> 62) as usize])
                    .collect();
                let difference: f64 = values.iter().zip(&differences).map(|(value, sign)| value * sign).sum();
                let share = Elo(difference).to_score().0;
                let draws = 0.66 * share.min(1.0 - share);
                let mut game = || {
                    let toss = uniform(&mut random);
                    if toss < share - draws / 2.0 {
                        1.0
                    } else if toss < share + draws / 2.0 {
                        0.5
                    } else {
                        0.0
                    }
                };
                let score = Share(f64::midpoint(game(), game()));
                Trial { differences, score }
            })
            .collect();
        for (effect, truth) in effects(values.len(), &trials).into_iter().zip(values) {
            let effect = effect.expect("200 pairs determine five effects");
            covered += u32::from((effect.value.0 - truth).abs() <= Z95 * effect.error.0);
            all += 1;
        }
    }
    table.share("screening of 5 settings, 200 pairs: interval covers", covered, all, 0.95, MODEL_ERROR);
}

#[test]
#[ignore = "minutes in release form: make statistics-check"]
fn simulated_statistics_are_nominal() {
    let mut table = Table::default();
    tests(&mut table);
    matches(&mut table);
    screenings(&mut table);
    println!("{}", table.text);
    assert_eq!(table.failures, 0, "figures outside their tolerance");
}
