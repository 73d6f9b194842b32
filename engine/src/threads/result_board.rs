//! Results of all threads, readable by every thread: input of the final vote and of the relay.
//!
//! Threads that search one root with a shared table grow different trees, and the smallest tree of
//! an iteration is complete long before the average one. In a *relay*, an iteration that a quorum
//! of threads has completed counts as completed for all. The others, including the main thread,
//! abort it, adopt the posted result, and start the next one.
//!
//! A *soft* relay aborts nothing: the others only take over move and score, for the next iteration.
//!
//! Risk: the first thread to finish met the fewest difficulties; a quorum of half the threads
//! reduces this bias. Work of the aborted threads remains in the hash table for the next iteration.
//!
//! Source: ours. Demolito (L. Braesch) aborts helpers, but not the main thread, at a completed
//! depth.

use std::fmt;

use super::vote::Ballot;
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use crate::sync::{CachePadded, Mutex, thread};
use crate::types::{Depth, Move};

/// The way in which a completed iteration helps the other threads: it may count as completed for
/// all, or be a start for those behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Relay {
    /// No relay: each thread completes every iteration itself.
    Off,
    /// An iteration that one thread has completed counts as completed for all.
    First,
    /// An iteration that half of the threads have completed counts as completed for all.
    Half,
    /// No thread completes an iteration for others. One that falls behind starts its next iteration
    /// with the move of the thread with the deepest completed one, in a window around its score.
    #[default]
    Soft,
    /// Like `Soft`, and no thread starts an iteration that another has completed.
    Ahead,
}

impl Relay {
    /// All variants, in the order of the option's choices.
    pub const ALL: [Self; 5] = [Self::Off, Self::First, Self::Half, Self::Soft, Self::Ahead];

    /// Returns the name used in options and configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::First => "first",
            Self::Half => "half",
            Self::Soft => "soft",
            Self::Ahead => "ahead",
        }
    }

    /// Whether a thread that falls behind starts with the move of the deepest.
    pub const fn is_soft(self) -> bool {
        matches!(self, Self::Soft | Self::Ahead)
    }

    /// Returns the quorum among `threads`; `None` if no thread completes iterations for others.
    pub const fn quorum(self, threads: usize) -> Option<usize> {
        match self {
            Self::Off | Self::Soft | Self::Ahead => None,
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

/// The result of one thread, with the depth it was found at.
#[derive(Clone, Debug)]
struct PostedResult<T> {
    depth: Depth,
    found: T,
}

/// The place of one thread on the board.
struct Post<T> {
    result: Mutex<Option<PostedResult<T>>>,
    /// The ballot of the latest result that has one, packed; zero for none.
    ballot: AtomicU64,
}

/// The latest result of each thread `0..len`.
///
/// A result is read under its thread's lock. What all threads ask often, the ballots and the depth
/// completed for all, are plain words beside the locks. A thread that posts touches its own place
/// and, with a relay, at most two shared words.
pub struct ResultBoard<T> {
    posts: Box<[CachePadded<Post<T>>]>,
    quorum: Option<usize>,
    /// The number of threads that have completed each depth or a greater one. Empty if no quorum
    /// needs to be counted.
    completions: Box<[AtomicUsize]>,
    /// The greatest depth completed by a quorum, and a thread that has completed it. Bits 32-63
    /// hold the depth, bits 0-31 the complement of the thread, so that at equal depths the lower
    /// thread wins `fetch_max`. Initially 0.
    deepest: CachePadded<AtomicU64>,
}

impl<T: Clone> ResultBoard<T> {
    /// Creates a board without results.
    pub fn new(threads: usize, relay: Relay) -> Self {
        let empty = || Post { result: Mutex::new(None), ballot: AtomicU64::new(0) };
        let quorum = relay.quorum(threads);
        let depths = if quorum.is_some_and(|quorum| quorum > 1) { Depth::MAX.0 as usize + 1 } else { 0 };
        Self {
            posts: (0..threads).map(|_| CachePadded(empty())).collect(),
            quorum,
            completions: (0..depths).map(|_| AtomicUsize::new(0)).collect(),
            deepest: CachePadded(AtomicU64::new(0)),
        }
    }

    /// Posts a thread's result for a completed depth, with its vote, replacing its previous result.
    /// Range: at most [`Depth::MAX`]; each thread posts its own results only.
    pub fn post(&self, thread: usize, depth: Depth, ballot: Option<Ballot>, found: T) {
        let post = &self.posts[thread].0;
        let previous = post.result.lock().replace(PostedResult { depth, found });
        if let Some(ballot) = ballot {
            // Release: a reader of the ballot also sees the posted result.
            post.ballot.store(ballot.to_word(), Ordering::Release);
        }
        let Some(quorum) = self.quorum else { return };
        let previous = previous.map_or(Depth::ZERO, |previous| previous.depth);
        let agreed = if quorum == 1 { depth } else { self.count_completions(previous, depth, quorum) };
        if agreed > depth {
            // Another thread has completed the agreed depth itself and reports it.
            return;
        }
        if agreed > Depth::ZERO {
            let rank = u64::from(agreed.0.unsigned_abs()) << 32 | u64::from(!(thread as u32));
            // Release: a reader of the depth also sees the posted results.
            self.deepest.0.fetch_max(rank, Ordering::Release);
        }
    }

    /// Counts a thread at the depths after `previous` up to `depth`. Returns the greatest depth
    /// known to be completed by `quorum` threads.
    ///
    /// Each depth has its own counter, and of the threads that complete a depth concurrently one
    /// sees the quorum complete. Relaxed: the counters order no other memory.
    fn count_completions(&self, previous: Depth, depth: Depth, quorum: usize) -> Depth {
        let new = (previous.0 + 1).max(1)..=depth.0;
        let reached = new
            .filter(|&depth| self.completions[depth as usize].fetch_add(1, Ordering::Relaxed) + 1 >= quorum);
        let reached = reached.last().map_or(Depth::ZERO, Depth);
        reached.max(self.deepest().map_or(Depth::ZERO, |(depth, _)| depth))
    }

    /// Returns the latest result of a thread.
    pub fn result_of(&self, thread: usize) -> Option<T> {
        self.posts[thread].0.result.lock().as_ref().map(|post| post.found.clone())
    }

    /// Returns the latest ballot of a thread. A single load.
    #[inline]
    pub fn ballot_of(&self, thread: usize) -> Option<Ballot> {
        Ballot::from_word(self.posts[thread].0.ballot.load(Ordering::Acquire))
    }

    /// Returns the threads that have voted, with their latest ballots, in order of thread.
    pub fn ballots(&self) -> impl Iterator<Item = (usize, Ballot)> {
        (0..self.posts.len()).filter_map(|thread| Some((thread, self.ballot_of(thread)?)))
    }

    /// Returns the ballot with the greatest depth, of the lowest thread among equals.
    pub fn deepest_ballot(&self) -> Option<Ballot> {
        let deeper = |best: Ballot, other: Ballot| if other.depth > best.depth { other } else { best };
        self.ballots().map(|(_, ballot)| ballot).reduce(deeper)
    }

    /// Returns the thread that `choose` elects among the ballots, with its result; `voted` returns the
    /// move that a result votes for. It ends when no thread posts any more.
    ///
    /// A thread posts until it sees the stop, and its result before its ballot. So the result of the
    /// winner may be newer than the ballot that elected it. If it has another move, the ballots are
    /// counted again.
    ///
    /// # Panics
    ///
    /// Thread 0 has posted no result.
    pub fn elect(
        &self,
        choose: impl Fn(&[Ballot]) -> usize,
        voted: impl Fn(&T) -> Option<Move>,
    ) -> (usize, T) {
        loop {
            // Threads without a ballot are missing. Thread 0 has one, except in a position without a legal
            // move, where there are none.
            let (voters, ballots): (Vec<usize>, Vec<Ballot>) = self.ballots().unzip();
            let index = choose(&ballots);
            let winner = voters.get(index).copied().unwrap_or(0);
            let result = self.result_of(winner).expect("a ballot has a result, and so has thread 0");
            if ballots.get(index).map(|ballot| ballot.mv) == voted(&result) {
                return (winner, result);
            }
            thread::yield_now(); // to a thread that is just posting
        }
    }

    /// Returns the greatest depth completed for all if it is at least `depth`, with a thread that
    /// has completed it.
    #[inline]
    pub fn completed(&self, depth: Depth) -> Option<(Depth, usize)> {
        self.deepest().filter(|&(deepest, _)| deepest >= depth)
    }

    #[inline]
    fn deepest(&self) -> Option<(Depth, usize)> {
        let rank = self.deepest.0.load(Ordering::Acquire);
        (rank != 0).then_some((Depth((rank >> 32) as i32), !(rank as u32) as usize))
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
    use crate::types::{Move, Score, Square};

    #[test]
    fn greatest_depth_wins_and_ties_go_to_the_lowest_thread() {
        let board = ResultBoard::new(8, Relay::First);
        assert_eq!(board.completed(Depth(0)), None, "no depth is completed");
        board.post(5, Depth(3), None, 'a');
        assert_eq!(board.completed(Depth(3)), Some((Depth(3), 5)));
        assert_eq!(board.completed(Depth(4)), None);
        board.post(0, Depth(2), None, 'b');
        assert_eq!(board.completed(Depth(1)), Some((Depth(3), 5)), "a lower depth changes nothing");
        board.post(0, Depth(3), None, 'c');
        assert_eq!(board.completed(Depth(3)), Some((Depth(3), 0)));
        board.post(7, Depth(4), None, 'd');
        assert_eq!(board.completed(Depth(4)), Some((Depth(4), 7)));
        assert_eq!(board.result_of(0), Some('c'));
        assert_eq!(board.result_of(1), None);
    }

    #[test]
    fn half_of_the_threads_form_a_quorum() {
        let board = ResultBoard::new(5, Relay::Half);
        for (thread, depth) in [(4, 9), (1, 6)] {
            board.post(thread, Depth(depth), None, ());
            assert_eq!(board.completed(Depth(0)), None, "two of five are less than half");
        }
        board.post(3, Depth(4), None, ());
        assert_eq!(board.completed(Depth(4)), Some((Depth(4), 3)));
        board.post(3, Depth(5), None, ());
        board.post(0, Depth(4), None, ());
        assert_eq!(board.completed(Depth(4)), Some((Depth(5), 3)), "a fourth thread changes nothing");
        board.post(0, Depth(8), None, ());
        assert_eq!(board.completed(Depth(6)), Some((Depth(6), 0)), "threads beyond the depth count");
        assert_eq!(board.completed(Depth(7)), None);
    }

    #[test]
    fn without_a_relay_no_depth_is_completed_for_all() {
        let board = ResultBoard::new(2, Relay::Off);
        board.post(0, Depth(9), None, ());
        board.post(1, Depth(9), None, ());
        assert_eq!(board.completed(Depth(1)), None);
        assert!(board.result_of(0).is_some() && board.result_of(1).is_some());
    }

    /// The agreed depth as the definition has it: of the sorted depths of all threads.
    fn agreed_depth(depths: &[i32], quorum: usize) -> Option<i32> {
        let mut completed: Vec<i32> = depths.iter().copied().filter(|&depth| depth > 0).collect();
        completed.sort_unstable();
        completed.len().checked_sub(quorum).map(|index| completed[index])
    }

    #[test]
    fn counted_quorum_is_that_of_the_sorted_depths() {
        let (threads, quorum) = (7, 4);
        let board = ResultBoard::new(threads, Relay::Half);
        let mut depths = vec![0; threads];
        // Threads of different speeds that skip depths.
        for step in 0..200_usize {
            let thread = (5 * step + step / 3) % threads;
            depths[thread] += 1 + (step % 3) as i32 * i32::from(step % 5 == 0);
            board.post(thread, Depth(depths[thread]), None, ());
            let found = board.completed(Depth(1));
            assert_eq!(found.map(|(depth, _)| depth.0), agreed_depth(&depths, quorum), "{depths:?}");
            assert!(found.is_none_or(|(depth, thread)| depths[thread] >= depth.0), "{found:?}: {depths:?}");
        }
        assert!(depths.iter().all(|&depth| depth > 10), "{depths:?}");
    }

    #[test]
    fn ballots_are_those_of_the_latest_results() {
        let ballot = |to: usize, depth| {
            let mv = Move::normal(Square::from_index(0), Square::from_index(to));
            Some(Ballot { mv, score: Score(-7), depth: Depth(depth) })
        };
        let board = ResultBoard::new(3, Relay::Off);
        assert_eq!(board.ballots().count(), 0);
        board.post(2, Depth(4), ballot(9, 4), ());
        board.post(0, Depth(5), ballot(8, 5), ());
        board.post(2, Depth(6), ballot(7, 6), ());
        board.post(1, Depth(6), None, ());
        let ballots: Vec<_> = board.ballots().map(|(thread, ballot)| (thread, Some(ballot))).collect();
        assert_eq!(ballots, [(0, ballot(8, 5)), (2, ballot(7, 6))]);
        assert_eq!(board.deepest_ballot(), ballot(7, 6));
        board.post(0, Depth(6), ballot(8, 6), ());
        assert_eq!(board.deepest_ballot(), ballot(8, 6), "the lowest thread speaks among equals");
    }

    #[test]
    fn single_thread_is_its_own_quorum() {
        for relay in Relay::ALL {
            assert_eq!(relay.quorum(1).unwrap_or(1), 1);
        }
    }
}
