//! CPU time and open files of a process group, as Linux reports them.
//!
//! The scheduler counts the run time of each thread. Time of other programs is not included, nor is
//! steal time if the kernel accounts for it (`CONFIG_PARAVIRT_TIME_ACCOUNTING`). Effects on caches
//! and clock frequency are included.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::proc::{ProcessStat, entries};

/// Returns the run time of all threads of a process group; `None` if the system does not report it.
///
/// A thread that exits takes its time with it, and a running thread is accounted up to the last
/// scheduler tick. The result is exact only while the group is idle.
pub(super) fn of_group(group: i32) -> Option<Duration> {
    let threads = processes(group).flat_map(|process| entries(&process.join("task")).collect::<Vec<_>>());
    let times = threads.filter_map(|thread| time_in(&fs::read_to_string(thread.join("schedstat")).ok()?));
    // A kernel without scheduler statistics reports zeros.
    times.reduce(|sum, time| sum + time).filter(|time| !time.is_zero())
}

/// Returns the number of files that the processes of a group have open; `None` if the system does
/// not report it.
pub(super) fn open_files(group: i32) -> Option<usize> {
    let counts = processes(group).filter_map(|process| Some(fs::read_dir(process.join("fd")).ok()?.count()));
    counts.reduce(|sum, count| sum + count)
}

/// Returns the `/proc` folders of the processes of a group.
fn processes(group: i32) -> impl Iterator<Item = std::path::PathBuf> {
    let is_member = move |stat: ProcessStat| i32::try_from(stat.group) == Ok(group);
    entries(Path::new("/proc")).filter(move |process| ProcessStat::read(process).is_some_and(is_member))
}

/// Parses the run time from `ran waited slices`, in nanoseconds.
fn time_in(schedstat: &str) -> Option<Duration> {
    schedstat.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use super::super::group::Group;
    use super::*;

    #[test]
    fn run_time_is_parsed() {
        assert_eq!(time_in("1500 20 3\n"), Some(Duration::from_nanos(1500)));
        assert_eq!((time_in(""), time_in("x 1 1")), (None, None));
    }

    /// Returns the CPU time of a shell script after `patience`, or as soon as it has used any.
    fn worked(script: &str, patience: Duration) -> Option<Duration> {
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let group = Group::spawn(shell).expect("a shell");
        // Past its startup.
        std::thread::sleep(Duration::from_millis(200));
        let (start, before) = (Instant::now(), group.processor_time()?);
        loop {
            std::thread::sleep(Duration::from_millis(20));
            let worked = group.processor_time()?.saturating_sub(before);
            if worked > Duration::from_millis(10) || start.elapsed() > patience {
                return Some(worked);
            }
        }
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
    fn work_is_counted_and_sleep_is_not() {
        let busy = worked("while :; do :; done", Duration::from_mins(1)).expect("scheduler statistics");
        assert!(busy > Duration::from_millis(10), "{busy:?}");
        let asleep = worked("sleep 60", Duration::from_millis(300)).expect("as before");
        assert!(asleep <= Duration::from_millis(10), "{asleep:?}");
    }
}
