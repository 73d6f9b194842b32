//! A worker thread: builds its private state, then runs task after task until terminated.

use std::any::Any;
use std::io;

use super::state::{Phase, WorkerState};
use crate::machine::binding::bind_to;
use crate::sync::Arc;
use crate::sync::thread::{Builder, JoinHandle};
use crate::threads::placement::Place;

/// Builds the private state of the worker with this index, or returns the reason why it cannot.
pub(super) type BuildState<W> = Arc<dyn Fn(usize) -> Result<W, String> + Send + Sync>;

/// The owner's handle of a worker. Dropping it terminates the worker and joins its thread.
pub(super) struct WorkerThread<W> {
    pub(super) state: Arc<WorkerState<W>>,
    pub(super) place: Place,
    thread: Option<JoinHandle<()>>,
}

impl<W: 'static> WorkerThread<W> {
    /// Starts the thread, which builds its private state before it becomes idle.
    ///
    /// Errors: the system refused to start a thread.
    pub(super) fn spawn(
        index: usize,
        place: Place,
        build: BuildState<W>,
        stack_size: usize,
    ) -> io::Result<Self> {
        let state = Arc::new(WorkerState::new());
        let shared = Arc::clone(&state);
        let cpus = place.cpus.clone();
        let thread =
            Builder::new().name(format!("stretto-{index}")).stack_size(stack_size).spawn(move || {
                let ended = catch_panic(|| run(index, &shared, cpus.as_deref(), &*build));
                if let Err(message) = ended.flatten() {
                    shared.leave_busy(Phase::Failed(message));
                }
            })?;
        Ok(Self { state, place, thread: Some(thread) })
    }
}

impl<W> Drop for WorkerThread<W> {
    fn drop(&mut self) {
        self.state.terminate();
        if let Some(thread) = self.thread.take() {
            // The thread catches its panics; one from dropping its state was reported by the panic
            // hook.
            let _ = thread.join();
        }
    }
}

/// Runs the worker's side of the protocol.
///
/// Errors: the reason why the private state could not be built.
fn run<W>(
    index: usize,
    state: &WorkerState<W>,
    cpus: Option<&[usize]>,
    build: &dyn Fn(usize) -> Result<W, String>,
) -> Result<(), String> {
    // Before building, so that the memory of the private state is near the processors.
    if let Some(cpus) = cpus {
        state.set_bind_result(bind_to(cpus));
    }
    let mut own = build(index)?;
    state.leave_busy(Phase::Idle);
    while let Some(task) = state.next_task() {
        task(index, &mut own);
        // Dropped before waiters are notified, so that a waiter may hold the only reference.
        drop(task);
        state.leave_busy(Phase::Idle);
    }
    Ok(())
}

/// Calls `f` and converts a panic to its message.
fn catch_panic<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    // loom reports errors by panics, which must reach it.
    if cfg!(loom) {
        return Ok(f());
    }
    // Unwind safe: unwinding drops the worker's private state, and nothing else is accessed again.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).map_err(|payload| message_of(&*payload))
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
        .to_owned()
}
