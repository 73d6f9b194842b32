//! Summary of the matches: the multiple of nodes at which both engines are equally strong, and its interval.

use serde::Serialize;

use super::EquivalenceConfig;
use crate::base::cancel::Cancel;
use crate::config::{FieldPath, Problem};
use crate::measure::searches::refuse_threads;
use crate::play::limit_check::LimitViolation;
use crate::play::matches::{MatchSummary, RepeatedPairs};
use crate::pool::{PreflightError, Setup, try_engine};
use crate::run::RunState;
use crate::uci::Launcher;
use stretto_stats::elo::Estimate;
use stretto_stats::interval::EloInterval;
use stretto_stats::mean::LEVEL;
use stretto_stats::numeric::{Z95, student_critical};
use stretto_stats::units::{Elo, Share};

/// The format of [`EquivalenceSummary`]; raised when an older reader could misread it.
pub(crate) const EQUIVALENCE_VERSION: u32 = 2;

/// Starts and ends the engine once and checks its options, before the run folder is created.
///
/// Returns the `id name`, and warnings for the user.
pub(crate) fn trial(
    config: &EquivalenceConfig,
    launcher: &Launcher,
    cancel: &Cancel,
) -> Result<(String, Vec<String>), PreflightError> {
    let setup = Setup::new(
        launcher.clone(),
        config.any_match().watchdog,
        config.any_match().variant,
        false,
        cancel.clone(),
    );
    let trial = try_engine(&config.engine, &FieldPath::root().key("engine"), &setup)?;
    let most = config.threads.last().map_or(1, |threads| threads.get());
    if let Some(refusal) = refuse_threads(&trial.options, most) {
        return Err(PreflightError::Option(Problem::new(FieldPath::root().key("threads"), refusal)));
    }
    Ok((trial.id_name, [trial.warnings, idle_threads_notices(config)].concat()))
}

/// Returns a notice for each number of threads that gets too few turns in lockstep at the smallest
/// factor.
fn idle_threads_notices(config: &EquivalenceConfig) -> Vec<String> {
    let smallest = config.cells.chunk_by(|one, next| one.threads == next.threads).filter_map(<[_]>::first);
    smallest.filter_map(|cell| cell.config.engines.first()?.idle_threads_notice()).collect()
}

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Interval {
    /// The point estimate itself.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The result of the match at one factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Level {
    /// Nodes of all threads together, divided by those of one thread.
    pub factor: f64,
    /// Number of games played.
    pub games: u64,
    /// Number of complete pairs, from which Elo is computed.
    pub pairs: u64,
    /// Mean score of the engine with many threads.
    pub score: Option<Share>,
    /// Elo of the engine with many threads.
    pub elo: Option<Estimate<Elo>>,
    /// 95 % confidence interval of Elo, also where `elo` has no half-width.
    pub elo_interval: Option<EloInterval>,
}

/// The equivalence factor at one number of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ThreadValue {
    /// Number of search threads.
    pub threads: u32,
    /// Matches in rising order of the factor.
    #[serde(rename = "matches")]
    pub levels: Vec<Level>,
    /// Equivalence factor: the multiple of the nodes at equal strength. `None` if the matches do not
    /// bound it, or if it lies outside their factors.
    pub factor: Option<Interval>,
    /// Speedup at equal strength, `threads / factor`, if every thread were as fast as a single one.
    pub speedup: Option<Interval>,
}

/// The content of `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EquivalenceSummary {
    /// Format version: [`EQUIVALENCE_VERSION`] when written.
    pub v: u32,
    /// The state of the run.
    pub state: RunState,
    /// Results in rising order of the number of threads.
    pub by_threads: Vec<ThreadValue>,
    /// Engines of the matches that ignore their limit of nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limit_violations: Vec<LimitViolation>,
    /// Pairs of games that repeat earlier games of their match.
    #[serde(skip_serializing_if = "RepeatedPairs::is_none")]
    pub repeated: RepeatedPairs,
}

impl EquivalenceSummary {
    /// Summarizes the matches so far, in the order of the configuration's cells.
    pub(crate) fn of(config: &EquivalenceConfig, matches: &[MatchSummary], state: RunState) -> Self {
        let cells: Vec<_> = config.cells.iter().zip(matches).collect();
        let thread_value = |&threads: &std::num::NonZeroU32| {
            let own = cells.iter().filter(|(cell, _)| cell.threads == threads);
            let levels = own.map(|(cell, summary)| Level {
                factor: cell.factor,
                games: summary.games,
                pairs: summary.stats.map_or(0, |stats| stats.pairs.pairs()),
                score: summary.stats.and_then(|stats| stats.score),
                elo: summary.stats.and_then(|stats| stats.elo),
                elo_interval: summary.stats.and_then(|stats| stats.elo_interval),
            });
            ThreadValue::of(threads.get(), levels.collect())
        };
        let limit_violations = matches.iter().flat_map(|summary| summary.limit_violations.clone()).collect();
        let by_threads = config.threads.iter().map(thread_value).collect();
        let repeated = RepeatedPairs::of_matches(matches.iter().map(|summary| summary.repeated));
        Self { v: EQUIVALENCE_VERSION, state, by_threads, limit_violations, repeated }
    }
}

impl ThreadValue {
    fn of(threads: u32, levels: Vec<Level>) -> Self {
        let points: Vec<Point> = levels.iter().filter_map(Point::of).collect();
        let exp = |root: Interval| root.map(f64::exp);
        let factor = root_of_line(&points).filter(|root| is_within(root.value, &points)).map(exp);
        let speedup = factor.map(|Interval { value, low, high }| {
            let threads = f64::from(threads);
            Interval { value: threads / value, low: threads / high, high: threads / low }
        });
        Self { threads, levels, factor, speedup }
    }
}

impl Level {
    /// Whether the match has games but no error of Elo, so that the fit does not use it.
    pub(super) fn is_left_out(&self) -> bool {
        self.games > 0 && Point::of(self).is_none()
    }
}

impl Interval {
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: f(self.value), low: f(self.low), high: f(self.high) }
    }
}

/// A match as a point of the fit.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// The logarithm of the factor.
    x: f64,
    /// Elo of the many threads.
    y: f64,
    /// Inverse variance of the Elo.
    weight: f64,
}

impl Point {
    /// Returns `None` if Elo has no half-width, from which the standard error follows: with few or lopsided pairs.
    fn of(level: &Level) -> Option<Self> {
        let elo = level.elo?;
        let critical = student_critical(LEVEL, level.pairs.saturating_sub(1) as usize)?;
        let error = elo.half_width.map(|half| half.0 / critical).filter(|&error| error > 0.0)?;
        Some(Self { x: level.factor.ln(), y: elo.value.0, weight: error.powi(-2) })
    }
}

/// Whether a root lies between the matches. Elsewhere the line is an extrapolation, whose error the
/// interval does not contain.
fn is_within(root: f64, points: &[Point]) -> bool {
    points.iter().any(|point| point.x <= root) && points.iter().any(|point| root <= point.x)
}

/// Returns the root of the weighted regression line, with Fieller's interval. `None` if the slope is
/// not significantly positive, since the interval is then unbounded.
///
/// Source: E. C. Fieller, "Some Problems in Interval Estimation" (1954), for the quotient of two normal estimates.
fn root_of_line(points: &[Point]) -> Option<Interval> {
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

    #[test]
    fn threads_without_turns_have_a_notice() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("book.epd"), "").unwrap();
        let notices = |threads: &str, nodes: u32| {
            let text = format!(
                "engine: {{ name: a, command: sh, options: {{ Lockstep: 500 }} }}\nnodes: {nodes}\nthreads: {threads}\n\
                 factors: [1.25, 2]\ngames: 10\nopenings: {{ file: book.epd }}\n"
            );
            let source = crate::config::Source::new(dir.path().join("equivalence.yaml"), text);
            idle_threads_notices(&EquivalenceConfig::load(&source, None).unwrap().0)
        };
        // 4,000 nodes times 1.25: five turns for each of two threads, 0.2 for each of 64.
        assert_eq!(notices("[2]", 4000), [""; 0]);
        let found = notices("[2, 4, 64]", 4000);
        assert_eq!(found.len(), 2, "{found:?}");
        let expected = "a x64: 5000 nodes are 0.2 turns for each of 64 threads (Lockstep 500); below 5, ";
        assert!(found[1].starts_with(expected), "{found:?}");
        assert_eq!(notices("[2, 4, 64]", 128_000), [""; 0]);
    }

    fn level(factor: f64, elo: f64, half_width: f64) -> Level {
        let elo = Some(Estimate { value: Elo(elo), half_width: Some(Elo(half_width)) });
        Level { factor, games: 100, pairs: 50, score: None, elo, elo_interval: None }
    }

    #[test]
    fn factor_is_the_root_of_the_line() {
        // 100 Elo a doubling; equal at 1.5 times the nodes.
        let elo = |factor: f64| 100.0 * (factor / 1.5).log2();
        let levels = [1.0, 1.4, 2.0].map(|factor| level(factor, elo(factor), 20.0));
        let value = ThreadValue::of(2, levels.to_vec());
        let (factor, speedup) = (value.factor.unwrap(), value.speedup.unwrap());
        assert!((factor.value - 1.5).abs() < 1e-9, "{factor:?}");
        assert!(factor.low > 1.3 && factor.low < 1.5 && factor.high > 1.5 && factor.high < 1.8, "{factor:?}");
        assert!((speedup.value - 2.0 / 1.5).abs() < 1e-9);
        assert!(
            (speedup.low * factor.high - 2.0).abs() < 1e-9 && (speedup.high * factor.low - 2.0).abs() < 1e-9
        );
    }

    #[test]
    fn fieller_interval_approaches_the_delta_method_for_small_errors() {
        // Two points at x = -1 and 1 with Elo -10 and 10 and error 1: slope 10, error of the height at zero 1 / sqrt 2.
        let points = [-1.0, 1.0].map(|x| Point { x, y: 10.0 * x, weight: 1.0 });
        let crossing = root_of_line(&points).unwrap();
        let half = Z95 / (2.0_f64.sqrt() * 10.0);
        assert!(crossing.value.abs() < 1e-12);
        assert!((crossing.high - half).abs() < 0.02 * half, "{crossing:?} against {half}");
    }

    #[test]
    fn unbounded_factor_is_none() {
        assert_eq!(ThreadValue::of(2, vec![level(1.0, -50.0, 10.0)]).factor, None, "one match is no line");
        let falling = vec![level(1.0, 10.0, 5.0), level(2.0, -10.0, 5.0)];
        assert_eq!(ThreadValue::of(2, falling).factor, None, "more nodes cannot be worse");
        let flat = vec![level(1.0, -10.0, 40.0), level(2.0, 10.0, 40.0)];
        assert_eq!(ThreadValue::of(2, flat).factor, None, "the slope may be zero");
        let blind = vec![Level { elo: None, ..level(1.0, 0.0, 1.0) }, level(2.0, 10.0, 1.0)];
        assert_eq!(ThreadValue::of(2, blind).factor, None);
    }

    #[test]
    fn matches_without_an_error_are_left_out_of_the_fit() {
        let one_sided =
            Level { elo: Some(Estimate { value: Elo(-470.4), half_width: None }), ..level(0.4, 0.0, 1.0) };
        assert!(one_sided.is_left_out() && !level(1.0, 0.0, 9.0).is_left_out());
        assert!(!Level { games: 0, pairs: 0, ..one_sided }.is_left_out(), "it was not played");
        let others = [level(1.0, -40.0, 9.0), level(3.0, 60.0, 9.0)];
        let with = ThreadValue::of(2, [vec![one_sided], others.to_vec()].concat());
        assert_eq!(with.factor, ThreadValue::of(2, others.to_vec()).factor);
    }

    #[test]
    fn error_of_few_pairs_is_the_half_width_over_students_quantile() {
        // 2.26216 with nine degrees of freedom.
        let point = Point::of(&Level { pairs: 10, ..level(1.0, 0.0, 226.216) }).unwrap();
        assert!((point.weight.sqrt() - 0.01).abs() < 1e-6, "{point:?}");
    }

    #[test]
    fn extrapolated_factor_is_none() {
        // 100 Elo a doubling; equal at 1.5 times the nodes, beyond all matches.
        let elo = |factor: f64| 100.0 * (factor / 1.5).log2();
        let levels = |factors: [f64; 3]| factors.map(|factor| level(factor, elo(factor), 5.0)).to_vec();
        let value = ThreadValue::of(2, levels([1.0, 1.2, 1.4]));
        assert_eq!((value.factor, value.speedup), (None, None));
        assert_eq!(ThreadValue::of(2, levels([1.6, 2.0, 4.0])).factor, None);
        assert!(ThreadValue::of(2, levels([1.4, 1.6, 2.0])).factor.is_some());
    }
}
