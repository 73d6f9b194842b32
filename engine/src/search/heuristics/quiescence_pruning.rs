//! Pruning in quiescence search.
//!
//! Bets: a capture that loses material does not help ([`exchange_limit`]); far below alpha it must win
//! material, and with a good history it may lose some (`AdaptiveQuiescenceSee`). Nor does one help that leaves
//! the evaluation at or below alpha even with its victim and a margin added (delta pruning,
//! [`futile_score`]). After a few moves only checks, promotions and recaptures still raise the score
//! (`QuiescenceMoveCount`). In check, one evasion that is not lost shows that there is no mate, and
//! further quiet ones rarely gain (`QuiescenceEvasions`). These two are in `search::quiescence`.
//! Preconditions: not in check; a capture, and for delta pruning neither a promotion (or a threat
//! of one) nor a check.
//! Soundness: unsound.
//! Knobs: `QuiescenceMoves`, `QuiescenceMargin`, `QuiescenceSeeLimit`, `QuiescenceSeeGap`,
//! `QuiescenceSeeHistory`.
//! Source: Beal, "A generalised quiescence search algorithm" (1990), and "Chess Tree Search";
//! the limit by history and distance to alpha is known from Reckless.
//! Evidence: `results/search.md`, "Groups" and "What strong engines have"; `results/history.md`, "One switch at a time".

use crate::position::{Position, see_value};
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Move, PieceType, Rank, Score};

/// Whether a pawn move threatens to promote: it reaches the seventh rank.
#[inline]
pub(crate) fn is_promotion_threat(position: &Position, mv: Move) -> bool {
    let rank = position.side_to_move().relative_rank(mv.to().rank());
    position.moved(mv) == PieceType::Pawn && rank == Rank::SEVENTH
}

/// Returns the estimated score of a capture if that is not above alpha.
#[inline]
pub(crate) fn futile_score(
    toggles: impl Toggles,
    position: &Position,
    mv: Move,
    static_eval: Score,
    alpha: Score,
) -> Option<Score> {
    if mv.promotion().is_some() || alpha.is_decisive() {
        return None;
    }
    let victim = position.captured(mv).map_or(Score::DRAW, see_value);
    let credited = static_eval + victim + toggles.value(Tunable::QuiescenceMargin);
    (credited <= alpha).then_some(credited)
}

/// The largest distance to alpha that counts for the exchange. Units: centipawns.
const MAX_GAP: i32 = 1000;

/// Returns the exchange value (SEE) below which a capture with this history is pruned. Range: not
/// positive without `AdaptiveQuiescenceSee`.
#[inline]
pub(crate) fn exchange_limit(toggles: impl Toggles, history: i32, static_eval: Score, alpha: Score) -> Score {
    let limit = Score(-toggles.value(Tunable::QuiescenceSeeLimit));
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
        let usual = -(&settings).value(Tunable::QuiescenceSeeLimit);
        assert_eq!((limit(0, 0), limit(0, -300)), (usual, usual));
        assert!(limit(8000, 0) < usual && limit(-8000, 0) > usual);
        assert!(limit(0, 200) > usual && limit(0, 800) > 0);
        assert_eq!(limit(0, MAX_GAP), limit(0, 20_000));
        assert_eq!(
            exchange_limit(&settings.with(Switch::AdaptiveQuiescenceSee, false), 8000, Score(0), Score(800))
                .0,
            usual
        );
    }
}
