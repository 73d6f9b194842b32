//! Chess for the experiments: the engine's own search with switches set, on one thread, counting nodes. The same on every
//! machine.

use stretto::engine::{Configuration, Mode, Solo};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::driver::Driver;
use stretto::search::events::Outcome;
use stretto::search::limits::Limits;
use stretto::search::params::Tunable;
use stretto::search::switches::{Class, Settings, Switch};
use stretto::types::{Depth, Mebibytes};

/// The hash table where an experiment is not about it. Units: MiB.
const HASH: Mebibytes = Mebibytes(64);

/// How a search is set up.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    settings: Settings,
    driver: Driver,
    hash: Mebibytes,
    evaluation: Evaluation,
}

impl Setup {
    /// As it plays.
    pub(super) fn play() -> Self {
        Self {
            settings: Settings::default(),
            driver: Driver::Pvs,
            hash: HASH,
            evaluation: Evaluation::Classical,
        }
    }

    /// Full width: no bet, so that every search of a depth finds the same score; captures are resolved at the leaves,
    /// moves are ordered as in play.
    pub(super) fn full_width() -> Self {
        let settings = [Switch::Quiescence, Switch::QuiescenceSee, Switch::HashCut]
            .into_iter()
            .fold(Settings::default().without_class(Class::Unsound), |settings, switch| {
                settings.with(switch, true)
            });
        Self { settings, ..Self::play() }
    }

    /// Full width without any order of moves, without a table, and with leaves taken as they are.
    pub(super) fn bare() -> Self {
        let settings =
            Switch::ALL.iter().fold(Settings::default(), |settings, &switch| settings.with(switch, false));
        Self { settings, evaluation: Evaluation::Material, ..Self::play() }
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

    /// Searches each position to a depth, each as if it were the first.
    pub(super) fn to_depth(&self, fens: &[&str], depth: u32) -> Vec<Outcome> {
        self.search(fens, &Limits { depth: Some(Depth(depth as i32)), ..Limits::default() })
    }

    /// Searches each position to a depth without the iterations before.
    pub(super) fn at_once(&self, fens: &[&str], depth: u32) -> Vec<Outcome> {
        let depth = Some(Depth(depth as i32));
        self.search(fens, &Limits { depth, first_depth: depth, ..Limits::default() })
    }

    fn search(&self, fens: &[&str], limits: &Limits) -> Vec<Outcome> {
        let configuration = Configuration {
            mode: Mode::Lab(self.settings.clone()),
            driver: self.driver,
            evaluation: self.evaluation.clone(),
            is_analysis: true,
            ..Configuration::default()
        };
        // A table of this size is to be had wherever the engine runs at all.
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

/// Nodes of searches.
pub(super) fn nodes(outcomes: &[Outcome]) -> Vec<f64> {
    outcomes.iter().map(|outcome| outcome.nodes.0 as f64).collect()
}

/// How many times more the first are than the second, as the geometric mean over positions, with half a 95 % interval of its
/// logarithm.
pub(super) fn ratio(first: &[f64], second: &[f64]) -> (f64, f64) {
    let logs: Vec<f64> = first.iter().zip(second).map(|(one, other)| (one / other).ln()).collect();
    let count = logs.len().max(1) as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let square: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let error = if logs.len() > 1 { (square / (count - 1.0) / count).sqrt() } else { 0.0 };
    (mean.exp(), 1.96 * error)
}

/// `1.23 (1.10 to 1.38)`.
pub(super) fn shown((mean, half): (f64, f64)) -> String {
    format!("{mean:.3} ({:.3} to {:.3})", mean * (-half).exp(), mean * half.exp())
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
        let minimax = scores(Setup::full_width().driver(Driver::Negamax).with(Switch::HashCut, false));
        for driver in [Driver::AlphaBeta, Driver::Pvs, Driver::Mtdf] {
            assert_eq!(
                scores(Setup::full_width().driver(driver).with(Switch::HashCut, false)),
                minimax,
                "{driver:?}"
            );
        }
        assert_eq!(scores(Setup::bare()), scores(Setup::bare().driver(Driver::Negamax)));
    }

    #[test]
    fn ratios_are_geometric() {
        let (mean, half) = ratio(&[2.0, 8.0], &[1.0, 1.0]);
        assert!((mean - 4.0).abs() < 1e-12);
        assert!((half - 1.96 * 4.0_f64.ln() / 2.0).abs() < 1e-12);
        assert_eq!(shown((2.0, 0.0)), "2.000 (2.000 to 2.000)");
    }
}
