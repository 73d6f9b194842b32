//! A tiny network learns from a tiny set of games, the same one each time, also when it is broken off.

use super::*;
use crate::config::{DatagenConfig, Source};
use crate::datagen::{DatagenJob, DatagenObserver, DatagenTotals, GameFiles, datagen};

struct Silent;

impl DatagenObserver for Silent {
    fn notice(&mut self, _: &str) {}
    fn progress(&mut self, _: &DatagenTotals, _: &DatagenTotals, _: Duration) {}
}

/// Stops a training after an epoch, if it is told one.
struct StopAfter<'a>(Option<u32>, &'a Cancel);

impl TrainObserver for StopAfter<'_> {
    fn notice(&mut self, _: &str) {}
    fn progress(&mut self, _: Progress) {}
    fn epoch(&mut self, record: &EpochRecord) {
        if Some(record.epoch) == self.0 {
            self.1.cancel();
        }
    }
}

fn source(dir: &Path, text: &str) -> Source {
    Source { file: dir.join("config.yaml"), text: text.to_owned() }
}

/// Games of material alone, which a network learns fast.
fn make_games(dir: &Path) -> PathBuf {
    let text = "evaluation: material\nsoft_nodes: 20\ngames: 1600\nseed: 1\nhash: 1\nconcurrency: 2\n";
    let config = DatagenConfig::load(&source(dir, text)).unwrap();
    let job = DatagenJob::new(config, Cancel::new()).unwrap();
    let mut files = GameFiles::open(RunFolder::create(&dir.join("games")).unwrap()).unwrap();
    assert!(datagen(&job, &mut files, &mut Silent).unwrap());
    files.path().to_path_buf()
}

/// A training, and the loss of who expects half a point of every position.
struct Outcome {
    trained: Trained,
    ignorance: f64,
}

/// Trains in a folder; stops after an epoch if one is named.
fn train_in(dir: &Path, name: &str, stop_after: Option<u32>) -> Outcome {
    let text = "data: [games/games.vf]\nhidden: 64\nthreads: 2\nseed: 3\n\
                training: { epochs: 4, batch: 64, rate: 0.003, warm_up: 10, result_share: 0.1 }\nvalidation: 0.1\n";
    let config = TrainConfig::load(&source(dir, text)).unwrap();
    let cancel = Cancel::new();
    let lesson = load(&config, &cancel, |_| {}).unwrap();
    let path = dir.join(name);
    let folder = if path.exists() {
        RunFolder::open(&path).unwrap()
    } else {
        let folder = RunFolder::create(&path).unwrap();
        std::fs::write(folder.manifest(), "").unwrap();
        folder
    };
    let mut files = TrainFiles::open(folder).unwrap();
    let mut observer = StopAfter(stop_after, &cancel);
    let trained = train(&config, &lesson, [7; 16], &mut files, &cancel, &mut observer).unwrap();
    let objective = Objective { result_share: 0.1, scale: 400.0 };
    let losses = lesson.validation.iter().map(|sample| f64::from((objective.target(sample) - 0.5).powi(2)));
    let ignorance = losses.sum::<f64>() / lesson.validation.len() as f64;
    Outcome { trained, ignorance }
}

#[test]
fn a_tiny_network_learns_and_repeats_itself() {
    let dir = tempfile::tempdir().unwrap();
    make_games(dir.path());
    let whole = train_in(dir.path(), "whole", None);
    assert!(whole.trained.is_finished);
    let learning: Vec<f64> = whole.trained.epochs.iter().map(|epoch| epoch.training_loss).collect();
    assert!(learning[3] < 0.9 * learning[0], "{learning:?}");
    let losses: Vec<f64> = whole.trained.epochs.iter().map(|epoch| epoch.validation.blended).collect();
    assert!(losses[3] < 0.7 * whole.ignorance, "{losses:?}, {} without a network", whole.ignorance);
    let last = whole.trained.epochs[3].validation;
    assert!((last.quantised - last.blended).abs() < 0.02 * last.blended, "{last:?}");
    assert!(last.quantisation_error < 10.0, "{last:?}");
    let network = Network::load(&TrainFiles::network_in(&dir.path().join("whole"))).unwrap();
    assert_eq!((network.hidden(), network.manifest()), (64, [7; 16]));
    // A queen more is worth something.
    let value = |fen| network.evaluate(&stretto::position::Position::from_fen(fen).unwrap()).0;
    let up = value("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 20");
    let down = value("3qk3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 20");
    assert!(up > down + 50, "{up} {down}");

    let broken = train_in(dir.path(), "broken", Some(2));
    assert_eq!((broken.trained.is_finished, broken.trained.epochs.len()), (false, 2));
    let resumed = train_in(dir.path(), "broken", None);
    assert_eq!(resumed.trained.weights, whole.trained.weights);
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
        let job = DatagenJob::new(config, cancel.clone()).unwrap();
        let path = dir.path().join(name);
        let mut stopping = Stopping { at: stop_at, cancel };
        let mut files = GameFiles::open(RunFolder::create(&path).unwrap()).unwrap();
        let is_finished = datagen(&job, &mut files, &mut stopping).unwrap();
        (is_finished, std::fs::read(files.path()).unwrap())
    };
    let (is_finished, one) = make("one", 150, 1, None);
    assert!(is_finished);
    assert_eq!(make("three", 150, 3, None), (true, one.clone()));
    // A longer job begins with the same games, however soon it is stopped: so many cannot be played meanwhile.
    let (is_finished, part) = make("part", 1_000_000, 2, Some(64));
    let shared = part.len().min(one.len());
    assert!(!is_finished && shared > 0 && part[..shared] == one[..shared]);
}

/// Stops once so many games are there.
struct Stopping {
    at: Option<u64>,
    cancel: Cancel,
}

impl DatagenObserver for Stopping {
    fn notice(&mut self, _: &str) {}
    fn progress(&mut self, all: &DatagenTotals, _: &DatagenTotals, _: Duration) {
        if self.at.is_some_and(|games| all.games >= games) {
            self.cancel.cancel();
        }
    }
}
