//! `harness bench`.

use std::process::ExitCode;

use super::measure::{Identity, measure, plan, trial};
use super::session::Session;
use super::{Failure, RunArgs};
use crate::bench::Job;
use crate::config::BenchConfig;
use crate::report::bench_report;
use crate::searches::Load;

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

/// Measures.
pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let session = Session::begin(KIND, args)?;
    let mut config = BenchConfig::load(&session.source)?;
    config.searches.concurrency = session.concurrency(config.searches.concurrency);
    let plan = plan(&session, &config.searches, &config.engines, vec![Load::AsConfigured])?;
    let (id_names, warnings) = trial(&session, &plan)?;
    let identity = Identity::of(&config, &config.engines, &id_names, &config.searches);
    let run = session.open(identity, config.searches.concurrency, warnings)?;
    let job = Job { config, id_names, positions: plan.positions.len() };
    let measured = measure(run, &plan, &job)?;
    measured.report(&bench_report(&job, &measured.summary))
}
