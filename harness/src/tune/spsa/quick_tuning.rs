//! A tuning whose engine and settings are arguments, with a file of lines.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use anyhow::{anyhow, ensure};
use clap::Args;
use serde_yaml::Value;

use super::lines::{self, Lines};
use crate::config::limits::minutes_notice;
use crate::run::command::{Failure, RunArgs, say};
use crate::run::quick::{Draft, HEADING, QuickArgs, Setting};

/// Pairs of an iteration without `--pairs`, as in a configuration.
const USUAL_PAIRS: u64 = 8;

/// Settings that replace the configuration file of a tuning.
#[derive(Clone, Debug, Args)]
pub(super) struct QuickTuning {
    /// The parameters: lines `name, int, start, min, max, c_end, r_end` of OpenBench, or `name,start,min,max,c_end,r_end` of fishtest.
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    params: Option<PathBuf>,
    /// Time control of the engine, such as 8+0.08 or 40/60+0.6: [moves/]seconds[+increment].
    #[arg(long, value_name = "TC", help_heading = HEADING)]
    tc: Option<String>,
    /// Scale clocks and times per move to the speed of a machine on which a copy of `bench` searches this many nodes per second.
    #[arg(long, value_name = "NODES_PER_SECOND", help_heading = HEADING)]
    scale_clock: Option<NonZeroU64>,
    #[command(flatten)]
    quick: QuickArgs,
    /// Threads of the engine (its option Threads).
    #[arg(short, long, value_name = "N", help_heading = HEADING)]
    threads: Option<NonZeroU32>,
    /// Openings: EPD, PGN or a Polyglot book [default: 3000 balanced openings].
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    openings: Option<PathBuf>,
    /// Number of games of all iterations.
    #[arg(short = 'n', long, value_name = "N", help_heading = HEADING)]
    games: Option<NonZeroU64>,
    /// Pairs of games of each iteration [default: 8].
    #[arg(long, value_name = "N", help_heading = HEADING)]
    pairs: Option<NonZeroU64>,
    /// Seed of everything random, such as the directions and the order of the openings [default: 0].
    #[arg(long, value_name = "N", help_heading = HEADING)]
    seed: Option<u64>,
}

impl QuickTuning {
    /// Returns the arguments of the run, with the configuration made from these if no file is given.
    pub(super) fn prepare(&self, run: &RunArgs) -> Result<RunArgs, Failure> {
        if let Some(text) = self.tc.as_deref().and_then(minutes_notice) {
            say(&format!("warning: --tc {text}"));
        }
        let openings = self.openings.as_ref().map(|file| file.display().to_string());
        let lines = self.lines()?;
        let list = self.params.as_ref().map(|_| Value::Sequence(lines.parameters.clone()));
        let settings = vec![
            Setting::new("--params", "tune.parameters", list),
            Setting::new("--tc", "time_control", self.tc.clone()),
            Setting::new("--scale-clock", "scale_clock.nps", self.scale_clock.map(NonZeroU64::get)),
            Setting::new("--openings", "openings.file", openings),
            Setting::new("--games", "tune.iterations", self.iterations()?),
            Setting::new("--pairs", "tune.pairs", self.pairs.map(NonZeroU64::get)),
            Setting::new("--seed", "seed", self.seed),
        ];
        let made = self.quick.source(run, settings, self.threads, |draft| {
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
        lines::read(file, &text).map_err(|error| Failure::Usage(error.to_string()))
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
fn complete(draft: &Draft, is_complete: bool) -> anyhow::Result<()> {
    const LIMITS: [&str; 4] = ["time_control", "nodes", "depth", "movetime"];
    if !is_complete {
        return Ok(());
    }
    let has_parameters = draft.has("tune.parameters");
    ensure!(has_parameters, "nothing to tune: expected --params FILE, with lines of OpenBench or fishtest");
    let has_limit = LIMITS.iter().any(|field| draft.has(field));
    ensure!(has_limit, "no limit for the engine: expected --tc, --nodes, --depth or --movetime");
    draft.has("tune.iterations").then_some(()).ok_or_else(|| anyhow!("no length: expected -n GAMES"))
}
