//! Steal time: processor time that the hypervisor gave to other virtual machines.
//!
//! Steal time is invisible to the guest: clocks keep running, engines search fewer nodes and lose
//! on time. Linux reports it as `steal` in `/proc/stat`.

use super::proc::CpuTimes;

/// Processor time of this machine since boot. Units: ticks, usually hundredths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTime {
    /// Time since boot that processors ran programs. Units: ticks.
    busy: u64,
    /// Steal time: the machine was ready to run, but the hypervisor ran another guest.
    steal: u64,
}

impl ProcessorTime {
    /// The counters at boot.
    pub const BOOT: Self = Self { busy: 0, steal: 0 };

    /// Returns the current counters; `None` if the system does not report them.
    pub fn now() -> Option<Self> {
        CpuTimes::now().map(Self::of)
    }

    fn of(CpuTimes { busy, steal, .. }: CpuTimes) -> Self {
        Self { busy, steal }
    }

    /// Returns steal time as a share of busy plus steal time since `then`. Range: 0 to 1.
    pub fn steal_share_since(self, then: Self) -> f64 {
        let (busy, steal) = (self.busy.saturating_sub(then.busy), self.steal.saturating_sub(then.steal));
        steal as f64 / (busy + steal).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_share_is_relative_to_requested_time() {
        let then = ProcessorTime::of(CpuTimes { busy: 133, idle: 9007, steal: 50 });
        let now = ProcessorTime::of(CpuTimes { busy: 193, idle: 9907, steal: 70 });
        let is = |share: f64, expected: f64| (share - expected).abs() < 1e-9;
        assert!(is(now.steal_share_since(then), 0.25));
        assert!(is(then.steal_share_since(then), 0.0), "no time was requested");
        assert!(is(then.steal_share_since(now), 0.0), "counters never decrease");
    }
}
