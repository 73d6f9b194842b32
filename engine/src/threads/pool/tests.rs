//! Tests of the pool on real threads.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use super::*;
use crate::machine::binding::available;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Condvar, Mutex};
use crate::threads::numa::NumaPolicy;
use crate::threads::pinning::Pinning;

/// Returns the placement that pins the first worker to a core.
fn on_core(core: usize) -> Placement {
    Placement { pinning: Pinning::List(vec![core]), ..Placement::default() }
}

/// Returns a pool whose workers count their tasks in a value that cannot leave their thread.
fn counting(threads: usize) -> Pool<Rc<Cell<usize>>> {
    let mut pool = Pool::new(|_| Ok(Rc::new(Cell::new(0))));
    pool.resize(threads, Placement::default()).expect("a few threads");
    pool
}

fn tasks_done(pool: &Pool<Rc<Cell<usize>>>) -> Vec<usize> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&seen);
    pool.start(Arc::new(move |index, own| into.lock().push((index, own.get()))));
    pool.wait();
    let mut seen = seen.lock().clone();
    seen.sort_unstable();
    assert!(seen.iter().map(|(index, _)| *index).eq(0..pool.len()), "each worker once: {seen:?}");
    seen.into_iter().map(|(_, tasks)| tasks).collect()
}

fn count_one() -> Task<Rc<Cell<usize>>> {
    Arc::new(|_, own: &mut Rc<Cell<usize>>| own.set(own.get() + 1))
}

#[test]
fn every_worker_runs_every_task_and_keeps_its_state() {
    let pool = counting(3);
    for _ in 0..100 {
        pool.start(count_one());
    }
    pool.wait();
    assert_eq!(tasks_done(&pool), [100; 3]);
    pool.start_first(2, count_one());
    pool.wait();
    assert_eq!(tasks_done(&pool), [101, 101, 100]);
}

#[test]
fn a_pool_without_workers_is_never_busy() {
    let pool = counting(0);
    pool.start(count_one());
    pool.wait();
    assert!(pool.is_empty() && !pool.is_running());
}

#[test]
fn resizing_keeps_the_state_of_remaining_workers() {
    let mut pool = counting(2);
    pool.start(count_one());
    pool.resize(4, Placement::default()).expect("four threads");
    assert_eq!(tasks_done(&pool), [1, 1, 0, 0]);
    pool.resize(1, Placement::default()).expect("one thread");
    assert_eq!(tasks_done(&pool), [1]);
}

#[test]
fn start_returns_at_once_and_wait_blocks_until_all_are_done() {
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
    assert_eq!(Arc::strong_count(&go_on), 1, "the task is dropped before wait returns");
}

#[test]
fn panicked_worker_is_reported_and_replaced_by_resizing() {
    let mut pool = counting(3);
    pool.start(Arc::new(|index, _| assert_ne!(index, 1, "worker one fails on purpose")));
    pool.wait();
    assert!(!pool.is_running());
    let failures = pool.failures();
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].worker, 1);
    assert!(failures[0].message.contains("worker one fails on purpose"), "{failures:?}");
    pool.start(count_one());
    pool.wait();
    pool.resize(3, Placement::default()).expect("a replacement");
    assert_eq!(pool.failures(), []);
    assert_eq!(tasks_done(&pool), [1, 0, 1]);
}

#[test]
fn panic_while_building_the_state_ends_the_resize_with_an_error() {
    let mut pool = Pool::new(|index| {
        assert!(index < 2, "no room for worker {index}");
        Ok(())
    });
    let error = pool.resize(4, Placement::default()).expect_err("two fail");
    assert_eq!((error.asked, error.running, pool.len()), (4, 2, 2));
    assert!(error.to_string().contains("no room for worker 2"), "{error}");
}

#[test]
fn failed_state_is_reported_and_running_workers_are_kept() {
    let room = Arc::new(AtomicUsize::new(2));
    let left = Arc::clone(&room);
    let mut pool = Pool::new(move |_| {
        let taken = left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        taken.map(|_| Rc::new(Cell::new(0))).map_err(|_| "no room".to_owned())
    });
    let error = pool.resize(4, Placement::default()).expect_err("room for two");
    // Workers after the first failure are not started.
    assert!(error.asked == 4 && error.running <= 2 && error.cause == "no room", "{error}");
    assert_eq!(pool.len(), error.running);
    room.store(1, Ordering::Relaxed);
    pool.resize(1, Placement::default()).expect("room for one");
    pool.start(count_one());
    room.store(0, Ordering::Relaxed);
    if let Some(&core) = available().first() {
        let error = pool.resize(1, on_core(core)).expect_err("no room for a replacement");
        assert_eq!((error.running, error.cause.as_str()), (1, "no room"));
    }
    assert_eq!(tasks_done(&pool), [1], "the running worker is kept");
}

#[test]
#[cfg_attr(miri, ignore = "Miri aborts when memory is refused")]
fn failed_thread_start_keeps_running_workers() {
    let mut pool = counting(2);
    pool.start(count_one());
    pool.wait();
    // No address space can hold such a stack.
    pool.stack_size = 1 << 60;
    let error = pool.resize(4, Placement::default()).expect_err("no such stack");
    assert_eq!((error.asked, error.running), (4, 2));
    assert_eq!(tasks_done(&pool), [1, 1]);
    if let Some(&core) = available().first() {
        let error = pool.resize(2, on_core(core)).expect_err("no replacement");
        assert_eq!((error.asked, error.running), (2, 2));
        assert_eq!(tasks_done(&pool), [1, 1], "the unpinned workers are kept");
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
fn pinned_workers_run_only_on_their_core() {
    let core = *available().last().expect("Linux reports the cores");
    let mut pool = Pool::new(|_| Ok(available()));
    let allowed = |pool: &Pool<Vec<usize>>| {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&seen);
        pool.start(Arc::new(move |_, own: &mut Vec<usize>| into.lock().push(own.clone())));
        pool.wait();
        seen.lock().clone()
    };
    pool.resize(2, on_core(core)).expect("two threads");
    assert_eq!(pool.bound(), 2);
    assert_eq!(allowed(&pool), [[core], [core]]);
    pool.resize(2, Placement::default()).expect("two threads");
    assert_eq!(pool.bound(), 0);
    assert_eq!(allowed(&pool), [available(), available()]);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
fn workers_bound_to_nodes_run_on_their_processors() {
    let all = available();
    let mut pool = Pool::new(|_| Ok(available()));
    // Two nodes that share no processor, or the same one twice where there is only one.
    let (left, right) = (vec![all[0]], all[all.len() / 2..].to_vec());
    let numa = NumaPolicy::Nodes(vec![left.clone(), right.clone()]);
    let placement = Placement { numa, ..Placement::default() };
    pool.resize(2, placement).expect("two threads");
    assert_eq!((pool.bound(), pool.bind_error()), (2, None));
    let seen = Arc::new(Mutex::new(vec![Vec::new(); 2]));
    let into = Arc::clone(&seen);
    pool.start(Arc::new(move |index, own: &mut Vec<usize>| into.lock()[index].clone_from(own)));
    pool.wait();
    for (node, cpus) in pool.memory_nodes().into_iter().zip(&*seen.lock()) {
        assert_eq!(*cpus, if node == Some(0) { left.clone() } else { right.clone() });
    }
    pool.resize(2, Placement { numa: NumaPolicy::Nodes(vec![vec![usize::MAX]]), ..Placement::default() })
        .expect("two threads, although they cannot be bound");
    assert!(pool.bound() == 0 && pool.bind_error().is_some(), "{:?}", pool.bind_error());
}

/// The state of a worker, which counts its live instances.
struct InstanceCounter(Arc<AtomicUsize>);

impl Drop for InstanceCounter {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Their memory is in `tests/pool_memory.rs`.
#[test]
#[cfg_attr(miri, ignore = "a thousand threads take hours")]
fn a_thousand_workers_start_run_and_end() {
    let alive = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&alive);
    let mut pool = Pool::new(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(InstanceCounter(Arc::clone(&count)))
    });
    pool.resize(1024, Placement::default()).expect("1024 threads");
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
    drop(pool);
    assert_eq!(alive.load(Ordering::Relaxed), 0, "each state is dropped before its worker is joined");
}

#[test]
#[cfg_attr(any(miri, not(target_os = "linux")), ignore = "needs the times of Linux")]
fn waiting_threads_use_no_processor_time() {
    let ticks = |ticks: Option<u64>| ticks.expect("/proc/thread-self/stat");
    let mut pool = Pool::new(|_| Ok(0));
    pool.resize(3, Placement::default()).expect("three threads");
    let spent = Arc::new(Mutex::new(Vec::new()));
    let since_last: Task<u64> = {
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
    // The first worker sleeps, two are idle, and this thread waits.
    pool.start_first(1, Arc::new(|_, _| std::thread::sleep(Duration::from_millis(500))));
    pool.wait();
    pool.start(since_last);
    pool.wait();
    spent.lock().push(ticks(own_ticks()) - own);
    // A spinning thread would use 50 ticks in half a second, or 10 if five threads share a core.
    assert!(spent.lock().iter().all(|&ticks| ticks <= 3), "ticks: {:?}", spent.lock());
}

/// Returns the processor time of this thread. Units: ticks, usually 10 ms.
fn own_ticks() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}
