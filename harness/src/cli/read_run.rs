//! What a run folder says, computed anew from its manifest and journal.
//!
//! Nothing else is needed: engines, books and networks may be gone. Only a suite needs its positions, which say what was
//! asked for. The lock is not taken: a run that goes on can be looked at.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use serde::de::DeserializeOwned;

use super::session::read_manifest;
use super::{solo, tune};
use crate::ablation::{self, Variant, comparison, folder_of, settings_to_play};
use crate::bench;
use crate::cancel::Cancel;
use crate::claims::Checked;
use crate::config::{
    AblateConfig, BenchConfig, DatagenConfig, EquivalenceConfig, MatchConfig, SearchesConfig, SmpConfig,
    SuiteConfig, TrainConfig,
};
use crate::datagen::DatagenTotals;
use crate::equivalence::EquivalenceSummary;
use crate::report::{
    MatchHistory, Report, RunReport, ablation_report, bench_report, claims_report, datagen_report,
    equivalence_report, match_report, screen_report, smp_report, suite_report, train_report,
    tune_eval_report, tune_report,
};
use crate::runner::{Dealer, RunState, Summarizer, Summary};
use crate::screening::Screening;
use crate::searches::{Grid, Measurement, SearchRecord, load_positions};
use crate::smp;
use crate::store::{Entry, GameRecord, Manifest, read_journal};
use crate::suite::{self, Suite};
use crate::train::EpochRecord;
use crate::tune::Tuning;
use crate::uci_client::Launcher;

/// The file of a run folder that holds the truth.
const JOURNAL: &str = "journal.jsonl";

/// How far a run has come, and what it says.
type Said = (RunState, Report);

/// Reads a run folder.
pub(super) fn read_run(path: &Path) -> anyhow::Result<RunReport> {
    let manifest = read_manifest(&path.join("manifest.yaml"))?;
    let folder = Folder { path, manifest: &manifest };
    let (state, report) = folder.read().with_context(|| format!("cannot report on {}", path.display()))?;
    let Manifest { kind, created, harness, host, config_file, .. } = &manifest;
    let name = std::path::absolute(path).ok().and_then(|path| path.file_name().map(ToOwned::to_owned));
    let file = config_file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(RunReport {
        name: name.unwrap_or_default().to_string_lossy().into_owned(),
        kind: kind.clone(),
        // `2026-11-22T03:53:11Z`, for people.
        created: created.replace('T', " ").trim_end_matches('Z').to_owned(),
        host: format!("{}: {} cores, {}, {}", host.name, host.cores, host.cpu, host.system),
        harness: harness.clone(),
        state,
        command: match kind.as_str() {
            "suite" | "claims" => format!("harness {kind} (the request stands in manifest.yaml)"),
            _ => format!("harness {kind} {file}"),
        },
        report,
    })
}

/// The folders of runs that a path stands for: itself, or else those directly below it.
pub(super) fn runs_at(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if path.join("manifest.yaml").is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let below = entries.flatten().map(|entry| entry.path());
    let mut runs: Vec<PathBuf> = below.filter(|path| path.join("manifest.yaml").is_file()).collect();
    runs.sort();
    if runs.is_empty() {
        bail!("{} holds no run (no manifest.yaml in it, or in a folder of it)", path.display());
    }
    Ok(runs)
}

/// A run folder and what its manifest says.
struct Folder<'a> {
    path: &'a Path,
    manifest: &'a Manifest,
}

impl Folder<'_> {
    fn read(&self) -> anyhow::Result<Said> {
        match self.manifest.kind.as_str() {
            "match" | "sprt" => self.games(),
            "smp" => self.smp(),
            "bench" => self.bench(),
            "ablate" => self.ablate(),
            "equivalence" => self.equivalence(),
            "suite" => self.suite(),
            "claims" => self.claims(),
            "datagen" => self.datagen(),
            "train" => self.train(),
            "tune" => self.tune(),
            "screen" => self.screen(),
            "tune-eval" => self.tune_eval(),
            other => Err(anyhow!("runs of `harness {other}` have no report")),
        }
    }

    /// The validated configuration.
    fn config<C: DeserializeOwned>(&self) -> anyhow::Result<C> {
        self.identity("config")
    }

    fn identity<T: DeserializeOwned>(&self, field: &str) -> anyhow::Result<T> {
        let value = self.manifest.identity.get(field);
        let value = value.with_context(|| format!("its manifest has no `identity.{field}`"))?;
        serde_yaml::from_value(value.clone()).with_context(|| format!("`identity.{field}` does not read"))
    }

    /// What the engines call themselves.
    fn id_names(&self) -> Vec<String> {
        let engines = self.manifest.identity.get("engines").and_then(serde_yaml::Value::as_sequence);
        let one = self.manifest.identity.get("engine");
        let engines = engines.into_iter().flatten().chain(one);
        let name = |engine: &serde_yaml::Value| Some(engine.get("id_name")?.as_str()?.to_owned());
        engines.map(|engine| name(engine).unwrap_or_default()).collect()
    }

    fn records<T: Entry>(&self) -> anyhow::Result<Vec<T>> {
        records(&self.path.join(JOURNAL))
    }

    fn games(&self) -> anyhow::Result<Said> {
        let mut config: MatchConfig = self.config()?;
        config.concurrency = self.manifest.host.concurrency;
        let mut history = MatchHistory::new(&config);
        let summary = summary_of(&config, &self.path.join(JOURNAL), |game| history.add(&config, game))?;
        Ok((summary.state, match_report(&config, &summary, &history)))
    }

    /// What a measurement's searches say, of which `grid` knows how many there are.
    fn searches<M: Measurement>(
        &self,
        measurement: &M,
        grid: &Grid,
    ) -> anyhow::Result<(RunState, M::Summary)> {
        let mut done: Vec<SearchRecord> = self.records()?;
        done.retain(|record| (record.index as usize) < grid.searches());
        let is_whole = done.len() >= grid.searches();
        let state = if is_whole || measurement.is_enough(&done) { RunState::Finished } else { unfinished() };
        Ok((state, measurement.summary(&done, state)))
    }

    /// How many positions there were: as the file has, or where that is gone, as were searched.
    fn positions(&self, config: &SearchesConfig) -> anyhow::Result<usize> {
        let count = config.count.map(std::num::NonZero::get);
        if let Some(found) = count.or_else(|| Some(load_positions(&config.positions, None).ok()?.len())) {
            return Ok(found);
        }
        let searched: Vec<SearchRecord> = self.records()?;
        Ok(searched.iter().map(|record| record.position + 1).max().unwrap_or(0))
    }

    fn smp(&self) -> anyhow::Result<Said> {
        let config: SmpConfig = self.config()?;
        let positions = self.positions(&config.searches)?;
        let job = smp::Job { config, id_names: self.id_names(), positions };
        let (state, summary) = self.searches(&job, &job.grid())?;
        Ok((state, smp_report(&job, &summary)))
    }

    fn bench(&self) -> anyhow::Result<Said> {
        let config: BenchConfig = self.config()?;
        let positions = self.positions(&config.searches)?;
        let job = bench::Job { config, id_names: self.id_names(), positions };
        let (state, summary) = self.searches(&job, &job.grid())?;
        Ok((state, bench_report(&job, &summary)))
    }

    fn ablate(&self) -> anyhow::Result<Said> {
        let config: AblateConfig = self.config()?;
        let variants: Vec<Variant> = self.identity("variants")?;
        let (games, positions) = (config.games.clone(), self.positions(&config.searches)?);
        let bench =
            bench::Job { config: comparison(&config, &variants), id_names: self.id_names(), positions };
        let job = ablation::Job { bench, variants };
        let (mut state, summary) = self.searches(&job, &job.bench.grid())?;
        let mut matches = Vec::new();
        for (variant, config) in games.iter().flat_map(|games| settings_to_play(&job, games, &summary)) {
            let journal = self.path.join(folder_of(&variant)).join(JOURNAL);
            let played = journal.is_file().then(|| summary_of(&config, &journal, |_| {})).transpose()?;
            if played.as_ref().is_none_or(|played| played.state != RunState::Finished) {
                state = unfinished();
            }
            matches.extend(played.and_then(|played| played.stats).map(|stats| (variant, stats)));
        }
        Ok((state, ablation_report(&job, &summary.with_games(&matches))))
    }

    fn equivalence(&self) -> anyhow::Result<Said> {
        let config: EquivalenceConfig = self.config()?;
        let mut matches = Vec::new();
        for cell in &config.cells {
            let journal = self.path.join(cell.folder()).join(JOURNAL);
            if journal.is_file() {
                matches.push(summary_of(&cell.config, &journal, |_| {})?);
            }
        }
        let is_whole = matches.len() == config.cells.len()
            && matches.iter().all(|summary| summary.state == RunState::Finished);
        let state = if is_whole { RunState::Finished } else { unfinished() };
        let summary = EquivalenceSummary::of(&config, &matches, state);
        Ok((state, equivalence_report(&config, &summary)))
    }

    fn suite(&self) -> anyhow::Result<Said> {
        let config: SuiteConfig = self.config()?;
        let limit = config.limit_positions.map(std::num::NonZero::get);
        let suite = Suite::load(&config.files, limit).context("the positions are needed")?;
        let id_name = self.id_names().pop().unwrap_or_default();
        let (launcher, cancel) = (Launcher::of_this_binary(), Cancel::new());
        let job = suite::Job { config, id_name, suite, launcher, cancel };
        let summary = suite::summarize(&job, &self.records()?)?;
        Ok((summary.state, suite_report(&summary)))
    }

    fn claims(&self) -> anyhow::Result<Said> {
        let mut checked: Vec<Checked> = self.records()?;
        checked.sort_by_key(|checked| checked.index);
        let wanted = self.manifest.identity.get("config").and_then(|config| config.get("claims"));
        let wanted = wanted.and_then(serde_yaml::Value::as_sequence).map_or(0, Vec::len);
        let state = if checked.len() >= wanted { RunState::Finished } else { unfinished() };
        Ok((state, claims_report(&checked)))
    }

    fn datagen(&self) -> anyhow::Result<Said> {
        let config: DatagenConfig = self.config()?;
        let totals = DatagenTotals::of(&self.records()?);
        let is_whole = totals.games >= config.games.get();
        let state = if is_whole { RunState::Finished } else { unfinished() };
        Ok((state, datagen_report(&config, &totals)))
    }

    fn train(&self) -> anyhow::Result<Said> {
        let config: TrainConfig = self.config()?;
        let epochs: Vec<EpochRecord> = self.records()?;
        // How much there was to learn from is not in the journal; a run that was killed has no summary.
        let summary = std::fs::read(self.path.join("summary.json")).ok();
        let size = summary.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let is_whole = epochs.len() >= config.training.epochs.get() as usize;
        let state = if is_whole { RunState::Finished } else { unfinished() };
        Ok((state, train_report(&config, size, &epochs)))
    }

    fn tune(&self) -> anyhow::Result<Said> {
        let mut config: MatchConfig = self.config()?;
        config.concurrency = self.manifest.host.concurrency;
        let tune = config.tune.as_ref().context("its configuration has nothing to tune")?;
        let tuning = Tuning::new(tune, self.identity("parameters")?, config.seed);
        for game in &records::<GameRecord>(&self.path.join(solo::GAMES).join(JOURNAL))? {
            tuning.count(game);
        }
        let standing = tuning.standing();
        let is_tuned = standing.done() == standing.iterations;
        let test = tune::test_of(&config, &standing).filter(|_| is_tuned);
        let journal = self.path.join(tune::TEST).join(JOURNAL);
        let played = test.as_ref().filter(|_| journal.is_file());
        let played = played.map(|config| summary_of(config, &journal, |_| {})).transpose()?;
        let is_tested = played.as_ref().is_some_and(|played| played.state == RunState::Finished);
        let is_whole = is_tuned && (test.is_none() || is_tested);
        let state = if is_whole { RunState::Finished } else { unfinished() };
        Ok((state, tune_report(&standing, played.as_ref())))
    }

    fn screen(&self) -> anyhow::Result<Said> {
        let config: MatchConfig = self.config()?;
        let screen = config.screen.as_ref().context("its configuration has nothing to judge")?;
        let screening = Screening::new(screen, self.identity("factors")?, config.seed);
        for game in &records::<GameRecord>(&self.path.join(solo::GAMES).join(JOURNAL))? {
            screening.count(game);
        }
        let (standing, planned) = (screening.standing(), config.max_pairs().unwrap_or(0));
        let state = if standing.pairs >= planned { RunState::Finished } else { unfinished() };
        Ok((state, screen_report(&standing, planned)))
    }

    /// A fit keeps no journal: it is one computation, and its summary is what came out.
    fn tune_eval(&self) -> anyhow::Result<Said> {
        let file = self.path.join("summary.json");
        let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let summary =
            serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", file.display()))?;
        Ok((RunState::Finished, tune_eval_report(&summary)))
    }
}

/// A run that has not come to its end: whether it goes on at this moment does not show.
const fn unfinished() -> RunState {
    RunState::Interrupted
}

fn records<T: Entry>(journal: &Path) -> anyhow::Result<Vec<T>> {
    let mut records = Vec::new();
    read_journal(journal, |record| {
        records.push(record);
        Ok(())
    })?;
    Ok(records)
}

/// The summary of a match by its journal; `look` sees every game.
fn summary_of(
    config: &MatchConfig,
    journal: &Path,
    mut look: impl FnMut(&GameRecord),
) -> anyhow::Result<Summary> {
    let mut summarizer = Summarizer::new(config)?;
    for game in &records::<GameRecord>(journal)? {
        summarizer.add(game);
        look(game);
    }
    let is_whole = config.max_pairs().is_some_and(|pairs| summarizer.pairs() >= pairs);
    let is_over = is_whole || summarizer.decision().is_some();
    Ok(summarizer.summary(if is_over { RunState::Finished } else { unfinished() }))
}
