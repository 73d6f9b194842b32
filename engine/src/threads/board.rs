//! What each thread has found, for all to read: the votes at the end, and the relay on the way there.
//!
//! Threads that search one root over one table grow different trees, and the smallest of an iteration's trees is done
//! long before the average one. In a relay an iteration that one thread has completed is completed for all: the
//! others, the main thread among them, break off, take what is posted here for their own result, and all start the
//! next iteration together.
//!
//! What a relay risks: the first to be done is the one that saw the least trouble. What the others saw is not lost,
//! though: it is in the hash table, where the next iteration finds it.
//!
//! Source: ours. Demolito (L. Braesch) breaks off helpers, but not the main thread, at a depth that is completed.

use std::fmt;

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::types::Depth;

/// A place for the latest news of each thread `0..len`.
pub struct Board<T> {
    posts: Box<[Mutex<Option<T>>]>,
    /// The greatest depth posted and who posted it first. Bits 32-63 the depth; 0-31 the complement of the thread, so that
    /// of two with one depth the lower thread is the greater. 0 before the first post.
    deepest: AtomicU64,
}

impl<T: Clone> Board<T> {
    /// Nothing is posted.
    pub fn new(threads: usize) -> Self {
        Self { posts: (0..threads).map(|_| Mutex::new(None)).collect(), deepest: AtomicU64::new(0) }
    }

    /// A thread has completed this depth, and found so much; it takes the place of what it found before.
    pub fn post(&self, thread: usize, depth: Depth, found: T) {
        *self.posts[thread].lock() = Some(found);
        let rank = u64::from(depth.0.max(0).unsigned_abs()) << 32 | u64::from(!(thread as u32));
        // Release: who reads that the depth is done can read what was found.
        self.deepest.fetch_max(rank, Ordering::Release);
    }

    /// What this thread has found.
    pub fn of(&self, thread: usize) -> Option<T> {
        self.posts[thread].lock().clone()
    }

    /// What the threads have found that have found something, in their order.
    pub fn all(&self) -> impl Iterator<Item = T> {
        (0..self.posts.len()).filter_map(|thread| self.of(thread))
    }

    /// The greatest depth posted, if it is `depth` or more, and the thread to ask for it.
    #[inline]
    pub fn completed(&self, depth: Depth) -> Option<(Depth, usize)> {
        let rank = self.deepest.load(Ordering::Acquire);
        let deepest = Depth((rank >> 32) as i32);
        (rank != 0 && deepest >= depth).then_some((deepest, !(rank as u32) as usize))
    }
}

impl<T> fmt::Debug for Board<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Board").field("threads", &self.posts.len()).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_is_completed_and_of_equals_the_main_thread_is_asked() {
        let board = Board::new(8);
        assert_eq!(board.completed(Depth(0)), None, "nobody has completed anything");
        board.post(5, Depth(3), 'a');
        assert_eq!(board.completed(Depth(3)), Some((Depth(3), 5)));
        assert_eq!(board.completed(Depth(4)), None);
        board.post(0, Depth(2), 'b');
        assert_eq!(board.completed(Depth(1)), Some((Depth(3), 5)), "less deep is no news");
        board.post(0, Depth(3), 'c');
        assert_eq!(board.completed(Depth(3)), Some((Depth(3), 0)));
        board.post(7, Depth(4), 'd');
        assert_eq!(board.completed(Depth(4)), Some((Depth(4), 7)));
        assert_eq!(board.of(0), Some('c'));
        assert_eq!(board.of(1), None);
        assert_eq!(board.all().collect::<String>(), "cad");
    }
}
