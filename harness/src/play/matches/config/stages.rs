//! The stages of a test, each with the configuration of its test.
//!
//! A stage is the test of the file with other values in some fields. They are applied as `--set` applies them, so a stage
//! passes through the same validation as a file, and its own run folder repeats it without the other stages.

use serde::{Deserialize, Serialize};
use serde_yaml::{Mapping, Value};

use super::match_config::{ExecutionArgs, MatchConfig, RunKind};
use super::raw::{LoadedMatch, default_concurrency, file_kind};
use super::stage::{DEFAULT_BOUNDS, NamedStage, OnlyStages, STAGES, has_stages};
use crate::config::limits::LIMITS;
use crate::config::overrides::Assignment;
use crate::config::schema::FileKind;
use crate::config::{ConfigError, EngineConfig, FieldPath, Problem, Source};

/// The configuration files of `harness sprt`, with or without stages.
pub(crate) const FILE: FileKind = file_kind(RunKind::Sprt, check);

/// Checks the configuration of a test, or of a test of several stages.
fn check(source: &Source) -> Result<(), ConfigError> {
    let args = ExecutionArgs::default();
    if has_stages(source) {
        return load_stages(source, args).map(drop);
    }
    LoadedMatch::load(source, RunKind::Sprt, args).map(drop)
}

/// Names that other files and folders of a run have.
const RESERVED: [&str; 4] = ["faults", "lock", "logs", "shards"];
/// The validated configuration of a test of several stages, which is the identity of its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StagesConfig {
    /// The engines, as far as all stages have them alike.
    pub(crate) engines: Vec<EngineConfig>,
    /// The stages in their order. Shape: one or more, with distinct names.
    pub(crate) stages: Vec<StageConfig>,
}

/// A stage of a validated test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StageConfig {
    /// Its name, and that of its folder.
    pub(crate) name: String,
    /// The test that the stage plays: the whole configuration with the fields of the stage.
    pub(crate) config: MatchConfig,
}

/// A stage whose configuration was read.
#[derive(Clone, Debug)]
pub(crate) struct LoadedStage {
    /// Its name, and that of its folder.
    pub(crate) name: String,
    /// The configuration of its test alone.
    pub(crate) source: Source,
    /// The `--set` arguments that make this configuration from that of the whole test.
    pub(crate) overrides: Vec<String>,
    /// The field that its `openings` are a part of.
    pub(crate) parent: FieldPath,
    pub(crate) loaded: LoadedMatch,
}

/// Reads and validates the stages of a test. `args` take precedence over the file.
///
/// Errors: there is none, names are equal or cannot be those of a folder, or the test of a stage is invalid.
pub(crate) fn load_stages(source: &Source, args: ExecutionArgs) -> Result<Vec<LoadedStage>, ConfigError> {
    source.parse::<OnlyStages>()?;
    let list = FieldPath::root().key(STAGES);
    let complain = |problem| source.complain(problem);
    let entries = source.value()?.get(STAGES).and_then(Value::as_sequence).cloned().unwrap_or_default();
    list.require(!entries.is_empty(), "expected at least one stage").map_err(complain)?;
    let has_outputs = source.value()?.get("output").is_some_and(|output| !output.is_null());
    let message = "a test of stages has no further outputs: each stage has its games.pgn";
    FieldPath::root().key("output").require(!has_outputs, message).map_err(complain)?;
    let mut stages: Vec<LoadedStage> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.into_iter().enumerate() {
        let here = list.index(index);
        let (name, fields) = match entry {
            Value::Mapping(mut fields) => {
                let name = fields.remove("name").and_then(|name| name.as_str().map(str::to_owned));
                (name.unwrap_or_default(), fields)
            }
            entry => (entry.as_str().unwrap_or_default().to_owned(), Mapping::new()),
        };
        check_name(&here.key("name"), &name).map_err(complain)?;
        let is_taken = stages.iter().any(|stage| stage.name == name);
        here.require(!is_taken, format!("`{name}` is taken: names of stages must differ"))
            .map_err(complain)?;
        stages.push(LoadedStage::load(source, name, here, fields, args)?);
    }
    Ok(stages)
}

/// Checks that a name can be that of a folder in the folder of a run.
fn check_name(path: &FieldPath, name: &str) -> Result<(), Problem> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let is_name = !name.is_empty() && name.chars().all(is_plain);
    let message = format_args!("`{name}`: expected letters, digits, `-` and `_`, for the name of a folder");
    path.require(is_name, message)?;
    let is_free = !RESERVED.contains(&name);
    path.require(is_free, format!("`{name}` is a name of other files of a run: expected another one"))
}

impl LoadedStage {
    fn load(
        whole: &Source,
        name: String,
        here: FieldPath,
        mut own: Mapping,
        args: ExecutionArgs,
    ) -> Result<Self, ConfigError> {
        own.retain(|_, value| !value.is_null());
        let named = NamedStage::of(&name);
        let has_limit = LIMITS.iter().any(|limit| own.contains_key(limit));
        for (field, value) in named.map(NamedStage::fields).unwrap_or_default() {
            if !(own.contains_key(&field) || has_limit && field == "time_control") {
                own.insert(field, value);
            }
        }
        let assignments = assignments(whole.value()?, &name, &here, named, &own);
        let assignments = assignments.map_err(|problem| whole.complain(problem))?;
        let overrides = assignments.iter().map(|(field, value)| format!("{field}={}", flow(value))).collect();
        let values = assignments
            .into_iter()
            .map(|(field, value)| Assignment::new(FieldPath::parse(&field), value))
            .collect();
        let source = whole.clone().with_values(values)?;
        let mut loaded = LoadedMatch::load(&source, RunKind::Sprt, args)
            .map_err(|error| relocated(error, whole, &here, &own))?;
        let is_own = args.concurrency.is_none() && own.contains_key("concurrency");
        if loaded.config.threads() > 1 && !is_own {
            let most = default_concurrency(&loaded.config.engines);
            loaded.execution.concurrency = loaded.execution.concurrency.min(most);
        }
        let parent = if own.contains_key("openings") { here } else { FieldPath::root() };
        Ok(Self { name, source, overrides, parent, loaded })
    }
}

/// Returns the fields of the test that a stage replaces, with their values.
///
/// Errors: an engine has a value of its own for a field that the stage sets.
fn assignments(
    whole: &Value,
    name: &str,
    here: &FieldPath,
    named: Option<NamedStage>,
    own: &Mapping,
) -> Result<Vec<(String, Value)>, Problem> {
    let engines = whole.get("engines").and_then(Value::as_sequence).map(Vec::as_slice).unwrap_or_default();
    let mut list = vec![(STAGES.to_owned(), Value::Null)];
    // A stage with a limit replaces all of them.
    if LIMITS.iter().any(|limit| own.contains_key(limit)) {
        for (index, engine) in engines.iter().enumerate() {
            if let Some(limit) = LIMITS.iter().find(|limit| engine.get(limit).is_some_and(|it| !it.is_null()))
            {
                let message = format!(
                    "stage `{name}` sets the limit of all engines: leave it out here, or give the stage no limit"
                );
                return FieldPath::root().key("engines").index(index).key(limit).refuse(message);
            }
        }
        for limit in LIMITS {
            match own.get(limit) {
                Some(value) => list.push((limit.to_owned(), value.clone())),
                None if whole.get(limit).is_some() => list.push((limit.to_owned(), Value::Null)),
                None => {}
            }
        }
    }
    for (field, option) in [("threads", "Threads"), ("hash", "Hash")] {
        let Some(value) = own.get(field) else { continue };
        for (index, engine) in engines.iter().enumerate() {
            if let Some(known) = engine.get("options").and_then(|options| option_name(options, option)) {
                let message = format!(
                    "stage `{name}` sets this option of all engines: leave it out here, or write it in each stage"
                );
                let options = FieldPath::root().key("engines").index(index).key("options");
                return options.key(&known).refuse(message);
            }
        }
        // Under the name that the test has it.
        let known = whole.get("options").and_then(|options| option_name(options, option));
        list.push((format!("options.{}", known.as_deref().unwrap_or(option)), value.clone()));
    }
    list.extend(bounds(whole, named, own));
    if own.get("sprt").is_some_and(|test| !test.is_mapping()) {
        return here.key("sprt").refuse("expected fields of the test, such as { elo0: 0, elo1: 3 }");
    }
    for field in ["openings", "concurrency"] {
        list.extend(own.get(field).map(|value| (field.to_owned(), value.clone())));
    }
    Ok(list)
}

/// Returns the bounds of a stage: its own ones, or those of its name where the test has none.
fn bounds(whole: &Value, named: Option<NamedStage>, own: &Mapping) -> Vec<(String, Value)> {
    let mut list = Vec::new();
    let test = own.get("sprt").and_then(Value::as_mapping);
    let has_bounds = |test: Option<&Value>| {
        test.is_some_and(|test| ["elo0", "elo1"].iter().any(|bound| test.get(bound).is_some()))
    };
    if named.is_some() && !has_bounds(whole.get("sprt")) && !has_bounds(own.get("sprt")) {
        let values = ["elo0", "elo1"].into_iter().zip(DEFAULT_BOUNDS);
        list.extend(values.map(|(bound, value)| (format!("sprt.{bound}"), value.into())));
    }
    let values = test.into_iter().flatten().filter_map(|(field, value)| Some((field.as_str()?, value)));
    list.extend(values.map(|(field, value)| (format!("sprt.{field}"), value.clone())));
    list
}

/// Returns the name of a UCI option as `options` have it.
fn option_name(options: &Value, name: &str) -> Option<String> {
    let names = options.as_mapping()?.keys().filter_map(Value::as_str);
    names.into_iter().find(|known| known.eq_ignore_ascii_case(name)).map(str::to_owned)
}

/// Writes a value in one line.
fn flow(value: &Value) -> String {
    match value {
        Value::Mapping(_) | Value::Sequence(_) => serde_json::to_string(value).unwrap_or_default(),
        value => serde_yaml::to_string(value).unwrap_or_default().trim().to_owned(),
    }
}

/// Places an error in the test of a stage at the field of the stage, if it is one of these.
fn relocated(error: ConfigError, whole: &Source, here: &FieldPath, own: &Mapping) -> ConfigError {
    let ConfigError { path, message, .. } = &error;
    let first = path.split(['.', '[']).next().unwrap_or_default();
    if !own.contains_key(first) {
        return error;
    }
    whole.complain(Problem::new(FieldPath::parse(&format!("{here}.{path}")), message.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cpus::undisturbed_threads;

    const ENGINES: &str = "engines: [{ name: a, command: sh }, { name: b, command: sh }]\noptions: { hash: 8, Ponder: false }\n";

    fn load(text: &str) -> Result<Vec<LoadedStage>, String> {
        let source = Source::new("test.yaml", format!("{ENGINES}{text}")).without_files();
        load_stages(&source, ExecutionArgs::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn stages_replace_fields_of_the_test() {
        let stages = load(
            "nodes: 500\nsprt: { elo0: -3, elo1: 1, alpha: 0.1 }\nstages:\n  - stc\n  - name: odd\n    depth: 5\n    \
             sprt: { elo0: 0, max_games: 8 }\n    concurrency: 3\n  - { name: plain }\n",
        )
        .unwrap();
        let texts: Vec<String> = stages.iter().map(|stage| stage.overrides.join(" ")).collect();
        assert_eq!(
            texts,
            [
                "stages=null time_control=8+0.08 nodes=null options.Threads=1 options.hash=16",
                "stages=null nodes=null depth=5 sprt.elo0=0 sprt.max_games=8 concurrency=3",
                "stages=null",
            ]
        );
        let config = |place: usize| &stages[place].loaded.config;
        let limits = |place: usize| config(place).engines[1].limits.to_string();
        assert_eq!([0, 1, 2].map(limits), ["8+0.08", "depth 5", "500 nodes"]);
        let bounds = |place: usize| config(place).sprt.map(|test| (test.elo0, test.elo1, test.alpha));
        assert_eq!(bounds(0), Some((-3.0, 1.0, 0.1)), "bounds of the file come before those of the name");
        assert_eq!((bounds(1), config(1).games), (Some((0.0, 1.0, 0.1)), Some(8)));
        assert_eq!(config(0).engines[0].option("Hash"), Some("16"));
        assert_eq!(config(2).engines[0].option("Hash"), Some("8"));
        assert_eq!(stages[1].loaded.execution.concurrency, 3);
        // The overrides alone make the test of the stage.
        let again = Source::new(
            "test.yaml",
            format!("{ENGINES}nodes: 500\nsprt: {{ elo0: -3, elo1: 1, alpha: 0.1 }}\n"),
        );
        let again = again.without_files().with_overrides(&stages[1].overrides).unwrap();
        let again = LoadedMatch::load(&again, RunKind::Sprt, ExecutionArgs::default()).unwrap();
        assert_eq!(again.config, *config(1));
    }

    #[test]
    fn named_stages_have_bounds_where_the_test_has_none() {
        let stages =
            load("sprt: { alpha: 0.1, max_games: 100 }\nstages: [stc, { name: smp, threads: 3 }]\n").unwrap();
        let test = stages[1].loaded.config.sprt.unwrap();
        assert_eq!((test.elo0, test.elo1, test.alpha, test.max_games), (0.0, 5.0, 0.1, Some(100)));
        assert_eq!(stages[1].loaded.config.threads(), 3);
        assert_eq!(stages[1].loaded.execution.concurrency, (undisturbed_threads() / 3).max(1));
        let error = load("stages: [{ name: a, nodes: 5 }]\n").unwrap_err();
        assert!(error.contains("sprt: missing: a test needs bounds"), "{error}");
    }

    #[test]
    fn threads_of_smp_are_at_most_those_of_the_machine() {
        let fields = NamedStage::Smp.fields();
        let threads = fields.get("threads").and_then(Value::as_u64).unwrap();
        assert_eq!(threads as usize, undisturbed_threads().min(8));
    }
}
