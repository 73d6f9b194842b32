//! CPU time and open files of an engine's processes, as Linux reports them.
//!
//! The kernel keeps a clock for each process, which includes threads that ended. Time of other programs is
//! not included, nor is steal time if the kernel accounts for it (`CONFIG_PARAVIRT_TIME_ACCOUNTING`). Effects
//! on caches and clock frequency are included.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::proc::{ProcessStat, descendants};

/// Step of the times in `/proc/PID/stat`.
const TICK: Duration = Duration::from_millis(10);

/// Returns the CPU time of a process group and of the descendants that left it; `None` if the system does
/// not report it.
///
/// Processes that ended count in whole ticks, once their parent has waited for them.
pub(super) fn of_group(group: i32) -> Option<Duration> {
    let ticks = |count: u64| TICK.saturating_mul(count.try_into().unwrap_or(u32::MAX));
    let times = processes(group).into_iter().map(|process| {
        clock(process.pid).unwrap_or_else(|| ticks(process.own_ticks)) + ticks(process.ended_ticks)
    });
    times.reduce(|sum, time| sum + time)
}

/// Reads the clock of a process.
#[cfg(target_os = "linux")]
fn clock(pid: u32) -> Option<Duration> {
    let pid = nix::unistd::Pid::from_raw(pid.try_into().ok()?);
    nix::time::ClockId::pid_cpu_clock_id(pid).and_then(nix::time::ClockId::now).ok().map(Duration::from)
}

/// Only Linux has `/proc` too.
#[cfg(not(target_os = "linux"))]
fn clock(_pid: u32) -> Option<Duration> {
    None
}

/// Returns the number of files that the processes have open; `None` if the system does not report it.
pub(super) fn open_files(group: i32) -> Option<usize> {
    let files = |process: ProcessStat| {
        Some(fs::read_dir(Path::new("/proc").join(process.pid.to_string()).join("fd")).ok()?.count())
    };
    processes(group).into_iter().filter_map(files).reduce(|sum, count| sum + count)
}

/// Returns the processes of a group and their descendants: a wrapper may start the engine in another group.
fn processes(group: i32) -> Vec<ProcessStat> {
    let mut all = ProcessStat::all();
    let Ok(group) = u32::try_from(group) else { return Vec::new() };
    let members = all.iter().filter(|process| process.group == group).map(|process| process.pid).collect();
    let family = descendants(&all, group, members);
    all.retain(|process| family.contains(&process.pid));
    all
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use super::super::group::Group;
    use super::*;

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
        for busy in [
            "while :; do :; done",
            "(while :; do :; done) & wait",
            // Out of reach of the group's end, so it ends by itself.
            "setsid sh -c 'while kill -0 $PPID; do :; done' 2>/dev/null & wait",
        ] {
            let busy = worked(busy, Duration::from_mins(1)).expect("a clock");
            assert!(busy > Duration::from_millis(10), "{busy:?}");
        }
        // Each child ends and takes its clock with it.
        let children = worked(
            "while :; do (i=0; while [ $i -lt 9000 ]; do i=$((i+1)); done); done",
            Duration::from_mins(1),
        );
        assert!(children > Some(Duration::from_millis(10)), "{children:?}");
        let asleep = worked("sleep 60", Duration::from_millis(300)).expect("as before");
        assert!(asleep <= Duration::from_millis(10), "{asleep:?}");
    }

    /// The clock of this process is read as that of an engine.
    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
    fn threads_that_ended_are_counted() {
        let before = clock(std::process::id()).expect("a clock");
        let worker = std::thread::spawn(|| {
            let own = || rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            while own().tv_nsec < 50_000_000 && own().tv_sec == 0 {}
        });
        worker.join().expect("no panic");
        let after = clock(std::process::id()).expect("a clock");
        assert!(after >= before + Duration::from_millis(50), "{before:?} to {after:?}");
    }
}
