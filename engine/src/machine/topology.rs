//! The memory nodes (NUMA) of the machine and their processors, and hyperthreads of one core.
//!
//! A processor reaches the memory of its own node faster than that of the others. Linux lists the
//! nodes below `/sys/devices/system/node`.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::binding::available;
use super::cpus::parse_range;

/// The longest range of processors accepted in a file, so that a corrupt one cannot exhaust memory.
const MAX_CPUS: usize = 1 << 16;

/// A memory node with processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Number given by the system.
    pub id: usize,
    /// Its processors available to this process, in ascending order. Shape: not empty.
    pub cpus: Vec<usize>,
}

/// Reason why the nodes are not known.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum TopologyError {
    #[error("this system does not report NUMA nodes")]
    Unsupported,
    #[error("cannot read {path}: {error}")]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{path}: expected a list such as '0-3,8', found '{text}'")]
    Malformed { path: PathBuf, text: String },
    #[error("{path}: no node has a processor available to this process")]
    NoProcessors { path: PathBuf },
}

/// Returns the nodes of this machine, with the processors available to this process.
///
/// Errors: the system does not report them.
pub fn nodes() -> Result<Vec<Node>, TopologyError> {
    if cfg!(target_os = "linux") {
        nodes_below(Path::new("/sys"), &available())
    } else {
        Err(TopologyError::Unsupported)
    }
}

/// Returns the nodes described below `root`, the mount point of Linux's sysfs, with their processors
/// among `available`. Nodes without any, such as memory of an accelerator, are left out.
///
/// Errors: a file is missing or malformed, or no node has a processor.
pub fn nodes_below(root: &Path, available: &[usize]) -> Result<Vec<Node>, TopologyError> {
    let folder = root.join("devices/system/node");
    let mut nodes = Vec::new();
    for id in read_list(&folder.join("online"))? {
        let mut cpus = read_list(&folder.join(format!("node{id}")).join("cpulist"))?;
        cpus.retain(|cpu| available.contains(cpu));
        if !cpus.is_empty() {
            nodes.push(Node { id, cpus });
        }
    }
    if nodes.is_empty() { Err(TopologyError::NoProcessors { path: folder }) } else { Ok(nodes) }
}

/// Returns the hyperthreads of a processor's core, itself included; empty if the system does not
/// report them.
pub fn hyperthreads(cpu: usize) -> Vec<usize> {
    hyperthreads_below(Path::new("/sys"), cpu)
}

/// Returns the hyperthreads described below `root`, as [`hyperthreads`] does.
pub fn hyperthreads_below(root: &Path, cpu: usize) -> Vec<usize> {
    let file = format!("devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    read_list(&root.join(file)).unwrap_or_default()
}

/// Reads a file that holds a list of numbers; an empty file is an empty list.
fn read_list(path: &Path) -> Result<Vec<usize>, TopologyError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| TopologyError::Unreadable { path: path.to_owned(), error })?;
    let text = text.trim();
    let malformed = || TopologyError::Malformed { path: path.to_owned(), text: text.to_owned() };
    let mut numbers = Vec::new();
    for token in text.split(',').filter(|_| !text.is_empty()) {
        let (first, last) = parse_range(token).map_err(|_| malformed())?;
        if last - first >= MAX_CPUS {
            return Err(malformed());
        }
        numbers.extend(first..=last);
    }
    Ok(numbers)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A folder with the files of sysfs, removed when dropped.
    pub(crate) struct FakeSysfs(PathBuf);

    impl FakeSysfs {
        /// Writes the files of a machine whose nodes have these lists of processors.
        pub(crate) fn new(name: &str, nodes: &[&str]) -> Self {
            let root = std::env::temp_dir().join(format!("stretto-sysfs-{}-{name}", std::process::id()));
            let folder = root.join("devices/system/node");
            std::fs::create_dir_all(&folder).expect("a scratch folder");
            let fake = Self(root);
            fake.write("online", &format!("0-{}\n", nodes.len() - 1));
            for (id, cpus) in nodes.iter().enumerate() {
                std::fs::create_dir_all(folder.join(format!("node{id}"))).expect("a scratch folder");
                fake.write(&format!("node{id}/cpulist"), &format!("{cpus}\n"));
            }
            fake
        }

        fn write(&self, file: &str, text: &str) {
            std::fs::write(self.0.join("devices/system/node").join(file), text).expect("a scratch file");
        }

        pub(crate) fn root(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for FakeSysfs {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn two_sockets_of_64_cores_are_two_nodes() {
        let fake = FakeSysfs::new("sockets", &["0-63", "64-127"]);
        let all: Vec<usize> = (0..128).collect();
        let nodes = nodes_below(fake.root(), &all).expect("valid files");
        assert_eq!(nodes.len(), 2);
        assert_eq!((nodes[0].id, &nodes[0].cpus[..]), (0, &all[..64]));
        assert_eq!((nodes[1].id, &nodes[1].cpus[..]), (1, &all[64..]));
    }

    #[test]
    fn hyperthreads_follow_the_cores_of_all_sockets() {
        let fake = FakeSysfs::new("smt", &["0-63,128-191", "64-127,192-255"]);
        let nodes = nodes_below(fake.root(), &(0..256).collect::<Vec<_>>()).expect("valid files");
        assert_eq!(nodes[1].cpus, (64..128).chain(192..256).collect::<Vec<_>>());
    }

    #[test]
    fn unavailable_processors_and_nodes_without_any_are_left_out() {
        let fake = FakeSysfs::new("masked", &["0-63", "64-127", ""]);
        let nodes = nodes_below(fake.root(), &[3, 70, 71]).expect("valid files");
        assert_eq!(nodes, [Node { id: 0, cpus: vec![3] }, Node { id: 1, cpus: vec![70, 71] }]);
        let nodes = nodes_below(fake.root(), &[100]).expect("valid files");
        assert_eq!(nodes, [Node { id: 1, cpus: vec![100] }]);
        let error = nodes_below(fake.root(), &[200]).expect_err("no processor");
        assert!(error.to_string().contains("no node has a processor available"), "{error}");
    }

    #[test]
    fn missing_and_malformed_files_are_reported_with_their_path() {
        let fake = FakeSysfs::new("broken", &["0-63", "64-127"]);
        for text in ["64-x", "127-64", "0-99999999"] {
            fake.write("node1/cpulist", text);
            let error = nodes_below(fake.root(), &[0]).expect_err(text).to_string();
            assert!(error.contains("node1/cpulist: expected a list") && error.contains(text), "{error}");
        }
        std::fs::remove_file(fake.root().join("devices/system/node/node1/cpulist")).expect("as written");
        let error = nodes_below(fake.root(), &[0]).expect_err("no file").to_string();
        assert!(error.starts_with("cannot read") && error.contains("node1/cpulist"), "{error}");
    }

    #[test]
    #[cfg_attr(any(miri, not(target_os = "linux")), ignore = "needs Linux")]
    fn nodes_of_this_machine_partition_its_processors() {
        match nodes() {
            Ok(nodes) => {
                let mut cpus: Vec<usize> = nodes.into_iter().flat_map(|node| node.cpus).collect();
                cpus.sort_unstable();
                assert_eq!(cpus, available());
            }
            // A container may hide the files.
            Err(error) => assert!(matches!(error, TopologyError::Unreadable { .. }), "{error}"),
        }
    }
}
