//! The alarm clock of a search: a parked thread that stops it when its time is up.
//!
//! A worker that polls a clock is late by its turn on the processor whenever there are more threads than cores; a sleeper
//! whose alarm goes off is run at once by any scheduler. Unless the processor it sleeps on has stopped: the host of a
//! virtual machine that takes one away takes its alarms along, while a worker on another goes on. So the main
//! worker looks at the clock too, once in a thousand nodes. The alarm waits while the engine ponders. At most one alarm
//! is set; the façade sets and clears it.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use super::control::SearchControl;
use crate::sync::thread::{Builder, JoinHandle};
use crate::sync::{Condvar, Mutex};

/// A search and the time at which it is to stop.
struct Alarm {
    control: Arc<SearchControl>,
    deadline: Instant,
}

struct State {
    alarm: Option<Alarm>,
    is_over: bool,
}

struct Shared {
    state: Mutex<State>,
    /// The thread parks here until its alarm, or until something changes.
    changed: Condvar,
}

/// Stops a search at its deadline.
pub struct Timekeeper {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Timekeeper {
    /// A timekeeper without an alarm.
    pub fn new() -> io::Result<Self> {
        let state = Mutex::new(State { alarm: None, is_over: false });
        let shared = Arc::new(Shared { state, changed: Condvar::new() });
        let own = Arc::clone(&shared);
        let thread = Builder::new().name("stretto-time".into()).spawn(move || own.keep())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Stops the search behind `control` at `deadline`, or at `ponderhit` if that comes later.
    pub fn set(&self, control: Arc<SearchControl>, deadline: Instant) {
        self.change(|state| state.alarm = Some(Alarm { control, deadline }));
    }

    /// Forgets the alarm. When it returns, the old one rings no more.
    pub fn clear(&self) {
        self.change(|state| state.alarm = None);
    }

    /// Looks again: the engine ponders no longer.
    pub fn recheck(&self) {
        self.change(|_| {});
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.shared.state.lock());
        self.shared.changed.notify_one();
    }
}

impl Drop for Timekeeper {
    fn drop(&mut self) {
        self.change(|state| state.is_over = true);
        if let Some(thread) = self.thread.take() {
            // It cannot panic, and if it did there would be nobody left to tell.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// The thread: sleeps until an alarm is due, rings it, and sleeps again.
    fn keep(&self) {
        let mut state = self.state.lock();
        while !state.is_over {
            match &state.alarm {
                Some(alarm) if alarm.control.is_pondering() => self.changed.wait(&mut state),
                Some(alarm) if alarm.deadline <= Instant::now() => {
                    // Under the lock, so that `clear` cannot return between the decision and the deed.
                    alarm.control.stop();
                    state.alarm = None;
                }
                Some(alarm) => {
                    let deadline = alarm.deadline;
                    let _ = self.changed.wait_until(&mut state, deadline);
                }
                None => self.changed.wait(&mut state),
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::threads::control::Hold;

    fn searching(hold: Hold) -> Arc<SearchControl> {
        let control = Arc::new(SearchControl::new());
        assert!(control.begin(hold));
        control
    }

    /// Waits until the search is stopped; a minute is for ever.
    fn is_stopped(control: &SearchControl) -> bool {
        let patience = Instant::now() + Duration::from_mins(1);
        while !control.should_stop() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
        control.should_stop()
    }

    #[test]
    fn rings_at_the_deadline_and_not_before() {
        let keeper = Timekeeper::new().expect("a thread");
        let control = searching(Hold::Free);
        let deadline = Instant::now() + Duration::from_millis(30);
        keeper.set(Arc::clone(&control), deadline);
        assert!(is_stopped(&control));
        assert!(Instant::now() >= deadline);
    }

    #[test]
    fn a_cleared_alarm_is_silent_and_a_new_one_replaces_the_old() {
        let keeper = Timekeeper::new().expect("a thread");
        let (first, second) = (searching(Hold::Free), searching(Hold::Free));
        let hour = Instant::now() + Duration::from_hours(1);
        keeper.set(Arc::clone(&first), hour);
        keeper.clear();
        keeper.set(Arc::clone(&first), hour);
        keeper.set(Arc::clone(&second), Instant::now());
        assert!(is_stopped(&second));
        assert!(!first.should_stop());
    }

    #[test]
    fn waits_for_ponderhit() {
        let keeper = Timekeeper::new().expect("a thread");
        let control = searching(Hold::Ponder);
        keeper.set(Arc::clone(&control), Instant::now());
        std::thread::sleep(Duration::from_millis(20));
        assert!(!control.should_stop());
        control.ponderhit();
        keeper.recheck();
        assert!(is_stopped(&control));
    }
}
