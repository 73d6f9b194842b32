//! Late move reductions (LMR).
//!
//! Bet: with good move ordering late moves fail low, and a shallower search is enough to show it.
//! Preconditions: enough depth, enough moves searched.
//! Soundness: unsound; a reduced move that exceeds alpha is searched again, deeper or shallower
//! depending on how clearly.
//! Knobs: `Lmr*`, `ResearchDeeper`, `ResearchShallower`.
//! Source: made known by Fruit (Letouzey, 2005); the product of logarithms and the fixed point are
//! standard.
//! Evidence: `results/search.md`, "Groups" and "Margins tuned together".

use crate::search::heuristics::singular;
use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Depth, Score};

/// One ply in the fixed point of reductions.
const PLY: i32 = 1024;

/// The size of the table of logarithms. Greater depths and move counts use the last entry.
const LOGS: usize = 64;

/// `log2(n)` for small numbers. Units: 1/1024. Integer arithmetic gives the same reductions on
/// every machine.
const LOG2: [i32; LOGS] = {
    let mut table = [0; LOGS];
    let mut n = 1;
    while n < LOGS as u64 {
        table[n as usize] = log2(n);
        n += 1;
    }
    table
};

/// Computes `log2(n)` in 1/1024 by repeated squaring of the mantissa.
const fn log2(n: u64) -> i32 {
    let whole = n.ilog2();
    // The mantissa in 1..2 with 31 fractional bits.
    let mut mantissa = n << (31 - whole);
    let mut result = (whole as i32) << 10;
    let mut bit = 1 << 9;
    while bit > 0 {
        mantissa = (mantissa * mantissa) >> 31;
        if mantissa >= 1 << 32 {
            mantissa >>= 1;
            result += bit;
        }
        bit >>= 1;
    }
    result
}

/// The inputs of a reduction besides the node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LateMove {
    /// The number of moves searched before.
    pub(crate) searched: usize,
    pub(crate) is_quiet: bool,
    pub(crate) gives_check: bool,
    /// Whether the move is a killer or the counter-move.
    pub(crate) is_refutation: bool,
    pub(crate) history: i32,
    /// The number of cutoffs among the children of this node and its siblings.
    pub(crate) cutoffs: u8,
    /// The fraction that earlier reductions on the path have left. Units: 1/1024 ply.
    pub(crate) fraction: i32,
}

/// A depth after reduction, with the part of a ply that was left over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reduced {
    pub(crate) depth: Depth,
    /// The fraction of a ply that was not subtracted. Units: 1/1024 ply. Range: 0 to 1023.
    pub(crate) fraction: i32,
}

impl Reduced {
    /// Returns the depth of a move that is not reduced.
    #[inline]
    pub(crate) fn none(full: Depth, fraction: i32) -> Self {
        Self { depth: full, fraction }
    }
}

/// Returns the product of logarithms that every reduction starts from. Units: 1/1024.
#[inline]
fn product(depth: Depth, searched: usize) -> i32 {
    LOG2[depth.0.clamp(1, LOGS as i32 - 1) as usize] * LOG2[searched.clamp(1, LOGS - 1)] / PLY
}

/// Returns the reduction before it is limited by the depth. Units: 1/1024 ply. Range: may be
/// negative.
#[inline]
fn reduction(toggles: impl Toggles, node: &NodeContext, late: LateMove) -> i32 {
    let product = product(node.depth, late.searched);
    let if_so = |holds: bool, tunable: Tunable| if holds { toggles.value(tunable) } else { 0 };
    let (base, slope) = if late.is_quiet {
        (Tunable::LmrBase, Tunable::LmrSlope)
    } else {
        (Tunable::LmrCaptureBase, Tunable::LmrCaptureSlope)
    };
    let mut reduction = toggles.value(base) + product * toggles.value(slope) / PLY;
    reduction += if_so(node.is_cut, Tunable::LmrCutNode);
    reduction += if_so(node.is_cut && node.tt_move.is_none(), Tunable::LmrNoTtMove);
    reduction += if_so(on!(toggles, Improving) && !node.is_improving, Tunable::LmrNotImproving);
    reduction += singular::rivals_reduction(toggles, node);
    reduction += if_so(late.is_quiet && node.tt_move_is_noisy, Tunable::LmrTtCapture);
    let has_many_cutoffs = i32::from(late.cutoffs) >= toggles.value(Tunable::LmrCutoffCount);
    reduction += if_so(has_many_cutoffs, Tunable::LmrCutoffs);
    reduction -= if_so(node.is_pv, Tunable::LmrPv);
    reduction -= if_so(node.was_pv, Tunable::LmrTtPv);
    reduction -= if_so(late.gives_check, Tunable::LmrCheck);
    reduction -= if_so(late.is_refutation, Tunable::LmrRefutation);
    reduction -= node.correction.abs() * (PLY >> 3) / toggles.value(Tunable::LmrCorrection);
    let history = if late.is_quiet { Tunable::LmrHistory } else { Tunable::LmrCaptureHistory };
    reduction - late.history / toggles.value(history)
}

/// Returns the depth of the first search of a move: `full` less its reduction. Range: 1 to `full`;
/// `full` if that is less than 1.
#[inline]
pub(crate) fn reduced_depth(
    toggles: impl Toggles,
    node: &NodeContext,
    late: LateMove,
    full: Depth,
) -> Reduced {
    let enough_moves = late.searched as i32 >= toggles.value(Tunable::LmrMove);
    if !enough_moves || node.depth.0 < toggles.value(Tunable::LmrDepth) {
        return Reduced::none(full, late.fraction);
    }
    let reduction = (reduction(toggles, node, late) + late.fraction).max(0);
    let depth = (full - reduction / PLY).max(Depth(1)).min(full);
    Reduced { depth, fraction: reduction % PLY }
}

/// Returns the depth at which a quiet move would be searched after `move_count` moves. Of the terms
/// of a reduction it counts base, slope and improving. Pruning uses it for captures too, and counts
/// pruned moves.
#[inline]
pub(crate) fn expected_depth(toggles: impl Toggles, node: &NodeContext, move_count: usize) -> Depth {
    let product = product(node.depth, move_count);
    let mut reduction = toggles.value(Tunable::LmrBase) + product * toggles.value(Tunable::LmrSlope) / PLY;
    if on!(toggles, Improving) && !node.is_improving {
        reduction += toggles.value(Tunable::LmrNotImproving);
    }
    if !on!(toggles, LateMoveReductions) {
        reduction = 0;
    }
    (node.depth - 1 - reduction / PLY).max(Depth::ZERO)
}

/// Returns the depth at which a reduced move that failed high is searched again.
#[inline]
pub(crate) fn research_depth(toggles: impl Toggles, full: Depth, score: Score, best: Score) -> Depth {
    if !on!(toggles, ResearchDepth) || best.is_decisive() || score.is_decisive() {
        return full;
    }
    let is_clear = score > best + toggles.value(Tunable::ResearchDeeper);
    let is_close = score < best + toggles.value(Tunable::ResearchShallower);
    full + i32::from(is_clear) - i32::from(is_close)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::search::switches::Fixed;

    #[test]
    fn logarithms_are_accurate() {
        for n in 1..64 {
            let exact = f64::from(n).log2() * 1024.0;
            assert!((f64::from(LOG2[n as usize]) - exact).abs() <= 1.5, "{n}");
        }
    }

    fn late(searched: usize) -> LateMove {
        LateMove {
            searched,
            is_quiet: true,
            gives_check: false,
            is_refutation: false,
            history: 0,
            cutoffs: 0,
            fraction: 0,
        }
    }

    #[test]
    fn reduction_grows_with_depth_and_move_count() {
        let at = |depth, searched| {
            let node = NodeContext { depth: Depth(depth), is_improving: true, ..NodeContext::default() };
            let full = Depth(depth - 1);
            full.0 - reduced_depth(Fixed, &node, late(searched), full).depth.0
        };
        assert_eq!(at(1, 30), 0);
        assert_eq!(at(12, 0), 0);
        assert!(at(12, 20) >= at(12, 5) && at(20, 20) > at(6, 20));
        for depth in 3..100 {
            for searched in 0..218 {
                assert!((0..depth - 1).contains(&at(depth, searched)));
            }
        }
    }

    /// Each fact about the node or the move changes the reduction by its tunable, in its direction.
    #[test]
    fn facts_add_and_subtract_their_tunables() {
        let node = NodeContext {
            depth: Depth(16),
            is_improving: true,
            tt_move: Position::startpos().legal_moves().first().copied(),
            ..NodeContext::default()
        };
        let value = |tunable| Fixed.value(tunable);
        let reduced = |node: NodeContext, late| reduction(Fixed, &NodeContext { is_cut: true, ..node }, late);
        let base = reduced(node, late(20));
        let change = |node, late| reduced(node, late) - base;
        assert_eq!(change(NodeContext { tt_move: None, ..node }, late(20)), value(Tunable::LmrNoTtMove));
        assert_eq!(
            change(NodeContext { is_improving: false, ..node }, late(20)),
            value(Tunable::LmrNotImproving)
        );
        assert_eq!(
            change(NodeContext { tt_move_is_noisy: true, ..node }, late(20)),
            value(Tunable::LmrTtCapture)
        );
        assert_eq!(change(NodeContext { was_pv: true, ..node }, late(20)), -value(Tunable::LmrTtPv));
        assert_eq!(change(NodeContext { is_pv: true, ..node }, late(20)), -value(Tunable::LmrPv));
        assert_eq!(change(node, LateMove { gives_check: true, ..late(20) }), -value(Tunable::LmrCheck));
        assert_eq!(
            change(node, LateMove { is_refutation: true, ..late(20) }),
            -value(Tunable::LmrRefutation)
        );
        assert_eq!(change(node, LateMove { cutoffs: u8::MAX, ..late(20) }), value(Tunable::LmrCutoffs));
        let pv = NodeContext { is_pv: true, ..node };
        let cut = reduced(pv, late(20)) - reduction(Fixed, &pv, late(20));
        assert_eq!(cut, value(Tunable::LmrCutNode));
    }

    #[test]
    fn research_depth_grows_with_the_excess_over_the_best_score() {
        let again = |score| research_depth(Fixed, Depth(6), Score(score), Score(0));
        assert_eq!((again(1), again(20), again(300)), (Depth(5), Depth(6), Depth(7)));
    }

    #[test]
    fn good_history_reduces_a_move_less_and_a_bad_one_more() {
        let node = NodeContext { depth: Depth(16), is_improving: true, ..NodeContext::default() };
        for is_quiet in [true, false] {
            let divisor = if is_quiet { Tunable::LmrHistory } else { Tunable::LmrCaptureHistory };
            let depth = |plies: i32| {
                let history = plies * PLY * Fixed.value(divisor);
                let late = LateMove { is_quiet, history, ..late(20) };
                reduced_depth(Fixed, &node, late, Depth(15)).depth.0
            };
            assert!(depth(0) < 14, "{is_quiet}: {}", depth(0));
            assert_eq!((depth(1), depth(-1)), (depth(0) + 1, depth(0) - 1), "{is_quiet}");
        }
    }
}
