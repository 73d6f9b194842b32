//! `harness ablate`.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::config::FieldPath;
use crate::measure::ablate::{
    AblateConfig, AblateGames, Ablation, Job, Variant, ablation_report, comparison, folder_of,
    reuse_searches, settings_to_play, variants,
};
use crate::measure::bench;
use crate::measure::searches::command::{Identity, adopt, plan, trial};
use crate::measure::searches::{Load, SearchPlay, SearchSummary};
use crate::play::matches::Execution;
use crate::play::matches::parts::Parts;
use crate::play::matches::setup::{load_book, untried};
use crate::report::Report;
use crate::run::command::{Failure, RunArgs};
use crate::run::executor::{Launch, Play, complete, execute_first};
use crate::run::print_config::print_config;
use crate::run::session::{Session, write_run_report};
use crate::run::{FileHash, FilesBefore, RunState};
use crate::uci::Launcher;

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

/// Identity of an ablation; `--resume` requires an equal one.
#[derive(Serialize)]
struct Ablated<'a> {
    #[serde(flatten)]
    measured: Identity<'a, AblateConfig>,
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
    let parent = FieldPath::root().key("games");
    let book = games.map(|games| load_book(&games.openings, games.variant, &parent, &session.source));
    let book = book.transpose()?;
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
    let identity = Identity::of(&config, engine, &id_names[..1], &before, &config.searches);
    let openings = games.map(|games| FileHash::of(&games.openings.file)).transpose();
    let identity =
        identity.and_then(|measured| Ok(Ablated { measured, variants: &variants, openings: openings? }));
    let is_new = session.resumed().is_none();
    let (mut run, folder) = session.open(identity, config.searches.concurrency, warnings)?;
    let bench = bench::Job { config: bench, id_names, positions: plan.positions.len() };
    let searches = SearchPlay::new(Job { bench, variants, has_matches: book.is_some() }, plan);
    if is_new && !args.measure_again {
        run.notices.extend(reuse_searches(&folder, &searches.study().measurement)?);
    }
    let (Some(games), Some(book)) = (&config.games, book) else {
        complete(&searches, &run, &folder, None)?;
        return Ok(ExitCode::SUCCESS);
    };
    run.notices.push(games.forecast());
    let launch = Launch { run: &run, folder: &folder, notices: &run.notices, interval: None };
    let measured = execute_first(&searches, &launch)?;
    if measured.run_state != RunState::Finished {
        run.report(report(&searches.study().measurement, &measured.summary))?;
        return run.end(measured.run_state);
    }
    let parts = Parts {
        folder: &folder,
        run: &run,
        execution: Execution::with_concurrency(config.searches.concurrency),
        book,
        launcher: Launcher::of_this_binary(),
        tables: None,
        cpu_sets: Vec::new(),
        cancel: searches.cancel().clone(),
    };
    play(&searches.study().measurement, games, &parts, &measured.summary)
}

/// Plays the requested settings against the unchanged engine, and ends the run.
fn play(
    job: &Job,
    games: &AblateGames,
    parts: &Parts<'_>,
    summary: &SearchSummary<Ablation>,
) -> Result<ExitCode, Failure> {
    let mut ablation = summary.clone();
    let played = play_all(job, games, parts, &mut ablation);
    if played.is_err() {
        ablation.figures.state = RunState::Failed;
        // The error of the run comes first: its cause may refuse the summary too.
        let _ = parts.folder.write_summary(&ablation);
    }
    let reported = parts.run.report(report(job, &ablation));
    if games.config.is_timed() {
        parts.run.report_disturbance();
    }
    parts.run.emit_end(&played, &ablation);
    parts.run.conclude(played.and_then(|state| reported.map(|()| state)))
}

/// Plays one match after the other, and writes summary and report after each. Until the last match
/// is finished, the summary has the state `running`.
fn play_all(
    job: &Job,
    games: &AblateGames,
    parts: &Parts<'_>,
    ablation: &mut SearchSummary<Ablation>,
) -> Result<RunState, Failure> {
    let folder = parts.folder;
    let searched = ablation.figures.clone();
    let settings = settings_to_play(job, games, &searched);
    let mut matches = Vec::new();
    for (index, (variant, config)) in settings.iter().enumerate() {
        let played = parts.play(&folder_of(variant), config)?;
        matches.extend(played.stats.map(|stats| (variant.clone(), stats)));
        ablation.figures = searched.clone().with_games(&matches);
        ablation.limit_violations.extend(played.limit_violations);
        let is_last = index + 1 == settings.len();
        ablation.figures.state = match played.state {
            RunState::Finished if !is_last => RunState::Running,
            state => state,
        };
        folder.write_summary(&ablation).map_err(anyhow::Error::from)?;
        write_run_report(folder.path(), report(job, ablation))?;
        if played.state != RunState::Finished {
            return Ok(played.state);
        }
    }
    if settings.is_empty() {
        ablation.figures.state = RunState::Finished;
        folder.write_summary(&ablation).map_err(anyhow::Error::from)?;
    }
    Ok(RunState::Finished)
}

fn report(job: &Job, ablation: &SearchSummary<Ablation>) -> Report {
    ablation_report(job, &ablation.figures).with_lines(&ablation.lines())
}
