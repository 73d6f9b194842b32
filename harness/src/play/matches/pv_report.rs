//! The section of a report on wrong PVs: counts by engine and error, and examples.

use crate::play::pv_watch::{PvExample, WrongPvs};
use crate::report::Block;

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
    format!("{}, game {}: {}{place}:", engine.engine, example.game + 1, example.error)
}

/// Returns the lines of a dialogue that shows the error.
fn dialogue(example: &PvExample) -> String {
    format!("{}\n{}\nbestmove {}", example.position, example.line, example.best_move)
}

/// Returns the section; empty if no PV is wrong.
pub(super) fn section(found: &[WrongPvs]) -> Vec<Block> {
    if found.is_empty() {
        return Vec::new();
    }
    let examples =
        found.iter().flat_map(|engine| engine.examples.iter().map(move |example| (engine, example)));
    let examples = examples.flat_map(|(engine, example)| {
        [Block::paragraph(caption(engine, example)), Block::Code(dialogue(example))]
    });
    [Block::heading("Wrong PVs"), Block::table(&COLUMNS, rows(found))].into_iter().chain(examples).collect()
}
