//! What the options of the endgame tables do.
//!
//! A search that runs keeps the tables it began with; the next one has the new ones. Nothing a user names here is an error:
//! what cannot be used is told, and play goes on with the rest.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::options::{OptionValue, TableOption};
use crate::engine::Engine;
use crate::tablebase::{OwnTables, Syzygy};
use crate::types::Depth;

/// So many files that cannot be used are told one by one.
const MOST_NOTES: usize = 10;

/// Does what an option with a checked value asks for. Returns what the user should be told.
pub(super) fn apply(option: TableOption, value: &OptionValue, engine: &mut Engine) -> Vec<String> {
    let tables = &mut engine.configuration.tables;
    match (option, value) {
        (TableOption::SyzygyPath, OptionValue::String(text)) => {
            let (syzygy, errors) = Syzygy::open(folders(text));
            let notes = notes("SyzygyPath", text, &errors, &syzygy);
            tables.syzygy = (syzygy.men() > 0).then(|| Arc::new(syzygy));
            return notes;
        }
        (TableOption::TablePath, OptionValue::String(text)) => {
            let (own, errors) = OwnTables::open(folders(text));
            let notes = notes("TablePath", text, &errors, &own);
            tables.own = if own.is_empty() { None } else { Some(Arc::new(own)) };
            return notes;
        }
        (TableOption::Embedded, &OptionValue::Check(on)) => tables.usage.has_embedded = on,
        (TableOption::ProbeDepth, &OptionValue::Spin(plies)) => {
            tables.usage.probe_depth = Depth(plies as i32);
        }
        (TableOption::ProbeLimit, &OptionValue::Spin(men)) => tables.usage.probe_limit = men as usize,
        (TableOption::FiftyMoveRule, &OptionValue::Check(on)) if tables.usage.has_fifty_moves != on => {
            tables.usage.has_fifty_moves = on;
            // The hash table keeps scores that now mean something else.
            engine.clear_hash();
        }
        _ => {}
    }
    Vec::new()
}

/// The folders of a list as the system writes such lists.
fn folders(text: &str) -> Vec<PathBuf> {
    std::env::split_paths(text).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// What to tell of the tables that an option has found.
fn notes(option: &str, text: &str, errors: &[impl fmt::Display], found: &impl fmt::Display) -> Vec<String> {
    if text.is_empty() {
        return vec![format!("{option}: no folder, no such tables are used")];
    }
    let mut notes: Vec<String> =
        errors.iter().take(MOST_NOTES).map(|error| format!("{option}: {error}, left out")).collect();
    if let Some(more @ 1..) = errors.len().checked_sub(MOST_NOTES) {
        notes.push(format!("{option}: {more} more left out"));
    }
    notes.push(format!("{option}: {found}"));
    notes
}
