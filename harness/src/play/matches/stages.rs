//! A test of several stages: a run of stages, each a test in a folder of its own.
//!
//! The next stage is played if the test of the one before accepts H1. `command` is the caller.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::conditions::limits_text;
use super::config::stages::{LoadedStage, StageConfig, StagesConfig, load_stages};
use super::equipment::{identity, same_engine_notices, try_engines};
use super::expect::{Expect, wrong_pvs_or_verdict};
use super::setup::clock_notice;
use super::{Equipment, Execution, ExecutionArgs, MatchConfig, MatchPlay, MatchStudy, MatchSummary};
use crate::base::wording::{counted, distinct};
use crate::config::{EngineConfig, Limits};
use crate::report::document::Heading;
use crate::report::{Document, Report, Table, TableStyle};
use crate::run::command::Failure;
use crate::run::executor::{OwnRun, Stage, Staged, complete_stages, report_stages};
use crate::run::reporter::{Followed, Reported, Reporter};
use crate::run::session::{Session, read_any_manifest, timestamp};
use crate::run::stored::StoredRun;
use crate::run::{FileHashes, Host, Identity, Manifest, RunFiles, RunState};
use stretto_stats::bounds::Verdict;

/// The options that a stage sets, which the list of engines leaves out.
const OPTIONS: [&str; 2] = ["Threads", "Hash"];

/// Reports on a test, of one stage or of several.
pub(crate) const REPORTER: Reporter = Reporter { report, follow: Some(follow) };

/// Reports on a test that is not in stages.
const OF_ONE: Reporter = Reporter::of::<MatchStudy>();

fn report(run: &StoredRun<'_>) -> anyhow::Result<Reported> {
    if is_staged(run.manifest) { report_stages::<StagesRun>(run) } else { (OF_ONE.report)(run) }
}

fn follow(run: &StoredRun<'_>) -> anyhow::Result<Option<Box<dyn Followed>>> {
    match OF_ONE.follow {
        Some(follow) if !is_staged(run.manifest) => follow(run),
        _ => Ok(None),
    }
}

/// Whether the manifest is that of a test of several stages.
pub(crate) fn is_staged(manifest: &Manifest) -> bool {
    manifest.identity.get("config").is_some_and(|config| config.get("stages").is_some())
}

/// The `summary.json` of a test of several stages.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StagesSummary {
    /// Version of the format.
    v: u32,
    /// The kind of run.
    kind: &'static str,
    /// The state of the run.
    state: RunState,
    /// Names of all stages, in their order.
    planned: Vec<String>,
    /// The stages that were begun.
    stages: Vec<StageSummary>,
}

/// A stage in `summary.json`.
#[derive(Clone, Debug, Serialize)]
struct StageSummary {
    /// Its name, and that of its folder.
    name: String,
    /// The content of its own `summary.json`.
    #[serde(flatten)]
    summary: MatchSummary,
}

/// A test of several stages.
pub(crate) struct StagesRun {
    config: StagesConfig,
    executions: Vec<Execution>,
    /// Notices on equal engines, at the end of the report of each stage.
    remarks: Vec<String>,
    /// The manifest of each stage, if the run is played.
    manifests: Vec<Manifest>,
    /// Least time between two plain lines of progress.
    interval: Duration,
    expect: Option<Expect>,
}

/// Summary and report of each stage that was begun.
type Played = Vec<(MatchSummary, Report)>;

impl Staged for StagesRun {
    type Config = StagesConfig;
    type Kit = Vec<Equipment>;
    type Results = Played;
    type Summary = StagesSummary;

    fn rebuild(config: StagesConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let execution = |stage: &StageConfig| {
            let file = run.path.join(&stage.name).join("manifest.yaml");
            Execution::recorded(read_any_manifest(&file).as_ref().unwrap_or(run.manifest))
        };
        let executions = config.stages.iter().map(execution).collect();
        let first = config.stages.first().context("its manifest has no stage")?;
        let remarks = same_engine_notices(&first.config, run.manifest, &run.manifest.builds);
        let (manifests, interval) = (Vec::new(), Duration::ZERO);
        Ok(Self { config, executions, remarks, manifests, interval, expect: None })
    }

    fn next(&self, played: &Played) -> anyhow::Result<Option<Stage<'_, Self>>> {
        let place = played.len();
        let Some(stage) = self.config.stages.get(place) else { return Ok(None) };
        if played.last().is_some_and(|(summary, _)| !is_passed(summary)) {
            return Ok(None);
        }
        let study = MatchStudy::new(stage.config.clone(), self.executions[place])?;
        let study = MatchStudy { remarks: self.remarks.clone(), ..study };
        let equip = move |study, kit: &Vec<Equipment>| MatchPlay::new(study, kit[place].clone());
        let fold = |played: &mut Played, summary, report| played.push((summary, report));
        let stage = Stage::new::<MatchPlay>(Some(stage.name.clone()), study, equip, fold);
        Ok(Some(match self.manifests.get(place) {
            Some(manifest) => {
                let manifest = Manifest { created: timestamp(), ..manifest.clone() };
                stage.run_by_itself(OwnRun { manifest, interval: self.interval })
            }
            None => stage,
        }))
    }

    fn summarize(&self, played: &Played, state: RunState) -> StagesSummary {
        let names = || self.config.stages.iter().map(|stage| stage.name.clone());
        let stages =
            names().zip(played).map(|(name, (summary, _))| StageSummary { name, summary: summary.clone() });
        StagesSummary { v: 1, kind: "sprt", state, planned: names().collect(), stages: stages.collect() }
    }

    fn report(&self, played: &Played, _summary: &StagesSummary) -> Report {
        stages_report(&self.config, played)
    }

    fn started(&self) -> Option<Value> {
        let engines: Vec<&str> = self.config.engines.iter().map(|engine| engine.name.as_str()).collect();
        let stages: Vec<&str> = self.config.stages.iter().map(|stage| stage.name.as_str()).collect();
        Some(json!({ "engines": engines, "stages": stages }))
    }

    fn shown(&self, played: &Played, _report: &Report, state: RunState) -> Option<String> {
        // Each stage has shown its result.
        (state != RunState::Running).then(|| format!("{}\n", stages_verdict(&self.config, played)))
    }

    fn exit_code(&self, played: &Played) -> ExitCode {
        let strict = self.executions.iter().any(|execution| execution.strict_pv);
        played.last().map_or(ExitCode::SUCCESS, |(last, _)| wrong_pvs_or_verdict(last, strict, self.expect))
    }
}

/// Whether the test of a stage has accepted H1.
fn is_passed(summary: &MatchSummary) -> bool {
    summary.decision.is_some_and(|decision| decision.verdict == Verdict::AcceptH1)
}

/// Returns the result of a stage in words.
fn result(summary: &MatchSummary) -> String {
    if is_passed(summary) { "passed".to_owned() } else { summary.verdict_text() }
}

/// Returns the result of all stages: `stc passed, ltc: H0 accepted, smp not played`.
fn stages_verdict(config: &StagesConfig, played: &Played) -> String {
    let texts = config.stages.iter().enumerate().map(|(place, stage)| match played.get(place) {
        Some((summary, _)) if is_passed(summary) => format!("{} passed", stage.name),
        Some((summary, _)) => format!("{}: {}", stage.name, summary.verdict_text()),
        None => format!("{} not played", stage.name),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// Returns the value of an option, once if the engines agree.
fn option_text(config: &MatchConfig, name: &str) -> String {
    let values: Vec<&str> = config.engines.iter().map(|engine| engine.option(name).unwrap_or("-")).collect();
    match &values[..] {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => (*first).to_owned(),
        values => values.join(" against "),
    }
}

fn stages_report(config: &StagesConfig, played: &Played) -> Report {
    let names: Vec<&str> = config.engines.iter().map(|engine| engine.name.as_str()).collect();
    let title = format!("{}: {}", names.join(" against "), stages_verdict(config, played));
    let row = |(place, stage): (usize, &StageConfig)| -> Vec<String> {
        let StageConfig { name, config } = stage;
        let bounds = config.sprt.map(|sprt| format!("[{}, {}] {}", sprt.elo0, sprt.elo1, sprt.model.unit()));
        let played = played.get(place).map(|(summary, _)| summary);
        let stats = played.and_then(|summary| summary.stats.as_ref());
        let corrected = |stats| played?.unbiased(stats).map(|unbiased| unbiased.to_string());
        let elo = stats.map(|stats| corrected(stats).unwrap_or_else(|| stats.elo_text()));
        let llr = stats.and_then(|stats| stats.sprt).map(|sprt| sprt.llr.to_string());
        let absent = || "-".to_owned();
        vec![
            name.clone(),
            limits_text(config),
            option_text(config, OPTIONS[0]),
            option_text(config, OPTIONS[1]),
            bounds.unwrap_or_default(),
            played.map_or_else(absent, |summary| summary.games.to_string()),
            elo.unwrap_or_else(absent),
            llr.unwrap_or_else(absent),
            played.map_or_else(|| "not played".to_owned(), result),
        ]
    };
    let header = ["stage", "limits", "threads", "hash", "bounds", "games", "Elo", "LLR", "result"];
    let rows: Vec<Vec<String>> = config.stages.iter().enumerate().map(row).collect();
    let mut body = Document::from([Table::new(&header, rows).styled(TableStyle::Words)]);
    for (place, (stage, (_, report))) in config.stages.iter().zip(played).enumerate() {
        body.push(Heading::anchored(format!("{}: {}", stage.name, report.title), format!("stage-{place}")));
        body.extend(report.body.clone().into_section());
    }
    let games: u64 = played.iter().map(|(summary, _)| summary.games).sum();
    Report::new(title, body).with_facts([
        ("stages", stages_verdict(config, played)),
        ("games", counted(usize::try_from(games).unwrap_or(usize::MAX), "game")),
    ])
}

/// Returns the engines without what the stages set.
fn common_engines(stages: &[LoadedStage]) -> Vec<EngineConfig> {
    let mut engines = stages.first().map(|stage| stage.loaded.config.engines.clone()).unwrap_or_default();
    for (place, engine) in engines.iter_mut().enumerate() {
        let others = || stages.iter().map(|stage| &stage.loaded.config.engines[place]);
        let first = engine.clone();
        let is_common = |name: &str| others().all(|other| other.option(name) == first.option(name));
        engine.options.retain(|option| {
            !OPTIONS.iter().any(|name| name.eq_ignore_ascii_case(&option.name)) || is_common(&option.name)
        });
        if !others().all(|other| other.limits == first.limits) {
            engine.limits = Limits::default();
        }
    }
    engines
}

/// Plays a test of several stages.
pub(super) fn run(
    mut session: Session<'_>,
    strict_pv: bool,
    interval: Duration,
    expect: Option<Expect>,
) -> Result<ExitCode, Failure> {
    // Without the number of games at once of a resumed run, which is that of its first stage.
    let args =
        ExecutionArgs { concurrency: session.given_concurrency(), strict_pv, ..ExecutionArgs::default() };
    let stages = load_stages(&session.source, args)?;
    let (mut equipment, mut identities, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    for LoadedStage { loaded, parent, .. } in &stages {
        let (equip, before, trials) = try_engines(loaded, parent, &mut session)?;
        identities.push(identity(&loaded.config, &trials, &before).context("cannot describe the run")?);
        warnings.extend(trials.into_iter().flat_map(|trial| trial.warnings));
        equipment.push(equip);
    }
    let config = StagesConfig {
        engines: common_engines(&stages),
        stages: stages
            .iter()
            .map(|stage| StageConfig { name: stage.name.clone(), config: stage.loaded.config.clone() })
            .collect(),
    };
    let openings = identities.iter().filter_map(|identity| match &identity.files.openings {
        FileHashes::One(file) => Some(file.clone()),
        FileHashes::Several(_) => None,
    });
    let files = RunFiles { openings: FileHashes::Several(distinct(openings)), ..RunFiles::default() };
    let whole = Identity::new(&config, identities[0].engines.clone(), files);
    let executions: Vec<Execution> = stages.iter().map(|stage| stage.loaded.execution).collect();
    let (mut run, folder) = session.open(Ok(&whole), executions[0].concurrency, distinct(warnings))?;
    let remarks = same_engine_notices(&config.stages[0].config, &run.manifest, &run.manifest.builds);
    run.notices.extend(remarks.iter().cloned());
    run.notices.extend(stage_notices(&config, &equipment, &executions));
    let parts = stages.iter().zip(&identities).zip(&equipment);
    let manifests = parts.map(|((stage, identity), equipment)| -> anyhow::Result<Manifest> {
        let whole = &run.manifest;
        Ok(Manifest {
            identity: serde_yaml::to_value(identity).context("cannot describe the stage")?,
            host: Host { concurrency: stage.loaded.execution.concurrency, ..whole.host.clone() },
            stage: Some(stage.name.clone()),
            clock_scales: equipment.clock_scale.iter().cloned().collect(),
            overrides: [&whole.overrides[..], &stage.overrides[..]].concat(),
            config_text: stage.source.text().to_owned(),
            ..whole.clone()
        })
    });
    let manifests = manifests.collect::<anyhow::Result<Vec<_>>>()?;
    let staged = StagesRun { config, executions, remarks, manifests, interval, expect };
    complete_stages(&staged, &equipment, &run, &folder)
}

/// Returns the notices on the games of all stages, with the name of the stage where only some have them.
fn stage_notices(config: &StagesConfig, equipment: &[Equipment], executions: &[Execution]) -> Vec<String> {
    let of_stage = |place: usize| {
        let (config, games) = (&config.stages[place].config, executions[place].concurrency);
        let clock = clock_notice(config);
        clock.into_iter().chain(equipment[place].notices(config, games, false)).collect::<Vec<String>>()
    };
    let all: Vec<Vec<String>> = (0..config.stages.len()).map(of_stage).collect();
    let is_common = |notice: &String| all.iter().all(|notices| notices.contains(notice));
    let named = config.stages.iter().zip(&all).flat_map(|(stage, notices)| {
        notices.iter().map(|notice| {
            if is_common(notice) { notice.clone() } else { format!("stage {}: {notice}", stage.name) }
        })
    });
    distinct(named)
}

/// Returns the advice of a command that takes a test of one stage, for a run of several.
pub(crate) fn one_stage_advice(manifest: &Manifest, path: &std::path::Path) -> Option<String> {
    let config = manifest.identity_of::<StagesConfig, IgnoredAny>().ok()?.config;
    let folders: Vec<String> =
        config.stages.iter().map(|stage| path.join(&stage.name).display().to_string()).collect();
    Some(format!("{} is a test of several stages: expected one of {}", path.display(), folders.join(", ")))
}
