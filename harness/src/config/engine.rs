//! Configuration of an engine: command, options and limits.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_yaml::{Mapping, Value};

use super::command::Names;
use super::git::{GitBuild, RawGit};
use super::limits::{Limits, TimeControl};
use super::locate::FieldPath;
use super::source::Problem;
use crate::base::start_folder;
use crate::base::wording::is_line;

/// An engine: how to start it, its options and its limits.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Engine")]
pub struct RawEngine {
    /// Name in reports and PGN; names must differ. Without it, `command` is the name.
    pub(crate) name: Option<String>,
    /// Executable. A name without a slash is searched beside the harness, beside the configuration
    /// and on PATH; one with a slash is relative to the configuration, then to the working
    /// directory. An engine has either this field or `git`.
    pub(crate) command: Option<String>,
    /// The commit from which the engine is built, instead of `command`.
    pub(crate) git: Option<RawGit>,
    /// Command-line arguments, passed without a shell.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// UCI options by name. They are checked against the options that the engine declares.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, OptionValue>")]
    pub(crate) options: Mapping,
    /// Environment variables added to those of the harness.
    #[serde(default, deserialize_with = "distinct_variables")]
    pub(crate) env: BTreeMap<String, String>,
    /// Lines sent after the options, unchanged. They set no option that the engine declares.
    #[serde(default)]
    pub(crate) init: Vec<String>,
    /// Whether the engine thinks on the opponent's time.
    #[serde(default)]
    pub(crate) ponder: bool,
    /// Working directory of the engine, relative to the configuration.
    pub(crate) working_dir: Option<PathBuf>,
    /// Known rating in Elo, which fixes the rating scale of a match of three or more engines.
    pub(crate) rating: Option<i32>,
    /// Time control of this engine. Any limit here replaces all common limits.
    pub(crate) time_control: Option<TimeControl>,
    /// Nodes per move of this engine.
    pub(crate) nodes: Option<NonZeroU64>,
    /// Depth per move of this engine, in plies.
    pub(crate) depth: Option<NonZeroU32>,
    /// Time per move of this engine, in milliseconds.
    pub(crate) movetime: Option<NonZeroU64>,
}

/// The value of a UCI option as written: text, a number, true or false, or null to press a button.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum OptionValue {
    /// Text.
    Text(String),
    /// A number.
    Number(f64),
    /// The value of an option of type check.
    Switch(bool),
    /// Presses a button.
    Button(()),
}

/// One `setoption`. Absent `value` presses a button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    /// Name as written; UCI ignores case.
    pub name: String,
    /// Text of the value; `None` for a button.
    pub value: Option<String>,
}

/// An engine whose program, options and limits are known to be valid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineConfig {
    /// Name in reports; unique in a match.
    pub name: String,
    /// Absolute path of the executable.
    pub program: PathBuf,
    /// The commit from which the executable is built, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitBuild>,
    /// Arguments, passed without a shell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Options in the order in which they are sent: Threads and Hash first, then as written.
    #[serde(serialize_with = "options_as_map", deserialize_with = "options_of_map")]
    pub options: Vec<EngineOption>,
    /// Lines sent after the options and before `isready`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// Whether it thinks on the opponent's time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponder: bool,
    /// Environment variables added to those of the harness.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Working directory; by default that in which the run was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<PathBuf>,
    /// Known rating, which fixes the scale of the ratings of a match. Units: Elo. Range: ±10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
    /// Limits, merged with those of the match.
    pub limits: Limits,
}

impl EngineConfig {
    /// Returns the value that `options` give an option; `None` if they do not have it or it is a button.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))?.value.as_deref()
    }

    /// Returns the folder in which it runs.
    pub(crate) fn folder(&self) -> PathBuf {
        self.working_dir.clone().unwrap_or_else(start_folder::get)
    }

    /// Returns the value of the option `Threads`, by default 1.
    pub fn threads(&self) -> usize {
        self.option("threads").and_then(|value| value.parse().ok()).unwrap_or(1)
    }

    /// Returns the value of the option `Hash`, the size of the hash table; `None` if it is not set. Units: mebibytes.
    pub fn hash(&self) -> Option<u64> {
        self.option("hash")?.parse().ok()
    }

    /// Returns about the memory that an engine needs for a hash table of this size and this number of threads. Units: mebibytes.
    pub(crate) fn memory(hash: u64, threads: u64) -> u64 {
        hash.saturating_add(threads.saturating_mul(MEBIBYTES_PER_THREAD))
    }

    /// Returns the nodes of a turn if the threads take turns (option `Lockstep` of `stretto --lab`).
    pub fn lockstep(&self) -> Option<NonZeroU64> {
        self.option("lockstep")?.parse().ok()
    }

    /// Returns the number of threads that run at once: one in lockstep, where the threads take turns.
    pub(crate) fn running_threads(&self) -> usize {
        if self.lockstep().is_some() { 1 } else { self.threads().max(1) }
    }

    /// Returns a notice if threads in lockstep get so few turns that some search little or nothing.
    pub(crate) fn idle_threads_notice(&self) -> Option<String> {
        let (nodes, turn) = (self.limits.nodes?, self.lockstep()?);
        let threads = self.threads();
        let turns = nodes.get() as f64 / (threads as f64 * turn.get() as f64);
        (threads > 1 && turns < MIN_TURNS).then(|| {
            format!(
                "{}: {nodes} nodes are {turns:.1} turns for each of {threads} threads (Lockstep {turn}); below {MIN_TURNS:.0}, \
                 many threads search little or nothing: raise the nodes or lower Lockstep",
                self.name
            )
        })
    }

    /// Returns the nodes per millisecond of a clock that counts nodes (option `nodestime`); `None`
    /// for real time.
    pub fn nodes_per_ms(&self) -> Option<NonZeroU32> {
        nodes_per_ms(&self.options)
    }

    /// Returns the nodes per millisecond if its clock counts nodes.
    pub(crate) fn node_clock(&self) -> Option<NonZeroU32> {
        self.nodes_per_ms().filter(|_| self.limits.is_timed())
    }

    /// Returns whether it is limited by real time.
    pub fn is_timed(&self) -> bool {
        self.limits.is_timed() && self.nodes_per_ms().is_none()
    }

    /// Returns a description of the limits, with the nodes per millisecond of a node clock.
    pub fn limits_in_words(&self) -> String {
        let limits = self.limits.to_string();
        self.node_clock().map_or(limits.clone(), |nodes| format!("{limits} at {nodes} nodes a ms"))
    }
}

/// Option of Stockfish and others that makes the clock count nodes.
pub(crate) const NODESTIME: &str = "nodestime";

/// Memory of a search thread beside the hash table. Stretto needs 3.0; other engines differ, mostly upwards. Units: mebibytes.
const MEBIBYTES_PER_THREAD: u64 = 3;

/// Turns of each thread in lockstep below which a search says little about its threads.
const MIN_TURNS: f64 = 5.0;

/// Maximum absolute rating. Units: Elo.
const MAX_RATING: i32 = 10_000;

fn nodes_per_ms(options: &[EngineOption]) -> Option<NonZeroU32> {
    options.iter().find(|option| option.name.eq_ignore_ascii_case(NODESTIME))?.value.as_ref()?.parse().ok()
}

impl EngineConfig {
    /// Returns the engine of a command line. Relative names start from the working directory.
    ///
    /// Errors: the field (`engine` for the command) and its expected value.
    pub fn of_words(
        engine: &str,
        name: Option<&str>,
        args: &[String],
        options: &[(String, Option<String>)],
        limits: Limits,
    ) -> Result<Self, Problem> {
        let root = FieldPath::root();
        let mut mapping = Mapping::new();
        for (name, value) in options {
            let value = value.clone().map_or(Value::Null, Value::String);
            if mapping.insert(Value::String(name.clone()), value).is_some() {
                return root.key("options").key(name).refuse("set twice");
            }
        }
        let file_name = Path::new(engine).file_name().map(|name| name.to_string_lossy().into_owned());
        let raw = RawEngine {
            name: name.map(str::to_owned).or(file_name),
            command: Some(engine.to_owned()),
            args: args.to_vec(),
            options: mapping,
            ..RawEngine::default()
        };
        raw.validate(&root, Names { dir: Path::new("."), must_exist: true }, limits).map_err(|problem| {
            // On the command line the field `command` is called `engine`.
            let is_command = problem.path == root.key("command");
            if is_command { Problem::new(root.key("engine"), problem.message) } else { problem }
        })
    }
}

fn options_as_map<S: Serializer>(options: &[EngineOption], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(options.len()))?;
    for option in options {
        map.serialize_entry(&option.name, &option.value)?;
    }
    map.end()
}

/// Parses the options of a manifest, in their order.
fn options_of_map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<EngineOption>, D::Error> {
    let map = Mapping::deserialize(deserializer)?;
    let option = |(name, value): (Value, Value)| {
        let name = name.as_str().ok_or_else(|| serde::de::Error::custom("an option's name is no text"))?;
        Ok(EngineOption { name: name.to_owned(), value: value.as_str().map(str::to_owned) })
    };
    map.into_iter().map(option).collect()
}

impl RawEngine {
    /// Validates the engine at `path`. Any limit of its own replaces all limits in `shared`, those
    /// of the match.
    pub fn validate(
        self,
        path: &FieldPath,
        names: Names<'_>,
        shared: Limits,
    ) -> Result<EngineConfig, Problem> {
        let (program, git, default_name) = match (self.command, self.git) {
            (Some(command), None) => {
                let program =
                    names.command(&command).map_err(|text| Problem::new(path.key("command"), text))?;
                (program, None, command)
            }
            (None, Some(git)) => {
                let git = git.validate(&path.key("git"), names.dir)?;
                (git.program(), Some(git.clone()), git.revision)
            }
            (None, None) => return path.refuse("expected `command` or `git`"),
            (Some(_), Some(_)) => {
                return path.key("git").refuse("`command` and `git` exclude each other");
            }
        };
        let Self { ponder, time_control, nodes, depth, movetime, .. } = self;
        let own = Limits { time_control, nodes, depth, movetime };
        check_limits(&own, path)?;
        let limits = if own.is_empty() { shared } else { own };
        let message = "an engine ponders by the clock: expected a time_control";
        path.key("ponder").require(!ponder || limits.time_control.is_some(), message)?;
        let options = read_options(self.options, &path.key("options"))?;
        let message = "pondering is not possible with a clock that counts nodes (option `nodestime`)";
        path.key("ponder").require(!ponder || nodes_per_ms(&options).is_none(), message)?;
        let name = self.name.unwrap_or(default_name);
        path.key("name").require(is_line(&name), "expected a name of printable characters")?;
        for (index, line) in self.init.iter().enumerate() {
            path.key("init").index(index).require(is_line(line), "expected one line of text")?;
        }
        let working_dir = self
            .working_dir
            .map(|folder| names.folder(&folder).map_err(|text| Problem::new(path.key("working_dir"), text)));
        let working_dir = working_dir.transpose()?;
        let is_rating = self.rating.is_none_or(|rating| rating.abs() <= MAX_RATING);
        path.key("rating").require(is_rating, format_args!("expected Elo within ±{MAX_RATING}"))?;
        Ok(EngineConfig {
            name,
            program,
            git,
            args: self.args,
            options,
            init: self.init,
            ponder,
            env: self.env,
            working_dir,
            rating: self.rating,
            limits,
        })
    }
}

/// Rejects limits that exclude each other.
pub(crate) fn check_limits(limits: &Limits, path: &FieldPath) -> Result<(), Problem> {
    let has_one = limits.time_control.is_none() || limits.movetime.is_none();
    path.key("movetime").require(has_one, "a time per move and a time_control exclude each other")
}

/// Merges the options of the match into those of an engine, which take precedence.
pub(crate) fn merge_options(shared: &Mapping, own: Mapping) -> Mapping {
    let name = |key: &Value| key.as_str().map(str::to_ascii_lowercase);
    let is_own = |key: &Value| own.keys().any(|known| name(known) == name(key));
    let kept = shared.iter().filter(|(key, _)| !is_own(key));
    let mut merged: Mapping = kept.map(|(key, value)| (key.clone(), value.clone())).collect();
    merged.extend(own);
    merged
}

/// Reads variables by name, each at most once.
fn distinct_variables<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    serde_yaml::from_value(Value::Mapping(Mapping::deserialize(from)?)).map_err(D::Error::custom)
}

pub(crate) fn read_options(options: Mapping, path: &FieldPath) -> Result<Vec<EngineOption>, Problem> {
    let mut list: Vec<EngineOption> = Vec::with_capacity(options.len());
    for (key, value) in options {
        let Value::String(name) = key else {
            let key = serde_yaml::to_string(&key).unwrap_or_default();
            return path.refuse(format!("option name {}: expected text, quote it", key.trim()));
        };
        let here = path.key(&name);
        here.require(is_line(&name), "an option name is one line of text")?;
        let is_new = list.iter().all(|option| !option.name.eq_ignore_ascii_case(&name));
        here.require(is_new, "set twice; UCI option names do not differ by case")?;
        let value = option_text(value).map_err(|message| Problem::new(here, message))?;
        list.push(EngineOption { name, value });
    }
    // Threads first, then Hash: engines size their tables by threads, and a later Threads would
    // clear them.
    list.sort_by_key(|option| match option.name.to_ascii_lowercase().as_str() {
        "threads" => 0,
        "hash" => 1,
        _ => 2,
    });
    Ok(list)
}

/// Returns the text of an option's value; `None` for a button.
pub(crate) fn option_text(value: Value) -> Result<Option<String>, &'static str> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(on) => Ok(Some(on.to_string())),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::String(text) if text.chars().any(char::is_control) => {
            Err("an option value is one line of text")
        }
        Value::String(text) => Ok(Some(text)),
        Value::Sequence(_) | Value::Mapping(_) | Value::Tagged(_) => {
            Err("expected a text, a number or true/false")
        }
    }
}
