//! Imports inside the harness go one way: each module uses only what stands to its left.

use std::path::Path;

#[path = "../../engine/tests/layering/scan.rs"]
mod scan;

/// From the units to the command line; see `STYLE.md`. `openings` knows only files and positions, so that
/// `config` can name its formats; `runner` plays what `schedule` plans, and everything that plays games uses it.
const ORDER: scan::Order<'_> = &[
    &["units", "random", "cancel", "cpus", "stolen", "crew", "epd", "pgn", "instructions"],
    &["stats", "openings", "training_data", "tablebase"],
    &["config"],
    &["uci_client"],
    &["store"],
    &["verdict", "plan"],
    &["referee", "schedule"],
    &["runner", "opening_maker", "book"],
    &["searches"],
    &[
        "suite",
        "smp",
        "equivalence",
        "bench",
        "tune",
        "screening",
        "tune_eval",
        "datagen",
        "claims",
        "doctor",
        "openbench",
    ],
    &["train", "ablation"],
    &["progress", "report"],
    &["cli"],
];

#[test]
fn imports_follow_the_layers() {
    let found = scan::violations(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), ORDER);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Unsafe code is the call of the vector kernels in training and nothing else. The clock of the wall dates runs and games; what
/// is measured or limited is measured by `Instant`, which no set clock moves. Programs are started by their path and a list
/// of arguments, in these places.
#[test]
fn what_needs_care_stands_where_it_is_looked_after() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(scan::files_with(&src, &["unsafe"]), ["train/gradient.rs"]);
    assert_eq!(scan::files_with(&src, &["SystemTime"]), ["cli.rs", "cli/session.rs", "runner/worker.rs"]);
    assert_eq!(scan::files_with(&src, &["transmute"]), [""; 0]);
    let starters = ["cli/slow.rs", "doctor/machine.rs", "instructions.rs", "uci_client/process.rs"];
    assert_eq!(scan::files_with(&src, &["Command", "new"]), starters);
}

#[test]
fn planted_violations_are_found() {
    for (path, text) in [
        ("stats/sprt.rs", "use crate::schedule::run;"),
        ("units.rs", "use crate::stats::Elo;"),
        ("store/mod.rs", "use crate::{config::Match, referee::play};"),
        ("report.rs", "use super::cli::Args;"),
        ("config/mod.rs", "use crate::*;"),
        ("openings/mod.rs", "use crate::config::Openings;"),
        ("widgets.rs", ""),
    ] {
        assert_eq!(scan::file_violations(Path::new(path), text, ORDER).len(), 1, "{path}: {text}");
    }
    let allowed = "use crate::{stats::Llr, config::Match}; use stretto::types::Score;";
    assert!(scan::file_violations(Path::new("referee/mod.rs"), allowed, ORDER).is_empty());
}
