//! The result of a test as fishtest shows it, which commits of Stockfish contain.
//!
//! Source: fishtest, `format_results` in `server/fishtest/util.py`, `get_elo` in `server/fishtest/stats/stat_util.py` and
//! `nelo_pentanomial_summary` in `server/fishtest/http/template_helpers.py`.

use std::f64::consts::SQRT_2;

use super::score::{Score, limited_elo};
use super::tool_llr::fishtest_llr;
use crate::play::verdict::SprtConfig;
use stretto_stats::counts::{Trinomial, ZERO_COUNT};
use stretto_stats::llr::Model;
use stretto_stats::numeric::{Z95, normal_cdf};
use stretto_stats::units::NELO_PER_T;

/// Returns the result: of a test its LLR, otherwise Elo and normalized Elo.
pub(super) fn block(score: &Score, test: Option<&SprtConfig>) -> String {
    let Trinomial { wins, losses, draws } = score.games;
    let pairs = &score.pairs.0;
    let [ll, ld, even, wd, ww] = pairs;
    let counts = [
        format!("Total: {} W: {wins} L: {losses} D: {draws}", score.games.games()),
        format!("Ptnml(0-2): {ll}, {ld}, {even}, {wd}, {ww}"),
    ];
    let [first, last] = match test {
        Some(test) => [Some(llr_line(score, test)), None],
        None => [Some(elo_line(pairs)), Some(normalized_line(pairs))],
    };
    first.into_iter().chain(counts).chain(last).collect::<Vec<_>>().join("\n")
}

fn llr_line(score: &Score, test: &SprtConfig) -> String {
    let SprtConfig { model, elo0, elo1, .. } = test;
    let ([lower, upper], llr) = (test.wald_bounds(), fishtest_llr(test, score));
    let bounds = match model {
        Model::Normalized => format!("<{elo0:.2},{elo1:.2}>"),
        Model::Logistic => format!("{{{elo0:.2},{elo1:.2}}}"),
    };
    format!("LLR: {llr:.2} ({lower:.2},{upper:.2}) {bounds}")
}

/// Returns the counts without zeros.
fn regularized(pairs: &[u64; 5]) -> [f64; 5] {
    pairs.map(|count| if count == 0 { ZERO_COUNT } else { count as f64 })
}

/// Returns the line with Elo and the likelihood of superiority.
fn elo_line(pairs: &[u64; 5]) -> String {
    let counts = regularized(pairs);
    let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
        counts.iter().enumerate().map(|(k, count)| count * value(k as f64 / 2.0)).sum()
    };
    let games = counts.iter().sum::<f64>() * 2.0;
    let mean = sum(&|points| points) / games;
    let deviation = (sum(&|points| (points - 2.0 * mean).powi(2)) / games).sqrt();
    let (low, high) = (mean - Z95 * deviation / games.sqrt(), mean + Z95 * deviation / games.sqrt());
    let superiority = normal_cdf((mean - 0.5) / (deviation / games.sqrt()));
    let (value, error) = (limited_elo(mean), (limited_elo(high) - limited_elo(low)) / 2.0);
    format!("Elo: {value:.2} ± {error:.1} (95%) LOS: {:.1}%", 100.0 * superiority)
}

/// Returns the line with normalized Elo and the ratio of won to lost pairs.
fn normalized_line(pairs: &[u64; 5]) -> String {
    let counts = regularized(pairs);
    let items: f64 = counts.iter().sum();
    let mean_of = |value: &dyn Fn(f64) -> f64| -> f64 {
        counts.iter().enumerate().map(|(k, count)| count / items * value(k as f64 / 4.0)).sum()
    };
    let mean = mean_of(&|points| points);
    let variance = mean_of(&|points| (points - mean).powi(2));
    let skewness = mean_of(&|points| (points - mean).powi(3)) / variance.powf(1.5);
    let kurtosis = mean_of(&|points| (points - mean).powi(4)) / variance.powi(2) - 3.0;
    let t = (mean - 0.5) / variance.sqrt();
    let t_variance = (1.0 - t * skewness + 0.25 * t.powi(2) * (kurtosis + 2.0)).max(0.0);
    let unit = NELO_PER_T / SQRT_2;
    let (value, error) = (unit * t, unit * Z95 * (t_variance / items).sqrt());
    let [ll, ld, _, wd, ww] = pairs;
    let ratio = match (ll + ld, wd + ww) {
        (0, 0) => "nan".to_owned(),
        (0, _) => "inf".to_owned(),
        (lost, won) => format!("{:.2}", won as f64 / lost as f64),
    };
    format!("nElo: {value:.2} ± {error:.1} (95%) PairsRatio: {ratio}")
}
