//! How much of the processors' time the host of a virtual machine gave to others while a run went on.
//!
//! Whoever is robbed does not notice: clocks run on, engines think less and lose on time, and nothing in a game says why.
//! Linux counts it (`steal` in `/proc/stat`).

use std::fs;

/// Below this share of stolen time nothing is said; clocks of games are not that exact.
pub const NOTABLE: f64 = 0.005;

/// What the processors of this machine have done since it started. Units: ticks, some hundredths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTime {
    /// They worked.
    busy: u64,
    /// They would have worked, and the host let others.
    stolen: u64,
}

impl ProcessorTime {
    /// When the machine started.
    pub const BOOT: Self = Self { busy: 0, stolen: 0 };

    /// Up to now; `None` where the system does not say.
    pub fn now() -> Option<Self> {
        Self::of(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// The share that was stolen since then, up to now. Units: permille. `None` where the system does not say, or nothing was.
    pub fn stolen_permille_since(then: Option<Self>) -> Option<u32> {
        let (then, now) = then.zip(Self::now())?;
        Some((1e3 * now.stolen_since(then)).round() as u32).filter(|&share| share > 0)
    }

    /// Out of the text of `/proc/stat`: user, nice, system, idle, waiting, two sorts of interrupts, stolen.
    fn of(text: &str) -> Option<Self> {
        let fields = text.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Option<Vec<u64>> = fields.split_whitespace().map(|field| field.parse().ok()).collect();
        let [user, nice, system, _, _, irq, softirq, stolen, ..] = ticks?[..] else { return None };
        Some(Self { busy: user + nice + system + irq + softirq, stolen })
    }

    /// The share that was stolen of what was asked for since then. Range: 0 to 1.
    pub fn stolen_since(self, then: Self) -> f64 {
        let (busy, stolen) = (self.busy.saturating_sub(then.busy), self.stolen.saturating_sub(then.stolen));
        stolen as f64 / (busy + stolen).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_of_what_was_asked_for() {
        let then = ProcessorTime::of("cpu  100 10 20 9000 7 1 2 50 3 4\ncpu0 1 1 1\n").unwrap();
        assert_eq!(then, ProcessorTime { busy: 133, stolen: 50 });
        let now = ProcessorTime::of("cpu  150 10 30 9900 7 1 2 70 3 4\n").unwrap();
        let is = |share: f64, expected: f64| (share - expected).abs() < 1e-9;
        assert!(is(now.stolen_since(then), 0.25));
        assert!(is(then.stolen_since(then), 0.0), "nothing was asked for");
        assert!(is(then.stolen_since(now), 0.0), "counters do not run back");
    }

    #[test]
    fn what_does_not_say_is_no_time() {
        for text in ["", "cpu", "cpu  1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu  1 2 3 4 5 6 7 x"] {
            assert_eq!(ProcessorTime::of(text), None, "{text}");
        }
    }
}
