//! What each thread has found, for all to read: the votes at the end, and the relay on the way there.
//!
//! Threads that search one root over one table grow different trees, and the smallest of an iteration's trees is done
//! long before the average one. In a relay an iteration that one thread has completed, or half of them, is completed
//! for all: the others, the main thread among them, break off, take what is posted here for their own result, and go on
//! to the next iteration.
//!
//! What a relay risks: the first to be done is the one that saw the least trouble, which half of the threads are not.
//! What the others saw is not lost, though: it is in the hash table, where the next iteration finds it.
//!
//! Source: ours. Demolito (L. Braesch) breaks off helpers, but not the main thread, at a depth that is completed.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::types::Depth;

/// How many threads must have completed an iteration for it to be completed for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Relay {
    /// Each completes its own.
    #[default]
    Off,
    /// One.
    First,
    /// Half of them.
    Half,
}

/// The text names no relay.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{token}' is not a relay; there are off, first, half")]
pub struct UnknownRelay {
    /// The text.
    pub token: String,
}

impl Relay {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Off, Self::First, Self::Half];

    /// As options and configurations spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::First => "first",
            Self::Half => "half",
        }
    }

    /// So many of `threads`; `None` where nobody waits for that.
    pub const fn quorum(self, threads: usize) -> Option<usize> {
        match self {
            Self::Off => None,
            Self::First => Some(1),
            Self::Half => Some(threads.div_ceil(2)),
        }
    }
}

impl fmt::Display for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Relay {
    type Err = UnknownRelay;

    fn from_str(text: &str) -> Result<Self, UnknownRelay> {
        let named = |relay: &Self| text.trim().eq_ignore_ascii_case(relay.name());
        Self::ALL.into_iter().find(named).ok_or_else(|| UnknownRelay { token: text.to_owned() })
    }
}

/// What one thread has found, and at which depth.
#[derive(Clone, Debug)]
struct Post<T> {
    depth: Depth,
    found: T,
}

/// A place for the latest news of each thread `0..len`.
pub struct Board<T> {
    posts: Box<[Mutex<Option<Post<T>>>]>,
    quorum: Option<usize>,
    /// The greatest depth that a quorum has completed, and a thread that has completed as much. Bits 32-63 the depth; 0-31
    /// the complement of the thread, so that of two with one depth the lower thread is the greater. 0 before the first.
    deepest: AtomicU64,
}

impl<T: Clone> Board<T> {
    /// Nothing is posted.
    pub fn new(threads: usize, relay: Relay) -> Self {
        let posts = (0..threads).map(|_| Mutex::new(None)).collect();
        Self { posts, quorum: relay.quorum(threads), deepest: AtomicU64::new(0) }
    }

    /// A thread has completed this depth, and found so much; it takes the place of what it found before.
    pub fn post(&self, thread: usize, depth: Depth, found: T) {
        *self.posts[thread].lock() = Some(Post { depth, found });
        // Of two that post at once, each under its lock, the one that looks around later sees both.
        let Some(agreed) = self.quorum.and_then(|quorum| self.completed_by(quorum)) else { return };
        if agreed > depth {
            // Somebody else has said so already, and this thread cannot be asked for it.
            return;
        }
        let rank = u64::from(agreed.0.max(0).unsigned_abs()) << 32 | u64::from(!(thread as u32));
        // Release: who reads that the depth is done can read what was found.
        self.deepest.fetch_max(rank, Ordering::Release);
    }

    /// The greatest depth that so many threads have completed.
    fn completed_by(&self, quorum: usize) -> Option<Depth> {
        let mut depths: Vec<Depth> =
            self.posts.iter().filter_map(|post| post.lock().as_ref().map(|post| post.depth)).collect();
        depths.sort_unstable();
        depths.len().checked_sub(quorum).map(|index| depths[index])
    }

    /// What this thread has found.
    pub fn of(&self, thread: usize) -> Option<T> {
        self.posts[thread].lock().as_ref().map(|post| post.found.clone())
    }

    /// What the threads have found that have found something, in their order.
    pub fn all(&self) -> impl Iterator<Item = T> {
        (0..self.posts.len()).filter_map(|thread| self.of(thread))
    }

    /// The greatest depth that is completed for all, if it is `depth` or more, and a thread that has completed as much.
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
        let board = Board::new(8, Relay::First);
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

    #[test]
    fn half_of_the_threads_complete_a_depth_for_all() {
        let board = Board::new(5, Relay::Half);
        for (thread, depth) in [(4, 9), (1, 6)] {
            board.post(thread, Depth(depth), ());
            assert_eq!(board.completed(Depth(0)), None, "two of five are no half");
        }
        board.post(3, Depth(4), ());
        assert_eq!(board.completed(Depth(4)), Some((Depth(4), 3)));
        board.post(3, Depth(5), ());
        board.post(0, Depth(4), ());
        assert_eq!(board.completed(Depth(4)), Some((Depth(5), 3)), "the fourth to be done is no news");
        board.post(0, Depth(8), ());
        assert_eq!(board.completed(Depth(6)), Some((Depth(6), 0)), "who has gone beyond knows it too");
        assert_eq!(board.completed(Depth(7)), None);
    }

    #[test]
    fn without_a_relay_nothing_is_completed_for_all() {
        let board = Board::new(2, Relay::Off);
        board.post(0, Depth(9), ());
        board.post(1, Depth(9), ());
        assert_eq!(board.completed(Depth(1)), None);
        assert_eq!(board.all().count(), 2);
    }

    #[test]
    fn names_round_trip() {
        for relay in Relay::ALL {
            assert_eq!(relay.to_string().to_uppercase().parse(), Ok(relay));
            assert_eq!(relay.quorum(1).unwrap_or(1), 1, "alone, one is enough");
        }
        assert!("last".parse::<Relay>().expect_err("no such relay").to_string().contains("'last'"));
    }
}
