//! Makes games to learn from: the engine against itself, in this process, very many and very short of thought.
//!
//! Every game is decided by its number, so the file of games is the same whatever number of threads plays and however
//! often the run was broken off. Games are played in batches; one collector writes the batches in their order, and after
//! each a line of the journal that says how far the file is good. The caller is the command line.

mod play;
mod rescore;
mod walk;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use stretto::bench::{Bench, BenchError};
use stretto::engine::Configuration;
use stretto::eval::Evaluation;
use stretto::eval::network::{Network, NetworkError};
use stretto::tt::AllocationError;
use thiserror::Error;

use crate::cancel::Cancel;
use crate::config::{DataEvaluation, DatagenConfig};
use crate::crew::{self, NoCrew};
use crate::store::{Entry, Journal, RunFolder, StoreError};
use crate::training_data::{Filter, Sample};
use play::Player;

pub use rescore::{RescoreError, rescore};
pub use walk::Walks;

/// Games in a batch.
const BATCH: u64 = 64;
/// How often the observer may show something while no batch ends.
const TICK: Duration = Duration::from_millis(200);
/// How often what was written is brought to disk.
const SAVE_INTERVAL: Duration = Duration::from_secs(5);
/// The format of the journal.
const BATCH_VERSION: u32 = 1;
/// The depth of the search that tells one engine from another.
const SIGNATURE_DEPTH: stretto::types::Depth = stretto::types::Depth(6);

/// Why no games could be made.
#[derive(Debug, Error)]
pub enum DatagenError {
    /// The run folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The network to play with.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// No memory for a player.
    #[error(transparent)]
    Memory(#[from] AllocationError),
    /// Nobody to play the games.
    #[error(transparent)]
    Crew(#[from] NoCrew),
    /// The engine cannot even be benched.
    #[error(transparent)]
    Bench(#[from] BenchError),
}

/// A batch that is in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BatchRecord {
    v: u32,
    /// Which, from 0.
    pub batch: u64,
    /// Games in it.
    pub games: u64,
    /// Plies of them.
    pub plies: u64,
    /// Positions that the usual filter leaves.
    pub positions: u64,
    /// Nodes searched for it.
    pub nodes: u64,
    /// By White's doubled points.
    pub results: [u64; 3],
    /// Where it ends in the file.
    pub end: u64,
}

impl Entry for BatchRecord {
    fn number(&self) -> u64 {
        self.batch
    }

    fn check(&self) -> Result<(), String> {
        if self.v == BATCH_VERSION {
            return Ok(());
        }
        Err(format!("record version {}, expected {BATCH_VERSION}", self.v))
    }
}

/// Everything a run needs.
#[derive(Debug)]
pub struct DatagenJob {
    config: Arc<DatagenConfig>,
    evaluation: Evaluation,
    /// Nodes of a short bench: another engine has another number.
    pub signature: u64,
    cancel: Cancel,
}

impl DatagenJob {
    /// Loads what the players need.
    pub fn new(config: DatagenConfig, cancel: Cancel) -> Result<Self, DatagenError> {
        let evaluation = match (config.evaluation, &config.network) {
            (DataEvaluation::Network, Some(file)) => Evaluation::Network(Arc::new(Network::load(file)?)),
            (DataEvaluation::Material, _) => Evaluation::Material,
            _ => Evaluation::Classical,
        };
        let configuration = Configuration { evaluation: evaluation.clone(), ..Configuration::default() };
        let bench = Bench { depth: SIGNATURE_DEPTH, configuration, ..Bench::default() };
        let signature = bench.run(|_, _, _| {})?.nodes.0;
        Ok(Self { config: Arc::new(config), evaluation, signature, cancel })
    }

    /// What was asked for.
    pub fn config(&self) -> &DatagenConfig {
        &self.config
    }

    /// How many batches there are.
    pub fn batches(&self) -> u64 {
        self.config.games.get().div_ceil(BATCH)
    }

    /// The numbers of the games of a batch.
    fn games_of(&self, batch: u64) -> std::ops::Range<u64> {
        BATCH * batch..(BATCH * (batch + 1)).min(self.config.games.get())
    }
}

/// Sums over the batches so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DatagenTotals {
    /// Batches.
    pub batches: u64,
    /// Games.
    pub games: u64,
    /// Plies of them.
    pub plies: u64,
    /// Positions that the usual filter leaves.
    pub positions: u64,
    /// Nodes searched for them.
    pub nodes: u64,
    /// By White's doubled points.
    pub results: [u64; 3],
    /// Bytes of the file.
    pub bytes: u64,
}

impl DatagenTotals {
    /// Of these batches.
    pub fn of(batches: &[BatchRecord]) -> Self {
        let mut totals = Self::default();
        for batch in batches {
            totals.add(batch);
        }
        totals
    }

    fn add(&mut self, record: &BatchRecord) {
        self.batches += 1;
        self.games += record.games;
        self.plies += record.plies;
        self.positions += record.positions;
        self.nodes += record.nodes;
        for (sum, count) in self.results.iter_mut().zip(record.results) {
            *sum += count;
        }
        self.bytes = record.end;
    }
}

/// What a run tells while it goes on.
pub trait DatagenObserver {
    /// Something the user should know.
    fn notice(&mut self, text: &str);
    /// Called several times a second: the sums, those of this session alone, and its duration.
    fn progress(&mut self, all: &DatagenTotals, session: &DatagenTotals, elapsed: Duration);
}

/// The open files of a run, with the sums of what is in them.
#[derive(Debug)]
pub struct GameFiles {
    folder: RunFolder,
    journal: Journal<BatchRecord>,
    games: File,
    path: PathBuf,
    /// What is there.
    pub totals: DatagenTotals,
}

impl GameFiles {
    /// The file of games of a run folder.
    pub fn games_in(folder: &Path) -> PathBuf {
        folder.join("games.vf")
    }

    /// Opens the files of a folder; games that the journal does not vouch for are cut off.
    pub fn open(folder: RunFolder) -> Result<Self, StoreError> {
        let path = Self::games_in(folder.path());
        let journal_path = folder.journal();
        let mut totals = DatagenTotals::default();
        let (journal, _) = Journal::open(&journal_path, |record: BatchRecord| {
            if record.batch != totals.batches || record.end < totals.bytes {
                let what = format!("batch {} follows batch {}", record.batch, totals.batches);
                let line = totals.batches as usize + 1;
                return Err(StoreError::Damaged { path: journal_path.clone(), line, what });
            }
            totals.add(&record);
            Ok(())
        })?;
        let io = |error| StoreError::io("open", &path, error);
        let options = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
        let mut games = options.map_err(io)?;
        let found = games.metadata().map_err(io)?.len();
        if found < totals.bytes {
            let what = format!("{} has {found} bytes, the journal knows {}", path.display(), totals.bytes);
            let line = totals.batches as usize;
            return Err(StoreError::Damaged { path: folder.journal(), line, what });
        }
        games.set_len(totals.bytes).and_then(|()| games.seek(SeekFrom::End(0))).map_err(io)?;
        Ok(Self { folder, journal, games, path, totals })
    }

    /// The file of games.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    fn write(&mut self, batch: &Batch) -> Result<(), StoreError> {
        self.games.write_all(&batch.bytes).map_err(|error| StoreError::io("write", &self.path, error))?;
        let end = self.totals.bytes + batch.bytes.len() as u64;
        let record = BatchRecord { end, ..batch.record.clone() };
        self.journal.append(&record)?;
        self.totals.add(&record);
        Ok(())
    }

    /// Returns when everything is on disk, games before what vouches for them.
    fn sync(&mut self) -> Result<(), StoreError> {
        self.games.sync_data().map_err(|error| StoreError::io("sync", &self.path, error))?;
        self.journal.sync()
    }
}

/// A batch on its way to the file.
struct Batch {
    bytes: Vec<u8>,
    record: BatchRecord,
}

/// Plays what is missing. Returns whether everything is there; a stop leaves everything saved.
pub fn datagen(
    job: &DatagenJob,
    files: &mut GameFiles,
    observer: &mut dyn DatagenObserver,
) -> Result<bool, DatagenError> {
    let first = files.totals.batches;
    let missing = job.batches().saturating_sub(first);
    let players = (job.config.concurrency as u64).min(missing);
    let players = (0..players)
        .map(|_| Player::new(Arc::clone(&job.config), job.evaluation.clone()))
        .collect::<Result<Vec<_>, _>>()?;
    let next = AtomicU64::new(first);
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let crew = players.into_iter().map(|player| {
            let (sender, next) = (sender.clone(), &next);
            move || play_batches(job, player, next, &sender)
        });
        if let Some(shortage) = crew::start(scope, crew)? {
            observer.notice(&shortage);
        }
        drop(sender);
        let result = collect(job, files, observer, &receiver);
        if result.is_err() {
            // Nobody is left to write what would still be played.
            job.cancel.cancel();
        }
        result
    })?;
    files.sync()?;
    Ok(files.totals.batches == job.batches())
}

/// A worker: batch after batch until none is left.
fn play_batches(job: &DatagenJob, mut player: Player, next: &AtomicU64, sender: &Sender<Batch>) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= job.batches() {
            return;
        }
        let Some(batch) = play_batch(job, &mut player, number) else { return };
        if sender.send(batch).is_err() {
            return;
        }
    }
}

/// A whole batch; `None` if the run is stopped before its end.
fn play_batch(job: &DatagenJob, player: &mut Player, number: u64) -> Option<Batch> {
    let filter = Filter::default();
    let before = player.nodes;
    let mut bytes = Vec::new();
    let mut record = BatchRecord {
        v: BATCH_VERSION,
        batch: number,
        games: 0,
        plies: 0,
        positions: 0,
        nodes: 0,
        results: [0; 3],
        end: 0,
    };
    for game in job.games_of(number) {
        if job.cancel.is_cancelled() {
            return None;
        }
        let game = player.play(game);
        record.games += 1;
        record.plies += game.moves.len() as u64;
        record.positions += Sample::of_game(&game, &filter).count() as u64;
        record.results[usize::from(game.half_points)] += 1;
        // A vector takes all there is.
        let _ = game.write(&mut bytes);
    }
    record.nodes = player.nodes - before;
    Some(Batch { bytes, record })
}

/// Writes batches in their order until every worker is gone.
fn collect(
    job: &DatagenJob,
    files: &mut GameFiles,
    observer: &mut dyn DatagenObserver,
    batches: &Receiver<Batch>,
) -> Result<(), DatagenError> {
    let start = Instant::now();
    let mut session = DatagenTotals::default();
    let mut early = BTreeMap::new();
    let (mut last_save, mut is_stop_told) = (start, false);
    loop {
        if !is_stop_told && job.cancel.is_cancelled() {
            is_stop_told = true;
            observer.notice("stopping; once more to leave at once");
        }
        match batches.recv_timeout(TICK) {
            Ok(batch) => {
                early.insert(batch.record.batch, batch);
                while let Some(batch) = early.remove(&files.totals.batches) {
                    files.write(&batch)?;
                    session.add(&batch.record);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if last_save.elapsed() >= SAVE_INTERVAL {
            files.sync()?;
            last_save = Instant::now();
        }
        observer.progress(&files.totals, &session, start.elapsed());
    }
}
