//! `harness smp`.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;

use super::{Failure, RunArgs, listen_for_signals, open_folder, print, say, timestamp, untried};
use crate::cancel::Cancel;
use crate::config::{FieldPath, Problem, SmpConfig, Source};
use crate::progress::SearchesDisplay;
use crate::report::{smp_html, smp_markdown};
use crate::runner::RunState;
use crate::searches::{Observer, Plan, Records, load_positions};
use crate::smp::{self, Job};
use crate::store::{EngineIdentity, FileHash, Host, Manifest, RunFolder, write_atomically};
use crate::uci_client::Launcher;

/// The word for runs of this kind.
const KIND: &str = "smp";

pub(super) const HELP: &str = "\
Examples:
  harness smp configs/smp/speedup.yaml
  harness smp --resume results/runs/smp-20261121-120000-1a2b3c4d

Every position is searched by every engine at every number of threads. With a depth, the report says how many times
fewer nodes of the main thread and how much less time it takes with more threads; with a movetime, how many more nodes a
second. Engines are compared with the first of the configuration position by position, which cancels most of the noise.

Nodes of the main thread are told by engines that say `info string depth D main nodes N`, as stretto --lab does. With its
option Lockstep the threads take turns, and the figures are the same on any machine.

A run is kept in results/runs/smp-<id>/: manifest.yaml, journal.jsonl (one line a search, the truth), summary.json,
report.md and report.html. An interrupted or killed run is continued with --resume.";

/// What makes two measurements the same.
#[derive(Serialize)]
struct Identity<'a> {
    config: &'a SmpConfig,
    engines: Vec<EngineIdentity<'a>>,
    positions: FileHash,
}

/// Measures.
pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let resumed = args.resumed(KIND)?;
    let source = args.source(resumed.as_ref())?;
    let mut config = SmpConfig::load(&source)?;
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
        threads: config.threads.iter().copied().map(Some).collect(),
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
    let resume = format!("resume with: harness smp --resume {}", path.display());
    let summary = match smp::run(job, &mut records, &mut display) {
        Ok(summary) => summary,
        Err(error) => {
            display.abandon();
            return Err(Failure::Run(
                anyhow::Error::from(error).context(format!("the run stopped; {resume}")),
            ));
        }
    };
    display.finish(&summary);
    let markdown = smp_markdown(job, &summary);
    for (name, text) in [("report.md", &markdown), ("report.html", &smp_html(job, &summary))] {
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
