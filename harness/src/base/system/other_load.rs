//! CPU load from other programs: processor time that neither the harness nor its engines used.
//!
//! Other programs slow engines down and cost games on time, but no clock shows it. Linux reports
//! the busy time of all processors in `/proc/stat` and the time of each process in
//! `/proc/PID/stat`. The difference is the load of programs outside the run, and of interrupts.

use std::collections::HashSet;
use std::fs;

/// Processor time below which a share is not computed, since the counters advance in steps of
/// 10 ms. Units: ticks, summed over all processors.
const MIN_TICKS: u64 = 100;

/// Processor time since boot. Units: ticks, usually hundredths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoadSample {
    /// Time of all processors: busy, idle and steal time.
    total: u64,
    /// Time in which processors were busy.
    busy: u64,
    /// Time used by the harness and its descendants, dead or alive.
    own: u64,
}

/// A process as `/proc/PID/stat` describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProcessStat {
    pid: u32,
    parent: u32,
    group: u32,
    /// Time used by the process and the descendants it has waited for. Units: ticks.
    ticks: u64,
}

impl LoadSample {
    /// Returns the current counters; `None` if the system does not report them.
    ///
    /// Takes some milliseconds, because it reads one file for each process of the machine.
    pub(crate) fn now() -> Option<Self> {
        let (total, busy) = processors_in(&fs::read_to_string("/proc/stat").ok()?)?;
        let is_pid = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.parse::<u32>().is_ok());
        let entries = fs::read_dir("/proc").ok()?.flatten().filter(|entry| is_pid(&entry.file_name()));
        // A process may end between the listing and the reading.
        let texts = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
        let processes: Vec<ProcessStat> = texts.filter_map(|text| ProcessStat::of(&text)).collect();
        Some(Self { total, busy, own: own_ticks(&processes, std::process::id())? })
    }

    /// Returns the load of other programs since `then`, as a share of all processors. Units:
    /// permille. `None` if the time is too short to tell.
    pub(crate) fn other_permille_since(self, then: Self) -> Option<u32> {
        let total = self.total.saturating_sub(then.total);
        let busy = self.busy.saturating_sub(then.busy);
        let own = self.own.saturating_sub(then.own);
        let other = busy.saturating_sub(own).min(total);
        (total >= MIN_TICKS).then(|| (1e3 * other as f64 / total as f64).round() as u32)
    }
}

impl ProcessStat {
    /// Parses `pid (name) state parent group ...`, where a name may contain spaces and
    /// parentheses. Fields 14 to 17 are the user and system time of the process and of its
    /// descendants.
    fn of(stat: &str) -> Option<Self> {
        let (pid, _) = stat.split_once(" (")?;
        let rest: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let [_, parent, group, ..] = rest[..] else { return None };
        let times = rest.get(11..15)?;
        let ticks: Option<u64> = times.iter().map(|text| text.parse::<u64>().ok()).sum();
        Some(Self {
            pid: pid.trim().parse().ok()?,
            parent: parent.parse().ok()?,
            group: group.parse().ok()?,
            ticks: ticks?,
        })
    }
}

/// Returns the time of the process `root`, its descendants and the process groups that those lead;
/// `None` if `root` is not listed.
///
/// A helper whose parent has exited is still in the group of its engine.
fn own_ticks(processes: &[ProcessStat], root: u32) -> Option<u64> {
    let mut own = HashSet::from([root]);
    loop {
        let before = own.len();
        for process in processes {
            let is_in_group = process.group != root && own.contains(&process.group);
            if is_in_group || own.contains(&process.parent) {
                own.insert(process.pid);
            }
        }
        if own.len() == before {
            break;
        }
    }
    processes.iter().find(|process| process.pid == root)?;
    Some(processes.iter().filter(|process| own.contains(&process.pid)).map(|process| process.ticks).sum())
}

/// Parses total and busy time from the first line of `/proc/stat`: user, nice, system, idle,
/// iowait, irq, softirq, steal.
fn processors_in(text: &str) -> Option<(u64, u64)> {
    let fields = text.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Option<Vec<u64>> = fields.split_whitespace().map(|field| field.parse().ok()).collect();
    let [user, nice, system, idle, iowait, irq, softirq, steal, ..] = ticks?[..] else { return None };
    let busy = user + nice + system + irq + softirq;
    Some((busy + idle + iowait + steal, busy))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn busy_and_total_time_are_parsed() {
        let text = "cpu  100 10 20 9000 7 1 2 50 3 4\ncpu0 1 1 1\n";
        assert_eq!(processors_in(text), Some((9190, 133)));
        for text in ["", "cpu", "cpu  1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu  1 2 3 4 5 6 7 x"] {
            assert_eq!(processors_in(text), None, "{text}");
        }
    }

    #[test]
    fn process_times_include_those_of_dead_children() {
        let text = "17 (a (b) c) S 1 42 40 0 -1 4194304 100 0 2 0 30 4 200 1 20 0 1 0 3756943";
        assert_eq!(ProcessStat::of(text), Some(ProcessStat { pid: 17, parent: 1, group: 42, ticks: 235 }));
        for text in ["", "17 (sh) S", "17 (sh) S 1 42 40 0 -1 0 0 0 0 0 1 2 3", "x (sh) S 1 1 1"] {
            assert_eq!(ProcessStat::of(text), None, "{text}");
        }
    }

    #[test]
    fn descendants_and_their_groups_are_the_runs_own() {
        let process = |pid, parent, group, ticks| ProcessStat { pid, parent, group, ticks };
        let processes = [
            process(12, 11, 10, 32), // a child of an engine, listed before its parent
            process(13, 1, 10, 64),  // a helper of an engine that lost its parent
            process(1, 0, 1, 1),
            process(4, 1, 5, 2), // a program of the harness's own group, such as `tee`
            process(5, 1, 5, 4),
            process(10, 5, 10, 8),
            process(11, 10, 10, 16),
            process(20, 1, 20, 128), // another program
        ];
        assert_eq!(own_ticks(&processes, 5), Some(4 + 8 + 16 + 32 + 64));
        assert_eq!(own_ticks(&processes, 6), None, "not listed");
    }

    #[test]
    fn load_is_a_share_of_all_processors() {
        let then = LoadSample { total: 1000, busy: 500, own: 300 };
        let later = |total: u64, busy: u64, own: u64| {
            LoadSample { total: 1000 + total, busy: 500 + busy, own: 300 + own }.other_permille_since(then)
        };
        assert_eq!(later(400, 300, 200), Some(250), "one of four processors' time");
        assert_eq!(later(400, 200, 200), Some(0));
        assert_eq!(later(400, 200, 203), Some(0), "counters are rounded");
        assert_eq!(later(MIN_TICKS - 1, 50, 0), None, "too short");
        assert_eq!(then.other_permille_since(LoadSample { total: 1500, ..then }), None);
    }

    /// The time is that of the process tree, so other programs do not disturb the test.
    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
    fn time_of_a_child_is_own_alive_and_dead() {
        let own = || LoadSample::now().expect("the counters of Linux").own;
        let before = own();
        let mut child =
            Command::new("sh").args(["-c", "while :; do :; done"]).process_group(0).spawn().expect("a shell");
        let start = Instant::now();
        while own() < before + 50 && start.elapsed() < Duration::from_mins(1) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let alive = own();
        child.kill().expect("it runs");
        child.wait().expect("it was killed");
        let dead = own();
        assert!(alive.min(dead) >= before + 20, "{before} to {alive}, then {dead}");
    }
}
