//! Summary of a measurement: speedups with their intervals.
//!
//! Every quantity is compared as a logarithm, position by position: first the mean over repetitions,
//! then mean and standard error over positions ([`Factor::of_logs`]). The factor 1.3 (1.2 to 1.4) is
//! a geometric mean with its 95 % interval. The interval covers the variation between positions,
//! which is far larger than the variation between repetitions.

use std::num::NonZeroU32;

use serde::Serialize;

use super::SmpConfig;
use crate::config::EngineConfig;
use crate::measure::searches::{self, Cells, Load, Measurement, SearchRecord, SearchesConfig, log_ratios};
use crate::run::RunState;
use stretto_stats::factor::Factor;
use stretto_stats::mean::known_mean;

/// The format of [`SmpSummary`]; raised when an older reader could misread it.
pub(crate) const SMP_SUMMARY_VERSION: u32 = 2;

/// An engine at one number of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Cell {
    /// Number of search threads.
    pub threads: u32,
    /// Number of searches done.
    pub searches: usize,
    /// Nodes per second: geometric mean over positions.
    pub nps: Option<Factor>,
    /// Nodes per second, divided by those with the first number of threads. This, the next quantity and the
    /// speedup in time are absent with threads that take turns.
    pub nps_ratio: Option<Factor>,
    /// Nodes per second, divided by those of as many single-threaded processes.
    pub nps_of_separate_processes: Option<Factor>,
    /// Nodes of the main thread to the depth with the first number of threads, divided by those
    /// with this number.
    pub node_speedup: Option<Factor>,
    /// Time to the depth with the first number of threads, divided by the time with this number.
    pub time_speedup: Option<Factor>,
    /// Nodes of all threads, divided by those with the first number of threads.
    pub tree: Option<Factor>,
    /// Nodes of the main thread of the first engine, divided by those of this engine.
    pub node_gain: Option<Factor>,
    /// Time of the first engine, divided by the time of this engine.
    pub time_gain: Option<Factor>,
    /// Nodes per second, divided by those of the first engine.
    pub speed_gain: Option<Factor>,
    /// Delay of the moves after the requested time, if the limit is a movetime.
    pub latency: Option<Latency>,
    /// Mean fill of the hash table at the end. Units: permille.
    pub hashfull: Option<f64>,
}

/// Delay of moves after the requested time. Units: microseconds; negative if early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Latency {
    /// Median; of two middle values the larger.
    pub median_us: i64,
    /// Maximum over all searches.
    pub max_us: i64,
}

impl Latency {
    /// Computes the latency of searches with a movetime of `asked_us`; `None` without searches.
    fn of(asked_us: i64, times_us: impl Iterator<Item = u64>) -> Option<Self> {
        let mut late: Vec<i64> = times_us.map(|time| time.cast_signed() - asked_us).collect();
        late.sort_unstable();
        Some(Self { median_us: *late.get(late.len() / 2)?, max_us: *late.last()? })
    }
}

/// An engine at all numbers of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EngineCurve {
    /// Name in the configuration.
    pub name: String,
    /// Name by `id name`.
    pub id_name: String,
    /// One cell for each number of threads.
    pub cells: Vec<Cell>,
    /// The same for single-threaded processes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub separate_processes: Vec<Cell>,
}

/// The content of `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SmpSummary {
    /// Format version: [`SMP_SUMMARY_VERSION`] when written.
    pub v: u32,
    /// The state of the run.
    pub state: RunState,
    /// Number of searches done.
    pub searches: usize,
    /// Number of searches of the complete run.
    pub searches_planned: usize,
    /// Results in the order of the configuration.
    pub engines: Vec<EngineCurve>,
}

/// A quantity of a search. Units: those of the journal.
#[derive(Clone, Copy)]
enum Measure {
    MainNodes,
    Nodes,
    Time,
    Speed,
}

impl Measure {
    /// Returns the logarithm of the quantity, `None` if the engine did not report it.
    fn log(self, record: &SearchRecord, depth: Option<u32>) -> Option<f64> {
        let reached = || record.depths.iter().find(|reached| Some(reached.depth) >= depth);
        // The end of the search completes its depth: engines that report each new best move report the depth long before.
        let last = record.depths.last().map(|last| last.depth);
        let is_whole = !record.separate_processes && last.is_some() && last == depth;
        let value = match self {
            Self::Nodes if is_whole => record.nodes as f64,
            Self::Time if is_whole => record.time_us as f64,
            Self::MainNodes => reached()?.main_nodes? as f64,
            Self::Nodes => reached()?.nodes as f64,
            Self::Time => reached()?.time_us as f64,
            Self::Speed => record.speed(),
        };
        (value > 0.0 && value.is_finite()).then(|| value.ln())
    }
}

/// The finished searches by engine, load and position.
struct Table<'a> {
    job: &'a Job,
    loads: Vec<Load>,
    cells: Cells<'a>,
}

impl Table<'_> {
    /// Returns the mean logarithms over the repetitions, by position.
    fn logs(&self, measure: Measure, (engine, load): (usize, usize)) -> Vec<Option<f64>> {
        let SearchesConfig { times, limits, .. } = &self.job.config.searches;
        let depth = limits.depth.map(NonZeroU32::get);
        // Speeds are valid with any limit, the other quantities only at a fixed depth.
        let is_known = match measure {
            Measure::Speed => *times,
            Measure::Time => *times && depth.is_some(),
            Measure::MainNodes | Measure::Nodes => depth.is_some(),
        };
        let log = |records: &Vec<&SearchRecord>| {
            let logs: Option<Vec<f64>> = records.iter().map(|record| measure.log(record, depth)).collect();
            known_mean(logs.filter(|_| is_known)?)
        };
        self.cells.of(engine, load).iter().map(log).collect()
    }

    /// Returns the ratio of two cells, `one` over `other`, over the positions known for both.
    fn factor(&self, measure: Measure, one: (usize, usize), other: (usize, usize)) -> Option<Factor> {
        Factor::of_logs(&log_ratios(&self.logs(measure, one), &self.logs(measure, other)))
    }

    fn latency(&self, times_us: impl Iterator<Item = u64>) -> Option<Latency> {
        let asked = i64::try_from(self.job.config.searches.limits.movetime?.get()).ok()?;
        Latency::of(asked.saturating_mul(1000), times_us)
    }

    /// Returns the cells of an engine with threads, or with separate processes.
    fn cells(&self, engine: usize, is_separate: bool) -> Vec<Cell> {
        let loads = (0..self.loads.len()).filter(|&load| self.loads[load].is_separate() == is_separate);
        loads.map(|load| self.cell(engine, load)).collect()
    }

    fn cell(&self, engine: usize, load: usize) -> Cell {
        let here = (engine, load);
        let (alone, rival) = ((engine, 0), (0, load));
        let threads = self.loads[load].threads();
        let is_rival = |other: &Load| other.is_separate() && other.threads() == threads;
        let separate = self.loads.iter().position(is_rival).filter(|&separate| separate != load);
        let beyond_first = |factor: Option<Factor>| factor.filter(|_| engine > 0);
        // Threads that take turns are no faster than one.
        let is_parallel = threads == 1
            || self.loads[load].is_separate()
            || self.job.config.engines[engine].lockstep().is_none();
        let if_parallel = |factor: Option<Factor>| factor.filter(|_| is_parallel);
        let records = || self.cells.of(engine, load).iter().flatten();
        let speeds: Vec<f64> = self.logs(Measure::Speed, here).into_iter().flatten().collect();
        Cell {
            threads,
            searches: records().count(),
            nps: Factor::of_logs(&speeds),
            nps_ratio: if_parallel(self.factor(Measure::Speed, here, alone)),
            nps_of_separate_processes: if_parallel(
                separate.and_then(|load| self.factor(Measure::Speed, here, (engine, load))),
            ),
            node_speedup: self.factor(Measure::MainNodes, alone, here),
            time_speedup: if_parallel(self.factor(Measure::Time, alone, here)),
            tree: self.factor(Measure::Nodes, here, alone),
            node_gain: beyond_first(self.factor(Measure::MainNodes, rival, here)),
            time_gain: beyond_first(self.factor(Measure::Time, rival, here)),
            speed_gain: beyond_first(self.factor(Measure::Speed, here, rival)),
            latency: self.latency(records().map(|record| record.time_us)),
            hashfull: known_mean(records().filter_map(|record| record.hashfull.map(f64::from))),
        }
    }
}

/// A measurement of `smp`.
pub(crate) type Job = searches::Job<SmpConfig>;

/// Returns the summary of the searches done.
pub(super) fn summarize(job: &Job, done: &[SearchRecord], state: RunState) -> SmpSummary {
    let table = Table { job, loads: job.loads(), cells: Cells::new(job.grid(), done) };
    let curve = |(engine, config): (usize, &EngineConfig)| EngineCurve {
        name: config.name.clone(),
        id_name: job.id_names.get(engine).cloned().unwrap_or_default(),
        cells: table.cells(engine, false),
        separate_processes: table.cells(engine, true),
    };
    SmpSummary {
        v: SMP_SUMMARY_VERSION,
        state,
        searches: done.len(),
        searches_planned: job.grid().searches(),
        engines: job.config.engines.iter().enumerate().map(curve).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use serde_json::json;

    use super::*;
    use crate::measure::searches::record::Reached;

    /// Returns a job of two engines with one and two threads on three positions.
    fn job(more: &str) -> Job {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("p.epd"), "").unwrap();
        let text = format!(
            "engines: [{{ name: a, command: sh }}, {{ name: b, command: sh }}]\n\
             positions: {{ file: p.epd }}\nthreads: [1, 2]\n{more}\n"
        );
        let source = crate::config::Source::new(dir.path().join("smp.yaml"), text);
        let config = SmpConfig::load(&source).unwrap();
        Job { config, id_names: Vec::new(), positions: 3 }
    }

    /// Returns a search of 100 ms with these nodes.
    fn search(engine: usize, threads: u32, position: usize, nodes: u64) -> SearchRecord {
        let record = json!({
            "v": 1, "index": 0, "engine": engine, "threads": threads, "position": position, "repetition": 0,
            "depths": [], "nodes": nodes, "time_us": 100_000, "may_stop_early": false, "best_move": "e2e4"
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn speed_is_compared_with_the_first_engine_at_the_same_load() {
        let job = job("movetime: 100");
        assert_eq!(job.config.searches.limits.movetime, NonZeroU64::new(100));
        assert_eq!(job.config.threads, [1, 2].map(|threads| NonZeroU32::new(threads).unwrap()));
        // The positions differ tenfold in speed, which a comparison position by position cancels. The
        // second engine is 1.1 times as fast with one thread and 1.5 times with two.
        let records: Vec<SearchRecord> = [100_000, 300_000, 1_000_000]
            .into_iter()
            .enumerate()
            .flat_map(|(position, nodes)| {
                [
                    search(0, 1, position, nodes),
                    search(1, 1, position, nodes * 11 / 10),
                    search(0, 2, position, 2 * nodes),
                    search(1, 2, position, 3 * nodes),
                ]
            })
            .collect();
        let summary = job.summary(&records, RunState::Finished);
        let gain = |engine: usize, cell: usize| summary.engines[engine].cells[cell].speed_gain;
        assert_eq!((gain(0, 0), gain(0, 1)), (None, None), "the first engine is the reference");
        for (cell, expected) in [1.1, 1.5].into_iter().enumerate() {
            let factor = gain(1, cell).unwrap();
            let (low, high) = factor.interval().unwrap();
            assert!((factor.mean - expected).abs() < 1e-9, "{factor:?}");
            assert!((low - expected).abs() < 1e-9 && (high - expected).abs() < 1e-9, "{factor:?}");
        }
        for (engine, expected) in [2.0, 30.0 / 11.0].into_iter().enumerate() {
            let ratio = summary.engines[engine].cells[1].nps_ratio.unwrap().mean;
            assert!((ratio - expected).abs() < 1e-9, "engine {engine} with two threads: {ratio}");
        }
    }

    #[test]
    fn time_ratios_exceed_one_for_the_shorter_time() {
        let timed = |engine, threads, ms: u64| {
            let depths = vec![Reached { depth: 5, nodes: 100, main_nodes: None, time_us: 1 }];
            SearchRecord { depths, time_us: 1000 * ms, ..search(engine, threads, 0, 100) }
        };
        let records = [timed(0, 1, 200), timed(0, 2, 100), timed(1, 1, 100)];
        let summary = job("depth: 5").summary(&records, RunState::Finished);
        let cell = |engine: usize, cell: usize| &summary.engines[engine].cells[cell];
        for factor in [cell(0, 1).time_speedup, cell(1, 0).time_gain] {
            assert!((factor.unwrap().mean - 2.0).abs() < 1e-9, "{factor:?}");
        }
    }

    #[test]
    fn depth_of_the_limit_is_complete_at_the_end_of_the_search() {
        let reached = |depth, nodes, time_us| Reached { depth, nodes, main_nodes: None, time_us };
        let depths = vec![reached(7, 10, 100), reached(8, 20, 1000)];
        let record = SearchRecord { depths, ..search(0, 1, 0, 200) };
        let value = |measure: Measure, depth| measure.log(&record, Some(depth)).unwrap().exp().round() as u64;
        assert_eq!([value(Measure::Nodes, 8), value(Measure::Time, 8)], [200, 100_000]);
        assert_eq!([value(Measure::Nodes, 7), value(Measure::Time, 7)], [10, 100], "it went on");
    }

    #[test]
    fn threads_in_lockstep_have_no_speedup_in_time() {
        let ratios = |options: &str| {
            let mut job = job("movetime: 100");
            for engine in &mut job.config.engines {
                let words: Vec<(String, Option<String>)> = options
                    .split_whitespace()
                    .map(|name| (name.to_owned(), Some("500".to_owned())))
                    .collect();
                *engine =
                    EngineConfig::of_words("sh", Some(&engine.name), &[], &words, engine.limits).unwrap();
            }
            let records = [search(0, 1, 0, 100_000), search(0, 2, 0, 100_000)];
            let summary = job.summary(&records, RunState::Finished);
            [0, 1].map(|cell| summary.engines[0].cells[cell].nps_ratio.is_some())
        };
        assert_eq!(ratios(""), [true, true]);
        assert_eq!(ratios("Lockstep"), [true, false]);
    }

    #[test]
    fn speed_of_processes_is_the_sum_of_their_speeds() {
        let processes = |more: &str| -> SearchRecord {
            let text = format!(
                r#"{{ "v": 1, "index": 0, "engine": 0, "threads": 2, "separate_processes": true, "position": 0,
                "repetition": 0, "depths": [], "nodes": 200, "time_us": 200, "may_stop_early": false,
                "best_move": "e2e4"{more} }}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        // 100 nodes in 100 and in 200 microseconds.
        assert_eq!(processes(r#", "nps": 1500000"#).speed().round() as u64, 1_500_000);
        assert_eq!(processes("").speed().round() as u64, 1_000_000, "as for threads: over the slowest time");
    }

    #[test]
    fn latency_is_the_delay_after_the_movetime() {
        let late = Latency::of(1000, [1900, 990, 1010, 1020].into_iter()).unwrap();
        assert_eq!((late.median_us, late.max_us), (20, 900));
        assert_eq!(Latency::of(1000, [].into_iter()), None);
    }
}
