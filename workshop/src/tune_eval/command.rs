//! `workshop tune-eval` and `workshop fit-wdl`.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use stretto::eval::Trend;

use super::config::TuneEvalConfig;
use super::outcome::{ENOUGH, LIMIT};
use super::report::tune_eval_report;
use super::{GamesFile, TuneEvalEvent, TuneEvalSummary, Tuned, WdlFit, WdlRow, fit_wdl, tune_eval};
use stretto_harness::base::errors::Stop;
use stretto_harness::base::system::files::check_inputs;
use stretto_harness::base::wording::counted;
use stretto_harness::run::command::{Failure, RunArgs, cancel_on_signals, print, say};
use stretto_harness::run::console::Screen;
use stretto_harness::run::session::{Session, write_file};
use stretto_harness::run::{Identity, RunEngines, RunFiles, RunFolder, RunState, hash_file};

/// The kind of run, as in the names of run folders.
const KIND: &str = "tune-eval";

const FIT_WDL_HELP: &str = "\
Example:
  workshop fit-wdl 1000=short/games.pgn 10000=middle/games.pgn 100000=long/games.pgn

The scores must be those of the side to move, as `harness match` writes them, and not White's.

The probabilities of win and loss are logistic functions of the score with the same slope. \"even\" is the score with a 50 %
probability of winning; at minus this score, the probability of losing is 50 %. \"spread\" is the scale of the curve. Both depend on
the material on the board (a pawn has 1 point, a queen 9, both sides 78) and, if the files state the nodes per move of their games,
on these. The printed lines are those of engine/src/eval/wdl.rs, which UCI_ShowWDL uses. The table compares the games with the model.";

pub(crate) const TUNE_EVAL_HELP: &str = "\
Example:
  workshop tune-eval configs/tune-eval/classical.yaml
  cp results/runs/tune-eval-<id>/weights.rs engine/src/eval/classical/weights.rs

The fit starts from the weights of this build. The same games, seed and build give the same weights. Ctrl-C during the fit ends
it and keeps the best weights so far; --resume then starts the fit again from its beginning. If that fit is interrupted too, its
weights replace the stored ones only if their validation loss is lower.";

/// Fits win, draw and loss probabilities to the scores recorded in games.
#[derive(Debug, Args)]
#[command(after_help = FIT_WDL_HELP)]
pub(crate) struct FitWdlArgs {
    /// PGN files with scores in comments, as `harness match` writes them, with the nodes per move of the games.
    #[arg(required = true, value_name = "[NODES=]FILE")]
    games: Vec<GamesFile>,
}

pub(crate) fn run_tune_eval(args: &RunArgs) -> Result<ExitCode, Failure> {
    let session = Session::begin(KIND, args)?;
    let mut config = TuneEvalConfig::load(&session.source)?;
    config.concurrency = session.set_concurrency().or(config.concurrency);
    let cancel = session.cancel.clone();
    let games = config.games.iter().map(|file| hash_file(file)).collect::<std::io::Result<_>>();
    let files = games.map(|games| RunFiles { games, ..RunFiles::default() });
    let identity = files.map(|files| Identity::new(&config, RunEngines::default(), files));
    // Opened first, so that a wrong folder is reported before the fit.
    let (run, folder) = session.open(identity, config.threads(), Vec::new())?;
    let mut screen = Screen::new(format!("{} of games", counted(config.games.len(), "file")), run.is_json);
    screen.start(&run.path, json!({}), None);
    run.notices.iter().for_each(|notice| screen.notice(notice));
    let weights = run.path.join("weights.rs");
    let stored = std::fs::read(folder.summary()).ok();
    let stored = stored.and_then(|bytes| serde_json::from_slice::<TuneEvalSummary>(&bytes).ok());
    let summary = match stored {
        Some(finished) if !finished.is_interrupted => finished,
        interrupted => match tune_eval(&config, &cancel, |event| show(&screen, &event)) {
            Ok(tuned) => keep(tuned, interrupted, &weights, &folder, &screen)?,
            Err(Stop::Cancelled) => {
                screen.finish(RunState::Interrupted, json!({}));
                return run.end(RunState::Interrupted);
            }
            Err(Stop::Fatal(error)) => {
                screen.finish(RunState::Failed, json!({ "error": format!("{error:#}") }));
                // Nothing was fitted, and corrected games will be another run: the folder can be used again.
                if args.folder.resume.is_none() {
                    let _ = std::fs::remove_file(folder.manifest());
                }
                return Err(Failure::Run(error));
            }
        },
    };
    let state = if summary.is_interrupted { RunState::Interrupted } else { RunState::Finished };
    screen.finish(state, json!({ "summary": summary }));
    let report = tune_eval_report(&summary);
    let place = if weights.is_file() { "weights written to" } else { "weights are missing:" };
    let shown = format!("{}\n{place} {}\n", report.markdown(), weights.display());
    run.write_report(report, state)?;
    run.show(&shown);
    run.end(state)
}

/// Shows a progress event.
fn show(screen: &Screen, event: &TuneEvalEvent) {
    let line = tune_eval_line(event);
    if matches!(event, TuneEvalEvent::FewScores { .. }) {
        screen.notice(&line);
    } else {
        screen.line(&line);
    }
}

/// Stores a fit, unless it is interrupted and no better than the interrupted one in the folder. Returns the
/// summary of the one that is kept.
fn keep(
    tuned: Tuned,
    stored: Option<TuneEvalSummary>,
    weights: &Path,
    folder: &RunFolder,
    screen: &Screen,
) -> anyhow::Result<TuneEvalSummary> {
    let is_better = |stored: &TuneEvalSummary| {
        tuned.summary.is_interrupted && stored.after.validation <= tuned.summary.after.validation
    };
    if let Some(stored) = stored.filter(|stored| is_better(stored) && weights.is_file()) {
        screen.notice("this fit was interrupted before it became better than the stored one, which is kept");
        return Ok(stored);
    }
    write_file(weights, &tuned.weights)?;
    folder.write_summary(&tuned.summary)?;
    Ok(tuned.summary)
}

pub(crate) fn run_fit_wdl(args: &FitWdlArgs) -> Result<ExitCode, Failure> {
    let cancel = cancel_on_signals()?;
    let has_nodes = args.games.iter().any(|file| file.nodes.is_some());
    if let Some(file) = args.games.iter().find(|file| has_nodes && file.nodes.is_none()) {
        let path = file.path.display();
        let problem = format!("{path}: expected NODES=FILE, because other files state their nodes");
        return Err(Failure::Usage(problem));
    }
    let files: Vec<&Path> = args.games.iter().map(|file| file.path.as_path()).collect();
    check_inputs(&files, None).map_err(Failure::Usage)?;
    let fit = fit_wdl(&args.games, &cancel)?;
    if fit.unfinished > 0 {
        say(&format!("skipped {} without a result", counted(fit.unfinished, "game")));
    }
    print(&fit_wdl_text(&fit, has_nodes));
    Ok(ExitCode::SUCCESS)
}

/// Formats a fit: the lines of the engine's source, and the table of results.
fn fit_wdl_text(fit: &WdlFit, has_nodes: bool) -> String {
    let trend = |name, Trend { value, material, nodes }: Trend| {
        format!("{name}: Trend {{ value: {value:.1}, material: {material:.3}, nodes: {nodes:.3} }},\n")
    };
    let mut text = format!("{} scores of {} games\n", fit.scores, fit.games);
    text += &trend("even", fit.model.even);
    text += &trend("spread", fit.model.spread);
    text += "\n   nodes  material   scores  better side wins  model   drawn  model\n";
    for WdlRow { nodes, material: [least, most], scores, wins, draws } in &fit.rows {
        let nodes = if has_nodes { nodes.to_string() } else { "-".to_owned() };
        let [won, win, drawn, draw] =
            [wins[0], wins[1], draws[0], draws[1]].map(|share| format!("{:.1} %", 100.0 * share));
        let material = format!("{least}-{most}");
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{nodes:>8}  {material:>8} {scores:>8}  {won:>16} {win:>6} {drawn:>7} {draw:>6}");
    }
    text
}

/// Formats a progress event as one line.
pub(crate) fn tune_eval_line(event: &TuneEvalEvent) -> String {
    match event {
        TuneEvalEvent::Read { games, unfinished } => {
            format!("{games} games read, {unfinished} without a result skipped")
        }
        TuneEvalEvent::FewScores { scores } => {
            format!(
                "found {scores} recorded scores within {LIMIT} centipawns, expected at least {ENOUGH}: `blend` has no effect, and \
                 the targets are the results"
            )
        }
        TuneEvalEvent::Picked { positions, validation } => {
            format!("{positions} training and {validation} validation positions")
        }
        TuneEvalEvent::Scaled { scale, validation_loss } => {
            format!("scale {scale:.1} cp; validation loss {validation_loss:.6}")
        }
        TuneEvalEvent::Epoch(epoch) => {
            let left = epoch.elapsed / epoch.epoch * (epoch.epochs - epoch.epoch);
            format!(
                "epoch {:3}/{}  training {:.6}  validation {:.6}{}  ETA at most {} s",
                epoch.epoch,
                epoch.epochs,
                epoch.training_loss,
                epoch.validation_loss,
                if epoch.is_best { " *" } else { "  " },
                left.as_secs(),
            )
        }
    }
}
