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
    // A kernel that does not keep such accounts shows zeros.
    times.reduce(|sum, time| sum + time).filter(|time| !time.is_zero())
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
    use std::time::Instant;

    use super::super::process::{Launcher, Process};
    use super::*;
    use crate::config::{EngineConfig, Limits};

    #[test]
    fn odd_names_do_not_disturb() {
        assert_eq!(group_in("17 (a (b) c) S 1 42 42 0"), Some(42));
        assert_eq!((group_in("17 (sh) S"), group_in("")), (None, None));
        assert_eq!(time_in("1500 20 3\n"), Some(Duration::from_nanos(1500)));
        assert_eq!((time_in(""), time_in("x 1 1")), (None, None));
    }

    /// What a shell with this script has worked after `patience`, or as soon as it has worked at all.
    fn worked(script: &str, patience: Duration) -> Option<Duration> {
        let words = ["-c".to_owned(), script.to_owned()];
        let config = EngineConfig::of_words("sh", None, &words, &[], Limits::default()).expect("a shell");
        let (process, _pipes) = Process::spawn(&config, &Launcher::default()).expect("a process");
        // Past its start.
        std::thread::sleep(Duration::from_millis(200));
        let (start, before) = (Instant::now(), process.processor_time()?);
        loop {
            std::thread::sleep(Duration::from_millis(20));
            let worked = process.processor_time()?.saturating_sub(before);
            if worked > Duration::from_millis(10) || start.elapsed() > patience {
                return Some(worked);
            }
        }
    }

    #[test]
    fn work_is_counted_and_sleep_is_not() {
        let Some(busy) = worked("while :; do :; done", Duration::from_mins(1)) else {
            eprintln!("skipped: this system does not say how long threads ran");
            return;
        };
        assert!(busy > Duration::from_millis(10), "{busy:?}");
        let asleep = worked("sleep 60", Duration::from_millis(300)).expect("as before");
        assert!(asleep <= Duration::from_millis(10), "{asleep:?}");
    }
}
