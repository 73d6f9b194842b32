//! The section of a report on wrong PVs: counts by engine and error, and examples.

use std::fmt::Write;

use maud::{Markup, html};

use crate::play::pv_watch::{PvExample, WrongPvs};
use crate::report::page::{markdown_table, table};

/// Heading of the section.
pub(super) const HEADING: &str = "Wrong PVs";
const COLUMNS: [&str; 4] = ["engine", "error", "PVs", "of checked"];

fn rows(found: &[WrongPvs]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for engine in found {
        for (error, count) in &engine.errors {
            rows.push(vec![
                engine.engine.clone(),
                error.to_string(),
                count.to_string(),
                engine.checked.to_string(),
            ]);
        }
    }
    rows
}

fn caption(engine: &WrongPvs, example: &PvExample) -> String {
    let place = example.pv_move.map_or_else(String::new, |number| format!(", move {number} of the PV"));
    format!("{}, game {}: {}{place}", engine.engine, example.game + 1, example.error)
}

/// Returns the lines of a dialogue that shows the error.
fn dialogue(example: &PvExample) -> String {
    format!("{}\n{}\nbestmove {}", example.position, example.line, example.best_move)
}

fn examples(found: &[WrongPvs]) -> impl Iterator<Item = (String, String)> {
    found.iter().flat_map(|engine| {
        engine.examples.iter().map(move |example| (caption(engine, example), dialogue(example)))
    })
}

/// Returns the section of the page; empty if no PV is wrong.
pub(super) fn section(found: &[WrongPvs]) -> Markup {
    html! {
        @if !found.is_empty() {
            h2 { (HEADING) }
            (table(&COLUMNS, &rows(found)))
            @for (caption, dialogue) in examples(found) {
                p { (caption) }
                pre { (dialogue) }
            }
        }
    }
}

/// Returns the section in Markdown.
pub(super) fn text(found: &[WrongPvs]) -> String {
    let mut text = markdown_table(&COLUMNS, &rows(found));
    for (caption, dialogue) in examples(found) {
        // A fence in the output of an engine would end the block.
        let dialogue = dialogue.replace('`', "'");
        let _ = write!(text, "\n{caption}:\n\n```\n{dialogue}\n```\n");
    }
    text
}
