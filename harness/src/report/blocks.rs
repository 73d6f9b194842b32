//! Results as the text that another tool prints, for commits and pull requests.

use std::fmt;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Deserialize;

/// The tool whose text a block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lower")]
pub enum BlockFormat {
    /// The result of a test of `OpenBench`; for a tuning its lines with the tuned values.
    OpenBench,
    /// The result of a test of fishtest; for a tuning its lines with the tuned values.
    Fishtest,
    /// The results that fastchess prints.
    Fastchess,
    /// A table in Markdown with the harness's own statistics.
    Markdown,
}

impl BlockFormat {
    /// Returns the name of the tool.
    pub fn title(self) -> &'static str {
        match self {
            Self::OpenBench => "OpenBench",
            Self::Fishtest => "fishtest",
            Self::Fastchess => "fastchess",
            Self::Markdown => "Markdown",
        }
    }
}

/// The form of a block and the part of the result that it shows.
#[derive(Clone, Copy, Debug)]
pub struct BlockRequest<'a> {
    /// The tool whose form the block has.
    pub format: BlockFormat,
    /// The two engines, by their names, of a match between more. The result is that of the first one.
    pub engines: Option<[&'a str; 2]>,
    /// Whether only the parameters of a tuning are shown whose value has changed.
    pub only_changed: bool,
}

impl BlockRequest<'_> {
    /// Asks for all of a result.
    pub fn of(format: BlockFormat) -> Self {
        Self { format, engines: None, only_changed: false }
    }
}

/// The blocks of one run.
pub trait Blocks: fmt::Debug + Send + Sync {
    /// Returns a block without a line break at its end.
    ///
    /// Errors: the result has no such form; the sentence has a remedy.
    fn block(&self, request: BlockRequest<'_>) -> Result<String, String>;

    /// Returns the formats at the foot of the page, and a remark on them.
    fn foot(&self) -> (&'static [BlockFormat], Option<String>) {
        (&[], None)
    }
}
