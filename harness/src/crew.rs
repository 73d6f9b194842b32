//! The threads of a run's work: as many as are asked for, or as many as the system grants.

use std::io;
use std::thread::{Builder, Scope};

use thiserror::Error;

/// Not one thread was granted.
#[derive(Debug, Error)]
#[error("the system grants no thread to work: {0}")]
pub struct NoCrew(io::Error);

impl From<io::Error> for NoCrew {
    fn from(error: io::Error) -> Self {
        Self(error)
    }
}

/// Starts a thread for each piece of work. Where the system grants fewer, the rest is dropped: its pieces are all alike and take
/// from one heap. Says how many there are then.
///
/// Errors: there is work, and not one thread for it.
pub(crate) fn start<'scope, F: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl ExactSizeIterator<Item = F>,
) -> Result<Option<String>, NoCrew> {
    start_as(scope, work, |_| Builder::new())
}

/// The same with threads made in this way.
fn start_as<'scope, F: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl ExactSizeIterator<Item = F>,
    thread: impl Fn(usize) -> Builder,
) -> Result<Option<String>, NoCrew> {
    let asked = work.len();
    for (running, piece) in work.enumerate() {
        match thread(running).spawn_scoped(scope, piece) {
            Ok(_) => {}
            Err(error) if running == 0 => return Err(NoCrew(error)),
            Err(error) => return Ok(Some(format!("{asked} at once were asked for, {running} run: {error}"))),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// How many of five pieces of work were done with this many threads granted, and what was said.
    fn done_by(granted: usize) -> (usize, Result<Option<String>, NoCrew>) {
        let done = AtomicUsize::new(0);
        // No address space holds such a stack.
        let thread = |index| Builder::new().stack_size(if index < granted { 1 << 20 } else { 1 << 60 });
        let said = std::thread::scope(|scope| {
            let count = || {
                done.fetch_add(1, Ordering::Relaxed);
            };
            let piece = |_| count;
            start_as(scope, (0..5).map(piece), thread)
        });
        (done.into_inner(), said)
    }

    #[test]
    fn as_many_work_as_are_granted() {
        let (done, said) = done_by(5);
        assert_eq!((done, said.unwrap()), (5, None));
        let (done, said) = done_by(2);
        let said = said.unwrap().unwrap();
        assert!(done == 2 && said.starts_with("5 at once were asked for, 2 run: "), "{said}");
        let (done, said) = done_by(0);
        let error = said.unwrap_err().to_string();
        assert!(done == 0 && error.starts_with("the system grants no thread to work: "), "{error}");
    }
}
