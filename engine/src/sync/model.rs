//! loom's lock and condition variable with `parking_lot`'s API: no poisoning, and `wait` borrows
//! the guard.
#![expect(clippy::missing_panics_doc, reason = "the expectations below hold in every model")]

use std::ops::{Deref, DerefMut};

const NOT_POISONED: &str = "a model that panics ends at once, so no lock is seen poisoned";
const HELD: &str = "the guard is empty only inside `wait`";

/// A mutual-exclusion lock around a value.
#[derive(Debug)]
pub struct Mutex<T>(loom::sync::Mutex<T>);

/// A guard that gives access to the locked value and unlocks on drop.
#[derive(Debug)]
pub struct MutexGuard<'a, T>(Option<loom::sync::MutexGuard<'a, T>>);

/// A condition variable for waiting on changes of a locked value.
#[derive(Debug)]
pub struct Condvar(loom::sync::Condvar);

impl<T> Mutex<T> {
    /// Returns an unlocked lock around `value`.
    pub fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    /// Acquires the lock, blocking until it is free.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(Some(self.0.lock().expect(NOT_POISONED)))
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect(HELD)
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect(HELD)
    }
}

impl Condvar {
    /// Returns a condition variable without waiters.
    #[expect(clippy::new_without_default, reason = "only what parking_lot's has and we use")]
    pub fn new() -> Self {
        Self(loom::sync::Condvar::new())
    }

    /// Releases the lock, waits for a notification, and acquires the lock again.
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let held = guard.0.take().expect(HELD);
        guard.0 = Some(self.0.wait(held).expect(NOT_POISONED));
    }

    /// Waits for a notification; in a model time does not pass, so the deadline is never reached.
    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, _deadline: std::time::Instant) {
        self.wait(guard);
    }

    /// Wakes one of the threads that wait for a notification.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all threads that wait for a notification.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}
