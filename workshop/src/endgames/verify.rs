//! Verification of a table by recomputing every value from its successors.

use rayon::prelude::*;
use stretto::tablebase::{Outcome, PieceSquares};
use stretto::types::Color;

use super::generate::GenerateError;
use super::lookahead::Lookahead;
use super::table::{Table, Tables};

/// A value that does not follow from its successors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub side: Color,
    /// Squares of the pieces, in the order of the index.
    pub squares: PieceSquares,
    /// Value in the table.
    pub found: Outcome,
    /// Value from the successors.
    pub expected: Outcome,
}

/// Maximum number of wrong values described.
const SHOWN: usize = 10;

/// The number of wrong values, and the first of them.
type Mismatches = (u64, Vec<Mismatch>);

/// Verifies all positions of a table; returns the number of wrong values and the first of them.
pub(crate) fn verify(table: &Table, tables: &Tables) -> Result<(u64, Vec<Mismatch>), GenerateError> {
    let index = table.index();
    let mut all = Mismatches::default();
    for side in Color::ALL {
        let follow = Lookahead::new(table, side, tables)?;
        let wrong = (0..index.rows())
            .into_par_iter()
            .filter_map(|number| index.row(number))
            .map(|row| {
                let outcomes = follow.outcomes(&row);
                let wrong = row.legal(side).into_iter().filter_map(|square| {
                    let (found, expected) = (table.at(side, row.index_of(square)), outcomes[square.index()]);
                    (found != expected).then(|| {
                        let squares = row.with_last(square);
                        Mismatch { side, squares, found, expected }
                    })
                });
                let wrong: Vec<Mismatch> = wrong.collect();
                (wrong.len() as u64, wrong)
            })
            .reduce(Mismatches::default, join);
        all = join(all, wrong);
    }
    Ok(all)
}

/// Adds the wrong values of later positions. Only as many as are described stay in memory, because a
/// table may be wrong throughout.
fn join((number, mut first): Mismatches, (more, others): Mismatches) -> Mismatches {
    first.extend(others);
    first.truncate(SHOWN);
    (number + more, first)
}
