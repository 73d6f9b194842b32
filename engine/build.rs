//! Says which network is built in: `EVALFILE` if it is set, else the project's own.

use std::env;
use std::path::{Path, PathBuf};

/// From the folder of the package.
const DEFAULT: &str = "networks/stretto.network";

fn main() {
    println!("cargo::rerun-if-env-changed=EVALFILE");
    println!("cargo::rerun-if-changed=build.rs");
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let file = match env::var_os("EVALFILE").filter(|name| !name.is_empty()) {
        // Cargo starts this in the package; what a user names is as seen from the workspace.
        Some(name) => package.parent().unwrap_or(Path::new("")).join(name),
        None => package.join(DEFAULT),
    };
    if file.is_file() {
        println!("cargo::rerun-if-changed={}", file.display());
        println!("cargo::rustc-env=STRETTO_NETWORK={}", file.display());
    } else {
        println!("cargo::error=no such network: {} (EVALFILE names the one to build in)", file.display());
    }
}
