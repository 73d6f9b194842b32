//! The state of one worker, shared between the pool's owner and the worker thread.
//!
//! ```text
//!            state built             owner assigns           worker takes the task
//!   Busy ─────────────────► Idle ─────────────────► Assigned ─────────────────► Busy ──► Idle …
//!     │ panic                 │ owner terminates
//!     ▼                       ▼
//!   Failed                Terminated, the thread ends
//! ```
//!
//! Only the owner leaves `Idle`; only the worker leaves `Busy` and `Assigned`. Each side changes
//! the phase under the lock and then notifies the other, so no wake-up is lost. Assigning and
//! terminating wait for `Idle`. A failed worker accepts no task and blocks no thread.
//!
//! The workers of a task form a binary tree. The owner assigns from the leaves to the root and wakes
//! only the root; each worker wakes its children before it begins. With many more threads than
//! processors every worker that wakes may take the processor of the one that wakes it. The owner, which
//! has commands to answer, therefore wakes one worker instead of a thousand.

use crate::machine::binding::BindError;
use crate::sync::{Arc, Condvar, Mutex};

/// A function run by workers with their index and private state. All workers share one instance.
pub type Task<W> = Arc<dyn Fn(usize, &mut W) + Send + Sync>;

/// The workers that a worker wakes when it takes a task.
pub(super) type Children<W> = [Option<Arc<WorkerState<W>>>; 2];

/// The phase of a worker's life.
pub(super) enum Phase<W> {
    /// The worker builds its private state or runs a task.
    Busy,
    /// The worker waits for a task.
    Idle,
    /// A task waits for the worker, which first wakes its children.
    Assigned(Task<W>, Children<W>),
    /// The worker is to end.
    Terminated,
    /// The worker panicked or could not build its private state, with this message.
    Failed(String),
}

impl<W> Phase<W> {
    const fn is_occupied(&self) -> bool {
        matches!(self, Self::Busy | Self::Assigned(..))
    }
}

struct Locked<W> {
    phase: Phase<W>,
    /// Whether the worker could be bound to its processors; `None` if it is free.
    bind_result: Option<Result<(), BindError>>,
}

/// The handshake between owner and worker: a locked phase and one condition variable per side.
///
/// Workers have separate states, so waking a thousand of them causes no contention.
pub(super) struct WorkerState<W> {
    locked: Mutex<Locked<W>>,
    /// Notified when the worker has to act.
    wake: Condvar,
    /// Notified when the worker is no longer busy.
    done: Condvar,
}

/// Methods of the owner.
impl<W> WorkerState<W> {
    pub(super) fn new() -> Self {
        let locked = Locked { phase: Phase::Busy, bind_result: None };
        Self { locked: Mutex::new(locked), wake: Condvar::new(), done: Condvar::new() }
    }

    pub(super) fn wait_until_done(&self) {
        let mut locked = self.locked.lock();
        while locked.phase.is_occupied() {
            self.done.wait(&mut locked);
        }
    }

    /// Assigns a task, after waiting for the current one. A worker that sleeps does not take it before
    /// [`Self::wake`]; its children must be assigned already.
    pub(super) fn assign(&self, task: Task<W>, children: Children<W>) {
        self.leave_idle(Phase::Assigned(task, children));
    }

    /// Tells the worker to end, after waiting for the current task.
    pub(super) fn terminate(&self) {
        self.leave_idle(Phase::Terminated);
        self.wake();
    }

    /// Wakes the worker, whose phase has changed.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    fn leave_idle(&self, next: Phase<W>) {
        let mut locked = self.locked.lock();
        while locked.phase.is_occupied() {
            self.done.wait(&mut locked);
        }
        // Failed and terminated are final.
        if matches!(locked.phase, Phase::Idle) {
            locked.phase = next;
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.locked.lock().phase.is_occupied()
    }

    pub(super) fn bind_result(&self) -> Option<Result<(), BindError>> {
        self.locked.lock().bind_result.clone()
    }

    pub(super) fn has_failed(&self) -> bool {
        matches!(self.locked.lock().phase, Phase::Failed(_))
    }

    /// Returns the message of a failed worker.
    pub(super) fn failure_message(&self) -> Option<String> {
        match &self.locked.lock().phase {
            Phase::Failed(message) => Some(message.clone()),
            _ => None,
        }
    }
}

/// Methods of the worker.
impl<W> WorkerState<W> {
    pub(super) fn set_bind_result(&self, result: Result<(), BindError>) {
        self.locked.lock().bind_result = Some(result);
    }

    /// Blocks until a task is assigned, and wakes the children; `None` if the worker has to end.
    pub(super) fn next_task(&self) -> Option<Task<W>> {
        let mut locked = self.locked.lock();
        loop {
            match std::mem::replace(&mut locked.phase, Phase::Busy) {
                Phase::Assigned(task, children) => {
                    drop(locked);
                    children.iter().flatten().for_each(|child| child.wake());
                    return Some(task);
                }
                Phase::Idle => locked.phase = Phase::Idle,
                ended @ (Phase::Terminated | Phase::Failed(_) | Phase::Busy) => {
                    locked.phase = ended;
                    return None;
                }
            }
            self.wake.wait(&mut locked);
        }
    }

    /// Ends the busy phase.
    pub(super) fn leave_busy(&self, next: Phase<W>) {
        self.locked.lock().phase = next;
        self.done.notify_all();
    }
}
