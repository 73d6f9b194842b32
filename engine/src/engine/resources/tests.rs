//! Tests of the threads and the hash table of an engine.

use super::*;
use crate::engine::tests::NullSink;
use crate::machine::binding::available;
use crate::search::limits::Limits;
use crate::tt::Record;
use crate::types::{Bound, Depth, Key, Permille, Score};

fn engine() -> Engine {
    let mut engine = Engine::new(Arc::new(NullSink)).expect("an engine");
    engine.set_hash(Mebibytes(8)).expect("eight MiB");
    engine
}

fn search(engine: &mut Engine) -> Permille {
    engine.go(Limits { depth: Some(Depth(8)), ..Limits::default() });
    engine.wait();
    engine.hashfull()
}

#[test]
fn new_table_is_touched_when_prepared_and_a_used_one_is_kept() {
    let mut engine = engine();
    assert!(engine.describe_table().contains("8 MiB, not touched yet"), "{}", engine.describe_table());
    engine.prepare();
    assert!(!engine.describe_table().contains("not touched"), "{}", engine.describe_table());
    assert!(search(&mut engine) > Permille(0));
    engine.prepare();
    assert!(engine.hashfull() > Permille(0), "a table in use is not cleared");
    engine.set_hash(Mebibytes(4)).expect("four MiB");
    assert!(search(&mut engine) > Permille(0));
    engine.prepare();
    assert!(engine.hashfull() > Permille(0), "the search has touched the table");
}

#[test]
fn refused_hash_keeps_the_table_and_its_contents() {
    let mut engine = engine();
    assert!(search(&mut engine) > Permille(0));
    assert!(engine.set_hash(Mebibytes(99_999_999)).is_err());
    assert_eq!(engine.hash(), Mebibytes(8));
    assert!(engine.hashfull() > Permille(0));
}

#[test]
fn options_that_empty_the_table_do_not_touch_a_new_one() {
    let mut engine = engine();
    let toggle = |engine: &mut Engine| {
        engine.configure(|next| next.tables.usage.has_fifty_moves ^= true).expect("memory");
    };
    let evaluation = engine.configuration().evaluation.clone();
    toggle(&mut engine);
    engine.set_evaluation(evaluation).expect("memory");
    engine.clear_hash();
    assert!(engine.describe_table().contains("not touched yet"), "{}", engine.describe_table());
    engine.prepare();
    assert!(search(&mut engine) > Permille(0));
    toggle(&mut engine);
    assert!(engine.hashfull() == Permille(0) && !engine.describe_table().contains("not touched"));
    engine.set_hash(Mebibytes(4)).expect("four MiB");
    engine.new_game();
    assert!(!engine.describe_table().contains("not touched"), "{}", engine.describe_table());
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
fn pinned_threads_are_described_one_by_one() {
    let all = available();
    let (first, last) = (all[0], all[all.len() - 1]);
    let mut engine = engine();
    engine.set_pinning(Pinning::List(vec![last, first])).expect("one thread");
    let one = format!("1 thread pinned to processor {last}");
    assert!(engine.describe_places().ends_with(&one), "{}", engine.describe_places());
    engine.set_threads(3).expect("three threads");
    let cpus = if first == last { last.to_string() } else { format!("{last}, {first}") };
    let three =
        format!("3 threads pinned, in turn to processors {cpus}: some share one and slow the others down");
    assert!(engine.describe_places().ends_with(&three), "{}", engine.describe_places());
}

#[test]
fn more_unbound_threads_keep_the_table() {
    let mut engine = engine();
    engine.prepare();
    assert!(search(&mut engine) > Permille(0));
    engine.set_threads(3).expect("three threads");
    assert!(engine.hashfull() > Permille(0));
}

/// Two nodes that share no processor, or the same one twice where there is only one.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
fn table_is_touched_again_when_its_pages_belong_elsewhere() {
    let all = available();
    let nodes = vec![vec![all[0]], all[all.len() / 2..].to_vec()];
    let mut engine = engine();
    engine.prepare();
    assert_eq!(engine.pages_by_node(), [(None, 4)]);
    assert!(search(&mut engine) > Permille(0));
    engine.set_numa_policy(NumaPolicy::Nodes(nodes)).expect("one thread");
    assert_eq!(engine.pages_by_node(), [(Some(0), 4)], "one thread is on the first node");
    assert!(engine.table_state == TableState::Untouched && engine.hashfull() == Permille(0));
    engine.set_threads(2).expect("two threads");
    let by_node = engine.pages_by_node();
    assert_eq!(by_node, [(Some(0), 2), (Some(1), 2)], "each node touches half");
    engine.prepare();
    let cpus = |cpus: &[usize]| lists(&[cpus.to_vec()]);
    let (first, second) = (cpus(&all[..1]), cpus(&all[all.len() / 2..]));
    let expected = format!("threads bound: 1 to processors {first}, 1 to processors {second}");
    assert!(engine.describe_places().ends_with(&expected), "{}", engine.describe_places());
    assert!(search(&mut engine) > Permille(0));
    engine.set_threads(4).expect("four threads");
    assert_eq!(engine.pages_by_node(), by_node);
    assert!(engine.hashfull() > Permille(0), "the pages stay where they are");
    engine.set_numa_policy(NumaPolicy::None).expect("four threads");
    assert_eq!(engine.pages_by_node(), [(None, 4)]);
    assert!(engine.describe_places().ends_with("threads not bound"), "{}", engine.describe_places());
}

#[test]
fn clean_table_is_not_cleared_again() {
    let mut engine = engine();
    engine.prepare();
    // A record that no search has stored shows whether the memory is written.
    let record = Record {
        mv: None,
        score: Score::DRAW,
        static_eval: None,
        depth: Depth(9),
        bound: Bound::Exact,
        is_pv: false,
    };
    engine.shared.tt.store(Key(7), record);
    engine.new_game();
    assert!(engine.shared.tt.probe(Key(7)).is_some(), "no search has used the table");
    assert!(search(&mut engine) > Permille(0));
    engine.new_game();
    assert_eq!((engine.shared.tt.probe(Key(7)), engine.hashfull()), (None, Permille(0)));
}
