//! Pruning in quiescence search.
//!
//! Bets: a capture that loses material does not help ([`exchange_limit`]); nor does one that leaves
//! the evaluation at or below alpha even with its victim and a margin added (delta pruning,
//! [`futile_score`]). After a few moves only checks, promotions and recaptures still raise the score
//! (`QuiescenceMoveCount`). In check, one evasion that is not lost shows that there is no mate, and
//! further quiet ones rarely gain (`QuiescenceEvasions`). These two are in `search::quiescence`.
//! Preconditions: not in check; a capture, and for delta pruning neither a promotion (or a threat
//! of one) nor a check.
//! Soundness: unsound.
//! Knobs: `QuiescenceMoves`, `QuiescenceMargin`, `QuiescenceSeeLimit`.
//! Source: Beal, "A generalised quiescence search algorithm" (1990), and "Chess Tree Search".
//! Evidence: `results/search.md`, "Groups"; `results/history.md`, "One switch at a time".

use crate::position::{Position, see_value};
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
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

/// Returns the exchange value (SEE) below which a capture is pruned. Range: not positive.
#[inline]
pub(crate) fn exchange_limit(toggles: impl Toggles) -> Score {
    Score(-toggles.value(Tunable::QuiescenceSeeLimit))
}
