//! A match or test that is played: its tasks are the pairs of the schedule.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::anyhow;

use super::equipment::Equipment;
use super::outputs::GameExports;
use super::study::{MatchState, MatchStudy};
use super::worker::{MatchWorker, Roster};
use super::{EngineSummary, MatchSummary};
use crate::base::cancel::Cancel;
use crate::base::errors::Stop;
use crate::base::system::files::FileStamp;
use crate::base::wording::counted;
use crate::config::EngineConfig;
use crate::play::live::LiveGames;
use crate::play::pv_watch::PvExample;
use crate::play::record::{GameRecord, Side, TIME_FORFEIT, Termination};
use crate::play::schedule::{PairJob, Schedule};
use crate::pool::{Player, Setup};
use crate::run::RunFolder;
use crate::run::executor::{Notice, OutboxOf, Play, Stage, Staged, Tasks};

/// Crashes, hangs and illegal moves of one engine that raise a warning where `max_faults` is not
/// set: statistics of an engine that fails say how often it does, not how well it plays.
const NOTABLE_FAULTS: u64 = 10;

/// Least number of hangs at an engine's first move that end the run: each takes the time of an answer.
const MIN_FIRST_HANGS: u64 = 2;
/// Least share of such games that ends the run: one in this number. A long run survives single hangs.
const FIRST_HANGS_OF: u64 = 10;

/// A match or test that is played.
#[derive(Debug)]
pub(crate) struct MatchPlay {
    pub(super) study: MatchStudy,
    pub(super) equipment: Equipment,
    /// Stamps of the executables at the start of the run, in the order of the configuration.
    stamps: Vec<Option<FileStamp>>,
    /// The games under way.
    pub(super) live: LiveGames,
}

impl MatchPlay {
    /// Returns a match to play.
    pub(crate) fn new(study: MatchStudy, equipment: Equipment) -> Self {
        let book = equipment.book.starting_at(study.config.openings.start);
        let stamps = study.config.engines.iter().map(|engine| FileStamp::of(&engine.program)).collect();
        let live = LiveGames::new(study.execution.concurrency);
        Self { study, equipment: Equipment { book, ..equipment }, stamps, live }
    }

    /// Returns the error of a game with a wrong PV.
    fn wrong_pv(&self, game: &GameRecord) -> anyhow::Error {
        // The first wrong PV of a game has its line.
        let wrong = &game.wrong_pvs[0];
        let name = &self.study.config.engines[game.engine(game.side_of(wrong.ply))].name;
        let example = PvExample::new(game, wrong, wrong.line.clone().unwrap_or_default());
        let (number, error, dialogue) = (game.number(), wrong.error, example.dialogue("  "));
        anyhow!("game {number}: {name}: {error}, and strict_pv is set\n{dialogue}")
    }

    /// Returns the error of an engine that hung again at its first move, if it does so often.
    fn hangs_at_once(&self, state: &MatchState, game: &GameRecord) -> Option<anyhow::Error> {
        let side = game.termination.fault().filter(|&side| game.is_first_hang(side))?;
        let engine = game.engine(side);
        let EngineSummary { first_hangs: hangs, games, .. } = state.summarizer.counted.engines[engine];
        let EngineConfig { name, limits, .. } = &self.study.config.engines[engine];
        (hangs >= MIN_FIRST_HANGS && hangs * FIRST_HANGS_OF >= games).then(|| {
            anyhow!(
                "engine {name} hung at its first move in {hangs} of {games} games, at `go` with {limits}; the dialogues are in faults/ \
                 of the run folder. Remove the cause and resume the run"
            )
        })
    }
}

impl Play for MatchPlay {
    const ITEM: &'static str = "game";

    type Study = MatchStudy;
    type Task = PairJob;
    type Worker<'a> = MatchWorker<'a>;
    type Files = GameExports;

    fn study(&self) -> &MatchStudy {
        &self.study
    }

    fn cancel(&self) -> &Cancel {
        &self.equipment.cancel
    }

    fn workers(&self) -> usize {
        self.study.execution.concurrency
    }

    fn files(&self, folder: &RunFolder) -> anyhow::Result<GameExports> {
        let config = &self.study.config;
        let Equipment { ids, outputs, .. } = &self.equipment;
        GameExports::begin(config, folder, ids.clone(), Some(Arc::clone(outputs)))
    }

    fn tasks(&self, state: &MatchState) -> Box<dyn Tasks<PairJob>> {
        let MatchStudy { config, execution, .. } = &self.study;
        let (shard, pairings) = (execution.shard, config.pairings.clone());
        let is_own = move |pair| shard.has(pairings.round(pair));
        Box::new(Schedule::new(config.max_pairs(), is_own, state.played.iter().copied()))
    }

    fn worker(&self, place: usize, folder: &RunFolder) -> anyhow::Result<MatchWorker<'_>> {
        let (config, equipment) = (&self.study.config, &self.equipment);
        let logs = self.study.execution.logs.then(|| folder.logs()).transpose()?;
        let names: HashSet<String> = config.engines.iter().map(|engine| engine.name.to_lowercase()).collect();
        let setup = Arc::new(Setup {
            launcher: equipment.launcher.on(equipment.cpu_sets.get(place).cloned()),
            watchdog: config.watchdog,
            variant: config.variant,
            is_timed: config.is_timed(),
            logs: logs.map(|logs| logs.join(format!("{}-", place + 1))),
            has_similar_names: names.len() < config.engines.len(),
            shared_log: equipment.outputs.engine_log(),
            cancel: equipment.cancel.clone(),
        });
        let engines = config.engines.iter().zip(&self.stamps);
        let players = engines.map(|(engine, &stamp)| Player::new(engine, stamp, &setup));
        let players = Roster { all: players.collect(), recent: Vec::new() };
        let live = self.live.slot(place);
        Ok(MatchWorker { study: &self.study, equipment, players, live, pair_options: None })
    }

    fn perform<'a>(
        &'a self,
        worker: &mut MatchWorker<'a>,
        pair: PairJob,
        outbox: &OutboxOf<'_, Self>,
    ) -> Result<(), Stop> {
        worker.play_pair(pair, outbox)
    }

    fn retire(&self, mut worker: MatchWorker<'_>) -> Vec<String> {
        Player::quit(&mut worker.players.all)
    }

    fn follow(&self, state: &MatchState, game: &GameRecord) {
        let outputs = &self.equipment.outputs;
        if outputs.prints() {
            let test = state.summarizer.stats().and_then(|stats| stats.sprt);
            let verdict = state.summarizer.decision().map(|decision| decision.verdict);
            outputs.count(game, state.summarizer.scores(), test.map(|test| (test, verdict)));
        }
    }

    /// Warns after many games lost by faults of one engine, unless `max_faults` ends the run.
    fn inspect(&self, state: &MatchState, game: &GameRecord) -> Vec<Notice> {
        let mut notices = state.limits.notices();
        notices.extend_from_slice(&state.pvs.pending);
        let repeats = &state.summarizer.repeats;
        let first = repeats.found.text().filter(|_| repeats.is_first);
        notices.extend(first.map(|text| Notice { text, event: None }));
        if self.study.execution.max_faults.is_none()
            && let Some((name, faults, new)) = failures(state, game)
            && (faults - new..faults).contains(&(NOTABLE_FAULTS - 1))
        {
            let text = format!(
                "{name} has failed {faults} times by crashes, hangs or illegal moves; max_faults would end the run"
            );
            notices.push(Notice { text, event: None });
        }
        notices
    }

    /// Stops the run after a wrong PV if `strict_pv` is set, after repeated hangs at the first move, and after
    /// too many games lost by faults of one engine.
    fn failure(&self, state: &MatchState, game: &GameRecord) -> Option<anyhow::Error> {
        if self.study.execution.strict_pv && !game.wrong_pvs.is_empty() {
            return Some(self.wrong_pv(game));
        }
        if let Some(error) = self.hangs_at_once(state, game) {
            return Some(error);
        }
        let most = self.study.execution.max_faults?.get();
        let (name, faults, _) = failures(state, game)?;
        let times = counted(faults as usize, "time");
        (faults >= most).then(|| {
            anyhow!(
                "engine {name} has failed {times} by crashes, hangs or illegal moves, and max_faults is {most}; the dialogues are in \
                 faults/ of the run folder. Remove the cause and resume the run, or also raise the limit: --set max_faults=N"
            )
        })
    }
}

/// Returns the engine with faults in a game or before it, the number of its faults in the run, and that of the new ones.
/// Losses on time are not counted, because the machine may have caused them.
fn failures<'a>(state: &'a MatchState, game: &GameRecord) -> Option<(&'a str, u64, u64)> {
    let is_counted = !matches!(game.termination, Termination::TimeForfeit { .. });
    let of = |side| {
        let EngineSummary { name, faults, .. } = &state.summarizer.counted.engines[game.engine(side)];
        let others = faults.iter().filter(|(kind, _)| **kind != TIME_FORFEIT);
        let is_at_fault = is_counted && game.termination.fault() == Some(side);
        let new = game.stats(side).restarts + u64::from(is_at_fault);
        (name.as_str(), others.map(|(_, count)| count).sum(), new)
    };
    let both = [Side::White, Side::Black].map(of).into_iter();
    both.filter(|(.., new)| *new > 0).max_by_key(|(_, faults, _)| *faults)
}

/// Returns the stage of a match in this folder. `equipment` finds the equipment in the resources of the run, and `fold`
/// adds the summary to the results.
pub(crate) fn match_stage<'a, T: Staged>(
    folder: &str,
    study: MatchStudy,
    equipment: impl FnOnce(&T::Kit) -> &Equipment + 'a,
    fold: impl FnOnce(&mut T::Results, MatchSummary) + 'a,
) -> Stage<'a, T> {
    let equip = |study, kit: &T::Kit| MatchPlay::new(study, equipment(kit).clone());
    let fold = |results: &mut T::Results, summary, _| fold(results, summary);
    Stage::new::<MatchPlay>(Some(folder.to_owned()), study, equip, fold)
}
