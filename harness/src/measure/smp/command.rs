//! `harness smp`.

use super::summary::summarize;
use super::{Job, SmpConfig, SmpSummary, smp_report};
use crate::measure::searches::{Load, Measurement, Outline, SearchRecord, stored_positions};
use crate::report::Report;
use crate::run::RunState;
use crate::run::stored::StoredRun;
use std::num::NonZeroU32;
use std::process::ExitCode;

use clap::Args;

use crate::measure::searches::command::{QuickSearches, has_limit, measure};
use crate::run::command::Failure;
use crate::run::quick::{self, QuickConfig, Setting};
use crate::run::session::Session;

/// The kind of run, as in the names of run folders.
const KIND: &str = "smp";

const HELP: &str = "\
Examples:
  harness smp ./engine --threads 1,2,4
  harness smp ./engine --threads 1,2,4 --depth 16
  harness smp ./old ./new --threads 1,2 --movetime 1000 --set separate_processes=false
  harness smp configs/smp/speedup.yaml
  harness smp configs/smp/numa.yaml --set 'threads=[64, 128]'
  harness smp --resume results/runs/smp-20261121-120000-1a2b3c4d

Every engine searches every position at every number of threads. With a depth, the report gives the speedup in time to depth and
in nodes of the main thread; with a movetime, the nodes per second. Further engines are compared with the first at the same
number of threads, position by position, which cancels most of the noise: the columns `gain` have the ratio with its interval.

Engines without a file and without a depth are measured with a movetime of 500 ms, and beside N threads also as N processes of one
thread that search at the same time (separate_processes). Their speeds add up to a reference: what the machine's memory, clock and
shared caches allow to searches that do not share anything else. Searches with threads and with processes alternate, and the
report has the ratio of the two with its error. It may be above 1: each process has a hash table of its own, and N tables use
caches worse than one.

Nodes of the main thread are only known for engines that print `info string depth D main nodes N`, as stretto --lab does. With
Stretto's option Lockstep, the threads take turns and the node counts are the same on any machine.

A run is kept in results/runs/smp-<id>/: manifest.yaml, journal.jsonl (one line per search), summary.json, report.md and
report.html. An interrupted or killed run is continued with --resume.";

const MOVETIME_HELP: &str = "Time per search, in milliseconds; with several threads at least 20, since an engine may search shorter \
ones with one thread (Stretto does below 15 ms)";

/// Measures the speedup of more threads: nodes per second, and nodes and time to depth.
#[derive(Debug, Args)]
// A speedup needs a depth, a speed needs a time.
#[command(
    after_help = HELP,
    mut_arg("nodes", |arg| arg.hide(true)),
    mut_arg("movetime", |arg| arg.help(MOVETIME_HELP))
)]
pub(crate) struct SmpArgs {
    #[command(flatten)]
    searches: QuickSearches,
    /// Numbers of threads to measure, for example 1,2,4. Speedups refer to the first.
    #[arg(
        short,
        long,
        value_name = "N,...",
        value_delimiter = ',',
        value_parser = thread_count,
        help_heading = quick::HEADING
    )]
    threads: Vec<NonZeroU32>,
}

/// Parses one of the numbers of threads.
fn thread_count(text: &str) -> Result<NonZeroU32, String> {
    let error = |error: std::num::ParseIntError| match text.split_once(['-', '.', ' ']) {
        Some((first, _)) if first.parse::<u32>().is_ok() => {
            "expected a whole number; for several: 1,2,4".to_owned()
        }
        _ => error.to_string(),
    };
    text.parse().map_err(error)
}

/// Time of each search without a limit. Units: milliseconds.
const DEFAULT_MOVETIME: u64 = 500;

/// Sets the draft to measure nodes per second beside as many processes, if it has no depth.
fn measure_speed(draft: &mut QuickConfig) {
    if !has_limit(draft) {
        draft.set_default("movetime", DEFAULT_MOVETIME);
    }
    if draft.is_given("movetime") {
        draft.set_default("separate_processes", true);
    }
}

pub(crate) fn run(args: &SmpArgs) -> Result<ExitCode, Failure> {
    let threads: Vec<u64> = args.threads.iter().map(|threads| threads.get().into()).collect();
    let threads = Setting::new("--threads", "threads", (!threads.is_empty()).then_some(threads));
    let mut lacks_threads = false;
    let args = args.searches.prepare(vec![threads], None, |draft| {
        lacks_threads = !draft.has("threads");
        measure_speed(draft);
    })?;
    let has_threads = !lacks_threads || args.set.iter().any(|set| set.starts_with("threads"));
    let message = "--threads is missing: expected the numbers of threads to measure, such as --threads 1,2,4";
    Failure::require(has_threads, message)?;
    let session = Session::begin(KIND, &args)?;
    let mut config = SmpConfig::load(&session.source)?;
    config.searches.concurrency = session.concurrency(config.searches.concurrency);
    measure(session, config)
}

impl Measurement for Job {
    const COMPARES_CPU_TIME: bool = false;

    type Config = SmpConfig;
    type Summary = SmpSummary;

    fn rebuild(config: SmpConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let positions = stored_positions(&config.searches, run)?;
        Ok(Self { config, id_names: run.id_names(), positions })
    }

    fn outline(&self) -> Outline<'_> {
        let Self { config, positions, .. } = self;
        Outline { engines: &config.engines, positions: *positions, searches: &config.searches }
    }

    /// Returns each number of threads, and if requested as many processes.
    fn loads(&self) -> Vec<Load> {
        let separate = |threads: NonZeroU32| {
            (self.config.separate_processes && threads.get() > 1).then_some(Load::Processes(threads))
        };
        let loads = self.config.threads.iter();
        loads.flat_map(|&threads| [Some(Load::Threads(threads)), separate(threads)]).flatten().collect()
    }

    fn summary(&self, done: &[SearchRecord], state: RunState) -> SmpSummary {
        summarize(self, done, state)
    }

    fn report(&self, summary: &SmpSummary) -> Report {
        smp_report(self, summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_of_threads_is_refused_with_the_form_of_a_list() {
        assert_eq!(thread_count("4").map(NonZeroU32::get), Ok(4));
        for text in ["1-4", "1..4", "1 2"] {
            assert_eq!(
                thread_count(text).unwrap_err(),
                "expected a whole number; for several: 1,2,4",
                "{text}"
            );
        }
        for text in ["x", "", "0", "-3"] {
            assert!(!thread_count(text).unwrap_err().contains("for several"), "{text}");
        }
    }
}
