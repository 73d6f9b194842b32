//! Check extension.
//!
//! Bet: a check leaves few replies, so an extra ply is cheap and looks beyond the horizon.
//! Preconditions: the side to move is in check; `extension_limit` allows it.
//! Soundness: unsound: a fixed depth no longer means the same for all lines.
//! Knobs: `ExtensionLimit`.
//! Source: "Chess Tree Search" ("extensions"); Chess Programming Wiki, "Check
//! Extensions".
//! Evidence: `results/search.md`, "At playing depth": it cost 1.6 times the nodes when it was switched
//! off, and more than it finds.

use crate::search::heuristics::extension_limit;
use crate::search::switches::Toggles;
use crate::types::{Depth, Ply};

/// Returns the extension of a node. Units: plies. Range: 0 or 1.
#[inline]
pub(crate) fn plies(toggles: impl Toggles, is_check: bool, ply: Ply, iteration: Depth) -> i32 {
    i32::from(is_check && extension_limit::allows(toggles, ply, iteration))
}
