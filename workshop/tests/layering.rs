//! Imports of the workshop follow the layers that `lib.rs` documents.

use std::path::Path;

#[path = "../../engine/tests/layering/scan/mod.rs"]
mod scan;

use scan::Sources;
use scan::cycles::cycles;
use scan::layers::violations;

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
