//! Imports follow the arrows of STYLE.md: a module uses only modules of lower layers.

use std::fs;
use std::path::{Path, PathBuf};

/// Layers from the ground up; modules of one layer may use each other.
const LAYERS: [&[&str]; 6] = [
    &["units", "stats", "openings", "cancel"],
    &["config"],
    &["uci_client", "store"],
    &["referee", "schedule", "verdict", "opening_maker"],
    &["runner", "progress"],
    &["cli"],
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

fn rust_files(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a readable folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn imports_point_downwards() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut checked = 0;
    for file in files {
        let inside = file.strip_prefix(&source).expect("a file of the crate");
        let module = inside.iter().next().expect("a name").to_string_lossy().replace(".rs", "");
        if matches!(module.as_str(), "lib" | "main") {
            continue;
        }
        let own = layer(&module).unwrap_or_else(|| panic!("{module} belongs to no layer: add it to LAYERS"));
        let text = fs::read_to_string(&file).expect("a readable file");
        for used in text.split("crate::").skip(1) {
            let end = used.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(used.len());
            let used = &used[..end];
            let other =
                layer(used).unwrap_or_else(|| panic!("{}: crate::{used} has no layer", inside.display()));
            assert!(other <= own, "{} uses {used}, which lies above it", inside.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} imports seen");
}
