//! The identity of a match, which a resumed run must share.

use std::io;

use serde::de::IgnoredAny;

use super::config::{Execution, MatchConfig, RunKind};
use crate::config::{EngineConfig, Source};
use crate::pool::Trial;
use crate::run::builds::record::EngineBuild;
use crate::run::{EngineIdentity, FilesBefore, Host, Identity, Manifest, RunEngines, RunFiles};

/// Returns the manifest of a match. `trials` have the engines' own names, in the order of the
/// configuration, and `before` the files before the engines were started.
///
/// Errors: a file cannot be read.
pub(crate) fn describe(
    config: &MatchConfig,
    execution: &Execution,
    trials: &[Trial],
    before: &FilesBefore,
    source: &Source,
    now: &str,
) -> io::Result<Manifest> {
    let id_names: Vec<String> = trials.iter().map(|trial| trial.id_name.clone()).collect();
    let engines = RunEngines::several(&config.engines, &id_names, before)?;
    let identity = Identity::new(config, engines, RunFiles::of_openings(&config.openings.file)?);
    let host = Host::here(execution.concurrency);
    let config_file = std::path::absolute(&source.file)?;
    let manifest = Manifest::describe(config.kind.name(), &identity, host, config_file, source.text(), now)?;
    Ok(Manifest { shard: execution.shard, ..manifest })
}

/// Returns a notice for each pairing whose engines are the same program with the same options and
/// limits. Programs and files are compared by content, also those built from different commits. `builds` are the
/// engines built from commits.
///
/// A tuning or screening plays an engine against itself on purpose and has none.
pub(crate) fn same_engine_notices(
    config: &MatchConfig,
    manifest: &Manifest,
    builds: &[EngineBuild],
) -> Vec<String> {
    if !matches!(config.kind, RunKind::Match | RunKind::Sprt) {
        return Vec::new();
    }
    let identity = manifest.identity_of::<IgnoredAny, IgnoredAny>().unwrap_or_default();
    let contents: Vec<Content> = config
        .engines
        .iter()
        .zip(&identity.engines.engines)
        .map(|(engine, known)| content(engine, known, builds))
        .collect();
    let pairings = config.pairings.as_slice().iter().map(|pairing| pairing.engines());
    let is_same = |engines: &[usize; 2]| {
        let [first, second] = engines.map(|engine| contents.get(engine));
        first.is_some() && first == second
    };
    let notice = |engines: [usize; 2]| {
        let [first, second] = engines.map(|engine| &config.engines[engine].name);
        format!(
            "{first} and {second} are the same program with the same options and limits (A/A): any difference between them is chance"
        )
    };
    pairings.filter(is_same).map(notice).collect()
}

/// The content of an engine: its configuration without names, paths and commit, and the hashes of its
/// program and files.
type Content = (EngineConfig, Option<String>, Vec<String>);

/// Returns the content of an engine from its configuration and its identity in the manifest, which has no hash of
/// a program built from a commit.
fn content(engine: &EngineConfig, identity: &EngineIdentity, builds: &[EngineBuild]) -> Content {
    let build =
        builds.iter().find(|build| build.engine == engine.name).map(|build| build.record.blake3.clone());
    let binary = identity.binary.as_ref().map(|binary| binary.blake3.clone()).or(build);
    let config = EngineConfig {
        name: String::new(),
        program: std::path::PathBuf::new(),
        // Without the hash of the program, the commit stands for it.
        git: engine.git.clone().filter(|_| binary.is_none()),
        rating: None,
        ..engine.clone()
    };
    (config, binary, identity.files.values().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::matches::{ExecutionArgs, LoadedMatch};

    /// Returns the notices of a match between two commits, whose programs have these hashes.
    fn notices(hashes: Option<[&str; 2]>, options: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let git = |name: &str, revision: &str| {
            format!("{{ name: {name}, git: {{ revision: {revision} }} {options} }}")
        };
        let text = format!(
            "engines: [{}, {}]\nnodes: 9\ngames: 2\n",
            git("dev", "aaaa"),
            git("base", "bbbb").replace(options, "")
        );
        let source = Source::new(dir.path().join("match.yaml"), text);
        let config = LoadedMatch::load(&source, RunKind::Match, ExecutionArgs::default()).unwrap().config;
        let engine = |name: &str| format!("{{ name: {name}, id_name: x, bench: 5 }}");
        let identity = format!("{{ config: {{}}, engines: [{}, {}] }}", engine("dev"), engine("base"));
        let identity: serde_yaml::Value = serde_yaml::from_str(&identity).unwrap();
        let manifest = Manifest::describe("match", &identity, Host::here(1), source.file, "", "").unwrap();
        let build = |(name, hash): (&str, &str)| {
            let text = format!(
                "{{ engine: {name}, revision: {name}, repository: /r, version: 1, commit: {name}, subject: s, \
                 folder: '', build: make, built: '', seconds: 1, blake3: {hash} }}"
            );
            serde_yaml::from_str::<EngineBuild>(&text).unwrap()
        };
        let builds = hashes.map(|[dev, base]| [("dev", dev), ("base", base)].map(build).to_vec());
        same_engine_notices(&config, &manifest, &builds.unwrap_or_default())
    }

    #[test]
    fn commits_with_equal_programs_are_the_same_engine() {
        let same = notices(Some(["p", "p"]), "");
        assert!(same[0].starts_with("dev and base are the same program with the same options"), "{same:?}");
        assert_eq!(notices(Some(["p", "q"]), ""), [""; 0]);
        assert_eq!(notices(Some(["p", "p"]), ", options: { Hash: 8 }"), [""; 0]);
        assert_eq!(notices(None, ""), [""; 0], "without hashes the commits differ");
    }
}
