//! loom models of the slot, table, control, pool, lockstep, result board, election and node limit. They are
//! checked in every interleaving up to a number of preemptions and under the memory model:
//! `RUSTFLAGS="--cfg loom" cargo test -p stretto-engine --release --test loom`.
//!
//! Each model runs the code that ships, through `stretto::sync`. Where a model tests a safeguard,
//! the same model without the safeguard must fail, which shows that the model exercises it.
#![cfg(loom)]

use std::cell::Cell;
use std::num::NonZeroU64;

use loom::model::Builder;
use stretto::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use stretto::sync::{Arc, Mutex, thread};
use stretto::threads::control::{Hold, RunningWorkers, SearchControl};
use stretto::threads::lockstep::Lockstep;
use stretto::threads::node_budget::NodeBudget;
use stretto::threads::placement::Placement;
use stretto::threads::pool::Pool;
use stretto::threads::result_board::ResultBoard;
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

fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> thread::JoinHandle<T> {
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

/// A helper reserves all it may get before the main thread has completed an iteration of two nodes. The
/// iteration gets its nodes, and all threads together the limit.
fn kept_nodes_model(kept: u64) {
    check(3, move || {
        let budget = Arc::new(NodeBudget::new(Nodes(3), 2, Nodes(kept)));
        let own = Arc::clone(&budget);
        let helper = spawn(move || {
            for _ in 0..2 {
                if let Some(reserved) = own.reserve_as_helper(1) {
                    own.give_back(reserved);
                    let _ = own.reserve_as_helper(1);
                }
            }
        });
        assert_eq!([budget.reserve(1), budget.reserve(1)], [1, 1], "nodes of the first iteration");
        budget.open();
        helper.join().expect("no panic");
    });
}

#[test]
fn kept_nodes_are_left_to_the_main_thread() {
    kept_nodes_model(2);
}

#[test]
#[should_panic(expected = "nodes of the first iteration")]
fn without_kept_nodes_the_same_model_fails() {
    kept_nodes_model(0);
}

/// Once the main thread has opened the budget, a helper gets what is left of the kept nodes.
#[test]
fn kept_nodes_that_are_not_needed_go_to_the_helpers() {
    check(3, || {
        let budget = Arc::new(NodeBudget::new(Nodes(3), 2, Nodes(2)));
        let own = Arc::clone(&budget);
        let helper = spawn(move || own.reserve_as_helper(1).unwrap_or(0));
        let reserved = budget.reserve(1);
        budget.open();
        let before = reserved + helper.join().expect("no panic");
        let rest = std::iter::repeat_with(|| budget.reserve_as_helper(1).expect("the budget is open"));
        assert_eq!(before + rest.take_while(|&batch| batch > 0).sum::<u64>(), 3);
    });
}

/// Threads post while another reads, as in a relay: a ballot has a complete result on the board. When all
/// have posted, the vote sees every ballot.
#[test]
fn result_of_a_ballot_is_readable() {
    check(3, || {
        let board = Arc::new(ResultBoard::new(2));
        let posters = [(0, 4), (1, 3)].map(|(thread, depth)| {
            let board = Arc::clone(&board);
            spawn(move || {
                for depth in depth..5 {
                    board.post(thread, vote(depth), [depth, depth]);
                }
            })
        });
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
    });
}

/// An election on a board, which the model needs twice.
type Elect = fn(&ResultBoard<Move>, &dyn Fn(&[Ballot]) -> usize) -> (usize, Move);

/// The election of the search.
fn elect(board: &ResultBoard<Move>, choose: &dyn Fn(&[Ballot]) -> usize) -> (usize, Move) {
    board.elect(choose, |&mv| Some(mv))
}

/// A naive election, which takes the winner's result as it is.
fn elect_once(board: &ResultBoard<Move>, choose: &dyn Fn(&[Ballot]) -> usize) -> (usize, Move) {
    let (voters, ballots): (Vec<usize>, Vec<Ballot>) = board.ballots().unzip();
    let winner = voters[choose(&ballots)];
    (winner, board.result_of(winner).expect("a result"))
}

/// The votes are counted while a helper posts its first result and then another move. The move that
/// was elected is that of the result.
fn election_model(elect: Elect) {
    check(3, move || {
        let board = Arc::new(ResultBoard::new(2));
        let post = |board: &ResultBoard<Move>, thread, depth: i32| {
            let mv = Move::normal(Square::from_index(8), Square::from_index(16 + depth as usize));
            let ballot = Ballot { mv, score: Score(0), depth: Depth(depth) };
            board.post(thread, Some(ballot), mv);
        };
        post(&board, 0, 1);
        let own = Arc::clone(&board);
        let helper = spawn(move || {
            post(&own, 1, 2);
            post(&own, 1, 3);
        });
        let chosen = Cell::new(None);
        let deepest = |ballots: &[Ballot]| {
            chosen.set(ballots.last().map(|ballot| ballot.mv));
            ballots.len() - 1
        };
        let (winner, mv) = elect(&board, &deepest);
        assert_eq!(chosen.get(), Some(mv), "the result of another ballot of thread {winner}");
        helper.join().expect("no panic");
    });
}

#[test]
fn elected_result_has_the_move_of_its_ballot() {
    election_model(elect);
}

#[test]
#[should_panic(expected = "the result of another ballot")]
fn election_without_a_recount_fails() {
    election_model(elect_once);
}

/// The count of the workers that have not left.
trait Leaving: Send + Sync + 'static {
    fn new(workers: usize) -> Self;
    fn leave(&self) -> bool;
}

impl Leaving for RunningWorkers {
    fn new(workers: usize) -> Self {
        Self::new(workers)
    }

    fn leave(&self) -> bool {
        self.leave()
    }
}

/// A count that orders nothing.
struct Unordered(AtomicUsize);

impl Leaving for Unordered {
    fn new(workers: usize) -> Self {
        Self(AtomicUsize::new(workers))
    }

    fn leave(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

/// The main worker stops the helper and leaves, before or after it. One of them ends the search, and
/// the command thread then sees what both have written.
fn leaving_model<L: Leaving>() {
    check(3, || {
        let control = Arc::new(SearchControl::new());
        assert!(control.begin(Hold::Free));
        let running = Arc::new(L::new(2));
        let written = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let ended = Arc::new(AtomicUsize::new(0));
        let workers = [0, 1].map(|worker| {
            let (control, running) = (Arc::clone(&control), Arc::clone(&running));
            let (written, ended) = (Arc::clone(&written), Arc::clone(&ended));
            spawn(move || {
                written[worker].store(1, Ordering::Relaxed);
                if worker == 0 {
                    control.stop();
                }
                if running.leave() {
                    ended.fetch_add(1, Ordering::Relaxed);
                    control.finish();
                }
            })
        });
        control.wait_idle();
        assert_eq!(ended.load(Ordering::Relaxed), 1, "workers that end the search");
        let seen = [0, 1].map(|worker| written[worker].load(Ordering::Relaxed));
        assert_eq!(seen, [1, 1], "writes of the workers");
        for worker in workers {
            worker.join().expect("no panic");
        }
    });
}

#[test]
fn last_worker_to_leave_ends_the_search() {
    leaving_model::<RunningWorkers>();
}

#[test]
#[should_panic(expected = "writes of the workers")]
fn workers_that_leave_without_ordering_fail() {
    leaving_model::<Unordered>();
}

/// The command thread sends `go` and immediately `stop`, twice; the search would never end
/// otherwise.
#[test]
fn stop_right_after_go_ends_the_search() {
    check(3, || {
        let control = Arc::new(SearchControl::new());
        let searched = Arc::new(AtomicUsize::new(0));
        let mut pool = Pool::new(|_| Ok(()));
        pool.resize(1, Placement::default()).expect("a model grants threads");
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
        let mut pool = Pool::new(|_| Ok(()));
        pool.resize(1, Placement::default()).expect("a model grants threads");
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
        let mut pool = Pool::new(|_| Ok(0));
        pool.resize(2, Placement::default()).expect("a model grants threads");
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
        let mut pool = Pool::new(|index| if index == 0 { Ok(0) } else { Err("no room".to_owned()) });
        let error = pool.resize(2, Placement::default()).expect_err("room for one");
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
