//! The identity of a match, which a resumed run must share.

use std::io;
use std::path::Path;

use serde::Serialize;
use serde_yaml::Value;

use super::config::{Execution, MatchConfig, RunKind};
use crate::config::EngineConfig;
use crate::run::{EngineIdentity, FileHash, Host, Manifest};

/// The identity: the configuration, and the content of engines and openings.
#[derive(Debug, Serialize)]
struct MatchIdentity<'a> {
    config: &'a MatchConfig,
    engines: Vec<EngineIdentity<'a>>,
    openings: FileHash,
}

/// Returns the manifest of a match. `id_names` are the engines' own names, in the order of the
/// configuration.
///
/// Errors: a file cannot be read.
pub(crate) fn describe(
    config: &MatchConfig,
    execution: &Execution,
    id_names: &[String],
    config_file: &Path,
    config_text: &str,
    now: &str,
) -> io::Result<Manifest> {
    let engines = config.engines.iter().zip(id_names);
    let engines = engines.map(|(engine, id)| EngineIdentity::of(engine, id)).collect::<io::Result<_>>()?;
    let identity = MatchIdentity { config, engines, openings: FileHash::of(&config.openings.file)? };
    let host = Host::here(execution.concurrency);
    let config_file = std::path::absolute(config_file)?;
    let manifest = Manifest::describe(config.kind.name(), &identity, host, config_file, config_text, now)?;
    Ok(Manifest { shard: execution.shard, ..manifest })
}

/// Returns a notice for each pairing whose engines are the same program with the same options and
/// limits. Programs and files are compared by content.
///
/// A tuning or screening plays an engine against itself on purpose and has none.
pub(crate) fn same_engine_notices(config: &MatchConfig, manifest: &Manifest) -> Vec<String> {
    if !matches!(config.kind, RunKind::Match | RunKind::Sprt) {
        return Vec::new();
    }
    let identities = manifest.identity.get("engines").and_then(Value::as_sequence);
    let contents: Vec<Content> = config
        .engines
        .iter()
        .zip(identities.into_iter().flatten())
        .map(|(engine, known)| content(engine, known))
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

/// What decides how an engine plays: its configuration without names and paths, and the hashes of
/// its program and files.
type Content = (EngineConfig, Option<Value>, Vec<Value>);

/// Returns the content of an engine from its configuration and its identity in the manifest.
fn content(engine: &EngineConfig, identity: &Value) -> Content {
    let config = EngineConfig {
        name: String::new(),
        program: std::path::PathBuf::new(),
        rating: None,
        ..engine.clone()
    };
    let binary = identity.get("binary").and_then(|binary| binary.get("blake3")).cloned();
    let files = identity.get("files").and_then(Value::as_mapping);
    (config, binary, files.into_iter().flat_map(|files| files.values().cloned()).collect())
}
