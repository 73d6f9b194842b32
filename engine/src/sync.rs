//! The crate's only source of atomics, locks, condition variables and threads.
//!
//! Normally these are std's atomics and threads and `parking_lot`'s locks. Under `--cfg loom` they
//! are loom's, wrapped where the API differs, so that `tests/loom.rs` checks the code that ships.
//! No other file of the crate uses `std::sync::atomic`, `parking_lot` or `loom` directly.

pub mod coherence;
#[cfg(loom)]
mod model;

#[cfg(loom)]
pub use loom::sync::atomic;
#[cfg(loom)]
pub use model::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
pub use parking_lot::{Condvar, Mutex, MutexGuard};
// loom's own `Arc` cannot hold a `dyn Fn`; the models do not check reference counting.
pub use std::sync::Arc;
#[cfg(not(loom))]
pub use std::sync::atomic;

/// Atomics of the histories. No model covers them: their races are harmless, and a model could not
/// hold a million of them.
pub mod unmodelled {
    pub use std::sync::atomic::{AtomicI16, Ordering};
}

/// A value on cache lines of its own, so that writing it slows no reader of its neighbours.
///
/// 128 bytes, because Intel processors fetch lines of 64 bytes in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct CachePadded<T>(pub T);

/// Threads that may outlive the scope that starts them.
pub mod thread {
    #[cfg(loom)]
    pub use loom::thread::{Builder, JoinHandle, yield_now};
    #[cfg(not(loom))]
    pub use std::thread::{Builder, JoinHandle, yield_now};
}
