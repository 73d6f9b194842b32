//! The start of every engine before a run: its options and its limit are checked before anything is written.

use super::error::EngineError;
use super::limit_trial::unknown_limit;
use super::player::{Setup, start};
use crate::base::wording::did_you_mean;
use crate::config::limits::Limits;
use crate::config::{EngineConfig, EngineOption, FieldPath, NODESTIME, Problem, Source, Variant};
use crate::run::command::{Failure, say};
use crate::uci::{Engine, OptionCheck, OptionDecl, UciError, check_option};

/// Options that are commonly set for all engines. An engine that lacks one causes a warning, not an
/// error.
const COMMON_OPTIONS: [&str; 6] = ["Hash", "Threads", "Ponder", "OwnBook", "MultiPV", "UCI_Chess960"];
/// The result of starting every engine once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preflight {
    /// The engines' own names (`id name`), in the order of the configuration.
    pub id_names: Vec<String>,
    /// The options they declare, in the same order.
    pub options: Vec<Vec<OptionDecl>>,
    /// Numbers of further options that were dropped, in the same order.
    dropped: Vec<usize>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// The reason why a trial start failed.
#[derive(Debug)]
pub enum PreflightError {
    /// An option does not fit the engine, which is an error in the configuration.
    Option(Problem),
    /// An engine failed to start.
    Engine(EngineError),
    /// A stop was requested.
    Cancelled,
}

/// Starts and quits every engine once and checks its options and its limit, before anything is written.
///
/// `common_options` are the names of the options set for all engines.
pub(crate) fn preflight(
    engines: &[EngineConfig],
    common_options: &[String],
    setup: &Setup,
) -> Result<Preflight, PreflightError> {
    let mut result = Preflight::default();
    let path = |index: usize| FieldPath::root().key("engines").index(index);
    let mut warnings = Vec::with_capacity(engines.len());
    for (index, engine) in engines.iter().enumerate() {
        let trial = start_on_trial(engine, &path(index), setup, Some(&engine.limits))?;
        result.id_names.push(trial.id_name);
        result.options.push(trial.options);
        result.dropped.push(trial.dropped);
        warnings.push(trial.warnings);
    }
    // An option unknown to one engine may be meant for another, so all are started before the
    // check.
    for (index, (engine, said)) in engines.iter().zip(warnings).enumerate() {
        let is_meant = |option: &EngineOption| is_meant(option, engines, common_options, &result.options);
        let known = Known {
            id_name: &result.id_names[index],
            options: &result.options[index],
            dropped: result.dropped[index],
        };
        let unknown = check_unknown(engine, &path(index), known, is_meant);
        result.warnings.extend(unknown.map_err(PreflightError::Option)?);
        result.warnings.extend(said);
    }
    Ok(result)
}

/// Converts the failure of a trial start. An option that does not fit is an error in `source`.
pub fn untried(error: PreflightError, source: &Source, interrupted: &str) -> Failure {
    match error {
        PreflightError::Option(problem) => source.complain(problem).into(),
        PreflightError::Engine(error) => Failure::Run(error.into()),
        PreflightError::Cancelled => {
            say(interrupted);
            Failure::Interrupted
        }
    }
}

/// Returns whether an engine may lack this option: it is set for all engines, or another engine has
/// the same value and declares it.
fn is_meant(
    option: &EngineOption,
    engines: &[EngineConfig],
    common_options: &[String],
    declared: &[Vec<OptionDecl>],
) -> bool {
    let matches = |name: &str| name.eq_ignore_ascii_case(&option.name);
    let has_same_value = |engine: &EngineConfig| {
        engine.options.iter().any(|other| matches(&other.name) && other.value == option.value)
    };
    let declares = |options: &[OptionDecl]| options.iter().any(|known| matches(&known.name));
    common_options.iter().any(|name| matches(name))
        || engines.iter().zip(declared).any(|(engine, options)| has_same_value(engine) && declares(options))
}

/// The result of starting one engine.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Its own name (`id name`).
    pub id_name: String,
    /// The options it declares.
    pub options: Vec<OptionDecl>,
    /// Number of further options that were dropped.
    dropped: usize,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// Starts and quits one engine. An option that it does not declare is an error.
pub fn try_engine(config: &EngineConfig, path: &FieldPath, setup: &Setup) -> Result<Trial, PreflightError> {
    let trial = start_on_trial(config, path, setup, None)?;
    let known = Known { id_name: &trial.id_name, options: &trial.options, dropped: trial.dropped };
    let unknown = check_unknown(config, path, known, |_| false).map_err(PreflightError::Option)?;
    Ok(Trial { warnings: [unknown, trial.warnings].concat(), ..trial })
}

/// Starts and quits one engine without checking for undeclared options. With `limits` it searches once.
fn start_on_trial(
    config: &EngineConfig,
    path: &FieldPath,
    setup: &Setup,
    limits: Option<&Limits>,
) -> Result<Trial, PreflightError> {
    let failed = |(error, dialogue): (UciError, String)| match error {
        UciError::Cancelled => PreflightError::Cancelled,
        UciError::Option { name, value, expected } => {
            let message =
                format!("`{value}` is not valid for the engine `{}`: expected {expected}", config.name);
            PreflightError::Option(Problem::new(path.key("options").key(&name), message))
        }
        UciError::Refused { name, reason } => {
            let message = format!("refused by the engine `{}`: {reason}", config.name);
            PreflightError::Option(Problem::new(path.key("options").key(&name), message))
        }
        error => PreflightError::Engine(EngineError::Trial { name: config.name.clone(), error, dialogue }),
    };
    let mut engine = start(config, setup).map_err(failed)?;
    check_options(config, path, &engine, setup.variant).map_err(PreflightError::Option)?;
    let name = &config.name;
    let mut warnings: Vec<String> =
        engine.remarks.iter().map(|remark| format!("{name} reports: {remark}")).collect();
    let (kept, dropped) = (engine.options.len(), engine.dropped_options);
    if dropped > 0 {
        warnings.push(format!("{name} declares {} options; the last {dropped} are ignored", kept + dropped));
    }
    engine.new_game().map_err(|error| failed((error, engine.dialogue())))?;
    let unknown = limits.map(|limits| unknown_limit(&mut engine, limits)).transpose();
    if let Some((limit, reason)) = unknown.map_err(|_| PreflightError::Cancelled)?.flatten() {
        let (name, dialogue) = (name.clone(), engine.dialogue());
        return Err(PreflightError::Engine(EngineError::UnknownLimit { name, limit, reason, dialogue }));
    }
    let trial = Trial { id_name: engine.id_name.clone(), options: engine.options.clone(), dropped, warnings };
    engine.quit();
    Ok(trial)
}

/// Rejects options with invalid values, and Chess960 if the engine does not support it.
fn check_options(
    config: &EngineConfig,
    path: &FieldPath,
    engine: &Engine,
    variant: Variant,
) -> Result<(), Problem> {
    for option in &config.options {
        match check_option(&engine.options, option) {
            OptionCheck::Unknown
                if option.name.eq_ignore_ascii_case(NODESTIME) && config.nodes_per_ms().is_some() =>
            {
                let message = "the engine has no such option: its clock cannot count nodes";
                return Err(Problem::new(path.key("options").key(&option.name), message));
            }
            // `Engine::set_up` has rejected invalid values.
            OptionCheck::Fits | OptionCheck::Unknown | OptionCheck::Refused(_) => {}
        }
    }
    let plays_960 = engine.options.iter().any(|option| option.name.eq_ignore_ascii_case("UCI_Chess960"));
    if variant == Variant::Chess960 && !plays_960 {
        return Err(Problem::new(path.clone(), "does not play Chess960: it declares no option UCI_Chess960"));
    }
    Ok(())
}

/// Name and options that an engine declares.
#[derive(Clone, Copy)]
struct Known<'a> {
    id_name: &'a str,
    options: &'a [OptionDecl],
    /// Number of further options that were dropped.
    dropped: usize,
}

/// The argument with which Stretto declares the options of its laboratory.
const LAB: &str = "--lab";

/// Returns a hint on options that an engine may declare with another argument; empty if there is none.
fn argument_hint(config: &EngineConfig, id_name: &str) -> &'static str {
    let is_stretto = id_name.split(' ').next() == Some("Stretto");
    if is_stretto && !config.args.iter().any(|arg| arg == LAB) {
        " (options of the lab need args: [--lab])"
    } else {
        ""
    }
}

/// Returns warnings on options that the engine does not declare, if they are common ones or
/// `is_meant` accepts them.
///
/// Errors: any other undeclared option. With a misspelt option, a test would compare an engine with
/// itself.
fn check_unknown(
    config: &EngineConfig,
    path: &FieldPath,
    known: Known<'_>,
    is_meant: impl Fn(&EngineOption) -> bool,
) -> Result<Vec<String>, Problem> {
    let declared = known.options;
    let mut warnings = Vec::new();
    for option in &config.options {
        if check_option(declared, option) != OptionCheck::Unknown {
            continue;
        }
        let name = &option.name;
        let is_common = COMMON_OPTIONS.iter().any(|known| known.eq_ignore_ascii_case(name));
        if !is_common && !is_meant(option) {
            let message = if known.dropped > 0 {
                let (kept, all) = (declared.len(), declared.len() + known.dropped);
                format!(
                    "not among the first {kept} options of the engine `{}`, which declares {all}",
                    config.name
                )
            } else {
                let similar = did_you_mean(name, declared.iter().map(|option| option.name.as_str()));
                let hint = argument_hint(config, known.id_name);
                format!("the engine `{}` has no option of this name{similar}{hint}", config.name)
            };
            return Err(Problem::new(path.key("options").key(name), message));
        }
        warnings.push(format!("{}: the engine has no option `{name}`; it is not sent", config.name));
    }
    Ok(warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the options of two engines: the first declares `Hash`, the second also `Contempt`. Options are `NAME: VALUE`;
    /// the common ones are set for both.
    fn check(first: &str, second: &str, common: &str) -> Result<Vec<String>, String> {
        let pairs = |text: &str| {
            let pair = |pair: &str| {
                let (name, value) = pair.split_once(": ").unwrap();
                (name.to_owned(), Some(value.to_owned()))
            };
            text.split(", ").filter(|pair| !pair.is_empty()).map(pair).collect::<Vec<_>>()
        };
        let engine = |name: &str, own: &str| {
            let options = [pairs(common), pairs(own)].concat();
            EngineConfig::of_words("sh", Some(name), &[], &options, Limits::default()).unwrap()
        };
        let engines = [engine("a", first), engine("b", second)];
        let common: Vec<String> = pairs(common).into_iter().map(|(name, _)| name).collect();
        let lines = [
            "option name Hash type spin default 16 min 1 max 64",
            "option name Contempt type spin default 0 min 0 max 9",
        ];
        let known: Vec<OptionDecl> = lines.into_iter().filter_map(OptionDecl::parse).collect();
        let declared = [known[..1].to_vec(), known];
        let meant = |option: &EngineOption| is_meant(option, &engines, &common, &declared);
        let known = Known { id_name: "a", options: &declared[0], dropped: 0 };
        let found = check_unknown(&engines[0], &FieldPath::root(), known, meant);
        found.map_err(|problem| format!("{}: {}", problem.path, problem.message))
    }

    #[test]
    fn options_of_the_lab_have_a_hint_without_it() {
        let message = |id_name: &str, args: &[&str]| {
            let (args, option): (Vec<String>, _) = (
                args.iter().map(|&arg| arg.to_owned()).collect(),
                ("Lockstep".to_owned(), Some("500".to_owned())),
            );
            let engine =
                EngineConfig::of_words("sh", Some("a"), &args, &[option], Limits::default()).unwrap();
            let known = Known { id_name, options: &[], dropped: 0 };
            check_unknown(&engine, &FieldPath::root(), known, |_| false).unwrap_err().message
        };
        let plain = "the engine `a` has no option of this name";
        assert_eq!(message("Stretto 0.2.0", &[]), format!("{plain} (options of the lab need args: [--lab])"));
        assert_eq!(message("Stretto 0.2.0", &["--lab"]), plain);
        assert_eq!(message("Strettolike 1", &[]), plain);
    }

    #[test]
    fn dropped_options_are_not_guessed() {
        let option = ("Hush".to_owned(), Some("1".to_owned()));
        let engine = EngineConfig::of_words("sh", Some("a"), &[], &[option], Limits::default()).unwrap();
        let declared = [OptionDecl::parse("option name Hash type spin default 16 min 1 max 64").unwrap()];
        let message = |dropped: usize| {
            let known = Known { id_name: "a", options: &declared, dropped };
            check_unknown(&engine, &FieldPath::root(), known, |_| false).unwrap_err().message
        };
        assert_eq!(message(0), "the engine `a` has no option of this name; did you mean `Hash`?");
        assert_eq!(message(5), "not among the first 1 options of the engine `a`, which declares 6");
    }

    #[test]
    fn unknown_options_are_errors_unless_another_engine_has_them() {
        assert_eq!(check("Hash: 8", "Contempt: 3", "").unwrap(), [""; 0]);
        let expected = "options.Contemptt: the engine `a` has no option of this name";
        assert_eq!(check("Contemptt: 3", "Contempt: 3", "").unwrap_err(), expected);
        let expected = "options.Hsh: the engine `a` has no option of this name; did you mean `Hash`?";
        assert_eq!(check("Hsh: 3", "Hash: 3", "").unwrap_err(), expected);
        // With equal values the option may be meant for the engine that declares it.
        assert_eq!(check("contempt: 3", "Contempt: 3", "").unwrap().len(), 1);
        assert!(check("Contempt: 3", "Contempt: 4", "").is_err());
        assert!(check("Contempt: 3", "", "").is_err());
        let warnings = check("Ponder: false", "", "Nothing: 1").unwrap();
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[0].ends_with("the engine has no option `Nothing`; it is not sent"), "{warnings:?}");
    }
}
