//! `workshop train`.

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use serde::de::IgnoredAny;

use super::shards::in_kept_run;
use super::trainer::initial_parameters;
use crate::learn::sum_of;
use crate::learn::train::{EpochRecord, METRIC, TrainConfig, TrainPlay, TrainStudy, delete_shards, load};
use stretto::tablebase::table_files;
use stretto_harness::base::errors::Stop;
use stretto_harness::base::wording::counted;
use stretto_harness::run::command::{Failure, RunArgs, say};
use stretto_harness::run::executor::complete;
use stretto_harness::run::session::{KeptRun, Session};
use stretto_harness::run::{FileHash, Identity, Manifest, RunEngines, RunFiles, RunFolder};

/// The kind of run, as in the names of run folders.
const KIND: &str = "train";

pub(crate) const HELP: &str = "\
Examples:
  workshop train configs/network/g1-train.yaml
  workshop train --resume results/runs/train-20261121-120000-1a2b3c4d
  stretto, then: setoption name EvalFile value results/runs/train-<id>/stretto.network

The network is written after every epoch, together with a checkpoint. An interrupted or killed run is continued with --resume
from its last complete epoch, on any machine with the number of threads that it was begun with. The positions are on disk
meanwhile, 32 bytes each, in the folder `shards` of the run. The same games, configuration and number of threads (-j) give the
same network.";

pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let session = Session::begin(KIND, args)?;
    let mut config = TrainConfig::load(&session.source)?;
    let recorded = session.resumed().filter(|_| config.has_default_threads).and_then(recorded_threads);
    if let Some(threads) = session.set_concurrency().or(recorded) {
        config.set_threads(threads).map_err(|message| Failure::Usage(format!("--concurrency {message}")))?;
    }
    let is_new = session.resumed().is_none();
    if is_new {
        initial_parameters(&config).map_err(|problem| session.source.complain(problem))?;
    }
    let cancel = session.cancel.clone();
    let (mut run, folder) = session.open(identity(&config), config.threads(), Vec::new())?;
    let name = run.manifest.hash();
    let epochs = sum_of(&folder, |_: EpochRecord| 1)?;
    if epochs >= config.training.epochs.get().into() {
        // The shards were deleted after the last epoch, and no epoch is missing.
        let training = TrainPlay::finished(TrainStudy::stored(config, folder.path(), name), cancel);
        return finish(&training, &run, &folder);
    }
    let told = |games: u64| say(&format!("{} read", counted(games as usize, "game")));
    let loaded = load(&config, folder.path(), &cancel, told).and_then(|dataset| {
        let size = dataset.size;
        Ok((size, TrainPlay::new(config, dataset, name, cancel)?))
    });
    let (size, training) = match loaded {
        Ok(loaded) => loaded,
        Err(stop) => return Err(give_up(stop, folder, is_new)),
    };
    run.notices.push(format!(
        "{}: {} training positions, {} validation positions",
        counted(size.games as usize, "game"),
        size.positions,
        size.validation_positions
    ));
    if size.repeated > 0 {
        let text = "of the games repeat others, as those of two files with one seed do";
        run.notices.push(format!("warning: {} {text}", size.repeated));
    }
    finish(&training, &run, &folder)
}

/// Ends a training that could not begin. A new one leaves no folder, unless it was stopped on request.
fn give_up(stop: Stop, folder: RunFolder, is_new: bool) -> Failure {
    match stop {
        Stop::Fatal(error) if is_new => {
            // Nothing was trained, and the folder would keep the id from the next try.
            discard(folder);
            Failure::Run(error)
        }
        Stop::Fatal(error) => Failure::Run(in_kept_run(error)),
        Stop::Cancelled => Failure::of(stop, "stopped while the games were read; finished epochs are kept"),
    }
}

/// Returns the number of threads of a run. Another number would give another network.
fn recorded_threads(manifest: &Manifest) -> Option<NonZeroUsize> {
    manifest.identity_of::<TrainConfig, IgnoredAny>().ok()?.config.threads
}

/// Removes the files of a run without any result, and its folder if nothing else is in it. What
/// cannot be removed stays. A folder without a manifest is free for another run.
fn discard(folder: RunFolder) {
    let path = folder.path().to_path_buf();
    let _ = delete_shards(&path);
    for file in ["manifest.yaml", "lock"] {
        let _ = fs::remove_file(path.join(file));
    }
    drop(folder);
    let _ = fs::remove_dir(&path);
}

/// Performs the missing epochs and deletes the shards.
fn finish(training: &TrainPlay, run: &KeptRun, folder: &RunFolder) -> Result<ExitCode, Failure> {
    complete(training, run, folder, None)?;
    delete_shards(folder.path()).context("cannot delete the shards, which are no longer needed")?;
    Ok(ExitCode::SUCCESS)
}

fn identity(config: &TrainConfig) -> io::Result<Identity<&TrainConfig>> {
    let data = FileHash::all(config.data.iter().map(PathBuf::as_path))?;
    let from = config.from.as_deref().map(FileHash::of).transpose()?;
    let tables = match &config.tables {
        Some(folder) => FileHash::all(table_files(folder, METRIC)?.iter().map(PathBuf::as_path))?,
        None => Vec::new(),
    };
    let files = RunFiles { data, from, tables, ..RunFiles::default() };
    Ok(Identity::new(config, RunEngines::default(), files))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::shards::ShardError;
    use super::*;

    fn begin(path: &Path) -> RunFolder {
        let folder = RunFolder::create(path).unwrap();
        fs::write(folder.manifest(), "kind: train\n").unwrap();
        folder
    }

    #[test]
    fn only_a_run_whose_folder_is_kept_advises_to_resume_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let message = |is_new| {
            let error = ShardError::new(&path.join("shards"), "no space left");
            let Failure::Run(error) = give_up(error.into(), begin(&path), is_new) else {
                panic!("exit code 1")
            };
            error.to_string()
        };
        let text = message(true);
        assert!(text.ends_with("shards: no space left") && !path.exists(), "{text}");
        let text = message(false);
        assert!(text.ends_with("`shards` of the run, --resume writes it again"), "{text}");
        assert!(path.join("manifest.yaml").exists());
    }

    #[test]
    fn folder_of_a_run_without_result_is_free_for_the_next_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let begin = || begin(&path);
        discard(begin());
        assert!(!path.exists());
        let folder = begin();
        fs::write(path.join("notes.txt"), "of the user").unwrap();
        discard(folder);
        assert!(path.join("notes.txt").exists() && !path.join("manifest.yaml").exists());
        discard(begin());
    }
}
