//! One file a heuristic: its bet, what must hold, whether it is sound, its knobs, where it comes from.
//!
//! Each answers a question of the node (`driver::pvs`) or of the move picker; none of them recurses except the
//! null move, which searches the position after passing.

pub(super) mod aspiration;
pub(super) mod check_extension;
pub(super) mod history;
pub(super) mod killers;
pub(super) mod late_move_reductions;
pub(super) mod mvv_lva;
pub(super) mod null_move;
