//! The making of games: its tasks are the numbers of batches.

use std::ops::Range;
use std::sync::Arc;

use stretto::bench::Bench;
use stretto::engine::Configuration;
use stretto::eval::Evaluation;
use stretto::eval::network::Network;

use super::files::GameFile;
use super::openings::Starts;
use super::play::Player;
use super::record::BATCH_VERSION;
use super::study::{DatagenState, DatagenStudy};
use super::{BatchRecord, DataEvaluation, DatagenConfig, DatagenTotals};
use crate::learn::data::{Filter, Sample};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::Stop;
use stretto_harness::run::RunFolder;
use stretto_harness::run::executor::{OutboxOf, Play, TaskList, Tasks};

/// Games in a batch.
const BATCH: u64 = 64;
/// The depth of the bench that identifies the engine.
const SIGNATURE_DEPTH: stretto::types::Depth = stretto::types::Depth(6);

/// Games to be made, with the contents of the files that the configuration names.
#[derive(Debug)]
pub(crate) struct DatagenPlay {
    pub(super) study: DatagenStudy,
    /// The evaluation of the players.
    evaluation: Evaluation,
    starts: Arc<Starts>,
    cancel: Cancel,
}

impl DatagenPlay {
    /// Prepares the games; loads the network and the opening files.
    pub(crate) fn new(config: DatagenConfig, cancel: Cancel) -> anyhow::Result<Self> {
        let evaluation = match (config.evaluation, &config.network) {
            (DataEvaluation::Network, Some(file)) => Evaluation::Network(Arc::new(Network::load(file)?)),
            (DataEvaluation::Material, _) => Evaluation::Material,
            _ => Evaluation::Classical,
        };
        let starts = Arc::new(Starts::load(&config.openings)?);
        Ok(Self { study: DatagenStudy::new(config), evaluation, starts, cancel })
    }

    /// Returns the nodes of a short bench: another engine has another number.
    pub(crate) fn signature(&self) -> anyhow::Result<u64> {
        let configuration = Configuration { evaluation: self.evaluation.clone(), ..Configuration::default() };
        let bench = Bench { depth: SIGNATURE_DEPTH, configuration, ..Bench::default() };
        Ok(bench.run(|_, _, _| {})?.nodes.0)
    }

    /// Returns how many batches there are.
    fn batches(&self) -> u64 {
        self.study.config.games.get().div_ceil(BATCH)
    }

    /// Returns the numbers of the games of a batch.
    fn games_of(&self, batch: u64) -> Range<u64> {
        BATCH * batch..(BATCH * (batch + 1)).min(self.study.config.games.get())
    }

    /// Plays the games of a batch in order; returns its record and its bytes.
    fn play_batch(&self, player: &mut Player, number: u64) -> Result<(BatchRecord, Vec<u8>), Stop> {
        let filter = Filter::default();
        let before = player.nodes;
        let mut bytes = Vec::new();
        let mut record = BatchRecord { v: BATCH_VERSION, batch: number, ..BatchRecord::default() };
        for game in self.games_of(number) {
            if self.cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            let game = player.play(game)?;
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

impl Play for DatagenPlay {
    const ITEM: &'static str = "batch";
    const IN_ORDER: bool = true;
    const LIVE_SUMMARY: bool = false;

    type Study = DatagenStudy;
    type Task = u64;
    type Worker<'a> = Player;
    type Files = GameFile;

    fn study(&self) -> &DatagenStudy {
        &self.study
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn workers(&self) -> usize {
        self.study.config.concurrency
    }

    fn files(&self, folder: &RunFolder) -> anyhow::Result<GameFile> {
        Ok(GameFile::new(folder, self.study.config.games.get()))
    }

    fn begin_session(&self, state: &mut DatagenState) {
        state.session = DatagenTotals::default();
    }

    fn tasks(&self, state: &DatagenState) -> Box<dyn Tasks<u64>> {
        Box::new(TaskList::new((state.totals.batches..self.batches()).collect()))
    }

    fn worker(&self, _place: usize, _folder: &RunFolder) -> anyhow::Result<Player> {
        Ok(Player::new(Arc::clone(&self.study.config), self.evaluation.clone(), Arc::clone(&self.starts))?)
    }

    fn perform(&self, player: &mut Player, batch: u64, outbox: &OutboxOf<'_, Self>) -> Result<(), Stop> {
        let (record, games) = self.play_batch(player, batch)?;
        outbox.send(record, games, None)
    }
}
