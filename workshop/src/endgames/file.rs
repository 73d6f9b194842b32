//! Serialization of tables. The engine defines the file format; this module chooses and computes
//! the stored values.

use std::path::Path;

use rayon::prelude::*;
use stretto::tablebase::{
    Index, Metric, Outcome, StoredSide, TableError, TableFile, Tablebase, assemble, encode,
};
use stretto::types::{Color, Square};
use thiserror::Error;

use super::codes::{Codes, DRAW, WIN_IN_ONE};
use super::generate::GenerateError;
use super::link::Links;
use super::lookahead::reconstructed;
use super::table::{Table, Tables};
use super::value::{Value, plies};

/// Rows per block: about 4,000 positions, so that a block is decoded in about 0.4 ms.
const ROWS_IN_BLOCK: usize = 64;
/// Sampling interval of blocks when comparing the compressed sizes of both sides.
const SAMPLE: usize = 16;

/// The sides to move that a file contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StoredSides {
    /// The side with the smaller encoding; the other side is recomputed from it.
    #[default]
    One,
    /// Both sides; neither has to be recomputed.
    Both,
}

/// The reason why a file was not loaded.
#[derive(Debug, Error)]
pub(crate) enum ReadError {
    /// The file is damaged or not a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The omitted side to move cannot be recomputed.
    #[error(transparent)]
    LeftOut(#[from] GenerateError),
}

impl Tables {
    /// Encodes all tables for the engine's prober.
    pub(crate) fn coded(&self, metric: Metric) -> Result<Tablebase, TableError> {
        let mut coded = Tablebase::new(metric);
        for table in self.all().filter(|table| table.material().piece_count() > 2) {
            let bytes = to_bytes(table, StoredSides::One);
            coded.add(TableFile::from_bytes(&table.material().to_string(), bytes)?);
        }
        Ok(coded)
    }
}

/// Encodes a table as the bytes of a file.
pub(crate) fn to_bytes(table: &Table, sides: StoredSides) -> Vec<u8> {
    coded(table, table.metric(), sides)
}

/// Encodes a [`Metric::Dtz`] table as the bytes of a [`Metric::Near`] file.
pub(crate) fn to_near_bytes(table: &Table) -> Vec<u8> {
    debug_assert_eq!(table.metric(), Metric::Dtz, "near values are derived from DTZ");
    coded(table, Metric::Near, StoredSides::One)
}

fn coded(table: &Table, metric: Metric, sides: StoredSides) -> Vec<u8> {
    let stored = match sides {
        StoredSides::Both => Color::ALL.map(|side| Some(stored(table, metric, side))),
        StoredSides::One => {
            let lengths = Color::ALL.map(|side| sampled_length(table, metric, side));
            let shorter = if lengths[1] < lengths[0] { Color::Black } else { Color::White };
            Color::ALL.map(|side| (side == shorter).then(|| stored(table, metric, side)))
        }
    };
    assemble(table.material(), metric, ROWS_IN_BLOCK, &stored)
}

/// The mapping from codes of one side to move to stored values.
struct StoredValues<'a> {
    table: &'a Table,
    side: Color,
    /// Sorted from worst to best.
    outcomes: Vec<Outcome>,
    by_code: Vec<u8>,
}

impl<'a> StoredValues<'a> {
    fn new(table: &'a Table, metric: Metric, side: Color) -> Self {
        let index = table.index();
        let occurs = (0..index.rows())
            .into_par_iter()
            .filter_map(|number| index.row(number))
            .map(|row| {
                let mut occurs = [false; 256];
                for square in row.legal(side) & row.canonical() {
                    occurs[usize::from(table.code(side, row.index_of(square)))] = true;
                }
                occurs
            })
            .reduce(|| [false; 256], |one, other| std::array::from_fn(|code| one[code] | other[code]));
        let codes = (0..=u8::MAX).filter(|&code| occurs[usize::from(code)]);
        let mut outcomes: Vec<Outcome> =
            codes.map(|code| metric.stored_form(table.outcome_of(side, code))).collect();
        outcomes.sort_by_key(|&outcome| Value::of(outcome));
        outcomes.dedup();
        let value = |code: u8| {
            let stored_form = metric.stored_form(table.outcome_of(side, code));
            outcomes.iter().position(|&outcome| outcome == stored_form)
        };
        let by_code = (0..=u8::MAX).map(|code| value(code).unwrap_or(0) as u8).collect();
        Self { table, side, outcomes, by_code }
    }

    fn blocks(&self) -> usize {
        self.table.index().rows().div_ceil(ROWS_IN_BLOCK)
    }

    fn block(&self, block: usize) -> Vec<u8> {
        let index = self.table.index();
        let places = ROWS_IN_BLOCK * index.row_len();
        let codes = self.table.bytes(self.side);
        let codes = &codes[block * places..codes.len().min((block + 1) * places)];
        let values: Vec<u8> = codes.iter().map(|&code| self.by_code[usize::from(code)]).collect();
        encode(index, self.side, block * ROWS_IN_BLOCK, self.outcomes.len(), &values)
    }
}

fn stored(table: &Table, metric: Metric, side: Color) -> StoredSide {
    let values = StoredValues::new(table, metric, side);
    let blocks = (0..values.blocks()).into_par_iter().map(|block| values.block(block)).collect();
    StoredSide { outcomes: values.outcomes, blocks }
}

/// Estimates the encoded size of a side from a sample of its blocks.
fn sampled_length(table: &Table, metric: Metric, side: Color) -> usize {
    let values = StoredValues::new(table, metric, side);
    let some = (0..values.blocks()).into_par_iter().step_by(SAMPLE);
    some.map(|block| values.block(block).len()).sum()
}

/// Returns which sides to move a file contains, White first.
pub(crate) fn stored_sides(file: &TableFile) -> [bool; 2] {
    Color::ALL.map(|side| file.outcomes(side).is_some())
}

/// Verifies the checksum of every block of a file.
pub(crate) fn check_file(path: &Path) -> Result<TableFile, TableError> {
    let file = TableFile::open(path)?;
    for side in Color::ALL.into_iter().filter(|side| stored_sides(&file)[side.index()]) {
        (0..file.blocks()).into_par_iter().try_for_each(|block| file.check_block(side, block))?;
    }
    Ok(file)
}

/// Decodes a table with at least the requested sides to move. A side that the file omits is
/// recomputed from the other side and the successor tables, which must be present.
pub(crate) fn from_table(file: &TableFile, sides: [bool; 2], tables: &Tables) -> Result<Table, ReadError> {
    let index = file.index().clone();
    let too_many = || GenerateError::TooManyValues { table: file.material() };
    let mut codes = [Codes::new(), Codes::new()];
    let listed = |side: Color| file.outcomes(side).unwrap_or(&[]);
    for side in Color::ALL {
        for &outcome in listed(side) {
            codes[side.index()].assign(outcome).ok_or_else(too_many)?;
        }
    }
    let stored = stored_sides(file);
    let left_out = Color::ALL.into_iter().find(|side| sides[side.index()] && !stored[side.index()]);
    let mut values = [Vec::new(), Vec::new()];
    for side in Color::ALL.into_iter().filter(|side| stored[side.index()]) {
        if sides[side.index()] || left_out.is_some() {
            values[side.index()] = read_side(file, side, &codes[side.index()], &index)?;
        }
    }
    let metric = file.metric();
    let Some(left_out) = left_out else { return Ok(Table::new(index, metric, codes, values)) };
    let links = Links::of(&index, tables, metric, &[left_out]);
    let links = links.map_err(|missing| GenerateError::Missing { table: file.material(), missing })?;
    // The omitted side is at most one ply from a stored value or a successor table. Not every
    // candidate outcome occurs, so it does no harm if the longest distances get no code.
    let near = [Outcome::Loss(0), Outcome::Win(1)].into_iter();
    let near =
        near.chain(listed(!left_out).iter().map(|outcome| outcome.before())).chain(links.outcomes(metric));
    let mut near: Vec<Outcome> = near.chain((metric == Metric::Dtz).then_some(Outcome::Loss(1))).collect();
    drop(links);
    near.sort_by_key(|&outcome| plies(outcome));
    let own = &mut codes[left_out.index()];
    let _ = near.into_iter().try_for_each(|outcome| own.assign(outcome).map(|_| ()));
    let own = own.clone();
    let mut table = Table::new(index, metric, codes, values);
    let other = reconstructed(&table, left_out, &own, tables)?;
    table.set_values(left_out, other);
    Ok(table)
}

/// Decodes the codes of a stored side, including positions represented by a symmetric one.
fn read_side(file: &TableFile, side: Color, codes: &Codes, index: &Index) -> Result<Vec<u8>, TableError> {
    let outcomes = file.outcomes(side).unwrap_or(&[]);
    let by_value: Vec<u8> = outcomes.iter().map(|&outcome| codes.of(outcome).unwrap_or(DRAW)).collect();
    let mut values = vec![WIN_IN_ONE; index.len()];
    let places = file.rows_in_block() * index.row_len();
    values.par_chunks_mut(places).enumerate().try_for_each(|(block, values)| {
        let read = file.block(side, block)?;
        let first = block * file.rows_in_block();
        for row in (first..first + values.len() / index.row_len()).filter_map(|number| index.row(number)) {
            for square in row.legal(side) & row.canonical() {
                let place = row.index_of(square) - block * places;
                values[place] = by_value[usize::from(read[place])];
            }
        }
        Ok(())
    })?;
    let known = values.clone();
    values.par_chunks_mut(index.row_len()).enumerate().for_each(|(number, values)| {
        let Some(row) = index.row(number) else { return };
        for square in row.legal(side) & !row.canonical() {
            if let Some(place) = index.index_of(&row.with_last(square)) {
                values[within(index, square)] = known[place];
            }
        }
    });
    Ok(values)
}

fn within(index: &Index, square: Square) -> usize {
    square.index() - index.first_square()
}

#[cfg(test)]
mod tests {
    use stretto::position::Position;
    use stretto::tablebase::Tablebase;

    use super::*;
    use crate::endgames::made::made;

    fn assert_equal(one: &Table, other: &Table, sides: [bool; 2]) {
        let index = one.index();
        for row in (0..index.rows()).filter_map(|number| index.row(number)) {
            for side in Color::ALL.into_iter().filter(|side| sides[side.index()]) {
                for square in row.legal(side) {
                    let place = row.index_of(square);
                    assert_eq!(
                        one.at(side, place),
                        other.at(side, place),
                        "{side:?} {:?}",
                        row.fixed_squares()
                    );
                }
            }
        }
    }

    #[test]
    fn tables_survive_both_kinds_of_file() {
        for metric in Metric::ALL {
            let tables = made(&["KQvKR"], metric);
            for name in ["KQvK", "KPvK", "KQvKR"] {
                let table = tables.get(name.parse().unwrap()).unwrap();
                for stored in [StoredSides::One, StoredSides::Both] {
                    let file = TableFile::from_bytes(name, to_bytes(&table, stored)).unwrap();
                    assert_equal(&from_table(&file, [true; 2], &tables).unwrap(), &table, [true; 2]);
                    if table.material().piece_count() > 3 {
                        continue;
                    }
                    for sides in [[true, false], [false, true]] {
                        assert_equal(&from_table(&file, sides, &tables).unwrap(), &table, sides);
                        // A stored side needs no other table.
                        let alone = from_table(&file, sides, &Tables::new(metric));
                        let is_left_out = (0..2).any(|side| sides[side] && !stored_sides(&file)[side]);
                        assert!(is_left_out || alone.is_ok(), "{name} {sides:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn file_does_not_depend_on_the_number_of_threads() {
        let bytes = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let tables = made(&["KRvKN"], Metric::Dtm);
                let names = ["KPvK", "KRvKN"].map(|name| tables.get(name.parse().unwrap()).unwrap());
                names.map(|table| to_bytes(&table, StoredSides::One))
            })
        };
        let one = bytes(1);
        assert_eq!(one, bytes(2));
        assert_eq!(one, bytes(5));
    }

    /// Covers three pieces and one table of four; `workshop tb embed` (`make tables`) compares all.
    #[test]
    fn embedded_tables_match_generated_ones() {
        let (mates, zeroing) = (made(&[], Metric::Dtm), made(&["KQvKR"], Metric::Dtz));
        let mut compared = 0;
        for (name, metric, bytes) in Tablebase::embedded_files() {
            let tables = if metric == Metric::Dtm { &mates } else { &zeroing };
            let Some(table) = tables.get(name.parse().unwrap()) else { continue };
            let here = if metric == Metric::Dtm {
                to_bytes(&table, StoredSides::One)
            } else {
                to_near_bytes(&table)
            };
            assert!(here == bytes, "{name}.{metric} differs from the embedded table");
            compared += 1;
        }
        assert_eq!((compared, Tablebase::embedded_files().count()), (11, 40));
    }

    #[test]
    fn single_side_stored_is_the_shorter_one() {
        let tables = made(&["KQvKR", "KPvK"], Metric::Dtm);
        for name in ["KQvK", "KRvK", "KPvK", "KQvKR"] {
            let table = tables.get(name.parse().unwrap()).unwrap();
            let sizes = Color::ALL.map(|only| {
                let sides = Color::ALL.map(|side| (side == only).then(|| stored(&table, Metric::Dtm, side)));
                assemble(table.material(), Metric::Dtm, ROWS_IN_BLOCK, &sides).len()
            });
            let [one, other] = sizes;
            assert_eq!(to_bytes(&table, StoredSides::One).len(), one.min(other), "{name}: {sizes:?}");
        }
    }

    #[test]
    fn probing_a_file_gives_the_value_of_the_table() {
        let tables = made(&["KQvKR"], Metric::Dtm);
        let mut files = Tablebase::new(Metric::Dtm);
        for name in ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KQvKR"] {
            let table = tables.get(name.parse().unwrap()).unwrap();
            files.add(TableFile::from_bytes(name, to_bytes(&table, StoredSides::One)).unwrap());
        }
        for (name, step) in [("KPvK", 7), ("KQvKR", 3011)] {
            let table = tables.get(name.parse().unwrap()).unwrap();
            let index = table.index();
            for place in (0..index.len()).step_by(step) {
                let Some(squares) = index.squares_at(place) else { continue };
                for side in Color::ALL {
                    let fen = crate::endgames::fen(index, &squares, side);
                    let Ok(position) = Position::from_fen(&fen) else { continue };
                    assert_eq!(files.probe(&position).unwrap(), Some(table.at(side, place)), "{fen}");
                    assert_eq!(tables.probe(&position), Some(table.at(side, place)), "{fen}");
                }
            }
        }
    }

    /// Any changed, missing or additional byte is an error and never a different value.
    #[test]
    fn damaged_file_is_an_error() {
        let tables = made(&[], Metric::Dtm);
        let table = tables.get("KPvK".parse().unwrap()).unwrap();
        let bytes = to_bytes(&table, StoredSides::One);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("KPvK.dtm");
        let outcome = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            check_file(&path).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(outcome(&bytes), Ok(()));
        for place in (0..bytes.len()).step_by(13).chain(0..60) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (place % 8);
            let error = outcome(&damaged).unwrap_err();
            assert!(error.contains("KPvK.dtm"), "{error}");
        }
        for length in [0, 7, 39, 40, 100, bytes.len() - 1] {
            outcome(&bytes[..length]).unwrap_err();
        }
        outcome(&[&bytes[..], &[0]].concat()).unwrap_err();
        std::fs::write(&path, &bytes).unwrap();
        let other = dir.path().join("KQvK.dtm");
        std::fs::rename(&path, &other).unwrap();
        let error = check_file(&other).map(|_| ()).unwrap_err().to_string();
        assert!(error.ends_with("contains KPvK.dtm, expected KQvK.dtm"), "{error}");
    }

    #[test]
    fn missing_table_gives_no_answer() {
        let tables = made(&[], Metric::Dtm);
        let mut files = Tablebase::new(Metric::Dtm);
        let queen = tables.get("KQvK".parse().unwrap()).unwrap();
        files.add(TableFile::from_bytes("KQvK", to_bytes(&queen, StoredSides::One)).unwrap());
        let probe = |fen: &str| files.probe(&Position::from_fen(fen).unwrap()).unwrap();
        assert!(probe("8/8/8/4k3/8/8/8/KQ6 w - - 0 1").is_some());
        assert_eq!(probe("8/8/8/4k3/8/8/8/KR6 w - - 0 1"), None);
        assert_eq!(probe("8/8/8/4k3/8/8/8/KQR5 w - - 0 1"), None);
        assert_eq!(probe("8/8/8/4k3/8/8/8/K7 w - - 0 1"), Some(Outcome::Draw));
    }
}
