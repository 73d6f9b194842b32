//! Checks the imports of a crate. Shared by the layering tests of the engine and the harness.
//!
//! The checks read source text, not the compiler's view. [`layers`] reads the order of the modules
//! from the crate's documentation and finds imports against it; [`cycles`] finds files that import
//! each other.

pub(crate) mod cycles;
pub(crate) mod layers;
mod tokens;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Declares the tests of a crate: its imports follow the layers, and no files import each other in a cycle.
macro_rules! layer_tests {
    () => {
        /// Returns the sources of this crate.
        fn sources() -> $crate::scan::Sources {
            $crate::scan::Sources::read(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
        }

        #[test]
        fn imports_follow_the_layers_of_the_documentation() {
            let found = $crate::scan::layers::violations(&sources());
            assert!(found.is_empty(), "\n{}", found.join("\n"));
        }

        #[test]
        fn no_files_import_each_other_in_a_cycle() {
            let found = $crate::scan::cycles::cycles(&sources());
            assert!(found.is_empty(), "\n{}", found.join("\n"));
        }
    };
}
pub(crate) use layer_tests;

/// The source files of a crate by path relative to `src`.
pub(crate) struct Sources(pub(crate) BTreeMap<PathBuf, String>);

impl Sources {
    /// Reads all source files below `src`.
    pub(crate) fn read(src: &Path) -> Self {
        let mut files = BTreeMap::new();
        collect(src, src, &mut files);
        assert!(!files.is_empty(), "no sources under {}", src.display());
        Self(files)
    }
}

fn collect(folder: &Path, src: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("src is readable").path();
        if path.is_dir() {
            collect(&path, src, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("sources are readable UTF-8");
            files.insert(path.strip_prefix(src).expect("found under src").to_owned(), text);
        }
    }
}

/// Returns the module of a file: `search/driver/mod.rs` gives search, driver. The crate's roots
/// have an empty path.
fn module_of(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> =
        path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let last = parts.last().map(String::as_str);
    if last == Some("mod") || (parts.len() == 1 && matches!(last, Some("lib" | "main"))) {
        parts.pop();
    }
    parts
}
