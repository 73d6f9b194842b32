//! Infrastructure of parallel search: worker threads, start and stop, depth staggering, and the
//! final vote.
//!
//! [`pool`] owns the worker threads. [`placement`] binds them to cores ([`pinning`]) or to memory
//! nodes ([`numa`]). [`control`] is the
//! handshake between `go`, `stop`, `ponderhit` and `quit`, and [`timekeeper`] stops a search at its
//! deadline. Threads exchange results on the [`result_board`] and share a node limit through the
//! [`node_budget`]. [`lockstep`] makes threads take turns, for reproducible measurements.
//! [`stagger`], [`groups`] and [`vote`] are pure functions: the first lets helpers search different
//! depths, the second decides which threads share tables, the third selects the move to play. No
//! module here knows the search; the callers are `engine` and `search`.

pub mod control;
pub mod groups;
pub mod lockstep;
pub mod node_budget;
pub mod numa;
pub mod pinning;
pub mod placement;
pub mod pool;
pub mod result_board;
pub mod stagger;
pub mod timekeeper;
pub mod vote;
