//! `harness smp`.

use std::num::NonZeroU32;
use std::process::ExitCode;

use clap::Args;

use crate::measure::searches::SearchRun;
use crate::measure::searches::command::{Identity, plan, trial};
use crate::measure::searches::quick_searches::QuickSearches;
use crate::measure::smp::{Job, SmpConfig, loads};
use crate::run::command::Failure;
use crate::run::executor::complete;
use crate::run::quick::{self, Setting};
use crate::run::session::Session;

/// The kind of run, as in the names of run folders.
const KIND: &str = "smp";

const HELP: &str = "\
Examples:
  harness smp ./engine --threads 1,2,4
  harness smp ./new ./old --threads 1,2 --movetime 1000
  harness smp configs/smp/speedup.yaml
  harness smp --resume results/runs/smp-20261121-120000-1a2b3c4d

Every engine searches every position at every number of threads. With a depth, the report gives the speedup in time to depth and
in nodes of the main thread; with a movetime, the ratio of nodes per second. Engines are compared with the first engine position
by position, which cancels most of the noise.

Nodes of the main thread are only known for engines that print `info string depth D main nodes N`, as stretto --lab does. With
Stretto's option Lockstep, the threads take turns and the node counts are the same on any machine.

A run is kept in results/runs/smp-<id>/: manifest.yaml, journal.jsonl (one line per search), summary.json, report.md and
report.html. An interrupted or killed run is continued with --resume.";

/// Measures the speedup of more threads: nodes per second, and nodes and time to depth.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct SmpArgs {
    #[command(flatten)]
    searches: QuickSearches,
    /// Numbers of threads to measure, for example 1,2,4. Speedups refer to the first.
    #[arg(short, long, value_name = "N,...", value_delimiter = ',', help_heading = quick::HEADING)]
    threads: Vec<NonZeroU32>,
}

pub(crate) fn run(args: &SmpArgs) -> Result<ExitCode, Failure> {
    let threads: Vec<u64> = args.threads.iter().map(|threads| threads.get().into()).collect();
    let threads = Setting::new("--threads", "threads", (!threads.is_empty()).then_some(threads));
    let args = args.searches.prepare(vec![threads], None)?;
    let session = Session::begin(KIND, &args)?;
    let mut config = SmpConfig::load(&session.source)?;
    config.searches.concurrency = session.concurrency(config.searches.concurrency);
    let plan = plan(&session, &config.searches, &config.engines, loads(&config))?;
    let (id_names, warnings) = trial(&session, &plan)?;
    let identity = Identity::of(&config, &config.engines, &id_names, &config.searches);
    let (run, folder) = session.open(identity, config.searches.concurrency, warnings)?;
    let job = Job { config, id_names, positions: plan.positions.len() };
    complete(&SearchRun::new(job, plan), &run, &folder, None)?;
    Ok(ExitCode::SUCCESS)
}
