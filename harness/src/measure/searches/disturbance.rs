//! Steal time and CPU load from other programs during a measurement.
//!
//! The shares are measured about once a second, between two searches, and stored with the search
//! that ends the interval. So the report of a stored run has them too, also of a run that was
//! interrupted.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::run::disturbance::{Cause, MachineCounters, MeanShare};

/// Length of an interval at least: in less time the counters of one processor do not tell.
const INTERVAL: Duration = Duration::from_millis(1100);

/// The shares of an interval that ends with a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Disturbance {
    /// Length of the interval. Units: milliseconds.
    pub ms: u64,
    /// Steal time, if there was any. Units: permille of the requested CPU time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_time_permille: Option<u32>,
    /// Load from other programs, if the system reports it. Units: permille of all processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_load_permille: Option<u32>,
}

/// Measures the disturbance of the searches of a run.
#[derive(Debug, Default)]
pub(super) struct DisturbanceMeter(Mutex<Option<(Instant, MachineCounters)>>);

impl DisturbanceMeter {
    /// Begins the first interval, unless it has begun.
    pub(super) fn begin(&self) {
        let mut start = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        start.get_or_insert_with(|| (Instant::now(), MachineCounters::now(true)));
    }

    /// Ends the interval and begins the next one. Returns `None` while the interval is too short.
    pub(super) fn read(&self) -> Option<Disturbance> {
        let mut start = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (then, counters) = start.filter(|(then, _)| then.elapsed() >= INTERVAL)?;
        let (now, counters_now) = *start.insert((Instant::now(), MachineCounters::now(true)));
        let shares = counters_now.since(counters);
        Some(Disturbance {
            ms: now.duration_since(then).as_millis() as u64,
            steal_time_permille: shares.steal_time,
            other_load_permille: shares.other_load,
        })
    }
}

/// The mean disturbance of the searches, as `summary.json` has it. Absent if it was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct DisturbanceSummary {
    /// Steal time as a share of the requested CPU time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steal_time: Option<MeanShare>,
    /// Load from other programs as a share of all processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_load: Option<MeanShare>,
}

impl DisturbanceSummary {
    /// Summarizes the intervals of all searches.
    pub(super) fn of(intervals: impl Iterator<Item = Disturbance>) -> Self {
        let (mut steal_time, mut other_load) = (MeanShare::default(), MeanShare::default());
        for Disturbance { ms, steal_time_permille, other_load_permille } in intervals {
            // A system that reports the load reports steal time too, and no steal time is stored as none.
            if let Some(permille) = steal_time_permille.or(other_load_permille.map(|_| 0)) {
                steal_time.add(permille, ms);
            }
            if let Some(permille) = other_load_permille {
                other_load.add(permille, ms);
            }
        }
        Self { steal_time: steal_time.measured(), other_load: other_load.measured() }
    }

    /// Describes the shares that are notable.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line =
            |cause: Cause, mean: Option<MeanShare>| cause.line(mean.map(|mean| mean.share), "the searches");
        let steal_time = line(Cause::StealTime, self.steal_time);
        steal_time.into_iter().chain(line(Cause::OtherLoad, self.other_load)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn load_is_the_mean_over_time() {
        let of = |intervals: &[Disturbance]| DisturbanceSummary::of(intervals.iter().copied());
        assert_eq!((of(&[]), of(&[]).lines()), (DisturbanceSummary::default(), Vec::new()), "not measured");
        let quiet = Disturbance { ms: 3000, steal_time_permille: None, other_load_permille: Some(0) };
        let busy = Disturbance { ms: 1000, steal_time_permille: Some(8), other_load_permille: Some(400) };
        let found = of(&[quiet, busy]);
        assert_eq!(json!(found), json!({ "steal_time": { "share": 0.002 }, "other_load": { "share": 0.1 } }));
        assert_eq!(
            found.lines(),
            [
                "CPU load from other programs during the searches: 10.0 % of all processors; times and speeds are less accurate"
            ]
        );
        assert_eq!(of(&[quiet]).lines(), [""; 0], "negligible");
        let unknown = Disturbance { other_load_permille: None, ..quiet };
        assert_eq!(of(&[unknown]), DisturbanceSummary::default(), "not measured");
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
    fn intervals_are_measured_once_they_are_long_enough() {
        let meter = DisturbanceMeter::default();
        assert_eq!(meter.read(), None, "not begun");
        meter.begin();
        assert_eq!(meter.read(), None, "too short");
        std::thread::sleep(INTERVAL);
        let found = meter.read().expect("an interval");
        assert!(found.ms >= 1100 && found.other_load_permille.is_some(), "{found:?}");
        assert_eq!(meter.read(), None, "the next one has begun");
    }
}
