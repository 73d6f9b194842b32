//! Tuning an engine's numbers by its own games: deals out what each pair of games is played with, and counts its points.
//!
//! A tuning is a match of an engine against itself whose options differ from pair to pair. The runner plays it and keeps
//! its games; this says with what (`runner::Dealer`) and moves the parameters (`spsa`). All that is known is computed
//! from the games, so a run that was broken off goes on as if it had not been.

pub mod spsa;

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::cancel::Cancel;
use crate::config::{EngineOption, FieldPath, Problem, TuneConfig, TuneParameter};
use crate::runner::Dealer;
use crate::store::GameRecord;
use crate::uci_client::{OptionDecl, OptionKind};
use spsa::{Gains, Parameter, Spsa};

/// How often who waits for an iteration to end looks whether the run is stopped.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// The perturbation of a parameter, as a share of its range, unless it is given.
const USUAL_STEP: f64 = 1.0 / 20.0;
/// Parameters told of in a line.
const SHOWN: usize = 4;

/// A tuning under way, shared by those who play.
#[derive(Debug)]
pub struct Tuning {
    state: Mutex<State>,
    /// An iteration has ended.
    advanced: Condvar,
    pairs: u64,
}

/// What the games so far have come to.
#[derive(Debug)]
struct State {
    spsa: Spsa,
    /// Of pairs whose iteration has not ended: games counted, and points.
    open: BTreeMap<u64, (u8, i32)>,
    /// Values after each iteration, those of the start first.
    path: Vec<Vec<f64>>,
}

impl Tuning {
    /// At the start.
    pub fn new(config: &TuneConfig, parameters: Vec<Parameter>, seed: u64) -> Self {
        let gains = Gains {
            rate: config.rate,
            stability: config.stability,
            alpha: config.alpha,
            gamma: config.gamma,
        };
        let (iterations, pairs) = (config.iterations.get(), config.pairs.get());
        let spsa = Spsa::new(parameters, gains, iterations, pairs, seed);
        let path = vec![spsa.values().to_vec()];
        let state = Mutex::new(State { spsa, open: BTreeMap::new(), path });
        Self { state, advanced: Condvar::new(), pairs }
    }

    /// Counted, plain data: a panic elsewhere cannot have left it half changed.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it stands.
    pub fn standing(&self) -> TuningStanding {
        let state = self.state();
        TuningStanding {
            parameters: state.spsa.parameters().to_vec(),
            iterations: state.spsa.iterations(),
            path: state.path.clone(),
            result: state.spsa.result(),
        }
    }

    /// How it stands in a line: iterations done, and the parameters that have moved most of their perturbations.
    pub fn line(&self) -> String {
        let state = self.state();
        let parameters = state.spsa.parameters().iter().zip(state.spsa.values());
        let mut moved: Vec<(f64, String)> = parameters
            .map(|(parameter, value)| {
                let Parameter { name, start, step, .. } = parameter;
                ((value - start).abs() / step, format!("{name} {start} -> {value:.1}"))
            })
            .collect();
        moved.sort_by(|one, other| other.0.total_cmp(&one.0));
        let shown: Vec<String> = moved.into_iter().take(SHOWN).map(|(_, text)| text).collect();
        let (done, all) = (state.spsa.done(), state.spsa.iterations());
        format!("iteration {done} of {all} | {}", shown.join(" | "))
    }
}

/// Said of a result that [`TuningStanding::is_unmoved`], where the verdict on it would stand.
pub const UNTESTED: &str = "not tested: the tuned values, in whole numbers, are those at the start";

/// How a tuning stands.
#[derive(Clone, Debug)]
pub struct TuningStanding {
    /// What is tuned.
    pub parameters: Vec<Parameter>,
    /// How many iterations there are to be.
    pub iterations: u64,
    /// By iteration, the start first, then by parameter.
    pub path: Vec<Vec<f64>>,
    /// The outcome so far, by parameter.
    pub result: Vec<f64>,
}

impl TuningStanding {
    /// Iterations done.
    pub fn done(&self) -> u64 {
        self.path.len() as u64 - 1
    }

    /// The outcome as options: whole numbers.
    pub fn options(&self) -> Vec<EngineOption> {
        let values = self.parameters.iter().zip(&self.result);
        values.map(|(parameter, value)| option(parameter, value.round() as i64)).collect()
    }

    /// Has nothing moved as far as whole numbers go? Then there is nothing to test: both engines would be the same.
    pub fn is_unmoved(&self) -> bool {
        self.options() == self.starting_options()
    }

    /// The start as options.
    pub fn starting_options(&self) -> Vec<EngineOption> {
        self.parameters.iter().map(|parameter| option(parameter, parameter.start.round() as i64)).collect()
    }
}

impl Dealer for Tuning {
    fn options(&self, pair: u64, cancel: &Cancel) -> Option<[Vec<EngineOption>; 2]> {
        let mut state = self.state();
        while state.spsa.iteration_of(pair) > state.spsa.done() {
            if cancel.is_cancelled() {
                return None;
            }
            let waited = self.advanced.wait_timeout(state, LOOK_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let settings = state.spsa.settings(pair);
        let options = |values: &Vec<i64>| {
            state
                .spsa
                .parameters()
                .iter()
                .zip(values)
                .map(|(parameter, &value)| option(parameter, value))
                .collect()
        };
        Some([options(&settings[0]), options(&settings[1])])
    }

    fn count(&self, game: &GameRecord) {
        let mut state = self.state();
        let state = &mut *state;
        let (games, points) = state.open.entry(game.pair).or_default();
        *games += 1;
        *points += i32::from(game.first_half_points()) - 1;
        // Games of later iterations cannot be there before the earlier ones are over, but a journal may tell them in
        // any order.
        loop {
            let first = state.spsa.done() * self.pairs;
            let of_iteration = state.open.range(first..first + self.pairs);
            let whole: Vec<(u64, i32)> = of_iteration
                .filter(|(_, (games, _))| *games == 2)
                .map(|(&pair, &(_, points))| (pair, points))
                .collect();
            if (whole.len() as u64) < self.pairs {
                break;
            }
            for (pair, _) in &whole {
                state.open.remove(pair);
            }
            state.spsa.advance(whole);
            state.path.push(state.spsa.values().to_vec());
        }
        self.advanced.notify_all();
    }
}

/// The parameters of a tuning, where the configuration says nothing as the engine has declared them.
///
/// Errors: one that is no number of the engine's, or whose values do not fit it.
pub fn parameters(config: &TuneConfig, declared: &[OptionDecl]) -> Result<Vec<Parameter>, Problem> {
    let list = FieldPath::root().key("tune").key("parameters");
    let parameters = config.parameters.iter().enumerate();
    parameters.map(|(index, parameter)| resolve(parameter, declared, &list.index(index))).collect()
}

fn option(parameter: &Parameter, value: i64) -> EngineOption {
    EngineOption { name: parameter.name.clone(), value: Some(value.to_string()) }
}

/// A parameter as the engine declares it, where the configuration does not say otherwise.
fn resolve(
    parameter: &TuneParameter,
    declared: &[OptionDecl],
    path: &FieldPath,
) -> Result<Parameter, Problem> {
    let name = &parameter.name;
    let known = declared.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    let Some(known) = known else {
        return Err(Problem::new(path.key("name"), format!("the engine has no option `{name}`")));
    };
    let OptionKind::Spin { default, min, max } = known.kind else {
        let message = format!("`{name}` is no number: only options of type spin can be tuned");
        return Err(Problem::new(path.key("name"), message));
    };
    let range = (parameter.min.unwrap_or(min), parameter.max.unwrap_or(max));
    for (key, value) in [("min", range.0), ("max", range.1)] {
        if !(min..=max).contains(&value) {
            let message = format!("{value}: the engine takes {min} to {max}");
            return Err(Problem::new(path.key(key), message));
        }
    }
    if range.0 >= range.1 {
        let message = format!("{}: expected more than the least value, {}", range.1, range.0);
        return Err(Problem::new(path.key("max"), message));
    }
    let start = parameter.start.or(default.map(|default| default as f64));
    let Some(start) = start else {
        let message = format!("missing: the engine does not say what `{name}` is before it is set");
        return Err(Problem::new(path.key("start"), message));
    };
    if !(range.0 as f64..=range.1 as f64).contains(&start) {
        let message = format!("{start}: expected {} to {}", range.0, range.1);
        return Err(Problem::new(path.key("start"), message));
    }
    // In floating point: an engine that names no bounds has more between them than a whole number holds.
    let width = range.1 as f64 - range.0 as f64;
    let step = parameter.step.unwrap_or(width * USUAL_STEP);
    if step > width {
        let (low, high) = range;
        let message = format!("{step}: more than the whole range of `{name}`, {low} to {high}");
        return Err(Problem::new(path.key("step"), message));
    }
    Ok(Parameter { name: known.name.clone(), start, range, step })
}
