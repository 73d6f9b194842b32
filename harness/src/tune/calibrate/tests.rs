//! Tests of the calibration on made settings and on made runs.

use std::num::NonZeroU64;
use std::time::Duration;

use serde_json::json;

use super::report::calibration_report;
use super::*;
use crate::base::units::Elo;
use crate::config::{Limits, Watchdog};
use crate::stats::elo::Estimate;

/// Elo of twelve settings by games.
const ELO: [f64; 12] = [-52.0, -31.0, -22.0, -15.0, -9.0, -6.0, -3.0, 0.0, 4.0, 7.0, 12.0, 18.0];

/// Returns settings with these gains, whose errors are `gain_error` and 3 Elo.
fn settings(gains: &[f64], gain_error: f64) -> Vec<CalibratedSetting> {
    let setting = |(&games, &value): (&f64, &f64)| CalibratedSetting {
        name: format!("setting {games}"),
        title: format!("setting {games}"),
        games,
        games_half: 3.0 * Z95,
        gain: Mean { value, half_width: Some(gain_error * Z95) },
        error_over_first: gain_error,
        gain_error,
        ladder: None,
        predicted: None,
    };
    ELO.iter().zip(gains).map(setting).collect()
}

/// Returns the verdict where regret costs this share of the nodes of games.
fn verdict_of(gains: &[f64], gain_error: f64, cost: f64) -> Calibration {
    Calibration::fitted(settings(gains, gain_error), Some(cost * 1e6), Some(1e6))
}

/// Gains of 0.01 % per 5 Elo, scattered by about 2 Elo.
fn related() -> Vec<f64> {
    ELO.iter().enumerate().map(|(index, elo)| (elo + [2.0, -2.0, 0.5][index % 3]) / 500.0).collect()
}

/// Gains that have nothing to do with the Elo.
fn alternating() -> Vec<f64> {
    (0..12).map(|index| if index % 2 == 0 { 0.05 } else { -0.05 }).collect()
}

#[test]
fn related_gains_at_a_low_cost_predict() {
    let found = verdict_of(&related(), 0.004, 0.2);
    assert_eq!(found.verdict, Verdict::Predicts, "{}", found.sentence);
    let line = found.line.unwrap();
    let (low, high) = line.interval.unwrap();
    assert!(low < 500.0 && 500.0 < high && (high - low) < 150.0, "{line:?}");
    // An error of 0.004 % is 2 Elo, that of games 3: 4/9 of a fifth of the nodes.
    let cost = found.cost_at_equal_error.unwrap();
    assert!((cost.value - 0.2 * 4.0 / 9.0).abs() < 0.01, "{cost:?}");
    let (value, half) = found.settings[0].predicted.unwrap();
    assert!((value - ELO[0]).abs() < 5.0 && (half - 2.0 * Z95).abs() < 0.3, "{value} {half}");
}

#[test]
fn same_gains_at_a_high_cost_do_not() {
    let found = verdict_of(&related(), 0.004, 2.0);
    assert_eq!(found.verdict, Verdict::DoesNot, "{}", found.sentence);
    assert!(found.sentence.contains("of the nodes") && !found.sentence.contains("correlation"));
}

#[test]
fn unrelated_gains_do_not() {
    for gains in [alternating(), related().iter().map(|gain| -gain).collect()] {
        let found = verdict_of(&gains, 0.001, 0.01);
        assert_eq!(found.verdict, Verdict::DoesNot, "{}", found.sentence);
        assert!(found.sentence.contains("the correlation is"));
    }
}

#[test]
fn large_errors_leave_it_undecided() {
    let found = verdict_of(&related(), 0.05, 0.2);
    assert_eq!((found.verdict, found.ceiling), (Verdict::Undecided, None), "all spread may be error");
    assert!(found.settings.iter().all(|setting| setting.predicted.is_none()), "{:?}", found.settings);
    let text = calibration_report(&found).text;
    assert!(
        text.starts_with("Whether regret predicts Elo") && text.contains("n/a (all spread is error)"),
        "{text}"
    );
    let unknown = Calibration::fitted(settings(&related(), 0.004), None, Some(1e6));
    assert_eq!(unknown.verdict, Verdict::Undecided, "{}", unknown.sentence);
    assert!(calibration_report(&unknown).text.contains("unknown: the judge has no limit of nodes"));
}

#[test]
fn correction_undoes_the_attenuation() {
    let gains: Vec<f64> = related().iter().zip(alternating()).map(|(one, other)| one + 0.8 * other).collect();
    let centre = mean(gains.iter().copied());
    let square: f64 = gains.iter().map(|gain| (gain - centre).powi(2)).sum();
    // Errors of half the variance of the gains; those of the Elo are small.
    let found = verdict_of(&gains, (square / 11.0 / 2.0).sqrt(), 0.2);
    let ceiling = found.ceiling.unwrap();
    assert!((ceiling.value - 0.5_f64.sqrt()).abs() < 0.02, "{ceiling:?}");
    // With eleven degrees of freedom, the share of errors is 0.17 to 1.00 of the variance of the gains.
    assert!(ceiling.low < 0.1 && (ceiling.high - 0.905).abs() < 0.01, "{ceiling:?}");
    let (observed, corrected) = (found.correlation.unwrap(), found.corrected.unwrap());
    assert!((corrected.value - observed.value / ceiling.value).abs() < 1e-12, "{corrected:?}");
    assert!((corrected.low - observed.low / ceiling.high).abs() < 1e-12, "{corrected:?}");
    assert!(corrected.low > 0.0 && corrected.high > 0.999, "{observed:?} {corrected:?}");
}

#[test]
fn runs_of_little_signal_leave_it_undecided() {
    // A correlation of -0.50 (-0.83 to 0.11), where errors are 84 % of the variance of the gains.
    let gains: Vec<f64> = related().iter().zip(alternating()).map(|(one, other)| other - 0.5 * one).collect();
    let found = verdict_of(&gains, 0.0542, 0.01);
    let (observed, ceiling) = (found.correlation.unwrap(), found.ceiling.unwrap());
    assert!(
        observed.high / ceiling.value < 0.5,
        "the estimate of the ceiling alone would decide: {ceiling:?}"
    );
    assert!(ceiling.low <= 0.0 && found.corrected.unwrap().high > 0.999, "{:?}", found.corrected);
    assert_eq!(found.verdict, Verdict::Undecided, "{}", found.sentence);
}

#[test]
fn scatter_about_the_line_raises_neither_slope_nor_cost() {
    let gains: Vec<f64> = related().iter().zip(alternating()).map(|(one, other)| one + 0.5 * other).collect();
    let (x, y) = (mean(gains.iter().copied()), mean(ELO));
    let square: f64 = gains.iter().map(|gain| (gain - x).powi(2)).sum();
    let product: f64 = gains.iter().zip(ELO).map(|(gain, elo)| (gain - x) * (elo - y)).sum();
    // The slope by moments is 461; York's line without scatter has 560.
    let expected = product / (square - 10.0 * 0.02_f64.powi(2));
    let found = verdict_of(&gains, 0.02, 0.2);
    let line = found.line.unwrap();
    assert!((line.slope / expected - 1.0).abs() < 1e-4, "{line:?} {expected}");
    assert!((line.scatter - 8.9).abs() < 0.1 && (line.misfit - 10.0).abs() < 1e-6, "{line:?}");
    let cost = found.cost_at_equal_error.unwrap();
    assert!((cost.value / (0.2 * (0.02 * expected / 3.0).powi(2)) - 1.0).abs() < 1e-3, "{cost:?}");
    let (_, half) = found.settings[0].predicted.unwrap();
    assert!((half - Z95 * (0.02 * expected).hypot(line.scatter)).abs() < 0.1, "{half}");
    let text = calibration_report(&found).text;
    assert!(text.contains("| scatter about the line beyond the errors, Elo | 9 |"), "{text}");
}

#[test]
fn cost_contains_the_luck_of_the_first_setting() {
    let mut unlucky = settings(&related(), 0.004);
    for setting in &mut unlucky {
        setting.error_over_first = 2.0 * 0.004;
    }
    let cost =
        |settings| Calibration::fitted(settings, Some(0.2e6), Some(1e6)).cost_at_equal_error.unwrap().value;
    let ratio = cost(unlucky) / cost(settings(&related(), 0.004));
    assert!((ratio - 4.0).abs() < 1e-9, "twice the error takes four times the positions: {ratio}");
}

fn engine(name: &str, options: &[&str], nodes: u64) -> EngineConfig {
    let options: Vec<(String, Option<String>)> =
        options.iter().map(|&option| (option.to_owned(), Some("true".to_owned()))).collect();
    let limits = Limits { nodes: NonZeroU64::new(nodes), ..Limits::default() };
    EngineConfig::of_words("sh", Some(name), &[], &options, limits).unwrap()
}

/// Returns a regret run of a base, an A/A setting, three switches and two switches together.
fn regret(positions: u64) -> RegretSide {
    let config = RegretConfig {
        engines: vec![
            engine("plain", &[], 3000),
            engine("A/A", &[], 3000),
            engine("K1 on", &["K1"], 3000),
            engine("second", &["K2"], 3000),
            engine("K3 on", &["K3"], 3000),
            engine("both", &["K1", "K2"], 3000),
        ],
        judge: engine("judge", &[], 60_000),
        positions: "p.epd".into(),
        count: None,
        judgements: None,
        ladder: Vec::new(),
        elo_per_doubling: None,
        scale: 150.0,
        concurrency: 1,
        watchdog: Watchdog::for_searches(Duration::from_secs(1)),
    };
    let record = |index: u64| {
        // The first setting is lucky at times; the switches err apart from each other.
        let base = if index.is_multiple_of(4) { 40 } else { 0 };
        let noise = |step: u64| (index * step % 7) as i32 - 3;
        let scores = [base, base, 10 + noise(1), 20 + noise(2), 30 + noise(3), 0];
        let moves: Vec<String> = scores.iter().map(|score| format!("m{score}")).collect();
        let judged: Vec<_> =
            scores.iter().map(|cp| json!({ "move": format!("m{cp}"), "score": { "cp": cp } })).collect();
        let line = json!({
            "v": 1, "index": index, "fen": "", "moves": moves, "nodes": vec![3000; 6], "judged": judged, "known": 2,
        });
        serde_json::from_value(line).unwrap()
    };
    RegretSide { config, records: (0..positions).map(record).collect() }
}

/// Returns a screening of four switches.
fn screen() -> ScreenSide {
    let switches: Vec<String> = (1..=4).map(|index| format!("K{index}")).collect();
    let estimate = |(index, name): (usize, &String)| FactorEstimate {
        factor: Factor { name: name.clone(), from: "false".to_owned(), to: "true".to_owned() },
        pairs: 1000,
        elo: Some(Estimate { value: Elo(5.0 * index as f64), half_width: Some(Elo(4.0)) }),
        undetermined: None,
        simultaneous: Some(Elo(6.0)),
        is_different: false,
    };
    ScreenSide {
        engine: engine("stretto +", &[], 3000),
        factors: switches.iter().enumerate().map(estimate).collect(),
        config: ScreenConfig { switches, values: Vec::new(), differing: 1.0 },
        nodes: Some(4_000_000),
    }
}

#[test]
fn runs_are_matched_and_their_costs_counted() {
    let found = Calibration::of(&regret(70), &screen()).unwrap();
    let titles: Vec<&str> = found.settings.iter().map(|setting| setting.title.as_str()).collect();
    assert_eq!(titles, ["K1 on", "K2 on", "K3 on"]);
    assert_eq!(found.settings[1].name, "second");
    let [(name, gain)] = &found.same[..] else { panic!("one A/A setting") };
    assert_eq!((name.as_str(), gain.value.abs() < 1e-12), ("A/A", true));
    assert_eq!(found.unmatched, ["both"]);
    // Six searches and six judged moves a position, shared by five settings.
    let expected = 70.0 * (6.0 * 3000.0 + 6.0 * 60_000.0) / 5.0;
    assert!((found.regret_cost.unwrap() - expected).abs() < 1e-6);
    assert!((found.screen_cost.unwrap() - 1e6).abs() < 1e-6);
    assert!(
        found.line.unwrap().slope > 0.0 && found.correlation.is_none(),
        "three settings have no interval"
    );
    let text = calibration_report(&found).text;
    for line in [
        "| K1 on | +0 ± 4 |",
        "| second (K2 on) | +5 ± 4 |",
        "A/A: A/A equals the first setting and gains 0.000 ± 0.000 %",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(text.contains("Not measured by the screening: both."), "{text}");
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!((&json["verdict"], &json["v"]), (&"undecided".into(), &1.into()));
}

#[test]
fn cost_is_unknown_if_a_setting_reports_no_nodes() {
    let mut silent = regret(70);
    assert!(regret_cost(&silent.config, &silent.records).is_some());
    silent.records[3].nodes[2] = 0;
    assert_eq!(regret_cost(&silent.config, &silent.records), None);
}

#[test]
fn luck_of_the_first_setting_is_no_error_of_the_others() {
    let found = Calibration::of(&regret(70), &screen()).unwrap();
    for setting in &found.settings {
        // The gain itself is uncertain by the first setting's luck, about 6 % in every fourth position.
        let own = setting.error_over_first;
        // 69 degrees of freedom.
        assert!((setting.gain.half_width.unwrap() / own - 1.994_95).abs() < 1e-4, "{setting:?}");
        assert!(setting.gain_error > 0.0 && setting.gain_error < 0.5 * own, "{setting:?} {own}");
    }
}

#[test]
fn mean_error_variance_is_that_of_the_settings_alone() {
    // The first plays moves worth 100 % and 50 % by turns, the second always 50 %.
    let record = |index: u64| {
        let first = if index.is_multiple_of(2) { "win" } else { "draw" };
        let judged = json!([
            { "move": "win", "score": { "mate": 1 } },
            { "move": "draw", "score": { "cp": 0 } },
        ]);
        let line = json!({
            "v": 1, "index": index, "fen": "", "moves": [first, "draw"], "nodes": [1, 1], "judged": judged,
        });
        serde_json::from_value(line).unwrap()
    };
    let records: Vec<RegretRecord> = (0..4).map(record).collect();
    // Error variances: 50^2 / 3 / 4 of the first, 0 of the second.
    let expected = (2500.0_f64 / 12.0 / 2.0).sqrt();
    let errors = gain_errors(&regret(0).config, &records, &[0, 1]);
    assert!(errors.iter().all(|error| (error - expected).abs() < 1e-9), "{errors:?} {expected}");
}

#[test]
fn runs_that_do_not_fit_are_refused() {
    let message =
        |regret: &RegretSide, screen: &ScreenSide| Calibration::of(regret, screen).unwrap_err().to_string();
    let deeper = ScreenSide { engine: engine("stretto +", &[], 20_000), ..screen() };
    assert_eq!(
        message(&regret(70), &deeper),
        "the runs have different bases: 3000 nodes per move in the regret run, 20000 nodes in the screening"
    );
    let mut few = screen();
    few.factors.remove(2);
    let text = message(&regret(70), &few);
    assert!(
        text.starts_with("only 2 of 5 settings match: expected at least 3 that change one option"),
        "{text}"
    );
    let mut repeated = regret(70);
    repeated.config.engines[5] = engine("again", &["k2"], 3000);
    assert_eq!(
        message(&repeated, &screen()),
        "`second` and `again` of the regret run are the same setting (K2 on): expected different settings"
    );
    let mut unmeasured = screen();
    unmeasured.factors[0].elo = None;
    assert_eq!(
        message(&regret(70), &unmeasured),
        "the screening has an estimate with an interval of only 2 of the 3 settings that match: expected at least 3; \
         without one: K1 on (its report has the reasons)"
    );
    assert_eq!(message(&regret(1), &screen()), "the regret run has fewer than two positions so far");
}
