//! `games.vf`: the file of games, valid up to the end offset of the last journal record.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::BatchRecord;
use stretto_harness::base::errors::FileResult;
use stretto_harness::run::command::say;
use stretto_harness::run::executor::CompanionFiles;
use stretto_harness::run::{RunFolder, damaged, hash_reader};

/// Returns the file of games of a run folder.
pub(crate) fn games_in(folder: &Path) -> PathBuf {
    folder.join("games.vf")
}

/// The file of games of an unfinished run.
#[derive(Debug, Default)]
pub(crate) struct GameFile {
    /// The open file, once the journal is replayed.
    games: Option<File>,
    path: PathBuf,
    journal: PathBuf,
    /// Games that the journal lacks.
    missing: u64,
    /// Batches and bytes that the journal vouches for.
    batches: usize,
    bytes: u64,
    /// Offset and hash of the last of these batches.
    last: (u64, Option<String>),
}

impl GameFile {
    /// Returns the file in the folder of a run of this number of games.
    pub(super) fn new(folder: &RunFolder, games: u64) -> Self {
        let (path, journal) = (games_in(folder.path()), folder.journal());
        Self { path, journal, missing: games, ..Self::default() }
    }

    /// Opens the file at the end of the games that the journal vouches for, and cuts off others.
    fn open(&self) -> anyhow::Result<File> {
        let path = &self.path;
        let is_new = self.batches == 0;
        let options = OpenOptions::new().create(is_new).truncate(false).read(true).write(true).open(path);
        let mut games = options.or_cannot("open", path)?;
        let found = games.metadata().or_cannot("open", path)?.len();
        let shown = path.display();
        let damaged = |what: String| damaged(&self.journal, self.batches, &what);
        if found < self.bytes {
            return Err(damaged(format!("{shown} has {found} bytes, the journal knows {}", self.bytes)));
        }
        let (start, hash) = &self.last;
        games.seek(SeekFrom::Start(*start)).or_cannot("open", path)?;
        let last = hash_reader((&games).take(self.bytes - start)).or_cannot("open", path)?;
        if hash.as_ref().is_some_and(|hash| *hash != last) {
            return Err(damaged(format!("{shown} has other games than the journal")));
        }
        if found > self.bytes {
            say(&format!("cut {} bytes of an unfinished batch off {shown}", found - self.bytes));
            games.set_len(self.bytes).or_cannot("open", path)?;
        }
        Ok(games)
    }
}

impl CompanionFiles<BatchRecord> for GameFile {
    /// The games of the batch.
    type Payload = Vec<u8>;

    fn replay(&mut self, record: &BatchRecord) -> anyhow::Result<()> {
        self.last = (self.bytes, record.hash.clone());
        self.missing = self.missing.saturating_sub(record.games);
        (self.batches, self.bytes) = (self.batches + 1, record.end);
        Ok(())
    }

    /// Opens the file, unless the run is finished: its file is left as it is.
    fn resume(&mut self) -> anyhow::Result<()> {
        if self.missing > 0 {
            self.games = Some(self.open()?);
        } else if !self.path.is_file() {
            say(&format!("{} is missing", self.path.display()));
        }
        Ok(())
    }

    fn write_before(&mut self, record: &mut BatchRecord, games: &Vec<u8>) -> anyhow::Result<()> {
        record.hash = Some(hash_reader(&games[..]).or_cannot("write", &self.path)?);
        self.games.as_mut().map_or(Ok(()), |file| file.write_all(games)).or_cannot("write", &self.path)?;
        self.bytes += games.len() as u64;
        record.end = self.bytes;
        Ok(())
    }

    fn sync(&mut self) -> anyhow::Result<()> {
        let synced = self.games.as_ref().map_or(Ok(()), File::sync_data);
        synced.or_cannot("sync", &self.path)
    }
}
