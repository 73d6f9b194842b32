//! The timekeeper: a sleeping thread that stops a search at its deadline.
//!
//! With more threads than cores, a worker that polls the clock notices the deadline only when it is
//! scheduled; the system runs a sleeping thread at once when its timer expires. On a virtual
//! machine the timer is lost while the hypervisor has suspended its processor, so the main worker
//! also polls the clock from time to time. The alarm is suspended while the engine ponders. At most
//! one alarm is set; the engine sets and clears it.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use super::control::SearchControl;
use crate::sync::thread::{Builder, JoinHandle};
use crate::sync::{Condvar, Mutex};

/// A search and its deadline.
struct Alarm {
    control: Arc<SearchControl>,
    deadline: Instant,
}

struct TimekeeperState {
    alarm: Option<Alarm>,
    is_shut_down: bool,
}

struct Shared {
    state: Mutex<TimekeeperState>,
    /// Signals the thread that the alarm or the state has changed.
    changed: Condvar,
}

/// A thread that stops a search at its deadline.
pub struct Timekeeper {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Timekeeper {
    /// Starts the thread, without an alarm.
    ///
    /// Errors: the system refused to start a thread.
    pub fn new() -> io::Result<Self> {
        let state = Mutex::new(TimekeeperState { alarm: None, is_shut_down: false });
        let shared = Arc::new(Shared { state, changed: Condvar::new() });
        let own = Arc::clone(&shared);
        let thread = Builder::new().name("stretto-time".into()).spawn(move || own.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Sets the alarm: stops the search of `control` at `deadline`, or at `ponderhit` if that comes
    /// later.
    pub fn set(&self, control: Arc<SearchControl>, deadline: Instant) {
        self.change(|state| state.alarm = Some(Alarm { control, deadline }));
    }

    /// Removes the alarm. After the call returns, the old alarm can no longer stop a search.
    pub fn clear(&self) {
        self.change(|state| state.alarm = None);
    }

    /// Wakes the thread after a `ponderhit`, so that it waits for the deadline again.
    pub fn recheck(&self) {
        self.change(|_| {});
    }

    fn change(&self, change: impl FnOnce(&mut TimekeeperState)) {
        change(&mut self.shared.state.lock());
        self.shared.changed.notify_one();
    }
}

impl Drop for Timekeeper {
    fn drop(&mut self) {
        self.change(|state| state.is_shut_down = true);
        if let Some(thread) = self.thread.take() {
            // The thread cannot panic.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Runs the thread: sleeps until the alarm is due, stops the search, and sleeps again.
    fn run(&self) {
        let mut state = self.state.lock();
        while !state.is_shut_down {
            match &state.alarm {
                Some(alarm) if alarm.control.is_pondering() => self.changed.wait(&mut state),
                Some(alarm) if alarm.deadline <= Instant::now() => {
                    // Under the lock, so that `clear` cannot return between the test and the stop.
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

    /// Waits until the search is stopped, at most a minute; returns whether it was.
    fn is_stopped(control: &SearchControl) -> bool {
        let patience = Instant::now() + Duration::from_mins(1);
        while !control.should_stop() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
        control.should_stop()
    }

    #[test]
    fn alarm_stops_the_search_at_the_deadline_and_not_before() {
        let keeper = Timekeeper::new().expect("a thread");
        let control = searching(Hold::Free);
        let deadline = Instant::now() + Duration::from_millis(30);
        keeper.set(Arc::clone(&control), deadline);
        assert!(is_stopped(&control));
        assert!(Instant::now() >= deadline);
    }

    #[test]
    fn cleared_or_replaced_alarm_stops_nothing() {
        let keeper = Timekeeper::new().expect("a thread");
        let (first, second) = (searching(Hold::Free), searching(Hold::Free));
        let soon = || Instant::now() + Duration::from_millis(20);
        keeper.set(Arc::clone(&first), soon());
        keeper.clear();
        std::thread::sleep(Duration::from_millis(60));
        assert!(!first.should_stop(), "cleared");
        keeper.set(Arc::clone(&first), soon());
        keeper.set(Arc::clone(&second), soon() + Duration::from_millis(40));
        assert!(is_stopped(&second));
        assert!(!first.should_stop(), "replaced");
    }

    #[test]
    fn alarm_waits_for_ponderhit() {
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
