//! Imports of the harness follow the layers that `lib.rs` documents.

use std::path::Path;

#[path = "../../engine/tests/layering/scan/mod.rs"]
mod scan;

use scan::Sources;
use scan::cycles::cycles;
use scan::layers::{Layers, file_violations, violations};

fn sources() -> Sources {
    Sources::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

#[test]
fn imports_follow_the_layers_of_the_documentation() {
    let found = violations(&sources());
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn no_files_import_each_other_in_a_cycle() {
    let found = cycles(&sources());
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Returns the scanner's report on a file with this text.
fn report(path: &str, text: &str) -> Vec<String> {
    let lib = sources().0[Path::new("lib.rs")].clone();
    let layers = Layers::parse(&lib).expect("a list of layers");
    file_violations(Path::new(path), text, &layers)
}

#[test]
fn planted_violations_are_found() {
    for (path, text) in [
        ("report/sprt.rs", "use crate::play::schedule;"),
        ("base/units.rs", "use crate::report::Elo;"),
        ("run/mod.rs", "use crate::{config::Problem, play::referee};"),
        ("report/mod.rs", "use super::cli::Args;"),
        ("config/mod.rs", "use crate::*;"),
        ("play/openings/mod.rs", "use crate::tune::Tuning;"),
        ("widgets.rs", ""),
    ] {
        assert_eq!(report(path, text).len(), 1, "{path}: {text}");
    }
    let allowed = "use crate::{base::Llr, config::Problem}; use stretto::types::Score;";
    assert!(report("play/referee/mod.rs", allowed).is_empty());
}
