//! Persistent worker threads that park between jobs, each with private state it built on its own thread.
//!
//! # The protocol between owner and worker
//!
//! Each worker has a desk: one locked state and two condition variables, one the worker parks on and one its
//! owner does. Desks are apart from each other, so waking a thousand workers contends for nothing.
//!
//! ```text
//!            build done              owner calls             worker picks up
//!   Busy ─────────────────► Idle ─────────────────► Called ─────────────────► Busy ──► Idle …
//!     │ panic                 │ owner dismisses
//!     ▼                       ▼
//!   Dead                  Dismissed, the thread ends
//! ```
//!
//! Only the owner leaves `Idle`, only the worker leaves `Busy` and `Called`; whoever changes the state does it
//! under the lock and then notifies the other side, so no wake-up is lost. Calling and dismissing wait for
//! `Idle`; a dead worker takes no call and keeps nobody waiting. `tests/loom.rs` tries every interleaving.

use std::any::Any;
use std::fmt;
use std::io;
use std::ops::Range;

use core_affinity::CoreId;
use thiserror::Error;

use super::pinning::Pinning;
use crate::memory::has_room;
use crate::sync::thread::{Builder, JoinHandle};
use crate::sync::{Arc, Condvar, Mutex};

/// What a worker runs: its index and its private state. One job is shared by all workers it is given to.
pub type Job<W> = Arc<dyn Fn(usize, &mut W) + Send + Sync>;

type Build<W> = Arc<dyn Fn(usize) -> Result<W, String> + Send + Sync>;

/// The stack of a worker: a deep recursion with arrays in its frames. Units: bytes, virtual until touched.
const STACK_SIZE: usize = 16 << 20;

/// Fewer workers run than were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{asked} threads were asked for, {running} run: {cause}")]
pub struct PoolError {
    /// How many were asked for.
    pub asked: usize,
    /// How many there are now.
    pub running: usize,
    /// What the system said, or why a worker could not build its state.
    pub cause: String,
}

/// A worker that panicked. Only where panics unwind: a release build aborts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which one.
    pub worker: usize,
    /// What it said.
    pub message: String,
}

/// Worker threads `0..len`, parked while there is nothing to do.
///
/// `W` need not be `Send`: it is built, used and dropped on the worker's own thread, so its memory is first
/// touched there. Dropping the pool waits for a running job; stop it first.
pub struct Pool<W> {
    workers: Vec<Worker<W>>,
    build: Build<W>,
    pinning: Pinning,
    stack_size: usize,
}

impl<W: 'static> Pool<W> {
    /// A pool without workers; `build` makes the private state of the worker with a given index.
    pub fn new(build: impl Fn(usize) -> W + Send + Sync + 'static) -> Self {
        Self::trying(move |index| Ok(build(index)))
    }

    /// The same where there may be no building: then `build` says why, and the worker is not kept.
    pub fn trying(build: impl Fn(usize) -> Result<W, String> + Send + Sync + 'static) -> Self {
        Self { workers: Vec::new(), build: Arc::new(build), pinning: Pinning::Off, stack_size: STACK_SIZE }
    }

    /// Waits for a running job, then has so many workers; returns when each has built its state.
    ///
    /// Workers that stay where they are keep their state; one whose core changes, or who panicked, is replaced
    /// by a new thread. When the system grants no further thread, those that run are kept and the error says how
    /// many: a replacement starts before the old worker goes, so one that runs is never lost to a failure.
    pub fn resize(&mut self, threads: usize, pinning: Pinning) -> Result<(), PoolError> {
        self.wait();
        let placement = pinning.placement(threads);
        self.pinning = pinning;
        self.dismiss_from(threads);
        let mut filled = placement.into_iter().enumerate();
        let Err(cause) = filled.try_for_each(|(index, core)| self.fill(index, core)) else { return Ok(()) };
        // Those that panicked and could not be replaced, and all behind them.
        if let Some(dead) = self.failures().first() {
            self.dismiss_from(dead.worker);
        }
        Err(PoolError { asked: threads, running: self.len(), cause: cause.to_string() })
    }

    /// How many workers there are, dead ones included.
    pub fn len(&self) -> usize {
        self.workers.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.workers.is_empty()
    }

    /// What the last [`Pool::resize`] asked for.
    pub fn pinning(&self) -> &Pinning {
        &self.pinning
    }

    /// How many workers are tied to a core, which the system may refuse.
    pub fn pinned(&self) -> usize {
        self.workers.iter().filter(|worker| worker.desk.inner.lock().is_pinned).count()
    }

    /// Gives all workers the job and returns at once, or, where one is still at work, when it is done.
    pub fn start(&self, job: Job<W>) {
        self.start_first(self.len(), job);
    }

    /// Gives the job to workers `0..count` only.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "so that the workers hold the last references to the job"
    )]
    pub fn start_first(&self, count: usize, job: Job<W>) {
        for worker in self.workers.iter().take(count) {
            worker.desk.call(Arc::clone(&job));
        }
    }

    /// Parks until all are done. Never from inside a job.
    pub fn wait(&self) {
        self.wait_for(0..self.len());
    }

    /// Parks until those in the range are done; a job may wait so for workers other than its own.
    pub fn wait_for(&self, range: Range<usize>) {
        for worker in self.workers.iter().take(range.end).skip(range.start) {
            worker.desk.wait_until_done();
        }
    }

    /// Is any worker at work?
    pub fn is_running(&self) -> bool {
        self.workers.iter().any(|worker| worker.desk.inner.lock().state.is_occupied())
    }

    /// Who panicked since the last [`Pool::resize`], which replaces them.
    pub fn failures(&self) -> Vec<Failure> {
        let failure = |(index, worker): (usize, &Worker<W>)| {
            worker.desk.last_words().map(|message| Failure { worker: index, message })
        };
        self.workers.iter().enumerate().filter_map(failure).collect()
    }

    /// Makes sure that a live worker with this index runs on this core. It has built its state before any other
    /// starts, or gives way to it: so each learns for itself whether there is memory for it, and what one was granted
    /// no other takes from it. (Stockfish starts its threads one by one, too.)
    fn fill(&mut self, index: usize, core: Option<CoreId>) -> io::Result<()> {
        let present = self.workers.get_mut(index);
        if present.as_ref().is_some_and(|worker| worker.core == core && !worker.desk.is_dead()) {
            return Ok(());
        }
        // A thread that has a stack and then finds no memory to start with ends the program.
        has_room(self.stack_size).map_err(io::Error::other)?;
        let new = Worker::spawn(index, core, Arc::clone(&self.build), self.stack_size)?;
        new.desk.wait_until_done();
        if let Some(message) = new.desk.last_words() {
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
    /// Ends all workers from this index on: first tells each, then waits for each.
    fn dismiss_from(&mut self, first: usize) {
        for worker in self.workers.iter().skip(first) {
            worker.desk.dismiss();
        }
        self.workers.truncate(first);
    }
}

impl<W> Drop for Pool<W> {
    fn drop(&mut self) {
        self.dismiss_from(0);
    }
}

impl<W> fmt::Debug for Pool<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("workers", &self.workers.len())
            .field("pinning", &self.pinning)
            .finish_non_exhaustive()
    }
}

/// The owner's side of a worker.
struct Worker<W> {
    desk: Arc<Desk<W>>,
    thread: Option<JoinHandle<()>>,
    core: Option<CoreId>,
}

impl<W: 'static> Worker<W> {
    fn spawn(index: usize, core: Option<CoreId>, build: Build<W>, stack_size: usize) -> io::Result<Self> {
        let desk = Arc::new(Desk::new());
        let own_desk = Arc::clone(&desk);
        let thread =
            Builder::new().name(format!("stretto-{index}")).stack_size(stack_size).spawn(move || {
                let ended = catch(|| work(index, &own_desk, core, &*build));
                if let Err(message) = ended.flatten() {
                    own_desk.leave(State::Dead(message));
                }
            })?;
        Ok(Self { desk, thread: Some(thread), core })
    }
}

impl<W> Drop for Worker<W> {
    fn drop(&mut self) {
        self.desk.dismiss();
        if let Some(thread) = self.thread.take() {
            // The thread catches its own panics; one from dropping its state has been reported by the panic hook.
            let _ = thread.join();
        }
    }
}

/// The worker's side: build, then job after job until dismissed.
///
/// Errors: why it could not build its state.
fn work<W>(
    index: usize,
    desk: &Desk<W>,
    core: Option<CoreId>,
    build: &dyn Fn(usize) -> Result<W, String>,
) -> Result<(), String> {
    // Before building, so that the state's memory is near the core.
    desk.inner.lock().is_pinned = core.is_some_and(core_affinity::set_for_current);
    let mut own = build(index)?;
    desk.leave(State::Idle);
    while let Some(job) = desk.next_job() {
        job(index, &mut own);
        // Given back before anybody is told, so that whoever waited may find itself the only owner.
        drop(job);
        desk.leave(State::Idle);
    }
    Ok(())
}

enum State<W> {
    /// The worker builds its state or works.
    Busy,
    /// It is parked.
    Idle,
    /// A job waits for it.
    Called(Job<W>),
    /// It is to end.
    Dismissed,
    /// It panicked, or could not build its state, saying this.
    Dead(String),
}

impl<W> State<W> {
    const fn is_occupied(&self) -> bool {
        matches!(self, Self::Busy | Self::Called(_))
    }
}

struct Inner<W> {
    state: State<W>,
    is_pinned: bool,
}

/// Where owner and worker meet.
struct Desk<W> {
    inner: Mutex<Inner<W>>,
    /// The worker parks here.
    call: Condvar,
    /// The owner parks here, and others that wait for the worker.
    done: Condvar,
}

impl<W> Desk<W> {
    fn new() -> Self {
        let inner = Inner { state: State::Busy, is_pinned: false };
        Self { inner: Mutex::new(inner), call: Condvar::new(), done: Condvar::new() }
    }

    fn wait_until_done(&self) {
        let mut inner = self.inner.lock();
        while inner.state.is_occupied() {
            self.done.wait(&mut inner);
        }
    }

    fn call(&self, job: Job<W>) {
        self.leave_idle(State::Called(job));
    }

    fn dismiss(&self) {
        self.leave_idle(State::Dismissed);
    }

    fn leave_idle(&self, next: State<W>) {
        let mut inner = self.inner.lock();
        while inner.state.is_occupied() {
            self.done.wait(&mut inner);
        }
        // The dead and the dismissed stay so.
        if matches!(inner.state, State::Idle) {
            inner.state = next;
            self.call.notify_one();
        }
    }

    fn is_dead(&self) -> bool {
        matches!(self.inner.lock().state, State::Dead(_))
    }

    /// What a dead worker said.
    fn last_words(&self) -> Option<String> {
        match &self.inner.lock().state {
            State::Dead(message) => Some(message.clone()),
            _ => None,
        }
    }

    /// Worker: parks until called (the job) or dismissed (`None`).
    fn next_job(&self) -> Option<Job<W>> {
        let mut inner = self.inner.lock();
        loop {
            match std::mem::replace(&mut inner.state, State::Busy) {
                State::Called(job) => return Some(job),
                State::Idle => inner.state = State::Idle,
                ended @ (State::Dismissed | State::Dead(_) | State::Busy) => {
                    inner.state = ended;
                    return None;
                }
            }
            self.call.wait(&mut inner);
        }
    }

    /// Worker: is no longer busy.
    fn leave(&self, next: State<W>) {
        self.inner.lock().state = next;
        self.done.notify_all();
    }
}

/// Runs `f`; a panic becomes its message.
fn catch<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    // A model checker speaks in panics, which must reach it.
    if cfg!(loom) {
        return Ok(f());
    }
    // Nothing that was in use is looked at again: the worker's state is dropped by the unwinding.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).map_err(|payload| message_of(&*payload))
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic").to_owned()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;
    use std::time::Duration;

    use super::*;
    use crate::sync::atomic::{AtomicUsize, Ordering};
    use crate::threads::pinning::available_cores;

    /// A pool whose workers count their jobs in something that cannot leave their thread.
    fn counting(threads: usize) -> Pool<Rc<Cell<usize>>> {
        let mut pool = Pool::new(|_| Rc::new(Cell::new(0)));
        pool.resize(threads, Pinning::Off).expect("a few threads");
        pool
    }

    fn jobs_done(pool: &Pool<Rc<Cell<usize>>>) -> Vec<usize> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&seen);
        pool.start(Arc::new(move |index, own| into.lock().push((index, own.get()))));
        pool.wait();
        let mut seen = seen.lock().clone();
        seen.sort_unstable();
        assert!(seen.iter().map(|(index, _)| *index).eq(0..pool.len()), "each worker once: {seen:?}");
        seen.into_iter().map(|(_, jobs)| jobs).collect()
    }

    fn count_one() -> Job<Rc<Cell<usize>>> {
        Arc::new(|_, own: &mut Rc<Cell<usize>>| own.set(own.get() + 1))
    }

    #[test]
    fn every_worker_runs_every_job_and_keeps_its_state() {
        let pool = counting(3);
        for _ in 0..100 {
            pool.start(count_one());
        }
        pool.wait();
        assert_eq!(jobs_done(&pool), [100; 3]);
        pool.start_first(2, count_one());
        pool.wait_for(0..2);
        assert_eq!(jobs_done(&pool), [101, 101, 100]);
    }

    #[test]
    fn a_pool_without_workers_is_never_busy() {
        let pool = counting(0);
        pool.start(count_one());
        pool.wait();
        assert!(pool.is_empty() && !pool.is_running());
    }

    #[test]
    fn resizing_keeps_the_state_of_those_who_stay() {
        let mut pool = counting(2);
        pool.start(count_one());
        pool.resize(4, Pinning::Off).expect("four threads");
        assert_eq!(jobs_done(&pool), [1, 1, 0, 0]);
        pool.resize(1, Pinning::Off).expect("one thread");
        assert_eq!(jobs_done(&pool), [1]);
    }

    #[test]
    fn start_returns_while_the_workers_run_and_wait_when_they_are_done() {
        let pool = counting(2);
        let go_on = Arc::new((Mutex::new(false), Condvar::new()));
        let gate = Arc::clone(&go_on);
        pool.start(Arc::new(move |_, _| {
            let mut is_open = gate.0.lock();
            while !*is_open {
                gate.1.wait(&mut is_open);
            }
        }));
        assert!(pool.is_running());
        *go_on.0.lock() = true;
        go_on.1.notify_all();
        pool.wait();
        assert!(!pool.is_running());
        assert_eq!(Arc::strong_count(&go_on), 1, "the job is gone before wait returns");
    }

    #[test]
    fn a_panic_is_reported_and_healed_by_resizing() {
        let mut pool = counting(3);
        pool.start(Arc::new(|index, _| assert_ne!(index, 1, "worker one is to fail")));
        pool.wait();
        assert!(!pool.is_running());
        let failures = pool.failures();
        assert_eq!(failures.len(), 1);
        assert_eq!(failures[0].worker, 1);
        assert!(failures[0].message.contains("worker one is to fail"), "{failures:?}");
        pool.start(count_one());
        pool.wait();
        pool.resize(3, Pinning::Off).expect("a replacement");
        assert_eq!(pool.failures(), []);
        assert_eq!(jobs_done(&pool), [1, 0, 1]);
    }

    #[test]
    fn a_worker_that_cannot_build_its_state_is_not_kept() {
        let mut pool = Pool::new(|index| assert!(index < 2, "no room for worker {index}"));
        let error = pool.resize(4, Pinning::Off).expect_err("two fail");
        assert_eq!((error.asked, error.running, pool.len()), (4, 2, 2));
        assert!(error.to_string().contains("no room for worker 2"), "{error}");
    }

    #[test]
    fn a_worker_that_has_no_room_is_told_of_and_those_that_run_are_kept() {
        let room = Arc::new(AtomicUsize::new(2));
        let left = Arc::clone(&room);
        let mut pool = Pool::trying(move |_| {
            let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            taken.map(|_| Rc::new(Cell::new(0))).map_err(|_| "no room".to_owned())
        });
        let error = pool.resize(4, Pinning::Off).expect_err("room for two");
        // Which two of four find it is chance; those after the first that does not are let go.
        assert!(error.asked == 4 && error.running <= 2 && error.cause == "no room", "{error}");
        assert_eq!(pool.len(), error.running);
        room.store(1, Ordering::Relaxed);
        pool.resize(1, Pinning::Off).expect("room for one");
        pool.start(count_one());
        room.store(0, Ordering::Relaxed);
        if let Some(&core) = available_cores().first() {
            let error = pool.resize(1, Pinning::List(vec![core])).expect_err("no room for a replacement");
            assert_eq!((error.running, error.cause.as_str()), (1, "no room"));
        }
        assert_eq!(jobs_done(&pool), [1], "the one that runs stays");
    }

    #[test]
    fn when_no_thread_is_granted_those_that_run_are_kept() {
        let mut pool = counting(2);
        pool.start(count_one());
        pool.wait();
        // No address space holds such a stack.
        pool.stack_size = 1 << 60;
        let error = pool.resize(4, Pinning::Off).expect_err("no such stack");
        assert_eq!((error.asked, error.running), (4, 2));
        assert_eq!(jobs_done(&pool), [1, 1]);
        if let Some(&core) = available_cores().first() {
            let error = pool.resize(2, Pinning::List(vec![core])).expect_err("no replacement");
            assert_eq!((error.asked, error.running), (2, 2));
            assert_eq!(jobs_done(&pool), [1, 1], "the unpinned workers stay");
        }
    }

    #[test]
    fn pinned_workers_run_on_their_core_only() {
        let Some(&core) = available_cores().last() else {
            eprintln!("skipped: the system does not tell its cores");
            return;
        };
        let mut pool = Pool::new(|_| available_cores());
        let allowed = |pool: &Pool<Vec<usize>>| {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let into = Arc::clone(&seen);
            pool.start(Arc::new(move |_, own: &mut Vec<usize>| into.lock().push(own.clone())));
            pool.wait();
            seen.lock().clone()
        };
        pool.resize(2, Pinning::List(vec![core])).expect("two threads");
        if pool.pinned() == 0 {
            eprintln!("skipped: the system pins nobody");
            return;
        }
        assert_eq!(allowed(&pool), [[core], [core]]);
        pool.resize(2, Pinning::Off).expect("two threads");
        assert_eq!(pool.pinned(), 0);
        assert_eq!(allowed(&pool), [available_cores(), available_cores()]);
    }

    /// Counts those that exist.
    struct Presence(Arc<AtomicUsize>);

    impl Drop for Presence {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_thousand_workers_start_work_and_stop() {
        let alive = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&alive);
        let mut pool = Pool::new(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            Presence(Arc::clone(&count))
        });
        let before = resident_kibibytes();
        pool.resize(1024, Pinning::Off).expect("1024 threads");
        assert_eq!(alive.load(Ordering::Relaxed), 1024);
        let done = Arc::new(AtomicUsize::new(0));
        for _ in 0..3 {
            let into = Arc::clone(&done);
            pool.start(Arc::new(move |_, _| {
                into.fetch_add(1, Ordering::Relaxed);
            }));
            pool.wait();
        }
        assert_eq!(done.load(Ordering::Relaxed), 3 * 1024);
        if let (Some(before), Some(after)) = (before, resident_kibibytes()) {
            assert!(after < before + (64 << 10), "from {before} to {after} KiB");
        }
        drop(pool);
        assert_eq!(alive.load(Ordering::Relaxed), 0, "each state is dropped before its worker is joined");
    }

    #[test]
    fn who_waits_uses_no_time() {
        if own_ticks().is_none() {
            eprintln!("skipped: no /proc/thread-self/stat");
            return;
        }
        let ticks = |ticks: Option<u64>| ticks.expect("read before");
        let mut pool = Pool::new(|_| 0);
        pool.resize(3, Pinning::Off).expect("three threads");
        let spent = Arc::new(Mutex::new(Vec::new()));
        let since_last: Job<u64> = {
            let into = Arc::clone(&spent);
            Arc::new(move |_, last: &mut u64| {
                let now = ticks(own_ticks());
                into.lock().push(now - *last);
                *last = now;
            })
        };
        pool.start(Arc::clone(&since_last));
        pool.wait();
        spent.lock().clear();
        let own = ticks(own_ticks());
        // The first sleeps at work, two are idle, and this thread waits.
        pool.start_first(1, Arc::new(|_, _| std::thread::sleep(Duration::from_millis(500))));
        pool.wait();
        pool.start(since_last);
        pool.wait();
        spent.lock().push(ticks(own_ticks()) - own);
        // Half a second is 50 ticks of a thread that spins on a free core, 10 when five share one.
        assert!(spent.lock().iter().all(|&ticks| ticks <= 3), "ticks: {:?}", spent.lock());
    }

    fn resident_kibibytes() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    }

    /// Processor time of this thread. Units: ticks, usually of 10 ms.
    fn own_ticks() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
        let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
        Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
    }
}
