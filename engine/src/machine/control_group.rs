//! The limits of the control groups that this process belongs to, on Linux.
//!
//! A container limits memory and processor time by control groups. A group is also bound by the limits
//! of all groups above it. Both versions of the kernel's interface are read.

use std::fs;

/// Returns the processors that the control groups grant in the mean, such as 0.5; `None` without a
/// limit, or if the system does not tell.
pub fn processor_quota() -> Option<f64> {
    processor_quota_from(|file| fs::read_to_string(file).ok())
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

/// Returns the files that may limit the memory of these control groups, the contents of
/// `/proc/self/cgroup`.
pub fn memory_limit_files(groups: &str) -> Vec<String> {
    let unified = folders(groups, "").into_iter().map(|folder| format!("{folder}/memory.max"));
    let separate =
        folders(groups, "memory").into_iter().map(|folder| format!("{folder}/memory.limit_in_bytes"));
    unified.chain(separate).collect()
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

    #[test]
    fn memory_limits_are_those_of_a_group_and_of_all_above_it() {
        assert_eq!(
            memory_limit_files(GROUPS),
            [
                "/sys/fs/cgroup/x/memory.max",
                "/sys/fs/cgroup/memory.max",
                "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            ]
        );
    }

    #[test]
    fn processor_quota_is_the_smallest_of_all_groups() {
        let quota = |files: &[(&str, &str)]| {
            processor_quota_from(|asked| {
                files.iter().find(|(file, _)| *file == asked).map(|&(_, text)| text.to_owned())
            })
        };
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
