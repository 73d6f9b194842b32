//! Many threads, memory nodes and the memory of the hash table.

use stretto::machine::binding::available;

use crate::driver::Engine;

/// Returns whether a line of the answer contains the text.
fn has(answer: &[String], text: &str) -> bool {
    answer.iter().any(|line| line.contains(text))
}

/// Returns a processor that the process may use. Number 0 may be reserved for others.
fn processor() -> usize {
    *available().first().expect("the system reports the processors")
}

#[test]
fn numa_policy_reports_how_the_threads_are_bound() {
    let mut engine = Engine::ready();
    engine.tell("setoption name Threads value 2");
    let answer = engine.tell("setoption name NumaPolicy value auto");
    assert!(answer.is_empty(), "the default changes nothing: {answer:?}");
    let answer = engine.tell("setoption name NumaPolicy value none");
    assert!(has(&answer, "info string NumaPolicy: ") && has(&answer, "threads not bound"), "{answer:?}");
    let cpu = processor();
    let answer = engine.tell(&format!("setoption name NumaPolicy value {cpu}"));
    assert!(has(&answer, &format!("threads bound: 2 to processors {cpu}")), "{answer:?}");
    let search = engine.go("depth 6");
    engine.check_moves(&search, false);
    engine.quit();
}

#[test]
fn system_lists_the_processor_of_each_pinned_thread() {
    let mut engine = Engine::ready();
    engine.tell("setoption name Threads value 2");
    let cpu = processor();
    let expected = format!("2 threads pinned, in turn to processors {cpu}: some share one");
    let answer = engine.tell(&format!("setoption name Affinity value {cpu}"));
    assert!(has(&answer, &expected), "a thread too many: {answer:?}");
    assert!(has(&engine.tell("system"), &expected));
    engine.tell("setoption name Threads value 1");
    assert!(engine.tell(&format!("setoption name Affinity value {cpu}")).is_empty());
    engine.quit();
}

#[test]
fn invalid_numa_policies_are_refused_with_the_reason() {
    let mut engine = Engine::ready();
    let cpu = processor();
    for (value, expected) in [
        ("some".to_owned(), "found 'some'".to_owned()),
        (format!("{cpu}:{cpu}"), format!("processor {cpu} is listed twice")),
        (format!("{cpu}:99999"), "processor 99999 of '99999' is not available to this process".to_owned()),
        (format!("{cpu}:"), "found ''".to_owned()),
    ] {
        let answer = engine.tell(&format!("setoption name NumaPolicy value {value}"));
        assert!(has(&answer, "option NumaPolicy: ") && has(&answer, &expected), "{value}: {answer:?}");
    }
    engine.quit();
}

#[test]
fn system_describes_nodes_and_the_prepared_table() {
    let mut engine = Engine::ready();
    engine.send("setoption name Hash value 8");
    engine.send("system");
    // `readyok` follows the touching of the table.
    let answer = engine.sync();
    assert!(has(&answer, "hash table of 8 MiB, not touched yet"), "{answer:?}");
    let answer = engine.tell("system");
    assert!(has(&answer, "network kernels, 1 thread on ") && has(&answer, "NUMA node"), "{answer:?}");
    assert!(has(&answer, "hash table of 8 MiB, ") && has(&answer, "huge pages"), "{answer:?}");
    assert!(!has(&answer, "not touched"), "{answer:?}");
    engine.quit();
}

#[test]
fn many_threads_never_exceed_a_node_limit() {
    let mut engine = Engine::ready();
    engine.tell("setoption name Threads value 64");
    for limit in [1, 700, 20_000, 300_000] {
        engine.tell("ucinewgame");
        engine.tell("position startpos");
        let search = engine.go(&format!("nodes {limit}"));
        assert!(search.nodes() <= limit, "{} of {limit} nodes", search.nodes());
        engine.check_moves(&search, false);
    }
    engine.quit();
}
