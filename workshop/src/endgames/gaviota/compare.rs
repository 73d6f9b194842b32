//! Comparison of a table with its Gaviota file, position by position.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use rayon::prelude::*;
use stretto::tablebase::{Index, Material, Row};
use stretto::types::{Color, Square};

use super::super::fen::fen;
use super::super::table::Table;
use super::super::verify::TableComparison;
use super::file::TableBytes;
use super::index::Places;
use super::value;

/// A folder of Gaviota's tables.
pub(crate) struct Gaviota(PathBuf);

/// Returns the places of the positions of a table.
///
/// Errors: Gaviota has no such table.
fn places_of(index: &Index, table: Material) -> anyhow::Result<Places> {
    let none = "Gaviota's tables have 3 to 5 pieces, with White as the stronger side";
    Places::new(index).with_context(|| format!("{table}: {none}"))
}

/// Returns the name of a table's file.
fn file_name(table: Material) -> String {
    format!("{}.gtb.cp4", table.to_string().replace('v', "").to_ascii_lowercase())
}

impl Gaviota {
    /// Opens a folder that has the files of these tables.
    ///
    /// Errors: a table has no file in the folder.
    pub(crate) fn open(folder: &Path, tables: &[Material]) -> anyhow::Result<Self> {
        let gaviota = Self(folder.to_owned());
        tables.iter().try_for_each(|&table| gaviota.file(table).map(|_| ()))?;
        Ok(gaviota)
    }

    fn file(&self, table: Material) -> anyhow::Result<PathBuf> {
        let name = file_name(table);
        let file = self.0.join(&name);
        ensure!(file.is_file(), "{}: no {name} for {table}", self.0.display());
        Ok(file)
    }

    /// Compares every `step`-th position of a table of distances to mate.
    ///
    /// Errors: Gaviota has no such table, or its file cannot be used.
    pub(crate) fn compare(&self, table: &Table, step: usize) -> anyhow::Result<TableComparison> {
        let (index, material) = (table.index(), table.material());
        let places = places_of(index, material)?;
        let file = TableBytes::read(&self.file(material)?, &material.to_string(), places.len())?;
        let mut found = TableComparison::default();
        for side in Color::ALL {
            let values = file.values(side)?;
            let rows = (0..index.rows()).into_par_iter().filter_map(|number| index.row(number));
            let compared = rows
                .map(|row| compare_row(&row, side, step, table, |squares| Some(values[places.of(squares)?])));
            found = found.join(compared.reduce(TableComparison::default, TableComparison::join));
        }
        Ok(found)
    }
}

/// Compares every `step`-th position of a row, each symmetric one once, with its value.
fn compare_row(
    row: &Row<'_>,
    side: Color,
    step: usize,
    table: &Table,
    value: impl Fn(&[Square]) -> Option<u8>,
) -> TableComparison {
    let mut compared = TableComparison::default();
    for square in row.legal(side) & row.canonical() {
        let place = row.index_of(square);
        if !place.is_multiple_of(step) {
            continue;
        }
        let squares = row.with_last(square);
        compared.positions += 1;
        let ours = table.at(side, place);
        let theirs = value(&squares).and_then(|value| value::outcome(value, side));
        if theirs != Some(ours) {
            let theirs = theirs.map_or_else(|| "no value".to_owned(), |outcome| outcome.to_string());
            compared.note(format!("{}: {ours}, Gaviota {theirs}", fen(table.index(), &squares, side)));
        }
    }
    compared
}

/// Reads all values of a table from the content of its file and returns the number of values that
/// are no positions. Serves the fuzz tests.
pub fn count_illegal(table: &str, bytes: &[u8]) -> Result<usize, String> {
    let material: Material = table.parse().map_err(|error| format!("{error}"))?;
    let places = places_of(&Index::new(material), material).map_err(|error| error.to_string())?;
    let file = TableBytes::parse(Path::new(&file_name(material)), bytes.to_vec(), table, places.len());
    let file = file.map_err(|error| error.to_string())?;
    let mut illegal = 0;
    for side in Color::ALL {
        let values = file.values(side).map_err(|error| error.to_string())?;
        illegal += values.iter().filter(|&&value| value::outcome(value, side).is_none()).count();
    }
    Ok(illegal)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use stretto::tablebase::{Metric, Outcome};
    use stretto::types::SplitMix64;

    use super::*;
    use crate::endgames::made::made;

    /// Returns the folder of the three-piece tables.
    fn published() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/gaviota")
    }

    #[test]
    fn all_positions_of_three_pieces_match_gaviota() {
        let gaviota = Gaviota::open(&published(), &Material::all(3)).unwrap();
        let tables = made(&[], Metric::Dtm);
        let mut positions = 0;
        for material in Material::all(3) {
            let compared = gaviota.compare(&tables.get(material).unwrap(), 1).unwrap();
            assert_eq!((compared.differences, compared.different), (0, vec![]), "{material}");
            positions += compared.positions;
        }
        assert_eq!(positions, 367_868);
        let some = gaviota.compare(&tables.get("KPvK".parse().unwrap()).unwrap(), 10).unwrap();
        assert!((16_000..18_500).contains(&some.positions) && some.differences == 0, "{some:?}");
    }

    #[test]
    fn single_wrong_value_is_found() {
        let gaviota = Gaviota::open(&published(), &[]).unwrap();
        let made = made(&[], Metric::Dtm).get("KQvK".parse().unwrap()).unwrap();
        let (index, side) = (made.index(), Color::White);
        let mut rows = (0..index.rows()).filter_map(|number| index.row(number));
        let place = rows.find_map(|row| {
            let legal = (row.legal(side) & row.canonical()).into_iter();
            legal.map(|square| row.index_of(square)).find(|&place| made.at(side, place) == Outcome::Win(9))
        });
        let place = place.unwrap();
        let damaged = made.with_value(side, place, made.bytes(side)[place] ^ 1);
        let compared = gaviota.compare(&damaged, 1).unwrap();
        assert_eq!(compared.differences, 1);
        assert!(compared.different[0].ends_with(", Gaviota win in 9"), "{:?}", compared.different);
    }

    /// Returns the error of reading `KQvK` from a file with this content.
    fn error_of(bytes: &[u8]) -> String {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("kqk.gtb.cp4"), bytes).unwrap();
        let table = made(&[], Metric::Dtm).get("KQvK".parse().unwrap()).unwrap();
        let error = Gaviota(dir.path().to_owned()).compare(&table, 1).map(|_| ()).unwrap_err().to_string();
        let file = format!("{}: ", dir.path().join("kqk.gtb.cp4").display());
        error.strip_prefix(&file).unwrap_or_else(|| panic!("{error}")).to_owned()
    }

    #[test]
    fn damaged_files_are_reported_with_file_and_fault() {
        let bytes = fs::read(published().join("kqk.gtb.cp4")).unwrap();
        let with = |at: usize, new: &[u8]| {
            let mut damaged = bytes.clone();
            damaged[at..at + new.len()].copy_from_slice(new);
            damaged
        };
        let first = 60;
        for (damaged, expected) in [
            (vec![], "has 0 bytes, expected at least 60 for the header and the block index of KQvK"),
            (
                bytes[..50].to_vec(),
                "has 50 bytes, expected at least 60 for the header and the block index of KQvK",
            ),
            (
                with(8, &[0, 0x80]),
                "the header announces 32768 values per block, expected 16384: not a table of compression scheme 4",
            ),
            (
                fs::read(published().join("kpk.gtb.cp4")).unwrap(),
                "the header puts the first block at byte 92, expected 60 for KQvK: the table of other pieces, or damaged",
            ),
            (
                with(40, &[61]),
                "the header puts the first block at byte 61, expected 60 for KQvK: the table of other pieces, or damaged",
            ),
            (with(46, &[1]), "the block index puts block 2 of 4 at bytes 67747 to 4361, of 9443: damaged"),
            (bytes[..9442].to_vec(), "has 9442 bytes, but the last block ends at byte 9443: truncated"),
            (
                [&bytes[..], &[0]].concat(),
                "has 9444 bytes, but the last block ends at byte 9443: followed by other data",
            ),
            (with(first + 1, &[1]), "block 1 of 4: has the filter 1, expected none: damaged"),
            (with(first + 7, &[1]), "block 1 of 4: announces 16385 values, expected 16384: damaged"),
            (with(first + 2, &[255]), "block 1 of 4: has the LZMA properties 255, expected 93: damaged"),
        ] {
            assert_eq!(error_of(&damaged), expected);
        }
        let error = error_of(&with(5000, &[!bytes[5000]]));
        assert!(error.starts_with("block 3 of 4: ") && error.ends_with(": damaged"), "{error}");
    }

    #[test]
    fn missing_files_are_reported_before_anything_is_read() {
        let tables = ["KQvK", "KQvKR"].map(|name| name.parse().unwrap());
        let error = Gaviota::open(&published(), &tables).map(|_| ()).unwrap_err().to_string();
        assert!(error.ends_with("testdata/gaviota: no kqkr.gtb.cp4 for KQvKR"), "{error}");
        let nowhere = Path::new("no/such/folder");
        assert!(Gaviota::open(nowhere, &tables).is_err());
    }

    /// Changed bytes give an error or other values, never a panic. Most are noticed, though the
    /// format has no checksum.
    #[test]
    fn random_byte_changes_never_panic() {
        let mut random = SplitMix64::new(11);
        let (mut noticed, mut tried) = (0, 0);
        for name in ["kqk", "kpk"] {
            let bytes = fs::read(published().join(format!("{name}.gtb.cp4"))).unwrap();
            let table = if name == "kqk" { "KQvK" } else { "KPvK" };
            let intact = count_illegal(table, &bytes).unwrap();
            assert!(intact > 1000, "{intact}");
            for _ in 0..300 {
                let mut damaged = bytes.clone();
                for _ in 0..=random.below(3) {
                    let at = random.below(bytes.len() as u64) as usize;
                    damaged[at] ^= 1 + random.below(255) as u8;
                }
                if random.below(8) == 0 {
                    damaged.truncate(random.below(bytes.len() as u64) as usize);
                }
                tried += 1;
                noticed += usize::from(count_illegal(table, &damaged).is_err());
            }
        }
        assert!(noticed * 10 > tried * 9, "{noticed} of {tried}");
    }
}
