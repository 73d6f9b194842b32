//! `workshop openings`.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::config::OpeningSetConfig;
use super::{MadeOpenings, make_openings, trial};
use crate::books::command::meter::Meter;
use stretto_harness::base::errors::FileResult;
use stretto_harness::base::system::files::check_inputs;
use stretto_harness::config::Source;
use stretto_harness::play::limit_check::violation_lines;
use stretto_harness::pool::untried;
use stretto_harness::run::command::{Failure, cancel_on_signals, print, say};
use stretto_harness::run::session::timestamp;
use stretto_harness::run::{AtomicFile, builds};
use stretto_harness::uci::Launcher;

/// Makes a set of balanced or unbalanced openings.
///
/// Plays random legal moves from the start position and keeps positions whose score by the engine's search is in the configured
/// range: near 0 for balanced openings, in a window for unbalanced ones. The same configuration gives the same file, for any
/// number of searches at once.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  workshop openings configs/openings/balanced.yaml -o balanced.epd -j 4\n  \
    workshop openings configs/openings/unbalanced.yaml --set count=200 -o some.epd"
)]
pub(crate) struct OpeningsArgs {
    /// The configuration file of the set, YAML.
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

/// Printed when the command is interrupted.
const STOPPED: &str = "stopped; nothing was written";

/// Writes the opening set of a configuration file.
pub(crate) fn run_openings(args: &OpeningsArgs) -> Result<ExitCode, Failure> {
    let source = Source::read(&args.config)?.with_overrides(&args.set)?;
    let cancel = cancel_on_signals()?;
    // The builds stay in the cache while their locks live.
    let check = |source: &Source| OpeningSetConfig::load(source).map(drop);
    let (source, builds) = builds::prepare(source, &[], &timestamp(), check, &cancel)?;
    let mut config = OpeningSetConfig::load(&source)?;
    config.output = args.out.clone().unwrap_or(config.output);
    config.concurrency = args.concurrency.map_or(config.concurrency, NonZeroUsize::get);
    check_inputs(&[&args.config], Some(&config.output)).map_err(Failure::Usage)?;
    // Opened before the work, so that a wrong folder is reported at once.
    let mut file = AtomicFile::create(&config.output).or_cannot("write", &config.output)?;
    let launcher = Launcher::of_this_binary();
    let warnings = trial(&config, &launcher, &cancel).map_err(|error| untried(error, &source, STOPPED))?;
    for notice in builds.notices.iter().chain(&warnings) {
        say(notice);
    }
    let meter = Meter::new(config.count as u64);
    let made = make_openings(&config, &launcher, &cancel, |found, tried| {
        meter.report(found as u64, || format!("{found}/{} openings from {tried} candidates", config.count));
    });
    meter.finish();
    let MadeOpenings { text, limit_violations } = made.map_err(|stop| Failure::of(stop, STOPPED))?;
    file.write_all(text.as_bytes()).and_then(|()| file.commit()).or_cannot("write", &config.output)?;
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
