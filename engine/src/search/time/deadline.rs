//! The ends of a search that its threads share: the hard limit and the current soft limit.

use std::time::{Duration, Instant};

use crate::sync::atomic::{AtomicU64, Ordering};
use crate::types::Nodes;

/// The time or node count at which a search must be over.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deadline {
    /// The search ends at this moment.
    At(Instant),
    /// The search ends after this many nodes of all workers together, which stand for time.
    After(Nodes),
}

/// The current soft limit: after this much time the main worker starts no further iteration.
#[derive(Debug)]
pub struct SoftLimit(AtomicU64);

impl SoftLimit {
    /// Creates the limit with its planned value.
    pub fn new(limit: Duration) -> Self {
        Self(AtomicU64::new(micros(limit)))
    }

    /// Replaces the limit. Relaxed: a `ponderhit` that still sees the old value costs one iteration at
    /// most.
    pub(crate) fn set(&self, limit: Duration) {
        self.0.store(micros(limit), Ordering::Relaxed);
    }

    /// Returns the limit last set.
    pub fn limit(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}
