//! Worker threads of a run: the requested number, or as many as the system can start.

use std::thread::{Builder, Scope};

use anyhow::bail;

/// Starts one thread per item of `work`. All items draw from one shared queue, so if the system
/// refuses a thread, the remaining items are dropped. In that case the returned text reports the
/// number of threads.
///
/// Errors: there is work, but no thread could be started.
pub fn start<'scope, F: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl ExactSizeIterator<Item = F>,
) -> anyhow::Result<Option<String>> {
    start_as(scope, work, |_| Builder::new())
}

/// Starts the threads with the builder returned by `thread`.
fn start_as<'scope, F: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl ExactSizeIterator<Item = F>,
    thread: impl Fn(usize) -> Builder,
) -> anyhow::Result<Option<String>> {
    let asked = work.len();
    for (running, piece) in work.enumerate() {
        match thread(running).spawn_scoped(scope, piece) {
            Ok(_) => {}
            Err(error) if running == 0 => bail!("cannot start a worker thread: {error}"),
            Err(error) => return Ok(Some(format!("only {running} of {asked} threads started: {error}"))),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Runs five work items with `granted` threads available; returns the completed items and the
    /// message.
    fn done_by(granted: usize) -> (usize, anyhow::Result<Option<String>>) {
        let done = AtomicUsize::new(0);
        // This stack size exceeds every address space.
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
    fn work_runs_on_the_threads_that_start() {
        let (done, said) = done_by(5);
        assert_eq!((done, said.unwrap()), (5, None));
        let (done, said) = done_by(2);
        let said = said.unwrap().unwrap();
        assert!(done == 2 && said.starts_with("only 2 of 5 threads started: "), "{said}");
        let (done, said) = done_by(0);
        let error = said.unwrap_err().to_string();
        assert!(done == 0 && error.starts_with("cannot start a worker thread: "), "{error}");
    }
}
