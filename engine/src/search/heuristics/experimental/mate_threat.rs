//! Mate-threat extension.
//!
//! Bet: a side that would be mated if it passed the turn has few good moves, and they deserve more
//! depth.
//! Preconditions: a null move was tried and answered by mate; `extension_limit` allows it.
//! Soundness: unsound: a fixed depth no longer means the same for all lines.
//! Knobs: `ExtensionLimit`.
//! Source: Donninger, "Null move and deep search" (1993).
//! Evidence: `results/search.md`, "Switches from the texts".

use crate::search::heuristics::extension_limit;
use crate::search::switches::Toggles;
use crate::types::{Depth, Ply};

/// Returns the extension of a threatened node. Units: plies. Range: 0 or 1.
#[inline]
pub(crate) fn plies(toggles: impl Toggles, ply: Ply, iteration: Depth) -> i32 {
    i32::from(extension_limit::allows(toggles, ply, iteration))
}
