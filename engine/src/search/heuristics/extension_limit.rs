//! The limit of the extensions.
//!
//! Bet: a line far deeper than its iteration has been followed long enough, and without a limit
//! extensions that follow each other would never end.
//! Preconditions: none; every extension asks.
//! Soundness: exact; it only restricts extensions.
//! Knobs: `ExtensionLimit`.
//! Source: folklore; Chess Programming Wiki, "Extensions".
//! Evidence: `results/claims.md` (N23).

use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Depth, Ply};

/// Whether a node at this ply may be extended.
#[inline]
pub(crate) fn allows(toggles: impl Toggles, ply: Ply, iteration: Depth) -> bool {
    i32::from(ply.0) < toggles.value(Tunable::ExtensionLimit) * iteration.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Fixed, Settings};

    #[test]
    fn extensions_end_at_a_multiple_of_the_iterations_depth() {
        let first_denied = |toggles: &Settings| (0..100).find(|&ply| !allows(toggles, Ply(ply), Depth(8)));
        let mut settings = Settings::default();
        assert_eq!(first_denied(&settings), Some(16));
        assert!(allows(Fixed, Ply(15), Depth(8)) && !allows(Fixed, Ply(16), Depth(8)));
        settings.tune(Tunable::ExtensionLimit, 5);
        assert_eq!(first_denied(&settings), Some(40));
    }
}
