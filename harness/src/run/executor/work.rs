//! The source of the tasks and the workers, which do tasks and send their records.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::vec::IntoIter;

use super::outbox::{Message, Outbox, RunContext, Stop};
use super::play::{OutboxOf, PayloadOf, Play, RecordOf};
use crate::run::RunFolder;

/// A message of the workers of a kind of run.
pub(super) type MessageOf<P> = Message<RecordOf<P>, PayloadOf<P>, <P as Play>::Error>;

/// Data shared by the workers of a run.
pub(super) struct Shared<'a, P: Play> {
    pub(super) play: &'a P,
    pub(super) context: RunContext<'a>,
    pub(super) tasks: Mutex<Box<dyn Tasks<P::Task>>>,
    /// Whether a worker left a task undone because of a stop request.
    pub(super) is_cut: AtomicBool,
}

impl<'a, P: Play> Shared<'a, P> {
    pub(super) fn new(play: &'a P, folder: &'a RunFolder, tasks: Box<dyn Tasks<P::Task>>) -> Self {
        let context = RunContext::new(folder, P::ITEM);
        Self { play, context, tasks: Mutex::new(tasks), is_cut: AtomicBool::new(false) }
    }
}

/// Does tasks until there are no more, a stop is requested or the run cannot go on.
pub(super) fn work<P: Play>(shared: &Shared<'_, P>, place: usize, messages: Sender<MessageOf<P>>) {
    let outbox = Outbox::new(&shared.context, messages);
    let play = shared.play;
    let mut worker = match play.worker(place, shared.context.folder) {
        Ok(worker) => worker,
        Err(error) => return outbox.fail(error),
    };
    match perform_all(shared, &mut worker, &outbox) {
        Ok(()) => {}
        Err(Stop::Cancelled) => shared.is_cut.store(true, Ordering::Relaxed),
        Err(Stop::Fatal(error)) => outbox.fail(error),
    }
    if !play.cancel().is_cancelled() {
        play.retire(worker);
    }
}

fn perform_all<'a, P: Play>(
    shared: &Shared<'a, P>,
    worker: &mut P::Worker<'a>,
    outbox: &OutboxOf<'_, P>,
) -> Result<(), Stop<P::Error>> {
    loop {
        // The tasks are plain data: a panic elsewhere cannot have left them half changed.
        let next = shared.tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(task) = next else { return Ok(()) };
        if shared.play.cancel().is_cancelled() {
            return Err(Stop::Cancelled);
        }
        shared.play.perform(worker, task, outbox)?;
        outbox.end_task()?;
    }
}

/// The tasks that are left. One worker at a time asks.
pub trait Tasks<T>: Send {
    /// Returns the next task.
    fn next(&mut self) -> Option<T>;
    /// Begins nothing new: from now on only what completes a begun unit is handed out.
    fn close(&mut self);
    /// Returns the number of tasks left, where it is known: no more workers than that are started.
    fn len_hint(&self) -> Option<usize> {
        None
    }
}

/// A list of tasks that depend on nothing.
#[derive(Debug)]
pub struct TaskList<T>(IntoIter<T>);

impl<T> TaskList<T> {
    /// Makes a list of these tasks.
    pub fn new(tasks: Vec<T>) -> Self {
        Self(tasks.into_iter())
    }
}

impl TaskList<usize> {
    /// Makes a list of the indices below `count` that are not in `done`.
    pub(crate) fn missing(count: usize, done: impl Iterator<Item = u64>) -> Self {
        let mut is_missing = vec![true; count];
        for index in done {
            is_missing[index as usize] = false;
        }
        Self::new((0..count).filter(|&index| is_missing[index]).collect())
    }
}

impl<T: Send> Tasks<T> for TaskList<T> {
    fn next(&mut self) -> Option<T> {
        self.0.next()
    }

    fn close(&mut self) {
        self.0 = Vec::new().into_iter();
    }

    fn len_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_missing_tasks_are_handed_out() {
        let mut tasks = TaskList::missing(5, [1, 3].into_iter());
        assert_eq!(tasks.len_hint(), Some(3));
        assert_eq!((tasks.next(), tasks.next()), (Some(0), Some(2)));
        tasks.close();
        assert_eq!(tasks.next(), None);
    }
}
