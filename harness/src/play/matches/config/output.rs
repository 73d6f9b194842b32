//! Configuration section `output`: what a match writes besides its run folder, in the formats of other
//! tournament managers.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::{Source, yes};
use crate::play::fastchess::Format;
use crate::report::BlockFormat;

/// Outputs of a match or test besides the run folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Output")]
pub struct OutputConfig {
    /// Prints on standard output what fastchess prints with `-output format=fastchess`.
    pub format: Option<Format>,
    /// Pairs between two blocks of that output. 0 prints the last block only.
    #[serde(default = "default_rating_interval")]
    pub rating_interval: u64,
    /// Prints the result at the end in the form of this tool, to be pasted into a commit.
    pub block: Option<BlockFormat>,
    /// A PGN file that receives the games too.
    pub pgn: Option<OutputFile>,
    /// A file that receives the final positions too.
    pub epd: Option<OutputFile>,
    /// A file that receives the games in one line each, and messages.
    pub log: Option<OutputLog>,
}

/// A file besides the run folder.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputFile {
    /// Path, relative to the configuration.
    pub file: PathBuf,
    /// Whether earlier content is kept. A resumed run always keeps it.
    #[serde(default = "yes")]
    pub append: bool,
}

/// A file of messages.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputLog {
    /// Path, relative to the configuration.
    pub file: PathBuf,
    /// Whether earlier content is kept. A resumed run always keeps it.
    #[serde(default = "yes")]
    pub append: bool,
    /// Whether it receives the UCI dialogues of the engines too.
    #[serde(default)]
    pub engines: bool,
}

fn default_rating_interval() -> u64 {
    10
}

impl OutputConfig {
    /// Returns the outputs with paths that start from the folder of the configuration.
    pub(super) fn resolved(mut self, source: &Source) -> Self {
        let files = [&mut self.pgn, &mut self.epd].into_iter().flatten().map(|output| &mut output.file);
        for file in files.chain(self.log.as_mut().map(|log| &mut log.file)) {
            *file = source.dir().join(&file);
        }
        self
    }

    /// Returns key, path and `append` of each file.
    pub(in crate::play) fn files(&self) -> impl Iterator<Item = (&'static str, &Path, bool)> {
        let [pgn, epd] = [("pgn", &self.pgn), ("epd", &self.epd)]
            .map(|(key, file)| file.as_ref().map(|output| (key, &*output.file, output.append)));
        let log = self.log.as_ref().map(|log| ("log", &*log.file, log.append));
        [pgn, epd, log].into_iter().flatten()
    }
}
