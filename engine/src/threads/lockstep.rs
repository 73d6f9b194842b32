//! Turns for threads that work together: one at a time, always in the same order.
//!
//! Threads that share a table influence each other by chance, so no search with several of them repeats itself, and
//! what an idea about threads is worth drowns in noise. In lockstep only one thread works at any moment. It has a
//! turn of so many nodes and hands over to the next in the ring; who has finished leaves the ring. The order of all
//! reads and writes then follows from the position and the settings alone: the same search visits the same nodes
//! on any machine, with 2 threads or 256, however many cores there are.
//!
//! What it leaves out: everything that comes from running at the same time, which is the bandwidth of the memory, the
//! frequency of the cores, and that threads drift apart by chance. A turn should be short beside an iteration.
//!
//! ```text
//!   sit_down ──► waits for the turn ──► works ──► pass ──► waits …
//!                                         └──► the seat is dropped: hands over and leaves
//! ```

use std::fmt;
use std::num::NonZeroU64;

use crate::sync::{Condvar, Mutex};

/// A ring of members `0..len` who take turns. Member 0 has the first.
///
/// All members must sit down at some time: the turn of one who has not come yet is waited for.
pub struct Lockstep {
    ring: Mutex<Ring>,
    /// Where each member parks.
    seats: Box<[Condvar]>,
    turn: NonZeroU64,
}

/// Whose turn it is, and who is still there.
struct Ring {
    holder: usize,
    is_present: Box<[bool]>,
}

impl Lockstep {
    /// A ring of so many members, with turns of so many nodes.
    pub fn new(members: usize, turn: NonZeroU64) -> Self {
        let ring = Ring { holder: 0, is_present: vec![true; members].into() };
        Self { ring: Mutex::new(ring), seats: (0..members).map(|_| Condvar::new()).collect(), turn }
    }

    /// How long a turn is. Units: nodes.
    pub fn turn(&self) -> NonZeroU64 {
        self.turn
    }

    /// Parks until the member has its first turn. Range: each member once.
    pub fn sit_down(&self, member: usize) -> Seat<'_> {
        self.wait(&mut self.ring.lock(), member);
        Seat { lockstep: self, member }
    }

    /// Ends the turn of the member who has it, and parks until it has the next.
    pub fn pass(&self, member: usize) {
        let mut ring = self.ring.lock();
        self.hand_over(&mut ring);
        self.wait(&mut ring, member);
    }

    fn wait(&self, ring: &mut crate::sync::MutexGuard<'_, Ring>, member: usize) {
        while ring.holder != member {
            self.seats[member].wait(ring);
        }
    }

    /// The turn goes to the next member who is there; to nobody else when the holder is the last.
    fn hand_over(&self, ring: &mut Ring) {
        let members = ring.is_present.len();
        let next = (1..=members).map(|step| (ring.holder + step) % members);
        if let Some(next) = next.into_iter().find(|&member| ring.is_present[member]) {
            ring.holder = next;
            self.seats[next].notify_one();
        }
    }
}

impl fmt::Debug for Lockstep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lockstep")
            .field("members", &self.seats.len())
            .field("turn", &self.turn)
            .finish_non_exhaustive()
    }
}

/// A member's place in the ring. Dropping it, which only the member whose turn it is may do, leaves the ring; by a
/// panic too, so that nobody waits for a thread that is gone.
#[must_use = "dropping the seat leaves the ring"]
#[derive(Debug)]
pub struct Seat<'a> {
    lockstep: &'a Lockstep,
    member: usize,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut ring = self.lockstep.ring.lock();
        ring.is_present[self.member] = false;
        self.lockstep.hand_over(&mut ring);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;

    /// The order in which members with so many turns each got them.
    fn order(turns: &[usize]) -> Vec<usize> {
        let lockstep = Lockstep::new(turns.len(), NonZeroU64::MIN);
        let seen = Mutex::new(Vec::new());
        thread::scope(|scope| {
            // The last first: who comes early waits.
            for (member, &turns) in turns.iter().enumerate().rev() {
                let (lockstep, seen) = (&lockstep, &seen);
                scope.spawn(move || {
                    let _seat = lockstep.sit_down(member);
                    for turn in 0..turns {
                        if turn > 0 {
                            lockstep.pass(member);
                        }
                        seen.lock().push(member);
                    }
                });
            }
        });
        seen.into_inner()
    }

    #[test]
    fn turns_go_round_and_who_is_done_is_left_out() {
        assert_eq!(order(&[3]), [0, 0, 0]);
        assert_eq!(order(&[2, 2, 2]), [0, 1, 2, 0, 1, 2]);
        assert_eq!(order(&[1, 3, 2]), [0, 1, 2, 1, 2, 1]);
        assert_eq!(order(&[4, 1]), [0, 1, 0, 0, 0]);
    }

    #[test]
    fn a_panic_leaves_the_ring() {
        let lockstep = Lockstep::new(2, NonZeroU64::MIN);
        thread::scope(|scope| {
            let lost = scope.spawn(|| {
                let _seat = lockstep.sit_down(0);
                panic!("as a test");
            });
            let kept = scope.spawn(|| {
                let _seat = lockstep.sit_down(1);
                lockstep.pass(1);
            });
            assert!(lost.join().is_err());
            assert!(kept.join().is_ok());
        });
    }
}
