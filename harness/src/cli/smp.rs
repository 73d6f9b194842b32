//! `harness smp`.

use std::process::ExitCode;

use super::measure::{Identity, measure, plan, trial};
use super::session::Session;
use super::{Failure, RunArgs};
use crate::config::SmpConfig;
use crate::report::smp_report;
use crate::smp::{Job, loads};

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

/// Measures.
pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let session = Session::begin(KIND, args)?;
    let mut config = SmpConfig::load(&session.source)?;
    config.searches.concurrency = session.concurrency(config.searches.concurrency);
    let plan = plan(&session, &config.searches, &config.engines, loads(&config))?;
    let (id_names, warnings) = trial(&session, &plan)?;
    let identity = Identity::of(&config, &config.engines, &id_names, &config.searches);
    let run = session.open(identity, config.searches.concurrency, warnings)?;
    let job = Job { config, id_names, positions: plan.positions.len() };
    let measured = measure(run, &plan, &job)?;
    measured.report(&smp_report(&job, &measured.summary))
}
