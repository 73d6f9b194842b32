//! `harness equivalence`.

use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;

use super::{Failure, RunArgs, listen_for_signals, load_book, open_folder, print, say, timestamp, untried};
use crate::cancel::Cancel;
use crate::config::{EquivalenceCell, EquivalenceConfig, Source};
use crate::equivalence::{self, EquivalenceSummary};
use crate::openings::OpeningBook;
use crate::progress::Display;
use crate::report::{equivalence_html, equivalence_markdown};
use crate::runner::{self, Job, Observer, Records, RunState, Summary};
use crate::store::{EngineIdentity, FileHash, Host, Manifest, RunFolder, write_atomically};
use crate::uci_client::Launcher;

/// The word for runs of this kind.
const KIND: &str = "equivalence";

pub(super) const HELP: &str = "\
Examples:
  harness equivalence configs/equivalence/lockstep.yaml
  harness equivalence --resume results/runs/equivalence-20261121-120000-1a2b3c4d

The engine plays itself with one thread, at each number of threads with so many times the nodes, all its threads
together. A line through the Elo of these matches says at how many times the nodes both are equal, and so what the
threads would save in time if each were as fast as one alone.

A run is kept in results/runs/equivalence-<id>/: manifest.yaml, a folder a match with journal.jsonl, games.pgn and
summary.json, and for all of them summary.json, report.md and report.html. An interrupted or killed run is continued with
--resume and plays exactly the games that are missing.";

/// What makes two measurements the same.
#[derive(Serialize)]
struct Identity<'a> {
    config: &'a EquivalenceConfig,
    engine: EngineIdentity<'a>,
    openings: FileHash,
}

/// What all matches of a measurement have in common.
struct Desk {
    folder: RunFolder,
    book: OpeningBook,
    launcher: Launcher,
    cancel: Cancel,
    is_json: bool,
    /// How to go on after an interruption.
    resume: String,
}

/// Measures.
pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let resumed = args.resumed(KIND)?;
    let source = args.source(resumed.as_ref())?;
    let mut config = EquivalenceConfig::load(&source)?;
    if let Some(concurrency) = args.concurrency {
        config.cells.iter_mut().for_each(|cell| cell.config.concurrency = concurrency.get());
    }
    let book = load_book(config.any_match(), &source)?;
    let (launcher, cancel) = (Launcher::of_this_binary(), Cancel::new());
    listen_for_signals(&cancel)?;
    let (id_name, warnings) = equivalence::trial(&config, &launcher, &cancel)
        .map_err(|error| untried(error, &source, "interrupted before the first game"))?;
    let manifest = describe(&config, &id_name, &source).context("cannot describe the run")?;
    let (folder, changes) = open_folder(args.place(), resumed, &manifest)?;
    let resume = format!("resume with: harness equivalence --resume {}", folder.path().display());
    warnings.iter().chain(&changes).for_each(|notice| say(notice));
    measure(&config, &Desk { folder, book, launcher, cancel, is_json: args.json, resume })
}

fn describe(config: &EquivalenceConfig, id_name: &str, source: &Source) -> std::io::Result<Manifest> {
    let first = config.any_match();
    let identity = Identity {
        config,
        engine: EngineIdentity::of(&config.engine, id_name)?,
        openings: FileHash::of(&first.openings.file)?,
    };
    let host = Host::here(first.concurrency);
    Manifest::describe(KIND, &identity, host, source.file.clone(), &source.text, &timestamp())
}

/// Plays the matches one after the other and reports after each.
fn measure(config: &EquivalenceConfig, desk: &Desk) -> Result<ExitCode, Failure> {
    let mut matches = Vec::new();
    for cell in &config.cells {
        let summary = play(cell, desk)?;
        let state = match (summary.state, matches.len() + 1 == config.cells.len()) {
            (RunState::Finished, false) => RunState::Running,
            (state, _) => state,
        };
        matches.push(summary);
        let so_far = EquivalenceSummary::of(config, &matches, state);
        write_reports(&desk.folder, config, &so_far)?;
        if state == RunState::Interrupted {
            say(&format!("interrupted, everything is saved; {}", desk.resume));
            return Err(Failure::Interrupted);
        }
        if state == RunState::Finished {
            let markdown = equivalence_markdown(config, &so_far);
            if desk.is_json {
                say(markdown.trim_end());
            } else {
                print(&markdown);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Plays what is missing of one match.
fn play(cell: &EquivalenceCell, desk: &Desk) -> Result<Summary, Failure> {
    let part = desk.folder.part(&cell.folder()).map_err(anyhow::Error::from)?;
    let path = part.path().to_path_buf();
    let job = Job {
        config: cell.config.clone(),
        book: desk.book.clone(),
        launcher: desk.launcher.clone(),
        tables: None,
        cpu_sets: Vec::new(),
        cancel: desk.cancel.clone(),
    };
    let mut records = Records::open(part, &job.config).map_err(anyhow::Error::from)?;
    let mut display = Display::new(&job.config, desk.is_json);
    display.start(&path, records.games.len());
    if records.torn_bytes > 0 {
        display.notice(&format!("cut {} bytes of an unfinished game off the journal", records.torn_bytes));
    }
    match runner::run(&job, &mut records, &mut display) {
        Ok(summary) => {
            display.finish(&summary);
            say(summary.report().trim_end());
            Ok(summary)
        }
        Err(error) => {
            display.abandon();
            let error = anyhow::Error::from(error).context(format!("the run stopped; {}", desk.resume));
            Err(Failure::Run(error))
        }
    }
}

fn write_reports(
    folder: &RunFolder,
    config: &EquivalenceConfig,
    summary: &EquivalenceSummary,
) -> anyhow::Result<()> {
    let mut json = serde_json::to_string_pretty(summary).context("cannot write the summary")?;
    json.push('\n');
    for (file, text) in [
        (folder.summary(), json),
        (folder.path().join("report.md"), equivalence_markdown(config, summary)),
        (folder.path().join("report.html"), equivalence_html(config, summary)),
    ] {
        write_atomically(&file, text.as_bytes())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}
