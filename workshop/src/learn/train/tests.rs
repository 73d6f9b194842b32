//! Tests of training with a small network: it learns, repeats exactly and can be resumed.

use std::path::{Path, PathBuf};

use stretto::eval::network::Network;

use super::gradient::Objective;
use super::run::network_in;
use super::*;
use crate::learn::datagen::files::games_in;
use crate::learn::datagen::{DatagenConfig, DatagenPlay};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::config::Source;
use stretto_harness::run::executor::execute_watched;
use stretto_harness::run::{RunFolder, RunState};

fn source(dir: &Path, text: &str) -> Source {
    Source::new(dir.join("config.yaml"), text.to_owned())
}

/// Generates games with a material evaluation, which a network learns quickly.
///
/// With fewer games the network overfits: its validation loss is 0.12 of the constant loss with 1,600
/// games, 0.47 with 800 and 0.86 with 400. The test requires 0.3.
fn make_games(dir: &Path) -> PathBuf {
    let text = "evaluation: material\nsoft_nodes: 20\ngames: 1600\nseed: 1\nhash: 1\nconcurrency: 2\n";
    let config = DatagenConfig::load(&source(dir, text)).unwrap();
    let games = DatagenPlay::new(config, Cancel::new()).unwrap();
    let folder = RunFolder::create(&dir.join("games")).unwrap();
    assert_eq!(execute_watched(&games, &folder, |_| {}).unwrap().run_state, RunState::Finished);
    games_in(folder.path())
}

/// The result of a training, and the loss of a constant prediction of 0.5.
struct Outcome {
    is_finished: bool,
    epochs: Vec<EpochRecord>,
    network: Vec<u8>,
    constant_loss: f64,
}

/// Trains in a folder, or resumes there. Stops after epoch `stop_after`.
fn train_in(dir: &Path, name: &str, stop_after: Option<u32>) -> Outcome {
    let text = "data: [games/games.vf]\nhidden: 64\nthreads: 2\nseed: 3\n\
                training: { epochs: 4, batch: 64, rate: 0.003, warm_up: 10, result_share: 0.1 }\nvalidation: 0.1\n";
    let config = TrainConfig::load(&source(dir, text)).unwrap();
    let cancel = Cancel::new();
    let path = dir.join(name);
    let folder = if path.exists() {
        RunFolder::open(&path).unwrap()
    } else {
        let folder = RunFolder::create(&path).unwrap();
        std::fs::write(folder.manifest(), "").unwrap();
        folder
    };
    let dataset = load(&config, &path, &cancel, |_| {}).unwrap();
    let (result_share, scale) = (config.training.result_share as f32, config.training.scale as f32);
    let objective = Objective { result_share, scale };
    let losses = dataset.validation.iter().map(|sample| f64::from((objective.target(sample) - 0.5).powi(2)));
    let constant_loss = losses.sum::<f64>() / dataset.validation.len() as f64;
    let training = TrainPlay::new(config, dataset, [7; 16], cancel.clone()).unwrap();
    let stop = |record: &EpochRecord| {
        if Some(record.epoch) == stop_after {
            cancel.cancel();
        }
    };
    let done = execute_watched(&training, &folder, stop).unwrap();
    let network = std::fs::read(network_in(&path)).unwrap();
    Outcome {
        is_finished: done.run_state == RunState::Finished,
        epochs: done.state.epochs,
        network,
        constant_loss,
    }
}

#[test]
fn a_tiny_network_learns_and_repeats_itself() {
    let dir = tempfile::tempdir().unwrap();
    make_games(dir.path());
    let whole = train_in(dir.path(), "whole", None);
    assert!(whole.is_finished);
    // Games and training are deterministic, so each limit is about twice the measured figure: 0.13 of
    // the first loss, 0.14 of the loss of a constant prediction, a difference of 0.3 % and an error of 4.0.
    let learning: Vec<f64> = whole.epochs.iter().map(|epoch| epoch.training_loss).collect();
    assert!(learning[3] < 0.25 * learning[0], "{learning:?}");
    let losses: Vec<f64> = whole.epochs.iter().map(|epoch| epoch.validation.blended).collect();
    assert!(losses[3] < 0.3 * whole.constant_loss, "{losses:?}, {} without a network", whole.constant_loss);
    let last = whole.epochs[3].validation;
    assert!((last.quantised - last.blended).abs() < 0.01 * last.blended, "{last:?}");
    assert!(last.quantisation_error < 8.0, "{last:?}");
    let network = Network::load(&network_in(&dir.path().join("whole"))).unwrap();
    assert_eq!((network.hidden(), network.manifest()), (64, [7; 16]));
    // An extra queen has a positive value.
    let value = |fen| network.evaluate(&stretto::position::Position::from_fen(fen).unwrap()).0;
    let up = value("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 20");
    let down = value("3qk3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 20");
    assert!(up > down + 50, "{up} {down}");

    let broken = train_in(dir.path(), "broken", Some(2));
    assert_eq!((broken.is_finished, broken.epochs.len()), (false, 2));
    let resumed = train_in(dir.path(), "broken", None);
    assert!(resumed.network == whole.network, "the networks differ");

    // A kill after a checkpoint and before its line of the journal: the checkpoint is one epoch ahead.
    let journal = dir.path().join("broken").join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    std::fs::write(&journal, format!("{}\n", lines[..3].join("\n"))).unwrap();
    let resumed = train_in(dir.path(), "broken", None);
    assert!(resumed.is_finished && resumed.epochs.len() == 4);
    assert!(resumed.network == whole.network, "the networks differ");
}

#[test]
fn games_are_the_same_however_they_are_made() {
    let dir = tempfile::tempdir().unwrap();
    let text = |games, threads| {
        format!("soft_nodes: 30\ngames: {games}\nseed: 5\nhash: 1\nconcurrency: {threads}\n")
    };
    let make = |name: &str, games, threads, stop_at: Option<u64>| {
        let config = DatagenConfig::load(&source(dir.path(), &text(games, threads))).unwrap();
        let cancel = Cancel::new();
        let games = DatagenPlay::new(config, cancel.clone()).unwrap();
        let folder = RunFolder::create(&dir.path().join(name)).unwrap();
        let mut made = 0;
        let done = execute_watched(&games, &folder, |batch| {
            made += batch.games;
            if stop_at.is_some_and(|games| made >= games) {
                cancel.cancel();
            }
        });
        let is_finished = done.unwrap().run_state == RunState::Finished;
        (is_finished, std::fs::read(games_in(folder.path())).unwrap())
    };
    let (is_finished, one) = make("one", 150, 1, None);
    assert!(is_finished);
    assert_eq!(make("three", 150, 3, None), (true, one.clone()));
    // A longer job begins with the same games, however soon it is stopped: so many cannot be played meanwhile.
    let (is_finished, part) = make("part", 1_000_000, 2, Some(64));
    let shared = part.len().min(one.len());
    assert!(!is_finished && shared > 0 && part[..shared] == one[..shared]);
}
