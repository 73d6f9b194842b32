//! How long processors have worked for an engine, whatever the clock says.
//!
//! The scheduler counts for each thread how long it ran. What other programs got meanwhile is not in that, nor what the host of
//! a virtual machine took, where the kernel knows of it (`CONFIG_PARAVIRT_TIME_ACCOUNTING`). What they do to caches and to the
//! pace of a processor still is.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::Pid;

/// What all threads of all processes of a group have run so far; `None` where the system does not say.
///
/// A thread that ends takes its time with it, and one that runs is told of as it was at the last tick of the scheduler: to be
/// asked while the engine is idle.
pub(super) fn of_group(group: Pid) -> Option<Duration> {
    let processes = entries(Path::new("/proc")).filter(|process| {
        let stat = fs::read_to_string(process.join("stat"));
        stat.is_ok_and(|stat| group_in(&stat) == Some(group.as_raw_nonzero().get()))
    });
    let threads = processes.flat_map(|process| entries(&process.join("task")).collect::<Vec<_>>());
    let times = threads.filter_map(|thread| time_in(&fs::read_to_string(thread.join("schedstat")).ok()?));
    times.reduce(|sum, time| sum + time)
}

/// The folders of a folder of `/proc` that have numbers for names.
fn entries(folder: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    let is_number = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.parse::<u32>().is_ok());
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter(move |entry| is_number(&entry.file_name())).map(|entry| entry.path())
}

/// Out of `number (name) state parent group ...`, where a name may have blanks and brackets.
fn group_in(stat: &str) -> Option<i32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}

/// Out of `ran waited turns`, nanoseconds.
fn time_in(schedstat: &str) -> Option<Duration> {
    schedstat.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_do_not_disturb() {
        assert_eq!(group_in("17 (a (b) c) S 1 42 42 0"), Some(42));
        assert_eq!((group_in("17 (sh) S"), group_in("")), (None, None));
        assert_eq!(time_in("1500 20 3\n"), Some(Duration::from_nanos(1500)));
        assert_eq!((time_in(""), time_in("x 1 1")), (None, None));
    }

    #[test]
    fn work_is_counted_and_sleep_is_not() {
        let group = rustix::process::getpgrp();
        let Some(before) = of_group(group) else {
            eprintln!("skipped: this system does not say how long threads ran");
            return;
        };
        let end = std::time::Instant::now() + Duration::from_millis(300);
        let mut steps = 0_u64;
        while std::time::Instant::now() < end {
            steps = std::hint::black_box(steps + 1);
        }
        // The thread has to leave the processor for its account to be made up.
        std::thread::sleep(Duration::from_millis(5));
        let after = of_group(group).expect("as before");
        // Whatever else the machine does, some of it was ours; other tests of this process may run besides.
        assert!(after > before + Duration::from_millis(1), "{before:?} {after:?}");
    }
}
