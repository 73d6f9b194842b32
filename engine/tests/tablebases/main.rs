//! The engine with endgame tables, held against a reader and rules that share no code with its own use of them.
//!
//! The tables are those of the shared data folder, all of three and four men; without it the tests say that they skip.

#[path = "../common/mod.rs"]
mod common;
mod files;
mod judge;
mod known_draws;
mod own;
mod play;
mod root;

use std::path::PathBuf;
use std::sync::Arc;

use stretto::tablebase::{Syzygy, TableUse, Tablebases};

/// Where the tables are, or `None`, with a word about it, where they are not.
fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/tb/syzygy"));
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: {} is not there", folder.display());
    None
}

/// The tables of a folder, as an engine has them.
fn tables(folder: &std::path::Path) -> Tablebases {
    let (syzygy, errors) = Syzygy::open([folder]);
    assert!(errors.is_empty(), "{errors:?}");
    Tablebases { syzygy: Some(Arc::new(syzygy)), own: None, usage: TableUse::default() }
}

/// Those that are part of the program.
fn embedded() -> Tablebases {
    Tablebases { usage: TableUse { has_embedded: true, ..TableUse::default() }, ..Tablebases::default() }
}
