//! `harness sprt CONFIG --plan`: predicts the duration of a test.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use serde::de::IgnoredAny;

use super::conditions::limits_text;
use crate::base::wording::counted;
use crate::play::matches::{ExecutionArgs, LoadedMatch, MatchConfig, RunKind};
use crate::play::plan::{Assumptions, Plan};
use crate::play::record::GameRecord;
use crate::play::verdict::Tracker;
use crate::run::command::{Failure, RunArgs, print};
use crate::run::{read_journal, session};
use stretto_stats::units::Share;

/// Minimum number of pairs for an estimate of the variance.
const MIN_PAIRS: u64 = 2;

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Play nothing: print the expected number of games and hours by true strength, and those of other bounds.
    #[arg(long, conflicts_with = "resume")]
    pub(crate) plan: bool,
    /// With --plan: take game length and score variance from this earlier run, instead of guessing them.
    #[arg(long, value_name = "RUN", requires = "plan")]
    like: Option<PathBuf>,
    /// With --plan: games per hour, instead of a guess from the time control.
    #[arg(long, value_name = "N", requires = "plan")]
    games_per_hour: Option<f64>,
    /// With --plan: the share of drawn games, which matters for logistic bounds only.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, requires = "plan")]
    draws: f64,
}

/// Prints the expected length of the test.
pub(crate) fn run(args: &RunArgs, plan: &PlanArgs) -> Result<ExitCode, Failure> {
    let source = args.source(None)?;
    let execution = ExecutionArgs { concurrency: args.concurrency, ..ExecutionArgs::default() };
    let loaded = LoadedMatch::load(&source, RunKind::Sprt, execution)?;
    if !(0.0..1.0).contains(&plan.draws) {
        return Err(Failure::Usage(format!("--draws {}: expected 0 to below 1", plan.draws)));
    }
    let (mut assumptions, mut assumed) = if let Some(run) = &plan.like {
        // Without the lock, so that a run in progress can be used.
        assumptions_of(run, &loaded)?
    } else {
        let assumptions = Assumptions::guess(&loaded, Share(plan.draws));
        let length = match assumptions.games_per_hour {
            Some(_) => "length guessed from the time control",
            None => "length unknown without a clock (give --games-per-hour or --like RUN)",
        };
        (
            assumptions,
            format!(
                "{} drawn; {} at once, {length}",
                Share(plan.draws),
                counted(loaded.execution.concurrency, "game")
            ),
        )
    };
    if let Some(games) = plan.games_per_hour {
        if games.is_nan() || games <= 0.0 {
            return Err(Failure::Usage(format!("--games-per-hour {games}: expected a number above 0")));
        }
        assumptions.games_per_hour = Some(games);
        assumed = match &plan.like {
            Some(_) => format!("{games} games an hour instead of the pace of: {assumed}"),
            None => format!("{games} games an hour, {} drawn", Share(plan.draws)),
        };
    }
    let sprt = loaded.config.sprt.ok_or_else(|| anyhow!("a test has bounds"))?;
    let plan = sprt
        .test()
        .and_then(|spec| Plan::new(spec, sprt.max_games, assumptions))
        .map_err(anyhow::Error::from)?;
    if args.json {
        print(&format!("{}\n", serde_json::json!(plan)));
    } else {
        print(&plan.text(&assumed));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the assumptions from an earlier run and their description. Reports a difference of its limits to
/// those of the planned test.
fn assumptions_of(
    run: &Path,
    LoadedMatch { config, execution, .. }: &LoadedMatch,
) -> Result<(Assumptions, String), Failure> {
    let folder = session::run_path(run)?;
    let manifest = session::read_manifest(&folder.join("manifest.yaml"))?;
    // Runs of other commands have games without such a configuration.
    let theirs = manifest.identity_of::<MatchConfig, IgnoredAny>().ok();
    let theirs = theirs.map(|theirs| limits_text(&theirs.config));
    if let Some(theirs) = theirs.filter(|theirs| *theirs != limits_text(config)) {
        crate::run::command::say(&format!(
            "note: {} was played at {theirs} and the test is at {}: the hours are those of the former",
            run.display(),
            limits_text(config)
        ));
    }
    let mut tracker = Tracker::new(None).map_err(anyhow::Error::from)?;
    let (mut length_ms, mut played) = (0, 0_u64);
    let add = |game: GameRecord| {
        length_ms += game.duration_ms;
        played += 1;
        tracker.add(&game);
        Ok(())
    };
    read_journal(&folder.join("journal.jsonl"), add).map_err(anyhow::Error::from)?;
    let (run, pairs) = (run.display(), tracker.pairs().pairs());
    let variance = tracker.pairs().variance().unwrap_or_default();
    if pairs < MIN_PAIRS {
        let message = format!("{run}: {pairs} complete pairs of games: expected at least {MIN_PAIRS}");
        return Err(anyhow!(message).into());
    }
    if variance <= 0.0 {
        let message = format!(
            "{run}: all {pairs} pairs of games have the same score, so the variance is unknown; \
             expected at least two different scores"
        );
        return Err(anyhow!(message).into());
    }
    if length_ms == 0 {
        return Err(
            anyhow!("{run}: the duration of its games was not recorded; give --games-per-hour").into()
        );
    }
    let concurrency = execution.concurrency;
    let seconds = length_ms as f64 / 1e3 / played as f64;
    // The mean of a pair has half the variance of one game.
    let assumptions = Assumptions {
        games_per_hour: Some(concurrency as f64 * 3600.0 / seconds),
        game_variance: 2.0 * variance,
    };
    let draws = tracker.games().draw_ratio().unwrap_or_default();
    let at_once = counted(concurrency, "game");
    let text = format!("{at_once} at once of {seconds:.1} s, {draws} drawn, as in {run}");
    Ok((assumptions, text))
}
