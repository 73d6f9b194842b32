//! Lockstep: threads of one search take turns, one at a time, in a fixed order.
//!
//! Threads that share a hash table influence each other by timing, so a parallel search is not
//! reproducible, and small effects of a change are lost in noise. In lockstep only one thread runs
//! at any moment. Its turn lasts a given number of nodes, then the next thread of the ring
//! continues; a finished thread leaves the ring. The order of all reads and writes then depends on
//! position and settings only. The same search visits the same nodes on any machine, with any
//! number of cores.
//!
//! Lockstep excludes all effects of real concurrency: memory bandwidth, core frequency, and threads
//! drifting apart. A turn should be short compared to an iteration.
//!
//! ```text
//!   join ──► waits for the turn ──► runs ──► yield_turn ──► waits …
//!                                         └──► guard dropped: passes the turn and leaves
//! ```

use std::fmt;
use std::num::NonZeroU64;

use crate::sync::{Condvar, Mutex};

/// A ring of members `0..len` that take turns, starting with member 0.
///
/// Every member must join eventually, because the ring waits for the turn of a member that has not
/// joined yet.
pub struct Lockstep {
    ring: Mutex<Ring>,
    /// One condition variable per member, on which it waits for its turn.
    wakeups: Box<[Condvar]>,
    turn_length: NonZeroU64,
}

/// The current holder of the turn, and the members still in the ring.
struct Ring {
    holder: usize,
    is_present: Box<[bool]>,
}

impl Lockstep {
    /// Creates a ring of `members` threads with turns of `turn_length` nodes.
    pub fn new(members: usize, turn_length: NonZeroU64) -> Self {
        let ring = Ring { holder: 0, is_present: vec![true; members].into() };
        Self { ring: Mutex::new(ring), wakeups: (0..members).map(|_| Condvar::new()).collect(), turn_length }
    }

    /// Returns the length of a turn. Units: nodes.
    pub fn turn_length(&self) -> NonZeroU64 {
        self.turn_length
    }

    /// Joins the ring and blocks until the member's first turn. Range: once per member.
    pub fn join(&self, member: usize) -> Turn<'_> {
        self.wait(&mut self.ring.lock(), member);
        Turn { lockstep: self, member }
    }

    /// Ends the member's turn and blocks until its next one.
    pub fn yield_turn(&self, member: usize) {
        let mut ring = self.ring.lock();
        self.pass_turn(&mut ring);
        self.wait(&mut ring, member);
    }

    fn wait(&self, ring: &mut crate::sync::MutexGuard<'_, Ring>, member: usize) {
        while ring.holder != member {
            self.wakeups[member].wait(ring);
        }
    }

    /// Passes the turn to the next member in the ring; the holder keeps it if it is the last.
    fn pass_turn(&self, ring: &mut Ring) {
        let members = ring.is_present.len();
        let next = (1..=members).map(|step| (ring.holder + step) % members);
        if let Some(next) = next.into_iter().find(|&member| ring.is_present[member]) {
            ring.holder = next;
            self.wakeups[next].notify_one();
        }
    }
}

impl fmt::Debug for Lockstep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lockstep")
            .field("members", &self.wakeups.len())
            .field("turn", &self.turn_length)
            .finish_non_exhaustive()
    }
}

/// Membership in the ring. Dropping it leaves the ring, which is allowed only during the member's
/// turn. A panic drops it too, so that no other member waits for a dead thread.
#[must_use = "dropping the guard leaves the ring"]
#[derive(Debug)]
pub struct Turn<'a> {
    lockstep: &'a Lockstep,
    member: usize,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut ring = self.lockstep.ring.lock();
        ring.is_present[self.member] = false;
        self.lockstep.pass_turn(&mut ring);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;

    /// Returns the order of turns when each member takes the given number of turns.
    fn order(turns: &[usize]) -> Vec<usize> {
        let lockstep = Lockstep::new(turns.len(), NonZeroU64::MIN);
        let seen = Mutex::new(Vec::new());
        thread::scope(|scope| {
            // Started in reverse, so that early members have to wait.
            for (member, &turns) in turns.iter().enumerate().rev() {
                let (lockstep, seen) = (&lockstep, &seen);
                scope.spawn(move || {
                    let _turn = lockstep.join(member);
                    for turn in 0..turns {
                        if turn > 0 {
                            lockstep.yield_turn(member);
                        }
                        seen.lock().push(member);
                    }
                });
            }
        });
        seen.into_inner()
    }

    #[test]
    fn turns_rotate_and_skip_finished_members() {
        assert_eq!(order(&[3]), [0, 0, 0]);
        assert_eq!(order(&[2, 2, 2]), [0, 1, 2, 0, 1, 2]);
        assert_eq!(order(&[1, 3, 2]), [0, 1, 2, 1, 2, 1]);
        assert_eq!(order(&[4, 1]), [0, 1, 0, 0, 0]);
    }

    #[test]
    fn panicking_member_leaves_the_ring() {
        let lockstep = Lockstep::new(2, NonZeroU64::MIN);
        thread::scope(|scope| {
            let lost = scope.spawn(|| {
                let _turn = lockstep.join(0);
                panic!("as a test");
            });
            let kept = scope.spawn(|| {
                let _turn = lockstep.join(1);
                lockstep.yield_turn(1);
            });
            assert!(lost.join().is_err());
            assert!(kept.join().is_ok());
        });
    }
}
