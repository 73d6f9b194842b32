//! Steal time and CPU load from other programs over a period: one definition and one wording.
//!
//! Matches measure each game, measurements of searches about once a second, and every command the whole of
//! its time. A value that was not measured is `None`: the system does not report it, or the period was too short.

use serde::Serialize;

use crate::base::system::CpuTimes;
use crate::base::system::other_load::LoadSample;

/// A cause of disturbance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The hypervisor ran other virtual machines.
    StealTime,
    /// Other programs used the processors.
    OtherLoad,
}

impl Cause {
    /// Returns the name in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::StealTime => "steal time",
            Self::OtherLoad => "CPU load from other programs",
        }
    }

    /// Whether a mean share is reported.
    pub(crate) fn is_notable(self, share: f64) -> bool {
        // Game clocks are not more accurate than this steal time; services of an idle system cause less load.
        let notable = if self == Self::StealTime { 0.005 } else { 0.02 };
        share >= notable
    }

    /// Formats `3.1 % of all processors`.
    pub(crate) fn share_text(self, share: f64) -> String {
        let whole = match self {
            Self::StealTime => "of the requested CPU time",
            Self::OtherLoad => "of all processors",
        };
        format!("{:.1} % {whole}", 100.0 * share)
    }

    /// Describes the share during `period` and its effect; `None` if it was not measured or is negligible.
    pub(crate) fn line(self, share: Option<f64>, period: &str) -> Option<String> {
        let share = share.filter(|&share| self.is_notable(share))?;
        let effect = match self {
            Self::StealTime => "times and clocks are off by that much",
            Self::OtherLoad => "times and speeds are less accurate",
        };
        Some(format!("{} during {period}: {}; {effect}", self.name(), self.share_text(share)))
    }
}

/// The counters of the machine at the start of a period.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MachineCounters {
    processors: Option<CpuTimes>,
    load: Option<LoadSample>,
}

impl MachineCounters {
    /// Reads the counters, those of the load if `reads_load`: that takes some milliseconds.
    pub(crate) fn now(reads_load: bool) -> Self {
        Self { processors: CpuTimes::now(), load: reads_load.then(LoadSample::now).flatten() }
    }

    /// Returns the shares from these counters until now.
    pub(crate) fn shares(self) -> Shares {
        Self::now(self.load.is_some()).since(self)
    }

    /// Returns the shares from `then` until these counters.
    pub(crate) fn since(self, then: Self) -> Shares {
        let steal = self.processors.zip(then.processors).map(|(now, then)| now.steal_share_since(then));
        let steal_time = steal.map(|share| (1e3 * share).round() as u32).filter(|&permille| permille > 0);
        let other_load = self.load.zip(then.load).and_then(|(now, then)| now.other_permille_since(then));
        Shares { steal_time, other_load }
    }
}

/// The shares of a period. Units: permille.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Steal time; also `None` if there was none.
    pub steal_time: Option<u32>,
    /// CPU load from other programs.
    pub other_load: Option<u32>,
}

impl Shares {
    /// Describes the notable shares during `period`.
    pub(crate) fn lines(self, period: &str) -> Vec<String> {
        let share = |permille: Option<u32>| permille.map(|permille| f64::from(permille) / 1e3);
        let steal_time = Cause::StealTime.line(share(self.steal_time), period);
        steal_time.into_iter().chain(Cause::OtherLoad.line(share(self.other_load), period)).collect()
    }
}

/// A mean share over several periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MeanShare {
    /// Mean over time. Range: 0 to 1.
    pub share: f64,
    /// Length of the periods. Units: milliseconds.
    #[serde(skip)]
    weight: u64,
}

impl MeanShare {
    /// Adds a period of this length.
    pub(crate) fn add(&mut self, permille: u32, ms: u64) {
        self.weight += ms;
        self.share += (f64::from(permille) / 1e3 - self.share) * ms as f64 / self.weight.max(1) as f64;
    }

    /// Returns the mean; `None` if nothing was measured.
    pub(crate) fn measured(self) -> Option<Self> {
        (self.weight > 0).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_is_weighted_by_length() {
        let mut mean = MeanShare::default();
        assert_eq!(mean.measured(), None);
        mean.add(0, 3000);
        mean.add(400, 1000);
        assert!(mean.measured().is_some_and(|mean| (mean.share - 0.1).abs() < 1e-12));
    }

    #[test]
    fn notable_shares_have_lines() {
        let lines = |steal_time, other_load| Shares { steal_time, other_load }.lines("this command");
        assert_eq!(lines(None, None), [""; 0]);
        assert_eq!(lines(Some(4), Some(19)), [""; 0], "negligible");
        assert_eq!(
            lines(Some(5), Some(100)),
            [
                "steal time during this command: 0.5 % of the requested CPU time; times and clocks are off by that much",
                "CPU load from other programs during this command: 10.0 % of all processors; times and speeds are less accurate",
            ]
        );
    }
}
