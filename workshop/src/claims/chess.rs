//! Search experiments: the engine's own search with switches set, on one thread.
//!
//! Node counts are the same on every machine. Times are CPU times of runs that alternate between the
//! setups, so that other load on the machine affects all of them alike.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use stretto::engine::{Configuration, Engine, Mode, Solo};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::driver_kind::Driver;
use stretto::search::events::{Event, SearchResult};
use stretto::search::limits::Limits;
use stretto::search::params::Tunable;
use stretto::search::switches::{Class, Settings, Switch};
use stretto::types::{Depth, Mebibytes};

use super::claim::mean_and_half_of_family;
use super::verdicts::Ratio;
use stretto_harness::base::system::host::processor_time;

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
        let settings = Settings::default().without_class(Class::Unsound);
        let sound = Self { settings, ..Self::play() };
        sound.with_all(&[Switch::Quiescence, Switch::QuiescenceSee, Switch::TtCutoff], true)
    }

    /// Returns a full-width search without move ordering, transposition table and quiescence.
    pub(super) fn bare() -> Self {
        Self { settings: Settings::bare(), evaluation: Evaluation::Material, ..Self::play() }
    }

    pub(super) fn with(mut self, switch: Switch, on: bool) -> Self {
        self.settings.set(switch, on);
        self
    }

    /// Sets several switches alike.
    pub(super) fn with_all(mut self, switches: &[Switch], on: bool) -> Self {
        for &switch in switches {
            self.settings.set(switch, on);
        }
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

    /// Returns the setup with another evaluation.
    pub(super) fn evaluation(self, evaluation: Evaluation) -> Self {
        Self { evaluation, ..self }
    }

    /// Searches each position to a depth from a cleared state.
    pub(super) fn to_depth(&self, fens: &[impl AsRef<str>], depth: u32) -> Vec<SearchResult> {
        self.within(fens, |_| Limits { depth: Some(Depth(depth as i32)), ..Limits::default() })
    }

    /// Returns the configuration of the engine.
    pub(super) fn configuration(&self) -> Configuration {
        Configuration {
            mode: Mode::Lab(self.settings.clone()),
            driver: self.driver,
            evaluation: self.evaluation.clone(),
            is_analysis: true,
            ..Configuration::default()
        }
    }

    /// Searches each position from a cleared state, within the limits for its index.
    pub(super) fn within(
        &self,
        fens: &[impl AsRef<str>],
        limits: impl Fn(usize) -> Limits,
    ) -> Vec<SearchResult> {
        // The engine itself needs a table of this size.
        let Ok(mut solo) = Solo::new(self.hash, self.configuration()) else { return Vec::new() };
        fens.iter()
            .enumerate()
            .filter_map(|(index, fen)| Some((index, Position::from_fen(fen.as_ref()).ok()?)))
            .map(|(index, position)| {
                solo.new_game();
                solo.search(&Game::new(position), limits(index))
            })
            .collect()
    }
}

/// A search to be timed: a setup, and the depth to which it searches.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    pub(super) setup: Setup,
    pub(super) depth: u32,
    /// Whether the search starts at its depth, without iterative deepening.
    pub(super) at_once: bool,
}

impl Timed {
    /// Returns a search with iterative deepening.
    pub(super) fn to_depth(setup: &Setup, depth: u32) -> Self {
        Self { setup: setup.clone(), depth, at_once: false }
    }

    /// Returns a search without iterative deepening.
    pub(super) fn at_once(setup: &Setup, depth: u32) -> Self {
        Self { at_once: true, ..Self::to_depth(setup, depth) }
    }

    fn limits(&self) -> Limits {
        let depth = Some(Depth(self.depth as i32));
        Limits { depth, first_depth: depth.filter(|_| self.at_once), ..Limits::default() }
    }
}

/// The nodes and the CPU times of one search, by position.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    pub(super) nodes: Vec<f64>,
    /// The least of all rounds. Units: seconds.
    pub(super) seconds: Vec<f64>,
}

/// The shortest time that counts; below it, the resolution of the clock matters. Units: seconds.
const LEAST_SECONDS: f64 = 1e-5;

/// Runs `work` and returns its result with the CPU time that it took. Units: seconds.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let before = processor_time();
    let result = work();
    let taken: Duration = processor_time().saturating_sub(before);
    (result, taken.as_secs_f64().max(LEAST_SECONDS))
}

/// Times searches side by side: at every position, each round runs all of them in turn, and the
/// least time of each counts. Returns their costs in order; empty without memory.
pub(super) fn side_by_side(searches: &[Timed], fens: &[impl AsRef<str>], rounds: usize) -> Vec<Cost> {
    let mut solos = Vec::new();
    for search in searches {
        let Ok(solo) = Solo::new(search.setup.hash, search.setup.configuration()) else { return Vec::new() };
        solos.push(solo);
    }
    let mut costs = vec![Cost::default(); searches.len()];
    for position in fens.iter().filter_map(|fen| Position::from_fen(fen.as_ref()).ok()) {
        let game = Game::new(position);
        let mut least = vec![f64::INFINITY; searches.len()];
        for round in 0..rounds.max(1) {
            for index in 0..searches.len() {
                // Every other round runs backwards, so that no search always follows the same one.
                let index = if round % 2 == 0 { index } else { searches.len() - 1 - index };
                solos[index].new_game();
                let (outcome, seconds) = timed(|| solos[index].search(&game, searches[index].limits()));
                least[index] = least[index].min(seconds);
                if round == 0 {
                    costs[index].nodes.push(outcome.nodes.0 as f64);
                }
            }
        }
        for (cost, seconds) in costs.iter_mut().zip(least) {
            cost.seconds.push(seconds);
        }
    }
    costs
}

/// Returns the share of quiescence nodes in searches to a depth, by position.
pub(super) fn quiescence_shares(setup: &Setup, fens: &[&str], depth: u32) -> Vec<f64> {
    let last = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&last);
    let sink = move |event: &Event| {
        if let Event::Report(report) = event
            && let Ok(mut kept) = kept.lock()
        {
            *kept = Some((report.tally.quiescence, report.progress.nodes.0));
        }
    };
    let Ok(mut engine) = Engine::new(Arc::new(sink)) else { return Vec::new() };
    let configuration = setup.configuration();
    if engine.configure(|settings| *settings = configuration).is_err() || engine.set_hash(setup.hash).is_err()
    {
        return Vec::new();
    }
    fens.iter()
        .filter_map(|fen| Position::from_fen(fen).ok())
        .filter_map(|position| {
            engine.new_game();
            engine.set_game(Game::new(position));
            engine.go(Limits { depth: Some(Depth(depth as i32)), ..Limits::default() });
            engine.wait();
            let (quiescence, nodes) = last.lock().ok()?.take()?;
            Some(quiescence as f64 / nodes as f64)
        })
        .collect()
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
    let (mean, half) = mean_and_half_of_family(&logs, family);
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
    fn times_of_a_deeper_search_are_longer() {
        let setup = Setup::full_width().hash(1);
        let searches = [Timed::to_depth(&setup, 1), Timed::to_depth(&setup, 5), Timed::at_once(&setup, 5)];
        let costs = side_by_side(&searches, &POSITIONS[..3], 2);
        // Of three positions only the mean holds on a busy machine.
        assert!(ratio(&costs[1].seconds, &costs[0].seconds).mean > 1.0, "{costs:?}");
        for (cost, found) in
            costs.iter().zip([setup.to_depth(&POSITIONS[..3], 1), setup.to_depth(&POSITIONS[..3], 5)])
        {
            assert_eq!(cost.nodes, nodes(&found));
        }
        assert!(ratio(&costs[2].nodes, &costs[0].nodes).low > 1.0, "{costs:?}");
    }

    #[test]
    fn quiescence_nodes_are_part_of_all_nodes() {
        let shares = |setup: &Setup| quiescence_shares(setup, &POSITIONS[..3], 3);
        let with = shares(&Setup::full_width().hash(1));
        assert!(with.len() == 3 && with.iter().all(|share| (0.2..1.0).contains(share)), "{with:?}");
        let without = shares(&Setup::full_width().hash(1).with(Switch::Quiescence, false));
        assert_eq!(without, [0.0; 3]);
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
