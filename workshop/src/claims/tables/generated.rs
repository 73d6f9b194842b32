//! Generation of the tables for the experiments, and visits of their positions.

use stretto::tablebase::{Metric, Outcome};
use stretto::types::Color;

use super::super::claim::Finding;
use crate::endgames::{Statistics, Table, Tables};
use stretto_harness::base::cancel::Cancel;

/// Generates tables with all their successors. Tables that cannot be generated are missing from the
/// result.
pub(super) fn made(names: &[impl AsRef<str>], metric: Metric) -> Tables {
    let mut tables = Tables::new(metric);
    for material in names.iter().filter_map(|name| name.as_ref().parse().ok()) {
        let _ = tables.make(material, metric, &Cancel::new());
    }
    tables
}

/// Evaluates one of the tables; without it the claim is not decided.
pub(super) fn look_at(tables: &Tables, name: &str, look: impl FnOnce(&Table, &Tables) -> Finding) -> Finding {
    match name.parse().ok().and_then(|material| tables.get(material)) {
        Some(table) => look(&table, tables),
        None => Finding::undecided(format!("{name} could not be generated")),
    }
}

pub(super) fn of_one(name: &str, metric: Metric, look: impl FnOnce(&Table, &Tables) -> Finding) -> Finding {
    look_at(&made(&[name], metric), name, look)
}

pub(super) fn positions_of(statistics: &Statistics) -> [u64; 2] {
    [0, 1].map(|side| statistics.sides[side].distinguishable.iter().sum())
}

/// Visits every legal position of a table.
pub(super) fn each_position(table: &Table, mut look: impl FnMut(Color, usize, Outcome)) {
    let index = table.index();
    for row in (0..index.rows()).filter_map(|number| index.row(number)) {
        for side in Color::ALL {
            for square in row.legal(side) & row.canonical() {
                let place = row.index_of(square);
                look(side, place, table.at(side, place));
            }
        }
    }
}
