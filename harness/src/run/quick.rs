//! Quick calls: engines and settings given as arguments instead of in a configuration file.
//!
//! The arguments become the YAML text they stand for, which goes through the same parser as a file. An error about a field
//! names the argument that set it.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Args};
use serde_yaml::Value;

use super::command::{Failure, RunArgs, arguments, say};
use super::git_args::{EngineArg, GitArgs, empty};
use crate::base::programs::program_of;
use crate::base::system::files::is_executable;
use crate::base::wording::free_name;
use crate::config::command::resolve_command;
use crate::config::limits::{LIMITS, minutes_notice};
use crate::config::overrides::{Assignment, assigned_field};
use crate::config::source::Argument;
use crate::config::{FieldPath, Source};

/// The heading of these arguments in the help.
pub(crate) const HEADING: &str = "Instead of a configuration file";

/// Settings of the engines that every quick call takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct QuickArgs {
    /// Nodes per move or search.
    #[arg(long, value_name = "N", help_heading = HEADING)]
    nodes: Option<NonZeroU64>,
    /// Depth per move or search.
    #[arg(long, value_name = "N", help_heading = HEADING)]
    depth: Option<NonZeroU32>,
    /// Time per move or search, in milliseconds.
    #[arg(long, value_name = "MS", help_heading = HEADING)]
    movetime: Option<NonZeroU64>,
    /// Hash size of every engine, in MiB (its option Hash).
    #[arg(long, value_name = "MB", help_heading = HEADING)]
    hash: Option<NonZeroU32>,
    /// A UCI option of every engine. Repeat for more. Without a value it presses a button.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value, help_heading = HEADING)]
    options: Vec<(String, Option<String>)>,
    #[command(flatten)]
    git: GitArgs,
}

/// Settings of engines and games that every quick call with games takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct QuickGames {
    /// Time control of every engine, such as 8+0.08 or 40/60+0.6: [moves/]seconds[+increment].
    #[arg(long, value_name = "TC", help_heading = HEADING)]
    tc: Option<String>,
    /// Scale clocks and times per move to the speed of a machine on which a copy of `bench` searches this many nodes per second.
    ///
    /// They are multiplied by that speed over the speed of this machine in `bench`, with as many copies at once as the games
    /// have threads; of several engines, by the mean of these factors.
    #[arg(long, value_name = "NODES_PER_SECOND", help_heading = HEADING)]
    scale_clock: Option<NonZeroU64>,
    #[command(flatten)]
    pub(crate) engines: QuickArgs,
    /// Threads of every engine (its option Threads).
    #[arg(short, long, value_name = "N", help_heading = HEADING)]
    pub(crate) threads: Option<NonZeroU32>,
    /// Openings: EPD, PGN or a Polyglot book [default: 3000 balanced openings].
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    openings: Option<PathBuf>,
    /// Seed of everything random, such as the order of the openings [default: 0].
    #[arg(long, value_name = "N", help_heading = HEADING)]
    seed: Option<u64>,
}

/// Parses `NAME=VALUE`, or `NAME` of a button.
pub(crate) fn name_and_value(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
        None => (text.trim(), None),
    };
    if name.is_empty() {
        return Err("expected NAME=VALUE".to_owned());
    }
    Ok((name.to_owned(), value))
}

/// Makes the positional argument of [`RunArgs`] take engines as well.
pub(crate) fn with_engines(arg: Arg) -> Arg {
    arg.value_name("CONFIG|ENGINE")
        .action(ArgAction::Append)
        .num_args(0..)
        .help("A configuration file (YAML), or engines: paths, names on PATH, or git:REVISION")
        .long_help(
            "A configuration file (YAML), or engines: paths, names on PATH, or git:REVISION for one that is built from a \
             commit.\n\nEngines together with the arguments below \
             stand for a configuration, which is kept as config.yaml in the run folder. With --resume the run's own copy is \
             used unless one is given.",
        )
}

/// A setting of a quick call that has a field of its own.
pub(crate) struct Setting {
    /// The flag, such as `--tc`.
    pub(crate) flag: &'static str,
    /// The path of the field.
    pub(crate) field: &'static str,
    /// The value; without one the flag was not given.
    pub(crate) value: Option<Value>,
    /// The argument as typed, where it is not flag and value.
    typed: Option<String>,
}

impl Setting {
    /// Returns the setting of `field` by `flag`.
    pub(crate) fn new(flag: &'static str, field: &'static str, value: Option<impl Into<Value>>) -> Self {
        Self { flag, field, value: value.map(Into::into), typed: None }
    }

    /// Returns the setting with the argument that errors show. For a flag that sets several fields.
    pub(crate) fn typed(self, argument: &str) -> Self {
        Self { typed: Some(argument.to_owned()), ..self }
    }
}

/// Returns the engines given instead of a configuration file; `None` if a file or nothing is given. Beside
/// another engine (`has_other`), there may be none, and a lone file that is not executable is an engine too.
fn engines(run: &RunArgs, has_other: bool) -> Result<Option<&[PathBuf]>, Failure> {
    let is_yaml =
        |path: &Path| path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    match &run.config[..] {
        [] => Ok(has_other.then_some(&[])),
        [one] if matches!(EngineArg::parse(one), EngineArg::Revision(..)) => {
            Ok(Some(std::slice::from_ref(one)))
        }
        [one] if is_yaml(one) || (!has_other && one.is_file() && !is_executable(one)) => Ok(None),
        several => match several.iter().find(|path| is_yaml(path)) {
            Some(file) => Err(Failure::Usage(format!(
                "{}: expected one configuration file, or engines without a file",
                file.display()
            ))),
            None => Ok(Some(several)),
        },
    }
}

impl QuickArgs {
    /// Returns the first flag that was given.
    fn first_given(&self, settings: &[Setting]) -> Option<&'static str> {
        let set = settings.iter().find(|setting| setting.value.is_some()).map(|setting| setting.flag);
        set.or(self.hash.map(|_| "--hash")).or_else(|| (!self.options.is_empty()).then_some("--option"))
    }

    /// Returns the options of every engine with the flag of each.
    fn all_options(&self, threads: Option<NonZeroU32>) -> Vec<(String, Option<String>, String)> {
        let number = |flag: &str, name: &str, value: Option<NonZeroU32>| {
            value.map(|value| (name.to_owned(), Some(value.to_string()), format!("{flag} {value}")))
        };
        let given = self.options.iter().map(|(name, value)| {
            let text = value.as_ref().map_or_else(|| name.clone(), |value| format!("{name}={value}"));
            (name.clone(), value.clone(), format!("--option {text}"))
        });
        let numbers = [number("--threads", "Threads", threads), number("--hash", "Hash", self.hash)];
        numbers.into_iter().flatten().chain(given).collect()
    }

    /// Returns the error of `--dev` or `--base` without a second engine.
    pub(crate) fn require_opponent(&self, run: &RunArgs) -> Result<(), Failure> {
        // An override may add engines.
        let Some([given, absent]) = self.git.only_engine(&run.config).filter(|_| run.set.is_empty()) else {
            return Ok(());
        };
        Err(Failure::Usage(format!("{given} needs a second engine: add {absent} REVISION, or a program")))
    }

    /// Builds the configuration that engines and settings stand for; `None` if a file or nothing is
    /// given.
    ///
    /// `threads` is the option Threads of every engine, `defaults` are fields for which nothing else was given.
    ///
    /// Errors: settings beside a configuration file; an option set twice.
    pub(crate) fn source(
        &self,
        run: &RunArgs,
        mut settings: Vec<Setting>,
        threads: Option<NonZeroU32>,
        defaults: impl FnOnce(&mut QuickConfig) -> anyhow::Result<()>,
    ) -> Result<Option<Source>, Failure> {
        settings.extend([
            Setting::new("--nodes", "nodes", self.nodes.map(NonZeroU64::get)),
            Setting::new("--depth", "depth", self.depth.map(NonZeroU32::get)),
            Setting::new("--movetime", "movetime", self.movetime.map(NonZeroU64::get)),
        ]);
        let paths = engines(run, self.git.dev.is_some() || self.git.base.is_some())?;
        let Some(engines) = paths.map(|paths| self.git.engines(paths)).transpose()? else {
            let threads = threads.map(|_| "--threads");
            return match self.first_given(&settings).or(threads).or(self.git.first_given()) {
                None => Ok(None),
                Some(flag) => Err(Failure::Usage(format!(
                    "{flag} needs engines on the command line; --set FIELD=VALUE changes a field of a configuration"
                ))),
            };
        };
        let mut draft = QuickConfig {
            document: empty(),
            arguments: Vec::new(),
            overridden: run.set.iter().filter_map(|text| assigned_field(text)).collect(),
            has_revisions: false,
            missing: None,
        };
        draft.add_engines(&engines, &self.git);
        // Before any missing limit. An override may replace the engine.
        if let Some(message) = draft.missing.take().filter(|_| run.set.is_empty()) {
            return Err(Failure::Usage(message));
        }
        for Setting { flag, field, value, typed } in settings {
            match (value, typed) {
                (Some(value), Some(argument)) => draft.set_as(&FieldPath::parse(field), value, argument),
                (Some(value), None) => draft.set(&FieldPath::parse(field), value, flag),
                (None, _) => draft.expect(field, flag),
            }
        }
        draft.add_options(&self.all_options(threads), engines.len())?;
        if let Some(concurrency) = run.concurrency {
            draft.set(&FieldPath::parse("concurrency"), (concurrency.get() as u64).into(), "--concurrency");
        }
        defaults(&mut draft).map_err(|error| Failure::Usage(format!("{error:#}")))?;
        Ok(Some(draft.finish()?))
    }
}

impl QuickGames {
    /// Returns the settings of the games, without those of the engines. Warns of a doubtful time control.
    pub(crate) fn settings(&self) -> Vec<Setting> {
        if let Some(text) = self.tc.as_deref().and_then(minutes_notice) {
            say(&format!("warning: --tc {text}"));
        }
        let openings = self.openings.as_ref().map(|file| file.display().to_string());
        vec![
            Setting::new("--tc", "time_control", self.tc.clone()),
            Setting::new("--scale-clock", "scale_clock.nps", self.scale_clock.map(NonZeroU64::get)),
            Setting::new("--openings", "openings.file", openings),
            Setting::new("--seed", "seed", self.seed),
        ]
    }
}

/// A configuration in the making.
pub(crate) struct QuickConfig {
    document: Value,
    arguments: Vec<Argument>,
    /// The fields that `--set` assigns later.
    overridden: Vec<String>,
    /// Whether an engine is built from a commit.
    pub(crate) has_revisions: bool,
    /// The error of the first engine that was not found.
    missing: Option<String>,
}

impl QuickConfig {
    /// Sets a field by an argument.
    fn set(&mut self, path: &FieldPath, value: Value, flag: &str) {
        let text = match &value {
            Value::Sequence(_) | Value::Mapping(_) => flag.to_owned(),
            value => format!("{flag} {}", serde_yaml::to_string(value).unwrap_or_default().trim()),
        };
        self.set_as(path, value, text);
    }

    /// Sets a field; `text` is the argument as errors show it.
    fn set_as(&mut self, path: &FieldPath, value: Value, text: String) {
        self.put(path, value);
        self.arguments.push(Argument { field: path.to_string(), text });
    }

    fn put(&mut self, path: &FieldPath, value: Value) {
        // The mappings on the way are this draft's own.
        let _ = Assignment::new(path.clone(), value).apply(&mut self.document);
    }

    /// Notes the flag, or the place, that an error about `field` should name.
    pub(crate) fn expect(&mut self, field: &str, flag: &str) {
        self.arguments.push(Argument { field: field.to_owned(), text: flag.to_owned() });
    }

    /// Whether a field is set. Fields of sections are written with a dot: `sprt.elo0`.
    pub(crate) fn has(&self, field: &str) -> bool {
        field.split('.').try_fold(&self.document, |section, name| section.get(name)).is_some()
    }

    /// Whether a limit of the search is set.
    pub(crate) fn has_limit(&self) -> bool {
        LIMITS.iter().any(|field| self.has(field))
    }

    /// Whether a field is set, or will be by `--set`.
    pub(crate) fn is_given(&self, field: &str) -> bool {
        self.has(field) || self.overridden.iter().any(|other| other == field)
    }

    /// Sets a field for which no argument was given.
    pub(crate) fn set_default(&mut self, field: &str, value: impl Into<Value>) {
        self.put(&FieldPath::parse(field), value.into());
    }

    fn add_engines(&mut self, engines: &[EngineArg], git: &GitArgs) {
        let list = FieldPath::root().key("engines");
        self.put(&list, Value::Sequence(vec![empty(); engines.len()]));
        for (index, (engine, name)) in engines.iter().zip(names(engines)).enumerate() {
            let here = list.index(index);
            let path = match engine {
                EngineArg::Path(path) => path,
                EngineArg::Revision(revision, typed) => {
                    self.set_as(&here.key("name"), name.into(), typed.clone());
                    for (field, value, argument) in git.fields(revision, typed) {
                        self.set_as(&here.key("git").key(field), value, argument);
                    }
                    self.has_revisions = true;
                    continue;
                }
            };
            let typed = path.display().to_string();
            // Absolute, so that the run can be resumed and repeated from any folder.
            let command = resolve_command(&typed, Path::new("."));
            let command = match command {
                Ok(program) => program.display().to_string(),
                Err(error) => {
                    self.missing.get_or_insert(format!("{typed}: {}: {error}", here.key("command")));
                    typed.clone()
                }
            };
            self.set_as(&here.key("name"), name.into(), typed.clone());
            self.set_as(&here.key("command"), command.into(), typed);
        }
    }

    /// Sets options of every engine: an option that none of them declares is then refused, as in a file.
    fn add_options(
        &mut self,
        options: &[(String, Option<String>, String)],
        engines: usize,
    ) -> Result<(), Failure> {
        for (index, (name, value, argument)) in options.iter().enumerate() {
            let is_new = options[..index].iter().all(|(other, ..)| !other.eq_ignore_ascii_case(name));
            Failure::require(is_new, format_args!("{argument}: {name} is set twice"))?;
            let value = value.as_deref().map_or(Value::Null, option_value);
            for engine in 0..engines {
                let path = FieldPath::root().key("engines").index(engine).key("options").key(name);
                self.set_as(&path, value.clone(), argument.clone());
            }
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<Source> {
        let text = serde_yaml::to_string(&self.document)?;
        Ok(Source::made(format!("{}{text}", command_line_comment()), self.arguments))
    }
}

/// Returns the command line of this process as a comment in YAML.
pub(crate) fn command_line_comment() -> String {
    let words: Vec<String> = arguments().map(|word| quoted(&word)).collect();
    let program = words.first().and_then(|word| program_of(word)).unwrap_or("harness");
    format!("# {program} {}\n", words.join(" "))
}

/// Returns a number or truth value as such, other text as text.
fn option_value(text: &str) -> Value {
    let value = serde_yaml::from_str::<Value>(text).ok();
    let is_plain = |value: &Value| match value {
        Value::Bool(on) => on.to_string() == text,
        Value::Number(number) => number.to_string() == text,
        _ => false,
    };
    value.filter(is_plain).unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Quotes a word for a shell of this system, in one line.
pub(crate) fn quoted(word: &str) -> String {
    if cfg!(windows) { quoted_for_windows(word) } else { quoted_for_sh(word) }
}

/// Returns the words of a command line, quoted where needed.
pub(crate) fn words_text(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for `sh`, in one line.
pub(crate) fn quoted_for_sh(word: &str) -> String {
    let word = in_one_line(word);
    if is_plain(&word, "") { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Quotes a word for `cmd` and `PowerShell`, in one line.
fn quoted_for_windows(word: &str) -> String {
    let word = in_one_line(word);
    if is_plain(&word, "\\") { word } else { format!("\"{}\"", word.replace('"', "\\\"")) }
}

fn in_one_line(word: &str) -> String {
    word.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Whether no shell gives a meaning to the characters of a word. `more` are further ones of this kind.
fn is_plain(word: &str, more: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=+,:@%".contains(c) || more.contains(c);
    !word.is_empty() && word.chars().all(is_plain)
}

/// Quotes a path for a shell.
pub(crate) fn quoted_path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// Returns names for engines: the file name, or the shortest end of the path that no other engine has if
/// file names are the same, numbers if paths are.
fn names(engines: &[EngineArg]) -> Vec<String> {
    let all: Vec<Vec<String>> = engines.iter().map(EngineArg::names).collect();
    let mut found: Vec<String> = Vec::with_capacity(engines.len());
    for own in &all {
        // Engines of one path share its names, and get numbers.
        let is_taken = |name: &String| all.iter().any(|other| other != own && other.contains(name));
        let name = own.iter().find(|name| !is_taken(name)).or(own.last()).cloned().unwrap_or_default();
        found.push(free_name(name, |name| !found.contains(name)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_engines_differ() {
        let of = |paths: &[&str]| {
            names(&paths.iter().map(|path| EngineArg::parse(Path::new(path))).collect::<Vec<_>>())
        };
        assert_eq!(of(&["./a", "../b"]), ["a", "b"]);
        assert_eq!(of(&["./new/stretto", "old/stretto", "c"]), ["new/stretto", "old/stretto", "c"]);
        assert_eq!(of(&["stretto", "stretto", "stretto"]), ["stretto", "stretto-2", "stretto-3"]);
        assert_eq!(of(&["git:main", "./main", "git:v2"]), ["main", "main-2", "v2"]);
        assert_eq!(of(&["/opt/u/dev", "git:dev", "/opt/base"]), ["u/dev", "dev", "base"]);
        assert_eq!(of(&["/opt/s", "/opt/s", "/usr/s"]), ["opt/s", "opt/s-2", "usr/s"]);
        assert_eq!(of(&["/opt/dev", "/opt/dev"]), ["dev", "dev-2"]);
        let long = ["/opt/a/bin/s", "/opt/b/bin/s", "/opt/c/s"];
        assert_eq!(of(&long), ["a/bin/s", "b/bin/s", "c/s"]);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted_for_sh("--tc"), "--tc");
        assert_eq!(quoted_for_sh("8+0.08"), "8+0.08");
        assert_eq!(quoted_for_sh("Clear Hash"), "'Clear Hash'");
        assert_eq!(quoted_for_sh("engines[0].name=a"), "'engines[0].name=a'", "a pattern in zsh");
        assert_eq!(quoted_for_sh("a'b\nc"), r"'a'\''b c'");
        assert_eq!(quoted_for_sh(""), "''");
        assert_eq!(quoted_for_windows(r"C:\runs\m1"), r"C:\runs\m1");
        assert_eq!(
            quoted_for_windows(r"C:\my runs\it's"),
            r#""C:\my runs\it's""#,
            "cmd takes no single quotes"
        );
    }

    #[test]
    fn option_values_keep_their_text() {
        for text in ["64", "true", "0x10", "1_000", "007", "~", "a: b", "1e3", "off"] {
            let value = option_value(text);
            assert_eq!(crate::config::engine::option_text(value).unwrap().as_deref(), Some(text));
        }
        assert!(option_value("64").is_number() && option_value("true").is_bool());
    }
}
