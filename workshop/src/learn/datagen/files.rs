//! `games.vf`: the file of games, valid up to the end offset of the last journal record.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::BatchRecord;
use stretto_harness::run::executor::CompanionFiles;
use stretto_harness::run::{RunFolder, StoreError};

/// Returns the file of games of a run folder.
pub(crate) fn games_in(folder: &Path) -> PathBuf {
    folder.join("games.vf")
}

/// The open file of games.
#[derive(Debug)]
pub(crate) struct GameFile {
    games: File,
    path: PathBuf,
    journal: PathBuf,
    /// Batches and bytes that the journal vouches for.
    batches: usize,
    bytes: u64,
}

impl GameFile {
    /// Opens the file of a folder, made if absent.
    pub(super) fn open(folder: &RunFolder) -> Result<Self, StoreError> {
        let path = games_in(folder.path());
        let options = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
        let games = options.map_err(|error| StoreError::io("open", &path, error))?;
        Ok(Self { games, path, journal: folder.journal(), batches: 0, bytes: 0 })
    }
}

impl CompanionFiles<BatchRecord> for GameFile {
    /// The games of the batch.
    type Payload = Vec<u8>;

    fn replay(&mut self, record: &BatchRecord) -> Result<(), StoreError> {
        (self.batches, self.bytes) = (self.batches + 1, record.end);
        Ok(())
    }

    /// Cuts off games that the journal does not vouch for.
    fn resume(&mut self) -> Result<(), StoreError> {
        let io = |error| StoreError::io("open", &self.path, error);
        let found = self.games.metadata().map_err(io)?.len();
        if found < self.bytes {
            let what = format!("{} has {found} bytes, the journal knows {}", self.path.display(), self.bytes);
            return Err(StoreError::Damaged { path: self.journal.clone(), line: self.batches, what });
        }
        self.games.set_len(self.bytes).map_err(io)?;
        self.games.seek(SeekFrom::End(0)).map_err(io)?;
        Ok(())
    }

    fn write_before(&mut self, record: &mut BatchRecord, games: &Vec<u8>) -> Result<(), StoreError> {
        self.games.write_all(games).map_err(|error| StoreError::io("write", &self.path, error))?;
        self.bytes += games.len() as u64;
        record.end = self.bytes;
        Ok(())
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        self.games.sync_data().map_err(|error| StoreError::io("sync", &self.path, error))
    }
}
