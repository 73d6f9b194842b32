//! `harness ablate`.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;

use super::{Failure, RunArgs, listen_for_signals, open_folder, print, say, timestamp, untried};
use crate::ablation::{Ablation, Job, Variant, comparison, variants};
use crate::bench;
use crate::cancel::Cancel;
use crate::config::{AblateConfig, FieldPath, Problem, Source};
use crate::progress::SearchesDisplay;
use crate::report::{ablation_html, ablation_markdown};
use crate::runner::RunState;
use crate::searches::{Observer, Plan, Records, load_positions};
use crate::store::{EngineIdentity, FileHash, Host, Manifest, RunFolder, write_atomically};
use crate::uci_client::Launcher;

/// The word for runs of this kind.
const KIND: &str = "ablate";

pub(super) const HELP: &str = "\
Examples:
  harness ablate configs/ablate/switches.yaml
  harness ablate --resume results/runs/ablate-20261121-120000-1a2b3c4d

Every switch of the engine is turned the other way in turn: those that are on are left out, those that are off are added.
Each such setting searches every position beside the engine as it is. The table is sorted by what a setting does to the
nodes; the engine as it is, measured once more, says what is noise.

A run is kept in results/runs/ablate-<id>/: manifest.yaml, journal.jsonl (one line a search, the truth), summary.json,
report.md and report.html. An interrupted or killed run is continued with --resume.";

/// What makes two ablations the same.
#[derive(Serialize)]
struct Identity<'a> {
    config: &'a AblateConfig,
    variants: &'a [Variant],
    engine: EngineIdentity<'a>,
    positions: FileHash,
}

/// Measures.
pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let resumed = args.resumed(KIND)?;
    let source = args.source(resumed.as_ref())?;
    let mut config = AblateConfig::load(&source)?;
    if let Some(concurrency) = args.concurrency {
        config.concurrency = concurrency.get();
    }
    let count = config.count.map(NonZeroUsize::get);
    let positions = load_positions(&config.positions, count).map_err(|error| {
        let path = FieldPath::root().key("positions").key("file");
        source.complain(Problem::new(path, error.to_string()))
    })?;
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    let interrupted = "interrupted before the first search";
    let mut plan = Plan {
        engines: vec![config.engine.clone()],
        threads: vec![None],
        limits: config.limits,
        positions,
        repetitions: config.repetitions.get(),
        is_timed: config.times,
        concurrency: config.concurrency,
        watchdog: config.watchdog,
        launcher: Launcher::of_this_binary(),
        cancel,
    };
    let declared = plan.declared().map_err(|error| untried(error, &source, interrupted))?;
    let variants = variants(&config, &declared).map_err(|problem| source.complain(problem))?;
    let bench = comparison(&config, &variants);
    plan.engines.clone_from(&bench.engines);
    let (id_names, warnings) = plan.trial().map_err(|error| untried(error, &source, interrupted))?;
    let manifest = describe(&config, &variants, &id_names[0], &source).context("cannot describe the run")?;
    let (folder, changes) = open_folder(args.place(), resumed, &manifest)?;
    let job = Job { config: bench, id_names, plan };
    measure(args, &job, &variants, folder, &[warnings, changes].concat())
}

fn describe(
    config: &AblateConfig,
    variants: &[Variant],
    id_name: &str,
    source: &Source,
) -> std::io::Result<Manifest> {
    let identity = Identity {
        config,
        variants,
        engine: EngineIdentity::of(&config.engine, id_name)?,
        positions: FileHash::of(&config.positions)?,
    };
    let host = Host::here(config.concurrency);
    Manifest::describe(KIND, &identity, host, source.file.clone(), &source.text, &timestamp())
}

fn measure(
    args: &RunArgs,
    job: &Job,
    variants: &[Variant],
    folder: RunFolder,
    warnings: &[String],
) -> Result<ExitCode, Failure> {
    let path = folder.path().to_path_buf();
    let mut records = Records::open(folder, &job.plan).map_err(anyhow::Error::from)?;
    let mut display = SearchesDisplay::new(&job.plan, args.json);
    display.start(&path, &job.plan, records.done.len());
    for warning in warnings {
        display.notice(warning);
    }
    let resume = format!("resume with: harness ablate --resume {}", path.display());
    let summary = match bench::run(job, &mut records, &mut display) {
        Ok(summary) => summary,
        Err(error) => {
            display.abandon();
            return Err(Failure::Run(
                anyhow::Error::from(error).context(format!("the run stopped; {resume}")),
            ));
        }
    };
    let ablation = Ablation::of(variants, &summary);
    display.finish(&ablation);
    let mut json = serde_json::to_string_pretty(&ablation).context("cannot write the summary")?;
    json.push('\n');
    let markdown = ablation_markdown(job, &ablation, &summary);
    let pages = [
        ("summary.json", json),
        ("report.md", markdown.clone()),
        ("report.html", ablation_html(job, &ablation, &summary)),
    ];
    for (name, text) in pages {
        let file = path.join(name);
        write_atomically(&file, text.as_bytes())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    if args.json {
        say(markdown.trim_end());
    } else {
        print(&markdown);
    }
    if summary.state == RunState::Interrupted {
        say(&format!("interrupted, everything is saved; {resume}"));
        return Err(Failure::Interrupted);
    }
    Ok(ExitCode::SUCCESS)
}
