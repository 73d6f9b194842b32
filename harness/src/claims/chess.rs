//! Search experiments: the engine's own search with switches set, on one thread, counting nodes.
//! The result is the same on every machine.

use stretto::engine::{Configuration, Mode, Solo};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::driver::Driver;
use stretto::search::events::SearchResult;
use stretto::search::limits::Limits;
use stretto::search::params::Tunable;
use stretto::search::switches::{Class, Settings, Switch};
use stretto::types::{Depth, Mebibytes};

use super::verdicts::Ratio;
use crate::stats::numeric::student_critical;

/// Default size of the hash table. Units: MiB.
const HASH: Mebibytes = Mebibytes(64);

/// The configuration of a search.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    settings: Settings,
    driver: Driver,
    hash: Mebibytes,
    evaluation: Evaluation,
}

impl Setup {
    /// Returns the configuration used in play.
    pub(super) fn play() -> Self {
        Self {
            settings: Settings::default(),
            driver: Driver::Pvs,
            hash: HASH,
            evaluation: Evaluation::Classical,
        }
    }

    /// Returns a full-width search: no unsound pruning, so every driver finds the same score.
    /// Captures are resolved at the leaves, and moves are ordered as in play.
    pub(super) fn full_width() -> Self {
        let settings = [Switch::Quiescence, Switch::QuiescenceSee, Switch::TtCutoff]
            .into_iter()
            .fold(Settings::default().without_class(Class::Unsound), |settings, switch| {
                settings.with(switch, true)
            });
        Self { settings, ..Self::play() }
    }

    /// Returns a full-width search without move ordering, transposition table and quiescence.
    pub(super) fn bare() -> Self {
        Self { settings: Settings::bare(), evaluation: Evaluation::Material, ..Self::play() }
    }

    pub(super) fn with(mut self, switch: Switch, on: bool) -> Self {
        self.settings.set(switch, on);
        self
    }

    pub(super) fn tuned(mut self, tunable: Tunable, value: i32) -> Self {
        self.settings.tune(tunable, value);
        self
    }

    pub(super) fn driver(self, driver: Driver) -> Self {
        Self { driver, ..self }
    }

    pub(super) fn hash(self, mebibytes: u64) -> Self {
        Self { hash: Mebibytes(mebibytes), ..self }
    }

    /// Searches each position to a depth from a cleared state.
    pub(super) fn to_depth(&self, fens: &[&str], depth: u32) -> Vec<SearchResult> {
        self.search(fens, &Limits { depth: Some(Depth(depth as i32)), ..Limits::default() })
    }

    /// Searches each position directly at a depth, without iterative deepening.
    pub(super) fn at_once(&self, fens: &[&str], depth: u32) -> Vec<SearchResult> {
        let depth = Some(Depth(depth as i32));
        self.search(fens, &Limits { depth, first_depth: depth, ..Limits::default() })
    }

    fn search(&self, fens: &[&str], limits: &Limits) -> Vec<SearchResult> {
        let configuration = Configuration {
            mode: Mode::Lab(self.settings.clone()),
            driver: self.driver,
            evaluation: self.evaluation.clone(),
            is_analysis: true,
            ..Configuration::default()
        };
        // The engine itself needs a table of this size.
        let Ok(mut solo) = Solo::new(self.hash, configuration) else { return Vec::new() };
        fens.iter()
            .filter_map(|fen| Position::from_fen(fen).ok())
            .map(|position| {
                solo.new_game();
                solo.search(&Game::new(position), limits.clone())
            })
            .collect()
    }
}

/// Returns the node counts of searches.
pub(super) fn nodes(outcomes: &[SearchResult]) -> Vec<f64> {
    outcomes.iter().map(|outcome| outcome.nodes.0 as f64).collect()
}

/// Returns the geometric mean ratio of `first` to `second` over positions, with its 95 % interval.
pub(super) fn ratio(first: &[f64], second: &[f64]) -> Ratio {
    ratio_of_family(first, second, 1)
}

/// Returns a ratio whose 95 % interval holds simultaneously with those of a family (Bonferroni).
pub(super) fn ratio_of_family(first: &[f64], second: &[f64], family: usize) -> Ratio {
    let logs: Vec<f64> = first.iter().zip(second).map(|(one, other)| (one / other).ln()).collect();
    let count = logs.len().max(1) as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let square: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let error = (square / (count - 1.0).max(1.0) / count).sqrt();
    let critical = student_critical(0.05 / family.max(1) as f64, logs.len().saturating_sub(1));
    let half = match logs.len() {
        // Nothing is known about the error.
        0 | 1 => f64::INFINITY,
        _ if error > 0.0 => critical * error,
        _ => 0.0,
    };
    Ratio { mean: mean.exp(), low: (mean - half).exp(), high: (mean + half).exp() }
}

/// Formats a ratio with its interval, such as `1.23 (1.10 to 1.38)`.
pub(super) fn shown(Ratio { mean, low, high }: Ratio) -> String {
    format!("{mean:.3} ({low:.3} to {high:.3})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto::bench::POSITIONS;

    #[test]
    fn full_width_scores_do_not_depend_on_the_driver() {
        let fens = &POSITIONS[..8];
        let scores =
            |setup: Setup| setup.to_depth(fens, 3).iter().map(|outcome| outcome.score).collect::<Vec<_>>();
        let minimax = scores(Setup::full_width().driver(Driver::Negamax).with(Switch::TtCutoff, false));
        for &driver in &Driver::ALL[1..] {
            assert_eq!(
                scores(Setup::full_width().driver(driver).with(Switch::TtCutoff, false)),
                minimax,
                "{driver:?}"
            );
        }
        assert_eq!(scores(Setup::bare()), scores(Setup::bare().driver(Driver::Negamax)));
    }

    #[test]
    fn ratios_are_geometric_means() {
        let (first, second) = ([2.0, 8.0, 4.0], [1.0; 3]);
        let found = ratio(&first, &second);
        assert!((found.mean - 4.0).abs() < 1e-12);
        // The logs have the standard error ln(2) / sqrt(3) and two degrees of freedom.
        let half = 4.302_65 * 2.0_f64.ln() / 3.0_f64.sqrt();
        assert!((found.high.ln() - 4.0_f64.ln() - half).abs() < 1e-4, "{found:?}");
        let wider = ratio_of_family(&first, &second, 6);
        assert!(wider.low < found.low && wider.high > found.high);
        assert!(ratio(&[2.0], &[1.0]).high.is_infinite(), "one position has no error");
        assert_eq!(shown(ratio(&second, &second)), "1.000 (1.000 to 1.000)");
    }
}
