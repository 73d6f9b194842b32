//! `harness openings`.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::config::OpeningSetConfig;
use super::{MadeOpenings, OpeningMakerError, make_openings};
use crate::config::Source;
use crate::play::limit_check::violation_lines;
use crate::run::command::{Failure, cancel_on_signals, print, say};
use crate::run::console::is_live;
use crate::run::session::timestamp;
use crate::run::{AtomicFile, builds};
use crate::uci::Launcher;

/// Makes a set of balanced or unbalanced openings.
///
/// Plays random legal moves from the start position and keeps positions whose score by the engine's search is in the configured
/// range: near 0 for balanced openings, in a window for unbalanced ones. The same configuration gives the same file, for any
/// number of searches at once.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  harness openings configs/openings/balanced.yaml -o balanced.epd -j 4\n  \
    harness openings configs/openings/unbalanced.yaml --set count=200 -o some.epd"
)]
pub(crate) struct OpeningsArgs {
    /// The configuration file.
    config: PathBuf,
    /// Override a field of the configuration, for example `--set count=500`. The value is YAML. Repeat for more.
    #[arg(long, value_name = "FIELD=VALUE")]
    set: Vec<String>,
    /// The file to write, instead of the one that the configuration names.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Engines searching at once, instead of the configured number.
    #[arg(short = 'j', long, value_name = "N")]
    concurrency: Option<NonZeroUsize>,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `harness openings`.
pub(crate) fn run_openings(args: &OpeningsArgs) -> Result<ExitCode, Failure> {
    let source = Source::read(&args.config)?.with_overrides(&args.set)?;
    let cancel = cancel_on_signals()?;
    // The builds stay in the cache while their locks live.
    let (source, builds) = builds::prepare(source, &[], &timestamp(), &cancel)?;
    for notice in &builds.notices {
        say(notice);
    }
    let mut config = OpeningSetConfig::load(&source)?;
    config.output = args.out.clone().unwrap_or(config.output);
    config.concurrency = args.concurrency.map_or(config.concurrency, NonZeroUsize::get);
    let cannot_write = || format!("cannot write {}", config.output.display());
    // Opened before the work, so that a wrong folder is reported at once.
    let mut file = AtomicFile::create(&config.output).with_context(cannot_write)?;
    let is_live = is_live();
    let bar = if is_live { ProgressBar::new(config.count as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} openings, {msg}, ETA {eta}") {
        bar.set_style(style);
    }
    let mut reported = 0;
    let progress = |found: usize, tried: u64| {
        bar.set_position(found as u64);
        bar.set_message(format!("{tried} candidates"));
        if !is_live && found >= reported + config.count.div_ceil(10) {
            reported = found;
            say(&format!("{found}/{} openings from {tried} candidates", config.count));
        }
    };
    let made = make_openings(&config, &Launcher::of_this_binary(), &cancel, progress);
    bar.finish_and_clear();
    let MadeOpenings { text, limit_violations } = match made {
        Ok(made) => made,
        Err(OpeningMakerError::Cancelled) => {
            say("stopped; nothing was written");
            return Err(Failure::Interrupted);
        }
        Err(error) => return Err(Failure::Run(error.into())),
    };
    file.write_all(text.as_bytes()).and_then(|()| file.commit()).with_context(cannot_write)?;
    for line in violation_lines(&limit_violations) {
        say(&line);
    }
    print(&if args.json {
        let mut summary = json!({ "openings": config.count, "file": config.output });
        if !limit_violations.is_empty() {
            summary["limit_violations"] = json!(limit_violations);
        }
        format!("{summary}\n")
    } else {
        format!("{} openings written to {}\n", config.count, config.output.display())
    });
    Ok(ExitCode::SUCCESS)
}
