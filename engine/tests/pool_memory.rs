//! Memory of idle workers. This is the only test of its process, because the others would count too.

#![cfg(target_os = "linux")]

use std::fs;

use stretto::threads::placement::Placement;
use stretto::threads::pool::Pool;

fn resident_kibibytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").expect("the status of this process");
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a resident size");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}

#[test]
fn a_thousand_idle_workers_need_little_memory() {
    let mut pool = Pool::new(|_| Ok(()));
    let before = resident_kibibytes();
    pool.resize(1024, Placement::default()).expect("1024 threads");
    let grown = resident_kibibytes() - before;
    // Measured: 10.8 MiB, less than three pages each. Two more pages each are allowed for other
    // systems; a stack that is touched at its start needs far more.
    assert!(grown < 20 << 10, "{grown} KiB for 1024 workers");
}
