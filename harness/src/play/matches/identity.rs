//! The identity of a match: what a resumed one must share.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::config::{Execution, MatchConfig};
use crate::run::{EngineIdentity, FileHash, Host, Manifest};

/// What makes two matches the same match.
#[derive(Debug, Serialize)]
struct MatchIdentity<'a> {
    config: &'a MatchConfig,
    engines: Vec<EngineIdentity<'a>>,
    openings: FileHash,
}

/// Describes a match; `id_names` are what the engines call themselves, in the order of the configuration.
///
/// Errors: a file that takes part cannot be read.
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
