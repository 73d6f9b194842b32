//! Finds the files that ship inside the program.
//!
//! In the repository they are among the configurations. A package of the crate has copies in
//! `packaged`: links in the repository, which `cargo package` replaces by the files.

use std::env;
use std::path::{Path, PathBuf};

/// Variable of the path, place in the repository, place in the package.
const SHIPPED: [(&str, &str, &str); 2] = [
    ("STRETTO_OPENINGS", "../configs/openings/balanced.epd", "packaged/balanced.epd"),
    ("STRETTO_POSITIONS", "../configs/smp/positions.epd", "packaged/positions.epd"),
];

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    for (variable, in_repository, in_package) in SHIPPED {
        let path = found(&package, in_repository).unwrap_or_else(|| package.join(in_package));
        println!("cargo::rerun-if-changed={}", path.display());
        println!("cargo::rustc-env={variable}={}", path.display());
    }
}

fn found(package: &Path, name: &str) -> Option<PathBuf> {
    let path = package.join(name);
    path.is_file().then_some(path)
}
