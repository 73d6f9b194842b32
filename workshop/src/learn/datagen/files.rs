//! `games.vf`: the file of games, valid up to the end offset of the last journal record.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::BatchRecord;
use stretto_harness::run::command::say;
use stretto_harness::run::executor::CompanionFiles;
use stretto_harness::run::{RunFolder, StoreError, hash_reader};

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
    fn open(&self) -> Result<File, StoreError> {
        let io = |error| StoreError::io("open", &self.path, error);
        let is_new = self.batches == 0;
        let options =
            OpenOptions::new().create(is_new).truncate(false).read(true).write(true).open(&self.path);
        let mut games = options.map_err(io)?;
        let found = games.metadata().map_err(io)?.len();
        let shown = self.path.display();
        let damaged = |what| StoreError::Damaged { path: self.journal.clone(), line: self.batches, what };
        if found < self.bytes {
            return Err(damaged(format!("{shown} has {found} bytes, the journal knows {}", self.bytes)));
        }
        let (start, hash) = &self.last;
        games.seek(SeekFrom::Start(*start)).map_err(io)?;
        let last = hash_reader((&games).take(self.bytes - start)).map_err(io)?;
        if hash.as_ref().is_some_and(|hash| *hash != last) {
            return Err(damaged(format!("{shown} has other games than the journal")));
        }
        if found > self.bytes {
            say(&format!("cut {} bytes of an unfinished batch off {shown}", found - self.bytes));
            games.set_len(self.bytes).map_err(io)?;
        }
        Ok(games)
    }
}

impl CompanionFiles<BatchRecord> for GameFile {
    /// The games of the batch.
    type Payload = Vec<u8>;

    fn replay(&mut self, record: &BatchRecord) -> Result<(), StoreError> {
        self.last = (self.bytes, record.hash.clone());
        self.missing = self.missing.saturating_sub(record.games);
        (self.batches, self.bytes) = (self.batches + 1, record.end);
        Ok(())
    }

    /// Opens the file, unless the run is finished: its file is left as it is.
    fn resume(&mut self) -> Result<(), StoreError> {
        if self.missing > 0 {
            self.games = Some(self.open()?);
        } else if !self.path.is_file() {
            say(&format!("{} is missing", self.path.display()));
        }
        Ok(())
    }

    fn write_before(&mut self, record: &mut BatchRecord, games: &Vec<u8>) -> Result<(), StoreError> {
        let io = |error| StoreError::io("write", &self.path, error);
        record.hash = Some(hash_reader(&games[..]).map_err(io)?);
        self.games.as_mut().map_or(Ok(()), |file| file.write_all(games)).map_err(io)?;
        self.bytes += games.len() as u64;
        record.end = self.bytes;
        Ok(())
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        let synced = self.games.as_ref().map_or(Ok(()), File::sync_data);
        synced.map_err(|error| StoreError::io("sync", &self.path, error))
    }
}
