//! The start of every engine before a run: its options and its limit are checked before anything is written.

use std::time::Duration;

use anyhow::anyhow;

use super::player::{Setup, start};
use crate::base::errors::Stop;
use crate::base::system::files::is_script;
use crate::base::wording::did_you_mean;
use crate::config::limits::Limits;
use crate::config::{EngineConfig, EngineOption, FieldPath, NODESTIME, Problem, Source, Variant};
use crate::run::command::Failure;
use crate::uci::{
    Engine, OptionCheck, OptionDecl, SearchAnswer, UciError, check_option, declared_option, go_line,
};

/// Options that are commonly set for all engines. An engine that lacks one causes a warning, not an
/// error.
const COMMON_OPTIONS: [&str; 6] = ["Hash", "Threads", "Ponder", "OwnBook", "MultiPV", "UCI_Chess960"];

/// A middlegame, so that no opening book answers.
const POSITION: &str = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27";
/// Time from which a search beyond its limit shows that the limit is unknown. Shorter ones may check it seldom.
const LONG: Duration = Duration::from_millis(500);
/// Time to wait for the answer to `stop`.
const STOP_TIME: Duration = Duration::from_secs(2);

/// The result of starting one engine.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Its own name (`id name`).
    pub id_name: String,
    /// Its author (`id author`); empty without one.
    pub id_author: String,
    /// The options it declares.
    pub options: Vec<OptionDecl>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// The reason why a trial start failed.
#[derive(Debug)]
pub enum PreflightError {
    /// An option does not fit the engine, which is an error in the configuration.
    Option(Problem),
    /// An engine failed to start, or a stop was requested.
    Stop(Stop),
}

/// Starts and quits every engine once and checks its options and its limit, before anything is written.
///
/// `common_options` are the names of the options set for all engines.
pub(crate) fn preflight(
    engines: &[EngineConfig],
    common_options: &[String],
    setup: &Setup,
) -> Result<Vec<Trial>, PreflightError> {
    let path = |index: usize| FieldPath::root().key("engines").index(index);
    let start = |(index, engine): (usize, &EngineConfig)| {
        start_on_trial(engine, &path(index), setup, Some(&engine.limits))
    };
    let trials: Vec<Trial> = engines.iter().enumerate().map(start).collect::<Result<_, _>>()?;
    // An option unknown to one engine may be meant for another, so all are started before the
    // check.
    let is_meant = |option: &EngineOption| is_meant(option, engines, common_options, &trials);
    let check = |(index, engine): (usize, &EngineConfig)| {
        trials[index].clone().check_unknown(engine, &path(index), is_meant)
    };
    engines.iter().enumerate().map(check).collect()
}

/// Converts the failure of a trial start. An option that does not fit is an error in `source`.
pub fn untried(error: PreflightError, source: &Source, interrupted: &str) -> Failure {
    match error {
        PreflightError::Option(problem) => source.complain(problem).into(),
        PreflightError::Stop(stop) => Failure::of(stop, interrupted),
    }
}

/// Returns whether an engine may lack this option: it is set for all engines, or another engine has
/// the same value and declares it.
fn is_meant(
    option: &EngineOption,
    engines: &[EngineConfig],
    common_options: &[String],
    trials: &[Trial],
) -> bool {
    let matches = |name: &str| name.eq_ignore_ascii_case(&option.name);
    let has_same_value = |engine: &EngineConfig| {
        engine.options.iter().any(|other| matches(&other.name) && other.value == option.value)
    };
    let declares = |trial: &Trial| trial.options.iter().any(|known| matches(&known.name));
    common_options.iter().any(|name| matches(name))
        || engines.iter().zip(trials).any(|(engine, trial)| has_same_value(engine) && declares(trial))
}

/// Starts and quits one engine. An option that it does not declare is an error.
pub fn try_engine(config: &EngineConfig, path: &FieldPath, setup: &Setup) -> Result<Trial, PreflightError> {
    start_on_trial(config, path, setup, None)?.check_unknown(config, path, |_| false)
}

/// Starts and quits one engine without checking for undeclared options. With `limits` it searches once.
fn start_on_trial(
    config: &EngineConfig,
    path: &FieldPath,
    setup: &Setup,
    limits: Option<&Limits>,
) -> Result<Trial, PreflightError> {
    let refused = |option: &str, message: String| {
        PreflightError::Option(Problem::new(path.key("options").key(option), message))
    };
    let failed = |(error, dialogue): (UciError, String)| match error {
        UciError::Cancelled => PreflightError::Stop(Stop::Cancelled),
        UciError::Option { name, value, expected } => refused(
            &name,
            format!("`{value}` is not valid for the engine `{}`: expected {expected}", config.name),
        ),
        UciError::Refused { name, reason } => {
            refused(&name, format!("refused by the engine `{}`: {reason}", config.name))
        }
        error => PreflightError::Stop(anyhow!("engine {}: {error}\n{dialogue}", config.name).into()),
    };
    let mut engine = start(config, setup).map_err(failed)?;
    check_options(config, path, &engine, setup.variant).map_err(PreflightError::Option)?;
    let name = &config.name;
    let mut warnings: Vec<String> =
        engine.remarks.iter().map(|remark| format!("{name} reports: {remark}")).collect();
    if is_script(&config.program) {
        warnings.push(format!(
            "{name} is a script: only its own text is checked, so a resumed run does not notice if the programs behind it change"
        ));
    }
    warnings.extend(uncounted_threads(config, &engine.options));
    let (kept, dropped) = (engine.options.len(), engine.dropped_options);
    if dropped > 0 {
        warnings.push(format!("{name} declares {} options; the last {dropped} are ignored", kept + dropped));
    }
    engine.new_game().map_err(|error| failed((error, engine.dialogue())))?;
    let unknown = limits.map(|limits| unknown_limit(&mut engine, limits)).transpose();
    if let Some((limit, reason)) = unknown.map_err(PreflightError::Stop)?.flatten() {
        let error = anyhow!(
            "engine {name} does not seem to know {limit}: {reason}; use another limit, or allow more time if it is only slow \
             (watchdog: {{ answer: SECONDS }})\n{}",
            engine.dialogue()
        );
        return Err(PreflightError::Stop(error.into()));
    }
    let (id_name, id_author) = (engine.id_name.clone(), engine.id_author.clone().unwrap_or_default());
    let options = engine.options.clone();
    warnings.extend(engine.quit(name));
    Ok(Trial { id_name, id_author, options, warnings })
}

/// Rejects options with invalid values, declared ones among the lines of `init`, where nothing checks, counts or tunes them,
/// and Chess960 if the engine does not support it.
fn check_options(
    config: &EngineConfig,
    path: &FieldPath,
    engine: &Engine,
    variant: Variant,
) -> Result<(), Problem> {
    for option in &config.options {
        let is_clock = option.name.eq_ignore_ascii_case(NODESTIME) && config.nodes_per_ms().is_some();
        let is_unknown = is_clock && check_option(&engine.options, option) == OptionCheck::Unknown;
        let message = "the engine has no such option: its clock cannot count nodes";
        path.key("options").key(&option.name).require(!is_unknown, message)?;
    }
    for (index, line) in config.init.iter().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["setoption", "name", rest @ ..] = &words[..] else { continue };
        let name = rest.split(|word| *word == "value").next().unwrap_or(rest).join(" ");
        let is_declared = declared_option(&engine.options, &name).is_ok();
        path.key("init").index(index).require(!is_declared, format!("set `{name}` in the field options"))?;
    }
    let plays_960 = engine.options.iter().any(|option| option.name.eq_ignore_ascii_case("UCI_Chess960"));
    let message = "does not play Chess960: it declares no option UCI_Chess960";
    path.require(plays_960 || variant != Variant::Chess960, message)
}

/// Returns a warning if an engine runs several threads by default, of which only one is counted.
fn uncounted_threads(config: &EngineConfig, declared: &[OptionDecl]) -> Option<String> {
    let threads = declared_option(declared, "Threads").ok()?.default.as_deref()?;
    let is_counted = config.option("Threads").is_some() || threads == "1";
    (!is_counted).then(|| {
        format!(
            "{} has {threads} threads by default, but counts as one thread on this machine: set its option Threads",
            config.name
        )
    })
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

impl Trial {
    /// Adds warnings on options that the engine does not declare, if they are common ones or `is_meant` accepts them.
    ///
    /// Errors: any other undeclared option. With a misspelt option, a test would compare an engine with
    /// itself.
    fn check_unknown(
        mut self,
        config: &EngineConfig,
        path: &FieldPath,
        is_meant: impl Fn(&EngineOption) -> bool,
    ) -> Result<Self, PreflightError> {
        let (declared, engine) = (&self.options, &config.name);
        let is_unknown = |option: &&EngineOption| check_option(declared, option) == OptionCheck::Unknown;
        let mut warnings = Vec::new();
        for option in config.options.iter().filter(is_unknown) {
            let name = &option.name;
            let is_common = COMMON_OPTIONS.iter().any(|known| known.eq_ignore_ascii_case(name));
            if !is_common && !is_meant(option) {
                let similar = did_you_mean(name, declared.iter().map(|option| option.name.as_str()));
                let hint = argument_hint(config, &self.id_name);
                let message = format!("the engine `{engine}` has no option of this name{similar}{hint}");
                return Err(PreflightError::Option(Problem::new(path.key("options").key(name), message)));
            }
            warnings.push(format!("{engine}: the engine has no option `{name}`; it is not sent"));
        }
        self.warnings.splice(..0, warnings);
        Ok(self)
    }
}

/// Searches once with the limit of nodes or depth. Returns the limits that the engine does not seem to know, such as
/// "`go depth`", and the reason; `None` if it keeps to them. Limits of time are not tried: the games measure them.
///
/// An engine that does not know `go depth` or `go nodes` searches without end and would hang in every game, or it searches as
/// long as it likes. The process of the trial plays no game, so the trial changes no result.
///
/// Errors: a stop request. The games record a crash.
fn unknown_limit(engine: &mut Engine, limits: &Limits) -> Result<Option<(String, String)>, Stop> {
    if limits.is_timed() || limits.is_empty() {
        return Ok(None);
    }
    let go = go_line(limits);
    let limit = engine.answer_limit();
    let reason = match engine.search(&format!("position fen {POSITION}\n{go}\n"), limit) {
        Ok(answer) => excess(limits, &answer),
        Err(UciError::Timeout { .. }) => {
            let has_stopped = engine.stop(limit.min(STOP_TIME)).is_ok();
            let then = if has_stopped { ", but one after `stop`" } else { ", nor after `stop`" };
            Some(format!("no bestmove within {} s{then}", limit.as_secs_f64()))
        }
        Err(UciError::Cancelled) => return Err(Stop::Cancelled),
        Err(_) => None,
    };
    let names = [limits.nodes.map(|_| "`go nodes`"), limits.depth.map(|_| "`go depth`")];
    let names: Vec<&str> = names.into_iter().flatten().collect();
    Ok(reason.map(|reason| (names.join(" or "), format!("after `{go}` {reason}"))))
}

/// Describes a search far beyond its limit.
fn excess(limits: &Limits, answer: &SearchAnswer) -> Option<String> {
    let report = &answer.report;
    let is_above = |used: Option<u64>, most: Option<u64>| used.zip(most).filter(|(used, most)| used > most);
    let most_nodes = limits.nodes.map(|nodes| nodes.get().saturating_mul(10).saturating_add(100_000));
    let most_depth = limits.depth.map(|depth| 2 * u64::from(depth.get()) + 4);
    let nodes = is_above(report.nodes, most_nodes).map(|(nodes, _)| format!("{nodes} nodes"));
    let depth = is_above(report.depth.map(u64::from), most_depth).map(|(depth, _)| format!("depth {depth}"));
    let found = nodes.or(depth);
    let found = found.filter(|_| answer.elapsed >= LONG)?;
    Some(format!("it searched to {found} in {:.1} s", answer.elapsed.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU32, NonZeroU64};

    use super::*;
    use crate::uci::SearchReport;

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
        let trials = [known[..1].to_vec(), known];
        let trials = trials.map(|options| Trial { options, ..Trial::default() });
        let meant = |option: &EngineOption| is_meant(option, &engines, &common, &trials);
        let found = trials[0].clone().check_unknown(&engines[0], &FieldPath::root(), meant);
        found.map(|trial| trial.warnings).map_err(|error| {
            let problem = problem(error);
            format!("{}: {}", problem.path, problem.message)
        })
    }

    fn problem(error: PreflightError) -> Problem {
        let PreflightError::Option(problem) = error else { panic!("{error:?}") };
        problem
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
            let trial = Trial { id_name: id_name.to_owned(), ..Trial::default() };
            problem(trial.check_unknown(&engine, &FieldPath::root(), |_| false).unwrap_err()).message
        };
        let plain = "the engine `a` has no option of this name";
        assert_eq!(message("Stretto 0.2.0", &[]), format!("{plain} (options of the lab need args: [--lab])"));
        assert_eq!(message("Stretto 0.2.0", &["--lab"]), plain);
        assert_eq!(message("Strettolike 1", &[]), plain);
    }

    #[test]
    fn several_threads_by_default_have_a_warning_unless_they_are_set() {
        let warning = |default: &str, options: &[(String, Option<String>)]| {
            let declared = format!("option name Threads type spin default {default} min 1 max 512");
            let engine = EngineConfig::of_words("sh", Some("a"), &[], options, Limits::default()).unwrap();
            uncounted_threads(&engine, &[OptionDecl::parse(&declared).unwrap()])
        };
        assert!(
            warning("4", &[]).unwrap().starts_with("a has 4 threads by default, but counts as one thread")
        );
        assert_eq!(warning("1", &[]), None);
        assert_eq!(warning("4", &[("threads".to_owned(), Some("4".to_owned()))]), None);
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

    #[test]
    fn long_searches_far_beyond_the_limit_are_described() {
        let nodes = Limits { nodes: NonZeroU64::new(1000), ..Limits::default() };
        let depth = Limits { depth: NonZeroU32::new(5), ..Limits::default() };
        let found = |limits: &Limits, nodes: u64, depth: u32, ms: u64| {
            let report = SearchReport { nodes: Some(nodes), depth: Some(depth), ..SearchReport::default() };
            let answer = SearchAnswer {
                uncounted: Duration::ZERO,
                best_move: "e2e4".to_owned(),
                ponder_move: None,
                elapsed: Duration::from_millis(ms),
                report,
                pv: String::new(),
                pv_line: String::new(),
            };
            excess(limits, &answer)
        };
        assert_eq!(found(&nodes, 110_001, 9, 500).unwrap(), "it searched to 110001 nodes in 0.5 s");
        assert_eq!(found(&depth, 9, 15, 1200).unwrap(), "it searched to depth 15 in 1.2 s");
        assert_eq!(found(&nodes, 110_000, 9, 500), None);
        assert_eq!(found(&depth, 999_999, 14, 500), None);
        assert_eq!(found(&depth, 9, 90, 499), None, "soon");
    }
}
