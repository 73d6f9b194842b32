//! `harness openbench`.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Args, Subcommand};

use crate::base::system::files::check_inputs;
use crate::config::Source;
use crate::play::matches::{ExecutionArgs, LoadedMatch, RunKind};
use crate::play::openbench::{Exported, export, import, read_games};
use crate::run::command::{Failure, print, print_json, say};
use stretto_stats::bounds::{Sprt, Verdict};
use stretto_stats::llr::Model;

const HELP: &str = "\
Examples:
  harness openbench export configs/sprt/null-move.yaml
  harness openbench export configs/tune/margins.yaml
  harness openbench import games.pgn --dev Stretto-1a2b3c4d --bounds 0 5

The engine's file for an OpenBench server is openbench/Stretto.json. docs/openbench.md describes every step, including a
rehearsal on one machine.";

/// Exports tests to OpenBench and imports its games.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct OpenBenchArgs {
    #[command(subcommand)]
    command: OpenBenchCommand,
}

#[derive(Debug, Subcommand)]
enum OpenBenchCommand {
    /// Print a test, match or tuning as the fields of OpenBench's forms.
    ///
    /// Settings that a form lacks or treats differently are reported on stderr.
    Export {
        /// A configuration of `harness sprt`, `match` or `tune`.
        config: PathBuf,
        /// Print JSON: a preset for the engine's file on the server.
        #[arg(long)]
        preset: bool,
    },
    /// Compute statistics from the PGN files of an OpenBench test or of another match tool.
    ///
    /// Two games with the same opening and reversed colours are a pair, by the tag Round where only two have it. The
    /// opening is the tag FEN and the first moves with the comment {book}. Games repeated word for word are left out and
    /// reported. Unpack archives first.
    Import {
        /// The PGN files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The engine whose results are shown [default: White of the first game].
        #[arg(long, value_name = "NAME")]
        dev: Option<String>,
        /// Bounds of a sequential test (SPRT), in Elo.
        #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true)]
        bounds: Option<Vec<f64>>,
        /// Error rates of the test.
        #[arg(long, num_args = 2, value_names = ["ALPHA", "BETA"], default_values_t = [0.05, 0.05])]
        errors: Vec<f64>,
        /// The bounds are in logistic Elo, not in normalized Elo.
        #[arg(long, requires = "bounds")]
        logistic: bool,
        /// Print everything as JSON.
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &OpenBenchArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        OpenBenchCommand::Export { config, preset } => {
            let exported = load(config)?;
            for note in &exported.notes {
                say(&format!("note: {note}"));
            }
            if *preset {
                print_json(&exported.preset)?;
            } else {
                print(&form_text(&exported));
            }
        }
        OpenBenchCommand::Import { files, dev, bounds, errors, logistic, json } => {
            let model = if *logistic { Model::Logistic } else { Model::Normalized };
            let sprt = match (bounds.as_deref(), &errors[..]) {
                (Some([elo0, elo1]), [alpha, beta]) => {
                    let sprt = Sprt::new(model, *elo0, *elo1, *alpha, *beta);
                    Some(sprt.map_err(|error| Failure::Usage(format!("--bounds: {error}")))?)
                }
                _ => None,
            };
            check_inputs(files, None).map_err(Failure::Usage)?;
            let (mut games, mut seen) = (Vec::new(), HashSet::new());
            for file in files {
                games.extend(read_games(file, &mut seen)?);
            }
            let found = import(&games, dev.as_deref(), sprt)?;
            for warning in found.warnings() {
                say(&format!("warning: {warning}"));
            }
            if *json {
                print_json(&found)?;
                return Ok(ExitCode::SUCCESS);
            }
            print(&format!("{} against {}\n{}\n", found.dev, found.base, found.stats));
            if let Some(sprt) = &found.stats.sprt {
                print(match sprt.verdict {
                    Verdict::AcceptH1 => "H1 accepted\n",
                    Verdict::AcceptH0 => "H0 accepted\n",
                    Verdict::Continue => "not decided\n",
                });
            }
            for (count, what) in
                [(found.single, "games without a partner"), (found.unfinished, "games without a result")]
            {
                if count > 0 {
                    print(&format!("{count} {what}\n"));
                }
            }
            for (termination, count) in &found.terminations {
                print(&format!("{count} ended by: {termination}\n"));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a configuration of whichever kind its sections say.
fn load(file: &Path) -> Result<Exported, Failure> {
    let source = Source::read(file)?;
    let has = |section: &str| source.value().is_ok_and(|value| value.get(section).is_some());
    if has("screen") {
        let file = file.display();
        return Failure::usage(format!(
            "{file}: OpenBench has no workload that judges many settings at once"
        ));
    }
    let kind = match (has("tune"), has("sprt")) {
        (true, _) => RunKind::Tune,
        (false, true) => RunKind::Sprt,
        (false, false) => RunKind::Match,
    };
    let config = LoadedMatch::load(&source, kind, ExecutionArgs::default())?;
    export(&config).map_err(|error| anyhow!("{}: {error}", file.display()).into())
}

/// Formats the form, field by field.
fn form_text(exported: &Exported) -> String {
    let mut text = format!("{:<20} {}\n", "test mode", exported.mode);
    for (key, value) in &exported.preset {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{key:<20} {value}");
    }
    if !exported.spsa_inputs.is_empty() {
        text.push_str("SPSA inputs\n");
        for line in &exported.spsa_inputs {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}
