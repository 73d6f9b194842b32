//! `harness train`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::session::{FolderArgs, KeptRun, source, timestamp, write_json};
use super::{Failure, listen_for_signals, print, say};
use crate::cancel::Cancel;
use crate::config::{Source, TrainConfig};
use crate::progress::TrainDisplay;
use crate::report::train_report;
use crate::runner::RunState;
use crate::store::{FileHash, Host, Manifest};
use crate::train::{EpochRecord, LessonSize, TrainError, TrainFiles, TrainObserver, load, train};

/// The word for runs of this kind.
const KIND: &str = "train";

pub(super) const HELP: &str = "\
Examples:
  harness train configs/network/g1-train.yaml
  harness train --resume results/runs/train-20261121-120000-1a2b3c4d
  stretto, then: setoption name EvalFile value results/runs/train-<id>/stretto.network

The network is written after every epoch, with a checkpoint beside it; an interrupted or killed run is continued with
--resume from its last whole epoch. The same games, configuration and number of threads give the same network.";

#[derive(Debug, Args)]
pub(super) struct TrainArgs {
    /// The configuration; with --resume, the run's own copy serves unless given.
    config: Option<PathBuf>,
    #[command(flatten)]
    folder: FolderArgs,
}

/// What makes two trainings the same.
#[derive(Serialize)]
struct Identity<'a> {
    config: &'a TrainConfig,
    data: Vec<FileHash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<FileHash>,
}

/// What `summary.json` keeps.
#[derive(Serialize)]
struct Summary<'a> {
    is_finished: bool,
    #[serde(flatten)]
    size: LessonSize,
    /// Names the training in the network's file.
    manifest: String,
    epochs: &'a [EpochRecord],
}

/// Trains.
pub(super) fn run(args: &TrainArgs) -> Result<ExitCode, Failure> {
    let resumed = args.folder.resumed(KIND)?;
    let source = source(args.config.as_deref(), resumed.as_ref())?;
    let config = TrainConfig::load(&source)?;
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    let manifest = describe(&config, &source).context("cannot describe the run")?;
    let name = manifest.hash();
    let (folder, changes) = args.folder.open(resumed, &manifest)?;
    let mut files = TrainFiles::open(folder).map_err(anyhow::Error::from)?;
    let run = KeptRun::new(KIND, files.folder().path(), false, changes);
    let mut display = TrainDisplay::new(&config);
    display.start(&run.path, files.epochs().len());
    for notice in &run.notices {
        display.notice(notice);
    }
    let lesson = load(&config, &cancel, |games| say(&format!("{games} games read"))).map_err(stopped)?;
    let size = lesson.size();
    display.notice(&format!(
        "{} games: {} positions to learn from, {} to judge by",
        size.games, size.positions, size.validation_positions
    ));
    let trained = train(&config, &lesson, name, &mut files, &cancel, &mut display);
    display.abandon();
    let trained = trained.map_err(stopped)?;
    let summary = Summary {
        is_finished: trained.is_finished,
        size,
        manifest: format!("{:032x}", u128::from_be_bytes(name)),
        epochs: &trained.epochs,
    };
    write_json(&files.folder().summary(), &summary)?;
    run.report(&train_report(&config, Some(size), &trained.epochs))?;
    print(&format!("\nnetwork written to {}\n", TrainFiles::network_in(&run.path).display()));
    run.end(if trained.is_finished { RunState::Finished } else { RunState::Interrupted })
}

fn stopped(error: TrainError) -> Failure {
    match error {
        TrainError::Cancelled => {
            say("stopped before the first epoch was over; nothing was kept");
            Failure::Interrupted
        }
        error => Failure::Run(error.into()),
    }
}

fn describe(config: &TrainConfig, source: &Source) -> std::io::Result<Manifest> {
    let data = config.data.iter().map(|file| FileHash::of(file)).collect::<std::io::Result<_>>()?;
    let from = config.from.as_deref().map(FileHash::of).transpose()?;
    let identity = Identity { config, data, from };
    let file = std::path::absolute(&source.file)?;
    Manifest::describe(KIND, &identity, Host::here(config.threads), file, &source.text, &timestamp())
}
