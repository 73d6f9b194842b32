//! A stop request that every layer can look at.
//!
//! The signal thread and the collector raise it, the engine client polls it between waits. It knows nothing of why.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A shared "abandon what you are doing" flag; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everyone who holds a clone to stop.
    pub fn cancel(&self) {
        // Relaxed: the flag orders nothing else, whoever reads it late stops a little later.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Was a stop asked for?
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
