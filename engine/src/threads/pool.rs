//! A pool of persistent worker threads, each with private state built on its own thread.
//!
//! Workers block between tasks. `state` is the handshake between the pool's owner and a worker, and
//! `worker` the worker thread. `tests/loom.rs` checks the interleavings.

mod state;
#[cfg(all(test, not(loom)))]
mod tests;
mod worker;

use std::fmt;
use std::io;

use thiserror::Error;

use super::placement::{Place, Placement};
use crate::machine::binding::BindError;
use crate::memory::check_available;
use crate::sync::Arc;
use worker::{BuildState, WorkerThread};

pub use state::Task;

/// Stack size of a worker, enough for deep recursion with large frames. Units: bytes, virtual until
/// touched.
const STACK_SIZE: usize = 16 << 20;

/// Error when fewer workers run than requested.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{asked} threads were requested, {running} are running: {cause}")]
pub struct PoolError {
    /// The number of workers requested.
    pub asked: usize,
    /// The number of running workers.
    pub running: usize,
    /// The error of the system, or the reason why a worker could not build its state.
    pub cause: String,
}

/// A worker that panicked. Only where panics unwind: a release build aborts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerPanic {
    /// Index of the worker.
    pub worker: usize,
    /// Message of the panic.
    pub message: String,
}

/// Worker threads `0..len` that block while there is nothing to do.
///
/// `W` need not be `Send`: it is built, used and dropped on the worker's own thread, which also
/// touches its memory first. Dropping the pool waits for a running task; stop it first.
pub struct Pool<W> {
    workers: Vec<WorkerThread<W>>,
    build: BuildState<W>,
    placement: Placement,
    stack_size: usize,
}

impl<W: 'static> Pool<W> {
    /// Creates a pool without workers. `build` makes the private state of the worker with an index; a
    /// worker without private state is not kept.
    pub fn new(build: impl Fn(usize) -> Result<W, String> + Send + Sync + 'static) -> Self {
        Self {
            workers: Vec::new(),
            build: Arc::new(build),
            placement: Placement::default(),
            stack_size: STACK_SIZE,
        }
    }

    /// Changes the number of workers after waiting for a running task; returns when each new worker
    /// has built its state.
    ///
    /// Workers whose place does not change keep their state. A worker whose place changes, or that
    /// panicked, is replaced by a new thread, which starts before the old one ends.
    ///
    /// Errors: [`PoolError`] if a thread or its state cannot be created; running workers are kept.
    pub fn resize(&mut self, threads: usize, placement: Placement) -> Result<(), PoolError> {
        self.wait();
        self.placement = placement;
        let places = self.placement.places(threads);
        self.terminate_from(threads);
        let mut started = places.into_iter().enumerate();
        let Err(cause) = started.try_for_each(|(index, place)| self.ensure_worker(index, place)) else {
            return Ok(());
        };
        // Removes workers that panicked and could not be replaced, and all after them.
        if let Some(failed) = self.failures().first() {
            self.terminate_from(failed.worker);
        }
        Err(PoolError { asked: threads, running: self.len(), cause: cause.to_string() })
    }

    /// Returns the number of workers, including failed ones.
    pub fn len(&self) -> usize {
        self.workers.len()
    }

    /// Whether the pool has no workers.
    pub fn is_empty(&self) -> bool {
        self.workers.is_empty()
    }

    /// Returns the number of workers actually bound to processors, which the system may refuse.
    pub fn bound(&self) -> usize {
        self.workers.iter().filter(|worker| worker.state.bind_result() == Some(Ok(()))).count()
    }

    /// Returns the reason why a worker could not be bound to its processors.
    pub fn bind_error(&self) -> Option<BindError> {
        self.workers.iter().find_map(|worker| worker.state.bind_result()?.err())
    }

    /// Returns the index of each worker's memory node; `None` if its memory may be on any node.
    pub fn memory_nodes(&self) -> Vec<Option<usize>> {
        self.workers.iter().map(|worker| worker.place.node).collect()
    }

    /// Assigns the task to all workers. Returns at once, or when workers still busy have finished.
    pub fn start(&self, task: Task<W>) {
        self.start_first(self.len(), task);
    }

    /// Assigns the task to workers `0..count` only.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the workers should hold the last references to the task"
    )]
    pub fn start_first(&self, count: usize, task: Task<W>) {
        let team: Vec<_> = self.workers.iter().take(count).map(|worker| &worker.state).collect();
        // Failed workers would wake nobody.
        for state in &team {
            state.wait_until_done();
        }
        let team: Vec<_> = team.into_iter().filter(|state| !state.has_failed()).collect();
        for (index, state) in team.iter().enumerate().rev() {
            let children = [2 * index + 1, 2 * index + 2].map(|child| team.get(child).copied().cloned());
            state.assign(Arc::clone(&task), children);
        }
        if let Some(root) = team.first() {
            root.wake();
        }
    }

    /// Blocks until all workers are done. Must not be called from a task.
    pub fn wait(&self) {
        for worker in &self.workers {
            worker.state.wait_until_done();
        }
    }

    /// Whether any worker is running or has a task.
    pub fn is_running(&self) -> bool {
        self.workers.iter().any(|worker| worker.state.is_running())
    }

    /// Returns the workers that panicked since the last [`Pool::resize`], which replaces them.
    pub fn failures(&self) -> Vec<WorkerPanic> {
        let failure = |(index, worker): (usize, &WorkerThread<W>)| {
            worker.state.failure_message().map(|message| WorkerPanic { worker: index, message })
        };
        self.workers.iter().enumerate().filter_map(failure).collect()
    }

    /// Ensures that a live worker with this index runs at this place.
    ///
    /// Workers start one by one, as in Stockfish: each detects a lack of memory itself, and no two
    /// workers rely on the same free memory.
    fn ensure_worker(&mut self, index: usize, place: Place) -> io::Result<()> {
        let present = self.workers.get_mut(index);
        if present.as_ref().is_some_and(|worker| worker.place == place && !worker.state.has_failed()) {
            return Ok(());
        }
        // A thread with a stack but without memory to start aborts the process.
        check_available(self.stack_size).map_err(io::Error::other)?;
        let new = WorkerThread::spawn(index, place, Arc::clone(&self.build), self.stack_size)?;
        new.state.wait_until_done();
        if let Some(message) = new.state.failure_message() {
            return Err(io::Error::other(message));
        }
        match present {
            Some(old) => *old = new,
            None => self.workers.push(new),
        }
        Ok(())
    }
}

impl<W> Pool<W> {
    /// Ends all workers from this index on: first notifies all, then joins them.
    fn terminate_from(&mut self, first: usize) {
        for worker in self.workers.iter().skip(first) {
            worker.state.terminate();
        }
        self.workers.truncate(first);
    }
}

impl<W> Drop for Pool<W> {
    fn drop(&mut self) {
        self.terminate_from(0);
    }
}

impl<W> fmt::Debug for Pool<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("workers", &self.workers.len())
            .field("placement", &self.placement)
            .finish_non_exhaustive()
    }
}
