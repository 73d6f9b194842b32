//! `harness calibrate`: the gains of `harness regret` against the main effects of `harness screen`.
//!
//! Regret judges moves, a screening counts points. For the settings that both runs measured, this
//! module computes how the two are related and what each costs: a pure function of the two stored
//! runs. `command` reads them and is the caller.
//!
//! All gains of a regret run are differences to the first setting, so an unlucky first setting moves
//! them alike. The line through the settings therefore has an intercept, and the error of a gain about
//! the line is that of its distance from the mean gain. A decision between a setting and the first one
//! has the luck of both, so the cost counts the whole error of the gain.

pub(crate) mod command;
mod matching;
mod report;
mod verdict;

use anyhow::bail;
use serde::Serialize;

use crate::config::EngineConfig;
use crate::measure::equivalence::Interval;
use crate::measure::regret::{Mean, RegretConfig, RegretRecord, RegretSummary};
use crate::play::matches::config::ScreenConfig;
use crate::run::RunState;
use crate::stats::correlation::{Bounded, ceiling, correlation, reliability, without_attenuation};
use crate::stats::errors_in_variables::{Line, Point, fit, scatter};
use crate::stats::mean::{LEVEL, mean};
use crate::stats::numeric::{Z95, student_critical};
use crate::tune::screen::{Factor, FactorEstimate};
use matching::{Role, base_difference, role};
use verdict::{Verdict, verdict};

/// The format of [`Calibration`]; raised when an older reader could misread it.
const CALIBRATION_VERSION: u32 = 1;

/// Fewest settings that both runs must have measured: a line through two points always fits.
const MIN_SETTINGS: usize = 3;

/// Data of a run of `harness regret`.
#[derive(Debug)]
pub(crate) struct RegretSide {
    /// The settings, the first of which is the base.
    pub config: RegretConfig,
    /// The positions searched so far.
    pub records: Vec<RegretRecord>,
}

/// Data of a run of `harness screen`.
#[derive(Debug)]
pub(crate) struct ScreenSide {
    /// The engine with its options before any setting is changed.
    pub engine: EngineConfig,
    /// The settings as configured.
    pub config: ScreenConfig,
    /// The main effects from the games played so far.
    pub factors: Vec<FactorEstimate>,
    /// Nodes of all games; absent if the engine reports none.
    pub nodes: Option<u64>,
}

/// The result of a calibration.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Calibration {
    /// Format version: [`CALIBRATION_VERSION`].
    pub v: u32,
    /// The settings that both runs measured, in the order of the regret run.
    pub settings: Vec<CalibratedSetting>,
    /// Settings of the regret run that equal its first one, with their gain. Units: percent.
    pub same: Vec<(String, Mean)>,
    /// Settings of the regret run that the screening did not measure.
    pub unmatched: Vec<String>,
    /// Correlation of gain and Elo, as observed.
    pub correlation: Option<Bounded>,
    /// Largest correlation that the errors of both runs let one observe; absent if errors explain the
    /// spread of either. Range: above 0, to 1; the lower limit may be 0.
    pub ceiling: Option<Bounded>,
    /// Correlation corrected for the errors: the observed one over the ceiling. The interval contains
    /// the error of the ceiling.
    pub corrected: Option<Bounded>,
    /// Elo over gain, fitted with the errors of both and with the scatter of Elo beyond them. Units:
    /// Elo, Elo per percent.
    pub line: Option<Line>,
    /// Elo per percent that the ladder of the regret run expects.
    pub ladder_slope: Option<f64>,
    /// Nodes per setting of the regret run, judge included; absent if unknown.
    pub regret_cost: Option<f64>,
    /// Nodes per setting of the screening; absent if unknown.
    pub screen_cost: Option<f64>,
    /// Nodes that regret needs for the error of the screening, over the nodes of the screening; absent
    /// without a ceiling.
    pub cost_at_equal_error: Option<Bounded>,
    /// Whether regret can replace games.
    pub verdict: Verdict,
    /// The verdict as a sentence.
    pub sentence: String,
}

/// A setting that both runs measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CalibratedSetting {
    /// Name in the regret run.
    pub name: String,
    /// The change, as in the screening.
    pub title: String,
    /// Main effect by games. Units: Elo.
    pub games: f64,
    /// Half-width of its individual 95 % interval.
    pub games_half: f64,
    /// Gain in win probability over the first setting. Units: percent.
    pub gain: Mean,
    /// Standard error of the gain over the first setting. Units: percent.
    pub error_over_first: f64,
    /// Standard error of the gain against the mean gain of the settings. Units: percent.
    pub gain_error: f64,
    /// Elo that the regret run itself estimates, if it has a ladder.
    pub ladder: Option<Interval>,
    /// Elo of the gain by the fitted line, with the half-width from the error of the gain and the
    /// scatter about the line; absent without a ceiling.
    pub predicted: Option<(f64, f64)>,
}

impl Calibration {
    /// Compares the two runs.
    ///
    /// Errors: their bases differ, fewer than [`MIN_SETTINGS`] settings match, two of them are the same,
    /// or the regret run has fewer than two positions.
    pub(super) fn of(regret: &RegretSide, screen: &ScreenSide) -> anyhow::Result<Self> {
        let RegretSide { config, records } = regret;
        let factors: Vec<&Factor> = screen.factors.iter().map(|estimate| &estimate.factor).collect();
        if let Some(difference) =
            base_difference(&config.engines[0], &screen.engine, &screen.config, &factors)
        {
            bail!("the runs have different bases: {difference}");
        }
        if records.len() < 2 {
            bail!("the regret run has fewer than two positions so far");
        }
        let summary = RegretSummary::of(config, records.len(), records, RunState::Interrupted);
        let Sorted { mut settings, indices, same, unmatched, unestimated } =
            Sorted::of(config, &summary, &screen.factors);
        if settings.len() < MIN_SETTINGS && !unestimated.is_empty() {
            bail!(
                "the screening has an estimate with an interval of only {} of the {} settings that match: expected at least \
                 {MIN_SETTINGS}; without one: {} (its report has the reasons)",
                settings.len(),
                settings.len() + unestimated.len(),
                unestimated.join(", ")
            );
        }
        if settings.len() < MIN_SETTINGS {
            bail!(
                "only {} of {} settings match: expected at least {MIN_SETTINGS} that change one option of the first \
                 engine to a value of the screening",
                settings.len(),
                config.engines.len() - 1
            );
        }
        let earlier = |index: usize| settings[..index].iter().find(|one| one.title == settings[index].title);
        if let Some((index, first)) = (1..settings.len()).find_map(|index| Some((index, earlier(index)?))) {
            let (first, second, title) = (&first.name, &settings[index].name, &first.title);
            bail!(
                "`{first}` and `{second}` of the regret run are the same setting ({title}): expected different \
                 settings"
            );
        }
        let errors = gain_errors(config, records, &indices);
        settings.iter_mut().zip(errors).for_each(|(setting, error)| setting.gain_error = error);
        let ladder = config.elo_per_doubling.zip(summary.percent_per_doubling);
        let screen_cost = screen.nodes.map(|nodes| nodes as f64 / factors.len() as f64);
        let found = Self::fitted(settings, regret_cost(config, records), screen_cost);
        Ok(Self { same, unmatched, ladder_slope: ladder.map(|(elo, gain)| elo / gain), ..found })
    }

    /// Relates gain and Elo of these settings. The costs are the nodes per setting of both runs.
    fn fitted(
        mut settings: Vec<CalibratedSetting>,
        regret_cost: Option<f64>,
        screen_cost: Option<f64>,
    ) -> Self {
        let points: Vec<Point> = settings.iter().map(CalibratedSetting::point).collect();
        let line = scatter(&points).and_then(|scatter| fit(&points, scatter));
        let observed = correlation(&points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>());
        let share = |of: fn(&Point) -> (f64, f64)| reliability(&points.iter().map(of).collect::<Vec<_>>());
        let ceiling = share(|point| (point.x, point.x_error))
            .zip(share(|point| (point.y, point.y_error)))
            .map(|(gain, elo)| ceiling(gain, elo));
        let corrected =
            observed.zip(ceiling).map(|(observed, ceiling)| without_attenuation(observed, ceiling));
        // A line means little where errors explain the spread of either.
        let known = line.filter(|_| ceiling.is_some());
        for (setting, point) in settings.iter_mut().zip(&points) {
            setting.predicted = known.map(|line| {
                (
                    line.intercept + line.slope * point.x,
                    Z95 * (line.slope * point.x_error).hypot(line.scatter),
                )
            });
        }
        let cost_at_equal_error =
            known.and_then(|line| equal_error_cost(&line, &settings, regret_cost? / screen_cost?));
        let (verdict, sentence) = verdict(corrected, cost_at_equal_error);
        Self {
            v: CALIBRATION_VERSION,
            settings,
            same: Vec::new(),
            unmatched: Vec::new(),
            correlation: observed,
            ceiling,
            corrected,
            line,
            ladder_slope: None,
            regret_cost,
            screen_cost,
            cost_at_equal_error,
            verdict,
            sentence,
        }
    }
}

/// The settings of a regret run by their roles.
struct Sorted {
    /// Those that the screening measured, with their places among the engines.
    settings: Vec<CalibratedSetting>,
    indices: Vec<usize>,
    /// Those that equal the first one.
    same: Vec<(String, Mean)>,
    /// All others.
    unmatched: Vec<String>,
    /// Those of the others that the screening played without an estimate.
    unestimated: Vec<String>,
}

impl Sorted {
    fn of(config: &RegretConfig, summary: &RegretSummary, estimates: &[FactorEstimate]) -> Self {
        let factors: Vec<&Factor> = estimates.iter().map(|estimate| &estimate.factor).collect();
        let (settings, indices, same) = (Vec::new(), Vec::new(), Vec::new());
        let (unmatched, unestimated) = (Vec::new(), Vec::new());
        let mut sorted = Self { settings, indices, same, unmatched, unestimated };
        // The half-widths of gains are quantiles of Student's t times their errors.
        let degrees = (summary.positions as usize).saturating_sub(1);
        let critical = student_critical(LEVEL, degrees).unwrap_or(f64::INFINITY);
        for (index, engine) in config.engines.iter().enumerate().skip(1) {
            let (name, own) = (engine.name.clone(), &summary.settings[index]);
            // Without an interval, games say nothing about a setting.
            let measured = |place: usize| {
                let elo = estimates[place].elo?;
                Some((factors[place], elo.value.0, elo.half_width?.0))
            };
            let role = role(&config.engines[0], engine, &factors);
            let is_played = matches!(role, Role::Factor(_));
            let found = match role {
                Role::Same => {
                    sorted.same.push((name, own.gain));
                    continue;
                }
                Role::Factor(place) => measured(place),
                Role::Other => None,
            };
            let Some((factor, games, games_half)) = found else {
                if is_played {
                    sorted.unestimated.push(name.clone());
                }
                sorted.unmatched.push(name);
                continue;
            };
            sorted.indices.push(index);
            sorted.settings.push(CalibratedSetting {
                name,
                title: factor.title(),
                games,
                games_half,
                gain: own.gain,
                error_over_first: own.gain.half_width.unwrap_or(0.0) / critical,
                gain_error: 0.0,
                ladder: own.elo,
                predicted: None,
            });
        }
        sorted
    }
}

impl CalibratedSetting {
    fn point(&self) -> Point {
        Point { x: self.gain.value, x_error: self.gain_error, y: self.games, y_error: self.games_half / Z95 }
    }
}

/// Returns the standard errors of the gains of these settings against their mean, in percent.
///
/// An error of the first setting is common to all gains and moves none against the others. The
/// factor makes the errors of independent settings those that they have alone.
fn gain_errors(config: &RegretConfig, records: &[RegretRecord], indices: &[usize]) -> Vec<f64> {
    let (count, size) = (records.len() as f64, indices.len() as f64);
    let rows: Vec<Vec<f64>> = records
        .iter()
        .map(|record| {
            let regrets = record.regrets(config.scale);
            let own: Vec<f64> = indices.iter().map(|&index| -100.0 * regrets[index]).collect();
            let centre = mean(own.iter().copied());
            own.into_iter().map(|gain| gain - centre).collect()
        })
        .collect();
    let error = |column: usize| {
        let centre = mean(rows.iter().map(|row| row[column]));
        let square: f64 = rows.iter().map(|row| (row[column] - centre).powi(2)).sum();
        (square / (count - 1.0) / count * size / (size - 1.0)).sqrt()
    };
    (0..indices.len()).map(error).collect()
}

/// Returns the nodes per setting of a regret run, with the searches of the judge. Moves that an
/// earlier run judged count as well. `None` if the judge has no limit of nodes or a setting reported
/// none.
fn regret_cost(config: &RegretConfig, records: &[RegretRecord]) -> Option<f64> {
    if records.iter().any(|record| record.nodes.contains(&0)) {
        return None;
    }
    let searched: u64 = records.iter().flat_map(|record| &record.nodes).sum();
    let judged: u64 = records.iter().map(|record| record.judged.len() as u64).sum();
    let judge = config.judge.limits.nodes?.get();
    Some((searched + judged * judge) as f64 / (config.engines.len() as f64 - 1.0))
}

/// Returns the nodes that regret needs for the mean squared error of games in Elo, over the nodes of
/// those games. Both errors are those of a difference to the base. The interval is that of the slope.
/// `cost` is that ratio with the errors as they are.
fn equal_error_cost(line: &Line, settings: &[CalibratedSetting], cost: f64) -> Option<Bounded> {
    let (low, high) = line.interval?;
    let gain = mean(settings.iter().map(|setting| setting.error_over_first.powi(2)));
    let elo = mean(settings.iter().map(|setting| setting.point().y_error.powi(2)));
    // The square of an error falls with the number of positions or games.
    let ratio = cost * gain / elo;
    let contains_zero = low <= 0.0 && high >= 0.0;
    let least = if contains_zero { 0.0 } else { low.abs().min(high.abs()) };
    let largest = low.abs().max(high.abs());
    let share = |slope: f64| ratio * slope.powi(2);
    Some(Bounded { value: share(line.slope), low: share(least), high: share(largest) })
}

#[cfg(test)]
mod tests;
