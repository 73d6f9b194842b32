//! How many nodes many threads need to play as well as one: what `harness equivalence` makes of its matches.
//!
//! At each number of threads an engine plays itself with one thread, and gets so many times the nodes. The Elo of these
//! matches is laid a straight line through, over the logarithm of the factor; where it crosses zero both are equal.
//! What time the threads save then follows, were each as fast as one alone: `threads / factor`.

pub(crate) mod command;
pub(crate) mod config;
mod report;
mod stored;

pub use config::{EquivalenceCell, EquivalenceConfig};
pub use report::equivalence_report;
pub use stored::report_stored;

use serde::Serialize;

use crate::base::cancel::Cancel;
use crate::base::units::{Elo, Share};
use crate::config::FieldPath;
use crate::play::matches::{PreflightError, Setup, Summary, try_engine};
use crate::run::RunState;
use crate::stats::elo::Estimate;
use crate::stats::numeric::Z95;
use crate::uci::Launcher;

/// The format of [`EquivalenceSummary`]; raised when an older reader could misread it.
pub const EQUIVALENCE_VERSION: u32 = 2;

/// Starts the engine once, checks its options, and ends it again, before anything is written.
///
/// Returns what it calls itself, and warnings for the user.
pub fn trial(
    config: &EquivalenceConfig,
    launcher: &Launcher,
    cancel: &Cancel,
) -> Result<(String, Vec<String>), PreflightError> {
    let setup = Setup {
        launcher: launcher.clone(),
        watchdog: config.any_match().watchdog,
        variant: config.any_match().variant,
        is_timed: false,
        logs: None,
        cancel: cancel.clone(),
    };
    let trial = try_engine(&config.engine, &FieldPath::root().key("engine"), &setup)?;
    Ok((trial.id_name, trial.warnings))
}

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A match at one factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Level {
    /// How many times the nodes of one thread.
    pub factor: f64,
    /// Games played.
    pub games: u64,
    /// Mean score of the many threads.
    pub score: Option<Share>,
    /// Their Elo.
    pub elo: Option<Estimate<Elo>>,
}

/// What so many threads are worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// How many threads.
    pub threads: u32,
    /// The matches, by rising factor.
    #[serde(rename = "matches")]
    pub levels: Vec<Level>,
    /// How many times the nodes of one thread they need to play as well; `None` where the matches do not bound it.
    pub factor: Option<Interval>,
    /// How many times less time they need for it, were each as fast as one alone.
    pub speedup: Option<Interval>,
}

/// The outcome of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EquivalenceSummary {
    /// See [`EQUIVALENCE_VERSION`].
    pub v: u32,
    /// Is the run over?
    pub state: RunState,
    /// By rising number of threads.
    #[serde(rename = "by_threads")]
    pub worth: Vec<Worth>,
}

impl EquivalenceSummary {
    /// Of the matches so far, in the order of the configuration's cells.
    pub fn of(config: &EquivalenceConfig, matches: &[Summary], state: RunState) -> Self {
        let cells: Vec<_> = config.cells.iter().zip(matches).collect();
        let worth = |&threads: &std::num::NonZeroU32| {
            let own = cells.iter().filter(|(cell, _)| cell.threads == threads);
            let levels = own.map(|(cell, summary)| Level {
                factor: cell.factor,
                games: summary.games,
                score: summary.stats.and_then(|stats| stats.score),
                elo: summary.stats.and_then(|stats| stats.elo),
            });
            Worth::of(threads.get(), levels.collect())
        };
        Self { v: EQUIVALENCE_VERSION, state, worth: config.threads.iter().map(worth).collect() }
    }
}

impl Worth {
    fn of(threads: u32, levels: Vec<Level>) -> Self {
        let points: Vec<Point> = levels.iter().filter_map(Point::of).collect();
        let exp = |root: Interval| root.map(f64::exp);
        let factor = balance(&points).map(exp);
        let speedup = factor.map(|Interval { value, low, high }| {
            let threads = f64::from(threads);
            Interval { value: threads / value, low: threads / high, high: threads / low }
        });
        Self { threads, levels, factor, speedup }
    }
}

impl Interval {
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: f(self.value), low: f(self.low), high: f(self.high) }
    }
}

/// A match as a point of the line.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// The logarithm of the factor.
    x: f64,
    /// Elo.
    y: f64,
    /// 1 over its variance.
    weight: f64,
}

impl Point {
    /// `None` where the match says nothing about its error: all pairs alike, or none.
    fn of(level: &Level) -> Option<Self> {
        let elo = level.elo?;
        let error = elo.half_width.map(|half| half.0 / Z95).filter(|&error| error > 0.0)?;
        Some(Self { x: level.factor.ln(), y: elo.value.0, weight: error.powi(-2) })
    }
}

/// Where a weighted line through the points crosses zero, with the interval of Fieller; `None` where the line does not
/// rise for certain, so that the crossing is not bounded.
///
/// Source: E. C. Fieller, "Some Problems in Interval Estimation" (1954), for the quotient of two normal estimates.
fn balance(points: &[Point]) -> Option<Interval> {
    let sum = |of: fn(&Point) -> f64| points.iter().map(|point| point.weight * of(point)).sum::<f64>();
    let (s, sx, sy) = (sum(|_| 1.0), sum(|point| point.x), sum(|point| point.y));
    let (sxx, sxy) = (sum(|point| point.x * point.x), sum(|point| point.x * point.y));
    let determinant = s * sxx - sx * sx;
    if points.len() < 2 || determinant <= f64::EPSILON * s * sxx {
        return None;
    }
    let (a, b) = ((sxx * sy - sx * sxy) / determinant, (s * sxy - sx * sy) / determinant);
    let (var_a, var_b, covariance) = (sxx / determinant, s / determinant, -sx / determinant);
    // The roots of (a + b x)^2 = z^2 Var(a + b x).
    let z2 = Z95 * Z95;
    let (p, q, r) = (b * b - z2 * var_b, a * b - z2 * covariance, a * a - z2 * var_a);
    if b <= 0.0 || p <= 0.0 {
        return None;
    }
    let half = (q * q - p * r).max(0.0).sqrt();
    Some(Interval { value: -a / b, low: (-q - half) / p, high: (-q + half) / p })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(factor: f64, elo: f64, half_width: f64) -> Level {
        let elo = Some(Estimate { value: Elo(elo), half_width: Some(Elo(half_width)) });
        Level { factor, games: 100, score: None, elo }
    }

    #[test]
    fn the_line_crosses_zero_where_both_are_equal() {
        // 100 Elo a doubling; equal at 1.5 times the nodes.
        let elo = |factor: f64| 100.0 * (factor / 1.5).log2();
        let levels = [1.0, 1.4, 2.0].map(|factor| level(factor, elo(factor), 20.0));
        let worth = Worth::of(2, levels.to_vec());
        let (factor, speedup) = (worth.factor.unwrap(), worth.speedup.unwrap());
        assert!((factor.value - 1.5).abs() < 1e-9, "{factor:?}");
        assert!(factor.low > 1.3 && factor.low < 1.5 && factor.high > 1.5 && factor.high < 1.8, "{factor:?}");
        assert!((speedup.value - 2.0 / 1.5).abs() < 1e-9);
        assert!(
            (speedup.low * factor.high - 2.0).abs() < 1e-9 && (speedup.high * factor.low - 2.0).abs() < 1e-9
        );
    }

    #[test]
    fn fieller_is_the_delta_method_where_errors_are_small() {
        // Two points at x = -1 and 1 with Elo -10 and 10 and error 1: slope 10, error of the height at zero 1 / sqrt 2.
        let points = [-1.0, 1.0].map(|x| Point { x, y: 10.0 * x, weight: 1.0 });
        let crossing = balance(&points).unwrap();
        let half = Z95 / (2.0_f64.sqrt() * 10.0);
        assert!(crossing.value.abs() < 1e-12);
        assert!((crossing.high - half).abs() < 0.02 * half, "{crossing:?} against {half}");
    }

    #[test]
    fn what_is_not_bounded_is_not_claimed() {
        assert_eq!(Worth::of(2, vec![level(1.0, -50.0, 10.0)]).factor, None, "one match is no line");
        let falling = vec![level(1.0, 10.0, 5.0), level(2.0, -10.0, 5.0)];
        assert_eq!(Worth::of(2, falling).factor, None, "more nodes cannot be worse");
        let flat = vec![level(1.0, -10.0, 40.0), level(2.0, 10.0, 40.0)];
        assert_eq!(Worth::of(2, flat).factor, None, "the slope may be nothing");
        let blind = vec![Level { elo: None, ..level(1.0, 0.0, 1.0) }, level(2.0, 10.0, 1.0)];
        assert_eq!(Worth::of(2, blind).factor, None);
    }
}
