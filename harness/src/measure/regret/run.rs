//! A comparison as an experiment of the executor: its tasks are the positions.

use std::num::NonZeroUsize;

use anyhow::bail;

use super::judgements::Judgements;
use super::record::RegretRecord;
use super::report::regret_report;
use super::summary::RegretSummary;
use super::worker::{Players, compare};
use super::{Job, RegretConfig, RegretError, RegretRun};
use crate::base::cancel::Cancel;
use crate::measure::searches::load_positions;
use crate::play::matches::Player;
use crate::report::Report;
use crate::run::executor::{ExecuteError, Experiment, Outbox, Stop, TaskList, Tasks};
use crate::run::stored::StoredRun;
use crate::run::{RunFolder, RunState, StoreError};
use crate::uci::Launcher;

impl Experiment for RegretRun {
    const ITEM: &'static str = "position";

    type Config = RegretConfig;
    type Task = usize;
    type Record = RegretRecord;
    type Worker<'a> = Players<'a>;
    type State = Vec<RegretRecord>;
    type Files = ();
    type Summary = RegretSummary;
    type Error = RegretError;

    fn rebuild(config: RegretConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let count = config.count.map(NonZeroUsize::get);
        let positions = load_positions(&config.positions, count)?;
        let (launcher, cancel) = (Launcher::of_this_binary(), Cancel::new());
        let file = config.positions.display().to_string();
        let judgements = Judgements::in_memory();
        let regret = Self::new(Job { config, positions, judgements, launcher, cancel });
        if run.records::<RegretRecord>()?.iter().any(|record| regret.check(&Vec::new(), record).is_err()) {
            bail!("{file} has changed since the run: restore the file");
        }
        Ok(regret)
    }

    fn cancel(&self) -> &Cancel {
        &self.job.cancel
    }

    fn workers(&self) -> usize {
        self.job.config.concurrency
    }

    fn state(&self) -> Vec<RegretRecord> {
        Vec::new()
    }

    fn check(&self, _state: &Vec<RegretRecord>, record: &RegretRecord) -> Result<(), String> {
        let ours = usize::try_from(record.index).ok().and_then(|index| self.job.positions.get(index));
        if ours == Some(&record.fen) && record.moves.len() == self.job.config.engines.len() {
            Ok(())
        } else {
            Err(format!("position {} does not belong to this run", record.index))
        }
    }

    fn files(&self, _folder: &RunFolder) -> Result<(), StoreError> {
        Ok(())
    }

    fn tasks(&self, state: &Vec<RegretRecord>) -> Box<dyn Tasks<usize>> {
        let done = state.iter().map(|record| record.index);
        Box::new(TaskList::missing(self.job.positions.len(), done))
    }

    fn worker(&self, _place: usize, _folder: &RunFolder) -> Result<Players<'_>, ExecuteError<RegretError>> {
        let config = &self.job.config;
        let player = |(engine, &stamp)| Player::new(engine, stamp, &self.setup);
        let settings = config.engines.iter().zip(&self.stamps).map(player).collect();
        let stamp = self.stamps.last().copied().flatten();
        Ok(Players { settings, judge: Player::new(&config.judge, stamp, &self.setup) })
    }

    fn perform<'a>(
        &'a self,
        players: &mut Players<'a>,
        index: usize,
        outbox: &Outbox<'_, Self>,
    ) -> Result<(), Stop<RegretError>> {
        let record = compare(self, players, index, outbox)?;
        outbox.send(record, (), None)
    }

    fn retire(&self, players: Players<'_>) {
        for mut player in players.settings.into_iter().chain([players.judge]) {
            player.quit();
        }
    }

    fn take(&self, state: &mut Vec<RegretRecord>, record: &RegretRecord) -> bool {
        state.push(record.clone());
        false
    }

    fn is_finished(&self, state: &Vec<RegretRecord>) -> bool {
        state.len() >= self.job.positions.len()
    }

    fn summarize(&self, state: &Vec<RegretRecord>, run: RunState) -> RegretSummary {
        RegretSummary::of(&self.job.config, self.job.positions.len(), state, run)
    }

    fn report(&self, _state: &Vec<RegretRecord>, summary: &RegretSummary) -> Report {
        regret_report(&self.job.config, summary)
    }
}
