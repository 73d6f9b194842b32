//! `harness watch`: serves the pages of runs under way.
//!
//! One thread reads the run folders and renders the parts of their pages (`follow`, `parts`); the
//! threads of `server` send the rendered parts. Nothing is written to disk.

mod access;
mod command;
mod follow;
mod pages;
mod parts;
mod server;

pub use command::{WatchArgs, run};
