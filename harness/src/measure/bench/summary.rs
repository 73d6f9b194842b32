//! Summary of a comparison: geometric means, ratios to the first engine, and their intervals.
//!
//! Every quantity is compared as a logarithm, position by position. The value of a position is the
//! median over its repetitions, which is robust against outliers. The ratio is the exponential of
//! the mean difference over positions. Its 95 % interval is the t interval of the mean logarithm over
//! positions, and covers the variation between positions of the same kind.
//!
//! With a family of m engines, the intervals of one quantity hold simultaneously: each has the level
//! 5 % / m (Bonferroni).
//!
//! Source: O. J. Dunn, "Multiple comparisons among means" (1961).

use std::num::NonZeroUsize;

use serde::Serialize;

use super::{BenchConfig, BenchMeasure, BenchTarget};
use crate::measure::searches::counted::{COUNTED_NODES, INSTRUCTIONS};
use crate::measure::searches::{self, Cells, Measurement, SearchRecord, is_cpu_time_incomplete, log_ratios};
use crate::run::RunState;
use stretto_stats::factor::Factor;
use stretto_stats::mean::known_mean;

/// The format of [`BenchSummary`]; raised when an older reader could misread it.
pub(crate) const BENCH_SUMMARY_VERSION: u32 = 1;

/// Error rate of all intervals of a family together. Units: probability.
const ALPHA: f64 = 0.05;

/// A quantity in which engines are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Quantity {
    /// Nodes to the end of the search.
    Nodes,
    /// Time to the end of the search.
    Time,
    /// CPU time of the engine's processes, if the system reports it.
    ProcessorTime,
    /// Speed in nodes per second.
    Speed,
    /// Effective branching factor: the growth of nodes per ply over the deeper half of the search.
    Branching,
    /// Share of beta cutoffs by the first move, if the engine reports it.
    FirstMoveCutoffs,
    /// Instructions per node, if they were counted.
    Instructions,
}

impl Quantity {
    /// All quantities, in the order of the report.
    pub(crate) const ALL: [Self; 7] = [
        Self::Nodes,
        Self::Time,
        Self::ProcessorTime,
        Self::Speed,
        Self::Branching,
        Self::FirstMoveCutoffs,
        Self::Instructions,
    ];

    /// Returns the name used in tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Time => "time",
            Self::ProcessorTime => "CPU time",
            Self::Speed => "nodes/s",
            Self::Branching => "branching factor",
            Self::FirstMoveCutoffs => "first-move cutoffs",
            Self::Instructions => "instructions per node",
        }
    }

    /// Whether the quantity depends on the speed of the machine.
    const fn is_timed(self) -> bool {
        matches!(self, Self::Time | Self::ProcessorTime | Self::Speed)
    }

    /// Returns the logarithm of the quantity in one search, `None` if the engine did not report it.
    fn log(self, record: &SearchRecord) -> Option<f64> {
        let count = |name: &str| record.counters.get(name).map(|&count| count as f64);
        let value = match self {
            Self::Nodes => record.nodes as f64,
            Self::Time => record.time_us as f64,
            Self::ProcessorTime => record.processor_us? as f64,
            Self::Speed => record.speed(),
            Self::Branching => {
                let last = record.depths.last()?;
                let middle = record.depths.iter().find(|reached| 2 * reached.depth >= last.depth)?;
                let plies = last.depth.checked_sub(middle.depth).filter(|&plies| plies > 0)?;
                (last.nodes as f64 / middle.nodes as f64).powf(1.0 / f64::from(plies))
            }
            Self::FirstMoveCutoffs => count("first-move-cutoffs")? / count("cutoffs")?,
            Self::Instructions => count(INSTRUCTIONS)? / count(COUNTED_NODES)?,
        };
        (value > 0.0 && value.is_finite()).then(|| value.ln())
    }
}

/// The verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Difference {
    /// More than the first engine.
    More,
    /// Less than the first engine.
    Less,
    /// No difference beyond the noise.
    None,
}

/// The comparison of an engine with its base, usually the first engine, in one quantity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct EngineComparison {
    /// The quantity that is compared.
    pub quantity: Quantity,
    /// Ratio to the base.
    pub ratio: Factor,
    /// Whether this is a difference: the interval excludes 1, and the ratio is farther from 1
    /// than either end of the control's interval. The control itself never differs.
    pub difference: Difference,
}

/// The results of one engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BenchEngine {
    /// Name in the configuration.
    pub name: String,
    /// Name by `id name`.
    pub id_name: String,
    /// Whether this is the control, a copy of the first engine.
    pub is_control: bool,
    /// Geometric mean of each known quantity over positions.
    pub values: Vec<(Quantity, f64)>,
    /// Comparisons with its base, usually the first engine; empty for a base.
    pub comparisons: Vec<EngineComparison>,
}

/// The content of `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BenchSummary {
    /// Format version: [`BENCH_SUMMARY_VERSION`] when written.
    pub v: u32,
    /// The state of the run.
    pub state: RunState,
    /// Number of positions searched.
    pub positions: usize,
    /// Number of searches done.
    pub searches: usize,
    /// Largest possible number of searches.
    pub searches_planned: usize,
    /// Results in the order of the configuration.
    pub engines: Vec<BenchEngine>,
}

/// The finished searches and what is known of their CPU times.
struct Table<'a> {
    job: &'a Job,
    cells: Cells<'a>,
    /// By engine: whether its CPU time was measured in part only.
    is_cpu_time_incomplete: Vec<bool>,
}

impl<'a> Table<'a> {
    fn new(job: &'a Job, records: &'a [SearchRecord]) -> Self {
        let of = |engine: usize| records.iter().filter(move |record| record.engine == engine);
        let engines = 0..job.config.engines.len();
        let is_cpu_time_incomplete = engines.map(|engine| is_cpu_time_incomplete(of(engine))).collect();
        Self { job, cells: Cells::new(job.grid(), records), is_cpu_time_incomplete }
    }

    /// Returns the median logarithms of a quantity by position.
    fn logs(&self, engine: usize, quantity: Quantity) -> Vec<Option<f64>> {
        let is_incomplete = quantity == Quantity::ProcessorTime && self.is_cpu_time_incomplete[engine];
        let is_known = !is_incomplete && (self.job.config.searches.times || !quantity.is_timed());
        let log = |records: &Vec<&SearchRecord>| {
            median(records.iter().filter_map(|record| quantity.log(record)).collect())
        };
        self.cells.of(engine, 0).iter().map(|records| log(records).filter(|_| is_known)).collect()
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// A measurement of `bench`.
pub(crate) type Job = searches::Job<BenchConfig>;

/// Returns the summary of the searches done.
pub(super) fn summarize(job: &Job, done: &[SearchRecord], state: RunState) -> BenchSummary {
    let table = Table::new(job, done);
    let control = job.config.has_control.then(|| job.config.engines.len() - 1);
    let level = ALPHA / job.config.family.map_or(1, NonZeroUsize::get) as f64;
    let ratio = |engine: usize, quantity: Quantity| {
        let base = table.logs(job.config.base_of(engine), quantity);
        Factor::of_logs_at(&log_ratios(&table.logs(engine, quantity), &base), level)
    };
    // The end of the control's interval that is farther from 1, as a logarithm.
    let noise = Quantity::ALL.map(|quantity| {
        let ratio = control.and_then(|control| ratio(control, quantity));
        ratio.map_or(0.0, |ratio| ratio.low.ln().abs().max(ratio.high.ln().abs()))
    });
    let mean = |engine: usize, quantity: Quantity| {
        let log = known_mean(table.logs(engine, quantity).into_iter().flatten())?;
        Some((quantity, log.exp()))
    };
    let engine = |index: usize| {
        let is_base = job.config.base_of(index) == index;
        let quantities = Quantity::ALL.into_iter().zip(noise).filter(|_| !is_base);
        let comparisons = quantities.filter_map(|(quantity, noise)| {
            let ratio = ratio(index, quantity)?;
            // A difference between two runs of one program is noise.
            let is_noise = control == Some(index);
            let difference = if is_noise { Difference::None } else { classify(quantity, ratio, noise) };
            Some(EngineComparison { quantity, ratio, difference })
        });
        BenchEngine {
            name: job.config.engines[index].name.clone(),
            id_name: job.id_names.get(index).cloned().unwrap_or_default(),
            is_control: control == Some(index),
            values: Quantity::ALL.into_iter().filter_map(|quantity| mean(index, quantity)).collect(),
            comparisons: comparisons.collect(),
        }
    };
    BenchSummary {
        v: BENCH_SUMMARY_VERSION,
        state,
        positions: job.positions,
        searches: done.len(),
        searches_planned: job.grid().searches(),
        engines: (0..job.config.engines.len()).map(engine).collect(),
    }
}

impl BenchSummary {
    /// Whether there are comparisons in the target's quantity, and all their intervals are narrow
    /// enough. An interval over a single position has no width, so it counts for nothing.
    pub(super) fn has_reached(&self, target: BenchTarget) -> bool {
        let quantity = match target.measure {
            BenchMeasure::Nodes => Quantity::Nodes,
            BenchMeasure::Time => Quantity::Time,
            BenchMeasure::ProcessorTime => Quantity::ProcessorTime,
            BenchMeasure::Speed => Quantity::Speed,
        };
        let wanted = (1.0 + target.percent / 100.0).ln();
        let comparisons = self.engines.iter().flat_map(|engine| &engine.comparisons);
        let mut ratios = comparisons
            .filter(|comparison| comparison.quantity == quantity)
            .map(|comparison| comparison.ratio)
            .peekable();
        let is_narrow = |ratio: Factor| ratio.positions > 1 && (ratio.high / ratio.low).ln() / 2.0 <= wanted;
        ratios.peek().is_some() && ratios.all(is_narrow)
    }
}

/// Returns the verdict on a ratio of a quantity, given the noise as a logarithm.
fn classify(quantity: Quantity, ratio: Factor, noise: f64) -> Difference {
    let is_beyond = ratio.mean.ln().abs() > noise;
    match ratio {
        // Nothing is known about the error of times on a single position.
        ratio if quantity.is_timed() && ratio.positions < 2 => Difference::None,
        ratio if is_beyond && ratio.low > 1.0 => Difference::More,
        ratio if is_beyond && ratio.high < 1.0 => Difference::Less,
        _ => Difference::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::measure::searches::record::sample_search;

    #[test]
    fn median_ignores_one_outlier() {
        assert_eq!(median(vec![1.0, 9.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![1.0, 2.0]), Some(1.5));
        assert_eq!(median(vec![]), None);
    }

    #[test]
    fn intervals_of_few_positions_cover_the_true_ratio_in_95_percent() {
        const TRIALS: u32 = 2000;
        let mut random = SplitMix64::new(9);
        // Sums of uniform numbers, around ln(1.02).
        let mut noise = || (0..12).map(|_| (random.below(1000) as f64 - 499.5) / 1000.0).sum::<f64>() * 0.05;
        for positions in [5, 10, 60] {
            let mut covers = || {
                let logs: Vec<f64> = (0..positions).map(|_| 1.02_f64.ln() + noise()).collect();
                let ratio = Factor::of_logs_at(&logs, ALPHA).unwrap();
                (ratio.low..=ratio.high).contains(&1.02)
            };
            let covered = (0..TRIALS).filter(|_| covers()).count();
            // Three standard errors of 0.5 %.
            let share = covered as f64 / f64::from(TRIALS);
            assert!((0.935..=0.965).contains(&share), "{positions} positions: {share}");
        }
    }

    #[test]
    fn simultaneous_intervals_cover_all_ratios_of_a_family() {
        let mut random = SplitMix64::new(5);
        let mut noise = || (0..12).map(|_| (random.below(1000) as f64 - 499.5) / 1000.0).sum::<f64>() * 0.05;
        let (trials, family) = (300, 20);
        let covered = |level: f64, noise: &mut dyn FnMut() -> f64| {
            let covers = |member: usize, noise: &mut dyn FnMut() -> f64| {
                let truth = 0.01 * member as f64;
                let logs: Vec<f64> = (0..30).map(|_| truth + noise()).collect();
                let ratio = Factor::of_logs_at(&logs, level).unwrap();
                (ratio.low.ln()..=ratio.high.ln()).contains(&truth)
            };
            let all = |noise: &mut dyn FnMut() -> f64| (0..family).all(|member| covers(member, noise));
            (0..trials).filter(|_| all(noise)).count()
        };
        let together = covered(ALPHA / f64::from(family as u32), &mut noise);
        assert!(together > trials * 92 / 100, "{together} of {trials}");
        // Intervals that each hold alone miss some ratio of most families.
        let alone = covered(ALPHA, &mut noise);
        assert!(alone < trials / 2, "{alone} of {trials}");
    }

    /// Returns a job with two programs and a control.
    fn job(positions: usize) -> Job {
        let engines = "engines: [{ name: a, command: sh }, { name: b, command: sh }]";
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("p.epd"), "").unwrap();
        let text = format!("{engines}\npositions: {{ file: p.epd }}\ndepth: 5\nrepetitions: 9\n");
        let source = crate::config::Source::new(dir.path().join("bench.yaml"), text);
        let config = crate::measure::bench::BenchConfig::load(&source).unwrap();
        Job { config, id_names: Vec::new(), positions }
    }

    /// Returns a comparison of two programs and a control on 60 positions with 9 repetitions. The
    /// second program takes `slower` times the time. Times vary by up to 3 %, and 2 % of them are
    /// outliers.
    fn compared(slower: f64, seed: u64) -> BenchSummary {
        let job = job(60);
        let grid = crate::measure::searches::Measurement::summary(&job, &[], RunState::Running);
        let mut random = SplitMix64::new(seed);
        let record = |index: usize| {
            let search = job.grid().search(index);
            let nodes = 100_000 + 37_000 * (search.position as u64 % 11);
            let noise = 1.0 + (random.below(2001) as f64 - 1000.0) / 1000.0 * 0.03;
            let busy = if random.below(50) == 0 { 1.7 } else { 1.0 };
            let factor = if search.engine == 1 { slower } else { 1.0 };
            SearchRecord {
                index: index as u64,
                engine: search.engine,
                position: search.position,
                repetition: search.repetition,
                depths: Vec::new(),
                nodes,
                time_us: (nodes as f64 * noise * busy * factor) as u64,
                processor_us: None,
                threads: 0,
                separate_processes: false,
                ..sample_search()
            }
        };
        let records: Vec<SearchRecord> = (0..grid.searches_planned).map(record).collect();
        job.summary(&records, RunState::Finished)
    }

    #[test]
    fn incomplete_cpu_time_is_not_compared() {
        let compared = |share: f64| {
            let job = job(5);
            let record = |index: usize| {
                let search = job.grid().search(index);
                let share = if search.engine == 1 { share } else { 0.9 };
                let processor_us = Some((1000.0 * share) as u64);
                SearchRecord {
                    engine: search.engine,
                    position: search.position,
                    processor_us,
                    threads: 0,
                    separate_processes: false,
                    ..sample_search()
                }
            };
            let records: Vec<SearchRecord> = (0..job.grid().searches()).map(record).collect();
            job.summary(&records, RunState::Finished)
        };
        let has_cpu_time = |engine: &BenchEngine| {
            let has_mean = engine.values.iter().any(|(quantity, _)| *quantity == Quantity::ProcessorTime);
            let ratios = engine.comparisons.iter();
            (has_mean, ratios.filter(|one| one.quantity == Quantity::ProcessorTime).count())
        };
        assert_eq!(
            compared(0.04).engines.iter().map(has_cpu_time).collect::<Vec<_>>(),
            [(true, 0), (false, 0), (true, 1)]
        );
        assert_eq!(has_cpu_time(&compared(0.05).engines[1]), (true, 1));
    }

    fn time(summary: &BenchSummary) -> EngineComparison {
        let comparisons = &summary.engines[1].comparisons;
        *comparisons.iter().find(|comparison| comparison.quantity == Quantity::Time).unwrap()
    }

    #[test]
    fn equal_programs_differ_in_at_most_5_percent_of_runs() {
        let tries = 100;
        let summaries: Vec<BenchSummary> = (0..tries).map(|seed| compared(1.0, seed)).collect();
        let different = |engine: usize| {
            let differs = |summary: &&BenchSummary| {
                summary.engines[engine].comparisons.iter().any(|one| one.difference != Difference::None)
            };
            summaries.iter().filter(differs).count()
        };
        assert!(different(1) <= tries as usize / 20, "{} of {tries}", different(1));
        assert!(summaries[0].engines[2].is_control);
        assert_eq!(different(2), 0, "the control never differs");
    }

    #[test]
    fn slowdown_of_two_percent_is_detected() {
        let tries = 40;
        let found: Vec<EngineComparison> = (0..tries).map(|seed| time(&compared(1.02, seed))).collect();
        let slower = found.iter().filter(|one| one.difference == Difference::More).count();
        let covered = found.iter().filter(|one| (one.ratio.low..=one.ratio.high).contains(&1.02)).count();
        assert!(slower >= 38, "{slower} of {tries} runs detect the slowdown");
        assert!(covered >= 34, "{covered} of {tries} intervals cover the slowdown");
    }

    #[test]
    fn ratios_within_the_noise_are_no_difference() {
        let ratio = |mean: f64, low, high| Factor { mean, low, high, positions: 10 };
        let classify = |ratio, noise| classify(Quantity::Time, ratio, noise);
        assert_eq!(classify(ratio(1.02, 1.01, 1.03), 0.0), Difference::More);
        assert_eq!(classify(ratio(1.02, 1.01, 1.03), 0.05), Difference::None);
        assert_eq!(classify(ratio(0.98, 0.97, 0.99), 0.005), Difference::Less);
        assert_eq!(classify(ratio(1.02, 0.99, 1.05), 0.0), Difference::None);
    }

    #[test]
    fn times_on_one_position_are_no_difference() {
        let one = Factor { mean: 1.2, low: 1.2, high: 1.2, positions: 1 };
        assert_eq!(classify(Quantity::Time, one, 0.0), Difference::None);
        assert_eq!(classify(Quantity::Nodes, one, 0.0), Difference::More, "node counts have no noise");
        assert_eq!(classify(Quantity::Time, Factor { positions: 2, ..one }, 0.0), Difference::More);
    }

    #[test]
    fn target_needs_comparisons_over_several_positions() {
        let target = BenchTarget { measure: BenchMeasure::Nodes, percent: 1.0 };
        let mut summary = compared(1.0, 1);
        assert!(summary.has_reached(target), "nodes are equal");
        for comparison in summary.engines.iter_mut().flat_map(|engine| &mut engine.comparisons) {
            comparison.ratio.positions = 1;
        }
        assert!(!summary.has_reached(target), "one position has no interval");
        summary.engines.iter_mut().for_each(|engine| engine.comparisons.clear());
        assert!(!summary.has_reached(target), "there is nothing to compare");
    }

    #[test]
    fn branching_factor_is_the_growth_of_nodes_per_ply() {
        let reached = |depth, nodes| crate::measure::searches::record::Reached {
            depth,
            nodes,
            main_nodes: None,
            time_us: 1,
        };
        let record = SearchRecord {
            depths: vec![reached(1, 20), reached(2, 100), reached(3, 200), reached(4, 400)],
            counters: [("cutoffs".to_owned(), 10), ("first-move-cutoffs".to_owned(), 9)].into(),
            nodes: 400,
            time_us: 1000,
            processor_us: Some(900),
            nps: Some(500_000),
            threads: 0,
            separate_processes: false,
            ..sample_search()
        };
        let value = |quantity: Quantity| quantity.log(&record).unwrap().exp();
        assert!((value(Quantity::Branching) - 2.0).abs() < 1e-9);
        assert!((value(Quantity::FirstMoveCutoffs) - 0.9).abs() < 1e-9);
        assert!((value(Quantity::Speed) - 500_000.0).abs() < 1e-3, "not over the whole time");
        assert!((value(Quantity::ProcessorTime) - 900.0).abs() < 1e-9);
    }
}
