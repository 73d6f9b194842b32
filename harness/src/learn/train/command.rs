//! `harness train`.

use std::io;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use crate::config::Source;
use crate::learn::train::{TrainConfig, TrainError, TrainRun, delete_shards, load, table_files};
use crate::run::command::{Failure, RunArgs, say};
use crate::run::executor::complete;
use crate::run::session::{KeptRun, Session, timestamp};
use crate::run::{FileHash, Host, Manifest, RunFolder};

/// The kind of run, as in the names of run folders.
const KIND: &str = "train";

const HELP: &str = "\
Examples:
  harness train configs/network/g1-train.yaml
  harness train --resume results/runs/train-20261121-120000-1a2b3c4d
  stretto, then: setoption name EvalFile value results/runs/train-<id>/stretto.network

The network is written after every epoch, together with a checkpoint. An interrupted or killed run is continued with --resume
from its last complete epoch. The positions are on disk meanwhile, 32 bytes each, in the folder `shards` of the run. The same games, configuration and number of threads (-j) give the same network.";

/// Identity of a training; `--resume` requires an equal one.
#[derive(Serialize)]
struct Identity<'a> {
    config: &'a TrainConfig,
    data: Vec<FileHash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<FileHash>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<FileHash>,
}

/// Trains an evaluation network on games written by `datagen`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    run: RunArgs,
}

pub(crate) fn run(args: &TrainArgs) -> Result<ExitCode, Failure> {
    let session = Session::begin(KIND, &args.run)?;
    let mut config = TrainConfig::load(&session.source)?;
    if let Some(threads) = args.run.concurrency {
        config.set_threads(threads).map_err(|message| Failure::Usage(format!("--concurrency {message}")))?;
    }
    let cancel = session.cancel.clone();
    let manifest = describe(&config, &session.source).context("cannot describe the run")?;
    let name = manifest.hash();
    let (mut run, folder) = session.open_as(&manifest, Vec::new())?;
    if TrainRun::is_complete(&config, &folder).map_err(anyhow::Error::from)? {
        // The shards were deleted after the last epoch, and no epoch is missing.
        let training = TrainRun::without_positions(config, folder.path(), name, cancel);
        return finish(&training, &run, &folder);
    }
    let dataset = load(&config, folder.path(), &cancel, |games| say(&format!("{games} games read")))
        .map_err(stopped)?;
    let size = dataset.size();
    run.notices.push(format!(
        "{} games: {} training positions, {} validation positions",
        size.games, size.positions, size.validation_positions
    ));
    let training = TrainRun::new(config, dataset, name, cancel).map_err(stopped)?;
    finish(&training, &run, &folder)
}

/// Performs the missing epochs and deletes the shards.
fn finish(training: &TrainRun, run: &KeptRun, folder: &RunFolder) -> Result<ExitCode, Failure> {
    complete(training, run, folder, None)?;
    delete_shards(folder.path()).context("cannot delete the shards, which are no longer needed")?;
    Ok(ExitCode::SUCCESS)
}

fn stopped(error: TrainError) -> Failure {
    match error {
        TrainError::Cancelled => {
            say("stopped while the games were read; finished epochs are kept");
            Failure::Interrupted
        }
        error => Failure::Run(error.into()),
    }
}

fn describe(config: &TrainConfig, source: &Source) -> io::Result<Manifest> {
    let data = config.data.iter().map(|file| FileHash::of(file)).collect::<io::Result<_>>()?;
    let from = config.from.as_deref().map(FileHash::of).transpose()?;
    let tables = match &config.tables {
        Some(folder) => {
            table_files(folder)?.iter().map(|file| FileHash::of(file)).collect::<io::Result<_>>()?
        }
        None => Vec::new(),
    };
    let identity = Identity { config, data, from, tables };
    let file = std::path::absolute(&source.file)?;
    Manifest::describe(KIND, &identity, Host::here(config.threads), file, &source.text, &timestamp())
}
