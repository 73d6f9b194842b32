//! `harness regret`.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::judgements::Judgements;
use super::{Job, RegretConfig, RegretRun, trial};
use crate::config::{FieldPath, Problem};
use crate::measure::searches::load_positions;
use crate::play::matches::setup::untried;
use crate::run::command::{Failure, RunArgs};
use crate::run::executor::complete;
use crate::run::print_config::print_config;
use crate::run::session::Session;
use crate::run::{EngineIdentity, FileHash, FilesBefore};
use crate::uci::Launcher;

/// The kind of run, as in the names of run folders.
const KIND: &str = "regret";

const HELP: &str = "\
Examples:
  harness regret configs/regret/threads.yaml
  harness regret --resume results/runs/regret-20261125-120000-1a2b3c4d

Every setting searches every position. Where settings choose different moves, the judge, which may be another engine, searches the
position after each of them with more nodes. The regret of a move is the win probability that it loses against the best move that
any setting found. The report compares each setting with the first one. With a ladder (the same engine with several limits of
nodes), it also gives the nodes of equal regret, and with elo_per_doubling an estimate of the Elo.

The judge should be stronger than the settings, or else it repeats their errors. Judged moves are kept in the file of the field
`judgements`, so that later runs with the same judge need not score them again.

A run is kept in results/runs/regret-<id>/: manifest.yaml, journal.jsonl (one line per position), summary.json, report.md and
report.html. An interrupted or killed run is continued with --resume.";

/// Identity of a comparison; `--resume` requires an equal one.
#[derive(Serialize)]
struct Identity<'a> {
    config: &'a RegretConfig,
    engines: Vec<EngineIdentity<'a>>,
    judge: EngineIdentity<'a>,
    positions: FileHash,
}

/// Compares settings by the quality of their moves, as a deeper search judges it.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct RegretArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Print the configuration with --set applied, and measure nothing.
    #[arg(long, conflicts_with = "resume")]
    print_config: bool,
}

pub(crate) fn run(args: &RegretArgs) -> Result<ExitCode, Failure> {
    if args.print_config {
        return print_config(&args.run, RegretConfig::load);
    }
    let session = Session::begin(KIND, &args.run)?;
    let mut config = RegretConfig::load(&session.source)?;
    config.concurrency = session.concurrency(config.concurrency);
    let positions =
        load_positions(&config.positions, config.count.map(NonZeroUsize::get)).map_err(|error| {
            let path = FieldPath::root().key("positions").key("file");
            session.source.complain(Problem::new(path, error.to_string()))
        })?;
    let (launcher, cancel) = (Launcher::of_this_binary(), session.cancel.clone());
    let before = FilesBefore::of(config.engines.iter().chain([&config.judge]));
    let (id_names, warnings) = trial(&config, &launcher, &cancel)
        .map_err(|error| untried(error, &session.source, "interrupted before the first position"))?;
    let judgements = judgements(&config, id_names.last().map_or("", String::as_str), &before)?;
    let identity = identity(&config, &id_names, &before);
    let (run, folder) = session.open(identity, config.concurrency, warnings)?;
    let job = Job { config, positions, judgements, launcher, cancel };
    complete(&RegretRun::new(job), &run, &folder, None)?;
    Ok(ExitCode::SUCCESS)
}

fn identity<'a>(
    config: &'a RegretConfig,
    id_names: &'a [String],
    before: &FilesBefore,
) -> std::io::Result<Identity<'a>> {
    let engines = config.engines.iter().zip(id_names);
    let engines = engines.map(|(engine, id)| EngineIdentity::of(engine, id, before));
    let judge = id_names.last().map_or("", String::as_str);
    Ok(Identity {
        config,
        engines: engines.collect::<std::io::Result<_>>()?,
        judge: EngineIdentity::of(&config.judge, judge, before)?,
        positions: FileHash::of(&config.positions)?,
    })
}

/// Opens the judged moves of earlier runs, if the configuration names a file.
fn judgements(config: &RegretConfig, id_name: &str, before: &FilesBefore) -> anyhow::Result<Judgements> {
    let Some(file) = &config.judgements else { return Ok(Judgements::in_memory()) };
    let judge = EngineIdentity::of(&config.judge, id_name, before).context("cannot hash the judge")?;
    let text = serde_json::to_string(&(judge, &config.judge)).context("cannot describe the judge")?;
    Judgements::open(file, blake3::hash(text.as_bytes()).to_hex()[..16].to_owned())
}
