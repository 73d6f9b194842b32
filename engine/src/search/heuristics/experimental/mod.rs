//! Heuristics that are off by default: they have not shown a gain in play.
//!
//! Two more switches are off, but are terms of other heuristics: `OpponentWorsening` (reverse
//! futility) and `QuiescenceChecks` (quiescence search). `results/search.md`, "One switch at a
//! time", has the measurements.

pub(in crate::search) mod classic_extensions;
pub(in crate::search) mod correction_history;
pub(in crate::search) mod enhanced_cutoff;
pub(in crate::search) mod fifty_move_scaling;
pub(in crate::search) mod killers;
pub(in crate::search) mod low_ply_history;
pub(in crate::search) mod razoring;
pub(in crate::search) mod small_prob_cut;
