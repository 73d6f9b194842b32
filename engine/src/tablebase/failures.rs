//! What went wrong with tables while they were asked: each told once.

use std::collections::HashSet;

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, Ordering};

/// Tables that have failed.
#[derive(Default)]
pub(super) struct Failures {
    kept: Mutex<Kept>,
    has_news: AtomicBool,
}

#[derive(Default)]
struct Kept {
    known: HashSet<String>,
    untold: Vec<String>,
}

impl Failures {
    /// Notes that a table has failed, if it is the first time, and what to tell of it.
    #[cold]
    pub(super) fn note(&self, table: String, text: String) {
        let mut kept = self.kept.lock();
        if kept.known.insert(table) {
            kept.untold.push(text);
            // Relaxed: it only says that a look under the lock is worth it, if not now then after the next search.
            self.has_news.store(true, Ordering::Relaxed);
        }
    }

    /// What there is to tell since the last call.
    pub(super) fn take(&self) -> Vec<String> {
        if self.has_news.swap(false, Ordering::Relaxed) {
            std::mem::take(&mut self.kept.lock().untold)
        } else {
            Vec::new()
        }
    }
}
