//! Tablebase probing during the search.

pub(in crate::search) mod config;
mod probe;
