//! A search as an engine was sent it.

use serde::{Deserialize, Serialize};

/// A search as it was sent, with its limit, in a replay file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplaySearch {
    /// The lines sent, the last of them `go`, or the `ponderhit` or `stop` after a `go ponder`.
    pub lines: Vec<String>,
    /// Time limit. Units: milliseconds.
    pub time_ms: u64,
    /// Nodes allowed by a clock that counts nodes, if it was lost in this search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}
