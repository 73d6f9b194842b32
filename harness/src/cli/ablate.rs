//! `harness ablate`.

use std::process::ExitCode;

use serde::Serialize;

use super::measure::{Identity, Measured, measure, plan, trial};
use super::parts::Parts;
use super::session::{Session, write_json, write_report};
use super::{Failure, RunArgs, load_book, untried};
use crate::ablation::{Ablation, Job, Variant, comparison, folder_of, settings_to_play, variants};
use crate::bench;
use crate::cancel::Cancel;
use crate::config::{AblateConfig, AblateGames, FieldPath};
use crate::openings::OpeningBook;
use crate::report::ablation_report;
use crate::runner::RunState;
use crate::searches::Load;
use crate::store::FileHash;
use crate::uci_client::Launcher;

/// The word for runs of this kind.
const KIND: &str = "ablate";

pub(super) const HELP: &str = "\
Examples:
  harness ablate configs/ablate/switches.yaml
  harness ablate --resume results/runs/ablate-20261121-120000-1a2b3c4d

Every switch of the engine is turned the other way in turn: those that are on are left out, those that are off are added.
Each such setting searches every position beside the engine as it is. The table is sorted by what a setting does to the
nodes; the engine as it is, measured once more, says what is noise. Where the configuration asks for games, the settings
that change the nodes most, or those it names, then play against the engine as it is, and their Elo is judged together.

A run is kept in results/runs/ablate-<id>/: manifest.yaml, journal.jsonl (one line a search, the truth), a folder a match
with its own journal, summary.json, report.md and report.html. An interrupted or killed run is continued with --resume.";

/// What makes two ablations the same.
#[derive(Serialize)]
struct Ablated<'a> {
    #[serde(flatten)]
    measured: Identity<'a, AblateConfig>,
    variants: &'a [Variant],
    #[serde(skip_serializing_if = "Option::is_none")]
    openings: Option<FileHash>,
}

/// Measures.
pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let session = Session::begin(KIND, args)?;
    let mut config = AblateConfig::load(&session.source)?;
    config.searches.concurrency = session.concurrency(config.searches.concurrency);
    if let Some(games) = &mut config.games {
        games.config.concurrency = config.searches.concurrency;
    }
    let games = config.games.as_ref().map(|games| &games.config);
    let parent = FieldPath::root().key("games");
    let book = games.map(|games| load_book(&games.openings, games.variant, &parent, &session.source));
    let book = book.transpose()?;
    let engine = std::slice::from_ref(&config.engine);
    let mut plan = plan(&session, &config.searches, engine, vec![Load::AsConfigured])?;
    let declared = plan
        .declared()
        .map_err(|error| untried(error, &session.source, "interrupted before the first search"))?;
    let variants = variants(&config, &declared).map_err(|problem| session.source.complain(problem))?;
    let bench = comparison(&config, &variants);
    plan.engines.clone_from(&bench.engines);
    let (id_names, warnings) = trial(&session, &plan)?;
    let identity = Identity::of(&config, engine, &id_names[..1], &config.searches);
    let openings = games.map(|games| FileHash::of(&games.openings.file)).transpose();
    let identity =
        identity.and_then(|measured| Ok(Ablated { measured, variants: &variants, openings: openings? }));
    let run = session.open(identity, config.searches.concurrency, warnings)?;
    let bench = bench::Job { config: bench, id_names, positions: plan.positions.len() };
    let job = Job { bench, variants };
    let measured = measure(run, &plan, &job)?;
    match (&config.games, book) {
        (Some(games), Some(book)) if measured.state == RunState::Finished => {
            play(&job, games, book, plan.cancel, measured)
        }
        _ => measured.report(&ablation_report(&job, &measured.summary)),
    }
}

/// Plays the settings that are asked for against the engine as it is, one after the other, and reports after each.
fn play(
    job: &Job,
    games: &AblateGames,
    book: OpeningBook,
    cancel: Cancel,
    measured: Measured<Ablation>,
) -> Result<ExitCode, Failure> {
    let Measured { run, records, summary, .. } = measured;
    let folder = records.folder();
    let parts = Parts {
        folder,
        run: &run,
        book,
        launcher: Launcher::of_this_binary(),
        tables: None,
        cpu_sets: Vec::new(),
        cancel,
    };
    let mut matches = Vec::new();
    let mut ablation = summary.clone();
    for (variant, config) in settings_to_play(job, games, &summary) {
        let played = parts.play(&folder_of(&variant), &config)?;
        matches.extend(played.stats.map(|stats| (variant, stats)));
        ablation = summary.clone().with_games(&matches);
        write_json(&folder.summary(), &ablation)?;
        write_report(folder.path(), &ablation_report(job, &ablation))?;
        if played.state != RunState::Finished {
            return run.end(played.state);
        }
    }
    run.report(&ablation_report(job, &ablation))?;
    run.end(RunState::Finished)
}
