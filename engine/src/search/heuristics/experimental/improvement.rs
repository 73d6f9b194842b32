//! The improvement of the static evaluation as a number instead of yes or no (`ImprovementSize`).
//!
//! Bet: a large rise since our last move says more than a small one, so margins and reductions follow
//! its size.
//! Preconditions: `Improving`.
//! Soundness: unsound: margins, the late-move limit and reductions depend on it.
//! Knobs: `ImprovementRange`.
//! Source: known from Reckless.
//! Evidence: none yet: `results/ablation.md`, "Switches without games".

use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::Score;

/// A full improvement. Units: 1/1024.
pub(crate) const WHOLE: i32 = 1024;

/// Returns the improvement from the evaluation at our last move to that here. Without an earlier one
/// it is full. Units: 1/1024. Range: 0, for a fall by `ImprovementRange` or more, to [`WHOLE`].
#[inline]
pub(crate) fn size(toggles: impl Toggles, here: Score, earlier: Option<Score>) -> i32 {
    let range = toggles.value(Tunable::ImprovementRange);
    let rise = earlier.map_or(range, |earlier| here.0 - earlier.0).clamp(-range, range);
    (rise + range) * WHOLE / (2 * range)
}

/// Returns the part of an amount that an improving node counts: all or nothing, or in proportion to
/// the size of the improvement.
#[inline]
pub(crate) fn share(toggles: impl Toggles, node: &NodeContext, amount: i32) -> i32 {
    if on!(toggles, ImprovementSize) {
        amount * node.improvement / WHOLE
    } else if node.is_improving {
        amount
    } else {
        0
    }
}

/// Returns the part of an amount that a node counts for not improving. Nothing with `Improving` off.
#[inline]
pub(crate) fn lack(toggles: impl Toggles, node: &NodeContext, amount: i32) -> i32 {
    if on!(toggles, Improving) { amount - share(toggles, node, amount) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Fixed, Settings, Switch};

    #[test]
    fn improvement_grows_from_nothing_to_all_with_the_rise() {
        let range = Fixed.value(Tunable::ImprovementRange);
        let size = |rise: i32| size(Fixed, Score(40 + rise), Some(Score(40)));
        assert_eq!([-2 * range, -range, 0, range, 9 * range].map(size), [0, 0, WHOLE / 2, WHOLE, WHOLE]);
        assert_eq!(super::size(Fixed, Score(-300), None), WHOLE);
    }

    #[test]
    fn amounts_follow_the_size_only_with_the_switch() {
        let node = NodeContext { is_improving: true, improvement: WHOLE / 4, ..NodeContext::default() };
        let parts = |settings: &Settings| (share(settings, &node, 80), lack(settings, &node, 80));
        let (off, on) = (Settings::default(), Settings::default().with(Switch::ImprovementSize, true));
        assert_eq!((parts(&off), parts(&on)), ((80, 0), (20, 60)));
        assert_eq!(lack(&on.with(Switch::Improving, false), &node, 80), 0);
    }
}
