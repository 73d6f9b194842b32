//! Tablebase support, compared to a reader and rules that share no code with it.
//!
//! Most tests need the three- and four-piece Syzygy tables of `make test-data` and are ignored
//! without them.

#[path = "../common/mod.rs"]
mod common;
#[path = "../data/mod.rs"]
mod data;
mod dtm;
mod files;
mod judge;
mod known_draws;
mod play;
mod published;
mod root;

use std::path::PathBuf;
use std::sync::Arc;

use stretto::tablebase::{Syzygy, TableUse, Tablebases};

/// Returns the folder of the Syzygy tables.
fn folder() -> PathBuf {
    data::collection("tb/syzygy")
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
