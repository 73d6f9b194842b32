//! Errors of tables during probes, each reported once.

use std::collections::HashSet;

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, Ordering};

/// A collection of probe failures waiting to be reported.
#[derive(Default)]
pub(super) struct Failures {
    log: Mutex<FailureLog>,
    has_pending: AtomicBool,
}

#[derive(Default)]
struct FailureLog {
    reported_tables: HashSet<String>,
    pending: Vec<String>,
}

impl Failures {
    /// Records the first failure of a table and the message to report.
    #[cold]
    pub(super) fn record(&self, table: String, text: String) {
        let mut log = self.log.lock();
        if log.reported_tables.insert(table) {
            log.pending.push(text);
            // Relaxed: a hint that taking the lock is worthwhile; a missed one is seen after the
            // next search.
            self.has_pending.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the messages recorded since the last call.
    pub(super) fn take_pending(&self) -> Vec<String> {
        if self.has_pending.swap(false, Ordering::Relaxed) {
            std::mem::take(&mut self.log.lock().pending)
        } else {
            Vec::new()
        }
    }
}
