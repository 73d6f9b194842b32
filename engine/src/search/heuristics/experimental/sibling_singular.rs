//! Singular extension in the form of Deep Thought: every sibling is searched.
//!
//! Bet: a best move that no sibling comes near decides the node. Unlike `singular`, the test needs
//! no TT entry: it follows the search of the node, and the move is then searched again. The siblings
//! are searched with the pruning of a null-window node, and again at full depth if the extension
//! lowers the score of the move.
//! Preconditions: enough depth; a score inside the window of a PV node or above that of a cut node;
//! the move before was not extended; `extension_limit` allows it.
//! Soundness: unsound.
//! Knobs: `SingularDepth`, `SingularMargin`, `SingularSearchDepth`, `ExtensionLimit`.
//! Source: Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force
//! searching" (1988).
//! Evidence: `results/ablation.md`.

use crate::search::heuristics::extension_limit;
use crate::search::heuristics::singular::Plan;
use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Depth, Ply, Score, Window};

/// Returns the search of the siblings of a best move with score `best`, if the preconditions hold.
#[inline]
pub(crate) fn plan(
    toggles: impl Toggles,
    node: &NodeContext,
    best: Score,
    window: Window,
    ply: Ply,
    iteration: Depth,
) -> Option<Plan> {
    let is_candidate = if node.is_pv { best < window.beta } else { node.is_cut && best >= window.beta };
    let applies = node.depth.0 >= toggles.value(Tunable::SingularDepth)
        && is_candidate
        && best > window.alpha
        && !best.is_decisive()
        && extension_limit::allows(toggles, ply, iteration);
    applies.then(|| Plan::below(toggles, best, node.depth))
}
