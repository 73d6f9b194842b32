//! `harness ablate`.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::run::{AblateKit, AblateRun};
use crate::config::FieldPath;
use crate::measure::ablate::{AblateConfig, Job, Variant, comparison, reuse_searches, variants};
use crate::measure::bench;
use crate::measure::searches::command::{adopt, identity, plan, trial};
use crate::measure::searches::{Load, SearchPlay, SearchStudy};
use crate::play::matches::{Equipment, Execution};
use crate::pool::untried;
use crate::run::args::print_config;
use crate::run::command::{Failure, RunArgs};
use crate::run::executor::{complete, complete_stages};
use crate::run::session::Session;
use crate::run::{FileHash, FilesBefore};

/// The kind of run, as in the names of run folders.
const KIND: &str = "ablate";

const HELP: &str = "\
Examples:
  harness ablate configs/ablate/switches.yaml
  harness ablate configs/ablate/nodes.yaml --measure-again
  harness ablate --resume results/runs/ablate-20261121-120000-1a2b3c4d

Each switch is flipped alone: those that are on are turned off, those that are off are turned on. Every setting searches each
position next to the unchanged engine. The table is sorted by the effect on nodes; the unchanged engine, measured a second time,
shows the noise. If the configuration has a section `games`, the settings with the largest effects (or those listed) also play
against the unchanged engine, and their Elo is corrected for the number of comparisons.

Searches that an earlier ablation in the same folder has done with the same engine (binary and files), options, limit and position are
reused, and the report says how many. Times are reused only from the same machine, for settings that were measured completely.
Games are always played. --measure-again reuses nothing.

A run is kept in results/runs/ablate-<id>/: manifest.yaml, journal.jsonl (one line per search), a folder per match with its own
journal, summary.json, report.md and report.html. An interrupted or killed run is continued with --resume.";

/// The part of the identity beyond that of a measurement.
#[derive(Serialize)]
struct Ablated<'a> {
    variants: &'a [Variant],
    #[serde(skip_serializing_if = "Option::is_none")]
    openings: Option<FileHash>,
}

/// Measures the effect of each switch of an engine on nodes, time and (in games) Elo.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct AblateArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Do every search, also those that an earlier run beside this one has done with the same engine, options, limit and position.
    #[arg(long)]
    measure_again: bool,
    /// Print the configuration with --set applied, and measure nothing.
    #[arg(long, conflicts_with = "resume")]
    print_config: bool,
}

pub(crate) fn run(args: &AblateArgs) -> Result<ExitCode, Failure> {
    if args.print_config {
        return print_config(&args.run, AblateConfig::load);
    }
    let session = Session::begin(KIND, &args.run)?;
    let mut config = AblateConfig::load(&session.source)?;
    adopt(&session, &mut config.searches);
    let games = config.games.as_ref().map(|games| &games.config);
    let execution = Execution::with_concurrency(config.searches.concurrency);
    let parent = FieldPath::root().key("games");
    let equipment = games.map(|games| Equipment::load(games, &execution, &parent, &session)).transpose()?;
    let engine = std::slice::from_ref(&config.engine);
    let mut plan = plan(&session, &config.searches, engine, vec![Load::AsConfigured])?;
    let before = FilesBefore::of(engine);
    let declared = plan
        .declared()
        .map_err(|error| untried(error, &session.source, "interrupted before the first search"))?;
    let variants = variants(&config, &declared).map_err(|problem| session.source.complain(problem))?;
    let bench = comparison(&config, &variants);
    plan.engines.clone_from(&bench.engines);
    let (id_names, warnings) = trial(&session, &plan)?;
    let identity = identity(&config, engine, &id_names[..1], &before, &config.searches);
    let openings = games.map(|games| FileHash::of(&games.openings.file)).transpose();
    let identity =
        identity.and_then(|measured| Ok(measured.with(Ablated { variants: &variants, openings: openings? })));
    let is_new = session.resumed().is_none();
    let (mut run, folder) = session.open(identity, config.searches.concurrency, warnings)?;
    let bench = bench::Job { config: bench, id_names, positions: plan.positions.len() };
    let job = Job { bench, variants, has_matches: equipment.is_some() };
    if is_new && !args.measure_again {
        run.notices.extend(reuse_searches(&folder, &run.manifest, &job)?);
    }
    let (Some(games), Some(equipment)) = (&config.games, equipment) else {
        let study = SearchStudy::new(job, plan.processors);
        complete(&SearchPlay::new(study, plan), &run, &folder, None)?;
        return Ok(ExitCode::SUCCESS);
    };
    run.notices.push(games.forecast());
    let ablation = AblateRun { job, games: config.games.clone(), processors: plan.processors, execution };
    complete_stages(&ablation, &AblateKit { plan, equipment }, &run, &folder)
}
