//! A match as an experiment, whose tasks are the pairs of the schedule.

use std::sync::Arc;

use super::exports::GameExports;
use super::identity::same_engine_notices;
use super::worker::MatchWorker;
use super::{
    Execution, MatchConfig, MatchHistory, MatchSummary, OptionSource, Outputs, Player, RunError, Setup,
    Summarizer, match_report,
};
use crate::base::cancel::Cancel;
use crate::base::cpus::CpuSet;
use crate::base::system::files::FileStamp;
use crate::config::EngineConfig;
use crate::play::limit_check::{LimitWatch, violation_lines};
use crate::play::live::LiveGames;
use crate::play::openings::OpeningBook;
use crate::play::pv_watch::PvWatch;
use crate::play::record::{GameRecord, Termination};
use crate::play::referee::Tables;
use crate::play::schedule::{PairJob, Schedule};
use crate::report::Report;
use crate::run::executor::{ExecuteError, Experiment, Notice, Outbox, Stop, Tasks};
use crate::run::stored::StoredRun;
use crate::run::{RunFolder, RunState, StoreError};
use crate::uci::Launcher;
use stretto_stats::bounds::SprtError;

/// Crashes, hangs and illegal moves of one engine that raise a warning where `max_faults` is not
/// set: statistics of an engine that fails say how often it does, not how well it plays.
const NOTABLE_FAULTS: u64 = 10;

/// Least number of hangs at an engine's first move that end the run: each takes the time of an answer.
const MIN_FIRST_HANGS: u64 = 2;
/// Least share of such games that ends the run: one in this number. A long run survives single hangs.
const FIRST_HANGS_OF: u64 = 10;

/// Openings, engines and processors of the games.
#[derive(Debug)]
pub(crate) struct Equipment {
    /// The openings of the games.
    pub book: OpeningBook,
    /// Starts the engines.
    pub launcher: Launcher,
    /// Endgame tables that decide games.
    pub tables: Option<Arc<Tables>>,
    /// The options of each pair, where they differ from pair to pair.
    pub option_source: Option<Arc<dyn OptionSource>>,
    /// The processors of each game at once; empty where games run anywhere.
    pub cpu_sets: Vec<CpuSet>,
    /// Outputs besides the run folder.
    pub outputs: Arc<Outputs>,
}

/// A match or test.
#[derive(Debug)]
pub(crate) struct MatchRun {
    pub(super) config: MatchConfig,
    pub(super) execution: Execution,
    /// Absent in a stored match, which is only reported on.
    equipment: Option<Equipment>,
    /// Stamps of the executables at the start of the run, in the order of the configuration.
    stamps: Vec<Option<FileStamp>>,
    /// The statistics without games.
    blank: Summarizer,
    /// Lines at the end of the report.
    remarks: Vec<String>,
    /// The games under way.
    pub(super) live: LiveGames,
    pub(super) cancel: Cancel,
}

/// The state of the games so far.
#[derive(Debug)]
pub(crate) struct MatchState {
    pub(super) summarizer: Summarizer,
    history: MatchHistory,
    /// Pair and half of each game.
    pub(super) played: Vec<(u64, u8)>,
    /// Whether the engines keep to their limits.
    pub(super) limits: LimitWatch,
    /// Whether their PVs are right.
    pub(super) pvs: PvWatch,
}

impl MatchRun {
    /// Returns a match to play.
    ///
    /// Errors: invalid bounds of the test.
    pub(crate) fn new(
        config: MatchConfig,
        execution: Execution,
        equipment: Equipment,
        cancel: Cancel,
    ) -> Result<Self, SprtError> {
        let stamps = config.engines.iter().map(|engine| FileStamp::of(&engine.program)).collect();
        Ok(Self { equipment: Some(equipment), stamps, cancel, ..Self::stored(config, execution)? })
    }

    /// Returns a stored match, which is only reported on.
    ///
    /// Errors: invalid bounds of the test.
    pub(crate) fn stored(config: MatchConfig, execution: Execution) -> Result<Self, SprtError> {
        let blank = Summarizer::new(&config)?;
        Ok(Self {
            config,
            equipment: None,
            stamps: Vec::new(),
            blank,
            remarks: Vec::new(),
            live: LiveGames::new(execution.concurrency),
            execution,
            cancel: Cancel::new(),
        })
    }

    /// Returns the match with these lines at the end of its report.
    pub(crate) fn with_remarks(self, remarks: Vec<String>) -> Self {
        Self { remarks, ..self }
    }

    /// Returns the equipment.
    ///
    /// # Panics
    ///
    /// If the match is only reported on.
    fn equipment(&self) -> &Equipment {
        self.equipment.as_ref().expect("a match that is only reported on is never played")
    }

    /// Returns the error of a game with a wrong PV.
    fn wrong_pv(&self, game: &GameRecord) -> RunError {
        // The first wrong PV of a game has its line.
        let wrong = &game.wrong_pvs[0];
        RunError::WrongPv {
            name: self.config.engines[game.engine(game.side_of(wrong.ply))].name.clone(),
            game: game.number(),
            error: wrong.error,
            position: game.position_before(wrong.ply),
            line: wrong.line.clone().unwrap_or_default(),
            best_move: game.moves.get(wrong.ply).map(|played| played.text.clone()).unwrap_or_default(),
        }
    }

    /// Returns the engine whose fault ended a game, and the number of games that it lost so. Losses on
    /// time are not counted, because the machine may have caused them.
    fn failures(&self, state: &MatchState, game: &GameRecord) -> Option<(&str, u64)> {
        let is_counted = !matches!(game.termination, Termination::TimeForfeit { .. });
        let engine = game.engine(game.termination.fault().filter(|_| is_counted)?);
        Some((&self.config.engines[engine].name, state.summarizer.failures(engine)))
    }

    /// Returns the error of an engine that hung again at its first move, if it does so often.
    fn hangs_at_once(&self, state: &MatchState, game: &GameRecord) -> Option<RunError> {
        let side = game.termination.fault().filter(|&side| game.is_first_hang(side))?;
        let engine = game.engine(side);
        let (hangs, games) = state.summarizer.first_hangs(engine);
        let EngineConfig { name, limits, .. } = &self.config.engines[engine];
        (hangs >= MIN_FIRST_HANGS && hangs * FIRST_HANGS_OF >= games).then(|| RunError::HangsAtOnce {
            name: name.clone(),
            hangs,
            games,
            limits: limits.to_string(),
        })
    }

    /// Returns the outputs besides the run folder, if the match is played.
    pub(super) fn outputs(&self) -> Option<&Arc<Outputs>> {
        self.equipment.as_ref().map(|equipment| &equipment.outputs)
    }

    pub(super) fn option_source(&self) -> Option<&dyn OptionSource> {
        self.equipment.as_ref()?.option_source.as_deref()
    }
}

impl Experiment for MatchRun {
    const ITEM: &'static str = "game";

    type Config = MatchConfig;
    type Task = PairJob;
    type Record = GameRecord;
    type Worker<'a> = MatchWorker<'a>;
    type State = MatchState;
    type Files = GameExports;
    type Summary = MatchSummary;
    type Error = RunError;

    fn rebuild(config: MatchConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let remarks = same_engine_notices(&config, run.manifest, &run.manifest.builds);
        Ok(Self::stored(config, Execution::recorded(run.manifest))?.with_remarks(remarks))
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn workers(&self) -> usize {
        self.execution.concurrency
    }

    fn state(&self) -> MatchState {
        let history = MatchHistory::new(&self.config);
        let engines = self.config.engines.iter();
        let limits = LimitWatch::new(engines.map(|engine| (engine.name.clone(), engine.limits)));
        let pvs = PvWatch::new(self.config.engines.iter().map(|engine| engine.name.clone()));
        MatchState { summarizer: self.blank.clone(), history, played: Vec::new(), limits, pvs }
    }

    fn check(&self, _state: &MatchState, game: &GameRecord) -> Result<(), String> {
        if game.white.max(game.black) < self.config.engines.len() {
            return Ok(());
        }
        Err(format!("game {} names an engine that the run does not have", game.game))
    }

    fn files(&self, folder: &RunFolder) -> Result<GameExports, StoreError> {
        GameExports::begin(&self.config, &self.execution, folder, self.outputs().cloned())
    }

    fn tasks(&self, state: &MatchState) -> Box<dyn Tasks<PairJob>> {
        let (shard, pairings) = (self.execution.shard, self.config.pairings.clone());
        let is_own = move |pair| shard.has(pairings.round(pair));
        Box::new(Schedule::new(self.config.max_pairs(), is_own, state.played.iter().copied()))
    }

    fn worker(&self, place: usize, folder: &RunFolder) -> Result<MatchWorker<'_>, ExecuteError<RunError>> {
        let (config, equipment) = (&self.config, self.equipment());
        let logs = self.execution.logs.then(|| folder.logs()).transpose()?;
        let setup = Arc::new(Setup {
            launcher: equipment.launcher.on(equipment.cpu_sets.get(place).cloned()),
            watchdog: config.watchdog,
            variant: config.variant,
            is_timed: config.is_timed(),
            logs: logs.map(|logs| logs.join(format!("{}-", place + 1))),
            shared_log: equipment.outputs.engine_log(),
            cancel: self.cancel.clone(),
        });
        let engines = config.engines.iter().zip(&self.stamps);
        let players = engines.map(|(engine, &stamp)| Player::new(engine, stamp, &setup));
        Ok(MatchWorker::new(config, equipment, players.collect(), self.live.slot(place)))
    }

    fn perform<'a>(
        &'a self,
        worker: &mut MatchWorker<'a>,
        pair: PairJob,
        outbox: &Outbox<'_, Self>,
    ) -> Result<(), Stop<RunError>> {
        worker.play_pair(self, pair, outbox)
    }

    fn retire(&self, mut worker: MatchWorker<'_>) {
        worker.quit();
    }

    fn take(&self, state: &mut MatchState, game: &GameRecord) -> bool {
        state.history.add(&self.config, game);
        state.played.push((game.pair, game.half));
        state.limits.add_game(&self.config.engines, game, self.config.variant);
        state.pvs.add_game(game);
        let is_new_pair = state.summarizer.add(game);
        if let Some(outputs) = self.outputs().filter(|outputs| outputs.prints()) {
            let test = state.summarizer.stats().and_then(|stats| stats.sprt);
            let verdict = state.summarizer.decision().map(|decision| decision.verdict);
            outputs.count(game, test.as_ref(), verdict);
        }
        if let Some(source) = self.option_source() {
            source.count(game);
        }
        is_new_pair
    }

    /// Warns after many games lost by faults of one engine, unless `max_faults` ends the run.
    fn inspect(&self, state: &MatchState, game: &GameRecord) -> Vec<Notice> {
        let mut notices = state.limits.notices();
        notices.extend_from_slice(state.pvs.notices());
        let repeated = state.summarizer.repeated();
        let first = repeated.text().filter(|_| repeated.pairs == 1);
        notices.extend(first.map(|text| Notice { text, event: None }));
        if self.execution.max_faults.is_none()
            && let Some((name, NOTABLE_FAULTS)) = self.failures(state, game)
        {
            notices.push(Notice {
                text: format!(
                    "{name} has failed in {NOTABLE_FAULTS} games by crashes, hangs or illegal moves; max_faults would end the run"
                ),
                event: None,
            });
        }
        notices
    }

    /// Stops the run after a wrong PV if `strict_pv` is set, after repeated hangs at the first move, and after
    /// too many games lost by faults of one engine.
    fn failure(&self, state: &MatchState, game: &GameRecord) -> Option<RunError> {
        if self.execution.strict_pv && !game.wrong_pvs.is_empty() {
            return Some(self.wrong_pv(game));
        }
        if let Some(error) = self.hangs_at_once(state, game) {
            return Some(error);
        }
        let most = self.execution.max_faults?.get();
        let (name, faults) = self.failures(state, game)?;
        (faults >= most).then(|| RunError::Faulty { name: name.to_owned(), faults, most })
    }

    fn is_enough(&self, state: &MatchState) -> bool {
        let repeated = state.summarizer.repeated();
        state.summarizer.decision().is_some() || (repeated.excluded && repeated.pairs > 0)
    }

    fn is_finished(&self, state: &MatchState) -> bool {
        let own = self.execution.own_pairs(&self.config);
        own.is_some_and(|pairs| state.summarizer.pairs() >= pairs) || self.is_enough(state)
    }

    fn summarize(&self, state: &MatchState, run: RunState) -> MatchSummary {
        MatchSummary {
            limit_violations: state.limits.violations(),
            wrong_pvs: state.pvs.found(),
            ..state.summarizer.summary(run)
        }
    }

    fn report(&self, state: &MatchState, summary: &MatchSummary) -> Report {
        let report = match_report(&self.config, &self.execution, summary, &state.history);
        report.with_lines(&violation_lines(&summary.limit_violations)).with_lines(&self.remarks)
    }
}
