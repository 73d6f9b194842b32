//! The handshake between the thread that reads commands and the threads that search.
//!
//! # The protocol
//!
//! ```text
//!            begin(hold)                stop                    finish
//!   Idle ───────────────► Searching ───────────► Stopping ──────────────────► Idle …
//!    ▲                        │ finish                                          │ quit, at any time
//!    └────────────────────────┘                                                 ▼
//!                                                                  Over: stops, begins no more
//! ```
//!
//! - The command thread calls [`SearchControl::begin`] before `go` returns, so a `stop` read next finds the engine
//!   searching, even if no worker has woken yet. A `stop` that finds it idle is for nobody and is not remembered.
//! - A search begun with a [`Hold`] may not report until it is released: pondering by `ponderhit` or `stop`,
//!   infinite analysis by `stop`. A release that comes first is remembered until the search ends.
//! - Ending a search is the main worker's part, in this order: search until done or told; wait for the release;
//!   `stop()`, which ends the helpers; report the best move. The last worker to leave calls
//!   [`SearchControl::finish`]: all must be out by then, because the next `begin` lowers the flag they look at.
//! - `begin` while a search runs (a `go` without `stop`, or one hard on the heels of a best move) stops that
//!   search and waits for its `finish`: no `go` is lost or refused.
//! - [`SearchControl::quit`] is final: it stops what runs, and `begin` says no from then on.
//!
//! The search polls [`SearchControl::should_stop`]; everybody else parks. `tests/loom.rs` tries the interleavings.

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Condvar, Mutex};

/// What a search must wait for before it may report, however soon it is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// Nothing.
    #[default]
    Free,
    /// `ponderhit` or `stop`: the opponent is still thinking.
    Ponder,
    /// `stop`: `go infinite`.
    Infinite,
}

#[derive(Debug)]
struct State {
    is_searching: bool,
    is_over: bool,
    hold: Hold,
}

/// Whether the engine searches, and whether it is to stop.
///
/// The flags carry no data and each is a value of its own, so they are relaxed: who must see more than the flag
/// itself goes through the lock. They change only under the lock, so the lock's holder knows them exactly.
#[derive(Debug)]
pub struct SearchControl {
    stop: AtomicBool,
    pondering: AtomicBool,
    state: Mutex<State>,
    /// Whoever waits for `finish` parks here.
    idle: Condvar,
    /// The main worker parks here for its release.
    release: Condvar,
}

impl Default for SearchControl {
    fn default() -> Self {
        Self::new()
    }
}

impl SearchControl {
    /// Idle.
    pub fn new() -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(false),
            state: Mutex::new(State { is_searching: false, is_over: false, hold: Hold::Free }),
            idle: Condvar::new(),
            release: Condvar::new(),
        }
    }

    /// Marks the engine searching; `false` after `quit`, when nothing may be begun.
    ///
    /// A search that still runs is stopped and waited for. Never from a thread that searches.
    #[must_use = "after quit no search may start"]
    pub fn begin(&self, hold: Hold) -> bool {
        let mut state = self.state.lock();
        while state.is_searching {
            self.raise(&mut state);
            self.idle.wait(&mut state);
        }
        if state.is_over {
            return false;
        }
        state.is_searching = true;
        state.hold = hold;
        self.pondering.store(hold == Hold::Ponder, Ordering::Relaxed);
        self.stop.store(false, Ordering::Relaxed);
        true
    }

    /// Ends the search that runs, released from its hold; does nothing when none does. Anybody may call it.
    pub fn stop(&self) {
        self.raise(&mut self.state.lock());
    }

    /// The opponent played the expected move: the clock runs, and the search may report when done.
    ///
    /// Does nothing unless a search ponders.
    pub fn ponderhit(&self) {
        let mut state = self.state.lock();
        if state.is_searching && state.hold == Hold::Ponder {
            state.hold = Hold::Free;
            self.pondering.store(false, Ordering::Relaxed);
            self.release.notify_all();
        }
    }

    /// Ends the search that runs, and allows no other.
    pub fn quit(&self) {
        let mut state = self.state.lock();
        state.is_over = true;
        self.raise(&mut state);
    }

    /// The last worker to leave: the best move is reported, and nobody looks at the flag any more.
    pub fn finish(&self) {
        let mut state = self.state.lock();
        state.is_searching = false;
        state.hold = Hold::Free;
        self.pondering.store(false, Ordering::Relaxed);
        self.idle.notify_all();
    }

    /// Calls [`SearchControl::finish`] when dropped, so that a worker that panics leaves nobody waiting.
    pub fn finish_on_drop(&self) -> FinishOnDrop<'_> {
        FinishOnDrop(self)
    }

    /// Has the search been told to end? One relaxed load, for every few nodes.
    #[inline]
    pub fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Is the opponent still thinking? One relaxed load; while it is so, the clock is not ours.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }

    /// Between `begin` and `finish`?
    pub fn is_searching(&self) -> bool {
        self.state.lock().is_searching
    }

    /// Has `quit` been called?
    pub fn is_over(&self) -> bool {
        self.state.lock().is_over
    }

    /// Parks until no search runs.
    pub fn wait_idle(&self) {
        let mut state = self.state.lock();
        while state.is_searching {
            self.idle.wait(&mut state);
        }
    }

    /// Main worker: parks until the search may report; at once where nothing holds it.
    pub fn wait_for_stop_or_ponderhit(&self) {
        let mut state = self.state.lock();
        while state.hold != Hold::Free {
            self.release.wait(&mut state);
        }
    }

    /// Tells a running search to end and lets it report.
    fn raise(&self, state: &mut State) {
        if state.is_searching {
            state.hold = Hold::Free;
            self.pondering.store(false, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
            self.release.notify_all();
        }
    }
}

/// Ends the search when dropped.
#[derive(Debug)]
pub struct FinishOnDrop<'a>(&'a SearchControl);

impl Drop for FinishOnDrop<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_stop_after_begin_is_kept_and_a_stop_while_idle_is_not() {
        let control = SearchControl::new();
        control.stop();
        assert!(control.begin(Hold::Free));
        assert!(!control.should_stop(), "the earlier stop was for nobody");
        control.stop();
        assert!(control.should_stop());
        control.finish();
        control.stop();
        assert!(control.begin(Hold::Free));
        assert!(!control.should_stop());
        control.finish();
    }

    #[test]
    fn holds_are_released_by_the_right_word() {
        let control = SearchControl::new();
        assert!(control.begin(Hold::Free));
        control.wait_for_stop_or_ponderhit();
        control.finish();
        assert!(control.begin(Hold::Ponder));
        assert!(control.is_pondering());
        control.ponderhit();
        assert!(!control.is_pondering() && !control.should_stop());
        control.wait_for_stop_or_ponderhit();
        control.finish();
        assert!(control.begin(Hold::Infinite));
        thread::scope(|scope| {
            let main = scope.spawn(|| {
                control.wait_for_stop_or_ponderhit();
                control.should_stop()
            });
            control.ponderhit();
            thread::sleep(Duration::from_millis(30));
            assert!(!main.is_finished(), "ponderhit does not end an infinite search");
            control.stop();
            assert!(main.join().expect("no panic"), "it was stopped");
        });
        control.finish();
    }

    #[test]
    fn a_ponderhit_while_idle_is_not_remembered() {
        let control = SearchControl::new();
        control.ponderhit();
        assert!(control.begin(Hold::Ponder));
        assert!(control.is_pondering());
        control.stop();
        control.wait_for_stop_or_ponderhit();
        assert!(!control.is_pondering(), "a stopped search does not ponder");
        control.finish();
    }

    #[test]
    fn begin_stops_the_search_before() {
        let control = SearchControl::new();
        assert!(control.begin(Hold::Infinite));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _finish = control.finish_on_drop();
                control.wait_for_stop_or_ponderhit();
                assert!(control.should_stop());
            });
            assert!(control.begin(Hold::Free));
            assert!(!control.should_stop() && control.is_searching());
        });
        control.finish();
        control.wait_idle();
    }

    #[test]
    fn quit_is_final() {
        let control = SearchControl::new();
        assert!(control.begin(Hold::Ponder));
        control.quit();
        assert!(control.should_stop());
        control.wait_for_stop_or_ponderhit();
        control.finish();
        control.wait_idle();
        assert!(!control.begin(Hold::Free));
        assert!(!control.is_searching() && control.is_over());
    }
}
