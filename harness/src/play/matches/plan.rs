//! Predicts the length of a sequential test.
//!
//! The prediction is a pure function of the test and of the assumed variance and rate of games. Both
//! come from an earlier run or from a guess by the time control; the caller describes their origin.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use serde::de::IgnoredAny;

use super::conditions::limits_text;
use super::config::stage::has_stages;
use super::config::stages::load_stages;
use super::stages::{is_staged, one_stage_advice};
use super::{ExecutionArgs, LoadedMatch, MatchConfig, RunKind};
use crate::base::wording::counted;
use crate::config::Limits;
use crate::play::openings::{OpeningBook, OpeningsConfig};
use crate::play::record::GameRecord;
use crate::play::verdict::Tracker;
use crate::run::command::{Failure, RunArgs, print, say};
use crate::run::{read_journal, session};
use stretto_stats::bounds::Sprt;
use stretto_stats::units::{Elo, Share};
use stretto_stats::wald::{expected_games, game_variance};

/// Minimum number of pairs for an estimate of the variance.
const MIN_PAIRS: u64 = 2;

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Play nothing: print the expected number of games and hours by true strength, and those of other bounds.
    #[arg(long, conflicts_with_all = ["resume", "print_config"])]
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

/// Prints the expected length of the test, or of each of its stages.
pub(crate) fn run(args: &RunArgs, plan: &PlanArgs) -> Result<ExitCode, Failure> {
    let source = args.source(None)?;
    let execution = ExecutionArgs { concurrency: args.concurrency, ..ExecutionArgs::default() };
    if !has_stages(&source) {
        let loaded = LoadedMatch::load(&source, RunKind::Sprt, execution)?;
        return print_plan(&loaded, plan, None, args.json);
    }
    for stage in load_stages(&source, execution)? {
        print_plan(&stage.loaded, plan, Some(&stage.name), args.json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the expected length of a test, or of a stage of one.
fn print_plan(
    loaded: &LoadedMatch,
    plan: &PlanArgs,
    stage: Option<&str>,
    is_json: bool,
) -> Result<ExitCode, Failure> {
    let draws = plan.draws;
    Failure::require((0.0..1.0).contains(&draws), format_args!("--draws {draws}: expected 0 to below 1"))?;
    let (mut assumptions, mut assumed) = if let Some(run) = &plan.like {
        // Without the lock, so that a run in progress can be used.
        assumptions_of(run, loaded)?
    } else {
        let assumptions = Assumptions::guess(loaded, Share(plan.draws));
        let length = match assumptions.games_per_hour {
            Some(_) if loaded.config.scale_clock.is_some() => {
                "length guessed from the time control at the reference speed"
            }
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
        let message = format_args!("--games-per-hour {games}: expected a number above 0");
        Failure::require(games > 0.0, message)?;
        assumptions.games_per_hour = Some(games);
        assumed = match &plan.like {
            Some(_) => format!("{games} games an hour instead of the pace of: {assumed}"),
            None => format!("{games} games an hour, {} drawn", Share(plan.draws)),
        };
    }
    let sprt = loaded.config.sprt.ok_or_else(|| anyhow!("a test has bounds"))?;
    let spec = sprt.test().map_err(anyhow::Error::from)?;
    let distinct_games = distinct_games(&loaded.config)?;
    let plan = Plan { distinct_games, ..Plan::new(spec, sprt.max_games, assumptions) };
    if is_json {
        let mut object = serde_json::json!(plan);
        if let Some(stage) = stage {
            object["stage"] = stage.into();
        }
        print(&format!("{object}\n"));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(stage) = stage {
        print(&format!("stage {stage}: {}\n", limits_text(&loaded.config)));
    }
    print(&plan.text(&assumed));
    Ok(ExitCode::SUCCESS)
}

/// Returns the games of all openings in a test without a clock, where engines may repeat them after that.
fn distinct_games(config: &MatchConfig) -> anyhow::Result<Option<u64>> {
    let OpeningsConfig { file, format, order, seed, start, .. } = &config.openings;
    if config.is_timed() {
        return Ok(None);
    }
    let openings = OpeningBook::load(file, *format, *order, *seed, *start)?.len() as u64;
    Ok(Some(if config.repeat { 2 * openings } else { openings }))
}

/// Returns the assumptions from an earlier run and their description. Reports a difference of its limits to
/// those of the planned test.
fn assumptions_of(
    run: &Path,
    LoadedMatch { config, execution, .. }: &LoadedMatch,
) -> Result<(Assumptions, String), Failure> {
    let folder = session::run_path(run)?;
    let manifest = session::read_manifest(&folder.join("manifest.yaml"))?;
    if is_staged(&manifest)
        && let Some(advice) = one_stage_advice(&manifest, &folder)
    {
        return Failure::usage(format!("--like: {advice}"));
    }
    // Runs of other commands have games without such a configuration.
    let theirs = manifest.identity_of::<MatchConfig, IgnoredAny>().ok();
    let engines = theirs.as_ref().map_or(2, |theirs| theirs.config.engines.len());
    let message = format_args!("--like: {} has {engines} engines; expected two", run.display());
    Failure::require(engines <= 2, message)?;
    let theirs = theirs.map(|theirs| limits_text(&theirs.config));
    if let Some(theirs) = theirs.filter(|theirs| *theirs != limits_text(config)) {
        say(&format!(
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
    read_journal(&folder.join("journal.jsonl"), add)?;
    let (run, pairs) = (run.display(), tracker.score.pairs.pairs());
    let variance = tracker.score.pairs.variance().unwrap_or_default();
    if pairs < MIN_PAIRS {
        return Err(anyhow!("{run}: {pairs} complete pairs of games: expected at least {MIN_PAIRS}").into());
    }
    if variance <= 0.0 {
        return Err(anyhow!(
            "{run}: all {pairs} pairs of games have the same score, so the variance is unknown; \
             expected at least two different scores"
        )
        .into());
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
    let draws = tracker.score.games.draw_ratio().unwrap_or_default();
    let at_once = counted(concurrency, "game");
    Ok((assumptions, format!("{at_once} at once of {seconds:.1} s, {draws} drawn, as in {run}")))
}

/// Assumed moves of each side in a game. Adjudicated games are shorter, others longer.
const MOVES: f64 = 60.0;
/// Assumed share of its base time that an engine uses in a game.
const BASE_USED: f64 = 0.9;
/// Distances of the hypotheses of the alternative tests shown.
const WIDTHS: [f64; 9] = [1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0];
const SECONDS_PER_HOUR: f64 = 3600.0;

/// Assumed rate and variance of games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Assumptions {
    /// Games of all workers together per hour; `None` without a clock or an earlier run.
    pub games_per_hour: Option<f64>,
    /// Variance of the score of a game, from the variance of pairs.
    pub game_variance: f64,
}

impl Assumptions {
    /// Guesses by the limits of the engines and this draw ratio.
    pub(crate) fn guess(LoadedMatch { config, execution, .. }: &LoadedMatch, draws: Share) -> Self {
        let game: Option<f64> = config.engines.iter().map(|engine| seconds(&engine.limits)).sum();
        let games_per_hour = game
            .filter(|&game| game > 0.0)
            .map(|game| execution.concurrency as f64 * SECONDS_PER_HOUR / game);
        Self { games_per_hour, game_variance: game_variance(draws, Elo(0.0)).unwrap_or(0.25) }
    }
}

/// Returns the expected thinking time of an engine in a game; `None` without a time limit. Units:
/// seconds.
fn seconds(limits: &Limits) -> Option<f64> {
    if let Some(time) = limits.movetime {
        return Some(MOVES * time.get() as f64 / 1e3);
    }
    let control = limits.time_control?;
    let mut left = MOVES;
    let mut total = 0.0;
    let last = control.stages().len() - 1;
    for (index, stage) in control.stages().iter().enumerate() {
        let moves = stage.moves.map_or(left, |moves| f64::from(moves.get()).min(left));
        let moves = if index == last { left } else { moves };
        // The last stage repeats if it has a number of moves.
        let rounds = stage.moves.map_or(1.0, |of_stage| (moves / f64::from(of_stage.get())).max(0.0));
        total += BASE_USED * rounds * stage.base.as_secs_f64() + moves * stage.increment.as_secs_f64();
        left -= moves;
        if left <= 0.0 {
            break;
        }
    }
    Some(total)
}

/// Expected result and length of a test for one true strength.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct ExpectedLength {
    /// True strength on the scale of the test.
    pub elo: f64,
    /// Probability that H1 is accepted.
    pub pass: Share,
    /// Expected length. Units: games.
    pub games: f64,
    /// Expected length; `None` if the rate is unknown.
    pub hours: Option<f64>,
}

/// Length at which a test ends undecided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Limit {
    /// Games at which the test ends undecided (`sprt.max_games`).
    pub games: u64,
    /// Duration of these games; `None` if the rate is unknown.
    pub hours: Option<f64>,
}

/// Predicted course of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Plan {
    pub spec: Sprt,
    #[serde(rename = "pace")]
    pub assumptions: Assumptions,
    /// Maximum length; `None` if the test continues until a bound is crossed, as `expected` assumes.
    pub limit: Option<Limit>,
    /// Games of all openings, each played once with each colour; `None` with a clock. A test whose engines repeat their games
    /// ends soon after them.
    pub distinct_games: Option<u64>,
    /// Expectations by true strength, from below H0 to above H1.
    #[serde(rename = "prospects")]
    pub expected: Vec<ExpectedLength>,
    /// Tests of other widths with the same lower hypothesis: their upper hypothesis and their expected
    /// length at a true strength halfway between the hypotheses.
    pub widths: Vec<(f64, ExpectedLength)>,
}

impl Plan {
    /// Plans a test under these assumptions.
    pub(crate) fn new(spec: Sprt, max_games: Option<u64>, assumptions: Assumptions) -> Self {
        let width = spec.elo1() - spec.elo0();
        let truths = [-0.5, 0.0, 0.5, 1.0, 1.5].map(|share| spec.elo0() + share * width);
        let expected =
            truths.into_iter().filter_map(|elo| expected_length(&spec, elo, assumptions)).collect();
        let mut widths = Vec::new();
        for width in WIDTHS {
            let elo1 = spec.elo0() + width;
            // Wide tests may end beyond the largest Elo.
            let Ok(other) = Sprt::new(spec.model(), spec.elo0(), elo1, spec.alpha(), spec.beta()) else {
                break;
            };
            // About where a test takes longest; exactly if both error rates are equal.
            widths.extend(
                expected_length(&other, spec.elo0() + width / 2.0, assumptions).map(|middle| (elo1, middle)),
            );
        }
        let hours = |games: u64| assumptions.games_per_hour.map(|in_an_hour| games as f64 / in_an_hour);
        let limit = max_games.map(|games| Limit { games, hours: hours(games) });
        Self { spec, assumptions, limit, distinct_games: None, expected, widths }
    }

    /// Formats the plan; `assumed` describes the origin of the assumptions.
    pub(crate) fn text(&self, assumed: &str) -> String {
        let unit = self.spec.model().unit();
        let (elo0, elo1) = (self.spec.elo0(), self.spec.elo1());
        let mut text = format!(
            "test of H1: {elo1} {unit} against H0: {elo0} {unit}, error rates {} and {}\nassumed: {assumed}\n\n",
            self.spec.alpha(),
            self.spec.beta()
        );
        let mut row = |first: String, pass: &str, games: &str, hours: &str| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{first:>10} {pass:>12} {games:>12} {hours:>10}");
        };
        row(format!("true {unit}"), "H1 accepted", "games", "hours");
        for ExpectedLength { elo, pass, games, hours } in &self.expected {
            row(format!("{elo:.1}"), &pass.to_string(), &format!("{games:.0}"), &show_hours(*hours));
        }
        if let Some(Limit { games, hours }) = self.limit {
            row("at most".to_owned(), "", &games.to_string(), &show_hours(hours));
            text.push_str("max_games ends the test undecided; the expectations above ignore it\n");
        }
        let longest = self.expected.iter().map(|expected| expected.games).fold(0.0, f64::max);
        let needed = self.limit.map_or(longest, |limit| longest.min(limit.games as f64));
        if let Some(games) = self.distinct_games.filter(|&games| (games as f64) < needed) {
            let _ = writeln!(
                text,
                "the openings suffice for {games} different games; a test whose engines repeat them ends undecided soon after: give \
                 more openings (`--openings`)"
            );
        }
        let _ = writeln!(text, "\nother tests from {elo0} {unit}, halfway between the hypotheses:");
        for (elo1, ExpectedLength { games, hours, .. }) in &self.widths {
            let hours = show_hours(*hours);
            let _ = writeln!(text, "{elo1:>10.1} {:>12} {games:>12.0} {hours:>10}", "");
        }
        text
    }
}

fn show_hours(hours: Option<f64>) -> String {
    hours.map_or_else(|| "-".to_owned(), |hours| format!("{hours:.2}"))
}

fn expected_length(spec: &Sprt, elo: f64, assumptions: Assumptions) -> Option<ExpectedLength> {
    let expected = expected_games(spec, elo, assumptions.game_variance)?;
    let hours = assumptions.games_per_hour.map(|games| expected.games / games);
    Some(ExpectedLength { elo, pass: expected.pass, games: expected.games, hours })
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;
    use stretto_stats::llr::Model;

    fn limits(control: &str) -> Limits {
        Limits { time_control: Some(control.parse().unwrap()), ..Limits::default() }
    }

    #[test]
    fn time_controls_have_a_length() {
        let close = |text: &str, expected: f64| {
            let found = seconds(&limits(text)).unwrap();
            assert!((found - expected).abs() < 1e-9, "{text}: {found}");
        };
        close("10+0.1", 9.0 + 6.0);
        close("40/10", 0.9 * 15.0);
        close("40/10, 5+1", 9.0 + 4.5 + 20.0);
        close("100/10, 5", 0.9 * 6.0);
        assert_eq!(seconds(&Limits { movetime: NonZero::new(50), ..Limits::default() }), Some(3.0));
        assert_eq!(seconds(&Limits { nodes: NonZero::new(50), ..Limits::default() }), None);
    }

    #[test]
    fn a_plan_is_that_of_the_calculator() {
        let spec = Sprt::new(Model::Normalized, 0.0, 10.0, 0.05, 0.05).unwrap();
        let assumptions = Assumptions { games_per_hour: Some(1000.0), game_variance: 0.2 };
        let plan = Plan::new(spec, Some(20_000), assumptions);
        assert_eq!(plan.limit, Some(Limit { games: 20_000, hours: Some(20.0) }));
        let middle = plan.expected[2];
        assert_eq!((middle.elo, middle.pass), (5.0, Share(0.5)));
        assert!((middle.games - 10_465.3).abs() < 0.1 && (middle.hours.unwrap() - 10.4653).abs() < 1e-3);
        assert!(plan.expected[0].games < middle.games && plan.expected[4].games < middle.games);
        let games: Vec<f64> = plan.widths.iter().map(|(_, worst)| worst.games).collect();
        assert!(games.is_sorted_by(|a, b| a > b), "wider tests are shorter");
        let text = plan.text("a guess");
        assert!(
            text.contains("assumed: a guess")
                && text.contains("       5.0       50.0 %        10465      10.47"),
            "{text}"
        );
        assert!(text.contains("\n   at most                     20000      20.00\nmax_games ends"), "{text}");
        assert!(!text.contains("openings"), "{text}");
        let few = Plan { distinct_games: Some(6000), ..plan }.text("a guess");
        assert!(few.contains("the openings suffice for 6000 different games"), "{few}");
        let assumptions = Assumptions { games_per_hour: None, ..assumptions };
        let unknown = Plan::new(spec, None, assumptions).text("nothing");
        assert!(unknown.contains("10465          -") && !unknown.contains("at most"), "{unknown}");
    }
}
