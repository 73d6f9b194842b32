//! loom models of the slot, table, control, pool, lockstep, result board and node limit. They are
//! checked in every interleaving up to a number of preemptions and under the memory model:
//! `RUSTFLAGS="--cfg loom" cargo test -p stretto-engine --release --test loom`.
//!
//! Each model runs the code that ships, through `stretto::sync`. Where a model tests a safeguard,
//! the same model without the safeguard must fail, which shows that the model exercises it.
#![cfg(loom)]

use std::num::NonZeroU64;

use loom::model::Builder;
use stretto::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use stretto::sync::{Arc, Mutex, thread};
use stretto::threads::control::{Hold, SearchControl};
use stretto::threads::lockstep::Lockstep;
use stretto::threads::node_budget::NodeBudget;
use stretto::threads::pinning::Pinning;
use stretto::threads::pool::Pool;
use stretto::threads::result_board::{Relay, ResultBoard};
use stretto::threads::vote::Ballot;
use stretto::tt::{ClearProgress, Record, Slot, TranspositionTable};
use stretto::types::{Bound, Depth, Key, Move, Nodes, Score, Square};

/// Checks a model with up to `preemptions` forced context switches, or with any number. According
/// to loom's guide, two or three find most errors.
fn check(preemptions: impl Into<Option<usize>>, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions.into();
    builder.check(model);
}

fn spawn(work: impl FnOnce() + Send + 'static) -> thread::JoinHandle<()> {
    thread::Builder::new().spawn(work).expect("a model grants threads")
}

/// Two words for a key and its data.
trait Pair: Send + Sync + 'static {
    fn new(words: [AtomicU64; 2]) -> Self;
    fn write(&self, key: Key, data: u64);
    fn read(&self, key: Key) -> Option<u64>;
}

/// The slot of the hash table.
struct Verified([AtomicU64; 2]);

impl Pair for Verified {
    fn new(words: [AtomicU64; 2]) -> Self {
        Self(words)
    }

    fn write(&self, key: Key, data: u64) {
        Slot(&self.0).write(key, data);
    }

    fn read(&self, key: Key) -> Option<u64> {
        match Slot(&self.0).read(key) {
            (data, true) if data != 0 => Some(data),
            _ => None,
        }
    }
}

/// A naive slot: the plain key next to the data.
struct Unverified([AtomicU64; 2]);

impl Pair for Unverified {
    fn new(words: [AtomicU64; 2]) -> Self {
        Self(words)
    }

    fn write(&self, key: Key, data: u64) {
        self.0[0].store(data, Ordering::Relaxed);
        self.0[1].store(key.0, Ordering::Relaxed);
    }

    fn read(&self, key: Key) -> Option<u64> {
        let data = self.0[0].load(Ordering::Relaxed);
        (self.0[1].load(Ordering::Relaxed) == key.0 && data != 0).then_some(data)
    }
}

const HERE: Key = Key(0x1234_5678_9ABC_DEF0);
const THERE: Key = Key(0xFEDC_BA98_7654_3210);

/// Runs two writers of different positions, one of which writes twice, and a reader.
fn slot_model<P: Pair>(read: Key) {
    check(None, move || {
        let pair = Arc::new(P::new([AtomicU64::new(0), AtomicU64::new(0)]));
        let (one, other) = (Arc::clone(&pair), Arc::clone(&pair));
        let first = spawn(move || {
            one.write(HERE, 0x11);
            one.write(HERE, 0x22);
        });
        let second = spawn(move || other.write(THERE, 0x33));
        let is_own = |found| match found {
            None => true,
            Some(0x11 | 0x22) => read == HERE,
            Some(data) => read == THERE && data == 0x33,
        };
        let found = pair.read(read);
        assert!(is_own(found), "{read} reads {found:x?}");
        first.join().expect("no panic");
        second.join().expect("no panic");
        // Also after both writers: each may have left half of its words.
        let found = pair.read(read);
        assert!(is_own(found) && found != Some(0x11), "{read} reads {found:x?} at rest");
    });
}

#[test]
fn slot_returns_only_data_of_the_requested_key() {
    slot_model::<Verified>(HERE);
    slot_model::<Verified>(THERE);
}

#[test]
#[should_panic(expected = "reads")]
fn without_verification_the_same_model_fails() {
    slot_model::<Unverified>(HERE);
}

/// Returns a record whose score, evaluation and depth agree, so that mixed words are detected.
fn record(depth: i32) -> Record {
    Record {
        mv: None,
        score: Score(depth),
        static_eval: Some(Score(-depth)),
        depth: Depth(depth),
        bound: Bound::Lower,
        is_pv: false,
    }
}

#[test]
fn table_returns_only_records_of_the_requested_key() {
    check(2, || {
        let table = Arc::new(TranspositionTable::with_clusters(1).expect("one line"));
        let (one, other) = (Arc::clone(&table), Arc::clone(&table));
        let first = spawn(move || one.store(HERE, record(5)));
        let second = spawn(move || other.store(THERE, record(7)));
        for (key, stored) in [(HERE, record(5)), (THERE, record(7))] {
            let found = table.probe(key);
            assert!(found.is_none() || found == Some(stored), "{key}: {found:?}");
        }
        first.join().expect("no panic");
        second.join().expect("no panic");
    });
}

/// Threads of two nodes and the owner clear a table together: each portion is claimed once.
#[test]
fn portions_of_the_table_are_claimed_once() {
    check(3, || {
        let clearing = Arc::new(ClearProgress::new(3, &[1, 2], 1));
        let claimed = Arc::new(Mutex::new(Vec::new()));
        let workers = [0, 1].map(|node| {
            let (clearing, claimed) = (Arc::clone(&clearing), Arc::clone(&claimed));
            spawn(move || {
                while let Some(portion) = clearing.claim(node) {
                    claimed.lock().push(portion);
                }
            })
        });
        while let Some(portion) = clearing.claim_any() {
            claimed.lock().push(portion);
        }
        for worker in workers {
            worker.join().expect("no panic");
        }
        claimed.lock().sort_unstable();
        assert_eq!(*claimed.lock(), [0, 1, 2]);
    });
}

/// Members of a ring write to one place in turn: never concurrently, always in the same order.
#[test]
fn lockstep_turns_are_exclusive_and_ordered() {
    check(2, || {
        let lockstep = Arc::new(Lockstep::new(2, NonZeroU64::MIN));
        let order = Arc::new(Mutex::new(Vec::new()));
        let busy = Arc::new(AtomicUsize::new(0));
        let members = [2, 1].into_iter().enumerate().map(|(member, turns)| {
            let (lockstep, order, busy) = (Arc::clone(&lockstep), Arc::clone(&order), Arc::clone(&busy));
            spawn(move || {
                let _turn = lockstep.join(member);
                for turn in 0..turns {
                    if turn > 0 {
                        lockstep.yield_turn(member);
                    }
                    assert_eq!(busy.fetch_add(1, Ordering::Relaxed), 0, "two members run at once");
                    order.lock().push(member);
                    busy.fetch_sub(1, Ordering::Relaxed);
                }
            })
        });
        for member in members.collect::<Vec<_>>() {
            member.join().expect("no panic");
        }
        assert_eq!(*order.lock(), [0, 1, 0]);
    });
}

/// A vote at this depth.
fn vote(depth: i32) -> Option<Ballot> {
    let mv = Move::normal(Square::from_index(8), Square::from_index(16));
    Some(Ballot { mv, score: Score(-depth), depth: Depth(depth) })
}

/// Threads reserve nodes until none are left, and one gives a node back: together they visit the
/// limit, never more.
#[test]
fn reserved_nodes_add_up_to_the_limit() {
    check(3, || {
        let budget = Arc::new(NodeBudget::new(Nodes(3), 2, Nodes(0)));
        let visited = Arc::new(AtomicU64::new(0));
        let threads = [true, false].map(|gives_back| {
            let (budget, visited) = (Arc::clone(&budget), Arc::clone(&visited));
            spawn(move || {
                let reserved = budget.reserve(2);
                let unused = reserved.min(u64::from(gives_back));
                budget.give_back(unused);
                visited.fetch_add(reserved - unused, Ordering::Relaxed);
            })
        });
        let reserved = budget.reserve(2);
        let before = visited.fetch_add(reserved, Ordering::Relaxed) + reserved;
        assert!(before <= 3, "{before} nodes visited");
        for thread in threads {
            thread.join().expect("no panic");
        }
        let rest: u64 = std::iter::repeat_with(|| budget.reserve(2)).take_while(|&batch| batch > 0).sum();
        assert_eq!(visited.load(Ordering::Relaxed) + rest, 3);
    });
}

/// Two depths of a quorum of two: whichever threads complete them, each is detected.
#[test]
fn quorum_is_detected_where_a_thread_skips_a_depth() {
    check(3, || {
        let board = Arc::new(ResultBoard::new(3, Relay::Half));
        let posters = [(0, [1, 2]), (1, [2, 2])].map(|(thread, depths)| {
            let board = Arc::clone(&board);
            spawn(move || {
                for depth in depths {
                    board.post(thread, Depth(depth), None, depth);
                }
            })
        });
        if let Some((depth, thread)) = board.completed(Depth(1)) {
            assert!(board.result_of(thread).expect("a posted result") >= depth.0);
        }
        for poster in posters {
            poster.join().expect("no panic");
        }
        assert_eq!(board.completed(Depth(1)).map(|(depth, _)| depth), Some(Depth(2)));
    });
}

/// Threads post while another reads, as in a relay: a depth reported as completed has complete
/// results on the board, and so has a ballot. When all have posted, the vote sees every ballot.
#[test]
fn results_of_a_completed_depth_are_readable() {
    check(3, || {
        let board = Arc::new(ResultBoard::new(2, Relay::First));
        let posters = [(0, 4), (1, 3)].map(|(thread, depth)| {
            let board = Arc::clone(&board);
            spawn(move || {
                for depth in depth..5 {
                    board.post(thread, Depth(depth), vote(depth), [depth, depth]);
                }
            })
        });
        if let Some((depth, thread)) = board.completed(Depth(3)) {
            let [one, other] = board.result_of(thread).expect("what was found");
            assert!(one == other && one >= depth.0, "{one} and {other} for {depth:?}");
        }
        if let Some(ballot) = board.ballot_of(1) {
            let [one, other] = board.result_of(1).expect("the result voted for");
            assert!(one == other && one >= ballot.depth.0, "{one} and {other} for {ballot:?}");
        }
        for poster in posters {
            poster.join().expect("no panic");
        }
        assert_eq!([0, 1].map(|thread| board.result_of(thread)), [Some([4, 4]); 2]);
        let depths = board.ballots().map(|(thread, ballot)| (thread, ballot.depth.0));
        assert_eq!(depths.collect::<Vec<_>>(), [(0, 4), (1, 4)]);
        assert_eq!(board.completed(Depth(4)), Some((Depth(4), 0)));
    });
}

/// Two threads that together form the quorum complete a depth concurrently: one of them detects it.
#[test]
fn quorum_is_detected_with_concurrent_posts() {
    check(3, || {
        let board = Arc::new(ResultBoard::new(3, Relay::Half));
        let posters = [0, 1].map(|thread| {
            let board = Arc::clone(&board);
            spawn(move || board.post(thread, Depth(4), None, thread))
        });
        if let Some((depth, thread)) = board.completed(Depth(1)) {
            assert_eq!((depth, board.result_of(thread)), (Depth(4), Some(thread)));
        }
        for poster in posters {
            poster.join().expect("no panic");
        }
        assert_eq!(board.completed(Depth(4)).map(|(depth, _)| depth), Some(Depth(4)));
    });
}

/// The command thread sends `go` and immediately `stop`, twice; the search would never end
/// otherwise.
#[test]
fn stop_right_after_go_ends_the_search() {
    check(3, || {
        let control = Arc::new(SearchControl::new());
        let searched = Arc::new(AtomicUsize::new(0));
        let mut pool = Pool::new(|_| ());
        pool.resize(1, Pinning::Off).expect("a model grants threads");
        // Too early; must not end the first search.
        control.stop();
        for _ in 0..2 {
            assert!(control.begin(Hold::Infinite));
            assert!(!control.should_stop());
            let (own, count) = (Arc::clone(&control), Arc::clone(&searched));
            pool.start(Arc::new(move |_, ()| {
                // Blocking replaces polling, which would not terminate in a model.
                own.wait_for_stop_or_ponderhit();
                assert!(own.should_stop());
                count.fetch_add(1, Ordering::Relaxed);
                own.finish();
            }));
            control.stop();
            control.wait_idle();
        }
        pool.wait();
        assert_eq!(searched.load(Ordering::Relaxed), 2);
    });
}

/// A `go` right after a `stop` waits for the previous search and is not stopped itself.
#[test]
fn stop_affects_only_the_running_search() {
    check(3, || {
        let control = Arc::new(SearchControl::new());
        assert!(control.begin(Hold::Free));
        let (main, helper) = (Arc::clone(&control), Arc::clone(&control));
        let helper = spawn(move || {
            // A helper may read the flag at any time.
            let _ = helper.should_stop();
        });
        let main = spawn(move || {
            main.stop();
            helper.join().expect("no panic");
            main.finish();
        });
        control.stop();
        assert!(control.begin(Hold::Free));
        assert!(!control.should_stop(), "the stop affects the previous search only");
        control.stop();
        assert!(control.should_stop());
        control.finish();
        main.join().expect("no panic");
    });
}

/// The search reports regardless of whether `ponderhit` comes before or after it is done, also with
/// a concurrent `stop`.
#[test]
fn ponderhit_is_never_lost() {
    check(3, || {
        let control = Arc::new(SearchControl::new());
        assert!(control.begin(Hold::Ponder));
        let (main, stopper) = (Arc::clone(&control), Arc::clone(&control));
        let main = spawn(move || {
            main.wait_for_stop_or_ponderhit();
            assert!(!main.is_pondering());
            main.finish();
        });
        let stopper = spawn(move || stopper.stop());
        control.ponderhit();
        control.wait_idle();
        main.join().expect("no panic");
        stopper.join().expect("no panic");
        assert!(control.begin(Hold::Free) && !control.should_stop());
    });
}

/// `quit` ends an infinite search and the workers are joined; a concurrent `go` runs or is
/// rejected, but never hangs.
#[test]
fn quit_ends_the_search_and_the_workers() {
    check(3, || {
        let control = Arc::new(SearchControl::new());
        let ended = Arc::new(Mutex::new(0));
        let mut pool = Pool::new(|_| ());
        pool.resize(1, Pinning::Off).expect("a model grants threads");
        let quitter = Arc::clone(&control);
        let quitter = spawn(move || quitter.quit());
        let mut begun = 0;
        if control.begin(Hold::Infinite) {
            begun += 1;
            let (own, count) = (Arc::clone(&control), Arc::clone(&ended));
            pool.start(Arc::new(move |_, ()| {
                own.wait_for_stop_or_ponderhit();
                assert!(own.should_stop());
                *count.lock() += 1;
                own.finish();
            }));
        }
        quitter.join().expect("no panic");
        control.wait_idle();
        drop(pool);
        assert_eq!(*ended.lock(), begun);
        assert!(!control.begin(Hold::Free));
    });
}

/// Two workers run two jobs each and end, in any order of waking.
#[test]
fn every_worker_runs_every_job() {
    check(2, || {
        let done = Arc::new(AtomicUsize::new(0));
        let mut pool = Pool::new(|_| 0);
        pool.resize(2, Pinning::Off).expect("a model grants threads");
        for _ in 0..2 {
            let count = Arc::clone(&done);
            pool.start(Arc::new(move |_, own: &mut usize| {
                *own += 1;
                count.fetch_add(1, Ordering::Relaxed);
            }));
        }
        pool.wait();
        assert_eq!(done.load(Ordering::Relaxed), 4);
        assert!(!pool.is_running());
    });
}

/// A worker that cannot allocate its state is reported, and the previous workers continue.
#[test]
fn failed_worker_start_blocks_no_thread() {
    check(2, || {
        let done = Arc::new(AtomicUsize::new(0));
        let mut pool =
            Pool::with_fallible_state(|index| if index == 0 { Ok(0) } else { Err("no room".to_owned()) });
        let error = pool.resize(2, Pinning::Off).expect_err("room for one");
        assert_eq!((error.running, pool.len()), (1, 1));
        let count = Arc::clone(&done);
        pool.start(Arc::new(move |_, own: &mut usize| {
            *own += 1;
            count.fetch_add(1, Ordering::Relaxed);
        }));
        pool.wait();
        assert_eq!(done.load(Ordering::Relaxed), 1);
    });
}
