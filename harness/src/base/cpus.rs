//! Assignment of processors to games: whole cores, one game per core, and one NUMA node per game
//! where possible.
//!
//! The sets are drawn from the processors that this process may use, so a container's or
//! `taskset`'s mask is respected. An engine is pinned to its set before it starts, and its threads
//! and children inherit the mask. The runner asks for one set per game; the launcher applies it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::wording::{counted, plural};
use stretto::machine::binding;
use stretto::machine::cpus::{Ranges, parse_range};
use stretto::machine::topology::{hyperthreads_below, nodes_below};

/// Whether engines can be pinned on this system: only Linux hands a thread's mask down to its processes.
pub(crate) const CAN_PIN: bool = cfg!(target_os = "linux");

/// A sorted set of logical processors.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CpuSet(Vec<usize>);

/// Returns the number of physical cores of the logical CPUs that this process may use.
pub(crate) fn physical_cores() -> Option<usize> {
    // Where the topology is unknown, each processor would count as a core.
    let cores = CAN_PIN.then(|| Topology::of_this_machine().cores());
    // A quota of CPU time may allow fewer logical CPUs than there are cores.
    cores.filter(|&cores| cores > 0).map(|cores| cores.min(num_cpus::get()))
}

/// Returns the number of threads that run without disturbing each other: the physical cores where they are known.
pub(crate) fn undisturbed_threads() -> usize {
    physical_cores().unwrap_or_else(num_cpus::get)
}

/// Returns a notice if `count` games or searches at once, of `threads` threads each, need more than the
/// `available` processors or cores, as `resource` says.
pub(crate) fn overload_notice(
    count: usize,
    unit: &str,
    threads: usize,
    (available, resource): (usize, &str),
) -> Option<String> {
    let threads = threads.max(1);
    if count.saturating_mul(threads) <= available {
        return None;
    }
    let (units, threads) = (counted(count, unit), counted(threads, "thread"));
    let load = if count == 1 {
        format!("{units} of {threads} needs")
    } else {
        format!("{units} of {threads} each at once need")
    };
    let resource = plural(available, resource);
    Some(format!(
        "{load} more than the {available} {resource} that this process may use; times and speeds suffer"
    ))
}

/// Returns a notice if `count` games or searches at once, whose results do not depend on time, are more than the `available`
/// processors.
pub(crate) fn surplus_notice(count: usize, unit: &str, available: usize) -> Option<String> {
    (count > available).then(|| {
        format!(
            "{} at once are more than the {available} {} that this process may use: the run is no faster \
             than with {available} and needs more memory",
            counted(count, unit),
            plural(available, "processor")
        )
    })
}

impl CpuSet {
    /// Returns the processors that this process may use; empty if the system does not report them.
    pub fn available() -> Self {
        Self(if CAN_PIN { binding::available() } else { Vec::new() })
    }

    /// Returns the processor numbers in ascending order.
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }

    /// Pins the calling thread, and every thread and process it starts from now on, to this set.
    pub fn apply(&self) -> std::io::Result<()> {
        binding::bind_to(&self.0).map_err(std::io::Error::other)
    }
}

impl FromStr for CpuSet {
    type Err = String;

    /// Parses the kernel's list format: `0,2,4-7`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut cpus = Vec::new();
        for token in text.trim().split(',').map(str::trim).filter(|token| !token.is_empty()) {
            let ends = parse_range(token).ok().filter(|(_, last)| *last < 1 << 16);
            let (first, last) =
                ends.ok_or_else(|| format!("`{token}`: expected a processor like 3 or a range like 4-7"))?;
            cpus.extend(first..=last);
        }
        cpus.sort_unstable();
        cpus.dedup();
        Ok(Self(cpus))
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ranges(&self.0).fmt(f)
    }
}

/// A physical core: those of its hardware threads that this process may use.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Core {
    cpus: Vec<usize>,
    /// NUMA node of the core.
    node: usize,
}

/// The physical cores that this process may use, ordered by NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology(Vec<Core>);

impl Topology {
    /// Reads the topology of this machine.
    pub fn of_this_machine() -> Self {
        Self::read(Path::new("/sys"), &CpuSet::available())
    }

    /// Reads the topology from sysfs, which is mounted at `root`. A processor without such files counts as a
    /// core of its own.
    fn read(root: &Path, available: &CpuSet) -> Self {
        let nodes = nodes_below(root, &available.0).unwrap_or_default();
        let mut cores: BTreeMap<usize, Core> = BTreeMap::new();
        for &cpu in &available.0 {
            // The lowest processor identifies the core, whether or not this process may use it.
            let name = hyperthreads_below(root, cpu).into_iter().chain([cpu]).min().unwrap_or(cpu);
            let node = nodes.iter().position(|node| node.cpus.contains(&cpu)).unwrap_or(0);
            cores.entry(name).or_insert_with(|| Core { cpus: Vec::new(), node }).cpus.push(cpu);
        }
        let mut cores: Vec<Core> = cores.into_values().collect();
        cores.sort_by_key(|core| core.node);
        Self(cores)
    }

    /// Returns the number of cores.
    pub fn cores(&self) -> usize {
        self.0.len()
    }

    /// Returns one processor set per game. Of each game's engines, one runs at a time with
    /// `threads` threads.
    ///
    /// Each thread gets its own core if there are enough. Otherwise the threads of a game share
    /// cores, one thread per hardware thread. Sets stay within one NUMA node where possible.
    pub fn sets(&self, games: usize, threads: usize) -> Result<Vec<CpuSet>, String> {
        let threads = threads.max(1);
        let least_width = self.0.iter().map(|core| core.cpus.len()).min().unwrap_or(1).max(1);
        let each = if games * threads <= self.cores() { threads } else { threads.div_ceil(least_width) };
        if games * each > self.cores() {
            let (end, advice) = if games == 1 {
                ("needs", "set fewer Threads")
            } else {
                ("each need", "set a lower concurrency")
            };
            return Err(format!(
                "{} of {} {end} {} whole {}, but this process may use {}; {advice}, or affinity: off",
                counted(games, "game"),
                counted(threads, "thread"),
                games * each,
                plural(games * each, "core"),
                self.cores()
            ));
        }
        let (mut whole, mut rest) = (Vec::new(), Vec::new());
        for node in self.0.chunk_by(|a, b| a.node == b.node) {
            let sets = node.chunks_exact(each);
            rest.extend(sets.remainder());
            whole.extend(sets.map(|cores| cores.iter().collect::<Vec<_>>()));
        }
        whole.extend(rest.chunks_exact(each).map(<[&Core]>::to_vec));
        let set = |cores: Vec<&Core>| {
            let mut cpus: Vec<usize> = cores.iter().flat_map(|core| core.cpus.iter().copied()).collect();
            cpus.sort_unstable();
            CpuSet(cpus)
        };
        Ok(whole.into_iter().take(games).map(set).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns two NUMA nodes of `cores` cores with two hardware threads each, numbered as the
    /// kernel does: first threads first.
    fn machine(cores: usize) -> Topology {
        let core = |core| Core { cpus: vec![core, core + 2 * cores], node: core / cores };
        Topology((0..2 * cores).map(core).collect())
    }

    fn sets(topology: &Topology, games: usize, threads: usize) -> Vec<String> {
        topology.sets(games, threads).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_game_gets_its_own_cores() {
        let machine = machine(4);
        assert_eq!(sets(&machine, 3, 1), ["0,8", "1,9", "2,10"]);
        assert_eq!(sets(&machine, 2, 3), ["0-2,8-10", "4-6,12-14"], "no set spans two NUMA nodes");
        assert_eq!(sets(&machine, 2, 4), ["0-3,8-11", "4-7,12-15"]);
        // With fewer cores than threads, both hardware threads of a core go to one game.
        assert_eq!(sets(&machine, 4, 4), ["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"]);
        assert_eq!(sets(&machine, 1, 16), ["0-15"]);
    }

    #[test]
    fn load_beyond_the_processors_has_a_notice() {
        assert_eq!(overload_notice(2, "game", 4, (8, "processor")), None);
        assert_eq!(
            overload_notice(1, "search", 64, (2, "processor")).unwrap(),
            "1 search of 64 threads needs more than the 2 processors that this process may use; times and speeds suffer"
        );
        let several = overload_notice(2, "search", 1, (1, "processor")).unwrap();
        assert!(several.starts_with("2 searches of 1 thread each at once need more than the 1 processor "));
    }

    #[test]
    fn more_games_than_processors_have_a_notice_without_a_clock() {
        assert_eq!(surplus_notice(4, "game", 4), None);
        let notice = surplus_notice(100, "game", 1).unwrap();
        assert!(notice.starts_with("100 games at once are more than the 1 processor that"), "{notice}");
    }

    #[test]
    fn remaining_cores_of_a_node_are_used_last() {
        assert_eq!(sets(&machine(3), 3, 2), ["0-1,6-7", "3-4,9-10", "2,5,8,11"]);
    }

    #[test]
    fn two_games_never_share_a_core() {
        let error = machine(4).sets(9, 1).unwrap_err();
        assert!(error.starts_with("9 games of 1 thread each need 9 whole cores, but this process may use 8"));
        let error = Topology(machine(1).0[..1].to_vec()).sets(1, 4).unwrap_err();
        let expected = "1 game of 4 threads needs 2 whole cores, but this process may use 1; set fewer Threads, or affinity: off";
        assert_eq!(error, expected);
        // Three threads need two cores of two hardware threads. The fourth hardware thread stays
        // idle instead of going to another game.
        assert!(machine(4).sets(5, 3).is_err());
        assert_eq!(sets(&machine(4), 4, 3).len(), 4);
    }

    #[test]
    fn kernel_cpu_lists_round_trip() {
        for text in ["0", "0-3", "0,2,4-7", ""] {
            assert_eq!(text.parse::<CpuSet>().unwrap().to_string(), text);
        }
        assert_eq!(" 3,1-2\n".parse::<CpuSet>().unwrap().to_string(), "1-3");
        for text in ["x", "3-1", "1-99999999999", "-"] {
            assert!(text.parse::<CpuSet>().is_err(), "{text}");
        }
    }

    #[test]
    fn topology_is_read_from_sysfs() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for (cpu, siblings) in [(0, "0,2"), (1, "1,3"), (2, "0,2"), (3, "1,3")] {
            write(&format!("devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"), siblings);
        }
        write("devices/system/node/online", "0-1\n");
        write("devices/system/node/node0/cpulist", "1,3\n");
        write("devices/system/node/node1/cpulist", "0,2\n");
        let all = Topology::read(dir.path(), &"0-4".parse().unwrap());
        let core = |cpus: &[usize], node| Core { cpus: cpus.to_vec(), node };
        assert_eq!(all.0, [core(&[1, 3], 0), core(&[4], 0), core(&[0, 2], 1)]);
        let masked = Topology::read(dir.path(), &"2-3".parse().unwrap());
        assert_eq!(masked.0, [core(&[3], 0), core(&[2], 1)], "only processors in the mask");
    }

    #[test]
    fn this_machine_has_at_least_one_core() {
        let topology = Topology::of_this_machine();
        assert!(topology.cores() >= 1);
        let all: usize = topology.0.iter().map(|core| core.cpus.len()).sum();
        assert_eq!(all, CpuSet::available().as_slice().len());
    }
}
