//! What many threads need besides the search itself: who runs, when to stop, what to skip, whose move to play.
//!
//! [`pool`] owns the worker threads and [`pinning`] says where they run; [`control`] is the handshake between
//! `go`, `stop`, `ponderhit` and `quit`; [`timekeeper`] is the alarm that ends a search; on the [`board`] threads see what the
//! others have found; [`lockstep`] has threads take turns, for measurements that repeat themselves; [`stagger`] and [`vote`] are
//! pure functions that make helpers search different depths and settle on one move.
//! Nothing here knows what a search does. The caller is the engine façade.

pub mod board;
pub mod control;
pub mod lockstep;
pub mod pinning;
pub mod pool;
pub mod stagger;
pub mod timekeeper;
pub mod vote;
