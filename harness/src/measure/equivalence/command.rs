//! `harness equivalence`: a run of stages, a match for each number of threads and each factor.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::{EquivalenceConfig, EquivalenceSummary, equivalence_report};
use crate::config::FieldPath;
use crate::measure::equivalence;
use crate::play::matches::{Equipment, Execution, MatchStudy, MatchSummary, match_stage};
use crate::pool::untried;
use crate::report::Report;
use crate::run::command::{Failure, RunArgs};
use crate::run::executor::{Stage, Staged, complete_stages};
use crate::run::session::Session;
use crate::run::stored::StoredRun;
use crate::run::{FilesBefore, Identity, RunEngines, RunFiles, RunState};

/// The kind of run, as in the names of run folders.
const KIND: &str = "equivalence";

pub(crate) const HELP: &str = "\
Examples:
  harness equivalence configs/equivalence/threads-2.yaml
  harness equivalence --resume results/runs/equivalence-20261121-120000-1a2b3c4d

The engine plays against itself with one thread, at each number of threads and with several multiples of its nodes, counted over
all threads. A line fitted to the Elo of these matches gives the multiple at which both are equally strong, and from it the
speedup if all threads ran at full speed.

A run is kept in results/runs/equivalence-<id>/: manifest.yaml, a folder per match with journal.jsonl, games.pgn and
summary.json, and for all of them summary.json, report.md and report.html. An interrupted or killed run is continued with
--resume and plays exactly the missing games.";

pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let session = Session::begin(KIND, args)?;
    let (config, execution) = EquivalenceConfig::load(&session.source, session.set_concurrency())?;
    let equipment = Equipment::load(config.any_match(), &execution, &FieldPath::root(), &session)?;
    let before = FilesBefore::of([&config.engine]);
    let (id_name, warnings) = equivalence::trial(&config, &equipment.launcher, &equipment.cancel)
        .map_err(|error| untried(error, &session.source, "interrupted before the first game"))?;
    let identity = || {
        let engines = RunEngines::one(&config.engine, &id_name, &before)?;
        Ok(Identity::new(&config, engines, RunFiles::of_openings(&config.any_match().openings.file)?))
    };
    let (mut run, folder) = session.open(identity(), execution.concurrency, warnings)?;
    run.notices.extend(equipment.notices(config.largest_match(), execution.concurrency, false));
    complete_stages(&EquivalenceRun { config, execution }, &equipment, &run, &folder)
}

/// A measurement of node factors.
pub(crate) struct EquivalenceRun {
    pub(super) config: EquivalenceConfig,
    pub(super) execution: Execution,
}

impl Staged for EquivalenceRun {
    type Config = EquivalenceConfig;
    type Kit = Equipment;
    /// The summaries of the first matches.
    type Results = Vec<MatchSummary>;
    type Summary = EquivalenceSummary;

    fn rebuild(config: EquivalenceConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        Ok(Self { config, execution: Execution::recorded(run.manifest) })
    }

    fn next(&self, matches: &Vec<MatchSummary>) -> anyhow::Result<Option<Stage<'_, Self>>> {
        let Some(cell) = self.config.cells.get(matches.len()) else { return Ok(None) };
        let study = MatchStudy::new(cell.config.clone(), self.execution)?;
        Ok(Some(match_stage(&cell.folder(), study, |kit| kit, Vec::push)))
    }

    fn summarize(&self, matches: &Vec<MatchSummary>, state: RunState) -> EquivalenceSummary {
        EquivalenceSummary::of(&self.config, matches, state)
    }

    fn report(&self, _matches: &Vec<MatchSummary>, summary: &EquivalenceSummary) -> Report {
        equivalence_report(&self.config, summary)
    }

    fn started(&self) -> Option<Value> {
        let EquivalenceConfig { engine, cells, .. } = &self.config;
        Some(json!({ "engine": engine.name, "matches": cells.len() }))
    }

    fn shown(&self, _matches: &Vec<MatchSummary>, report: &Report, state: RunState) -> Option<String> {
        (state == RunState::Finished).then(|| report.printed())
    }
}
