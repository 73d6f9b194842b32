//! The limits of the control groups that this process belongs to, on Linux.
//!
//! A container limits memory and processor time by control groups. A group is also bound by the limits
//! of all groups above it. Both versions of the kernel's interface are read.

use std::fs;

use crate::types::Mebibytes;

const BYTES_PER_MEBIBYTE: u64 = 1 << 20;

/// Returns the contents of a file; `None` if it cannot be read.
fn read_file(file: &str) -> Option<String> {
    fs::read_to_string(file).ok()
}

/// Returns the processors that the control groups grant in the mean, such as 0.5; `None` without a
/// limit, or if the system does not tell.
pub fn processor_quota() -> Option<f64> {
    processor_quota_from(read_file)
}

fn processor_quota_from(read: impl Fn(&str) -> Option<String>) -> Option<f64> {
    let groups = read("/proc/self/cgroup")?;
    let unified = folders(&groups, "").into_iter().filter_map(|folder| {
        let limit = read(&format!("{folder}/cpu.max"))?;
        let mut words = limit.split_ascii_whitespace();
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    });
    let separate = folders(&groups, "cpu").into_iter().filter_map(|folder| {
        let number = |file| read(&format!("{folder}/{file}"))?.trim().parse().ok();
        Some((number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?))
    });
    // No limit is -1 in the old interface, and a word in the new one.
    let quotas = unified.chain(separate).filter(|&(quota, period): &(f64, f64)| quota > 0.0 && period > 0.0);
    quotas.map(|(quota, period)| quota / period).reduce(f64::min)
}

/// Returns the memory that this process may use: that of the machine, or the limit of a control group; `None`
/// if the system does not report it.
pub fn memory_limit() -> Option<Mebibytes> {
    memory_limit_from(read_file)
}

fn memory_limit_from(read: impl Fn(&str) -> Option<String>) -> Option<Mebibytes> {
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let unified = folders(&groups, "").into_iter().map(|folder| format!("{folder}/memory.max"));
    let separate =
        folders(&groups, "memory").into_iter().map(|folder| format!("{folder}/memory.limit_in_bytes"));
    let limits = unified.chain(separate).filter_map(|file| read(&file)?.trim().parse().ok());
    let machine = read("/proc/meminfo").and_then(|text| meminfo(&text, "MemTotal:"));
    limits.chain(machine).min().map(|bytes: u64| Mebibytes(bytes / BYTES_PER_MEBIBYTE))
}

/// Returns the memory of the machine; `None` if the system does not report it.
pub fn machine_memory() -> Option<Mebibytes> {
    of_machine("MemTotal:")
}

/// Returns the memory that the machine can give without taking any from a program; `None` if the
/// system does not report it.
pub fn available_memory() -> Option<Mebibytes> {
    of_machine("MemAvailable:")
}

fn of_machine(name: &str) -> Option<Mebibytes> {
    let bytes = meminfo(&read_file("/proc/meminfo")?, name)?;
    Some(Mebibytes(bytes / BYTES_PER_MEBIBYTE))
}

/// Parses a line of `/proc/meminfo` that begins with `name`. Units: bytes.
fn meminfo(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Returns the folders of a controller's groups, from the group of the process up to the root. An empty
/// name stands for the unified hierarchy of version 2.
fn folders(groups: &str, controller: &str) -> Vec<String> {
    let mut folders = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        if !controllers.split(',').any(|name| name == controller) {
            continue;
        }
        let root = if controller.is_empty() {
            "/sys/fs/cgroup".to_owned()
        } else {
            format!("/sys/fs/cgroup/{controller}")
        };
        let mut group = path.trim_end_matches('/');
        loop {
            folders.push(format!("{root}{group}"));
            let Some(slash) = group.rfind('/') else { break };
            group = &group[..slash];
        }
    }
    folders
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const GROUPS: &str = "4:cpu,memory:/a/b\n3:cpuset:/\n0::/x\nnonsense\n";

    /// Reads one of these files.
    fn reader<'a>(files: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |asked| files.iter().find(|(file, _)| *file == asked).map(|&(_, text)| text.to_owned())
    }

    #[test]
    fn memory_limit_is_the_smallest_of_the_machine_and_all_groups() {
        let limit = |files: &[(&str, &str)]| memory_limit_from(reader(files)).map(|limit| limit.0);
        assert_eq!(limit(&[]), None);
        let mut files = vec![
            ("/proc/meminfo", "MemFree: 1 kB\nMemTotal:       2097152 kB\n"),
            ("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1073741824\n"),
        ];
        assert_eq!(limit(&files), Some(2048), "the groups are unknown");
        files.push(("/proc/self/cgroup", GROUPS));
        assert_eq!(limit(&files), Some(1024));
        files.push(("/sys/fs/cgroup/x/memory.max", "max\n"));
        assert_eq!(limit(&files), Some(1024));
        // A container may see the path of the host, and its own group at the root.
        files.push(("/sys/fs/cgroup/memory.max", "536870912\n"));
        assert_eq!(limit(&files), Some(512));
    }

    #[test]
    fn memory_of_the_machine_is_parsed() {
        let text = "MemTotal:       2048 kB\nMemFree: 1 kB\nMemAvailable: 1024 kB\n";
        assert_eq!(meminfo(text, "MemTotal:"), Some(2 << 20));
        assert_eq!(meminfo(text, "MemAvailable:"), Some(1 << 20));
        assert_eq!(meminfo("MemFree: 1 kB\n", "MemTotal:"), None);
        assert_eq!(meminfo("MemTotal: lots kB\n", "MemTotal:"), None);
    }

    #[test]
    fn processor_quota_is_the_smallest_of_all_groups() {
        let quota = |files: &[(&str, &str)]| processor_quota_from(reader(files));
        assert_eq!(quota(&[]), None);
        let mut files = vec![
            ("/proc/self/cgroup", GROUPS),
            ("/sys/fs/cgroup/x/cpu.max", "max 100000\n"),
            ("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n"),
            ("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"),
        ];
        assert_eq!(quota(&files), None);
        files.push(("/sys/fs/cgroup/cpu.max", "150000 100000\n"));
        assert_eq!(quota(&files), Some(1.5));
        files.push(("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "50000\n"));
        files.push(("/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n"));
        assert_eq!(quota(&files), Some(0.5));
    }
}
