//! `harness train`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::{Failure, Place, listen_for_signals, open_folder, open_run, print, say, timestamp};
use crate::cancel::Cancel;
use crate::config::{Source, TrainConfig};
use crate::progress::TrainDisplay;
use crate::report::{train_html, train_markdown};
use crate::store::{FileHash, Host, Manifest, write_atomically};
use crate::train::{EpochRecord, TrainError, TrainFiles, TrainObserver, load, train};

/// The word for runs of this kind.
const KIND: &str = "train";

pub(super) const HELP: &str = "\
Examples:
  harness train configs/network/1-train.yaml
  harness train --resume results/runs/train-20261121-120000-1a2b3c4d
  stretto, then: setoption name EvalFile value results/runs/train-<id>/stretto.network

The network is written after every epoch, with a checkpoint beside it; an interrupted or killed run is continued with
--resume from its last whole epoch. The same games, configuration and number of threads give the same network.";

#[derive(Debug, Args)]
pub(super) struct TrainArgs {
    /// The configuration; with --resume, the run's own copy serves unless given.
    config: Option<PathBuf>,
    /// The run folder, instead of results/runs/train-<id>.
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// The <id> of the run folder, instead of date, time and hash.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["resume", "out"])]
    run_id: Option<String>,
    /// Continue the run in this folder (a path, or a name below results/runs).
    #[arg(long, value_name = "RUN")]
    resume: Option<PathBuf>,
}

/// What makes two trainings the same.
#[derive(Serialize)]
struct Identity<'a> {
    config: &'a TrainConfig,
    data: Vec<FileHash>,
}

/// What `summary.json` keeps.
#[derive(Serialize)]
struct Summary<'a> {
    is_finished: bool,
    games: u64,
    positions: usize,
    validation_positions: usize,
    /// Names the training in the network's file.
    manifest: String,
    epochs: &'a [EpochRecord],
}

/// Trains.
pub(super) fn run(args: &TrainArgs) -> Result<ExitCode, Failure> {
    let resumed = args.resume.as_deref().map(|run| open_run(run, KIND)).transpose()?;
    let source = match (&args.config, &resumed) {
        (Some(file), _) => Source::read(file)?,
        (None, Some((_, manifest))) => {
            Source { file: manifest.config_file.clone(), text: manifest.config_text.clone() }
        }
        (None, None) => {
            return Err(Failure::Usage("a configuration, or a run to --resume, is needed".to_owned()));
        }
    };
    let config = TrainConfig::load(&source)?;
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    let manifest = describe(&config, &source).context("cannot describe the run")?;
    let name = manifest.hash();
    let place = Place { out: args.out.as_deref(), run_id: args.run_id.as_deref() };
    let (folder, changes) = open_folder(place, resumed, &manifest)?;
    let mut files = TrainFiles::open(folder).map_err(anyhow::Error::from)?;
    let path = files.folder().path().to_path_buf();
    let mut display = TrainDisplay::new(&config);
    display.start(&path, files.epochs().len());
    for change in changes {
        display.notice(&change);
    }
    let resume = format!("resume with: harness train --resume {}", path.display());
    let lesson = load(&config, &cancel, |games| say(&format!("{games} games read"))).map_err(stopped)?;
    display.notice(&format!(
        "{} games: {} positions to learn from, {} to judge by",
        lesson.games,
        lesson.training.len(),
        lesson.validation.len()
    ));
    let trained = train(&config, &lesson, name, &mut files, &cancel, &mut display);
    display.abandon();
    let trained = trained.map_err(stopped)?;
    let summary = Summary {
        is_finished: trained.is_finished,
        games: lesson.games,
        positions: lesson.training.len(),
        validation_positions: lesson.validation.len(),
        manifest: format!("{:032x}", u128::from_be_bytes(name)),
        epochs: &trained.epochs,
    };
    let mut json = serde_json::to_string_pretty(&summary).context("cannot write the summary")?;
    json.push('\n');
    let markdown = train_markdown(&config, &lesson, &trained.epochs);
    let pages = [
        ("summary.json", json),
        ("report.md", markdown.clone()),
        ("report.html", train_html(&config, &lesson, &trained.epochs)),
    ];
    for (name, text) in pages {
        let file = path.join(name);
        write_atomically(&file, text.as_bytes())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    print(&markdown);
    print(&format!("\nnetwork written to {}\n", TrainFiles::network_in(&path).display()));
    if trained.is_finished {
        return Ok(ExitCode::SUCCESS);
    }
    say(&format!("interrupted, everything is saved; {resume}"));
    Err(Failure::Interrupted)
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
    let identity = Identity { config, data };
    let file = std::path::absolute(&source.file)?;
    Manifest::describe(KIND, &identity, Host::here(config.threads), file, &source.text, &timestamp())
}
