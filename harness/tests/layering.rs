//! Imports of the harness follow the layers that `lib.rs` documents.

use std::path::Path;

#[path = "../../engine/tests/layering/scan/mod.rs"]
mod scan;

use scan::layers::{Layers, file_violations};

scan::layer_tests!();

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
