//! Verification of a table: every value recomputed from its successors, or compared with other tables.

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

/// Maximum number of wrong values or differences described.
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

/// The result of a comparison with other tables, position by position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableComparison {
    pub positions: u64,
    /// Positions with equal distance.
    pub distances: u64,
    /// Positions with a distance that is one ply off. Syzygy tables store moves where possible,
    /// which loses a ply, and derive the omitted side to move from such values.
    pub rounded: u64,
    /// The first differences, one line each.
    pub different: Vec<String>,
    /// Number of all differences, including those not in `different`.
    pub differences: u64,
}

impl TableComparison {
    /// Counts a difference and describes it.
    pub(super) fn note(&mut self, what: String) {
        self.differences += 1;
        self.different.push(what);
    }

    /// Adds the result of other positions.
    pub(super) fn join(mut self, other: Self) -> Self {
        self.positions += other.positions;
        self.distances += other.distances;
        self.rounded += other.rounded;
        self.differences += other.differences;
        self.different.extend(other.different);
        self.different.truncate(SHOWN);
        self
    }
}
