//! Tablebase probing during the search.

pub(in crate::search) mod config;
pub(in crate::search) mod mate_line;
mod probe;
