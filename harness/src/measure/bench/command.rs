//! `harness bench`.

use super::summary::summarize;
use super::{BenchSummary, Job, bench_report};
use crate::measure::searches::{Measurement, Outline, SearchRecord, stored_positions};
use crate::report::Report;
use crate::run::stored::StoredRun;
use crate::run::{RunState, quick};
use std::num::NonZeroU32;
use std::process::ExitCode;

use clap::Args;

use crate::measure::bench::BenchConfig;
use crate::measure::searches::command::{QuickSearches, default_to_depth, measure};
use crate::run::command::Failure;
use crate::run::session::Session;

/// The kind of run, as in the names of run folders.
const KIND: &str = "bench";

const HELP: &str = "\
Examples:
  harness bench ./new ./old
  harness bench ./new ./old --depth 14 --hash 64 --positions bench.epd
  harness bench --dev my-branch --base main                # builds both commits of this repository
  harness bench configs/bench/builds.yaml
  harness bench ./new ./old --depth 8 --instructions
  harness bench stretto --threads 4 --set 'engines[0].args=[--lab]' --option Lockstep=500   # repeatable node counts
  harness bench ./new ./old --print-config > bench.yaml
  harness bench --resume results/runs/bench-20261121-120000-1a2b3c4d

Every engine searches every position, and is compared with the first engine in nodes, time, speed and branching factor. The
share of cutoffs by the first move is compared too if the engine reports it (stretto --lab does). The order of the engines
alternates from position to position and from repetition to repetition. Engines without a file are searched to depth 12, unless
--depth, --nodes or --movetime sets another limit.

The first engine is measured a second time as the control, unless `control: false`. The difference between the two is noise, and
smaller differences are not reported as differences. With a target, the searches are repeated until the intervals are narrow
enough.

With several threads two searches of one position have different trees, so nodes and times to a depth compare little. With
--set 'engines[0].args=[--lab]' --option Lockstep=500 the threads of Stretto take turns and repeat their counts (a second engine
needs engines[1].args too). Times and speeds need a processor for each thread of each search at once (-j).

With --instructions the first search of each position is repeated in a process of its own under `perf stat`, or where that cannot
count, valgrind (about fifty times slower, and only for engines without AVX-512). Instructions per node do not depend on other load.

A run is kept in results/runs/bench-<id>/: manifest.yaml, journal.jsonl (one line per search), summary.json, report.md and
report.html. An interrupted or killed run is continued with --resume.";

/// Compares engines, builds or settings on the same positions: nodes, time and speed.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    searches: QuickSearches,
    /// Threads of every engine (its option Threads). With several threads, node counts vary from run to run, unless the engine
    /// takes turns (Stretto with the argument --lab and the option Lockstep, see below).
    #[arg(short, long, value_name = "N", help_heading = quick::HEADING)]
    threads: Option<NonZeroU32>,
    /// Also count the instructions per node of each engine, with perf or valgrind (field `instructions`).
    #[arg(long)]
    instructions: bool,
}

pub(crate) fn run(args: &BenchArgs) -> Result<ExitCode, Failure> {
    let mut run = args.searches.prepare(Vec::new(), args.threads, default_to_depth)?;
    if args.instructions {
        run.set.push("instructions=true".to_owned());
    }
    let session = Session::begin(KIND, &run)?;
    let mut config = BenchConfig::load(&session.source)?;
    config.searches.concurrency = session.concurrency(config.searches.concurrency);
    measure(session, config)
}

impl Measurement for Job {
    const COMPARES_CPU_TIME: bool = true;

    type Config = BenchConfig;
    type Summary = BenchSummary;

    fn rebuild(config: BenchConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let positions = stored_positions(&config.searches, run)?;
        Ok(Self { config, id_names: run.id_names(), positions })
    }

    fn outline(&self) -> Outline<'_> {
        let Self { config, positions, .. } = self;
        Outline { engines: &config.engines, positions: *positions, searches: &config.searches }
    }

    fn summary(&self, done: &[SearchRecord], state: RunState) -> BenchSummary {
        summarize(self, done, state)
    }

    // During the run the summary is only computed if it may end the run.
    fn is_enough(&self, done: &[SearchRecord]) -> bool {
        self.config.target.is_some_and(|target| self.summary(done, RunState::Running).has_reached(target))
    }

    fn report(&self, summary: &BenchSummary) -> Report {
        bench_report(self, summary)
    }
}
