//! The exchange margin of quiescence search by history and distance to alpha (`AdaptiveQuiescenceSee`).
//!
//! Bet: a capture with a good history may lose more material than its exchange shows; far below alpha
//! a capture must win material to help.
//! Preconditions: those of `QuiescenceSee`.
//! Soundness: unsound.
//! Knobs: `QuiescenceSeeGap`, `QuiescenceSeeHistory`.
//! Source: known from Reckless.
//! Evidence: none yet: `results/ablation.md`, "Switches without games".

use crate::search::heuristics::quiescence_pruning;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::Score;

/// The largest distance to alpha that counts. Units: centipawns.
const MAX_GAP: i32 = 1000;

/// Returns the exchange value (SEE) below which a capture with this history is pruned. Range: may be
/// positive.
#[inline]
pub(crate) fn exchange_limit(toggles: impl Toggles, history: i32, static_eval: Score, alpha: Score) -> Score {
    let limit = quiescence_pruning::exchange_limit(toggles);
    if !on!(toggles, AdaptiveQuiescenceSee) {
        return limit;
    }
    let gap = (alpha - static_eval).0.clamp(0, MAX_GAP);
    limit + gap * toggles.value(Tunable::QuiescenceSeeGap) / 100
        - history / toggles.value(Tunable::QuiescenceSeeHistory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Settings, Switch};

    #[test]
    fn good_history_allows_a_loss_and_a_distant_alpha_asks_for_a_gain() {
        let settings = Settings::default().with(Switch::AdaptiveQuiescenceSee, true);
        let limit = |history: i32, alpha: i32| exchange_limit(&settings, history, Score(0), Score(alpha)).0;
        let usual = quiescence_pruning::exchange_limit(&settings).0;
        assert_eq!((limit(0, 0), limit(0, -300)), (usual, usual));
        assert!(limit(8000, 0) < usual && limit(-8000, 0) > usual);
        assert!(limit(0, 200) > usual && limit(0, 800) > 0);
        assert_eq!(limit(0, MAX_GAP), limit(0, 20_000));
        assert_eq!(exchange_limit(&Settings::default(), 8000, Score(0), Score(800)).0, usual);
    }
}
