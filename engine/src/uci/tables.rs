//! The options of the endgame tables.
//!
//! A running search keeps the tables it started with; the next search uses the new ones. Tables
//! that cannot be used are reported and skipped, which is no error.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::option::{UciOption, check, spin, text};
use super::state::SessionState;
use crate::tablebase::{DtmTables, Syzygy, TableUse};
use crate::types::Depth;

/// The largest number of unusable files that are reported one by one.
const MOST_NOTES: usize = 10;

/// Returns the options, with defaults read from the initial state.
pub(super) fn options(initial: &SessionState) -> Vec<UciOption> {
    let usage = initial.engine.configuration().tables.usage;
    vec![
        text("SyzygyPath", "", |state, paths| {
            let (syzygy, errors) = Syzygy::open(folders(paths));
            report("SyzygyPath", paths, &errors, &syzygy, state);
            let syzygy = (syzygy.max_pieces() > 0).then(|| Arc::new(syzygy));
            state.configure(|configuration| configuration.tables.syzygy = syzygy)
        }),
        spin("SyzygyProbeDepth", i64::from(usage.probe_depth.0), 1..=100, |state, plies| {
            state.configure(|configuration| configuration.tables.usage.probe_depth = Depth(plies as i32))
        }),
        spin(
            "SyzygyProbeLimit",
            usage.probe_limit as i64,
            0..=TableUse::MAX_LIMIT as i64,
            |state, pieces| {
                state.configure(|configuration| configuration.tables.usage.probe_limit = pieces as usize)
            },
        ),
        check("Syzygy50MoveRule", usage.has_fifty_moves, |state, on| {
            state.configure(|configuration| configuration.tables.usage.has_fifty_moves = on)
        }),
        text("TablePath", "", |state, paths| {
            let (own, errors) = DtmTables::open(folders(paths));
            report("TablePath", paths, &errors, &own, state);
            let own = if own.is_empty() { None } else { Some(Arc::new(own)) };
            state.configure(|configuration| configuration.tables.dtm = own.map(|own| own as _))
        }),
        check("EmbeddedTables", usage.has_embedded, |state, on| {
            state.configure(|configuration| configuration.tables.usage.has_embedded = on)
        }),
        check("Swindle", usage.swindles, |state, on| {
            state.configure(|configuration| configuration.tables.usage.swindles = on)
        }),
    ]
}

/// Splits a list of folders at the separator of the operating system.
fn folders(paths: &str) -> Vec<PathBuf> {
    std::env::split_paths(paths).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// Prints which tables were found and which were skipped.
fn report(
    option: &str,
    paths: &str,
    errors: &[impl fmt::Display],
    found: &impl fmt::Display,
    state: &SessionState,
) {
    let note = |text: String| state.output.note(&format!("{option}: {text}"));
    if paths.is_empty() {
        return note("no folder is set; these tables are not used".to_owned());
    }
    for error in errors.iter().take(MOST_NOTES) {
        note(format!("{error}, skipped"));
    }
    if let Some(more @ 1..) = errors.len().checked_sub(MOST_NOTES) {
        note(format!("{more} more files skipped"));
    }
    note(found.to_string());
}
