//! Selects the network to embed: `EVALFILE` if it is set, otherwise the project's own.

use std::env;
use std::path::{Path, PathBuf};

/// Default network, relative to the package folder.
const DEFAULT: &str = "networks/stretto.network";

fn main() {
    println!("cargo::rerun-if-env-changed=EVALFILE");
    println!("cargo::rerun-if-changed=build.rs");
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let file = match env::var_os("EVALFILE").filter(|name| !name.is_empty()) {
        // Cargo runs this in the package folder; `EVALFILE` is relative to the workspace folder.
        Some(name) => package.parent().unwrap_or(Path::new("")).join(name),
        None => package.join(DEFAULT),
    };
    if file.is_file() {
        println!("cargo::rerun-if-changed={}", file.display());
        println!("cargo::rustc-env=STRETTO_NETWORK={}", file.display());
    } else {
        println!(
            "cargo::error=network file not found: {} (set EVALFILE to the network to embed)",
            file.display()
        );
    }
}
