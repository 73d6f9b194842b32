//! What the searches of a comparison say.
//!
//! Everything is compared as logarithms of ratios, position by position: the median over the repetitions first, which a
//! machine that was busy once does not move, then the mean over positions. Intervals come from resampling the positions
//! (bootstrap): they say how much other positions of the same kind would differ.

use serde::Serialize;

use super::Job;
use crate::base::random::SplitMix64;
use crate::measure::bench::{BenchMeasure, BenchTarget};
use crate::measure::searches::{Measurement, SearchRecord};
use crate::run::RunState;
use crate::stats::factor::Factor;

/// The format of [`BenchSummary`]; raised when an older reader could misread it.
pub const BENCH_SUMMARY_VERSION: u32 = 1;

/// Samples behind an interval.
const SAMPLES: usize = 2000;
/// The share of samples beyond either end of an interval of 95 %.
const TAIL: f64 = 0.025;

/// What engines are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Nodes to the end of the search.
    Nodes,
    /// Time to it.
    Time,
    /// How long processors worked for it, without what others took; where the system tells.
    ProcessorTime,
    /// Nodes a second.
    Speed,
    /// By what one more ply multiplies the nodes.
    Branching,
    /// The share of cutoffs that the first move makes, where the engine tells.
    FirstMoveCutoffs,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Nodes, Self::Time, Self::ProcessorTime, Self::Speed, Self::Branching, Self::FirstMoveCutoffs];

    /// How it is called in a table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Time => "time",
            Self::ProcessorTime => "processor time",
            Self::Speed => "nodes/s",
            Self::Branching => "branching",
            Self::FirstMoveCutoffs => "first-move cutoffs",
        }
    }

    /// Does it depend on the machine?
    const fn is_timed(self) -> bool {
        matches!(self, Self::Time | Self::ProcessorTime | Self::Speed)
    }

    /// Its logarithm for one search; `None` where the search does not say.
    fn log(self, record: &SearchRecord) -> Option<f64> {
        let value = match self {
            Self::Nodes => record.nodes as f64,
            Self::Time => record.time_us as f64,
            Self::ProcessorTime => record.processor_us? as f64,
            Self::Speed => record.nodes as f64 / record.time_us as f64 * 1e6,
            Self::Branching => {
                let last = record.depths.last()?;
                let middle = record.depths.iter().find(|reached| 2 * reached.depth >= last.depth)?;
                let plies = last.depth.checked_sub(middle.depth).filter(|&plies| plies > 0)?;
                (last.nodes as f64 / middle.nodes as f64).powf(1.0 / f64::from(plies))
            }
            Self::FirstMoveCutoffs => {
                let count = |name: &str| record.counters.get(name).map(|&count| count as f64);
                count("first-move-cutoffs")? / count("cutoffs")?
            }
        };
        (value > 0.0 && value.is_finite()).then(|| value.ln())
    }
}

/// What a comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Difference {
    /// More than the first engine.
    More,
    /// Less.
    Less,
    /// Not to be told from noise.
    None,
}

/// An engine beside the first, in one quantity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Which quantity.
    pub quantity: Quantity,
    /// How many times as much as the first.
    pub ratio: Factor,
    /// Is that a difference? The interval must leave out 1, and the ratio what the control shows by chance; so the control
    /// itself has none.
    pub difference: Difference,
}

/// An engine's part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchEngine {
    /// Its name.
    pub name: String,
    /// What it calls itself.
    pub id_name: String,
    /// Is it the first once more?
    pub is_control: bool,
    /// Geometric mean of each quantity over positions, where it is known.
    pub values: Vec<(Quantity, f64)>,
    /// Beside the first; empty for that.
    pub comparisons: Vec<Comparison>,
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchSummary {
    /// See [`BENCH_SUMMARY_VERSION`].
    pub v: u32,
    /// Is the run over?
    pub state: RunState,
    /// Positions.
    pub positions: usize,
    /// Searches done.
    pub searches: usize,
    /// Searches there may be.
    pub searches_planned: usize,
    /// In the order of the configuration.
    pub engines: Vec<BenchEngine>,
}

/// Median logarithms by engine, quantity and position.
struct Table(Vec<Vec<Vec<Option<f64>>>>);

impl Table {
    fn new(job: &Job, records: &[SearchRecord]) -> Self {
        let engines = job.config.engines.len();
        let mut all = vec![vec![vec![Vec::new(); job.positions]; Quantity::ALL.len()]; engines];
        for record in records {
            for (index, quantity) in Quantity::ALL.into_iter().enumerate() {
                if quantity.is_timed() && !job.config.searches.times {
                    continue;
                }
                if let Some(log) = quantity.log(record) {
                    all[record.engine][index][record.position].push(log);
                }
            }
        }
        Self(
            all.into_iter()
                .map(|engine| {
                    engine.into_iter().map(|cells| cells.into_iter().map(median).collect()).collect()
                })
                .collect(),
        )
    }

    /// Logarithms of the ratios to the first engine, over the positions that both have.
    fn ratios(&self, engine: usize, quantity: usize) -> Vec<f64> {
        let pairs = self.0[engine][quantity].iter().zip(&self.0[0][quantity]);
        pairs.filter_map(|(here, first)| Some((*here)? - (*first)?)).collect()
    }

    fn mean(&self, engine: usize, quantity: usize) -> Option<f64> {
        let logs: Vec<f64> = self.0[engine][quantity].iter().copied().flatten().collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
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

/// The geometric mean of ratios, with an interval of 95 % from resampling.
fn resampled(logs: &[f64], seed: u64) -> Option<Factor> {
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / logs.len() as f64;
    if logs.is_empty() {
        return None;
    }
    let mut random = SplitMix64::new(seed);
    let mut means: Vec<f64> = (0..SAMPLES)
        .map(|_| mean(&mut (0..logs.len()).map(|_| logs[random.below(logs.len() as u64) as usize])))
        .collect();
    means.sort_by(f64::total_cmp);
    let end = |share: f64| means[((SAMPLES - 1) as f64 * share).round() as usize].exp();
    Some(Factor {
        mean: mean(&mut logs.iter().copied()).exp(),
        low: end(TAIL),
        high: end(1.0 - TAIL),
        positions: logs.len(),
    })
}

impl BenchSummary {
    /// Of the searches so far.
    pub(super) fn of(job: &Job, records: &[SearchRecord], state: RunState) -> Self {
        let table = Table::new(job, records);
        let control = job.config.has_control.then(|| job.config.engines.len() - 1);
        let ratio =
            |engine: usize, quantity: usize| resampled(&table.ratios(engine, quantity), job.config.seed);
        // How far from 1 the same program gets by chance.
        let noise: Vec<f64> = (0..Quantity::ALL.len())
            .map(|quantity| {
                let ratio = control.and_then(|control| ratio(control, quantity));
                ratio.map_or(0.0, |ratio| ratio.low.ln().abs().max(ratio.high.ln().abs()))
            })
            .collect();
        let engine = |index: usize| {
            let quantities = Quantity::ALL.into_iter().enumerate();
            let comparisons = quantities.clone().filter(|_| index > 0).filter_map(|(place, quantity)| {
                let ratio = ratio(index, place)?;
                // Whatever the same program shows beside itself is noise.
                let is_noise = control == Some(index);
                let difference = if is_noise { Difference::None } else { told(ratio, noise[place]) };
                Some(Comparison { quantity, ratio, difference })
            });
            BenchEngine {
                name: job.config.engines[index].name.clone(),
                id_name: job.id_names.get(index).cloned().unwrap_or_default(),
                is_control: control == Some(index),
                values: quantities
                    .clone()
                    .filter_map(|(place, quantity)| Some((quantity, table.mean(index, place)?)))
                    .collect(),
                comparisons: comparisons.collect(),
            }
        };
        Self {
            v: BENCH_SUMMARY_VERSION,
            state,
            positions: job.positions,
            searches: records.len(),
            searches_planned: job.grid().searches(),
            engines: (0..job.config.engines.len()).map(engine).collect(),
        }
    }

    /// Is every interval of the target's quantity narrow enough?
    pub(super) fn has_reached(&self, target: BenchTarget) -> bool {
        let quantity = match target.measure {
            BenchMeasure::Nodes => Quantity::Nodes,
            BenchMeasure::Time => Quantity::Time,
            BenchMeasure::ProcessorTime => Quantity::ProcessorTime,
            BenchMeasure::Speed => Quantity::Speed,
        };
        let wanted = (1.0 + target.percent / 100.0).ln();
        let comparisons = self.engines.iter().flat_map(|engine| &engine.comparisons);
        let mut widths = comparisons
            .filter(|comparison| comparison.quantity == quantity)
            .map(|comparison| (comparison.ratio.high / comparison.ratio.low).ln() / 2.0);
        widths.all(|width| width <= wanted)
    }
}

/// What a ratio comes to beside so much noise, as a logarithm.
fn told(ratio: Factor, noise: f64) -> Difference {
    let is_beyond = ratio.mean.ln().abs() > noise;
    match ratio {
        ratio if is_beyond && ratio.low > 1.0 => Difference::More,
        ratio if is_beyond && ratio.high < 1.0 => Difference::Less,
        _ => Difference::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_do_not_heed_one_bad_run() {
        assert_eq!(median(vec![1.0, 9.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![1.0, 2.0]), Some(1.5));
        assert_eq!(median(vec![]), None);
    }

    #[test]
    fn intervals_cover_the_truth_as_often_as_they_say() {
        let mut random = SplitMix64::new(9);
        // Sums of uniform numbers, around ln(1.02).
        let mut noisy = || (0..12).map(|_| (random.below(1000) as f64 - 499.5) / 1000.0).sum::<f64>() * 0.05;
        let trials = 400;
        let covered = (0..trials)
            .filter(|&trial| {
                let logs: Vec<f64> = (0..60).map(|_| 1.02_f64.ln() + noisy()).collect();
                let ratio = resampled(&logs, trial).unwrap();
                (ratio.low..=ratio.high).contains(&1.02)
            })
            .count();
        let share = covered as f64 / trials as f64;
        assert!((0.90..=0.98).contains(&share), "{share}");
    }

    /// A comparison of two programs and a control over sixty positions, nine repetitions each; the second takes `slower` times
    /// the time. Each search is off by up to some percent, and now and then the machine is busy.
    fn compared(slower: f64, seed: u64) -> BenchSummary {
        let engines = "engines: [{ name: a, command: sh }, { name: b, command: sh }]";
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("p.epd"), "").unwrap();
        let text =
            format!("{engines}\npositions: {{ file: p.epd }}\ndepth: 5\nrepetitions: 9\nseed: {seed}\n");
        let source = crate::config::Source::new(dir.path().join("bench.yaml"), text);
        let config = crate::measure::bench::BenchConfig::load(&source).unwrap();
        let job = Job { config, id_names: Vec::new(), positions: 60 };
        let grid = crate::measure::searches::Measurement::summary(&job, &[], RunState::Running);
        let mut random = SplitMix64::new(seed);
        let record = |index: usize| {
            let search = job.grid().search(index);
            let nodes = 100_000 + 37_000 * (search.position as u64 % 11);
            let noise = 1.0 + (random.below(2001) as f64 - 1000.0) / 1000.0 * 0.03;
            let busy = if random.below(50) == 0 { 1.7 } else { 1.0 };
            let factor = if search.engine == 1 { slower } else { 1.0 };
            SearchRecord {
                v: crate::measure::searches::SEARCH_VERSION,
                index: index as u64,
                engine: search.engine,
                threads: 0,
                apart: false,
                position: search.position,
                repetition: search.repetition,
                depths: Vec::new(),
                counters: crate::measure::searches::Counters::default(),
                nodes,
                time_us: (nodes as f64 * noise * busy * factor) as u64,
                processor_us: None,
                hashfull: None,
                best_move: "e2e4".to_owned(),
            }
        };
        let records: Vec<SearchRecord> = (0..grid.searches_planned).map(record).collect();
        BenchSummary::of(&job, &records, RunState::Finished)
    }

    fn time(summary: &BenchSummary) -> Comparison {
        let comparisons = &summary.engines[1].comparisons;
        *comparisons.iter().find(|comparison| comparison.quantity == Quantity::Time).unwrap()
    }

    #[test]
    fn equal_programs_differ_in_no_more_than_one_try_of_twenty() {
        let tries = 100;
        let summaries: Vec<BenchSummary> = (0..tries).map(|seed| compared(1.0, seed)).collect();
        let told = |engine: usize| {
            let differs = |summary: &&BenchSummary| {
                summary.engines[engine].comparisons.iter().any(|one| one.difference != Difference::None)
            };
            summaries.iter().filter(differs).count()
        };
        assert!(told(1) <= tries as usize / 20, "{} of {tries}", told(1));
        assert!(summaries[0].engines[2].is_control);
        assert_eq!(told(2), 0, "the control is the noise");
    }

    #[test]
    fn a_program_slowed_by_two_percent_is_found_and_the_interval_covers_it() {
        let tries = 40;
        let found: Vec<Comparison> = (0..tries).map(|seed| time(&compared(1.02, seed))).collect();
        let slower = found.iter().filter(|one| one.difference == Difference::More).count();
        let covered = found.iter().filter(|one| (one.ratio.low..=one.ratio.high).contains(&1.02)).count();
        assert!(slower >= 38, "{slower} of {tries} are told from noise");
        assert!(covered >= 34, "{covered} of {tries} intervals cover it");
    }

    #[test]
    fn nothing_inside_the_noise_is_a_difference() {
        let ratio = |mean: f64, low, high| Factor { mean, low, high, positions: 10 };
        assert_eq!(told(ratio(1.02, 1.01, 1.03), 0.0), Difference::More);
        assert_eq!(told(ratio(1.02, 1.01, 1.03), 0.05), Difference::None);
        assert_eq!(told(ratio(0.98, 0.97, 0.99), 0.005), Difference::Less);
        assert_eq!(told(ratio(1.02, 0.99, 1.05), 0.0), Difference::None);
    }

    #[test]
    fn branching_is_by_ply() {
        let reached =
            |depth, nodes| crate::measure::searches::Reached { depth, nodes, main_nodes: None, time_us: 1 };
        let record = SearchRecord {
            v: crate::measure::searches::SEARCH_VERSION,
            index: 0,
            engine: 0,
            threads: 0,
            apart: false,
            position: 0,
            repetition: 0,
            depths: vec![reached(1, 20), reached(2, 100), reached(3, 200), reached(4, 400)],
            counters: [("cutoffs".to_owned(), 10), ("first-move-cutoffs".to_owned(), 9)].into(),
            nodes: 400,
            time_us: 1000,
            processor_us: Some(900),
            hashfull: None,
            best_move: "e2e4".to_owned(),
        };
        let value = |quantity: Quantity| quantity.log(&record).unwrap().exp();
        assert!((value(Quantity::Branching) - 2.0).abs() < 1e-9);
        assert!((value(Quantity::FirstMoveCutoffs) - 0.9).abs() < 1e-9);
        assert!((value(Quantity::Speed) - 400_000.0).abs() < 1e-3);
        assert!((value(Quantity::ProcessorTime) - 900.0).abs() < 1e-9);
    }
}
