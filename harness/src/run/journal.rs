//! The journal: the append-only list of finished games or positions of a run.
//!
//! A line is written as a whole when its item ends, and is on disk after the next sync. A kill can
//! truncate only the last line; it is removed on opening and its item is repeated. Any other
//! unreadable line is an error.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::errors::FileResult;
use crate::base::wording::parser_message;

/// A record of one line of a journal.
pub trait Entry: Serialize + DeserializeOwned {
    /// Returns its unique number in the run.
    fn number(&self) -> u64;
    /// Returns the name of the files on its fault, without their ending. It counts from 1, as messages do.
    fn fault_name(&self) -> String {
        format!("position-{}", self.number() + 1)
    }
    /// Checks version and consistency of the record.
    ///
    /// Errors: a description of the problem.
    fn check(&self) -> Result<(), String>;
}

/// Checks the format version of a record. Errors: it is not the expected one.
pub fn check_version(found: u32, expected: u32) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("record version {found}, expected {expected}")) }
}

/// Returns the error of a damaged file; its lines count from 1.
pub fn damaged(path: &Path, line: usize, what: &str) -> anyhow::Error {
    anyhow!("{}:{line}: damaged: {what}", path.display())
}

/// The open journal of a run.
#[derive(Debug)]
pub struct Journal<R> {
    file: File,
    path: PathBuf,
    records: PhantomData<fn(R)>,
}

impl<R: Entry> Journal<R> {
    /// Opens or creates the journal and passes its records in order to `visit`.
    ///
    /// Also returns the number of bytes of a truncated last line that were removed.
    pub(crate) fn open(
        path: &Path,
        mut visit: impl FnMut(R) -> anyhow::Result<()>,
    ) -> anyhow::Result<(Self, u64)> {
        let options = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path);
        let mut file = options.or_cannot("open", path)?;
        let whole = replay(&mut BufReader::new(&file), path, |_, record| visit(record))?;
        let torn = file.metadata().or_cannot("open", path)?.len() - whole;
        file.set_len(whole).or_cannot("open", path)?;
        file.seek(SeekFrom::End(0)).or_cannot("open", path)?;
        Ok((Self { file, path: path.to_path_buf(), records: PhantomData }, torn))
    }

    pub(crate) fn append(&mut self, record: &R) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(record).or_cannot("write", &self.path)?;
        line.push(b'\n');
        self.file.write_all(&line).or_cannot("write", &self.path)
    }

    /// Returns when everything appended is on disk.
    pub(crate) fn sync(&mut self) -> anyhow::Result<()> {
        self.file.sync_data().or_cannot("sync", &self.path)
    }
}

/// Passes the records of the journal at `path` to `visit`, without opening it for writing.
pub fn read_journal<R: Entry>(
    path: &Path,
    mut visit: impl FnMut(R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    read_places(path, |_, record| visit(record))
}

/// Passes the records of the journal at `path` to `visit`, each with the offset at which [`read_record`] reads it again.
pub(crate) fn read_places<R: Entry>(
    path: &Path,
    visit: impl FnMut(u64, R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let file = File::open(path).or_cannot("open", path)?;
    replay(&mut BufReader::new(file), path, visit).map(|_| ())
}

/// Reads the record at this offset of a journal.
pub(crate) fn read_record<R: Entry>(path: &Path, offset: u64) -> anyhow::Result<R> {
    let mut file = File::open(path).or_cannot("open", path)?;
    file.seek(SeekFrom::Start(offset)).or_cannot("read", path)?;
    let mut line = Vec::new();
    BufReader::new(file).read_until(b'\n', &mut line).or_cannot("read", path)?;
    serde_json::from_slice(&line).or_cannot("read", path)
}

/// Reads whole lines, passes the offset and the record of each to `visit`, and returns the offset of the end of the last one.
fn replay<R: Entry>(
    reader: &mut impl BufRead,
    path: &Path,
    mut visit: impl FnMut(u64, R) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let (mut seen, mut line, mut whole) = (BTreeSet::new(), Vec::new(), 0);
    for number in 1.. {
        line.clear();
        reader.read_until(b'\n', &mut line).or_cannot("read", path)?;
        if line.last() != Some(&b'\n') {
            break;
        }
        let damaged = |what: &str| self::damaged(path, number, what);
        let record: R =
            serde_json::from_slice(&line).map_err(|error| damaged(&parser_message(&error.to_string())))?;
        record.check().map_err(|what| damaged(&what))?;
        if !seen.insert(record.number()) {
            return Err(damaged(&format!("number {} is there twice", record.number())));
        }
        visit(whole, record)?;
        whole += line.len() as u64;
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde::Deserialize;

    use super::*;
    use crate::base::random::SplitMix64;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Item {
        v: u32,
        item: u64,
    }

    impl Entry for Item {
        fn number(&self) -> u64 {
            self.item
        }

        fn check(&self) -> Result<(), String> {
            if self.v == 1 { Ok(()) } else { Err(format!("record version {}, expected 1", self.v)) }
        }
    }

    fn item(item: u64) -> Item {
        Item { v: 1, item }
    }

    fn open(path: &Path) -> anyhow::Result<(Journal<Item>, Vec<Item>, u64)> {
        let mut items = Vec::new();
        let (journal, torn) = Journal::open(path, |item| {
            items.push(item);
            Ok(())
        })?;
        Ok((journal, items, torn))
    }

    #[test]
    fn opening_cuts_a_torn_last_line_and_keeps_the_rest() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let (mut journal, items, torn) = open(&path).unwrap();
        assert!(items.is_empty() && torn == 0);
        for number in [1, 0, 2] {
            journal.append(&item(number)).unwrap();
        }
        journal.sync().unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"{\"v\":1,\"item\":3"].concat()).unwrap();

        let (mut journal, items, torn) = open(&path).unwrap();
        assert_eq!(torn, 15);
        assert_eq!(items, [item(1), item(0), item(2)]);
        assert_eq!(fs::read(&path).unwrap(), whole);
        journal.append(&item(3)).unwrap();
        assert_eq!(open(&path).unwrap().1.len(), 4);
    }

    /// A resumed run has the summary of one that was not interrupted only if no digit changes.
    #[test]
    fn fractions_are_read_exactly_as_they_were_written() {
        let mut random = SplitMix64::new(7);
        let values: Vec<f64> = (0..2000).map(|_| random.next_u64() as f64 / u64::MAX as f64).collect();
        let text = serde_json::to_string(&values).unwrap();
        assert_eq!(serde_json::from_str::<Vec<f64>>(&text).unwrap(), values);
    }

    #[test]
    fn a_damaged_line_is_refused_with_its_number_and_the_file_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let line = |item: &Item| serde_json::to_string(item).unwrap() + "\n";
        let good = line(&item(0));
        for (text, expected) in [
            (format!("{good}garbage\n{good}"), ":2: "),
            (format!("{good}\n{}", line(&item(1))), ":2: "),
            (format!("{good}{good}"), "there twice"),
            (line(&Item { v: 9, item: 0 }), "version 9"),
        ] {
            fs::write(&path, &text).unwrap();
            let error = open(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "a damaged journal is left as it is");
        }
    }
}
