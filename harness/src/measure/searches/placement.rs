//! The threads or processes that search a position ([`Load`]), and their placement on processors.
//!
//! Each process has one thread, so an engine that binds its threads by a list would put all
//! processes where its first thread is. Process N gets the place of thread N instead.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::OnceLock;

use stretto::machine::cpus::parse_list;

use crate::base::cpus::{CpuSet, Topology};
use crate::base::wording::counted;
use crate::config::{EngineConfig, EngineOption};

/// The option that pins single threads to processors. It precedes [`NUMA_POLICY`].
const AFFINITY: &str = "Affinity";
/// The option that binds threads to memory nodes.
const NUMA_POLICY: &str = "NumaPolicy";

/// The processors of this machine.
struct Machine {
    available: CpuSet,
    topology: Topology,
}

/// Returns the options that place the process with number `index`, from 0. With threads in one
/// process these are the configured ones, since the same process also runs alone.
pub(super) fn placement(engine: &EngineConfig, load: Load, index: usize) -> Vec<EngineOption> {
    static MACHINE: OnceLock<Machine> = OnceLock::new();
    let machine = || {
        MACHINE
            .get_or_init(|| Machine { available: CpuSet::available(), topology: Topology::of_this_machine() })
    };
    match load {
        Load::AsConfigured => Vec::new(),
        Load::Threads(_) => configured(engine).cloned().into_iter().collect(),
        Load::Processes(count) => {
            let Some(option) = configured(engine) else { return Vec::new() };
            let value = option.value.as_deref().unwrap_or_default().trim();
            let place = if option.name.eq_ignore_ascii_case(AFFINITY) {
                machine().core(value, index, count.get() as usize)
            } else {
                machine().node(value, index)
            };
            let value = Some(place.unwrap_or_else(|| value.to_owned()));
            vec![EngineOption { name: option.name.clone(), value }]
        }
    }
}

/// Returns the option that places the threads of an engine, if it is set.
fn configured(engine: &EngineConfig) -> Option<&EngineOption> {
    let find = |name: &str, neutral: &[&str]| {
        let option = engine.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))?;
        let value = option.value.as_deref().unwrap_or_default().trim().to_ascii_lowercase();
        (!neutral.contains(&value.as_str())).then_some(option)
    };
    // One thread alone is bound to no node by `auto`.
    find(AFFINITY, &["", "off"]).or_else(|| find(NUMA_POLICY, &["", "none", "auto"]))
}

impl Machine {
    /// Returns the value of `Affinity` for one of `count` processes; `None` for an unknown value.
    fn core(&self, value: &str, index: usize, count: usize) -> Option<String> {
        if value.eq_ignore_ascii_case("auto") {
            // As with threads: none is pinned if there are too few cores.
            let sets = self.topology.sets(count, 1).unwrap_or_default();
            let core = sets.get(index).and_then(|set| set.as_slice().first());
            return Some(core.map_or_else(|| "off".to_owned(), ToString::to_string));
        }
        let list = parse_list(value, self.available.as_slice()).ok()?;
        list.get(index % list.len().max(1)).map(ToString::to_string)
    }

    /// Returns the value of `NumaPolicy` for a process: the group of processors to which a thread of
    /// this number is bound. `None` for an unknown value.
    fn node(&self, value: &str, index: usize) -> Option<String> {
        let groups: Vec<&str> = value.split(':').map(str::trim).collect();
        let size = |group: &&str| Some(parse_list(group, self.available.as_slice()).ok()?.len());
        let sizes: Vec<usize> = groups.iter().map(size).collect::<Option<_>>()?;
        let mut taken = vec![0_usize; groups.len()];
        // Each thread goes to the group that is the least occupied with it, as the engine does.
        let mut place = 0;
        for _ in 0..=index {
            let share = |group: usize, taken: &[usize]| (taken[group] + 1) as f64 / sizes[group] as f64;
            let least = |best, group| if share(group, &taken) < share(best, &taken) { group } else { best };
            place = (1..groups.len()).fold(0, least);
            taken[place] += 1;
        }
        Some(groups[place].to_owned())
    }
}

/// The number of threads or processes of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// The number of threads set by the engine's options.
    AsConfigured,
    /// This number of threads in one process.
    Threads(NonZeroU32),
    /// This number of single-threaded processes, which search the same position at the same time.
    /// Their total speed is a reference for as many threads on this machine.
    Processes(NonZeroU32),
}

impl Load {
    /// Returns the total number of threads; 0 for [`Self::AsConfigured`].
    pub(crate) fn threads(self) -> u32 {
        match self {
            Self::AsConfigured => 0,
            Self::Threads(count) | Self::Processes(count) => count.get(),
        }
    }

    /// Whether each thread is a process of its own.
    pub(crate) fn is_separate(self) -> bool {
        matches!(self, Self::Processes(_))
    }

    /// Returns the number of processes.
    pub(super) fn processes(self) -> usize {
        match self {
            Self::AsConfigured | Self::Threads(_) => 1,
            Self::Processes(count) => count.get() as usize,
        }
    }

    /// Returns the number of threads in each process of this engine.
    pub(super) fn threads_in(self, engine: &EngineConfig) -> usize {
        self.threads_of_each().map_or_else(|| engine.threads(), |threads| threads as usize)
    }

    /// Returns the value of the option `Threads` in each process; `None` leaves it unchanged.
    pub(super) fn threads_of_each(self) -> Option<u32> {
        match self {
            Self::AsConfigured => None,
            Self::Threads(count) => Some(count.get()),
            Self::Processes(_) => Some(1),
        }
    }
}

/// Formats a suffix for the engine's name: nothing, ` with 1 thread` or ` in 4 processes`.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsConfigured => Ok(()),
            Self::Threads(count) => write!(f, " with {}", counted(count.get() as usize, "thread")),
            Self::Processes(count) => write!(f, " in {}", counted(count.get() as usize, "process")),
        }
    }
}

/// Returns the option that sets the number of search threads.
pub(super) fn threads_option(threads: u32) -> EngineOption {
    EngineOption { name: "Threads".to_owned(), value: Some(threads.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limits;

    fn machine() -> Machine {
        let available: CpuSet = "0-7".parse().unwrap();
        Machine { available, topology: Topology::of_this_machine() }
    }

    fn engine(options: &[(&str, &str)]) -> EngineConfig {
        let options: Vec<_> =
            options.iter().map(|&(name, value)| (name.to_owned(), Some(value.to_owned()))).collect();
        EngineConfig::of_words("sh", None, &[], &options, Limits::default()).unwrap()
    }

    #[test]
    fn processes_are_spread_over_the_nodes_of_a_list_as_threads_are() {
        let nodes = |value: &str| -> Vec<String> {
            (0..6).map(|index| machine().node(value, index).unwrap()).collect()
        };
        assert_eq!(nodes("0-3:4-7"), ["0-3", "4-7", "0-3", "4-7", "0-3", "4-7"]);
        assert_eq!(nodes("0-3:4-5"), ["0-3", "0-3", "4-5", "0-3", "0-3", "4-5"], "in proportion to the size");
        assert_eq!(nodes("5"), ["5"; 6]);
        assert_eq!(machine().node("system", 0), None);
    }

    #[test]
    fn processes_are_pinned_to_the_cores_of_a_list_in_its_order() {
        let cores: Vec<String> = (0..4).map(|index| machine().core("6,0-1", index, 4).unwrap()).collect();
        assert_eq!(cores, ["6", "0", "1", "6"]);
    }

    #[test]
    fn affinity_auto_pins_each_process_to_a_core_of_its_own_or_none() {
        let machine = machine();
        let cores = machine.topology.cores();
        let mut pinned: Vec<String> =
            (0..cores).map(|index| machine.core("auto", index, cores).unwrap()).collect();
        pinned.sort();
        pinned.dedup();
        assert_eq!(pinned.len(), cores);
        assert_eq!(machine.core("auto", 0, cores + 1).unwrap(), "off", "too few cores");
    }

    #[test]
    fn threads_get_back_the_configured_placement() {
        let two = NonZeroU32::new(2).unwrap();
        let engine_of = |value: &str| engine(&[("Hash", "8"), ("affinity", value), ("NumaPolicy", "auto")]);
        let values = |engine: &EngineConfig, load: Load| -> Vec<String> {
            let value = |option: EngineOption| format!("{} {}", option.name, option.value.unwrap());
            placement(engine, load, 0).into_iter().map(value).collect()
        };
        assert_eq!(values(&engine_of("0"), Load::Threads(two)), ["affinity 0"]);
        assert_eq!(values(&engine_of("0"), Load::Processes(two)), ["affinity 0"]);
        assert_eq!(values(&engine_of("0"), Load::AsConfigured), [""; 0]);
        assert_eq!(values(&engine_of("off"), Load::Processes(two)), [""; 0], "nothing is placed");
        let list = engine(&[("NumaPolicy", "0")]);
        assert_eq!(values(&list, Load::Processes(two)), ["NumaPolicy 0"]);
    }
}
