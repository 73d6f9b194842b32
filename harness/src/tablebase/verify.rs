//! Computes every value of a table again from the positions one move away.

use rayon::prelude::*;
use stretto::tablebase::{Men, Outcome};
use stretto::types::Color;

use super::follow::Follow;
use super::generate::GenerateError;
use super::table::{Table, Tables};

/// A value that does not follow from its successors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Who is to move.
    pub side: Color,
    /// Where the men stand, in the order of the index.
    pub men: Men,
    /// What the table says.
    pub found: Outcome,
    /// What follows.
    pub expected: Outcome,
}

/// Checks all positions of a table; the first few that are wrong, and how many there are.
pub fn verify(table: &Table, tables: &Tables) -> Result<(u64, Vec<Mismatch>), GenerateError> {
    const SHOWN: usize = 10;
    let index = table.index();
    let mut all = Vec::new();
    for side in Color::ALL {
        let follow = Follow::new(table, side, tables)?;
        let wrong: Vec<Mismatch> = (0..index.rows())
            .into_par_iter()
            .filter_map(|number| index.row(number))
            .flat_map_iter(|row| {
                let outcomes = follow.outcomes(&row);
                let wrong = row.legal(side).into_iter().filter_map(|square| {
                    let (found, expected) = (table.at(side, row.place(square)), outcomes[square.index()]);
                    (found != expected).then(|| {
                        let men = row.with_last(square);
                        Mismatch { side, men, found, expected }
                    })
                });
                wrong.collect::<Vec<_>>()
            })
            .collect();
        all.extend(wrong);
    }
    Ok((all.len() as u64, all.into_iter().take(SHOWN).collect()))
}
