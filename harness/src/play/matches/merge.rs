//! `harness merge`: joins the parts of a match that were played separately.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::Args;

use super::identity::same_engine_notices;
use crate::config::Source;
use crate::play::matches::{ExecutionArgs, LoadedMatch, MatchRun, RunKind};
use crate::play::record::GameRecord;
use crate::run::command::{Failure, print};
use crate::run::executor::import;
use crate::run::provenance::Provenance;
use crate::run::session::{folder_name, open_any_run, timestamp, write_file, write_report};
use crate::run::shard::Shard;
use crate::run::{Manifest, RunFolder, RunState, read_journal};

const HELP: &str = "\
Example: two machines play a match together
  harness match long.yaml --shard 1/2 --out part1      # on the first
  harness match long.yaml --shard 2/2 --out part2      # on the second
  harness merge part1 part2 --out whole                # where both folders are

The parts must belong to the same match: the same configuration, engines and openings by content; only paths may differ. A game
that two parts contain must be the same game. Only matches can be merged, because a test (SPRT) looks at its pairs in one order.";

/// Joins the parts of a match that were played on several machines.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct MergeArgs {
    /// The run folders of the parts.
    #[arg(required = true, num_args = 2..)]
    parts: Vec<PathBuf>,
    /// The run folder to write.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn run(args: &MergeArgs) -> Result<ExitCode, Failure> {
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
            // Paths may differ between machines.
            let is_path = |field: &String| {
                let name = field.split(':').next().unwrap_or_default();
                [".program", ".file", ".working_dir"].iter().any(|end| name.ends_with(end))
            };
            let differences: Vec<String> =
                whole.differences(&manifest).into_iter().filter(|field| !is_path(field)).collect();
            if !differences.is_empty() {
                let list = differences.join("\n  ");
                return Err(
                    anyhow!("{} belongs to another match; differences:\n  {list}", part.display()).into()
                );
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
    let source = Source::new(manifest.config_file.clone(), manifest.config_text.clone());
    let LoadedMatch { config, execution, .. } = LoadedMatch::load(&source, kind, ExecutionArgs::default())?;
    let folder = RunFolder::create(&args.out).map_err(anyhow::Error::from)?;
    let mut games: Vec<GameRecord> = games.into_values().collect();
    // In the order in which the games were finished.
    games.sort_by_key(|game| (game.started_ms + game.duration_ms, game.game));
    let remarks = same_engine_notices(&config, &manifest);
    let experiment = MatchRun::stored(config, execution).map_err(anyhow::Error::from)?.with_remarks(remarks);
    let review = import(&experiment, &folder, games).map_err(anyhow::Error::from)?;
    let provenance = Provenance::of(&manifest, &folder_name(folder.path()));
    write_report(folder.path(), &provenance.add_to(review.report, &[]))?;
    let text = serde_yaml::to_string(&manifest).context("cannot write the manifest")?;
    // The manifest is written last: without it the folder is no run, and merging can be repeated.
    write_file(&folder.manifest(), &text)?;
    print(&review.summary.report());
    if review.state != RunState::Finished {
        print(&format!(
            "incomplete; play the missing games with: harness match --resume {}\n",
            args.out.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}
