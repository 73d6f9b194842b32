//! The manifest of a run: the identity that a resumed run must share, and circumstances that may
//! differ.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_yaml::{Mapping, Value};

use crate::base::start_folder;
use crate::config::git::{EXE, is_cached_build};
use crate::run::builds::record::EngineBuild;
use crate::run::clock_scale::ClockScale;
use crate::run::host::Host;
use crate::run::identity::Identity;
use crate::run::shard::Shard;
use crate::run::shipped;

/// The format of the manifest.
pub(crate) const MANIFEST_VERSION: u32 = 1;

/// The content of `manifest.yaml`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this format.
    pub version: u32,
    /// Kind of run: the name of its command, such as `sprt`.
    pub kind: String,
    /// Time of the first start, UTC.
    pub created: String,
    /// The harness that started it.
    pub harness: String,
    /// The machine it was started on.
    pub host: Host,
    /// An [`Identity`], which must not change on resuming.
    pub identity: Value,
    /// The part of a match that the run plays. It is not part of the identity, and a resumed run
    /// keeps its own.
    #[serde(default, skip_serializing_if = "Shard::is_whole")]
    pub shard: Shard,
    /// The name of the stage that the run is, inside the folder of a test of several stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The engines that were built from commits. Times and hashes of a repeated build may differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub builds: Vec<EngineBuild>,
    /// Sizes of the engines of a match, in the order of the configuration. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<EngineSizes>,
    /// Author (`id author`) of each engine of a match, in the order of the configuration; empty if unknown. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// The speeds by which clocks were scaled, in the order of the sessions or parts that measured them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clock_scales: Vec<ClockScale>,
    /// The `--set` arguments that changed the configuration, as typed: `nodes=5000`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<String>,
    /// The `-j` argument. It is not part of the identity, and a resumed run keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<NonZeroUsize>,
    /// Warnings at the start: problems of engine options, and skipped input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Path of the configuration file, or a description of the arguments that replace it.
    pub config_file: PathBuf,
    /// The working directory of the command that began the run, in which engines without one of their own run. A report
    /// states that path from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<PathBuf>,
    /// The command line as typed, the program first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Text of the configuration, so that a run can be resumed after the file has changed.
    pub config_text: String,
}

/// Threads and hash table of an engine in a match: the configured values, or else the defaults that the engine declares. `None` if
/// it does not declare the option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSizes {
    /// Value of the option `Threads`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<String>,
    /// Value of the option `Hash`. Units: mebibytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

impl Manifest {
    /// Describes a run of any kind by its identity.
    pub fn describe(
        kind: &str,
        identity: &impl Serialize,
        host: Host,
        config_file: PathBuf,
        config_text: &str,
        now: &str,
    ) -> io::Result<Self> {
        Ok(Self {
            version: MANIFEST_VERSION,
            kind: kind.to_owned(),
            created: now.to_owned(),
            harness: env!("CARGO_PKG_VERSION").to_owned(),
            host,
            identity: serde_yaml::to_value(identity).map_err(io::Error::other)?,
            config_file,
            working_dir: Some(start_folder::get()),
            arguments: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            config_text: config_text.to_owned(),
            ..Self::default()
        })
    }

    /// Reads the identity as that of a kind of run, whose configuration is `C` and which adds the fields `X`.
    ///
    /// Errors: it is that of another kind, or damaged.
    pub fn identity_of<C: DeserializeOwned, X: DeserializeOwned>(
        &self,
    ) -> Result<Identity<C, X>, serde_yaml::Error> {
        serde_yaml::from_value(self.identity.clone())
    }

    /// Whether this version reads the identity and the journal of the run.
    pub(crate) fn is_readable(&self) -> bool {
        self.version >= MANIFEST_VERSION && !self.harness.starts_with("0.1.")
    }

    /// Returns the number of games or searches at once with which a resumed run continues: the one it
    /// was begun with. `None` if the configuration `now` has another one than before, or if the number
    /// was chosen for another machine.
    pub(crate) fn resumed_concurrency(&self, now: &Value) -> Option<NonZeroUsize> {
        if configured_concurrency(now) != configured_concurrency(&self.config()) {
            return None;
        }
        self.concurrency.or_else(|| {
            NonZeroUsize::new(self.host.concurrency).filter(|_| self.host.is_machine_of(&Host::here(1)))
        })
    }

    /// Returns the `-j` argument that a repeated run needs. A configuration in the run folder
    /// (`is_kept`) may contain it.
    pub(crate) fn needed_concurrency(&self, is_kept: bool) -> Option<NonZeroUsize> {
        let configured = configured_concurrency(&self.config()).and_then(Value::as_u64);
        self.concurrency.filter(|given| !is_kept || configured != Some(given.get() as u64))
    }

    /// Adds speeds that are not in the manifest. Returns whether there were any.
    pub(crate) fn add_clock_scales(&mut self, scales: &[ClockScale]) -> bool {
        let before = self.clock_scales.len();
        for scale in scales {
            if !self.clock_scales.contains(scale) {
                self.clock_scales.push(scale.clone());
            }
        }
        self.clock_scales.len() > before
    }

    /// Returns the configuration as written.
    fn config(&self) -> Value {
        serde_yaml::from_str(&self.config_text).unwrap_or_default()
    }

    /// Returns this run with the length of `other`, if `other` is the same match, test or screening and
    /// only longer.
    ///
    /// No game depends on the length: openings, pairings, shards and the settings of a screening depend
    /// on the number of the pair, the bounds of a test on its hypotheses.
    pub(crate) fn lengthened(&self, other: &Self) -> Option<Self> {
        let (old, new) = self.lengths(other)?;
        let is_longer = old.zip(new).is_some_and(|(old, new)| new > old) || (old.is_some() && new.is_none());
        is_longer.then(|| self.with_length_of(other))
    }

    /// Returns this run with the length of `other` and that length in games, if this one is unlimited and `other` the
    /// same test with a limit.
    pub(crate) fn limited(&self, other: &Self) -> Option<(Self, u64)> {
        match self.lengths(other)? {
            (None, Some(games)) => Some((self.with_length_of(other), games)),
            _ => None,
        }
    }

    /// Returns the lengths of both runs in games, if nothing else differs; `None` is unlimited.
    fn lengths(&self, other: &Self) -> Option<(Option<u64>, Option<u64>)> {
        if !self.has_length() || (self.version, &self.kind) != (other.version, &other.kind) {
            return None;
        }
        let [(here, old), (there, new)] = [&self.identity, &other.identity].map(without_length);
        (here == there).then_some((old, new))
    }

    fn has_length(&self) -> bool {
        ["match", "sprt", "screen"].contains(&self.kind.as_str())
    }

    fn with_length_of(&self, other: &Self) -> Self {
        Self {
            identity: other.identity.clone(),
            overrides: other.overrides.clone(),
            config_file: other.config_file.clone(),
            working_dir: other.working_dir.clone(),
            arguments: other.arguments.clone(),
            config_text: other.config_text.clone(),
            ..self.clone()
        }
    }

    /// Returns a short hash of the identity.
    pub(crate) fn short_hash(&self) -> String {
        self.identity_hash().to_hex()[..8].to_owned()
    }

    /// Returns sixteen bytes of the hash of the identity.
    pub fn hash(&self) -> [u8; 16] {
        let hash = self.identity_hash();
        std::array::from_fn(|index| hash.as_bytes()[index])
    }

    fn identity_hash(&self) -> blake3::Hash {
        blake3::hash(serde_yaml::to_string(&self.identity).unwrap_or_default().as_bytes())
    }

    /// Lists the differences that keep this run from being resumed as `other`. A length that may change is
    /// not among them if something else differs.
    pub(crate) fn obstacles(&self, other: &Self) -> Vec<String> {
        let [(here, old), (there, new)] = [&self.identity, &other.identity].map(without_length);
        let is_shorter = old.zip(new).is_some_and(|(old, new)| new < old);
        if !self.has_length() || self.kind != other.kind || here == there || is_shorter {
            return self.differences(other);
        }
        let part = |manifest: &Self, identity: Value| Self { identity, ..manifest.clone() };
        part(self, here).differences(&part(other, there))
    }

    /// Lists the fields in which the identity of `other` differs, as `path: here -> there`.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let mut list = Vec::new();
        if self.version != other.version {
            list.push(format!("version: {} -> {}", self.version, other.version));
        }
        let [here, there] = [self, other].map(|run| comparable(&run.identity));
        compare("", Some(&here), Some(&there), &mut list);
        list
    }
}

/// Returns the field of a configuration that `-j` replaces: `threads` in a training.
fn configured_concurrency(config: &Value) -> Option<&Value> {
    ["concurrency", "threads"].iter().find_map(|field| config.get(field))
}

/// Returns the fields of an identity in which two runs must agree.
fn comparable(identity: &Value) -> Value {
    let mut identity = without_places(identity);
    if let Some(config) = identity.get_mut("config").and_then(Value::as_mapping_mut) {
        // A measurement without times gives the same result with any number of searches at once.
        if config.get("times").and_then(Value::as_bool) == Some(false) {
            config.remove("concurrency");
        }
    }
    identity
}

/// Returns the identity without the paths of repositories, builds and the user's cache.
///
/// A commit is the same engine anywhere. A built program without a bench has its hash beside its path, and a
/// file that ships inside the program has its hash in its name.
fn without_places(identity: &Value) -> Value {
    match identity {
        Value::Mapping(fields) => {
            let mut fields: Mapping =
                fields.iter().map(|(key, value)| (key.clone(), without_places(value))).collect();
            if let Some(Value::Mapping(git)) = fields.get_mut("git") {
                git.remove("repository");
                fields.remove("program");
            }
            Value::Mapping(fields)
        }
        Value::Sequence(items) => Value::Sequence(items.iter().map(without_places).collect()),
        Value::String(text) => match shipped::cached_name(Path::new(text)) {
            Some(name) => Value::String(format!("shipped {name}")),
            None if is_cached_build(Path::new(text)) => Value::String(EXE.to_owned()),
            None => identity.clone(),
        },
        other => other.clone(),
    }
}

/// Returns the identity of a match or test without its length, and that length in games; `None` is
/// unlimited.
fn without_length(identity: &Value) -> (Value, Option<u64>) {
    let mut rest = without_places(identity);
    let config = rest.get_mut("config").and_then(Value::as_mapping_mut);
    let Some(config) = config else { return (rest, None) };
    let length = config.remove("games").and_then(|games| games.as_u64());
    // The same number, where a test has one.
    if let Some(sprt) = config.get_mut("sprt").and_then(Value::as_mapping_mut) {
        sprt.remove("max_games");
    }
    (rest, length)
}

/// Lists the differences of two values; `None` is an absent one.
fn compare(path: &str, here: Option<&Value>, there: Option<&Value>, list: &mut Vec<String>) {
    match (here, there) {
        (Some(Value::Mapping(a)), Some(Value::Mapping(b))) => {
            let added = b.keys().filter(|key| !a.contains_key(key));
            for key in a.keys().chain(added) {
                let name = brief(Some(key));
                let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                compare(&path, a.get(key), b.get(key), list);
            }
        }
        (Some(Value::Sequence(a)), Some(Value::Sequence(b))) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{index}]"), Some(a), Some(b), list);
            }
        }
        _ if here == there => {}
        _ => list.push(format!("{path}: {} -> {}", brief(here), brief(there))),
    }
}

fn brief(value: Option<&Value>) -> String {
    match value {
        None => "absent".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => serde_yaml::to_string(other).unwrap_or_default().trim().replace('\n', ", "),
    }
}

/// Formats a second since 1970 as `strftime` does, UTC: `%F %T` gives `2026-11-21 12:34:56`.
pub fn utc(seconds: u64, format: &str) -> String {
    let time = i64::try_from(seconds).map(Timestamp::from_second);
    time.ok().and_then(Result::ok).unwrap_or_default().strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_list_path_and_both_values() {
        let parse = |text: &str| serde_yaml::from_str::<Value>(text).unwrap();
        let here = parse("{ config: { seed: 1, engines: [ { name: a } ] }, hash: x, list: [1, 2] }");
        let there = parse("{ config: { seed: 2, engines: [ { name: b } ] }, more: y, list: [1, 2, 3] }");
        let mut list = Vec::new();
        compare("", Some(&here), Some(&there), &mut list);
        let expected = [
            "config.seed: 1 -> 2",
            "config.engines[0].name: a -> b",
            "hash: x -> absent",
            "list: - 1, - 2 -> - 1, - 2, - 3",
            "more: absent -> y",
        ];
        assert_eq!(list, expected);
    }

    #[test]
    fn searches_at_once_matter_only_if_times_are_compared() {
        let manifest = |config: &str| {
            let identity: Value = serde_yaml::from_str(&format!("config: {config}")).unwrap();
            Manifest::describe("smp", &identity, Host::here(1), PathBuf::new(), "", "").unwrap()
        };
        let differences = |times: bool| {
            let [one, four] =
                [1, 4].map(|count| manifest(&format!("{{ times: {times}, concurrency: {count} }}")));
            one.differences(&four)
        };
        assert_eq!(differences(true), ["config.concurrency: 1 -> 4"]);
        assert_eq!(differences(false), [""; 0]);
    }

    #[test]
    fn engine_of_a_commit_is_the_same_in_any_folder() {
        let parse = |text: &str| serde_yaml::from_str::<Value>(text).unwrap();
        let engine = |program: &str, repository: &str, revision: &str| {
            parse(&format!(
                "{{ engines: [{{ program: {program}, git: {{ repository: {repository}, revision: {revision} }} }}] }}"
            ))
        };
        let one = without_places(&engine("/a/engine", "/a", "abc"));
        assert_eq!(one, without_places(&engine("/b/engine", "/b", "abc")));
        assert_ne!(one, without_places(&engine("/a/engine", "/a", "abd")));
        let plain = parse("{ engines: [{ program: /a/engine }] }");
        assert_eq!(without_places(&plain), plain);
    }

    #[test]
    fn build_without_bench_is_the_same_in_any_cache() {
        let engine = |cache: &str, hash: &str| -> Value {
            let file = format!("{cache}/stretto-harness/builds/0123456789-89abcdef/{EXE}");
            serde_yaml::from_str(&format!(
                "{{ engines: [{{ binary: {{ file: {file}, blake3: {hash} }} }}] }}"
            ))
            .unwrap()
        };
        let differences = |there: &Value| {
            let mut list = Vec::new();
            compare(
                "",
                Some(&without_places(&engine("/home/me/.cache", "h"))),
                Some(&without_places(there)),
                &mut list,
            );
            list
        };
        assert_eq!(differences(&engine("/var/cache", "h")), [""; 0]);
        assert_eq!(differences(&engine("/var/cache", "i")), ["engines[0].binary.blake3: h -> i"]);
    }

    #[test]
    fn shipped_file_is_the_same_in_any_cache() {
        let identity = |file: &str, hash: &str| -> Value {
            let text = format!(
                "{{ config: {{ positions: {file} }}, positions: {{ file: {file}, blake3: {hash} }} }}"
            );
            serde_yaml::from_str(&text).unwrap()
        };
        let differences = |there: &Value| {
            let here = identity("/root/.cache/stretto-harness/positions-0123abcd.epd", "h");
            let mut list = Vec::new();
            compare("", Some(&without_places(&here)), Some(&without_places(there)), &mut list);
            list
        };
        let moved = |hash| identity("/var/stretto-harness/positions-0123abcd.epd", hash);
        assert_eq!(differences(&moved("h")), [""; 0]);
        assert_eq!(differences(&moved("i")), ["positions.blake3: h -> i"]);
        // A file of the user counts with its path.
        let own = differences(&identity("/books/own.epd", "h"));
        let expected = "config.positions: shipped positions-0123abcd.epd -> /books/own.epd";
        assert_eq!((own.len(), own[0].as_str()), (2, expected));
    }

    fn manifest(kind: &str, identity: &str) -> Manifest {
        Manifest {
            version: MANIFEST_VERSION,
            kind: kind.to_owned(),
            host: Host::here(1),
            identity: serde_yaml::from_str(identity).unwrap(),
            config_file: PathBuf::from(identity),
            config_text: identity.to_owned(),
            ..Manifest::default()
        }
    }

    #[test]
    fn resumed_run_keeps_its_concurrency() {
        let text = "concurrency: 2";
        let begun = |given: Option<usize>, used: usize| Manifest {
            concurrency: given.and_then(NonZeroUsize::new),
            host: Host::here(used),
            ..manifest("match", text)
        };
        let resumed = |run: &Manifest, text: &str| {
            run.resumed_concurrency(&serde_yaml::from_str(text).unwrap()).map(NonZeroUsize::get)
        };
        assert_eq!(resumed(&begun(Some(1), 1), text), Some(1));
        assert_eq!(resumed(&begun(None, 1), text), Some(1), "without -j");
        assert_eq!(resumed(&begun(Some(1), 1), "concurrency: 3"), None, "the configuration was changed");
        let moved = |given| {
            let run = begun(given, 1);
            Manifest { host: Host { name: "elsewhere".to_owned(), ..run.host }, ..run }
        };
        assert_eq!((resumed(&moved(None), text), resumed(&moved(Some(1)), text)), (None, Some(1)));
        let needed = |given, is_kept| begun(given, 1).needed_concurrency(is_kept).map(NonZeroUsize::get);
        assert_eq!((needed(Some(2), false), needed(Some(2), true)), (Some(2), None));
        assert_eq!((needed(Some(1), true), needed(None, false)), (Some(1), None));
    }

    #[test]
    fn a_run_may_become_longer_and_nothing_else() {
        let lengthened = |kind: &str, from: &str, to: &str| {
            let longer = manifest(kind, from).lengthened(&manifest(kind, to));
            longer.map(|longer| (longer.config_text, longer.config_file))
        };
        let games = |count: u32| format!("{{ config: {{ games: {count}, seed: 1 }} }}");
        assert_eq!(lengthened("match", &games(4), &games(6)), Some((games(6), PathBuf::from(games(6)))));
        for (kind, from, to) in [
            ("match", games(6), games(4)),
            ("match", games(4), games(4)),
            ("match", games(4), games(6).replace("seed: 1", "seed: 2")),
            ("tune", games(4), games(6)),
        ] {
            assert_eq!(lengthened(kind, &from, &to), None, "{kind}: {from} to {to}");
        }
        let obstacles =
            |from: String, to: String| manifest("match", &from).obstacles(&manifest("match", &to));
        let seeded = |count| games(count).replace("seed: 1", "seed: 2");
        assert_eq!(obstacles(games(4), seeded(6)), ["config.seed: 1 -> 2"]);
        assert_eq!(obstacles(games(4), seeded(2)), ["config.games: 4 -> 2", "config.seed: 1 -> 2"]);
        assert_eq!(obstacles(games(4), games(2)), ["config.games: 4 -> 2"]);
        let test = |count: u32| format!("{{ config: {{ games: {count}, sprt: {{ max_games: {count} }} }} }}");
        let endless = "{ config: { sprt: {} } }";
        assert!(lengthened("screen", &games(4), &games(6)).is_some());
        assert!(lengthened("sprt", &test(4), &test(6)).is_some());
        assert!(lengthened("sprt", &test(4), endless).is_some());
        assert!(lengthened("sprt", endless, &test(6)).is_none());
        let limited = |from: &str, to: &str| {
            let limited = manifest("sprt", from).limited(&manifest("sprt", to));
            limited.map(|(limited, games)| (limited.config_text, games))
        };
        assert_eq!(limited(endless, &test(6)), Some((test(6), 6)));
        assert_eq!(limited(&test(4), &test(6)), None);
        assert_eq!(limited(endless, &test(6).replace("games: 6, sprt", "seed: 1, games: 6, sprt")), None);
    }
}
