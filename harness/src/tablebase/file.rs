//! Finished tables to files and back. The format is the engine's; here is which values go into it.

use std::path::Path;

use rayon::prelude::*;
use stretto::tablebase::{
    Index, Metric, Outcome, StoredSide, Table as TableFile, TableError, assemble, encode,
};
use stretto::types::{Color, Square};
use thiserror::Error;

use super::codes::{Codes, DRAW, WIN_IN_ONE};
use super::follow::reconstructed;
use super::generate::GenerateError;
use super::link::Links;
use super::table::{Table, Tables};
use super::worth::Worth;

/// Rows of a block: some 4,000 places, so that one position is found in a tenth of a millisecond.
const ROWS_IN_BLOCK: usize = 64;
/// One block in so many is tried for which side is the shorter.
const SAMPLE: usize = 16;

/// Which sides to move a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoredSides {
    /// The shorter one; the other follows from it.
    #[default]
    One,
    /// Both.
    Both,
}

/// Why a file was not read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It is damaged, or no table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// What it leaves out cannot be computed.
    #[error(transparent)]
    LeftOut(#[from] GenerateError),
}

/// A table as the bytes of a file.
pub fn to_bytes(table: &Table, sides: StoredSides) -> Vec<u8> {
    coded(table, table.metric(), sides)
}

/// A table by [`Metric::Dtz`] as the bytes of a file by [`Metric::Near`].
pub fn to_near_bytes(table: &Table) -> Vec<u8> {
    debug_assert_eq!(table.metric(), Metric::Dtz, "another count has other near ends");
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

/// How the outcomes of one side to move become values.
struct Values<'a> {
    table: &'a Table,
    side: Color,
    /// The best last.
    outcomes: Vec<Outcome>,
    by_code: Vec<u8>,
}

impl<'a> Values<'a> {
    fn new(table: &'a Table, metric: Metric, side: Color) -> Self {
        let index = table.index();
        let occurs = (0..index.rows())
            .into_par_iter()
            .filter_map(|number| index.row(number))
            .map(|row| {
                let mut occurs = [false; 256];
                for square in row.legal(side) & row.canonical() {
                    occurs[usize::from(table.code(side, row.place(square)))] = true;
                }
                occurs
            })
            .reduce(|| [false; 256], |one, other| std::array::from_fn(|code| one[code] | other[code]));
        let codes = (0..=u8::MAX).filter(|&code| occurs[usize::from(code)]);
        let mut outcomes: Vec<Outcome> = codes.map(|code| metric.noted(table.outcome_of(code))).collect();
        outcomes.sort_by_key(|&outcome| Worth::of(outcome));
        outcomes.dedup();
        let value = |code: u8| {
            let noted = metric.noted(table.outcome_of(code));
            outcomes.iter().position(|&outcome| outcome == noted)
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
    let values = Values::new(table, metric, side);
    let blocks = (0..values.blocks()).into_par_iter().map(|block| values.block(block)).collect();
    StoredSide { outcomes: values.outcomes, blocks }
}

/// How long a side is, by some of its blocks.
fn sampled_length(table: &Table, metric: Metric, side: Color) -> usize {
    let values = Values::new(table, metric, side);
    let some = (0..values.blocks()).into_par_iter().step_by(SAMPLE);
    some.map(|block| values.block(block).len()).sum()
}

/// Which sides to move a file holds, White's and Black's.
pub fn stored_sides(file: &TableFile) -> [bool; 2] {
    Color::ALL.map(|side| file.outcomes(side).is_some())
}

/// Is every block of a file as it was written?
pub fn check_file(path: &Path) -> Result<TableFile, TableError> {
    let file = TableFile::open(path)?;
    for side in Color::ALL.into_iter().filter(|side| stored_sides(&file)[side.index()]) {
        (0..file.blocks()).into_par_iter().try_for_each(|block| file.check_block(side, block))?;
    }
    Ok(file)
}

/// A table from a file, with at least these sides to move. A side that the file leaves out is computed from the other and from
/// the tables that its captures and promotions lead to, which must be there.
pub fn from_table(file: &TableFile, sides: [bool; 2], tables: &Tables) -> Result<Table, ReadError> {
    let index = file.index().clone();
    let too_many = || GenerateError::TooManyValues { table: file.material() };
    let mut codes = Codes::new();
    let listed: Vec<Outcome> =
        Color::ALL.iter().filter_map(|&side| file.outcomes(side)).flatten().copied().collect();
    for &outcome in &listed {
        codes.give(outcome).ok_or_else(too_many)?;
    }
    let stored = stored_sides(file);
    let left_out = Color::ALL.into_iter().find(|side| sides[side.index()] && !stored[side.index()]);
    let mut values = [Vec::new(), Vec::new()];
    for side in Color::ALL.into_iter().filter(|side| stored[side.index()]) {
        if sides[side.index()] || left_out.is_some() {
            values[side.index()] = read_side(file, side, &codes, &index)?;
        }
    }
    let metric = file.metric();
    let Some(left_out) = left_out else { return Ok(Table::new(index, metric, codes, values)) };
    let links = Links::of(&index, tables, metric, &[left_out]);
    let links = links.map_err(|missing| GenerateError::Missing { table: file.material(), missing })?;
    // The side that is left out is at most a ply from what is stored, or from the tables next to it. Not all that may be is, so
    // it does no harm if the farthest get no code.
    let near = [Outcome::Loss(0), Outcome::Win(1)].into_iter();
    let near = near.chain(listed.iter().map(|outcome| outcome.before())).chain(links.outcomes(metric));
    let mut near: Vec<Outcome> = near.chain((metric == Metric::Dtz).then_some(Outcome::Loss(1))).collect();
    drop(links);
    near.sort_by_key(|&outcome| match outcome {
        Outcome::Draw => 0,
        Outcome::Win(plies) | Outcome::Loss(plies) => plies,
    });
    let _ = near.into_iter().try_for_each(|outcome| codes.give(outcome).map(|_| ()));
    let mut table = Table::new(index, metric, codes.clone(), values);
    let other = reconstructed(&table, left_out, &codes, tables)?;
    table.set_values(left_out, other);
    Ok(table)
}

/// The codes of a side that is stored, also at places whose position has another.
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
                let place = row.place(square) - block * places;
                values[place] = by_value[usize::from(read[place])];
            }
        }
        Ok(())
    })?;
    let known = values.clone();
    values.par_chunks_mut(index.row_len()).enumerate().for_each(|(number, values)| {
        let Some(row) = index.row(number) else { return };
        for square in row.legal(side) & !row.canonical() {
            if let Some(place) = index.place(&row.with_last(square)) {
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
    use stretto::tablebase::{Material, Tablebase};

    use super::*;
    use crate::cancel::Cancel;
    use crate::tablebase::generate;

    fn made(names: &[&str], metric: Metric) -> Tables {
        let mut tables = Tables::new(metric);
        for material in (3..=4).flat_map(Material::all) {
            if material.men() == 3 || names.contains(&material.to_string().as_str()) {
                tables.add(generate(material, metric, &tables, &Cancel::new()).unwrap());
            }
        }
        tables
    }

    fn assert_equal(one: &Table, other: &Table, sides: [bool; 2]) {
        let index = one.index();
        for row in (0..index.rows()).filter_map(|number| index.row(number)) {
            for side in Color::ALL.into_iter().filter(|side| sides[side.index()]) {
                for square in row.legal(side) {
                    let place = row.place(square);
                    assert_eq!(one.at(side, place), other.at(side, place), "{side:?} {:?}", row.men());
                }
            }
        }
    }

    #[test]
    fn tables_come_back_from_either_kind_of_file() {
        for metric in Metric::ALL {
            let tables = made(&["KQvKR"], metric);
            for name in ["KQvK", "KPvK", "KQvKR"] {
                let table = tables.get(name.parse().unwrap()).unwrap();
                for stored in [StoredSides::One, StoredSides::Both] {
                    let file = TableFile::from_bytes(name, to_bytes(&table, stored)).unwrap();
                    assert_equal(&from_table(&file, [true; 2], &tables).unwrap(), &table, [true; 2]);
                    if table.material().men() > 3 {
                        continue;
                    }
                    for sides in [[true, false], [false, true]] {
                        assert_equal(&from_table(&file, sides, &tables).unwrap(), &table, sides);
                        // What is stored asks for no other table.
                        let alone = from_table(&file, sides, &Tables::new(metric));
                        let is_left_out = (0..2).any(|side| sides[side] && !stored_sides(&file)[side]);
                        assert!(is_left_out || alone.is_ok(), "{name} {sides:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_file_does_not_depend_on_the_number_of_threads() {
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

    /// Three men and one table of four; `harness tb embed` (`make tables`) compares all.
    #[test]
    fn the_tables_in_the_engine_are_those_made_here() {
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
            assert!(here == bytes, "{name}.{metric} is another now");
            compared += 1;
        }
        assert_eq!((compared, Tablebase::embedded_files().count()), (11, 40));
    }

    #[test]
    fn every_position_is_answered_as_the_table_says() {
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
                let Some(men) = index.men(place) else { continue };
                for side in Color::ALL {
                    let fen = crate::tablebase::fen(index, &men, side);
                    let Ok(position) = Position::from_fen(&fen) else { continue };
                    assert_eq!(files.probe(&position).unwrap(), Some(table.at(side, place)), "{fen}");
                    assert_eq!(tables.probe(&position), Some(table.at(side, place)), "{fen}");
                }
            }
        }
    }

    /// Any byte that is changed, missing or too much is an error, and never another value.
    #[test]
    fn damage_is_never_a_wrong_value() {
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
        assert!(error.ends_with("holds KPvK.dtm, expected KQvK.dtm"), "{error}");
    }

    #[test]
    fn a_missing_file_is_no_answer() {
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
