//! One file a heuristic: its bet, what must hold, whether it is sound, its knobs, where it comes from.
//!
//! Each answers a question of the node (`driver::pvs`) or of the move picker: prune, how deep, which first. They are
//! functions of what they are given; those that search (null move, ProbCut, singular) leave the searching to the node.

pub(super) mod aspiration;
pub(super) mod check_extension;
pub(super) mod classic_extensions;
pub(super) mod clock_damping;
pub(super) mod correction_history;
pub(super) mod enhanced_cutoff;
mod entry;
pub(super) mod fail_high;
pub(super) mod hindsight;
pub(super) mod history;
pub(super) mod internal_iterative_reduction;
pub(super) mod killers;
pub(super) mod late_move_reductions;
pub(super) mod mate_distance;
pub(super) mod move_pruning;
pub(super) mod mvv_lva;
pub(super) mod null_move;
pub(super) mod prob_cut;
pub(super) mod quiescence_pruning;
pub(super) mod raised_alpha;
pub(super) mod razoring;
pub(super) mod reverse_futility;
pub(super) mod singular;
pub(super) mod tablebase;

use crate::types::{Depth, Move, Score};

/// What the heuristics may know of a node before its moves are tried.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct NodeContext {
    /// What remains.
    pub(crate) depth: Depth,
    /// Is the node on the principal variation?
    pub(crate) is_pv: bool,
    /// Is it now, or was it in an earlier iteration?
    pub(crate) was_pv: bool,
    /// Is it expected to fail high?
    pub(crate) is_cut: bool,
    /// Did the evaluation rise since our last move?
    pub(crate) is_improving: bool,
    /// Did the evaluation rise, for us, by the opponent's move?
    pub(crate) is_opponent_worsening: bool,
    /// The move the table proposes.
    pub(crate) hash_move: Option<Move>,
    /// Is that a capture or promotion?
    pub(crate) hash_is_noisy: bool,
    /// The evaluation as corrected by experience; none in check.
    pub(crate) static_eval: Option<Score>,
    /// The same, or the table's score where its bound is better informed.
    pub(crate) eval: Option<Score>,
    /// What experience added to the evaluation. Units: centipawns.
    pub(crate) correction: i32,
}
