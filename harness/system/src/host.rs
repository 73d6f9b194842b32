//! Names of this machine, its system and its processor, its memory, and the CPU time of this process.

use std::path::Path;
use std::time::Duration;

/// Returns the name of the machine; `unknown` if the system does not report it.
#[cfg(unix)]
pub fn name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Returns the name of the machine; `unknown` if the system does not report it.
#[cfg(windows)]
pub fn name() -> String {
    variable("COMPUTERNAME")
}

/// Returns operating system, release and architecture.
#[cfg(unix)]
pub fn system() -> String {
    let uname = rustix::system::uname();
    let words = [uname.sysname(), uname.release(), uname.machine()];
    words.map(|word| word.to_string_lossy().into_owned()).join(" ")
}

/// Returns operating system and architecture.
#[cfg(windows)]
pub fn system() -> String {
    format!("{} {}", variable("OS"), std::env::consts::ARCH)
}

/// Returns the model of the processor, as the system names it; `unknown` if it does not.
#[cfg(unix)]
pub fn cpu_model() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split_once(':')).map_or("unknown", |(_, model)| model.trim()).to_owned()
}

/// Returns the model of the processor, as the system names it; `unknown` if it does not.
#[cfg(windows)]
pub fn cpu_model() -> String {
    variable("PROCESSOR_IDENTIFIER")
}

#[cfg(windows)]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| "unknown".to_owned())
}

/// Returns the number of memory nodes (NUMA) with processors; `None` if the system does not report it.
pub fn numa_nodes() -> Option<usize> {
    nodes_with_processors(Path::new("/sys/devices/system/node"))
}

/// Counts the memory nodes below `folder` that have processors.
fn nodes_with_processors(folder: &Path) -> Option<usize> {
    let is_node = |name: &str| name.strip_prefix("node").is_some_and(|rest| rest.parse::<u32>().is_ok());
    let has_processors =
        |node: &Path| std::fs::read_to_string(node.join("cpulist")).is_ok_and(|list| !list.trim().is_empty());
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let nodes = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_node));
    let count = nodes.filter(|entry| has_processors(&entry.path())).count();
    (count > 0).then_some(count)
}

/// Returns the memory of the machine; `None` if the system does not report it. Units: mebibytes.
pub fn memory_mib() -> Option<u64> {
    total_memory_mib(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// Parses the line `MemTotal: 263982044 kB` of `/proc/meminfo`.
fn total_memory_mib(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024)
}

/// Returns the CPU time of all threads of this process.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}

/// Returns the CPU time of all threads of this process.
#[cfg(windows)]
pub fn processor_time() -> Duration {
    cpu_time::ProcessTime::now().as_duration()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_nodes_with_processors_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(nodes_with_processors(dir.path()), None);
        for (name, list) in [("node0", "0-63\n"), ("node1", "64-127\n"), ("node2", "\n"), ("nodes", "0\n")] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
            std::fs::write(dir.path().join(name).join("cpulist"), list).unwrap();
        }
        assert_eq!(nodes_with_processors(dir.path()), Some(2), "node2 is memory alone");
        assert_eq!(nodes_with_processors(&dir.path().join("none")), None);
    }

    #[test]
    fn memory_is_read_in_mebibytes() {
        let text = "MemTotal:       263982044 kB\nMemFree:         1000 kB\n";
        assert_eq!(total_memory_mib(text), Some(257_794));
        assert_eq!(total_memory_mib("MemFree: 1000 kB\n"), None);
    }
}
