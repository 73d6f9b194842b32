//! The handshake between the command thread and the searching threads.
//!
//! # The protocol
//!
//! ```text
//!            begin(hold)                stop                   finish
//!   Idle ───────────────► Searching ──────────► Stopping ─────────────────► Idle …
//!    ▲                        │ finish                                       │ quit, at any time
//!    └────────────────────────┘                                              ▼
//!                                                                 Over: stops, begins no more
//! ```
//!
//! - The command thread calls [`SearchControl::begin`] before `go` returns. A `stop` read next
//!   therefore finds the engine searching, even if no worker has woken yet. A `stop` while idle has
//!   no effect and is not remembered.
//! - A search begun with a [`Hold`] must not report before it is released: pondering by `ponderhit`
//!   or `stop`, infinite analysis by `stop`. An early release is remembered until the search ends.
//! - The main worker ends a search in this order: search until done or stopped; wait for the
//!   release, and for the moment of the answer if there is one; call `stop()`, which ends the helpers;
//!   report the best move. The last worker to leave, which [`RunningWorkers`] finds,
//!   calls [`SearchControl::finish`]: all workers must be out by then, because the next `begin`
//!   lowers the stop flag.
//! - `begin` during a search (a `go` without `stop`, or one right after a best move) stops that
//!   search and waits for its `finish`: no `go` is lost or refused.
//! - [`SearchControl::quit`] is final: it stops the current search, and `begin` returns `false`
//!   from then on.
//!
//! The search polls [`SearchControl::should_stop`]; all other threads block. `tests/loom.rs` checks
//! the interleavings.

use std::time::Instant;

use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Condvar, Mutex};

/// The event that a search must await before it may report its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// No event: the result is reported as soon as it is found.
    #[default]
    Free,
    /// `ponderhit` or `stop`: the opponent is still thinking.
    Ponder,
    /// `stop`: the search was started by `go infinite`.
    Infinite,
}

#[derive(Debug)]
struct ControlState {
    is_searching: bool,
    has_quit: bool,
    hold: Hold,
}

/// The search state of the engine and the stop flag.
///
/// The flags are relaxed, because they carry no data and are independent of each other; readers
/// that need more take the lock. They change only under the lock, so the holder of the lock knows
/// them exactly.
#[derive(Debug)]
pub struct SearchControl {
    stop: AtomicBool,
    pondering: AtomicBool,
    state: Mutex<ControlState>,
    /// Notified when the last worker has finished.
    idle: Condvar,
    /// Notified when the main worker may report.
    release: Condvar,
}

impl Default for SearchControl {
    fn default() -> Self {
        Self::new()
    }
}

impl SearchControl {
    /// Creates the control in the idle state.
    pub fn new() -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(false),
            state: Mutex::new(ControlState { is_searching: false, has_quit: false, hold: Hold::Free }),
            idle: Condvar::new(),
            release: Condvar::new(),
        }
    }

    /// Marks the engine as searching; returns `false` after `quit`, when no search may begin.
    ///
    /// Stops a search that is still running and waits for it. Must not be called from a searching
    /// thread.
    #[must_use = "after quit no search may start"]
    pub fn begin(&self, hold: Hold) -> bool {
        let mut state = self.state.lock();
        while state.is_searching {
            self.signal_stop(&mut state);
            self.idle.wait(&mut state);
        }
        if state.has_quit {
            return false;
        }
        state.is_searching = true;
        state.hold = hold;
        self.pondering.store(hold == Hold::Ponder, Ordering::Relaxed);
        self.stop.store(false, Ordering::Relaxed);
        true
    }

    /// Stops the current search and releases its hold; does nothing when idle. May be called from
    /// any thread.
    pub fn stop(&self) {
        self.signal_stop(&mut self.state.lock());
    }

    /// Reports that the opponent played the expected move: the clock starts, and the search may
    /// report when done.
    ///
    /// Does nothing unless the engine ponders.
    pub fn ponderhit(&self) {
        let mut state = self.state.lock();
        if state.is_searching && state.hold == Hold::Ponder {
            state.hold = Hold::Free;
            self.pondering.store(false, Ordering::Relaxed);
            self.release.notify_all();
        }
    }

    /// Stops the current search and prevents further ones.
    pub fn quit(&self) {
        let mut state = self.state.lock();
        state.has_quit = true;
        self.signal_stop(&mut state);
    }

    /// Ends the search. Called by the last worker to leave, when no thread reads the stop flag any
    /// more.
    pub fn finish(&self) {
        let mut state = self.state.lock();
        state.is_searching = false;
        state.hold = Hold::Free;
        self.pondering.store(false, Ordering::Relaxed);
        self.idle.notify_all();
    }

    /// Whether the search must end. A single relaxed load, cheap enough to poll.
    #[inline]
    pub fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the opponent is still thinking, so that our clock does not run. A single relaxed
    /// load.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }

    /// Whether the engine is between `begin` and `finish`.
    pub fn is_searching(&self) -> bool {
        self.state.lock().is_searching
    }

    /// Blocks until no search is running.
    pub fn wait_idle(&self) {
        let mut state = self.state.lock();
        while state.is_searching {
            self.idle.wait(&mut state);
        }
    }

    /// Blocks the main worker until the search may report.
    pub fn wait_for_stop_or_ponderhit(&self) {
        let mut state = self.state.lock();
        while state.hold != Hold::Free {
            self.release.wait(&mut state);
        }
    }

    /// Blocks the main worker until this moment or until the search is stopped.
    pub fn wait_for_stop_until(&self, moment: Instant) {
        let mut state = self.state.lock();
        while !self.should_stop() && Instant::now() < moment {
            let _ = self.release.wait_until(&mut state, moment);
        }
    }

    /// Raises the stop flag of a running search and releases its hold.
    fn signal_stop(&self, state: &mut ControlState) {
        if state.is_searching {
            state.hold = Hold::Free;
            self.pondering.store(false, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
            self.release.notify_all();
        }
    }
}

/// The number of workers that have not left a search yet.
#[derive(Debug)]
pub struct RunningWorkers(AtomicUsize);

impl RunningWorkers {
    /// Creates the count of a search by this many workers.
    pub fn new(workers: usize) -> Self {
        Self(AtomicUsize::new(workers))
    }

    /// Counts the calling worker as gone. Returns whether it is the last one, which then calls
    /// [`SearchControl::finish`].
    #[must_use = "the last worker ends the search"]
    pub fn leave(&self) -> bool {
        // AcqRel: a thread that sees the engine idle also sees what every worker wrote.
        self.0.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
