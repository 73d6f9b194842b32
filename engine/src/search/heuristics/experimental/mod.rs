//! Heuristics that are off by default: they have not shown a gain in play, or have no games yet.
//!
//! More switches are off, but are terms of other heuristics; the defaults in `switch_table.rs` list them.
//! The measurements: `results/history.md`, "One switch at a time"; `results/ablation.md`.

pub(in crate::search) mod check_extension;
pub(in crate::search) mod classic_extensions;
pub(in crate::search) mod ending_scale;
pub(in crate::search) mod enhanced_cutoff;
pub(in crate::search) mod fifty_move_scaling;
pub(in crate::search) mod hanging;
pub(in crate::search) mod killers;
pub(in crate::search) mod mate_threat;
pub(in crate::search) mod sibling_singular;
