//! The workers, which do tasks and send their records.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::outbox::{Message, Outbox, RunContext};
use super::play::{OutboxOf, PayloadOf, Play, RecordOf};
use super::tasks::Tasks;
use crate::base::errors::Stop;
use crate::run::RunFolder;

/// A message of the workers of a kind of run.
pub(super) type MessageOf<P> = Message<RecordOf<P>, PayloadOf<P>>;

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
        let context = RunContext { folder, begun: Instant::now() };
        Self { play, context, tasks: Mutex::new(tasks), is_cut: AtomicBool::new(false) }
    }
}

/// Does tasks until there are no more, a stop is requested or the run cannot go on.
pub(super) fn work<P: Play>(shared: &Shared<'_, P>, place: usize, messages: Sender<MessageOf<P>>) {
    let outbox = Outbox { context: &shared.context, messages };
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
        play.retire(worker).into_iter().for_each(|notice| outbox.notice(notice));
    }
}

fn perform_all<'a, P: Play>(
    shared: &Shared<'a, P>,
    worker: &mut P::Worker<'a>,
    outbox: &OutboxOf<'_, P>,
) -> Result<(), Stop> {
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
