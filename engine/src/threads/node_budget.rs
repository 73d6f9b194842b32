//! The node limit of a search, shared by its threads.
//!
//! A thread reserves nodes before it visits them, in batches that shrink as the limit comes near.
//! All threads together therefore never exceed the limit, and none reads the counters of the
//! others. With one thread, or in lockstep, the limit is met exactly. Otherwise the search may end
//! with nodes that other threads have reserved and not visited: less than one in [`RESERVABLE`] of
//! the limit, or one node of each if that is more. It is that much only if the system has suspended
//! all of them.
//!
//! The last nodes are kept for the main thread until it has completed an iteration. Otherwise many
//! threads could use up a small limit before the main thread has searched a move.

use crate::sync::CachePadded;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::types::Nodes;

/// All reservations together are at most the limit divided by this, or one node of each thread.
const RESERVABLE: u64 = 32;

/// The nodes that no thread has reserved yet.
///
/// Relaxed: the number orders no other memory, and read-modify-writes on it are atomic.
#[derive(Debug)]
pub struct NodeBudget {
    left: CachePadded<AtomicU64>,
    /// The number of last nodes that helpers may not reserve.
    kept: AtomicU64,
    /// The part of the rest, one in `share`, that a thread may reserve at once.
    share: u64,
    /// The largest number of nodes that a thread may reserve at once.
    largest: u64,
}

impl NodeBudget {
    /// Creates a budget of `limit` nodes for `threads` threads that run at the same time. The last
    /// `kept` nodes are the main thread's, until [`Self::open`] is called.
    pub fn new(limit: Nodes, threads: usize, kept: Nodes) -> Self {
        // A single thread may take everything.
        let (share, largest) = match threads as u64 {
            0 | 1 => (1, u64::MAX),
            // Half of an equal share, so that the reservations of all threads shrink together.
            several => (2 * several, (limit.0 / (RESERVABLE * several)).max(1)),
        };
        Self { left: CachePadded(AtomicU64::new(limit.0)), kept: AtomicU64::new(kept.0), share, largest }
    }

    /// Reserves up to `most` nodes for the main thread. Returns the number reserved: zero if none are
    /// left, at least one otherwise.
    pub fn reserve(&self, most: u64) -> u64 {
        self.reserve_all_but(0, most).unwrap_or(0)
    }

    /// Reserves up to `most` nodes for a helper. Returns the number reserved, zero if none are left, or
    /// `None` if all that are left are kept for the main thread.
    pub fn reserve_as_helper(&self, most: u64) -> Option<u64> {
        self.reserve_all_but(self.kept.load(Ordering::Relaxed), most)
    }

    /// Lets helpers reserve the last nodes too.
    pub fn open(&self) {
        self.kept.store(0, Ordering::Relaxed);
    }

    fn reserve_all_but(&self, kept: u64, most: u64) -> Option<u64> {
        let mut left = self.left.0.load(Ordering::Relaxed);
        loop {
            if 0 < left && left <= kept {
                return None;
            }
            // Zero if nothing is left.
            let batch = left.div_ceil(self.share).min(self.largest).min(left.saturating_sub(kept)).min(most);
            // A loop instead of `try_update`, which loom's atomics do not have.
            match self.left.0.compare_exchange_weak(left, left - batch, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Some(batch),
                Err(now) => left = now,
            }
        }
    }

    /// Gives back reserved nodes that were not visited.
    pub fn give_back(&self, unused: u64) {
        self.left.0.fetch_add(unused, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn single_thread_reserves_whole_batches_up_to_the_limit() {
        let budget = NodeBudget::new(Nodes(2500), 1, Nodes(0));
        let batches: Vec<u64> = std::iter::repeat_with(|| budget.reserve(1024)).take(4).collect();
        assert_eq!(batches, [1024, 1024, 452, 0]);
        budget.give_back(7);
        assert_eq!([budget.reserve(1024), budget.reserve(1024)], [7, 0]);
    }

    #[test]
    fn batches_of_many_threads_shrink_to_one_node() {
        let budget = NodeBudget::new(Nodes(1_000_000), 256, Nodes(0));
        let batches: Vec<u64> =
            std::iter::repeat_with(|| budget.reserve(1024)).take_while(|&batch| batch > 0).collect();
        assert_eq!(batches.iter().sum::<u64>(), 1_000_000);
        assert!(batches.is_sorted_by(|one, next| one >= next));
        assert_eq!((batches[0], batches.last()), (122, Some(&1)));
        assert!(256 * batches[0] <= 1_000_000 / RESERVABLE, "the reservations of all threads");
        // At the end each of 256 threads holds few nodes, in few reservations.
        assert!(batches.iter().rev().take(256).sum::<u64>() <= 256);
        assert!(batches.len() < 12_000, "{} reservations", batches.len());
        let many = NodeBudget::new(Nodes(1 << 40), 256, Nodes(0));
        assert_eq!(many.reserve(1024), 1024, "a large limit does not shorten the interval of polls");
    }

    #[test]
    fn helpers_leave_the_kept_nodes_until_the_budget_is_open() {
        let budget = NodeBudget::new(Nodes(1000), 2, Nodes(300));
        let by_helper: u64 = std::iter::from_fn(|| budget.reserve_as_helper(1024)).sum();
        assert_eq!(by_helper, 700);
        assert_eq!(budget.reserve(10), 10);
        assert_eq!(budget.reserve_as_helper(10), None);
        budget.open();
        assert_eq!(budget.reserve_as_helper(10), Some(10));
        let rest: u64 = std::iter::repeat_with(|| budget.reserve(1024)).take_while(|&batch| batch > 0).sum();
        assert_eq!(rest, 280);
        assert_eq!(budget.reserve_as_helper(10), Some(0));
        // A small limit is the main thread's alone.
        assert_eq!(NodeBudget::new(Nodes(100), 2, Nodes(300)).reserve_as_helper(10), None);
    }

    #[test]
    fn concurrent_reservations_add_up_to_the_limit() {
        let budget = NodeBudget::new(Nodes(100_003), 4, Nodes(0));
        let reserved: u64 = thread::scope(|scope| {
            let reserve_all =
                || std::iter::repeat_with(|| budget.reserve(64)).take_while(|&batch| batch > 0).sum::<u64>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(reserve_all)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(reserved, 100_003);
    }
}
