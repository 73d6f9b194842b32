//! The state of a generation and its course: initialization, rounds and the finished table.

use rayon::prelude::*;
use stretto::tablebase::{Index, Material, Metric};
use stretto::types::{Bitboard, Color};
use thiserror::Error;

use super::super::codes::{Codes, DRAW};
use super::super::link::Links;
use super::super::pawn_moves::Classes;
use super::super::steps::KingSteps;
use super::super::table::{Table, Tables};
use super::state::{Frozen, Marks, Slice};
use stretto_harness::base::cancel::Cancel;

/// The reason why a table, or the omitted side of a file, was not generated or verified.
#[derive(Debug, Error)]
pub(crate) enum GenerateError {
    /// A successor table is missing.
    #[error("{table}: successor table {missing} is missing")]
    Missing { table: Material, missing: Material },
    /// A side to move needs more than 256 codes.
    #[error("{table} has more than 256 different values for one side to move")]
    TooManyValues { table: Material },
    /// A signal or the caller stopped the generation.
    #[error("stopped on request")]
    Cancelled,
}

/// Generates the table of this material. Its successor tables must be present.
pub(crate) fn generate(
    material: Material,
    metric: Metric,
    tables: &Tables,
    cancel: &Cancel,
) -> Result<Table, GenerateError> {
    let (index, classes) = (Index::new(material), classes(material, metric, tables, cancel)?);
    Generator::initialized(&index, metric, classes.as_ref(), tables)?.run(cancel)
}

/// Generates a table like [`generate`], but calls `release` as soon as the successor tables are no
/// longer needed, before the phase with the highest memory use.
pub(crate) fn generate_releasing(
    material: Material,
    metric: Metric,
    tables: &mut Tables,
    release: impl FnOnce(&mut Tables),
    cancel: &Cancel,
) -> Result<Table, GenerateError> {
    let (index, classes) = (Index::new(material), classes(material, metric, tables, cancel)?);
    let generator = Generator::initialized(&index, metric, classes.as_ref(), tables)?;
    release(tables);
    generator.run(cancel)
}

impl Tables {
    /// Generates all tables of up to `pieces` pieces. In a release build this takes less than a second for
    /// three pieces and seconds for four.
    pub(crate) fn up_to(pieces: usize, metric: Metric, cancel: &Cancel) -> Result<Self, GenerateError> {
        let mut tables = Self::new(metric);
        for material in (3..=pieces).flat_map(Material::all) {
            tables.add(generate(material, metric, &tables, cancel)?);
        }
        Ok(tables)
    }

    /// Generates a table, and before it those of its successors that are missing.
    pub(crate) fn make(
        &mut self,
        material: Material,
        metric: Metric,
        cancel: &Cancel,
    ) -> Result<(), GenerateError> {
        if self.get(material).is_none() {
            for next in material.successors() {
                self.make(next, metric, cancel)?;
            }
            self.add(generate(material, metric, self, cancel)?);
        }
        Ok(())
    }
}

/// Computes the win/draw/loss classes where they are needed first: under DTZ, pawn moves within the
/// table are zeroing.
fn classes(
    material: Material,
    metric: Metric,
    tables: &Tables,
    cancel: &Cancel,
) -> Result<Option<Classes>, GenerateError> {
    if metric != Metric::Dtz || !material.has_pawns() {
        return Ok(None);
    }
    let index = Index::new(material);
    let table = Generator::initialized(&index, Metric::Dtc, None, tables)?.run(cancel)?;
    Ok(Some(Classes::of(&table)))
}

pub(super) struct Generator<'a> {
    pub(super) index: &'a Index,
    pub(super) metric: Metric,
    pub(super) classes: Option<&'a Classes>,
    pub(super) kings: KingSteps,
    /// By side to move.
    pub(super) codes: [Codes; 2],
    pub(super) frozen: [Vec<Frozen>; 2],
    pub(super) slices: [Vec<Slice>; 2],
    pub(super) has_en_passant: bool,
    /// Last round in which an initialized value takes effect.
    pub(super) last_scheduled: u16,
}

impl<'a> Generator<'a> {
    /// Initializes every position. The successor tables are not needed afterwards.
    fn initialized(
        index: &'a Index,
        metric: Metric,
        classes: Option<&'a Classes>,
        tables: &Tables,
    ) -> Result<Self, GenerateError> {
        let table = index.material();
        let links =
            Links::new(index, tables, metric).map_err(|missing| GenerateError::Missing { table, missing })?;
        let mut generator = Self::new(index, metric, classes);
        generator.initialize(&links).ok_or(GenerateError::TooManyValues { table })?;
        Ok(generator)
    }

    /// Marks the values round by round until no position changes.
    fn run(mut self, cancel: &Cancel) -> Result<Table, GenerateError> {
        let table = self.index.material();
        let mut round = 1;
        while self.is_open(round) {
            if cancel.is_cancelled() {
                return Err(GenerateError::Cancelled);
            }
            self.round(round).ok_or(GenerateError::TooManyValues { table })?;
            round += 1;
        }
        Ok(self.finish())
    }

    fn new(index: &'a Index, metric: Metric, classes: Option<&'a Classes>) -> Self {
        let rows = index.rows_in_slice();
        // With classes, pawn moves are zeroing and none stays within the table.
        let has_en_passant = index.material().has_pawns_on_both_sides() && classes.is_none();
        let frozen = Color::ALL.map(|side| {
            let of = |slice: usize| Frozen {
                open: (slice * rows..(slice + 1) * rows)
                    .map(|number| index.row(number).map_or(0, |row| row.legal(side).0))
                    .collect(),
                won: Marks::default(),
                lost: Marks::default(),
                ever_lost: if has_en_passant { vec![0; rows] } else { Vec::new() },
            };
            (0..index.slices()).into_par_iter().map(of).collect()
        });
        let kings = KingSteps::new(index);
        let slices = [Vec::new(), Vec::new()];
        let codes = [Codes::new(), Codes::new()];
        Self { index, metric, classes, kings, codes, frozen, slices, has_en_passant, last_scheduled: 0 }
    }

    /// Returns the frozen state of the slice of a row, and the row's index within it.
    #[inline]
    pub(super) fn frozen(&self, side: Color, row: usize) -> (&Frozen, usize) {
        let rows = self.index.rows_in_slice();
        (&self.frozen[side.index()][row / rows], row % rows)
    }

    /// Returns whether a set is non-empty in any slice of a side to move.
    pub(super) fn is_any(&self, side: Color, set: impl Fn(&Frozen) -> &Marks) -> bool {
        self.frozen[side.index()].iter().any(|frozen| set(frozen).is_any())
    }

    /// Makes the decisions of a round visible to all threads.
    pub(super) fn publish(&mut self) {
        for (frozen, slices) in self.frozen.iter_mut().zip(&mut self.slices) {
            frozen.par_iter_mut().zip(slices).for_each(|(frozen, slice)| {
                frozen.won = std::mem::take(&mut slice.won);
                frozen.lost = std::mem::take(&mut slice.lost);
                for (ever_lost, lost) in frozen.ever_lost.iter_mut().zip(&frozen.lost.0) {
                    *ever_lost |= lost;
                }
                for (open, won) in frozen.open.iter_mut().zip(&frozen.won.0) {
                    *open &= !won;
                }
            });
        }
    }

    /// Builds the table; undecided positions are draws.
    fn finish(self) -> Table {
        let len = self.index.row_len();
        let first = self.index.first_square();
        // Freed before the values are concatenated, which needs memory for one more side.
        drop(self.frozen);
        let values = self.slices.map(|slices| {
            let mut values = Vec::with_capacity(self.index.len());
            for mut slice in slices {
                for (within, &drawn) in slice.may_lose.iter().enumerate() {
                    for square in Bitboard(drawn) {
                        slice.values[within * len + square.index() - first] = DRAW;
                    }
                }
                values.append(&mut slice.values);
            }
            values
        });
        Table::new(self.index.clone(), self.metric, self.codes, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generation_succeeds_with_exactly_the_needed_codes() {
        // Black loses in 0 to 20 plies or draws; illegal positions have the code of a win in one.
        const CODES: usize = 11 + 1 + 1;
        let index = Index::new("KQvK".parse().unwrap());
        let with_codes = |codes| {
            let mut generator = Generator::initialized(&index, Metric::Dtm, None, &Tables::new(Metric::Dtm))?;
            generator.codes.iter_mut().for_each(|own| own.limit(codes));
            generator.run(&Cancel::new())
        };
        let whole = with_codes(256).unwrap();
        let just = with_codes(CODES).unwrap();
        for side in Color::ALL {
            for place in 0..index.len() {
                assert_eq!(just.at(side, place), whole.at(side, place));
            }
        }
        assert!(matches!(with_codes(CODES - 1), Err(GenerateError::TooManyValues { .. })));
    }
}
