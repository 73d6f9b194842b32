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

/// Runs `work(0)` to `work(shares - 1)`, each on a thread of its own, and returns when all are done.
///
/// The calling thread takes share 0, and any share the system grants no thread for. Models run it serially.
pub fn in_parallel(shares: usize, work: impl Fn(usize) + Sync) {
    #[cfg(loom)]
    (0..shares).for_each(work);
    #[cfg(not(loom))]
    std::thread::scope(|scope| {
        let work = &work;
        for share in 1..shares {
            if std::thread::Builder::new().spawn_scoped(scope, move || work(share)).is_err() {
                work(share);
            }
        }
        if shares > 0 {
            work(0);
        }
    });
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::atomic::{AtomicU64, Ordering};
    use super::in_parallel;

    #[test]
    fn every_share_is_worked_once() {
        for shares in [0, 1, 2, 7] {
            let done: Vec<AtomicU64> = (0..shares).map(|_| AtomicU64::new(0)).collect();
            in_parallel(shares, |share| {
                done[share].fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 1), "{shares} shares");
        }
    }
}
