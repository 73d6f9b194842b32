//! Mate-threat extension.
//!
//! Bet: a side that would be mated if it passed the turn has few good moves, and they deserve more
//! depth.
//! Preconditions: a null move was tried and answered by mate; `extension_limit` allows it. Where the
//! search of the null move is a quiescence search, which sees captures only, the test is a mate in
//! one.
//! Soundness: unsound: a fixed depth no longer means the same for all lines.
//! Knobs: `ExtensionLimit`.
//! Source: Donninger, "Null move and deep search" (1993).
//! Evidence: `results/ablation.md`.

use crate::position::Position;
use crate::search::heuristics::extension_limit;
use crate::search::switches::Toggles;
use crate::types::{Depth, Ply};

/// Whether a move of the side to move is checkmate.
pub(crate) fn can_mate_at_once(position: &Position) -> bool {
    let is_mate = |mv| position.gives_check(mv) && position.after(mv).legal_moves().is_empty();
    position.legal_moves().into_iter().any(is_mate)
}

/// Returns the extension of a threatened node. Units: plies. Range: 0 or 1.
#[inline]
pub(crate) fn plies(toggles: impl Toggles, ply: Ply, iteration: Depth) -> i32 {
    i32::from(extension_limit::allows(toggles, ply, iteration))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_moves_that_mate_are_threats() {
        let can_mate = |fen: &str| can_mate_at_once(&fen.parse().expect("a position"));
        assert!(can_mate("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"));
        assert!(!can_mate("6k1/5pp1/7p/8/8/8/5PPP/R5K1 w - - 0 1"));
        assert!(!can_mate("6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1"));
    }
}
