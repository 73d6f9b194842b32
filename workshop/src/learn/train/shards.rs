//! Shards: the training positions on disk, spread at random over files that fit into memory one by
//! one.
//!
//! The games are read once. Each position goes to a random shard, as the 32 bytes of a [`Sample`].
//! An epoch visits the shards in a new random order, and shuffles each in memory. Both depend on
//! the seed and the epoch only. A thread of its own reads the next shard while the present one is
//! trained on, so that two are in memory at a time, however many positions there are.
//!
//! The folder `shards` of a run holds them until the training is finished. `index.json`, which is
//! written last, vouches for them by count and BLAKE3 hash.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use anyhow::anyhow;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::learn::data::{SAMPLE, Sample};
use stretto_harness::base::random::SplitMix64;
use stretto_harness::run::write_atomically;

/// Bytes of game files per shard: about 6 million positions, or 200 MB in memory.
const GAME_BYTES: u64 = 36 << 20;
/// The largest number of shards, which are all open while they are written.
const MAX_SHARDS: u64 = 400;
/// Bytes that are collected before they are written to a shard.
const BUFFER: usize = 64 << 10;
/// Batches that may wait for the training.
const WAITING: usize = 4;
/// Decouples the choice of the shard from the other random choices.
const SHARD_SALT: u64 = 0x5A4D_0000_0001;
/// Decouples the order of an epoch from the other random choices.
const EPOCH_SALT: u64 = 0xE60C_0000_0001;
/// The file that vouches for the shards.
const INDEX: &str = "index.json";
/// Version of the index.
const VERSION: u32 = 1;

/// Returns the folder of the shards of a run.
pub(super) fn shards_in(run: &Path) -> PathBuf {
    run.join("shards")
}

/// The list of the shards.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Index {
    v: u32,
    /// Number of games read.
    pub(super) games: u64,
    /// Number of games equal to another one.
    #[serde(default)]
    pub(super) repeated: u64,
    /// Positions held out from training, which measure the loss.
    pub(super) validation: ShardFile,
    /// Positions to train on, one file per shard.
    pub(super) training: Vec<ShardFile>,
}

/// A file of positions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ShardFile {
    /// Name in the folder of the shards.
    name: String,
    pub(super) positions: usize,
    /// BLAKE3 hash of the content.
    hash: String,
}

/// A shard, or their folder, that cannot be written or read.
#[derive(Debug, Error)]
#[error("{}: {what}", path.display())]
pub(super) struct ShardError {
    path: PathBuf,
    what: String,
}

impl ShardError {
    pub(super) fn new(path: &Path, what: impl Display) -> Self {
        Self { path: path.to_path_buf(), what: what.to_string() }
    }
}

/// Returns the error of a run whose folder is kept: its shards can be written again.
pub(super) fn in_kept_run(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<ShardError>() {
        Ok(error) => anyhow!("{error}; delete the folder `shards` of the run, --resume writes it again"),
        Err(error) => error,
    }
}

impl Index {
    /// Reads the index of a folder; `None` if its shards are not complete.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let bytes = std::fs::read(folder.join(INDEX)).ok()?;
        serde_json::from_slice(&bytes).ok().filter(|index: &Self| index.v == VERSION)
    }
}

impl ShardFile {
    /// Reads and checks the positions.
    pub(super) fn read(&self, folder: &Path) -> Result<Vec<Sample>, ShardError> {
        let path = folder.join(&self.name);
        let bytes = std::fs::read(&path).map_err(|error| ShardError::new(&path, error))?;
        if blake3::hash(&bytes).to_hex().as_str() != self.hash {
            return Err(ShardError::new(&path, "damaged: wrong hash"));
        }
        let (samples, _) = bytes.as_chunks::<SAMPLE>();
        Ok(samples.iter().map(Sample::from_bytes).collect())
    }
}

/// A file of positions that is being written.
struct OpenShard {
    file: File,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
    positions: usize,
    name: String,
}

impl OpenShard {
    fn create(folder: &Path, name: String) -> io::Result<Self> {
        let file = File::create(folder.join(&name))?;
        Ok(Self {
            file,
            buffer: Vec::with_capacity(BUFFER),
            hasher: blake3::Hasher::new(),
            positions: 0,
            name,
        })
    }

    fn push(&mut self, sample: &Sample) -> io::Result<()> {
        self.buffer.extend_from_slice(&sample.to_bytes());
        self.positions += 1;
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hasher.update(&self.buffer);
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<ShardFile> {
        self.flush()?;
        let hash = self.hasher.finalize().to_hex().to_string();
        Ok(ShardFile { name: self.name, positions: self.positions, hash })
    }
}

/// Spreads positions over the shards of a new folder.
pub(super) struct ShardWriter {
    folder: PathBuf,
    validation: OpenShard,
    training: Vec<OpenShard>,
    choice: SplitMix64,
}

impl ShardWriter {
    /// Creates the folder, replacing an old one. `game_bytes` is the size of the files of games.
    pub(super) fn create(folder: &Path, game_bytes: u64, seed: u64) -> io::Result<Self> {
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => std::fs::create_dir_all(folder)?,
        }
        let count = game_bytes.div_ceil(GAME_BYTES).clamp(1, MAX_SHARDS);
        let training = (0..count).map(|number| OpenShard::create(folder, format!("{number:04}.samples")));
        Ok(Self {
            folder: folder.to_path_buf(),
            validation: OpenShard::create(folder, "validation.samples".to_owned())?,
            training: training.collect::<io::Result<_>>()?,
            choice: SplitMix64::new(seed ^ SHARD_SALT),
        })
    }

    /// Adds a training position.
    pub(super) fn push(&mut self, sample: &Sample) -> io::Result<()> {
        let shard = self.choice.below(self.training.len() as u64) as usize;
        self.training[shard].push(sample)
    }

    /// Adds a validation position.
    pub(super) fn push_validation(&mut self, sample: &Sample) -> io::Result<()> {
        self.validation.push(sample)
    }

    /// Completes the files and writes their index.
    pub(super) fn finish(self, games: u64, repeated: u64) -> io::Result<Index> {
        let validation = self.validation.finish()?;
        let training = self.training.into_iter().map(OpenShard::finish).collect::<io::Result<_>>()?;
        let index = Index { v: VERSION, games, repeated, validation, training };
        write_atomically(&self.folder.join(INDEX), &serde_json::to_vec(&index)?)?;
        Ok(index)
    }
}

/// The batches of an epoch, prepared by a thread of its own.
pub(super) struct Batches {
    /// Taken when the batches are dropped, which ends the thread.
    batches: Option<Receiver<Result<Vec<Sample>, ShardError>>>,
    thread: Option<JoinHandle<()>>,
}

impl Batches {
    /// Starts an epoch over the shards of a folder. Every batch has `batch` positions but the last.
    pub(super) fn start(
        folder: &Path,
        shards: &[ShardFile],
        batch: usize,
        seed: u64,
        epoch: u32,
    ) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(WAITING);
        let mut random = SplitMix64::new(seed ^ EPOCH_SALT.wrapping_mul(u64::from(epoch)));
        let (folder, mut shards) = (folder.to_path_buf(), shards.to_vec());
        random.shuffle(&mut shards);
        let thread = std::thread::Builder::new().name("shards".to_owned()).spawn(move || {
            if let Err(error) = send_batches(&folder, &shards, batch, &mut random, &sender) {
                // The receiver is gone where the epoch was stopped.
                let _ = sender.send(Err(error));
            }
        })?;
        Ok(Self { batches: Some(receiver), thread: Some(thread) })
    }
}

impl Iterator for Batches {
    type Item = Result<Vec<Sample>, ShardError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.as_ref()?.recv().ok()
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.batches = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed, and this may run while another unwinds.
            let _ = thread.join();
        }
    }
}

/// Sends the positions of the shards in batches, until the end or until the receiver is dropped.
fn send_batches(
    folder: &Path,
    shards: &[ShardFile],
    batch: usize,
    random: &mut SplitMix64,
    sender: &SyncSender<Result<Vec<Sample>, ShardError>>,
) -> Result<(), ShardError> {
    let mut next = Vec::with_capacity(batch);
    for shard in shards {
        let mut samples = shard.read(folder)?;
        random.shuffle(&mut samples);
        let mut rest = &samples[..];
        while !rest.is_empty() {
            let (begin, end) = rest.split_at(rest.len().min(batch - next.len()));
            next.extend_from_slice(begin);
            rest = end;
            if next.len() == batch && sender.send(Ok(take(&mut next))).is_err() {
                return Ok(());
            }
        }
    }
    if !next.is_empty() {
        let _ = sender.send(Ok(next));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use stretto::position::Position;

    use super::*;

    /// Writes positions that differ by their score.
    fn write(folder: &Path, count: i16, game_bytes: u64) -> Index {
        let mut writer = ShardWriter::create(folder, game_bytes, 7).unwrap();
        for score in 0..count {
            let sample = Sample::new(&Position::startpos(), score, 1);
            if score % 10 == 0 { writer.push_validation(&sample) } else { writer.push(&sample) }.unwrap();
        }
        writer.finish(3, 1).unwrap()
    }

    fn epoch(folder: &Path, index: &Index, batch: usize, epoch: u32) -> Vec<Vec<i16>> {
        let batches = Batches::start(folder, &index.training, batch, 5, epoch).unwrap();
        batches.map(|batch| batch.unwrap().iter().map(Sample::score).collect()).collect()
    }

    #[test]
    fn epoch_has_every_position_once_in_a_new_order() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("shards");
        let index = write(&folder, 5000, 5 * GAME_BYTES);
        assert_eq!((index.games, index.training.len(), index.validation.positions), (3, 5, 500));
        assert!(index.training.iter().all(|shard| (700..1100).contains(&shard.positions)), "{index:?}");
        let (one, two) = (epoch(&folder, &index, 64, 1), epoch(&folder, &index, 64, 2));
        assert_eq!(one, epoch(&folder, &Index::read(&folder).unwrap(), 64, 1));
        assert_ne!(one, two);
        for batches in [one, two] {
            let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
            assert_eq!(sizes[..70], [64; 70]);
            assert_eq!(sizes[70..], [20]);
            let mut scores = batches.concat();
            // Few neighbours remain neighbours.
            let neighbours = scores.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count();
            assert!(neighbours < 20, "{neighbours}");
            scores.sort_unstable();
            assert!(scores.iter().copied().eq((0..5000).filter(|score| score % 10 != 0)));
        }
        let validation = index.validation.read(&folder).unwrap();
        assert!(validation.iter().map(Sample::score).eq((0..5000).step_by(10)));
    }

    #[test]
    fn epoch_can_be_dropped_before_its_end() {
        let dir = tempfile::tempdir().unwrap();
        let index = write(dir.path(), 5000, GAME_BYTES);
        let mut batches = Batches::start(dir.path(), &index.training, 16, 5, 1).unwrap();
        assert_eq!(batches.next().unwrap().unwrap().len(), 16);
        drop(batches);
    }

    #[test]
    fn incomplete_and_damaged_shards_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let index = write(dir.path(), 100, GAME_BYTES);
        let shard = dir.path().join("0000.samples");
        let mut bytes = std::fs::read(&shard).unwrap();
        bytes[40] ^= 1;
        std::fs::write(&shard, bytes).unwrap();
        let mut batches = Batches::start(dir.path(), &index.training, 16, 5, 1).unwrap();
        let error = batches.next().unwrap().unwrap_err();
        assert!(error.to_string().ends_with("0000.samples: damaged: wrong hash"), "{error}");
        let error = in_kept_run(error.into()).to_string();
        assert!(error.contains("delete the folder `shards` of the run"), "{error}");
        assert!(batches.next().is_none());
        drop(ShardWriter::create(dir.path(), 1, 7).unwrap());
        assert!(Index::read(dir.path()).is_none());
    }
}
