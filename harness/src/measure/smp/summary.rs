//! What the searches of a measurement say: speedups and their errors.
//!
//! All comparisons are of logarithms, position by position: the mean over repetitions first, then mean and standard
//! error over positions. A factor of 1.3 (1.2 to 1.4) is the geometric mean over positions with its 95 % interval. The
//! error says how much other positions of the same kind would differ, which is far more than other repetitions would.

use serde::Serialize;

use super::{Job, loads};
use crate::measure::searches::{Load, Measurement, SearchRecord};
use crate::run::RunState;
use crate::stats::factor::Factor;

/// The format of [`SmpSummary`]; raised when an older reader could misread it.
pub const SMP_SUMMARY_VERSION: u32 = 1;

/// An engine at one number of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// How many threads.
    pub threads: u32,
    /// Searches done.
    pub searches: usize,
    /// Nodes a second: geometric mean over positions.
    pub nps: Option<Factor>,
    /// Against the first number of threads.
    pub nps_ratio: Option<Factor>,
    /// Against as many processes of one thread each: what is left of the most that the machine can give.
    pub nps_of_apart: Option<Factor>,
    /// How many times fewer nodes of the main thread to the depth than with the first number of threads.
    pub node_speedup: Option<Factor>,
    /// How many times less time to the depth.
    pub time_speedup: Option<Factor>,
    /// How many times more nodes of all threads.
    pub tree: Option<Factor>,
    /// How many times fewer nodes of the main thread than the first engine, position by position.
    pub node_gain: Option<Factor>,
    /// How many times less time than the first engine.
    pub time_gain: Option<Factor>,
    /// How much later than asked the move came, where a time was asked for.
    pub lateness: Option<Lateness>,
    /// Mean fill of the hash table at the end. Units: permille.
    pub hashfull: Option<f64>,
}

/// How much later than asked moves came, by the harness's clock. Units: microseconds; below zero is early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Lateness {
    /// Half of all were no later; of two in the middle the later.
    pub median_us: i64,
    /// The latest of all.
    pub worst_us: i64,
}

impl Lateness {
    /// Of times taken where `asked` was asked for; `None` without any.
    fn of(asked_us: i64, times_us: impl Iterator<Item = u64>) -> Option<Self> {
        let mut late: Vec<i64> = times_us.map(|time| time.cast_signed() - asked_us).collect();
        late.sort_unstable();
        Some(Self { median_us: *late.get(late.len() / 2)?, worst_us: *late.last()? })
    }
}

/// An engine at all numbers of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineCurve {
    /// Its name.
    pub name: String,
    /// What it calls itself.
    pub id_name: String,
    /// One for each number of threads.
    pub cells: Vec<Cell>,
    /// The same with so many processes of one thread each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<Cell>,
}

/// The outcome of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SmpSummary {
    /// See [`SMP_SUMMARY_VERSION`].
    pub v: u32,
    /// Is the run over?
    pub state: RunState,
    /// Searches done.
    pub searches: usize,
    /// Searches there are.
    pub searches_planned: usize,
    /// In the order of the configuration.
    pub engines: Vec<EngineCurve>,
}

/// What is measured of a search. Units: those of the journal.
#[derive(Clone, Copy)]
enum Measure {
    MainNodes,
    Nodes,
    Time,
    Speed,
}

impl Measure {
    /// The logarithm of what a search took, `None` where it does not say.
    fn log(self, record: &SearchRecord, depth: Option<u32>) -> Option<f64> {
        let reached = || record.depths.iter().find(|reached| Some(reached.depth) >= depth);
        let value = match self {
            Self::MainNodes => reached()?.main_nodes? as f64,
            Self::Nodes => reached()?.nodes as f64,
            Self::Time => reached()?.time_us as f64,
            Self::Speed => record.nodes as f64 / record.time_us as f64 * 1e6,
        };
        (value > 0.0 && value.is_finite()).then(|| value.ln())
    }
}

/// All searches, by engine, load and position.
struct Table<'a> {
    job: &'a Job,
    loads: Vec<Load>,
    cells: Vec<Vec<&'a SearchRecord>>,
}

impl<'a> Table<'a> {
    fn new(job: &'a Job, records: &'a [SearchRecord]) -> Self {
        let mut table = Self { job, loads: loads(&job.config), cells: Vec::new() };
        table.cells.resize(job.config.engines.len() * table.loads.len() * job.positions, Vec::new());
        for record in records {
            let Some(load) = table.loads.iter().position(|&load| record.is_of(load)) else { continue };
            let place = table.place(record.engine, load, record.position);
            table.cells[place].push(record);
        }
        for cell in &mut table.cells {
            // Searches end in any order; sums of floating-point numbers depend on it.
            cell.sort_by_key(|record| record.index);
        }
        table
    }

    fn place(&self, engine: usize, load: usize, position: usize) -> usize {
        (engine * self.loads.len() + load) * self.job.positions + position
    }

    /// The mean logarithm over the repetitions.
    fn mean(&self, measure: Measure, engine: usize, load: usize, position: usize) -> Option<f64> {
        if !self.job.config.searches.times && matches!(measure, Measure::Time | Measure::Speed) {
            return None;
        }
        // Speeds are taken at any limit, the others at a depth.
        let depth = self.job.config.searches.limits.depth.map(std::num::NonZero::get);
        if depth.is_none() && !matches!(measure, Measure::Speed) {
            return None;
        }
        let cell = &self.cells[self.place(engine, load, position)];
        let logs: Option<Vec<f64>> = cell.iter().map(|record| measure.log(record, depth)).collect();
        let logs = logs.filter(|logs| !logs.is_empty())?;
        Some(logs.iter().sum::<f64>() / logs.len() as f64)
    }

    /// The factor between two cells, `one` over `other`, over the positions that both have.
    fn factor(&self, measure: Measure, one: (usize, usize), other: (usize, usize)) -> Option<Factor> {
        let logs: Vec<f64> = (0..self.job.positions)
            .filter_map(|position| {
                let one = self.mean(measure, one.0, one.1, position)?;
                Some(one - self.mean(measure, other.0, other.1, position)?)
            })
            .collect();
        Factor::of_logs(&logs)
    }

    fn lateness(&self, times_us: impl Iterator<Item = u64>) -> Option<Lateness> {
        let asked = i64::try_from(self.job.config.searches.limits.movetime?.get()).ok()?;
        Lateness::of(asked.saturating_mul(1000), times_us)
    }

    /// An engine's cells with such loads.
    fn cells(&self, engine: usize, is_apart: bool) -> Vec<Cell> {
        let loads = (0..self.loads.len()).filter(|&load| self.loads[load].is_apart() == is_apart);
        loads.map(|load| self.cell(engine, load)).collect()
    }

    fn cell(&self, engine: usize, load: usize) -> Cell {
        let here = (engine, load);
        let (alone, rival) = ((engine, 0), (0, load));
        let threads = self.loads[load].threads();
        let is_rival_apart = |other: &Load| other.is_apart() && other.threads() == threads;
        let apart = self.loads.iter().position(is_rival_apart).filter(|&apart| apart != load);
        let beyond_first = |factor: Option<Factor>| factor.filter(|_| engine > 0);
        let positions = 0..self.job.positions;
        let records =
            || positions.clone().flat_map(|position| &self.cells[self.place(engine, load, position)]);
        let speeds: Vec<f64> = positions
            .clone()
            .filter_map(|position| self.mean(Measure::Speed, engine, load, position))
            .collect();
        let fills: Vec<f64> = records().filter_map(|record| record.hashfull.map(f64::from)).collect();
        Cell {
            threads,
            searches: records().count(),
            nps: Factor::of_logs(&speeds),
            nps_ratio: self.factor(Measure::Speed, here, alone),
            nps_of_apart: apart.and_then(|apart| self.factor(Measure::Speed, here, (engine, apart))),
            node_speedup: self.factor(Measure::MainNodes, alone, here),
            time_speedup: self.factor(Measure::Time, alone, here),
            tree: self.factor(Measure::Nodes, here, alone),
            node_gain: beyond_first(self.factor(Measure::MainNodes, rival, here)),
            time_gain: beyond_first(self.factor(Measure::Time, rival, here)),
            lateness: self.lateness(records().map(|record| record.time_us)),
            hashfull: (!fills.is_empty()).then(|| fills.iter().sum::<f64>() / fills.len() as f64),
        }
    }
}

impl SmpSummary {
    /// Of the searches so far.
    pub(super) fn of(job: &Job, records: &[SearchRecord], state: RunState) -> Self {
        let table = Table::new(job, records);
        let curve = |engine: usize| EngineCurve {
            name: job.config.engines[engine].name.clone(),
            id_name: job.id_names.get(engine).cloned().unwrap_or_default(),
            cells: table.cells(engine, false),
            apart: table.cells(engine, true),
        };
        Self {
            v: SMP_SUMMARY_VERSION,
            state,
            searches: records.len(),
            searches_planned: job.grid().searches(),
            engines: (0..job.config.engines.len()).map(curve).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_is_counted_from_what_was_asked() {
        let late = Lateness::of(1000, [1900, 990, 1010, 1020].into_iter()).unwrap();
        assert_eq!((late.median_us, late.worst_us), (20, 900));
        assert_eq!(Lateness::of(1000, [].into_iter()), None);
    }
}
