//! Runs one kernel repeatedly; `make instructions` runs it under callgrind.
//!
//! `cargo run --release -p stretto-engine --example kernels -- see 10`; without arguments, lists the
//! names.

#[path = "../benches/support/kernels.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, reason = "shared with the benches, which use more")]
mod kernels;

use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, times] = &args[..] else {
        for (name, _) in kernels::KERNELS {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    };
    let kernel = kernels::KERNELS.iter().find(|(known, _)| known == name);
    let (Some((_, work)), Ok(times)) = (kernel, times.parse::<u32>()) else {
        eprintln!(
            "expected a kernel name and a number of repetitions; run without arguments to list the names"
        );
        return ExitCode::from(2);
    };
    let mut kernels = kernels::Kernels::new();
    for _ in 0..times {
        black_box(work(black_box(&mut kernels)));
    }
    ExitCode::SUCCESS
}
