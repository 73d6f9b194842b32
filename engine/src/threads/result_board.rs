//! Results of all threads, readable by every thread: input of the final vote and of the relay.
//!
//! Threads that search one root with a shared table grow different trees, and the smallest tree of
//! an iteration is complete long before the average one. In a *relay*, an iteration that a quorum
//! of threads has completed counts as completed for all. The others, including the main thread,
//! abort it, adopt the posted result, and start the next one.
//!
//! Risk: the first thread to finish met the fewest difficulties; a quorum of half the threads
//! reduces this bias. Work of the aborted threads remains in the hash table for the next iteration.
//!
//! Source: ours. Demolito (L. Braesch) aborts helpers, but not the main thread, at a completed
//! depth.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::types::Depth;

/// The number of threads that must complete an iteration before it counts as completed for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Relay {
    /// No relay: each thread completes every iteration itself.
    #[default]
    Off,
    /// One thread.
    First,
    /// Half of the threads.
    Half,
}

/// Error for a text that is not a relay name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown relay '{token}': expected off, first or half")]
pub struct UnknownRelay {
    /// The rejected text.
    pub token: String,
}

impl Relay {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Off, Self::First, Self::Half];

    /// Returns the name used in options and configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::First => "first",
            Self::Half => "half",
        }
    }

    /// Returns the quorum among `threads`; `None` without a relay.
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

/// The result of one thread, with the depth it was found at.
#[derive(Clone, Debug)]
struct PostedResult<T> {
    depth: Depth,
    found: T,
}

/// The latest result of each thread `0..len`.
pub struct ResultBoard<T> {
    posts: Box<[Mutex<Option<PostedResult<T>>>]>,
    quorum: Option<usize>,
    /// The greatest depth completed by a quorum, and a thread that has completed it. Bits 32-63
    /// hold the depth, bits 0-31 the complement of the thread, so that at equal depths the lower
    /// thread wins `fetch_max`. Initially 0.
    deepest: AtomicU64,
}

impl<T: Clone> ResultBoard<T> {
    /// Creates a board without results.
    pub fn new(threads: usize, relay: Relay) -> Self {
        let posts = (0..threads).map(|_| Mutex::new(None)).collect();
        Self { posts, quorum: relay.quorum(threads), deepest: AtomicU64::new(0) }
    }

    /// Posts a thread's result for a completed depth, replacing its previous result.
    pub fn post(&self, thread: usize, depth: Depth, found: T) {
        *self.posts[thread].lock() = Some(PostedResult { depth, found });
        // If two threads post concurrently, each under its own lock, the later scan sees both.
        let Some(agreed) = self.quorum.and_then(|quorum| self.completed_by(quorum)) else { return };
        if agreed > depth {
            // Another thread has completed the agreed depth itself and reports it.
            return;
        }
        let rank = u64::from(agreed.0.max(0).unsigned_abs()) << 32 | u64::from(!(thread as u32));
        // Release: a reader of the depth also sees the posted results.
        self.deepest.fetch_max(rank, Ordering::Release);
    }

    /// Returns the greatest depth that `quorum` threads have completed.
    fn completed_by(&self, quorum: usize) -> Option<Depth> {
        let mut depths: Vec<Depth> =
            self.posts.iter().filter_map(|post| post.lock().as_ref().map(|post| post.depth)).collect();
        depths.sort_unstable();
        depths.len().checked_sub(quorum).map(|index| depths[index])
    }

    /// Returns the latest result of a thread.
    pub fn result_of(&self, thread: usize) -> Option<T> {
        self.posts[thread].lock().as_ref().map(|post| post.found.clone())
    }

    /// Returns the latest results of all threads that have one, in order of thread.
    pub fn results(&self) -> impl Iterator<Item = T> {
        (0..self.posts.len()).filter_map(|thread| self.result_of(thread))
    }

    /// Returns the greatest depth completed for all if it is at least `depth`, with a thread that
    /// has completed it.
    #[inline]
    pub fn completed(&self, depth: Depth) -> Option<(Depth, usize)> {
        let rank = self.deepest.load(Ordering::Acquire);
        let deepest = Depth((rank >> 32) as i32);
        (rank != 0 && deepest >= depth).then_some((deepest, !(rank as u32) as usize))
    }
}

impl<T> fmt::Debug for ResultBoard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultBoard").field("threads", &self.posts.len()).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn greatest_depth_wins_and_ties_go_to_the_lowest_thread() {
        let board = ResultBoard::new(8, Relay::First);
        assert_eq!(board.completed(Depth(0)), None, "no depth is completed");
        board.post(5, Depth(3), 'a');
        assert_eq!(board.completed(Depth(3)), Some((Depth(3), 5)));
        assert_eq!(board.completed(Depth(4)), None);
        board.post(0, Depth(2), 'b');
        assert_eq!(board.completed(Depth(1)), Some((Depth(3), 5)), "a lower depth changes nothing");
        board.post(0, Depth(3), 'c');
        assert_eq!(board.completed(Depth(3)), Some((Depth(3), 0)));
        board.post(7, Depth(4), 'd');
        assert_eq!(board.completed(Depth(4)), Some((Depth(4), 7)));
        assert_eq!(board.result_of(0), Some('c'));
        assert_eq!(board.result_of(1), None);
        assert_eq!(board.results().collect::<String>(), "cad");
    }

    #[test]
    fn half_of_the_threads_form_a_quorum() {
        let board = ResultBoard::new(5, Relay::Half);
        for (thread, depth) in [(4, 9), (1, 6)] {
            board.post(thread, Depth(depth), ());
            assert_eq!(board.completed(Depth(0)), None, "two of five are less than half");
        }
        board.post(3, Depth(4), ());
        assert_eq!(board.completed(Depth(4)), Some((Depth(4), 3)));
        board.post(3, Depth(5), ());
        board.post(0, Depth(4), ());
        assert_eq!(board.completed(Depth(4)), Some((Depth(5), 3)), "a fourth thread changes nothing");
        board.post(0, Depth(8), ());
        assert_eq!(board.completed(Depth(6)), Some((Depth(6), 0)), "threads beyond the depth count");
        assert_eq!(board.completed(Depth(7)), None);
    }

    #[test]
    fn without_a_relay_no_depth_is_completed_for_all() {
        let board = ResultBoard::new(2, Relay::Off);
        board.post(0, Depth(9), ());
        board.post(1, Depth(9), ());
        assert_eq!(board.completed(Depth(1)), None);
        assert_eq!(board.results().count(), 2);
    }

    #[test]
    fn relay_names_round_trip() {
        for relay in Relay::ALL {
            assert_eq!(relay.to_string().to_uppercase().parse(), Ok(relay));
            assert_eq!(relay.quorum(1).unwrap_or(1), 1, "a single thread is its own quorum");
        }
        assert!("last".parse::<Relay>().expect_err("no such relay").to_string().contains("'last'"));
    }
}
