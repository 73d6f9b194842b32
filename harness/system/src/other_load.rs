//! CPU load from other programs: processor time that neither the harness nor its engines used.
//!
//! Other programs slow engines down and cost games on time, but no clock shows it. Linux reports
//! the busy time of all processors in `/proc/stat` and the time of each process in
//! `/proc/PID/stat`. The difference is the load of programs outside the run, and of interrupts.

use std::collections::HashSet;

use super::proc::{CpuTimes, ProcessStat, descendants};

/// Processor time below which a share is not computed, since the counters advance in steps of
/// 10 ms. Units: ticks, summed over all processors.
const MIN_TICKS: u64 = 100;

/// Processor time since boot. Units: ticks, usually hundredths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadSample {
    all: CpuTimes,
    /// Time used by the harness and its descendants, dead or alive.
    own: u64,
}

impl LoadSample {
    /// Returns the current counters; `None` if the system does not report them.
    ///
    /// Takes some milliseconds, because it reads one file for each process of the machine.
    pub fn now() -> Option<Self> {
        let all = CpuTimes::now()?;
        Some(Self { all, own: own_ticks(&ProcessStat::all(), std::process::id())? })
    }

    /// Returns the load of other programs since `then`, as a share of all processors. Units:
    /// permille. `None` if the time is too short to tell.
    pub fn other_permille_since(self, then: Self) -> Option<u32> {
        let total = self.all.total().saturating_sub(then.all.total());
        let busy = self.all.busy.saturating_sub(then.all.busy);
        let own = self.own.saturating_sub(then.own);
        let other = busy.saturating_sub(own).min(total);
        (total >= MIN_TICKS).then(|| (1e3 * other as f64 / total as f64).round() as u32)
    }
}

/// Returns the time of the process `root`, its descendants and the process groups that those lead;
/// `None` if `root` is not listed.
fn own_ticks(processes: &[ProcessStat], root: u32) -> Option<u64> {
    processes.iter().find(|process| process.pid == root)?;
    let family = descendants(processes, root, HashSet::from([root]));
    let own = processes.iter().filter(|process| family.contains(&process.pid));
    Some(own.map(|process| process.own_ticks + process.ended_ticks).sum())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn descendants_and_their_groups_are_the_runs_own() {
        let process = |pid, parent, group, ticks: u64| ProcessStat {
            pid,
            parent,
            group,
            own_ticks: ticks / 2,
            ended_ticks: ticks - ticks / 2,
        };
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
        let sample = |total: u64, busy: u64, own: u64| LoadSample {
            all: CpuTimes { busy: 500 + busy, idle: 400 + total - busy, steal: 100 },
            own: 300 + own,
        };
        let then = sample(0, 0, 0);
        let later = |total: u64, busy: u64, own: u64| sample(total, busy, own).other_permille_since(then);
        assert_eq!(later(400, 300, 200), Some(250), "one of four processors' time");
        assert_eq!(later(400, 200, 200), Some(0));
        assert_eq!(later(400, 200, 203), Some(0), "counters are rounded");
        assert_eq!(later(MIN_TICKS - 1, 50, 0), None, "too short");
        assert_eq!(then.other_permille_since(sample(500, 0, 0)), None);
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
