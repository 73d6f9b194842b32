//! The result of a test as OpenBench shows it on the page of the test.
//!
//! Source: OpenBench, `longStatBlock` in `OpenBench/templatetags/mytags.py`, `Elo` in `OpenBench/stats.py`, and
//! `TimeControl.parse` in `OpenBench/utils.py`.

use super::score::{Score, limited_elo};
use super::setup::EngineSetup;
use super::tool_llr::fishtest_llr;
use crate::config::Limits;
use crate::play::verdict::SprtConfig;
use stretto_stats::counts::Trinomial;
use stretto_stats::numeric::student_critical;

/// Returns the result. The settings are those of the first engine, and the bounds are normalized Elo.
pub(super) fn block(engine: &EngineSetup, score: &Score, test: Option<&SprtConfig>) -> String {
    let Trinomial { wins, losses, draws } = score.games;
    let [ll, ld, even, wd, ww] = score.pairs.0;
    let [low, elo, high] = elo(&score.pairs.0);
    let (above, below) = (high - elo, elo - low);
    // The larger number, and the first one if both are zero.
    let error = if below > above { below } else { above };
    let kind = if test.is_some() { "SPRT" } else { "Conf" };
    // Every engine there declares both options. One without `Threads` has one thread.
    let threads = engine.sizes.threads.as_deref().unwrap_or("1");
    let hash = engine.sizes.hash.as_deref().unwrap_or("?");
    let mut lines = vec![
        format!("Elo   | {elo:.2} +- {error:.2} (95%)"),
        format!("{kind:<5} | {} Threads={threads} Hash={hash}MB", limits_text(&engine.limits)),
    ];
    lines.extend(test.map(|test| {
        let SprtConfig { elo0, elo1, .. } = test;
        let ([lower, upper], llr) = (test.wald_bounds(), fishtest_llr(test, score));
        format!("LLR   | {llr:.2} ({lower:.2}, {upper:.2}) [{elo0:.2}, {elo1:.2}]")
    }));
    lines.push(format!("Games | N: {} W: {wins} L: {losses} D: {draws}", score.games.games()));
    lines.push(format!("Penta | [{ll}, {ld}, {even}, {wd}, {ww}]"));
    lines.join("\n")
}

/// Returns Elo and the ends of its 95 % interval, by Student's distribution: low end, value, high end. Zero for fewer than two
/// pairs.
fn elo(pairs: &[u64; 5]) -> [f64; 3] {
    let items = pairs.iter().sum::<u64>();
    let Some(critical) = items.checked_sub(1).and_then(|degrees| student_critical(0.05, degrees as usize))
    else {
        return [0.0; 3];
    };
    let count = items as f64;
    let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
        pairs.iter().enumerate().map(|(k, &pairs)| value(k as f64 / 4.0) * pairs as f64).sum()
    };
    let mean = sum(&|points| points) / count;
    let variance = sum(&|points| (points - mean).powi(2)) / count;
    let half = critical * variance.sqrt() / count.sqrt();
    [mean - half, mean, mean + half].map(limited_elo)
}

/// Returns the limits: `8.0+0.08s`, `40/60.0+0.60s`, `N=5000`, `D=9` or `MT=100`. Limits that OpenBench does not have are written
/// as the harness writes them.
fn limits_text(limits: &Limits) -> String {
    match *limits {
        Limits { time_control: Some(control), nodes: None, depth: None, movetime: None } => {
            let [stage] = control.stages() else { return format!("{}s", control.to_pgn()) };
            let moves = stage.moves.map_or_else(String::new, |moves| format!("{moves}/"));
            let (base, increment) = (stage.base.as_secs_f64(), stage.increment.as_secs_f64());
            format!("{moves}{base:.1}+{increment:.2}s")
        }
        Limits { time_control: None, nodes: Some(nodes), depth: None, movetime: None } => {
            format!("N={nodes}")
        }
        Limits { time_control: None, nodes: None, depth: Some(depth), movetime: None } => {
            format!("D={depth}")
        }
        Limits { time_control: None, nodes: None, depth: None, movetime: Some(time) } => format!("MT={time}"),
        _ => limits.to_string(),
    }
}
