//! A tuning whose engine and settings are arguments, with a file of lines.

use std::num::NonZeroU64;
use std::path::PathBuf;

use anyhow::{anyhow, ensure};
use clap::Args;
use serde_yaml::Value;

use super::lines::{self, Lines};
use crate::run::command::{Failure, RunArgs};
use crate::run::quick::{HEADING, QuickConfig, QuickGames, Setting};

/// Pairs of an iteration without `--pairs`, as in a configuration.
const USUAL_PAIRS: u64 = 8;

/// Settings that replace the configuration file of a tuning.
#[derive(Clone, Debug, Args)]
pub(super) struct QuickTuning {
    /// The parameters: lines `name, int, start, min, max, c_end, r_end` of OpenBench, or `name,start,min,max,c_end,r_end` of fishtest.
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    params: Option<PathBuf>,
    #[command(flatten)]
    quick: QuickGames,
    /// Number of games of all iterations.
    #[arg(short = 'n', long, value_name = "N", help_heading = HEADING)]
    games: Option<NonZeroU64>,
    /// Pairs of games of each iteration, and the most games at once [default: 8].
    #[arg(long, value_name = "N", help_heading = HEADING)]
    pairs: Option<NonZeroU64>,
}

impl QuickTuning {
    /// Returns the arguments of the run, with the configuration made from these if no file is given.
    pub(super) fn prepare(&self, run: &RunArgs) -> Result<RunArgs, Failure> {
        let lines = self.lines()?;
        let list = self.params.as_ref().map(|_| Value::Sequence(lines.parameters.clone()));
        let mut settings = self.quick.settings();
        settings.extend([
            Setting::new("--params", "tune.parameters", list),
            Setting::new("--games", "tune.iterations", self.iterations()?),
            Setting::new("--pairs", "tune.pairs", self.pairs.map(NonZeroU64::get)),
        ]);
        let made = self.quick.engines.source(run, settings, self.quick.threads, |draft| {
            for (field, place) in &lines.places {
                draft.expect(field, place);
            }
            complete(draft, run.set.is_empty())
        })?;
        Ok(run.with_made(made))
    }

    /// Reads the file of `--params`.
    fn lines(&self) -> Result<Lines, Failure> {
        let Some(file) = &self.params else { return Ok(Lines::default()) };
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::Usage(format!("--params: cannot read {}: {error}", file.display())))?;
        Ok(lines::read(file, &text)?)
    }

    /// Returns the iterations that play the games.
    ///
    /// Errors: they are no whole number.
    fn iterations(&self) -> Result<Option<u64>, Failure> {
        let Some(games) = self.games.map(NonZeroU64::get) else { return Ok(None) };
        let pairs = self.pairs.map_or(USUAL_PAIRS, NonZeroU64::get);
        let each = pairs.saturating_mul(2);
        if !games.is_multiple_of(each) {
            let near = games.next_multiple_of(each);
            return Failure::usage(format!(
                "--games {games}: expected a multiple of {each}, such as {near}: an iteration plays {pairs} pairs of games, which \
                 --pairs changes"
            ));
        }
        Ok(Some(games / each))
    }
}

/// Reports what a tuning still needs. An override may set it if the configuration `is_complete` without one.
fn complete(draft: &QuickConfig, is_complete: bool) -> anyhow::Result<()> {
    if !is_complete {
        return Ok(());
    }
    let has_parameters = draft.has("tune.parameters");
    ensure!(has_parameters, "nothing to tune: expected --params FILE, with lines of OpenBench or fishtest");
    ensure!(draft.has_limit(), "no limit for the engine: expected --tc, --nodes, --depth or --movetime");
    draft.has("tune.iterations").then_some(()).ok_or_else(|| anyhow!("no length: expected -n GAMES"))
}
