//! Steal time and CPU load from other programs during a measurement.
//!
//! The shares are measured about once a second, between two searches, and stored with the search
//! that ends the interval. So the report of a stored run has them too, also of a run that was
//! interrupted.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::base::system::other_load::LoadSample;
use crate::base::system::steal_time::{NOTABLE, ProcessorTime};
use crate::run::session::{NOTABLE_LOAD, other_load_text, steal_time_text};

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

/// The counters of the machine at the start of an interval.
#[derive(Clone, Copy, Debug)]
struct Start {
    at: Instant,
    processors: Option<ProcessorTime>,
    load: Option<LoadSample>,
}

impl Start {
    fn now() -> Self {
        Self { at: Instant::now(), processors: ProcessorTime::now(), load: LoadSample::now() }
    }
}

/// Measures the disturbance of the searches of a run.
#[derive(Debug, Default)]
pub(super) struct DisturbanceMeter(Mutex<Option<Start>>);

impl DisturbanceMeter {
    /// Begins the first interval, unless it has begun.
    pub(super) fn begin(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Start::now);
    }

    /// Ends the interval and begins the next one. Returns `None` while the interval is too short.
    pub(super) fn read(&self) -> Option<Disturbance> {
        let mut start = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let then = start.filter(|start| start.at.elapsed() >= INTERVAL)?;
        let now = *start.insert(Start::now());
        let other = then.load.zip(now.load).and_then(|(then, now)| now.other_permille_since(then));
        Some(Disturbance {
            ms: now.at.duration_since(then.at).as_millis() as u64,
            steal_time_permille: ProcessorTime::steal_permille_since(then.processors),
            other_load_permille: other,
        })
    }
}

/// A share of the CPU time of all searches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct MeanShare {
    /// Mean over time. Range: 0 to 1.
    pub share: f64,
}

impl MeanShare {
    /// Returns the mean of shares with their durations; `None` without any.
    fn of(shares: impl Iterator<Item = (u32, u64)>) -> Option<Self> {
        let (sum, time) = shares
            .fold((0.0, 0), |(sum, time), (permille, ms)| (sum + f64::from(permille) * ms as f64, time + ms));
        (time > 0).then(|| Self { share: sum / time as f64 / 1e3 })
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
    pub(super) fn of(intervals: impl Iterator<Item = Disturbance> + Clone) -> Self {
        let steal = intervals.clone().map(|one| (one.steal_time_permille.unwrap_or(0), one.ms));
        let load = intervals.filter_map(|one| Some((one.other_load_permille?, one.ms)));
        Self { steal_time: MeanShare::of(steal), other_load: MeanShare::of(load) }
    }

    /// Describes the shares that are notable.
    pub(crate) fn lines(&self) -> Vec<String> {
        let period = "the searches";
        let notable = |share: Option<MeanShare>, least: f64| {
            share.map(|mean| mean.share).filter(|&share| share >= least)
        };
        [
            notable(self.steal_time, NOTABLE).map(|share| steal_time_text(share, period)),
            notable(self.other_load, NOTABLE_LOAD).map(|share| other_load_text(share, period)),
        ]
        .into_iter()
        .flatten()
        .collect()
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
                "load of other programs during the searches: 10.0 % of all processors; times and speeds are less accurate"
            ]
        );
        assert_eq!(of(&[quiet]).lines(), [""; 0], "negligible");
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
