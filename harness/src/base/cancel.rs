//! Cooperative cancellation.
//!
//! The signal thread and the collector set the flag; the engine client polls it between waits. The
//! flag carries no reason.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A shared cancellation flag. Clones share its state.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Returns a flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag for every clone.
    pub fn cancel(&self) {
        // Relaxed: the flag orders no other memory access, and a late reader only stops a little
        // later.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
