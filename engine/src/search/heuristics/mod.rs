//! The heuristics, each with its bet, preconditions, soundness, knobs, source and evidence. Related
//! ones share a file.
//!
//! Each answers a question of the node (`driver`) or of the move picker: whether to prune, how deep
//! to search, which move comes first. They are functions of their arguments; the driver does the
//! searching (null move, ProbCut, singular). Heuristics that are off by default are under
//! `experimental`, except `razoring` and terms of others, such as delta pruning in
//! `quiescence_pruning`. One of them, the enhanced cutoff, is a method of `Search` and probes the TT
//! itself.

pub(super) mod aspiration;
pub(super) mod check_ordering;
pub(super) mod correction_history;
mod entry;
pub(super) mod experimental;
pub(super) mod extension_limit;
pub(super) mod history;
pub(super) mod internal_iterative_reduction;
pub(super) mod late_move_reductions;
pub(super) mod mate_distance;
pub(super) mod move_pruning;
pub(super) mod mvv_lva;
pub(super) mod null_move;
pub(super) mod piece_to;
pub(super) mod prob_cut;
pub(super) mod quiescence_pruning;
pub(super) mod raised_alpha;
pub(super) mod razoring;
pub(super) mod reverse_futility;
pub(super) mod singular;
pub(super) mod small_prob_cut;
pub(super) mod threat_ordering;
