//! The lines about the program and its machine, printed at start-up and by `speedtest`.

use crate::eval::network::Kernels;
use crate::machine::huge_pages::HugePages;

/// Returns the lines: version and commit, network kernels, threads and huge pages.
pub(super) fn describe(commit: Option<&str>, threads: usize) -> [String; 2] {
    let commit = commit.map_or_else(String::new, |commit| format!(", commit {commit}"));
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    [
        format!("Stretto {}{commit}", env!("CARGO_PKG_VERSION")),
        format!(
            "{} network kernels, {} on {}, {}",
            Kernels::best().name(),
            count(threads, "thread"),
            count(num_cpus::get(), "processor"),
            HugePages::of_this_system()
        ),
    ]
}
