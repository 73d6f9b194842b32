//! Pruning in quiescence.
//!
//! Bets: a capture that loses by exchange does not help ([`exchange_limit`]); nor does one that, even if it nets its
//! victim and a margin, leaves the evaluation below alpha (delta pruning, [`futile_score`]).
//! Preconditions: not in check; a capture, and for delta pruning neither a promotion nor a check.
//! Soundness: unsound.
//! Knobs: `QuiescenceMargin`, `QuiescenceSeeLimit`.
//! Source: Beal, "A generalised quiescence search algorithm" (1990), and the project's source text on tree search.
//! Evidence: `results/search.md`, "quiescence".

use crate::position::{Position, see_value};
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Move, Score};

/// The score a capture is credited with, if that is not above alpha.
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

/// The least a capture must net by exchange. Range: not positive.
#[inline]
pub(crate) fn exchange_limit(toggles: impl Toggles) -> Score {
    Score(-toggles.value(Tunable::QuiescenceSeeLimit))
}
