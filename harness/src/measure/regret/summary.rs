//! The evaluation of a comparison: regret of each setting, and its translation into nodes and Elo.
//!
//! Nodes and Elo come from a line through the settings of the ladder, which has an error too. Their
//! 95 % intervals are percentile bootstraps over positions: each resample has a line of its own.
//!
//! Source: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13.

use serde::Serialize;

use super::RegretConfig;
use super::mean::Mean;
use super::record::RegretRecord;
use super::votes::VoteFit;
use crate::base::random::SplitMix64;
use crate::config::EngineConfig;
use crate::measure::equivalence::Interval;
use crate::play::limit_check::LimitViolation;
use crate::run::RunState;
use crate::stats::mean::mean;

/// The format of [`RegretSummary`]; raised when an older reader could misread it.
const SUMMARY_VERSION: u32 = 1;

/// Resamples of the positions behind the intervals of nodes and Elo.
const SAMPLES: usize = 1000;
/// Seed of the resamples: the same records give the same intervals.
const SEED: u64 = 0x4E64_E105;
/// Share of the resamples beyond each end of a 95 % interval.
const TAIL: f64 = 0.025;
/// Largest distance of an end of an interval from its value, as a multiple of the value (at least 1).
/// A nearly level line translates a regret into almost any number of nodes, which bounds nothing.
const LONGEST: f64 = 1000.0;

/// The content of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RegretSummary {
    /// Format version: [`SUMMARY_VERSION`].
    pub v: u32,
    /// State of the run.
    pub state: RunState,
    /// Positions searched so far.
    pub positions: u64,
    /// Positions of the run.
    pub positions_planned: u64,
    /// Positions in which settings chose different moves.
    pub different: u64,
    /// Moves judged in this run.
    pub judged: u64,
    /// Moves whose score was known from earlier runs.
    pub known: u64,
    /// Gain in win probability of twice the nodes, from the ladder. Units: percent.
    pub percent_per_doubling: Option<f64>,
    /// The settings, in the order of the configuration.
    pub settings: Vec<SettingRegret>,
    /// Formulas of the vote, for each setting that prints ballots.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<VoteFit>,
    /// Engines, and the judge, that ignore their limit of nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limit_violations: Vec<LimitViolation>,
}

/// The result of one setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SettingRegret {
    /// Name of the engine.
    pub name: String,
    /// Mean nodes of a search.
    pub nodes: f64,
    /// Win probability lost against the best move that any setting found. Units: percent.
    pub regret: Mean,
    /// Positions with another move than the first setting's.
    pub differs: u64,
    /// Win probability gained over the first setting. Units: percent.
    pub gain: Mean,
    /// Nodes at which the settings of the ladder have this regret.
    pub equal_nodes: Option<Interval>,
    /// Estimated Elo over the first setting.
    pub elo: Option<Interval>,
}

impl RegretSummary {
    /// Evaluates the records so far.
    pub(crate) fn of(
        config: &RegretConfig,
        planned: usize,
        records: &[RegretRecord],
        state: RunState,
    ) -> Self {
        // Positions end in any order; resamples and floating-point sums depend on the order.
        let mut records: Vec<&RegretRecord> = records.iter().collect();
        records.sort_by_key(|record| record.index);
        let regrets: Vec<Vec<f64>> = records.iter().map(|record| record.regrets(config.scale)).collect();
        let column = |index: usize| regrets.iter().map(move |row| 100.0 * row[index]);
        let gains: Vec<Mean> = (0..config.engines.len())
            .map(|index| {
                Mean::of(&column(0).zip(column(index)).map(|(first, own)| first - own).collect::<Vec<_>>())
            })
            .collect();
        let values: Vec<f64> = gains.iter().map(|gain| gain.value).collect();
        let line = ladder(config, &values);
        let samples = if line.is_some() { resampled_gains(&regrets) } else { Vec::new() };
        let lines: Vec<Option<Ladder>> = samples.iter().map(|gains| ladder(config, gains)).collect();
        let setting = |(index, engine): (usize, &EngineConfig)| {
            let gain = gains[index];
            let scaled = |to: &dyn Fn(Ladder, f64) -> f64| {
                // A single position has no error to resample.
                gain.half_width?;
                let resamples = samples.iter().zip(&lines);
                // A line without a slope bounds the value on neither side.
                let found =
                    resamples.map(|(gains, line)| line.map_or(f64::NAN, |line| to(line, gains[index])));
                interval(to(line?, gain.value), &found.collect::<Vec<f64>>())
            };
            SettingRegret {
                name: engine.name.clone(),
                nodes: mean(records.iter().map(|record| record.nodes[index] as f64)),
                regret: Mean::of(&column(index).collect::<Vec<_>>()),
                differs: records.iter().filter(|record| record.moves[index] != record.moves[0]).count()
                    as u64,
                gain,
                equal_nodes: scaled(&|line, gain| line.nodes(gain)),
                elo: config
                    .elo_per_doubling
                    .filter(|_| index > 0)
                    .and_then(|elo| scaled(&|line, gain| elo * gain / line.slope)),
            }
        };
        Self {
            v: SUMMARY_VERSION,
            state,
            positions: records.len() as u64,
            positions_planned: planned as u64,
            different: records.iter().filter(|record| record.has_different_moves()).count() as u64,
            judged: records.iter().map(|record| record.judged.len() as u64 - record.known).sum(),
            known: records.iter().map(|record| record.known).sum(),
            percent_per_doubling: line.map(|line| line.slope),
            settings: config.engines.iter().enumerate().map(setting).collect(),
            votes: config
                .engines
                .iter()
                .enumerate()
                .filter_map(|(index, engine)| VoteFit::of(&engine.name, index, &records, config.scale))
                .collect(),
            limit_violations: Vec::new(),
        }
    }
}

/// Returns the gains of the settings over the first one, in percent, in resamples of the positions.
fn resampled_gains(regrets: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut random = SplitMix64::new(SEED);
    let count = regrets.len();
    let resample = |_| {
        let mut gains = vec![0.0; regrets.first().map_or(0, Vec::len)];
        for _ in 0..count {
            let row = &regrets[random.below(count as u64) as usize];
            for (gain, regret) in gains.iter_mut().zip(row) {
                *gain += 100.0 * (row[0] - regret) / count as f64;
            }
        }
        gains
    };
    (0..SAMPLES).map(resample).collect()
}

/// Returns a value with the interval of its resamples.
///
/// A resample in which more nodes gain nothing is not a number. It may lie beyond either end, so it
/// counts in both tails. `None` if the interval is unbounded, or longer than [`LONGEST`] allows.
fn interval(value: f64, resamples: &[f64]) -> Option<Interval> {
    let end = |share: f64, unbounded: f64| {
        let bounded = |&found: &f64| if found.is_nan() { unbounded } else { found };
        let mut sorted: Vec<f64> = resamples.iter().map(bounded).collect();
        sorted.sort_by(f64::total_cmp);
        sorted[((sorted.len() - 1) as f64 * share).round() as usize]
    };
    let (low, high) = (end(TAIL, f64::NEG_INFINITY), end(1.0 - TAIL, f64::INFINITY));
    let is_bounded = |end: f64| (end - value).abs() <= LONGEST * value.abs().max(1.0);
    (value.is_finite() && is_bounded(low) && is_bounded(high)).then_some(Interval { value, low, high })
}

/// The line through the settings of the ladder: gain over the logarithm of the nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ladder {
    /// Gain at one node. Units: percent.
    start: f64,
    /// Gain of twice the nodes. Units: percent.
    slope: f64,
}

impl Ladder {
    /// Returns the nodes with this gain.
    fn nodes(self, gain: f64) -> f64 {
        ((gain - self.start) / self.slope).exp2()
    }
}

/// Fits the line by least squares; `None` without a ladder, or if more nodes gain nothing.
fn ladder(config: &RegretConfig, gains: &[f64]) -> Option<Ladder> {
    let points: Vec<(f64, f64)> = config
        .ladder
        .iter()
        .filter_map(|&index| {
            let nodes = config.engines[index].limits.nodes?.get() as f64;
            Some((nodes.log2(), gains[index]))
        })
        .collect();
    let count = points.len() as f64;
    let centre = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (centre(|point| point.0), centre(|point| point.1));
    let product: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = product / square;
    (slope > 0.0).then_some(Ladder { start: y - slope * x, slope })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::super::ballot::ThreadBallot;
    use super::super::record::{JudgedMove, REGRET_VERSION};
    use super::*;
    use crate::config::Watchdog;
    use crate::config::limits::Limits;
    use crate::uci::ReportedScore;

    /// Returns settings of 1,000, 2,000 and 4,000 nodes, the ladder, and one more of 4,000.
    fn config() -> RegretConfig {
        let engine = |name: &str, nodes: u64| {
            let limits = Limits { nodes: NonZeroU64::new(nodes), ..Limits::default() };
            EngineConfig::of_words("sh", Some(name), &[], &[], limits).unwrap()
        };
        RegretConfig {
            engines: vec![engine("a", 1000), engine("b", 2000), engine("c", 4000), engine("d", 4000)],
            judge: engine("judge", 100_000),
            positions: "p.epd".into(),
            count: None,
            judgements: None,
            ladder: vec![0, 1, 2],
            elo_per_doubling: Some(70.0),
            scale: 150.0,
            concurrency: 1,
            watchdog: Watchdog::for_searches(std::time::Duration::from_secs(1)),
        }
    }

    /// Returns a record in which each setting's move has this score.
    fn record(index: u64, scores: [i32; 4]) -> RegretRecord {
        let moves: Vec<String> = scores.iter().map(|score| format!("move{score}")).collect();
        let judged = scores
            .iter()
            .map(|&score| JudgedMove {
                mv: format!("move{score}"),
                score: ReportedScore::Cp(score),
                nodes: None,
            })
            .collect();
        let (fen, nodes) = ("a position".to_owned(), vec![1000, 2000, 4000, 4000]);
        RegretRecord {
            v: REGRET_VERSION,
            index,
            fen,
            moves,
            nodes,
            may_stop_early: Vec::new(),
            judged,
            known: 1,
            ballots: Vec::new(),
        }
    }

    #[test]
    fn regret_is_translated_into_nodes_and_elo() {
        // Twice the nodes gain 10 centipawns on average; the last setting is worth 2,000 nodes.
        let records: Vec<RegretRecord> = (0..400)
            .map(|index| {
                let noise = (index % 7) as i32 - 3;
                record(index, [-10 + noise, 0, 10 - noise, (index % 5) as i32 - 2])
            })
            .collect();
        let summary = RegretSummary::of(&config(), 400, &records, RunState::Finished);
        let slope = summary.percent_per_doubling.unwrap();
        assert!((1.6..1.8).contains(&slope), "10 of 150 centipawns near equality: {slope}");
        let last = &summary.settings[3];
        let nodes = last.equal_nodes.unwrap();
        assert!(nodes.low < 2000.0 && 2000.0 < nodes.high && nodes.high < 2300.0, "{nodes:?}");
        let elo = last.elo.unwrap();
        assert!((elo.value - 70.0).abs() < 3.0 && elo.low < elo.value && elo.value < elo.high, "{elo:?}");
        assert_eq!((summary.settings[0].gain.value, summary.settings[0].elo), (0.0, None));
        assert!(summary.settings[2].regret.value < summary.settings[1].regret.value);
        assert_eq!((summary.judged, summary.known, summary.different), (1200, 400, 400));
    }

    #[test]
    fn summary_does_not_depend_on_the_order_of_the_records() {
        let ballot = |index: u64, thread: usize, mv: &str, score: i32| ThreadBallot {
            thread,
            mv: mv.to_owned(),
            score: ReportedScore::Cp(score),
            depth: 5 + (index * (thread as u64 + 3) % 7) as i32,
            since: 1 + (index % 4) as i32,
            nodes: 100,
            best: 20 + index * 31 % 70,
        };
        let divided = |index: u64| {
            let scores = [index * 37 % 41, index * 11 % 29, index * 7 % 31, 9].map(|score| score as i32 - 15);
            let plain = record(index, scores);
            let of_first = [(0, 0, 40), (1, 1, 0), (2, 2, 5)]
                .map(|(thread, setting, score)| ballot(index, thread, &plain.moves[setting], score));
            RegretRecord { ballots: vec![of_first.to_vec()], ..plain }
        };
        let mut records: Vec<RegretRecord> = (0..101).map(divided).collect();
        let summary = |records: &[RegretRecord]| {
            let found = RegretSummary::of(&config(), 101, records, RunState::Finished);
            serde_json::to_string(&found).unwrap()
        };
        let in_order = summary(&records);
        let mut random = SplitMix64::new(8);
        for last in (1..records.len()).rev() {
            records.swap(last, random.below(last as u64 + 1) as usize);
        }
        assert_eq!(summary(&records), in_order);
    }

    #[test]
    fn intervals_contain_the_error_of_the_ladder() {
        // The last setting plays the moves of the second: its gain over the first has the errors of
        // both, and its nodes are known as well as the line is.
        let noisy = |spread: i32| {
            let records: Vec<RegretRecord> = (0..400)
                .map(|index| {
                    let noise = spread * ((index * 37 % 11) as i32 - 5);
                    record(index, [-10 + noise, 0, 10 - noise, 5])
                })
                .collect();
            RegretSummary::of(&config(), 400, &records, RunState::Finished)
        };
        let width = |summary: &RegretSummary| {
            let nodes = summary.settings[3].equal_nodes.unwrap();
            assert!(nodes.low <= nodes.value && nodes.value <= nodes.high, "{nodes:?}");
            (nodes.high / nodes.low).ln()
        };
        let (narrow, wide) = (noisy(1), noisy(6));
        assert!(width(&wide) > 2.0 * width(&narrow), "{} {}", width(&wide), width(&narrow));
        assert_eq!(wide.settings, noisy(6).settings, "the resamples are always the same");
    }

    #[test]
    fn interval_without_enough_resamples_is_unbounded() {
        let values = |count: usize| (0..count).map(|value| value as f64).collect::<Vec<_>>();
        let found = interval(500.0, &values(SAMPLES)).unwrap();
        assert_eq!((found.low, found.high), (25.0, 974.0));
        let without = |missing: usize| {
            let resamples = [values(SAMPLES - missing), vec![f64::NAN; missing]].concat();
            interval(500.0, &resamples)
        };
        // They count in both tails.
        assert_eq!(without(10).map(|found| (found.low, found.high)), Some((15.0, 974.0)));
        assert!(without(25).is_some());
        assert_eq!(without(26), None);
    }

    #[test]
    fn interval_of_a_nearly_level_ladder_is_unbounded() {
        let with = |far: f64| interval(500.0, &[vec![500.0; 900], vec![far; 100]].concat());
        assert_eq!(with(5000.0).map(|found| found.high), Some(5000.0));
        assert_eq!([with(1e30), with(f64::INFINITY)], [None, None]);
    }

    #[test]
    fn equal_settings_have_no_regret_and_no_ladder() {
        let same = |index| RegretRecord {
            moves: vec!["e2e4".to_owned(); 4],
            judged: Vec::new(),
            known: 0,
            ..record(index, [0; 4])
        };
        let records: Vec<RegretRecord> = (0..20).map(same).collect();
        let summary = RegretSummary::of(&config(), 20, &records, RunState::Finished);
        assert!(
            summary.settings.iter().all(|setting| setting.gain.value.abs() < 1e-12 && setting.elo.is_none())
        );
        assert_eq!(summary.percent_per_doubling, None, "more nodes gain nothing here");
        let nothing = RegretSummary::of(&config(), 20, &[], RunState::Interrupted);
        assert_eq!(nothing.settings[1].gain, Mean { value: 0.0, half_width: None });
    }
}
