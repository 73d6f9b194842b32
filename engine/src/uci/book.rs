//! The options of the opening book.
//!
//! `OwnBook` and `Book File` are the names that most GUIs know. `Best Book Move`, another common
//! name, overrides `Book Selection` when it is on.

use super::option::{UciOption, check, combo, spin, text};
use super::state::SessionState;
use crate::book::Selection;

/// Returns the options, with defaults read from the initial state.
pub(super) fn options(initial: &SessionState) -> Vec<UciOption> {
    let book = &initial.engine.book;
    vec![
        check("OwnBook", book.is_on, |state, on| {
            state.engine.book.is_on = on;
            Ok(())
        }),
        text("Book File", "", |state, path| {
            state.engine.book.load(path)?;
            if let Some(entries) = state.engine.book.entries() {
                state.output.note(&format!("Book File: {entries} entries"));
            }
            Ok(())
        }),
        check("Best Book Move", book.is_best_only, |state, on| {
            state.engine.book.is_best_only = on;
            Ok(())
        }),
        combo("Book Selection", book.selection, &Selection::ALL, Selection::name, |state, selection| {
            state.engine.book.selection = selection;
            Ok(())
        }),
        // Units: full moves.
        spin("Book Depth", i64::from(book.depth), 1..=999, |state, moves| {
            state.engine.book.depth = moves as u16;
            Ok(())
        }),
        check("Book Learning", book.uses_learned, |state, on| {
            state.engine.book.uses_learned = on;
            Ok(())
        }),
        // A new book has a random seed, which is what 0 stands for.
        spin("Book Seed", 0, 0..=i64::from(i32::MAX), |state, seed| {
            state.engine.book.reseed(seed as u64);
            Ok(())
        }),
    ]
}
