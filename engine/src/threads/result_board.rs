//! Results of all threads, readable by every thread: input of the final vote and of the relay.
//!
//! Threads that search one root with a shared table grow different trees, and the smallest tree of
//! an iteration is complete long before the average one. In a *relay* a thread that falls behind
//! takes over move and score of the thread with the deepest one. No iteration is aborted.
//!
//! Source: ours. Demolito (L. Braesch) aborts helpers, but not the main thread, at a completed
//! depth.

use std::fmt;

use super::vote::Ballot;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{CachePadded, Mutex, thread};
use crate::types::Move;

/// The way in which a completed iteration helps the other threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Relay {
    /// Not at all, except through the tables.
    Off,
    /// A thread that falls behind starts its next iteration with the move of the thread with the
    /// deepest completed one, in a window around its score.
    #[default]
    Soft,
    /// Like `Soft`, and no thread starts an iteration that another has completed.
    Ahead,
}

impl Relay {
    /// All variants, in the order of the option's choices.
    pub const ALL: [Self; 3] = [Self::Off, Self::Soft, Self::Ahead];

    /// Returns the name used in options and configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Soft => "soft",
            Self::Ahead => "ahead",
        }
    }
}

impl fmt::Display for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The place of one thread on the board.
struct Post<T> {
    result: Mutex<Option<T>>,
    /// The ballot of the latest result that has one, packed; zero for none.
    ballot: AtomicU64,
}

/// The latest result of each thread `0..len`.
///
/// A result is read under its thread's lock. The ballots, which all threads ask for often, are plain
/// words beside the locks. A thread that posts touches its own place only.
pub struct ResultBoard<T> {
    posts: Box<[CachePadded<Post<T>>]>,
}

impl<T: Clone> ResultBoard<T> {
    /// Creates a board without results.
    pub fn new(threads: usize) -> Self {
        let empty = || Post { result: Mutex::new(None), ballot: AtomicU64::new(0) };
        Self { posts: (0..threads).map(|_| CachePadded(empty())).collect() }
    }

    /// Posts a thread's result, with its vote, replacing its previous result. Range: each thread posts its
    /// own results only.
    pub fn post(&self, thread: usize, ballot: Option<Ballot>, found: T) {
        let post = &self.posts[thread].0;
        *post.result.lock() = Some(found);
        if let Some(ballot) = ballot {
            // Release: a reader of the ballot also sees the posted result.
            post.ballot.store(ballot.to_word(), Ordering::Release);
        }
    }

    /// Returns the latest result of a thread.
    pub fn result_of(&self, thread: usize) -> Option<T> {
        self.posts[thread].0.result.lock().clone()
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
}

impl<T> fmt::Debug for ResultBoard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultBoard").field("threads", &self.posts.len()).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::types::{Depth, Move, Score, Square};

    #[test]
    fn ballots_are_those_of_the_latest_results() {
        let ballot = |to: usize, depth| {
            let mv = Move::normal(Square::from_index(0), Square::from_index(to));
            Some(Ballot { mv, score: Score(-7), depth: Depth(depth) })
        };
        let board = ResultBoard::new(3);
        assert_eq!(board.ballots().count(), 0);
        board.post(2, ballot(9, 4), ());
        board.post(0, ballot(8, 5), ());
        board.post(2, ballot(7, 6), ());
        board.post(1, None, ());
        let ballots: Vec<_> = board.ballots().map(|(thread, ballot)| (thread, Some(ballot))).collect();
        assert_eq!(ballots, [(0, ballot(8, 5)), (2, ballot(7, 6))]);
        assert_eq!(board.deepest_ballot(), ballot(7, 6));
        board.post(0, ballot(8, 6), ());
        assert_eq!(board.deepest_ballot(), ballot(8, 6), "the lowest thread speaks among equals");
    }
}
