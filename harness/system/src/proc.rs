//! Readers of `/proc`: the time of all processors, and the processes with their times.
//!
//! Steal time is processor time that the hypervisor gave to other virtual machines. It is invisible to the guest:
//! clocks keep running, engines search fewer nodes and lose on time.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Time of all processors since boot. Units: ticks, usually hundredths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuTimes {
    /// Time since boot that processors ran programs. Units: ticks.
    pub(super) busy: u64,
    /// Time without work, or waiting for a disk.
    pub(super) idle: u64,
    /// Steal time: the machine was ready to run, but the hypervisor ran another guest.
    pub(super) steal: u64,
}

impl CpuTimes {
    /// The counters at boot.
    pub const BOOT: Self = Self { busy: 0, idle: 0, steal: 0 };

    /// Returns the current counters; `None` if the system does not report them.
    pub fn now() -> Option<Self> {
        Self::of(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// Parses the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal.
    fn of(text: &str) -> Option<Self> {
        let fields = text.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Option<Vec<u64>> = fields.split_whitespace().map(|field| field.parse().ok()).collect();
        let [user, nice, system, idle, iowait, irq, softirq, steal, ..] = ticks?[..] else { return None };
        Some(Self { busy: user + nice + system + irq + softirq, idle: idle + iowait, steal })
    }

    /// Returns the time of all processors: busy, idle and steal time. Units: ticks.
    pub(super) fn total(self) -> u64 {
        self.busy + self.idle + self.steal
    }

    /// Returns steal time as a share of busy plus steal time since `then`. Range: 0 to 1.
    pub fn steal_share_since(self, then: Self) -> f64 {
        let (busy, steal) = (self.busy.saturating_sub(then.busy), self.steal.saturating_sub(then.steal));
        steal as f64 / (busy + steal).max(1) as f64
    }
}

/// A process as `/proc/PID/stat` describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcessStat {
    pub pid: u32,
    pub parent: u32,
    pub group: u32,
    /// Time used by the process, with its threads that ended. Units: ticks.
    pub own_ticks: u64,
    /// Time used by the descendants that ended and that it has waited for. Units: ticks.
    pub ended_ticks: u64,
}

impl ProcessStat {
    /// Reads the file `stat` of a process folder; `None` if the process has ended.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        Self::of(&fs::read_to_string(folder.join("stat")).ok()?)
    }

    /// Parses `pid (name) state parent group ...`, where a name may contain spaces and
    /// parentheses. Fields 14 to 17 are the user and system time of the process and of its
    /// descendants.
    fn of(stat: &str) -> Option<Self> {
        let (pid, _) = stat.split_once(" (")?;
        let rest: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let [_, parent, group, ..] = rest[..] else { return None };
        let ticks = |fields: &[&str]| fields.iter().map(|text| text.parse::<u64>().ok()).sum::<Option<u64>>();
        let times = rest.get(11..15)?;
        Some(Self {
            pid: pid.trim().parse().ok()?,
            parent: parent.parse().ok()?,
            group: group.parse().ok()?,
            own_ticks: ticks(&times[..2])?,
            ended_ticks: ticks(&times[2..])?,
        })
    }

    /// Returns all processes. One may end between the listing and the reading.
    pub(super) fn all() -> Vec<Self> {
        entries(Path::new("/proc")).filter_map(|process| Self::read(&process)).collect()
    }
}

/// Returns the IDs of the processes of `family`, their descendants and the process groups that those lead. The group of `root`
/// is not added.
///
/// A helper whose parent has exited is still in the group of its engine.
pub(super) fn descendants(processes: &[ProcessStat], root: u32, mut family: HashSet<u32>) -> HashSet<u32> {
    loop {
        let before = family.len();
        for process in processes {
            let is_in_group = process.group != root && family.contains(&process.group);
            if is_in_group || family.contains(&process.parent) {
                family.insert(process.pid);
            }
        }
        if family.len() == before {
            return family;
        }
    }
}

/// Returns the numeric entries of a `/proc` folder: its processes or threads.
pub(super) fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let is_number = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.parse::<u32>().is_ok());
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter(move |entry| is_number(&entry.file_name())).map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_idle_and_steal_time_are_parsed() {
        let text = "cpu  100 10 20 9000 7 1 2 50 3 4\ncpu0 1 1 1\n";
        assert_eq!(CpuTimes::of(text), Some(CpuTimes { busy: 133, idle: 9007, steal: 50 }));
        for text in ["", "cpu", "cpu  1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu  1 2 3 4 5 6 7 x"] {
            assert_eq!(CpuTimes::of(text), None, "{text}");
        }
    }

    #[test]
    fn steal_share_is_relative_to_requested_time() {
        let then = CpuTimes { busy: 133, idle: 9007, steal: 50 };
        let now = CpuTimes { busy: 193, idle: 9907, steal: 70 };
        let is = |share: f64, expected: f64| (share - expected).abs() < 1e-9;
        assert!(is(now.steal_share_since(then), 0.25));
        assert!(is(then.steal_share_since(then), 0.0), "no time was requested");
        assert!(is(then.steal_share_since(now), 0.0), "counters never decrease");
    }

    #[test]
    fn times_of_a_process_and_its_dead_children_are_parsed() {
        let text = "17 (a (b) c) S 1 42 40 0 -1 4194304 100 0 2 0 30 4 200 1 20 0 1 0 3756943";
        assert_eq!(
            ProcessStat::of(text),
            Some(ProcessStat { pid: 17, parent: 1, group: 42, own_ticks: 34, ended_ticks: 201 })
        );
        for text in ["", "17 (sh) S", "17 (sh) S 1 42 40 0 -1 0 0 0 0 0 1 2 3", "x (sh) S 1 1 1"] {
            assert_eq!(ProcessStat::of(text), None, "{text}");
        }
    }
}
