//! The training data set: positions of games on disk in random order, with some games reserved for
//! validation.
//!
//! The split is by the content of games: equal games, as of two files with one seed, fall into one set. Otherwise the validation
//! loss would be too low, and overfitting would not show.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use stretto::eval::classical;

use super::exact::ExactResults;
use super::gradient::logistic;
use super::shards::{Index, ShardError, ShardFile, ShardWriter, shards_in};
use crate::learn::data::{GameReader, Sample, Target};
use crate::learn::train::TrainConfig;
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::Stop;
use stretto_harness::base::random::SplitMix64;

/// The positions of a training run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dataset {
    /// The folder of the shards.
    pub(super) folder: PathBuf,
    /// Files of training positions.
    pub(super) shards: Vec<ShardFile>,
    /// Validation positions. No game contributes to both sets.
    pub(super) validation: Vec<Sample>,
    pub(super) size: DatasetSize,
}

/// The size of a data set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DatasetSize {
    /// Number of games read.
    pub games: u64,
    /// Number of games equal to another one.
    #[serde(default, rename = "repeated_games")]
    pub repeated: u64,
    /// Number of training positions.
    pub positions: usize,
    /// Number of validation positions.
    pub validation_positions: usize,
}

impl Dataset {
    fn new(folder: PathBuf, index: Index) -> Result<Self, ShardError> {
        let validation = index.validation.read(&folder)?;
        let size = DatasetSize {
            games: index.games,
            repeated: index.repeated,
            positions: index.training.iter().map(|shard| shard.positions).sum(),
            validation_positions: validation.len(),
        };
        Ok(Self { folder, shards: index.training, validation, size })
    }
}

/// Decouples the choice of validation games from the order of positions.
const SPLIT_SALT: u64 = 0x0005_EED0_FA11;

/// Opens the positions of the run in the folder `run`. Where their shards are not complete, it reads
/// the games and writes them; `tell` then periodically receives the number of games.
pub(crate) fn load(
    config: &TrainConfig,
    run: &Path,
    cancel: &Cancel,
    tell: impl FnMut(u64),
) -> Result<Dataset, Stop> {
    let folder = shards_in(run);
    let index = match Index::read(&folder) {
        Some(index) => index,
        None => write_shards(config, &folder, cancel, tell)?,
    };
    Ok(Dataset::new(folder, index)?)
}

/// Deletes the shards of a run, if there are any.
pub(crate) fn delete_shards(run: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(shards_in(run)) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn write_shards(
    config: &TrainConfig,
    folder: &Path,
    cancel: &Cancel,
    mut tell: impl FnMut(u64),
) -> Result<Index, Stop> {
    let training = config.training;
    let curve = |score: i16| logistic(f32::from(score) / training.scale as f32);
    let limit = (config.validation * u64::MAX as f64) as u64;
    let fail = |error: std::io::Error| ShardError::new(folder, error);
    let sizes = config.data.iter().map(|file| std::fs::metadata(file).map_or(0, |data| data.len()));
    let mut shards = ShardWriter::create(folder, sizes.sum(), config.seed).map_err(fail)?;
    let exact = ExactResults::open(config.tables.as_deref())?;
    let (mut seen, mut bytes) = (Vec::new(), Vec::new());
    for file in &config.data {
        let shown = file.display();
        let opened = File::open(file).with_context(|| shown.to_string())?;
        let mut reader = GameReader::new(BufReader::with_capacity(1 << 20, opened));
        while let Some(game) = reader.next_game().with_context(|| shown.to_string())? {
            if cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            bytes.clear();
            game.write(&mut bytes).map_err(fail)?;
            let mut hash = [0; 8];
            blake3::Hasher::new().update(&bytes).finalize_xof().fill(&mut hash);
            let hash = u64::from_le_bytes(hash);
            let is_validation = SplitMix64::new(hash ^ config.seed ^ SPLIT_SALT).next_u64() < limit;
            let targets = Target::of_game(&game, training.lambda as f32, curve);
            for (position, sample) in Sample::with_targets(&game, &config.filter, &targets) {
                let sample = match exact.half_points(&position)? {
                    Some(half_points) => sample.with_result(half_points),
                    None if training.classical_share > 0.0 => {
                        let share = curve(classical::evaluate(&position).0 as i16);
                        sample.blended(share, training.classical_share as f32)
                    }
                    None => sample,
                };
                if is_validation { shards.push_validation(&sample) } else { shards.push(&sample) }
                    .map_err(fail)?;
            }
            seen.push(hash);
            if seen.len().is_multiple_of(TELL_INTERVAL) {
                tell(seen.len() as u64);
            }
        }
    }
    seen.sort_unstable();
    let repeated = seen.windows(2).filter(|pair| pair[0] == pair[1]).count();
    Ok(shards.finish(seen.len() as u64, repeated as u64).map_err(fail)?)
}

/// Number of games between two progress messages.
const TELL_INTERVAL: usize = 100_000;

#[cfg(test)]
mod tests {
    use std::fs;

    use stretto::position::Position;
    use stretto::tablebase::{Metric, Tablebase};

    use super::*;
    use crate::learn::data::PlayedGame;
    use stretto_harness::config::Source;

    /// Writes games of `KPvK` in which White, who has a won position, loses.
    fn write_games(file: &Path) {
        let mut bytes = Vec::new();
        for number in 1..=40 {
            let start = Position::from_fen(&format!("4k3/8/4K3/4P3/8/8/8/8 w - - 0 {number}")).unwrap();
            let (mut position, mut moves) = (start, Vec::new());
            for text in ["e6d6", "e8d8", "e5e6", "d8e8"] {
                let mv = position.parse_uci(text).unwrap();
                moves.push((mv, -50));
                position = position.after(mv);
            }
            PlayedGame { start, moves, half_points: 0 }.write(&mut bytes).unwrap();
        }
        fs::write(file, bytes).unwrap();
    }

    fn dataset(dir: &Path, name: &str, lines: &str) -> Dataset {
        let text = format!("hidden: 64\nfilter: {{ min_ply: 0 }}\nvalidation: 0.5\n{lines}");
        let config = TrainConfig::load(&Source::new(dir.join("train.yaml"), text)).unwrap();
        let run = dir.join(name);
        fs::create_dir(&run).unwrap();
        load(&config, &run, &Cancel::new(), |games| panic!("a message after {games} games")).unwrap()
    }

    /// Returns score and result of each position, without and with the table of `KPvK`.
    fn positions(dir: &Path, name: &str, line: &str) -> Vec<(i16, u8)> {
        samples(dir, name, line).iter().map(|sample| (sample.score(), sample.half_points())).collect()
    }

    /// Returns all training and validation positions.
    fn samples(dir: &Path, name: &str, line: &str) -> Vec<Sample> {
        let dataset = dataset(dir, name, &format!("data: [games.vf]\n{line}"));
        assert!(!dataset.validation.is_empty() && dataset.size.positions > 0);
        let mut samples = dataset.validation.clone();
        for shard in &dataset.shards {
            samples.extend(shard.read(&dataset.folder).unwrap());
        }
        samples
    }

    #[test]
    fn equal_games_fall_into_one_set() {
        let dir = tempfile::tempdir().unwrap();
        write_games(&dir.path().join("games.vf"));
        write_games(&dir.path().join("copy.vf"));
        let once = dataset(dir.path(), "once", "data: [games.vf]");
        let twice = dataset(dir.path(), "twice", "data: [games.vf, copy.vf]");
        assert_eq!(([once.size, twice.size].map(|size| (size.games, size.repeated))), [(40, 0), (80, 40)]);
        assert_eq!(
            (twice.size.positions, twice.validation.len()),
            (2 * once.size.positions, 2 * once.validation.len())
        );
    }

    #[test]
    fn tables_replace_the_results_of_games() {
        let dir = tempfile::tempdir().unwrap();
        write_games(&dir.path().join("games.vf"));
        let tables = dir.path().join("tables");
        fs::create_dir(&tables).unwrap();
        let played = positions(dir.path(), "played", "");
        assert!(played.iter().all(|&(score, half_points)| score.abs() == 50 && half_points != 1));
        assert!(played.contains(&(-50, 0)) && played.contains(&(50, 2)));
        let kpk =
            Tablebase::embedded_files().find(|&(name, metric, _)| (name, metric) == ("KPvK", Metric::Dtm));
        fs::write(tables.join("KPvK.dtm"), kpk.unwrap().2).unwrap();
        let exact = positions(dir.path(), "exact", "tables: tables\n");
        assert_eq!(exact.len(), played.len());
        assert!(exact.iter().all(|&position| [(2000, 2), (-2000, 0)].contains(&position)), "{exact:?}");
        assert!(exact.contains(&(2000, 2)) && exact.contains(&(-2000, 0)));
    }

    #[test]
    fn targets_follow_lambda_and_the_classical_share() {
        let dir = tempfile::tempdir().unwrap();
        write_games(&dir.path().join("games.vf"));
        let curve = |score: f32| logistic(score / 200.0);
        let mut position = Position::from_fen("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1").unwrap();
        let mut by_classical = [vec![], vec![]];
        for (ply, text) in ["e6d6", "e8d8", "e5e6", "d8e8"].into_iter().enumerate() {
            by_classical[ply % 2].push(curve(classical::evaluate(&position).0 as f32));
            position = position.after(position.parse_uci(text).unwrap());
        }
        // White's score is -50, and White loses. The last target, of Black, is the result.
        let by_score = [vec![curve(-50.0)], vec![curve(50.0), 1.0]];
        for (name, line, expected) in
            [("lambda", "lambda: 0", by_score), ("classical", "classical_share: 1", by_classical)]
        {
            let found = samples(dir.path(), name, &format!("training: {{ {line} }}\n"));
            for (side, score) in [-50, 50].into_iter().enumerate() {
                let shares = found.iter().filter(|sample| sample.score() == score);
                let shares: Vec<f32> = shares.map(|sample| sample.target().share()).collect();
                let is_near = |one: &f32, other: &f32| (one - other).abs() < 1e-3;
                let is_in = |share: &f32, set: &[f32]| set.iter().any(|other| is_near(share, other));
                assert!(shares.iter().all(|share| is_in(share, &expected[side])), "{name}: {shares:?}");
                assert!(expected[side].iter().all(|share| is_in(share, &shares)), "{name}: {expected:?}");
            }
        }
    }
}
