//! The identity of a match, which a resumed run must share.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::config::{Execution, MatchConfig};
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
