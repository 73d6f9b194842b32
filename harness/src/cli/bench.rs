//! `harness bench`.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;

use super::{Failure, RunArgs, listen_for_signals, open_folder, print, say, timestamp, untried};
use crate::bench::{self, Job};
use crate::cancel::Cancel;
use crate::config::{BenchConfig, FieldPath, Problem, Source};
use crate::progress::SearchesDisplay;
use crate::report::{bench_html, bench_markdown};
use crate::runner::RunState;
use crate::searches::{Observer, Plan, Records, load_positions};
use crate::store::{EngineIdentity, FileHash, Host, Manifest, RunFolder, write_atomically};
use crate::uci_client::Launcher;

/// The word for runs of this kind.
const KIND: &str = "bench";

pub(super) const HELP: &str = "\
Examples:
  harness bench configs/bench/builds.yaml
  harness bench --resume results/runs/bench-20261121-120000-1a2b3c4d

Every engine searches every position, side by side in alternating order, and is compared with the first: nodes, time,
speed, branching factor, and how often the first move cuts off where the engine tells (stretto --lab does). The first engine
is measured against itself too, unless `control: false`: what that shows is noise, and no difference within it is called
one. With a target the searches are repeated until the intervals are narrow enough.

A run is kept in results/runs/bench-<id>/: manifest.yaml, journal.jsonl (one line a search, the truth), summary.json,
report.md and report.html. An interrupted or killed run is continued with --resume.";

/// What makes two measurements the same.
#[derive(Serialize)]
struct Identity<'a> {
    config: &'a BenchConfig,
    engines: Vec<EngineIdentity<'a>>,
    positions: FileHash,
}

/// Measures.
pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let resumed = args.resumed(KIND)?;
    let source = args.source(resumed.as_ref())?;
    let mut config = BenchConfig::load(&source)?;
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
    let plan = Plan {
        engines: config.engines.clone(),
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
    let (id_names, warnings) =
        plan.trial().map_err(|error| untried(error, &source, "interrupted before the first search"))?;
    let job = Job { config, id_names, plan };
    let manifest = describe(&job, &source).context("cannot describe the run")?;
    let (folder, changes) = open_folder(args.place(), resumed, &manifest)?;
    measure(args, &job, folder, &[warnings, changes].concat())
}

fn describe(job: &Job, source: &Source) -> std::io::Result<Manifest> {
    let engines = job.config.engines.iter().zip(&job.id_names);
    let engines = engines.map(|(engine, id_name)| EngineIdentity::of(engine, id_name));
    let identity = Identity {
        config: &job.config,
        engines: engines.collect::<std::io::Result<_>>()?,
        positions: FileHash::of(&job.config.positions)?,
    };
    let host = Host::here(job.config.concurrency);
    Manifest::describe(KIND, &identity, host, source.file.clone(), &source.text, &timestamp())
}

fn measure(args: &RunArgs, job: &Job, folder: RunFolder, warnings: &[String]) -> Result<ExitCode, Failure> {
    let path = folder.path().to_path_buf();
    let mut records = Records::open(folder, &job.plan).map_err(anyhow::Error::from)?;
    let mut display = SearchesDisplay::new(&job.plan, args.json);
    display.start(&path, &job.plan, records.done.len());
    for warning in warnings {
        display.notice(warning);
    }
    if records.torn_bytes > 0 {
        let text = format!("cut {} bytes of an unfinished search off the journal", records.torn_bytes);
        display.notice(&text);
    }
    let resume = format!("resume with: harness bench --resume {}", path.display());
    let summary = match bench::run(job, &mut records, &mut display) {
        Ok(summary) => summary,
        Err(error) => {
            display.abandon();
            return Err(Failure::Run(
                anyhow::Error::from(error).context(format!("the run stopped; {resume}")),
            ));
        }
    };
    display.finish(&summary);
    let markdown = bench_markdown(job, &summary);
    for (name, text) in [("report.md", &markdown), ("report.html", &bench_html(job, &summary))] {
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
