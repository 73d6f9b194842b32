//! Checks of the machine: processors, timers, steal time, load and disk.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Finding, Severity};
use crate::base::cancel::Cancel;
use crate::base::cpus::{CAN_PIN, CpuSet, Topology};
use crate::base::system::CpuTimes;
use crate::base::wording::counted;
use stretto::machine::control_group::processor_quota;

/// Number of sleeps that measure the wake-up latency.
const NAPS: usize = 300;
/// Time for which each processor is watched for interruptions.
const WATCH: Duration = Duration::from_millis(800);
/// Shortest gap in a busy loop that counts as an interruption.
const GAP: Duration = Duration::from_micros(200);
/// Long-term share of steal time above which a note is given.
const HIGH_STEAL: f64 = 0.01;
/// Number of records that measure the latency of the disk.
const SYNCS: usize = 20;

/// Name of the check of limits.
const CONTROL_GROUP: &str = "control group";

/// The severity and message of a check.
type Verdict = (Severity, String);

/// A check's name and its function, which gets the folder in which runs are stored.
type Check = (&'static str, fn(&Path) -> Verdict);

const CHECKS: [Check; 9] = [
    ("processors", processors),
    (CONTROL_GROUP, quota),
    ("frequency", governor),
    ("load", load),
    ("steal time", host),
    ("timer", naps),
    ("interruptions", interruptions),
    ("disk", disk),
    ("speed under load", scaling),
];

/// Checks the machine for a few seconds. `folder` is the folder in which runs are stored.
pub(crate) fn examine_machine(folder: &Path, cancel: &Cancel) -> Vec<Finding> {
    let checks = CHECKS.into_iter().take_while(|_| !cancel.is_cancelled());
    let found = checks.map(|(check, examine)| {
        let (severity, message) = examine(folder);
        Finding { check, severity, message }
    });
    found.collect()
}

/// Returns the verdict on a figure: good, or where it `is_poor` this severity and advice.
fn rate(message: String, is_poor: bool, severity: Severity, advice: &str) -> Verdict {
    if is_poor { (severity, message + advice) } else { (Severity::Good, message) }
}

/// Times work that is done `count` times. Returns the sorted times.
fn timed(count: usize, mut work: impl FnMut() -> io::Result<()>) -> io::Result<Vec<Duration>> {
    let time = |_| {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed())
    };
    let mut times: Vec<Duration> = (0..count).map(time).collect::<io::Result<_>>()?;
    times.sort_unstable();
    Ok(times)
}

/// Returns the quantile of the sorted times at this share.
fn quantile(sorted: &[Duration], share: f64) -> Duration {
    let index = (share * (sorted.len().saturating_sub(1)) as f64).round() as usize;
    sorted.get(index).copied().unwrap_or_default()
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Returns the verdict of a check that this system does not report.
fn not_measured() -> Verdict {
    (Severity::Note, "not measured on this system".to_owned())
}

/// Describes the processors, such as `4 logical CPUs usable (0-3), 2 cores`.
fn processors_text(count: usize, cpus: &str, cores: usize) -> String {
    format!("{} usable ({cpus}), {}", counted(count, "logical CPU"), counted(cores, "core"))
}

fn processors(_: &Path) -> Verdict {
    if !CAN_PIN {
        let count = counted(num_cpus::get(), "logical CPU");
        let message = format!("{count} usable; cores and pinning are not supported on this system");
        return (Severity::Note, message);
    }
    let (cpus, cores) = (CpuSet::available(), Topology::of_this_machine().cores());
    let count = cpus.as_slice().len();
    let advice = format!(
        "; two games on one core slow each other down: use `affinity: auto` or a concurrency of {cores}"
    );
    rate(processors_text(count, &cpus.to_string(), cores), count > cores, Severity::Note, &advice)
}

/// Returns a note on an engine whose threads that run at once outnumber the processors.
pub(crate) fn threads(running: usize, processors: usize) -> Option<Finding> {
    (running > processors).then(|| {
        let message = format!(
            "{} on {} that this process may use: they share processors, and times and speeds suffer; set fewer Threads",
            counted(running, "thread"),
            counted(processors, "processor")
        );
        Finding::note("threads", message)
    })
}

fn quota(_: &Path) -> Verdict {
    if cfg!(target_os = "linux") { quota_verdict(processor_quota(), num_cpus::get()) } else { not_measured() }
}

/// Returns the verdict on a limit of CPU time in processors, where programs see `count` of them.
fn quota_verdict(limit: Option<f64>, count: usize) -> Verdict {
    let Some(limit) = limit else { return (Severity::Good, "no limit of CPU time".to_owned()) };
    let whole = limit.floor();
    let rounded = if whole < limit && count as f64 > limit {
        format!(" Programs count {}.", counted(count, "processor"))
    } else {
        String::new()
    };
    let advice = if whole < 1.0 {
        "It is less than one processor: raise it".to_owned()
    } else {
        format!("Use at most {} at once, or raise it", counted(whole as usize, "search thread"))
    };
    (
        Severity::Bad,
        format!(
            "limits CPU time to {limit:.2} processors.{rounded} When the quota is used up, all processes stop for the rest \
             of the period, and engines lose on time. {advice}: cpu.max, or cpu.cfs_quota_us in version 1"
        ),
    )
}

fn governor(_: &Path) -> Verdict {
    let path = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    let Ok(text) = std::fs::read_to_string(path) else {
        let message = "unknown (virtual machine?); compare only engines that run alternately";
        return (Severity::Note, message.to_owned());
    };
    let advice = ": the clock frequency varies with load; `performance` is steadier";
    let name = text.trim();
    rate(format!("governor {name}"), name != "performance", Severity::Note, advice)
}

fn load(_: &Path) -> Verdict {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let Some(load) = text.split(' ').next().and_then(|word| word.parse::<f64>().ok()) else {
        return not_measured();
    };
    let advice = ": other programs are running and will distort times";
    rate(format!("{load:.2} over the last minute"), load > 0.5, Severity::Note, advice)
}

/// Reports the share of steal time since boot; `interruptions` measures the current state.
fn host(_: &Path) -> Verdict {
    let Some(now) = CpuTimes::now() else { return not_measured() };
    let share = now.steal_share_since(CpuTimes::BOOT);
    let message = format!("{:.1} % of the CPU time since boot", 100.0 * share);
    let advice =
        "; it may be much higher at times; runs report their steal time, and matches that of each game";
    rate(message, share >= HIGH_STEAL, Severity::Note, advice)
}

fn naps(_: &Path) -> Verdict {
    let nap = Duration::from_millis(1);
    let sleep = || {
        std::thread::sleep(nap);
        Ok(())
    };
    let times = timed(NAPS, sleep).unwrap_or_default();
    let [median, far, worst] = [0.5, 0.99, 1.0].map(|share| quantile(&times, share).saturating_sub(nap));
    let message = format!(
        "wake-up latency {:.0} µs median, {:.0} µs 99th percentile, {:.0} µs maximum",
        us(median),
        us(far),
        us(worst)
    );
    let advice = ": set a larger Move Overhead for the engines, and a time_margin";
    rate(message, far > Duration::from_millis(5), Severity::Bad, advice)
}

/// Measured gaps and rounds of a busy loop on one CPU.
#[derive(Debug, Default)]
struct Spin {
    /// Gaps in which the thread did not run.
    gaps: Vec<Duration>,
    /// Passes through the loop, each of 2000 operations.
    rounds: u64,
    /// Time of the loop, which the last gap may prolong.
    elapsed: Duration,
}

impl Spin {
    /// Returns the share of the time in which the thread did not run. Range: 0 to 1.
    fn lost(&self) -> f64 {
        self.gaps.iter().sum::<Duration>().as_secs_f64() / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Spins for `time`, or longer if the thread does not run at its end.
fn spin(time: Duration) -> Spin {
    let start = Instant::now();
    let (mut last, mut gaps, mut rounds) = (start, Vec::new(), 0_u64);
    while last.duration_since(start) < time {
        // A few microseconds of work that the compiler cannot remove.
        std::hint::black_box(
            (0..2000).fold(rounds, |sum, n: u64| std::hint::black_box(sum.rotate_left(5) ^ n)),
        );
        rounds += 1;
        let now = Instant::now();
        if now.duration_since(last) > GAP {
            gaps.push(now.duration_since(last));
        }
        last = now;
    }
    Spin { gaps, rounds, elapsed: last.duration_since(start) }
}

fn interruptions(_: &Path) -> Verdict {
    if !CAN_PIN {
        return not_measured();
    }
    let cpus = CpuSet::available();
    let watched: Vec<Spin> = std::thread::scope(|scope| {
        let watch = |&cpu: &usize| {
            scope.spawn(move || {
                // Pinned to this processor; if that is not permitted, unpinned.
                let _ = cpu.to_string().parse::<CpuSet>().map(|cpu| cpu.apply());
                spin(WATCH)
            })
        };
        let threads: Vec<_> = cpus.as_slice().iter().map(watch).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
    });
    let share = watched.iter().map(Spin::lost).fold(0.0, f64::max);
    let worst = watched.iter().flat_map(|watched| &watched.gaps).max().copied().unwrap_or_default();
    let message = format!(
        "the most affected CPU was unavailable for {:.2} % of the time, {:.1} ms at most",
        100.0 * share,
        worst.as_secs_f64() * 1e3
    );
    let advice = ": other programs or virtual machines are running; engines will be delayed by as much";
    rate(message, worst > Duration::from_millis(20) || share > 0.05, Severity::Bad, advice)
}

fn disk(folder: &Path) -> Verdict {
    match syncs(folder) {
        Ok(times) => rate_syncs(&times),
        Err(error) => (Severity::Bad, format!("{}: {error}: runs cannot be stored there", folder.display())),
    }
}

fn rate_syncs(times: &[Duration]) -> Verdict {
    let [median, worst] = [0.5, 1.0].map(|share| us(quantile(times, share)) / 1e3);
    let message = format!("writing a record takes {median:.1} ms median, {worst:.1} ms maximum");
    rate(message, median > 100.0, Severity::Note, ": each pair of games waits as long at its end")
}

fn syncs(folder: &Path) -> io::Result<Vec<Duration>> {
    let path = folder.join(format!(".harness-doctor-{}.tmp", std::process::id()));
    let mut file = File::create(&path)?;
    let times = timed(SYNCS, || {
        file.write_all(&[b'x'; 4096])?;
        file.sync_data()
    });
    let _ = std::fs::remove_file(&path);
    times
}

/// Measures the speed of each CPU under full load, relative to one CPU alone.
fn scaling(_: &Path) -> Verdict {
    let count = num_cpus::get();
    let alone = spin(WATCH).rounds;
    let together: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(|| spin(WATCH).rounds)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_default()).sum()
    });
    let share = together as f64 / (count as u64 * alone).max(1) as f64;
    let message = format!(
        "with all {} busy, each has {:.0} % of the speed of one alone",
        counted(count, "CPU"),
        100.0 * share
    );
    let advice = ": use the same concurrency for all measurements that are compared";
    rate(message, share < 0.9, Severity::Note, advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_picks_from_the_sorted_list() {
        let times: Vec<Duration> = (0..=100).map(Duration::from_micros).collect();
        for (share, expected) in [(0.0, 0), (0.5, 50), (0.99, 99), (1.0, 100)] {
            assert_eq!(quantile(&times, share), Duration::from_micros(expected));
        }
        assert_eq!(quantile(&[], 0.5), Duration::ZERO);
    }

    #[test]
    fn disk_is_rated_by_the_median_of_its_times() {
        let rated = |median: u64| rate_syncs(&[1, median, 900].map(Duration::from_millis));
        assert_eq!(
            rated(100),
            (Severity::Good, "writing a record takes 100.0 ms median, 900.0 ms maximum".into())
        );
        let (severity, message) = rated(101);
        assert!(
            severity == Severity::Note && message.contains("each pair of games waits as long"),
            "{message}"
        );
    }

    #[test]
    fn lost_time_is_a_share_of_the_time_watched() {
        // The last gap outlasts the 800 ms of the loop.
        let gaps = vec![Duration::from_millis(100), Duration::from_secs(8)];
        let watched = Spin { gaps, rounds: 9, elapsed: Duration::from_secs(9) };
        assert!((watched.lost() - 0.9).abs() < 1e-9, "{}", watched.lost());
        let spun = spin(Duration::from_millis(5));
        assert!(spun.elapsed >= Duration::from_millis(5) && (0.0..=1.0).contains(&spun.lost()), "{spun:?}");
    }

    #[test]
    fn threads_beyond_the_processors_have_a_note() {
        let message = |running, processors| threads(running, processors).map(|finding| finding.message);
        assert_eq!(message(2, 2), None);
        let expected = "8 threads on 2 processors that this process may use: they share processors, and times and speeds suffer; \
             set fewer Threads";
        assert_eq!(message(8, 2).as_deref(), Some(expected));
    }

    #[test]
    fn limit_of_cpu_time_is_reported_with_the_threads_that_fit() {
        let message = |limit: f64| {
            let (severity, message) = quota_verdict(Some(limit), limit.ceil() as usize);
            assert_eq!(severity, Severity::Bad);
            message
        };
        let half = message(1.5);
        assert!(
            half.starts_with("limits CPU time to 1.50 processors. Programs count 2 processors. "),
            "{half}"
        );
        assert!(half.contains("Use at most 1 search thread at once"), "{half}");
        let two = message(2.0);
        assert!(!two.contains("Programs count") && two.contains("at most 2 search threads"), "{two}");
        assert!(message(0.5).contains("less than one processor"));
        assert_eq!(quota_verdict(None, 2).1, "no limit of CPU time");
    }

    #[test]
    fn processors_are_counted_in_words() {
        assert_eq!(processors_text(1, "0", 1), "1 logical CPU usable (0), 1 core");
        assert_eq!(processors_text(4, "0-3", 2), "4 logical CPUs usable (0-3), 2 cores");
    }

    #[test]
    fn every_check_returns_one_finding() {
        let dir = tempfile::tempdir().unwrap();
        let findings = examine_machine(dir.path(), &Cancel::new());
        assert_eq!(findings.len(), 9);
        assert!(findings.iter().all(|finding| !finding.message.is_empty()));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left behind");
        assert!(disk(Path::new("/no/such/folder")).1.contains("runs cannot be stored"));
        let stopped = Cancel::new();
        stopped.cancel();
        assert_eq!(examine_machine(dir.path(), &stopped), []);
    }
}
