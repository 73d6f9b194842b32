//! `harness replay`: asks an engine again what it was asked before it failed.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use super::{Failure, listen_for_signals, print, say};
use crate::cancel::Cancel;
use crate::config::Watchdog;
use crate::uci_client::{Launcher, Replay, Replayed, UciError};

pub(super) const HELP: &str = "\
Example: harness replay results/runs/match-20261121-120000-1a2b3c4d/faults/17.replay.yaml

The file holds how the engine was started and all it was told in that game; edit it to make the case smaller.
Exit code 1 says that the engine failed again.";

#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// The file a run has left in its faults/ folder.
    file: PathBuf,
    /// Try so many times, until the engine fails.
    #[arg(long, value_name = "N", default_value_t = 1)]
    times: u32,
    /// Seconds an answer may take beyond the time it had.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    patience: f64,
}

pub(super) fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let file = args.file.display();
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("cannot read {file}"))?;
    let replay = Replay::parse(&text).map_err(|error| Failure::Usage(format!("{file}: {error}")))?;
    let patience = Duration::try_from_secs_f64(args.patience)
        .map_err(|error| Failure::Usage(format!("--patience {}: {error}", args.patience)))?;
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    let second = Duration::from_secs(1);
    let watchdog =
        Watchdog { uci: 10 * second, ready: 60 * second, answer: 60 * second, ..Watchdog::default() };
    say(&format!("{}: {}", replay.engine.name, replay.ended));
    let mut longest = Duration::ZERO;
    for time in 1..=args.times {
        let Replayed { error, longest: of_this, dialogue } =
            replay.run(&Launcher::of_this_binary(), watchdog, patience, &cancel);
        longest = longest.max(of_this);
        match error {
            Some(UciError::Cancelled) => return Err(Failure::Interrupted),
            Some(error) => {
                print(&format!("{dialogue}\nfailed again, time {time}: {error}\n"));
                return Ok(ExitCode::from(1));
            }
            None if time == args.times => print(&dialogue),
            None => {}
        }
    }
    let ms = longest.as_secs_f64() * 1e3;
    print(&format!("\nanswered everything, {} times over; the longest answer took {ms:.1} ms\n", args.times));
    Ok(ExitCode::SUCCESS)
}
