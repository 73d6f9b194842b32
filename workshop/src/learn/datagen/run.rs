//! The making of games as an experiment: its tasks are the numbers of batches.

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use stretto::bench::Bench;
use stretto::engine::Configuration;
use stretto::eval::Evaluation;
use stretto::eval::network::Network;

use super::files::GameFile;
use super::openings::Starts;
use super::play::Player;
use super::{
    BATCH_VERSION, BatchRecord, DataEvaluation, DatagenConfig, DatagenError, DatagenTotals, datagen_report,
};
use crate::learn::data::{Filter, Sample};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::report::Report;
use stretto_harness::run::executor::{ExecuteError, Experiment, Outbox, Stop, TaskList, Tasks};
use stretto_harness::run::stored::StoredRun;
use stretto_harness::run::{RunFolder, RunState, StoreError, read_journal};

/// Games in a batch.
const BATCH: u64 = 64;
/// The depth of the bench that identifies the engine.
const SIGNATURE_DEPTH: stretto::types::Depth = stretto::types::Depth(6);

/// Games to be made.
#[derive(Debug)]
pub(crate) struct DatagenRun {
    pub(super) config: Arc<DatagenConfig>,
    /// Absent in a run that is only reported on.
    prepared: Option<Prepared>,
    cancel: Cancel,
}

/// The contents of the files that a configuration names.
#[derive(Debug)]
struct Prepared {
    /// The evaluation of the players.
    evaluation: Evaluation,
    starts: Arc<Starts>,
}

/// The batches so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DatagenState {
    /// Sums of all sessions.
    pub totals: DatagenTotals,
    /// Sums of this session.
    pub(super) session: DatagenTotals,
}

/// The content of `summary.json`.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct DatagenSummary {
    is_finished: bool,
    totals: DatagenTotals,
}

impl DatagenRun {
    /// Prepares the games; loads the network and the opening files.
    pub(crate) fn new(config: DatagenConfig, cancel: Cancel) -> Result<Self, DatagenError> {
        let evaluation = match (config.evaluation, &config.network) {
            (DataEvaluation::Network, Some(file)) => Evaluation::Network(Arc::new(Network::load(file)?)),
            (DataEvaluation::Material, _) => Evaluation::Material,
            _ => Evaluation::Classical,
        };
        let starts = Arc::new(Starts::load(&config.openings)?);
        Ok(Self { config: Arc::new(config), prepared: Some(Prepared { evaluation, starts }), cancel })
    }

    /// Whether all games are in the journal of the run.
    ///
    /// Errors: the journal cannot be read or is damaged.
    pub(crate) fn is_complete(config: &DatagenConfig, folder: &RunFolder) -> Result<bool, StoreError> {
        let (journal, mut games) = (folder.journal(), 0);
        if !journal.exists() {
            return Ok(false);
        }
        read_journal(&journal, |batch: BatchRecord| {
            games += batch.games;
            Ok(())
        })?;
        Ok(games >= config.games.get())
    }

    /// Returns the evaluation and the start positions.
    ///
    /// # Panics
    ///
    /// If the run is only reported on.
    fn prepared(&self) -> &Prepared {
        self.prepared.as_ref().expect("a run that is only reported on makes no games")
    }

    /// Returns the nodes of a short bench: another engine has another number.
    pub(crate) fn signature(&self) -> Result<u64, DatagenError> {
        let configuration =
            Configuration { evaluation: self.prepared().evaluation.clone(), ..Configuration::default() };
        let bench = Bench { depth: SIGNATURE_DEPTH, configuration, ..Bench::default() };
        Ok(bench.run(|_, _, _| {})?.nodes.0)
    }

    /// Returns how many batches there are.
    fn batches(&self) -> u64 {
        self.config.games.get().div_ceil(BATCH)
    }

    /// Returns the numbers of the games of a batch.
    fn games_of(&self, batch: u64) -> Range<u64> {
        BATCH * batch..(BATCH * (batch + 1)).min(self.config.games.get())
    }

    /// Plays the games of a batch in order; returns its record and its bytes.
    fn play_batch(
        &self,
        player: &mut Player,
        number: u64,
    ) -> Result<(BatchRecord, Vec<u8>), Stop<DatagenError>> {
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
        for game in self.games_of(number) {
            if self.cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            let game = player.play(game).map_err(Stop::failed)?;
            record.games += 1;
            record.plies += game.moves.len() as u64;
            record.positions += Sample::of_game(&game, &filter).count() as u64;
            record.results[usize::from(game.half_points)] += 1;
            // Writing to a vector cannot fail.
            let _ = game.write(&mut bytes);
        }
        record.nodes = player.nodes - before;
        Ok((record, bytes))
    }
}

impl Experiment for DatagenRun {
    const ITEM: &'static str = "batch";
    const IN_ORDER: bool = true;
    const LIVE_SUMMARY: bool = false;

    type Config = DatagenConfig;
    type Task = u64;
    type Record = BatchRecord;
    type Worker<'a> = Player;
    type State = DatagenState;
    type Files = GameFile;
    type Summary = DatagenSummary;
    type Error = DatagenError;

    fn rebuild(config: DatagenConfig, _run: &StoredRun<'_>) -> anyhow::Result<Self> {
        Ok(Self { config: Arc::new(config), prepared: None, cancel: Cancel::new() })
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn workers(&self) -> usize {
        self.config.concurrency
    }

    fn state(&self) -> DatagenState {
        DatagenState::default()
    }

    fn check(&self, state: &DatagenState, record: &BatchRecord) -> Result<(), String> {
        let totals = &state.totals;
        if record.batch == totals.batches && record.end >= totals.bytes {
            return Ok(());
        }
        Err(format!("batch {} follows batch {}", record.batch, totals.batches))
    }

    fn files(&self, folder: &RunFolder) -> Result<GameFile, StoreError> {
        GameFile::open(folder)
    }

    fn begin_session(&self, state: &mut DatagenState) {
        state.session = DatagenTotals::default();
    }

    fn tasks(&self, state: &DatagenState) -> Box<dyn Tasks<u64>> {
        Box::new(TaskList::new((state.totals.batches..self.batches()).collect()))
    }

    fn worker(&self, _place: usize, _folder: &RunFolder) -> Result<Player, ExecuteError<DatagenError>> {
        let Prepared { evaluation, starts } = self.prepared();
        Player::new(Arc::clone(&self.config), evaluation.clone(), Arc::clone(starts))
            .map_err(|error| ExecuteError::Experiment(error.into()))
    }

    fn perform(
        &self,
        player: &mut Player,
        batch: u64,
        outbox: &Outbox<'_, Self>,
    ) -> Result<(), Stop<DatagenError>> {
        let (record, games) = self.play_batch(player, batch)?;
        outbox.send(record, games, None)
    }

    fn take(&self, state: &mut DatagenState, record: &BatchRecord) -> bool {
        state.totals.add(record);
        state.session.add(record);
        false
    }

    fn is_finished(&self, state: &DatagenState) -> bool {
        state.totals.games >= self.config.games.get()
    }

    fn summarize(&self, state: &DatagenState, run: RunState) -> DatagenSummary {
        DatagenSummary { is_finished: run == RunState::Finished, totals: state.totals }
    }

    fn report(&self, state: &DatagenState, _summary: &DatagenSummary) -> Report {
        datagen_report(&self.config, &state.totals)
    }
}
