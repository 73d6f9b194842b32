//! The options of each pair, the state that the games advance, and the parameters of a configuration.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::gradient::{Parameter, Spsa};
use crate::base::cancel::Cancel;
use crate::config::{EngineConfig, EngineOption, FieldPath, Problem};
use crate::play::matches::OptionSource;
use crate::play::matches::config::{TuneConfig, TuneParameter};
use crate::play::record::GameRecord;
use crate::pool::Trial;
use crate::uci::{OptionDecl, OptionKind, declared_option, missing_switches, no_effect};

/// Interval at which a worker that waits for the end of an iteration checks for cancellation.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// Default perturbation as a share of the parameter's range.
const USUAL_STEP: f64 = 1.0 / 20.0;
/// Share of pairs with equal values of a parameter from which a notice is given.
const REPORTED_EQUAL: f64 = 0.01;
/// Number of parameters shown in the progress line.
const SHOWN: usize = 4;

/// The state of a running tuning, shared by the workers.
#[derive(Debug)]
pub(crate) struct Tuning {
    state: Mutex<State>,
    /// Signalled when an iteration ends.
    advanced: Condvar,
}

/// The result of the games so far.
#[derive(Debug)]
struct State {
    spsa: Spsa,
    /// Unfinished pairs: games counted, and points.
    open: BTreeMap<u64, (u8, i32)>,
}

impl Tuning {
    /// Returns a tuning without games.
    pub(crate) fn new(config: &TuneConfig, parameters: Vec<Parameter>, seed: u64) -> Self {
        let state = State { spsa: Spsa::new(config, parameters, seed), open: BTreeMap::new() };
        Self { state: Mutex::new(state), advanced: Condvar::new() }
    }

    /// Recovers from poisoning: the counters are consistent after a panic elsewhere.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a notice for each parameter of which both sides often have the same value.
    pub(crate) fn step_notices(&self) -> Vec<String> {
        let state = self.state();
        let notice = |(index, Parameter { name, step, .. }): (usize, &Parameter)| {
            let share = state.spsa.equal_share(index);
            (share >= REPORTED_EQUAL).then(|| {
                format!(
                    "{name}: the step {step} leaves both sides with equal values in {:.0} % of the pairs; scale \
                     the option so that its step is 1 or more",
                    100.0 * share
                )
            })
        };
        state.spsa.parameters.iter().enumerate().filter_map(notice).collect()
    }

    /// Returns the current state for reports.
    pub(crate) fn standing(&self) -> Spsa {
        self.state().spsa.clone()
    }
}

/// Message for a result that [`Spsa::is_unmoved`], shown instead of a verdict.
pub(crate) const UNTESTED: &str = "not tested: rounded to integers, the tuned values equal the start values";

impl Spsa {
    /// Returns the result as options, rounded to integers.
    pub(crate) fn options(&self) -> Vec<EngineOption> {
        let values = self.parameters.iter().zip(self.result());
        values.map(|(parameter, value)| option(parameter, value.round() as i64)).collect()
    }

    /// Returns whether the rounded result equals the start values. Then both engines of a test
    /// would be identical.
    pub(crate) fn is_unmoved(&self) -> bool {
        self.options() == self.starting_options()
    }

    /// Returns the start values as options.
    pub(crate) fn starting_options(&self) -> Vec<EngineOption> {
        self.parameters.iter().map(|parameter| option(parameter, parameter.start.round() as i64)).collect()
    }
}

impl OptionSource for Tuning {
    fn pair_options(&self, pair: u64, cancel: &Cancel) -> Option<[Vec<EngineOption>; 2]> {
        let mut state = self.state();
        while pair / state.spsa.pairs() > state.spsa.done() {
            if cancel.is_cancelled() {
                return None;
            }
            let waited = self.advanced.wait_timeout(state, LOOK_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let settings = state.spsa.settings(pair);
        let parameters = &state.spsa.parameters;
        Some(settings.map(|values| {
            parameters.iter().zip(values).map(|(parameter, value)| option(parameter, value)).collect()
        }))
    }

    fn count(&self, game: &GameRecord) {
        let mut state = self.state();
        let state = &mut *state;
        let (games, points) = state.open.entry(game.pair).or_default();
        *games += 1;
        *points += i32::from(game.first_half_points()) - 1;
        // Games of later iterations are only played after the earlier ones, but a journal may list
        // them in any order.
        loop {
            let pairs = state.spsa.pairs();
            let first = state.spsa.done() * pairs;
            let of_iteration = state.open.range(first..first + pairs);
            let whole: Vec<(u64, i32)> = of_iteration
                .filter(|(_, (games, _))| *games == 2)
                .map(|(&pair, &(_, points))| (pair, points))
                .collect();
            if (whole.len() as u64) < pairs {
                break;
            }
            for (pair, _) in &whole {
                state.open.remove(pair);
            }
            state.spsa.advance(whole);
        }
        self.advanced.notify_all();
    }

    /// Iterations done, and the parameters that have moved most, measured in their perturbations.
    fn line(&self) -> String {
        let state = self.state();
        let parameters = state.spsa.parameters.iter().zip(state.spsa.values());
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

/// Returns the parameters of a tuning. A missing start value is the one in the engine's `options`;
/// otherwise missing values are as declared by the engine.
///
/// Errors: an option is unknown or not of type spin, it needs a switch that is off, or a value is
/// invalid.
pub(crate) fn parameters(
    config: &TuneConfig,
    engine: &EngineConfig,
    trial: &Trial,
) -> Result<Vec<Parameter>, Problem> {
    let list = FieldPath::root().key("tune").key("parameters");
    let parameters = config.parameters.iter().enumerate();
    let resolved = parameters.map(|(index, parameter)| {
        let here = list.index(index);
        let found = resolve(parameter, engine, &trial.options, &here)?;
        check_needs(&found.name, engine, &trial.id_name, &here.key("name"))?;
        Ok(found)
    });
    resolved.collect()
}

/// Rejects a parameter that would change no game.
fn check_needs(name: &str, engine: &EngineConfig, id_name: &str, path: &FieldPath) -> Result<(), Problem> {
    let is_on = |switch: &str| engine.option(switch).map(|value| value == "true");
    let message = no_effect(name, &missing_switches(id_name, name, is_on));
    message.map_or(Ok(()), |message| path.refuse(message))
}

fn option(parameter: &Parameter, value: i64) -> EngineOption {
    EngineOption { name: parameter.name.clone(), value: Some(value.to_string()) }
}

/// Resolves a parameter with the engine's options and declaration as defaults.
fn resolve(
    parameter: &TuneParameter,
    engine: &EngineConfig,
    declared: &[OptionDecl],
    path: &FieldPath,
) -> Result<Parameter, Problem> {
    let name = &parameter.name;
    let known = declared_option(declared, name).map_err(|text| Problem::new(path.key("name"), text))?;
    let refuse = |key: &str, message: String| Err(Problem::new(path.key(key), message));
    let OptionKind::Spin { default, min, max } = known.kind else {
        return refuse("name", format!("`{name}`: expected an option of type spin"));
    };
    if let Some(number) = known.unreadable_number() {
        return refuse("name", format!("`{name}`: the engine declares {number}"));
    }
    let declared = |key: &str, given: Option<i64>, value: Option<i128>, none: i64| match value {
        None => Ok(none),
        Some(value) => i64::try_from(value).or(given.map(|_| none).ok_or_else(|| {
            let message =
                format!("{value}, as declared by the engine, is beyond {none}: give one for `{name}`");
            Problem::new(path.key(key), message)
        })),
    };
    let min = declared("min", parameter.min, min, i64::MIN)?;
    let max = declared("max", parameter.max, max, i64::MAX)?;
    let (low, high) = (parameter.min.unwrap_or(min), parameter.max.unwrap_or(max));
    for (key, value) in [("min", low), ("max", high)] {
        if !(min..=max).contains(&value) {
            return refuse(key, format!("{value}: expected {min} to {max}, as declared by the engine"));
        }
    }
    if low >= high {
        return refuse("max", format!("{high}: expected more than min, {low}"));
    }
    let configured = engine.option(name).and_then(|value| value.parse().ok());
    let start = parameter.start.or(configured).or(default.map(|default| default as f64));
    let Some(start) = start else {
        return refuse("start", format!("missing start value of `{name}`: the engine declares no default"));
    };
    if !(low as f64..=high as f64).contains(&start) {
        return refuse("start", format!("{start}: expected {low} to {high}"));
    }
    // Computed in floating point: without declared bounds the range exceeds an integer.
    let width = high as f64 - low as f64;
    let step = parameter.step.unwrap_or(width * USUAL_STEP);
    if step > width {
        return refuse("step", format!("{step}: expected at most the range of `{name}`, {low} to {high}"));
    }
    let (rate, line) = (parameter.rate, parameter.line.clone());
    Ok(Parameter { name: known.name.clone(), start, range: (low, high), step, rate, line })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    use crate::config::{Limits, Source};
    use crate::play::matches::{ExecutionArgs, LoadedMatch, RunKind};

    /// A number without effect would drift at random and end up in a table of tuned values.
    #[test]
    fn every_parameter_of_the_own_tunings_has_an_effect() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/tune");
        let mut checked = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            // Any program serves as the engine.
            let source =
                Source::read(&file).unwrap().with_overrides(&["engines[0].command=sh".to_owned()]).unwrap();
            let loaded = LoadedMatch::load(&source, RunKind::Tune, ExecutionArgs::default());
            let config = loaded.map_err(|error| error.to_string()).unwrap().config;
            for parameter in &config.tune.as_ref().unwrap().parameters {
                let found =
                    check_needs(&parameter.name, &config.engines[0], "Stretto 1.0", &FieldPath::root());
                assert!(found.is_ok(), "{}: {}", file.display(), found.unwrap_err().message);
                checked += 1;
            }
        }
        assert!(checked > 100, "{checked}");
    }

    #[test]
    fn bounds_beyond_64_bits_are_never_clamped() {
        let found = |bounds: &str, max: Option<i64>| {
            let declared =
                [OptionDecl::parse(&format!("option name Big type spin default 5 {bounds}")).unwrap()];
            let engine = EngineConfig::of_words("sh", Some("a"), &[], &[], Limits::default()).unwrap();
            let parameter = TuneParameter {
                name: "big".to_owned(),
                start: None,
                min: None,
                max,
                step: Some(1.0),
                rate: None,
                line: None,
            };
            let found = resolve(&parameter, &engine, &declared, &FieldPath::root());
            found.map(|found| found.range).map_err(|problem| format!("{}: {}", problem.path, problem.message))
        };
        let huge = "min 0 max 18446744073709551615";
        assert_eq!(
            found(huge, None).unwrap_err(),
            "max: 18446744073709551615, as declared by the engine, is beyond 9223372036854775807: give one for `big`"
        );
        assert_eq!(found(huge, Some(9)).unwrap(), (0, 9));
        assert_eq!(
            found("min 0 max 1e9", Some(9)).unwrap_err(),
            "name: `big`: the engine declares `max 1e9`, expected whole numbers of at most 64 bits"
        );
    }
}
