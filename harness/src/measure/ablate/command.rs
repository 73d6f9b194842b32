//! `harness ablate`: the searches, and the matches after them as stages of one run.

use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value;

use super::{
    AblateConfig, AblateGames, Ablation, Job, Variant, ablation_report, comparison, folder_of,
    settings_to_play, variants,
};
use crate::config::FieldPath;
use crate::measure::bench;
use crate::measure::searches::command::{identity, plan, trial};
use crate::measure::searches::{
    Load, Measurement, Outline, Plan, SearchPlay, SearchRecord, SearchStudy, SearchSummary, stored_positions,
};
use crate::play::matches::{
    Equipment, Execution, MatchConfig, MatchStudy, MatchSummary, RepeatedPairs, match_stage,
};
use crate::pool::untried;
use crate::report::Report;
use crate::run::command::{Failure, RunArgs};
use crate::run::executor::{Stage, Staged, Study, complete, complete_stages};
use crate::run::session::Session;
use crate::run::stored::StoredRun;
use crate::run::{FileHash, FilesBefore, RunState};

/// The kind of run, as in the names of run folders.
const KIND: &str = "ablate";

pub(crate) const HELP: &str = "\
Examples:
  harness ablate configs/ablate/switches.yaml
  harness ablate configs/ablate/nodes.yaml
  harness ablate --resume results/runs/ablate-20261121-120000-1a2b3c4d

Each switch is flipped alone: those that are on are turned off, those that are off are turned on. Every setting searches each
position next to the unchanged engine. The table is sorted by the effect on nodes; the unchanged engine, measured a second time,
shows the noise. If the configuration has a section `games`, the settings with the largest effects (or those listed) also play
against the unchanged engine, and their Elo is corrected for the number of comparisons.

A run is kept in results/runs/ablate-<id>/: manifest.yaml, journal.jsonl (one line per search), a folder per match with its own
journal, summary.json, report.md and report.html. An interrupted or killed run is continued with --resume.";

/// The part of the identity beyond that of a measurement.
#[derive(Serialize)]
struct Ablated<'a> {
    variants: &'a [Variant],
    #[serde(skip_serializing_if = "Option::is_none")]
    openings: Option<FileHash>,
}

pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let session = Session::begin(KIND, args)?;
    let mut config = AblateConfig::load(&session.source)?;
    config.searches.concurrency = session.concurrency(config.searches.concurrency);
    let games = config.games.as_ref().map(|games| &games.config);
    let execution = Execution::with_concurrency(config.searches.concurrency);
    let parent = FieldPath::root().key("games");
    let equipment = games.map(|games| Equipment::load(games, &execution, &parent, &session)).transpose()?;
    let engine = std::slice::from_ref(&config.engine);
    let mut plan = plan(&session, &config.searches, engine, vec![Load::AsConfigured])?;
    let before = FilesBefore::of(engine);
    let declared = plan
        .declared()
        .map_err(|error| untried(error, &session.source, "interrupted before the first search"))?;
    let variants = variants(&config, &declared).map_err(|problem| session.source.complain(problem))?;
    let bench = comparison(&config, &variants);
    plan.engines.clone_from(&bench.engines);
    let (id_names, warnings) = trial(&session, &plan)?;
    let identity = identity(&config, engine, &id_names[..1], &before, &config.searches);
    let openings = games.map(|games| FileHash::of(&games.openings.file)).transpose();
    let identity =
        identity.and_then(|measured| Ok(measured.with(Ablated { variants: &variants, openings: openings? })));
    let (mut run, folder) = session.open(identity, config.searches.concurrency, warnings)?;
    let bench = bench::Job { config: bench, id_names, positions: plan.positions.len() };
    let job = Job { bench, variants, has_matches: equipment.is_some() };
    let (Some(games), Some(equipment)) = (&config.games, equipment) else {
        complete(&SearchPlay::new(SearchStudy::new(job, plan.processors), plan), &run, &folder, None)?;
        return Ok(ExitCode::SUCCESS);
    };
    run.notices.push(games.forecast());
    let ablation = AblateRun { job, games: config.games.clone(), processors: plan.processors, execution };
    complete_stages(&ablation, &AblateKit { plan, equipment }, &run, &folder)
}

/// The searches of an ablation, and the matches after them.
pub(crate) struct AblateRun {
    pub(super) job: Job,
    pub(super) games: Option<AblateGames>,
    /// Number of logical CPUs that the searches may use.
    pub(super) processors: usize,
    /// The execution of the matches.
    pub(super) execution: Execution,
}

/// Resources for searches and matches.
pub(crate) struct AblateKit {
    pub(super) plan: Plan,
    pub(super) equipment: Equipment,
}

/// The results of the stages so far.
#[derive(Default)]
pub(crate) struct AblateResults {
    /// Absent before the searches are done.
    searched: Option<SearchSummary<Ablation>>,
    /// Summaries of the matches played so far, in the order of the settings.
    played: Vec<MatchSummary>,
}

impl AblateRun {
    fn searches(&self) -> SearchStudy<Job> {
        SearchStudy::new(self.job.clone(), self.processors)
    }

    /// Returns the settings to play with their matches. Requires the results of all searches.
    fn settings(&self, searched: &SearchSummary<Ablation>) -> Vec<(Variant, MatchConfig)> {
        let games = self.games.as_ref();
        games.map(|games| settings_to_play(&self.job, games, &searched.figures)).unwrap_or_default()
    }
}

impl Staged for AblateRun {
    type Config = AblateConfig;
    type Kit = AblateKit;
    type Results = AblateResults;
    type Summary = SearchSummary<Ablation>;

    fn rebuild(config: AblateConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let games = config.games.clone();
        let (processors, execution) = (run.manifest.host.cores, Execution::recorded(run.manifest));
        Ok(Self { job: Job::rebuild(config, run)?, games, processors, execution })
    }

    fn next(&self, results: &AblateResults) -> anyhow::Result<Option<Stage<'_, Self>>> {
        let AblateResults { searched, played } = results;
        let Some(searched) = searched else {
            let equip = |study, kit: &AblateKit| SearchPlay::new(study, kit.plan.clone());
            let fold = |results: &mut AblateResults, searched, _| results.searched = Some(searched);
            return Ok(Some(Stage::new::<SearchPlay<Job>>(None, self.searches(), equip, fold)));
        };
        let Some((variant, config)) = self.settings(searched).into_iter().nth(played.len()) else {
            return Ok(None);
        };
        let study = MatchStudy::new(config, self.execution)?;
        let fold = |results: &mut AblateResults, summary| results.played.push(summary);
        Ok(Some(match_stage(&folder_of(&variant), study, |kit: &AblateKit| &kit.equipment, fold)))
    }

    fn summarize(&self, results: &AblateResults, state: RunState) -> SearchSummary<Ablation> {
        let AblateResults { searched, played } = results;
        let none = || {
            let study = self.searches();
            study.summarize(&study.state(), RunState::Interrupted)
        };
        let mut summary = searched.clone().unwrap_or_else(none);
        let settings = self.settings(&summary).into_iter().zip(played);
        let matches: Vec<_> =
            settings.filter_map(|((variant, _), summary)| Some((variant, summary.stats?))).collect();
        let repeated = RepeatedPairs::of_matches(played.iter().map(|summary| summary.repeated));
        summary.figures = Ablation { state, repeated, ..summary.figures.with_games(&matches) };
        summary.limit_violations.extend(played.iter().flat_map(|played| played.limit_violations.clone()));
        summary
    }

    fn report(&self, _results: &AblateResults, summary: &SearchSummary<Ablation>) -> Report {
        let lines: Vec<String> = summary.lines().into_iter().chain(summary.figures.repeated.text()).collect();
        ablation_report(&self.job, &summary.figures).with_lines(&lines)
    }

    fn started(&self) -> Option<Value> {
        None
    }

    /// The searches report on their times themselves.
    fn depends_on_time(&self, results: &AblateResults) -> bool {
        let is_timed = self.games.as_ref().is_some_and(|games| games.config.is_timed());
        let searched = results.searched.as_ref();
        is_timed && searched.is_some_and(|searched| searched.figures.state == RunState::Running)
    }
}

impl Measurement for Job {
    const COMPARES_CPU_TIME: bool = true;

    type Config = AblateConfig;
    type Summary = Ablation;

    fn rebuild(config: AblateConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let variants: Vec<Variant> = run.identity("variants")?;
        let positions = stored_positions(&config.searches, run)?;
        let has_matches = config.games.is_some();
        let config = comparison(&config, &variants);
        let bench = bench::Job { config, id_names: run.id_names(), positions };
        Ok(Self { bench, variants, has_matches })
    }

    fn outline(&self) -> Outline<'_> {
        self.bench.outline()
    }

    fn summary(&self, done: &[SearchRecord], state: RunState) -> Ablation {
        Ablation::of(self, &self.bench.summary(done, state))
    }

    fn report(&self, summary: &Ablation) -> Report {
        ablation_report(self, summary)
    }
}
