//! The kinds of node, and the facts about one that the heuristics use.

use crate::types::{Depth, Move, Score};

/// The kind of a node. A type, so that each kind is compiled separately.
pub(crate) trait NodeKind {
    /// Whether the node is on the principal variation.
    const IS_PV: bool;
}

/// A node whose exact score matters.
pub(crate) struct Pv;

/// A node searched with a null window.
pub(crate) struct NonPv;

impl NodeKind for Pv {
    const IS_PV: bool = true;
}

impl NodeKind for NonPv {
    const IS_PV: bool = false;
}

/// The facts about a node that the heuristics use.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
pub(crate) struct NodeContext {
    pub(crate) depth: Depth,
    pub(crate) is_pv: bool,
    /// Whether the node is, or was in an earlier search, on the principal variation.
    pub(crate) was_pv: bool,
    /// Whether the node is expected to fail high.
    pub(crate) is_cut: bool,
    /// Whether the static evaluation rose since our last move.
    pub(crate) is_improving: bool,
    pub(crate) tt_move: Option<Move>,
    /// Whether the TT move is a capture or promotion.
    pub(crate) tt_move_is_noisy: bool,
    /// The static evaluation before correction; `None` in check.
    pub(crate) raw_eval: Option<Score>,
    /// The corrected static evaluation; `None` in check.
    pub(crate) static_eval: Option<Score>,
    /// The corrected static evaluation, or the TT score where that is tighter.
    pub(crate) eval: Option<Score>,
    /// The TT score less the best score of the other moves in the singular search, if there was one.
    /// Units: centipawns. Range: not negative.
    pub(crate) rivals_gap: i32,
    /// The correction added to the static evaluation. Units: centipawns.
    pub(crate) correction: i32,
}
