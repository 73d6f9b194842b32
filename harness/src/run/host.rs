//! The machine that runs the harness, as the manifest of a run describes it.

use serde::{Deserialize, Serialize};
use stretto::machine::control_group::machine_memory;
use stretto::machine::topology;

use crate::base::cpus::physical_cores;
use crate::base::system::host;
use crate::base::wording::counted;

/// The machine that runs the harness.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Host name, as the operating system reports it.
    pub name: String,
    /// Operating system, release and architecture.
    pub system: String,
    /// Model of the processor.
    pub cpu: String,
    /// Number of logical CPUs that this process may use. The field has its name for the sake of stored runs.
    pub cores: usize,
    /// Number of physical cores that they belong to. This and the next two fields are absent where
    /// the system does not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_cores: Option<usize>,
    /// Number of memory nodes (NUMA) with processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numa_nodes: Option<usize>,
    /// Memory of the machine. Units: mebibytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
    /// Number of concurrent games or positions at the start of the run.
    pub concurrency: usize,
}

impl Host {
    /// Describes the machine of this process.
    pub fn here(concurrency: usize) -> Self {
        Self {
            name: host::name(),
            system: host::system(),
            cpu: host::cpu_model(),
            cores: num_cpus::get(),
            physical_cores: physical_cores(),
            numa_nodes: topology::nodes().ok().map(|nodes| nodes.len()),
            memory_mib: machine_memory().map(|memory| memory.0),
            concurrency,
        }
    }

    /// Whether both are one machine, with as many logical CPUs.
    pub(crate) fn is_machine_of(&self, other: &Self) -> bool {
        (&self.name, &self.cpu, self.cores) == (&other.name, &other.cpu, other.cores)
    }

    /// Returns name and size of the machine: `box: 128 logical CPUs, 64 cores, 2 NUMA nodes, 256 GiB`
    /// with the processor and the system.
    pub(crate) fn description(&self) -> String {
        let memory = |mib: u64| match mib {
            0..1024 => format!("{mib} MiB"),
            _ => format!("{:.0} GiB", mib as f64 / 1024.0),
        };
        let parts = [
            Some(counted(self.cores, "logical CPU")),
            self.physical_cores.map(|cores| counted(cores, "core")),
            self.numa_nodes.map(|nodes| counted(nodes, "NUMA node")),
            self.memory_mib.map(memory),
            Some(self.cpu.clone()),
            Some(self.system.clone()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("{}: {}", self.name, parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_is_described_as_far_as_it_is_known() {
        let mut host = Host {
            name: "box".to_owned(),
            system: "Linux".to_owned(),
            cpu: "EPYC".to_owned(),
            cores: 128,
            physical_cores: Some(64),
            numa_nodes: Some(2),
            memory_mib: Some(257_794),
            concurrency: 1,
        };
        let expected = "box: 128 logical CPUs, 64 cores, 2 NUMA nodes, 252 GiB, EPYC, Linux";
        assert_eq!(host.description(), expected);
        (host.cores, host.physical_cores, host.numa_nodes, host.memory_mib) =
            (1, Some(1), Some(1), Some(512));
        assert_eq!(host.description(), "box: 1 logical CPU, 1 core, 1 NUMA node, 512 MiB, EPYC, Linux");
        let known = "{ name: box, system: Linux, cpu: EPYC, cores: 4, concurrency: 1 }";
        let known: Host = serde_yaml::from_str(known).unwrap();
        assert_eq!(known.description(), "box: 4 logical CPUs, EPYC, Linux");
        assert_eq!(serde_yaml::to_value(&known).unwrap().as_mapping().unwrap().len(), 5);
    }
}
