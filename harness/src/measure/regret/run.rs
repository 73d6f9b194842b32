//! A comparison as an experiment of the executor: its tasks are the positions.

use std::num::NonZeroUsize;

use anyhow::bail;

use super::judgements::Judgements;
use super::record::RegretRecord;
use super::report::regret_report;
use super::state::RegretState;
use super::summary::RegretSummary;
use super::worker::{Players, compare};
use super::{Job, RegretConfig, RegretError, RegretRun};
use crate::base::cancel::Cancel;
use crate::config::Variant;
use crate::measure::searches::load_positions;
use crate::play::limit_check::{Effort, LimitWatch, is_forced_after, limits_strength, violation_lines};
use crate::play::matches::Player;
use crate::report::Report;
use crate::run::executor::{ExecuteError, Experiment, Notice, Outbox, Stop, TaskList, Tasks};
use crate::run::stored::StoredRun;
use crate::run::{RunFolder, RunState, StoreError};
use crate::uci::{Launcher, ReportedScore};

impl Experiment for RegretRun {
    const ITEM: &'static str = "position";

    type Config = RegretConfig;
    type Task = usize;
    type Record = RegretRecord;
    type Worker<'a> = Players<'a>;
    type State = RegretState;
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
        let state = regret.state();
        if run.records::<RegretRecord>()?.iter().any(|record| regret.check(&state, record).is_err()) {
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

    fn state(&self) -> RegretState {
        let config = &self.job.config;
        let engines = config.engines.iter().chain([&config.judge]);
        let limits = LimitWatch::new(engines.map(|engine| (engine.name.clone(), engine.limits)));
        RegretState { done: Vec::new(), limits }
    }

    fn check(&self, _state: &RegretState, record: &RegretRecord) -> Result<(), String> {
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

    fn tasks(&self, state: &RegretState) -> Box<dyn Tasks<usize>> {
        let done = state.done.iter().map(|record| record.index);
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

    fn take(&self, state: &mut RegretState, record: &RegretRecord) -> bool {
        state.limits.add(self.efforts(record));
        state.done.push(record.clone());
        false
    }

    fn inspect(&self, state: &RegretState, _record: &RegretRecord) -> Vec<Notice> {
        state.limits.notices()
    }

    fn is_finished(&self, state: &RegretState) -> bool {
        state.done.len() >= self.job.positions.len()
    }

    fn summarize(&self, state: &RegretState, run: RunState) -> RegretSummary {
        let (config, planned) = (&self.job.config, self.job.positions.len());
        RegretSummary {
            limit_violations: state.limits.violations(),
            ..RegretSummary::of(config, planned, &state.done, run)
        }
    }

    fn report(&self, _state: &RegretState, summary: &RegretSummary) -> Report {
        let lines = violation_lines(&summary.limit_violations);
        regret_report(&self.job.config, summary).with_lines(&lines)
    }
}

impl RegretRun {
    /// Returns the effort of each search of a record with the index of its engine; the judge is the
    /// last. Limits count nodes or plies, so times are not needed.
    fn efforts(&self, record: &RegretRecord) -> Vec<(usize, Effort)> {
        let config = &self.job.config;
        let effort = |nodes: u64, may_stop_early: bool| Effort {
            nodes: Some(nodes).filter(|&nodes| nodes > 0),
            time_us: 0,
            may_stop_early,
        };
        let settings = config.engines.iter().zip(&record.nodes).enumerate();
        let settings = settings.map(|(index, (engine, &nodes))| {
            let may_stop_early = record.may_stop_early.get(index).copied().unwrap_or(true);
            (index, effort(nodes, may_stop_early || limits_strength(engine)))
        });
        let judged = record.judged.iter().filter_map(|judged| {
            let may_stop_early = matches!(judged.score, ReportedScore::Mate(_))
                || limits_strength(&config.judge)
                || is_forced_after(&record.fen, &judged.mv, Variant::Standard);
            Some((config.engines.len(), effort(judged.nodes?, may_stop_early)))
        });
        settings.chain(judged).collect()
    }
}
