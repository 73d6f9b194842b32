//! The soft time limit, shared between the main worker and the thread that reads `ponderhit`.

use std::time::Duration;

use crate::sync::atomic::{AtomicU64, Ordering};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_limit_returns_the_last_value_set() {
        let limit = SoftLimit::new(Duration::from_millis(70));
        assert_eq!(limit.limit(), Duration::from_millis(70));
        limit.set(Duration::MAX);
        limit.set(Duration::from_micros(1500));
        assert_eq!(limit.limit(), Duration::from_micros(1500));
    }
}
