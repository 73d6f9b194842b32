//! A match or test as far as it reports: its records are games.

use std::fmt;
use std::sync::Arc;

use super::blocks::match_blocks;
use super::equipment::same_engine_notices;
use super::{Execution, MatchConfig, MatchHistory, MatchSummary, Summarizer, match_report};
use crate::base::cancel::Cancel;
use crate::config::EngineOption;
use crate::play::limit_check::{LimitWatch, violation_lines};
use crate::play::pv_watch::PvWatch;
use crate::play::record::GameRecord;
use crate::report::Report;
use crate::run::executor::Study;
use crate::run::stored::StoredRun;
use crate::run::{EngineSizes, RunState};
use stretto_stats::bounds::SprtError;

/// Chooses the options of a pair's engines where they differ from pair to pair, and counts the
/// games.
pub(crate) trait OptionSource: fmt::Debug + Send + Sync {
    /// Returns the options of the pair's first and second engine. Waits while games under way
    /// decide them; `None` if the run is stopped meanwhile.
    fn pair_options(&self, pair: u64, cancel: &Cancel) -> Option<[Vec<EngineOption>; 2]>;

    /// Returns the options of White and Black in a game, if they tell games with equal moves apart. Does not wait.
    fn settings(&self, _game: &GameRecord) -> Option<String> {
        None
    }

    /// Counts a game of the journal, of an earlier session or of this one.
    fn count(&self, game: &GameRecord);

    /// Returns a line on the result of the games so far.
    fn line(&self) -> String;
}

/// A match or test.
#[derive(Debug)]
pub(crate) struct MatchStudy {
    pub(super) config: MatchConfig,
    pub(super) execution: Execution,
    /// Counts the games where the options of the engines differ from pair to pair.
    pub(super) option_source: Option<Arc<dyn OptionSource>>,
    /// The statistics without games.
    pub(super) blank: Summarizer,
    /// Lines at the end of the report.
    pub(super) remarks: Vec<String>,
    /// Threads and hash of the engines, for the result in the forms of other tools.
    pub(super) sizes: Vec<EngineSizes>,
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

impl MatchStudy {
    /// Returns a match without games.
    ///
    /// Errors: invalid bounds of the test.
    pub(crate) fn new(config: MatchConfig, execution: Execution) -> Result<Self, SprtError> {
        let blank = Summarizer::new(&config)?;
        Ok(Self { config, execution, option_source: None, blank, remarks: Vec::new(), sizes: Vec::new() })
    }

    /// Returns the match with options that differ from pair to pair.
    pub(crate) fn with_options(self, source: Arc<dyn OptionSource>) -> Self {
        Self { option_source: Some(source), ..self }
    }
}

impl Study for MatchStudy {
    type Config = MatchConfig;
    type Record = GameRecord;
    type State = MatchState;
    type Summary = MatchSummary;

    fn rebuild(config: MatchConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let remarks = same_engine_notices(&config, run.manifest, &run.manifest.builds);
        let sizes = run.manifest.sizes.clone();
        Ok(Self { remarks, sizes, ..Self::new(config, Execution::recorded(run.manifest))? })
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

    fn take(&self, state: &mut MatchState, game: &GameRecord) -> bool {
        state.history.add(&self.config, game);
        state.played.push((game.pair, game.half));
        state.limits.add_game(&self.config.engines, game, self.config.variant);
        state.pvs.add_game(game);
        let settings = self.option_source.as_ref().and_then(|source| source.settings(game));
        let is_new_pair = state.summarizer.add_with(game, &settings.unwrap_or_default());
        if is_new_pair && let Some(only) = state.summarizer.only() {
            state.history.add_tally(only.score.pairs);
        }
        if let Some(source) = &self.option_source {
            source.count(game);
        }
        is_new_pair
    }

    fn is_enough(&self, state: &MatchState) -> bool {
        state.summarizer.decision().is_some() || state.summarizer.repeats.ends_test()
    }

    fn is_finished(&self, state: &MatchState) -> bool {
        let own = self.execution.own_pairs(&self.config);
        own.is_some_and(|pairs| state.summarizer.played_pairs() >= pairs) || self.is_enough(state)
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
        let report = report.with_lines(&violation_lines(&summary.limit_violations)).with_lines(&self.remarks);
        if !self.config.kind.compares_engines() {
            return report;
        }
        let blocks = match_blocks(
            &self.config,
            &self.sizes,
            summary,
            &report.facts,
            state.summarizer.scores_at_decision(),
        );
        report.with_blocks(blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;
    use crate::play::matches::{ExecutionArgs, LoadedMatch, RunKind};
    use crate::play::record::sample_game;

    #[test]
    fn charts_leave_out_repeated_pairs_of_a_test() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("book.epd"), "").unwrap();
        let text = "engines: [{ name: one, command: sh }, { name: two, command: sh }]\nnodes: 1\n\
                    sprt: { elo0: 0, elo1: 5 }\nopenings: { file: book.epd }\n";
        let source = Source::new(dir.path().join("test.yaml"), text);
        let loaded = LoadedMatch::load(&source, RunKind::Sprt, ExecutionArgs::default()).unwrap();
        let study = MatchStudy::new(loaded.config, loaded.execution).unwrap();
        let mut state = study.state();
        // The second pair has the moves of the first.
        let taken: Vec<bool> = (0..4).map(|game| study.take(&mut state, &sample_game(game))).collect();
        assert_eq!(taken, [false, true, false, false]);
        assert_eq!(state.history.pairs(), 1);
    }
}
