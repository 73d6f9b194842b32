//! `workshop datagen`, and `workshop data` for its files.

use std::fs::File;
use std::io::{BufReader, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::{Args, Subcommand};
use serde::de::IgnoredAny;
use stretto::eval::Evaluation;

use crate::endgames::command::judge::evaluation;
use crate::learn::data::{Filter, GameReader, Inspection, PlayedGame, Sample};
use crate::learn::datagen::{BatchRecord, DatagenConfig, DatagenPlay, rescore};
use crate::learn::sum_of;
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::{FileResult, Stop};
use stretto_harness::base::random::SplitMix64;
use stretto_harness::base::system::files::check_inputs;
use stretto_harness::base::wording::counted;
use stretto_harness::run::command::{Failure, RunArgs, Threads, cancel_on_signals, print, say};
use stretto_harness::run::executor::complete;
use stretto_harness::run::session::Session;
use stretto_harness::run::{AtomicFile, FileHash, FileHashes, Identity, RunEngines, RunFiles};

/// The kind of run, as in the names of run folders.
const KIND: &str = "datagen";
/// Interval between progress messages while files are read.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);
/// Default nodes of each search when positions are rescored.
const RESCORE_NODES: NonZeroU64 = NonZeroU64::new(80).unwrap();

pub(crate) const HELP: &str = "\
Examples:
  workshop datagen configs/network/g1-games.yaml
  workshop datagen --resume results/runs/datagen-20261121-120000-1a2b3c4d
  workshop data inspect results/runs/datagen-*/games.vf

The games are written to games.vf in the run folder: four bytes per move and 36 per game, in the format `viriformat` of other engines.
The same configuration and engine give the same file for any number of threads. An interrupted or killed run is continued with
--resume by the same engine. A finished run only reports again, with any engine.";

const DATA_HELP: &str = "\
Examples:
  workshop data inspect results/runs/datagen-1/games.vf
  workshop data shuffle a/games.vf b/games.vf --out all.vf --seed 1
  workshop data rescore all.vf --network results/runs/train-2/stretto.network --out rescored.vf
  workshop data export all.vf --out all.data";

pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let session = Session::begin(KIND, args)?;
    let mut config = DatagenConfig::load(&session.source)?;
    config.concurrency = session.concurrency(config.concurrency);
    let games = DatagenPlay::new(config.clone(), session.cancel.clone())?;
    let signature = match finished_signature(&session, &config)? {
        Some(signature) => signature,
        None => games.signature()?,
    };
    let (run, folder) = session.open(identity(&config, signature), config.concurrency, Vec::new())?;
    complete(&games, &run, &folder, None)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the signature of the engine that played a resumed run, if all its games are played: then
/// another engine changes nothing.
fn finished_signature(session: &Session<'_>, config: &DatagenConfig) -> anyhow::Result<Option<u64>> {
    let Some((manifest, folder)) = session.resumed().zip(session.resumed_folder()) else { return Ok(None) };
    if sum_of(folder, |batch: BatchRecord| batch.games)? < config.games.get() {
        return Ok(None);
    }
    let identity = manifest.identity_of::<IgnoredAny, IgnoredAny>().unwrap_or_default();
    Ok(identity.engines.engine_signature)
}

/// Returns the identity of games that the engine with this signature plays.
fn identity(config: &DatagenConfig, signature: u64) -> std::io::Result<Identity<&DatagenConfig>> {
    let network = config.network.as_deref().map(FileHash::of).transpose()?;
    let openings = FileHashes::Several(FileHash::all(config.openings.files())?);
    let files = RunFiles { network, openings, ..RunFiles::default() };
    Ok(Identity::new(config, RunEngines::built_in(signature), files))
}

/// Inspects, shuffles, rescores and exports training games.
#[derive(Debug, Args)]
#[command(after_help = DATA_HELP)]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Args)]
struct ShuffleArgs {
    /// Files of games (`games.vf`).
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Seed of the order.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Print statistics of games: results, scores, pieces, lengths, duplicates.
    Inspect {
        /// Files of games (`games.vf`).
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        filter: FilterArgs,
    },
    /// Write the games of several files to one file, in random order.
    Shuffle(ShuffleArgs),
    /// Rescore the positions of games with a network or longer searches; moves and results stay.
    Rescore {
        /// Files of games (`games.vf`).
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The file to write.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// The network to score with [default: the classical evaluation].
        #[arg(long, value_name = "FILE")]
        network: Option<PathBuf>,
        /// Start no new iteration after this many nodes.
        #[arg(long, value_name = "N", default_value_t = RESCORE_NODES)]
        soft_nodes: NonZeroU64,
        #[command(flatten)]
        threads: Threads,
    },
    /// Export positions in random order for other trainers (`bulletformat`, 32 bytes per position).
    Export {
        #[command(flatten)]
        order: ShuffleArgs,
        #[command(flatten)]
        filter: FilterArgs,
    },
}

/// The selection of positions.
#[derive(Clone, Copy, Debug, Args)]
struct FilterArgs {
    /// Skip positions before this ply of the game, random plies included.
    #[arg(long, value_name = "PLY", default_value_t = Filter::default().min_ply)]
    min_ply: u32,
    /// Skip positions whose score is farther from 0 than this many centipawns.
    #[arg(long, value_name = "CP", default_value_t = Filter::default().max_score)]
    max_score: u16,
    /// Keep positions in check.
    #[arg(long)]
    keep_checks: bool,
    /// Keep positions whose move is a capture or promotion.
    #[arg(long)]
    keep_noisy: bool,
}

impl FilterArgs {
    fn filter(self) -> Filter {
        Filter {
            min_ply: self.min_ply,
            max_score: self.max_score,
            skip_checks: !self.keep_checks,
            skip_noisy: !self.keep_noisy,
        }
    }
}

/// Runs `workshop data`: inspects, shuffles, rescores or exports games.
pub(crate) fn data(args: &DataArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        DataCommand::Inspect { files, filter } => {
            let mut inspection = Inspection::new(filter.filter());
            read(files, None, |game| inspection.add(&game))?;
            print(&inspection.report());
        }
        DataCommand::Shuffle(ShuffleArgs { files, out, seed }) => {
            let mut games = Vec::new();
            read(files, Some(out), |game| games.push(game))?;
            SplitMix64::new(*seed).shuffle(&mut games);
            save(out, |writer| games.iter().try_for_each(|game| game.write(writer)))?;
            print(&format!("{} written to {}\n", counted(games.len(), "game"), out.display()));
        }
        DataCommand::Rescore { files, out, network, soft_nodes, threads } => {
            let inputs: Vec<&PathBuf> = files.iter().chain(network).collect();
            check_inputs(&inputs, Some(out)).map_err(Failure::Usage)?;
            let evaluation = match network {
                Some(file) => evaluation(Some(file))?,
                None => Evaluation::Classical,
            };
            threads.work(|cancel| rescore_files(files, out, &evaluation, *soft_nodes, cancel))?;
        }
        DataCommand::Export { order: ShuffleArgs { files, out, seed }, filter } => {
            let filter = filter.filter();
            let mut samples = Vec::new();
            read(files, Some(out), |game| samples.extend(Sample::of_game(&game, &filter)))?;
            SplitMix64::new(*seed).shuffle(&mut samples);
            save(out, |writer| samples.iter().try_for_each(|sample| writer.write_all(&sample.to_bytes())))?;
            print(&format!("{} written to {}\n", counted(samples.len(), "position"), out.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Calls `visit` with each game of some files. Errors: an unreadable file, a damaged game, or those of [`check_inputs`].
fn read(files: &[PathBuf], out: Option<&Path>, mut visit: impl FnMut(PlayedGame)) -> Result<(), Failure> {
    check_inputs(files, out).map_err(Failure::Usage)?;
    let cancel = cancel_on_signals()?;
    let mut reported_at = Instant::now();
    let mut games = 0_u64;
    for file in files {
        let opened = File::open(file).or_cannot("read", file)?;
        let mut reader = GameReader::new(BufReader::with_capacity(1 << 20, opened));
        while let Some(game) = reader.next_game().map_err(|error| anyhow!("{}: {error}", file.display()))? {
            visit(game);
            games += 1;
            if cancel.is_cancelled() {
                say("stopped; nothing was written");
                return Err(Failure::Interrupted);
            }
            if reported_at.elapsed() >= PROGRESS_INTERVAL {
                reported_at = Instant::now();
                say(&format!("{games} games read"));
            }
        }
    }
    Ok(())
}

/// Writes the games of some files with new scores.
fn rescore_files(
    files: &[PathBuf],
    out: &Path,
    evaluation: &Evaluation,
    soft_nodes: NonZeroU64,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let started = Instant::now();
    let (mut reported_at, mut games, mut positions) = (started, 0, 0);
    let mut file = AtomicFile::create(out).or_cannot("write", out)?;
    for input in files {
        let opened = File::open(input).or_cannot("read", input)?;
        let mut reader = GameReader::new(BufReader::with_capacity(1 << 20, opened));
        let (games_before, positions_before) = (games, positions);
        let mut tell = |done, scored| {
            (games, positions) = (games_before + done, positions_before + scored);
            if reported_at.elapsed() >= PROGRESS_INTERVAL {
                reported_at = Instant::now();
                let rate = positions as f64 / started.elapsed().as_secs_f64();
                say(&format!("{games} games, {positions} positions, {rate:.0} per second"));
            }
        };
        rescore(&mut reader, &mut file, evaluation, soft_nodes, cancel, &mut tell).map_err(
            |stop| match stop {
                Stop::Cancelled => Failure::of(stop, "stopped; nothing was written"),
                Stop::Fatal(error) => error.context(input.display().to_string()).into(),
            },
        )?;
    }
    file.commit().or_cannot("write", out)?;
    let [positions, games] =
        [(positions, "position"), (games, "game")].map(|(count, word)| counted(count as usize, word));
    print(&format!("{positions} of {games} written to {}\n", out.display()));
    Ok(())
}

/// Writes a file atomically.
fn save(out: &Path, write: impl FnOnce(&mut AtomicFile) -> std::io::Result<()>) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(out).or_cannot("write", out)?;
    write(&mut file).or_cannot("write", out)?;
    file.commit().or_cannot("write", out)
}
