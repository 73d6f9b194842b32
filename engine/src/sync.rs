//! The one door to atomics, locks, condition variables and threads.
//!
//! Normally these are std's atomics and threads and `parking_lot`'s locks. Under `--cfg loom` they are loom's,
//! wrapped where the shape differs, so that the models in `tests/loom.rs` run the very code that ships. Nothing
//! else in the crate names `std::sync::atomic`, `parking_lot` or `loom`.

#[cfg(loom)]
mod model;

#[cfg(loom)]
pub use loom::sync::atomic;
#[cfg(loom)]
pub use model::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
pub use parking_lot::{Condvar, Mutex, MutexGuard};
// loom's own `Arc` cannot hold a `dyn Fn`; counting references is not what the models are about.
pub use std::sync::Arc;
#[cfg(not(loom))]
pub use std::sync::atomic;

/// Threads that outlive their creator's scope.
pub mod thread {
    #[cfg(loom)]
    pub use loom::thread::{Builder, JoinHandle};
    #[cfg(not(loom))]
    pub use std::thread::{Builder, JoinHandle};
}
