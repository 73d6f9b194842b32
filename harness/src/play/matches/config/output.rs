//! Configuration section `output`: what a match writes besides its run folder, in the formats of other
//! tournament managers.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::{Source, yes};
use crate::play::fastchess::Format;

/// Outputs of a match or test besides the run folder.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Output")]
pub(super) struct RawOutput {
    /// Prints on standard output what fastchess prints with `-output format=fastchess`.
    format: Option<Format>,
    /// Pairs between two blocks of that output. 0 prints the last block only.
    #[serde(default = "default_rating_interval")]
    rating_interval: u64,
    /// A PGN file that receives the games too.
    pgn: Option<RawFile>,
    /// A file that receives the final positions too.
    epd: Option<RawFile>,
    /// A file that receives the games in one line each, and messages.
    log: Option<RawLog>,
}

/// A file besides the run folder.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OutputFile")]
struct RawFile {
    /// Path, relative to the configuration.
    file: PathBuf,
    /// Whether earlier content is kept. A resumed run always keeps it.
    #[serde(default = "yes")]
    append: bool,
}

/// A log file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OutputLog")]
struct RawLog {
    /// Path, relative to the configuration.
    file: PathBuf,
    /// Whether earlier content is kept. A resumed run always keeps it.
    #[serde(default = "yes")]
    append: bool,
    /// Whether it receives the UCI dialogues of the engines too.
    #[serde(default)]
    engines: bool,
}

fn default_rating_interval() -> u64 {
    10
}

/// A file besides the run folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Its path.
    pub path: PathBuf,
    /// Whether earlier content is kept.
    pub append: bool,
}

/// The validated outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputConfig {
    /// Layout of the output on standard output, if there is one.
    pub format: Option<Format>,
    /// Pairs between two blocks.
    pub rating_interval: u64,
    /// The games.
    pub pgn: Option<OutputFile>,
    /// The final positions.
    pub epd: Option<OutputFile>,
    /// Games and messages.
    pub log: Option<OutputFile>,
    /// Whether the log receives the dialogues of the engines.
    pub logs_engines: bool,
}

impl RawOutput {
    pub(super) fn validate(self, source: &Source) -> OutputConfig {
        let file = |path: PathBuf, append| OutputFile { path: source.dir().join(path), append };
        let logs_engines = self.log.as_ref().is_some_and(|log| log.engines);
        OutputConfig {
            format: self.format,
            rating_interval: self.rating_interval,
            pgn: self.pgn.map(|raw| file(raw.file, raw.append)),
            epd: self.epd.map(|raw| file(raw.file, raw.append)),
            log: self.log.map(|raw| file(raw.file, raw.append)),
            logs_engines,
        }
    }
}
