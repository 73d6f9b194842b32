//! Tablebase support, compared to a reader and rules that share no code with it.
//!
//! The tests use the three- and four-piece tables of the shared data folder and skip if it is
//! missing.

#[path = "../common/mod.rs"]
mod common;
mod dtm;
mod files;
mod judge;
mod known_draws;
mod play;
mod root;

use std::path::PathBuf;
use std::sync::Arc;

use stretto::tablebase::{Syzygy, TableUse, Tablebases};

/// Returns the folder of the tables; `None` with a note if it is missing.
fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/tb/syzygy"));
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: {} does not exist", folder.display());
    None
}

/// Opens the tables of a folder.
fn tables(folder: &std::path::Path) -> Tablebases {
    let (syzygy, errors) = Syzygy::open([folder]);
    assert!(errors.is_empty(), "{errors:?}");
    Tablebases { syzygy: Some(Arc::new(syzygy)), dtm: None, usage: TableUse::default() }
}

/// Returns the embedded tables only.
fn embedded() -> Tablebases {
    Tablebases { usage: TableUse { has_embedded: true, ..TableUse::default() }, ..Tablebases::default() }
}
