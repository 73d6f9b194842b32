//! Limits of this process's control groups (Linux): CPU time and memory, in versions 1 and 2.
//!
//! A limit of any group on the way to the root applies, so the smallest one counts. In a container
//! the path of the own group may be that of the host, whose folder is not visible; the root of the
//! mounted hierarchy is then the container's own group.

use std::fs;
use std::path::Path;

const MEBIBYTE: u64 = 1024 * 1024;

/// Returns the CPU time that this process may use, in processors; `None` without a limit.
pub fn cpu_limit() -> Option<f64> {
    cpu_limit_below(Path::new("/"))
}

/// Returns the memory that this process may use: that of the machine, or the limit of a control
/// group. `None` if unknown. Units: mebibytes.
pub fn memory_limit() -> Option<u64> {
    memory_limit_below(Path::new("/"))
}

fn cpu_limit_below(root: &Path) -> Option<f64> {
    let (first, second) = (folders(root, "cpu", "fs/cgroup/cpu"), folders(root, "", "fs/cgroup"));
    let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let by_first = first.iter().filter_map(|folder| {
        let quota: f64 = read(&format!("{folder}/cpu.cfs_quota_us")).trim().parse().ok()?;
        let period: f64 = read(&format!("{folder}/cpu.cfs_period_us")).trim().parse().ok()?;
        // Without a limit the quota is -1.
        (quota > 0.0 && period > 0.0).then(|| quota / period)
    });
    let by_second = second.iter().filter_map(|folder| quota_of(&read(&format!("{folder}/cpu.max"))));
    by_first.chain(by_second).min_by(f64::total_cmp)
}

fn memory_limit_below(root: &Path) -> Option<u64> {
    let (first, second) = (folders(root, "memory", "fs/cgroup/memory"), folders(root, "", "fs/cgroup"));
    let limit = |file: String| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let by_first = first.iter().filter_map(|folder| limit(format!("{folder}/memory.limit_in_bytes")));
    let by_second = second.iter().filter_map(|folder| limit(format!("{folder}/memory.max")));
    let machine = fs::read_to_string(root.join("proc/meminfo")).ok().and_then(|text| total_of(&text));
    by_first.chain(by_second).chain(machine).min().map(|bytes| bytes / MEBIBYTE)
}

/// Parses `cpu.max` of a control group. Returns the CPU quota in processors, `None` without a limit.
fn quota_of(text: &str) -> Option<f64> {
    let (quota, period) = text.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0.0).then(|| quota / period)
}

/// Parses the total memory from `/proc/meminfo`. Units: bytes.
fn total_of(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Returns the folders below `/sys/` + `mount` of this process's group and its parents, for a
/// controller of version 1, or for version 2 if it is empty. The root of the hierarchy is the last.
fn folders(root: &Path, controller: &str, mount: &str) -> Vec<String> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mount = root.join("sys").join(mount).display().to_string();
    let path = groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        controllers.split(',').any(|name| name == controller).then_some(path)
    });
    let mut group = path.unwrap_or_default().trim_end_matches('/');
    let mut folders = Vec::new();
    loop {
        folders.push(format!("{mount}{group}"));
        let Some(slash) = group.rfind('/') else { return folders };
        group = &group[..slash];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a root folder with these files.
    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = dir.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        dir
    }

    #[test]
    fn quota_is_parsed() {
        assert_eq!(quota_of("200000 100000\n"), Some(2.0));
        for text in ["max 100000", "", "100", "1 0"] {
            assert_eq!(quota_of(text), None, "{text}");
        }
    }

    #[test]
    fn cpu_limit_is_the_smallest_of_the_own_group_and_its_parents() {
        let limit = |files: &[(&str, &str)]| cpu_limit_below(system(files).path());
        let own = ("proc/self/cgroup", "0::/user.slice/run.scope\n");
        let run = ("sys/fs/cgroup/user.slice/run.scope/cpu.max", "150000 100000\n");
        let slice = ("sys/fs/cgroup/user.slice/cpu.max", "100000 100000\n");
        assert_eq!(limit(&[own, run]), Some(1.5));
        assert_eq!(limit(&[own, run, slice]), Some(1.0));
        assert_eq!(limit(&[own, ("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n")]), None);
        // A container sees the host's path, and its own group at the root.
        assert_eq!(limit(&[own, ("sys/fs/cgroup/cpu.max", "50000 100000\n")]), Some(0.5));
        assert_eq!(limit(&[]), None);
    }

    #[test]
    fn cpu_limit_of_version_1_is_read() {
        let limit = |quota: &str| {
            let files = [
                ("proc/self/cgroup", "5:cpu,cpuacct:/a/b\n0::/\n"),
                ("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", quota),
                ("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"),
            ];
            cpu_limit_below(system(&files).path())
        };
        assert_eq!(limit("250000\n"), Some(2.5));
        assert_eq!(limit("-1\n"), None);
    }

    #[test]
    fn memory_limit_is_that_of_the_machine_or_of_a_group() {
        let limit = |files: &[(&str, &str)]| memory_limit_below(system(files).path());
        let machine = ("proc/meminfo", "MemFree: 1 kB\nMemTotal:       2097152 kB\n");
        let own = ("proc/self/cgroup", "4:memory:/a\n0::/b/c\n");
        assert_eq!(limit(&[machine]), Some(2048));
        assert_eq!(limit(&[machine, own, ("sys/fs/cgroup/b/memory.max", "536870912\n")]), Some(512));
        assert_eq!(limit(&[machine, own, ("sys/fs/cgroup/b/memory.max", "max\n")]), Some(2048));
        let first = ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1073741824\n");
        assert_eq!(limit(&[machine, own, first]), Some(1024));
        assert_eq!(limit(&[]), None);
    }
}
