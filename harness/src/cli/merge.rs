//! `harness merge`: the parts of one match, played apart, as one run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::Args;

use super::session::{open_any_run, timestamp, write_file, write_report};
use super::{Failure, print, report_of};
use crate::config::{MatchConfig, RunKind, Shard, Source};
use crate::runner::{Records, RunState, Summarizer};
use crate::store::{GameRecord, Journal, Manifest, RunFolder, read_journal};

pub(super) const HELP: &str = "\
Example: two machines play a match together
  harness match long.yaml --shard 1/2 --out part1      # on one
  harness match long.yaml --shard 2/2 --out part2      # on the other
  harness merge part1 part2 --out whole                # where both folders are

The parts must be of the same match: the same configuration, engines and openings, by their content; only where the
files lie may differ. A game that two parts both have must be the same game. Only parts of a match can be merged: a test looks at
all its pairs in one order.";

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The folders of the parts.
    #[arg(required = true, num_args = 2..)]
    parts: Vec<PathBuf>,
    /// The folder of the whole.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(super) fn run(args: &MergeArgs) -> Result<ExitCode, Failure> {
    let kind = RunKind::Match;
    let mut whole: Option<Manifest> = None;
    let mut games: BTreeMap<u64, GameRecord> = BTreeMap::new();
    for part in &args.parts {
        let (folder, manifest) = open_any_run(part)?;
        if manifest.kind != kind.name() {
            return Err(Failure::Usage(format!(
                "{} is a run of `harness {}`; only parts of a match can be merged",
                part.display(),
                manifest.kind
            )));
        }
        if let Some(whole) = &whole {
            // Where a file lies does not make it another file.
            let is_place = |field: &String| {
                let name = field.split(':').next().unwrap_or_default();
                [".program", ".file", ".working_dir"].iter().any(|end| name.ends_with(end))
            };
            let differences: Vec<String> =
                whole.differences(&manifest).into_iter().filter(|field| !is_place(field)).collect();
            if !differences.is_empty() {
                let list = differences.join("\n  ");
                return Err(anyhow!("{} is of another match; what differs:\n  {list}", part.display()).into());
            }
        }
        whole.get_or_insert(manifest);
        let mut clash = None;
        let add = |game: GameRecord| {
            if let Some(known) = games.get(&game.game).filter(|known| **known != game) {
                clash.get_or_insert(known.game);
            }
            games.insert(game.game, game);
            Ok(())
        };
        read_journal(&folder.journal(), add).map_err(anyhow::Error::from)?;
        if let Some(game) = clash {
            return Err(
                anyhow!("{}: game {game} was played differently in another part", part.display()).into()
            );
        }
    }
    let Some(mut manifest) = whole else { return Err(anyhow!("nothing to merge").into()) };
    (manifest.created, manifest.shard) = (timestamp(), Shard::default());
    let source = Source { file: manifest.config_file.clone(), text: manifest.config_text.clone() };
    let config = MatchConfig::load(&source, kind)?;
    let folder = RunFolder::create(&args.out).map_err(anyhow::Error::from)?;
    write_games(&folder, games)?;
    let text = serde_yaml::to_string(&manifest).context("cannot write the manifest")?;
    // The manifest last: without it the folder holds no run, and the merging can be tried again elsewhere.
    write_file(&folder.manifest(), &text)?;
    let records = Records::open(folder, &config).map_err(anyhow::Error::from)?;
    let mut summarizer = Summarizer::new(&config).map_err(anyhow::Error::from)?;
    for game in &records.games {
        summarizer.add(game);
    }
    let is_whole = config.max_pairs().is_none_or(|pairs| summarizer.pairs() >= pairs);
    let summary = summarizer.summary(if is_whole { RunState::Finished } else { RunState::Interrupted });
    records.write_summary(&summary).map_err(anyhow::Error::from)?;
    write_report(records.folder().path(), &report_of(&config, records.folder(), &summary)?)?;
    print(&summary.report());
    if !is_whole {
        print(&format!("not whole yet; play the rest with: harness match --resume {}\n", args.out.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The journal, in the order in which the games were finished.
fn write_games(folder: &RunFolder, games: BTreeMap<u64, GameRecord>) -> Result<(), Failure> {
    let mut games: Vec<GameRecord> = games.into_values().collect();
    games.sort_by_key(|game| (game.started_ms + game.duration_ms, game.game));
    let (mut journal, _) =
        Journal::open(&folder.journal(), |_: GameRecord| Ok(())).map_err(anyhow::Error::from)?;
    for game in &games {
        journal.append(game).map_err(anyhow::Error::from)?;
    }
    Ok(journal.sync().map_err(anyhow::Error::from)?)
}
