//! Arguments of `bench` and `smp` without a configuration file: engines and settings.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::run::command::{Failure, RunArgs};
use crate::run::quick::{self, Draft, QuickArgs, Setting};

/// Default depth if no limit is given. Units: plies.
const DEFAULT_DEPTH: u64 = 12;

/// Sets the default depth of a draft without a limit.
pub(crate) fn default_to_depth(draft: &mut Draft) {
    if !has_limit(draft) {
        draft.set_default("depth", DEFAULT_DEPTH);
    }
}

/// Whether the draft, or an override, has a limit of the searches.
pub(crate) fn has_limit(draft: &Draft) -> bool {
    ["nodes", "depth", "movetime"].iter().any(|field| draft.is_given(field))
}

/// The common arguments of `bench` and `smp`.
#[derive(Debug, Args)]
#[command(mut_arg("config", quick::with_engines))]
pub(crate) struct QuickSearches {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    quick: QuickArgs,
    /// EPD or FEN file of positions [default: 60 positions from games].
    #[arg(long, value_name = "FILE", help_heading = quick::HEADING)]
    positions: Option<PathBuf>,
    /// Searches of each position, or the maximum with a target.
    #[arg(long, value_name = "N", help_heading = quick::HEADING)]
    repetitions: Option<NonZeroU32>,
}

impl QuickSearches {
    /// Refuses a file of positions where engines or a configuration are expected.
    fn refuse_positions(&self) -> Result<(), Failure> {
        let is_positions = |path: &&PathBuf| {
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            ["epd", "fen"].contains(&extension.to_ascii_lowercase().as_str())
        };
        match self.run.config.iter().find(is_positions) {
            Some(file) => Err(Failure::Usage(format!(
                "{}: expected engines or a configuration file (YAML); a file of positions is given with --positions",
                file.display()
            ))),
            None => Ok(()),
        }
    }

    /// Returns the arguments of the run. Without a configuration file, one is built from the engines
    /// and settings. `defaults` are fields for which nothing else was given.
    pub(crate) fn prepare(
        &self,
        mut settings: Vec<Setting>,
        threads: Option<NonZeroU32>,
        defaults: impl FnOnce(&mut Draft),
    ) -> Result<RunArgs, Failure> {
        self.refuse_positions()?;
        let absolute = |file: &PathBuf| std::path::absolute(file).context("--positions");
        let positions = self.positions.as_ref().map(absolute).transpose()?;
        settings.extend([
            Setting::new("--positions", "positions.file", positions.map(|file| file.display().to_string())),
            Setting::new("--repetitions", "repetitions", self.repetitions.map(NonZeroU32::get)),
        ]);
        let made = self.quick.source(&self.run, settings, threads, |draft| {
            defaults(draft);
            Ok(())
        })?;
        Ok(self.run.with_made(made))
    }
}
