//! Quick calls of `bench` and `smp`: engines on the command line, searching the same positions.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::run::command::{Failure, RunArgs};
use crate::run::quick::{self, QuickArgs, Setting};
use crate::run::shipped;

/// The depth of searches for which no limit is given.
const DEFAULT_DEPTH: u64 = 12;

/// The arguments that `bench` and `smp` have in common.
#[derive(Debug, Args)]
#[command(mut_arg("config", quick::with_engines))]
pub(crate) struct QuickSearches {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    quick: QuickArgs,
    /// Positions: an EPD or FEN file [default: 60 positions of games].
    #[arg(long, value_name = "FILE", help_heading = quick::HEADING)]
    positions: Option<PathBuf>,
    /// Searches of each position, at most.
    #[arg(long, value_name = "N", help_heading = quick::HEADING)]
    repetitions: Option<NonZeroU32>,
}

impl QuickSearches {
    /// The arguments of the run, with the configuration made from engines and settings if no file is given.
    pub(crate) fn prepare(
        &self,
        mut settings: Vec<Setting>,
        threads: Option<NonZeroU32>,
    ) -> Result<RunArgs, Failure> {
        let absolute = |file: &PathBuf| std::path::absolute(file).context("--positions");
        let positions = self.positions.as_ref().map(absolute).transpose()?;
        settings.extend([
            Setting::new("--positions", "positions.file", positions.map(|file| file.display().to_string())),
            Setting::new("--repetitions", "repetitions", self.repetitions.map(NonZeroU32::get)),
        ]);
        let made = self.quick.source(&self.run, settings, threads, |draft| {
            if !["nodes", "depth", "movetime"].iter().any(|field| draft.has(field)) {
                draft.set_default("depth", DEFAULT_DEPTH);
            }
            if !draft.has("positions") {
                draft.set_default("positions.file", shipped::POSITIONS.file()?.display().to_string());
            }
            Ok(())
        })?;
        Ok(self.run.with_made(made))
    }
}
