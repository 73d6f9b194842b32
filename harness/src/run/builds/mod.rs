//! Engines given as commits of a git repository: pins revisions to commits and builds them.
//!
//! [`prepare`] is called before a configuration is loaded. It replaces the revisions of `git` fields
//! by commits, builds each commit in a work tree of its own, and stores program and record in the
//! user's cache. The user's checkout is never changed. The commits are in the configuration that the
//! run keeps, so a resumed run does not depend on branches.

pub(crate) mod bench;
mod build;
pub(crate) mod cache;
mod job;
mod pin;
mod programs;
mod recipe;
pub(crate) mod record;
mod repository;
mod submodules;

pub(crate) use pin::commits;
pub use pin::{Builds, prepare};
