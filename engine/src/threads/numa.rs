//! The policy that binds worker threads to memory nodes (NUMA).
//!
//! A thread bound to a node keeps its own memory there, and first touches its part of the hash table
//! there. Unbound threads may be moved to another node, away from their memory. With few threads the
//! system places them better than a fixed rule.
//!
//! Source: the values and the idea of `auto` follow the option `NumaPolicy` of Stockfish 17.

use std::fmt;

use thiserror::Error;

use crate::machine::cpus::{CpuListError, Ranges, parse_list};

/// The assignment of workers to memory nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NumaPolicy {
    /// Binds if the machine has several nodes and the threads fill more than half of the largest.
    #[default]
    Auto,
    /// Leaves the workers to the scheduler.
    None,
    /// Binds to these groups of processors, which stand for nodes. Shape: no group is empty, no
    /// processor is listed twice.
    Nodes(Vec<Vec<usize>>),
}

/// Error in the value of the option `NumaPolicy`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum NumaPolicyError {
    #[error("expected 'auto', 'none' or processors by node such as '0-15:16-31': {0}")]
    List(#[from] CpuListError),
    #[error("processor {cpu} is listed twice in '{text}'")]
    Repeated { cpu: usize, text: String },
}

impl NumaPolicy {
    /// Parses `auto`, `none` or lists of `available` processors, one for each node, separated by
    /// colons: `0-15,32-47:16-31,48-63`.
    ///
    /// Errors: [`NumaPolicyError`], with the rejected item.
    pub fn parse(text: &str, available: &[usize]) -> Result<Self, NumaPolicyError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("auto") {
            return Ok(Self::Auto);
        }
        if text.eq_ignore_ascii_case("none") {
            return Ok(Self::None);
        }
        let lists = text.split(':').map(|list| parse_list(list, available));
        let nodes = lists.collect::<Result<Vec<_>, _>>()?;
        let mut cpus: Vec<usize> = nodes.iter().flatten().copied().collect();
        cpus.sort_unstable();
        match cpus.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(NumaPolicyError::Repeated { cpu: pair[0], text: text.to_owned() }),
            None => Ok(Self::Nodes(nodes)),
        }
    }

    /// Returns the processors of each node that this many workers are bound to; empty if they are
    /// not bound. `machine` are the nodes of the machine, empty if unknown.
    pub fn nodes<'a>(&'a self, machine: &'a [Vec<usize>], threads: usize) -> &'a [Vec<usize>] {
        match self {
            Self::None => &[],
            Self::Nodes(nodes) => nodes,
            Self::Auto => {
                let largest = machine.iter().map(Vec::len).max().unwrap_or(0);
                if machine.len() > 1 && 2 * threads > largest { machine } else { &[] }
            }
        }
    }
}

/// Distributes workers over nodes with these numbers of processors, in proportion to them. Returns
/// the index of each worker's node.
///
/// Each worker goes to the node that is the least occupied with it, the first of equal ones. So any
/// first few workers are spread evenly too.
pub(super) fn distribute(threads: usize, sizes: &[usize]) -> Vec<usize> {
    let mut workers = vec![0_usize; sizes.len()];
    let next = |_| {
        // Fractions are compared by cross multiplication.
        let fuller = |one: usize, other: usize, workers: &[usize]| {
            (workers[one] + 1) * sizes[other] > (workers[other] + 1) * sizes[one]
        };
        let node =
            (1..sizes.len()).fold(0, |best, node| if fuller(best, node, &workers) { node } else { best });
        workers[node] += 1;
        node
    };
    (0..threads).map(next).collect()
}

impl fmt::Display for NumaPolicy {
    /// Writes the text that [`NumaPolicy::parse`] accepts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::None => f.write_str("none"),
            Self::Nodes(nodes) => f.write_str(&lists(nodes)),
        }
    }
}

/// Returns the processors of each node as text: `0-15,32-47:16-31,48-63`.
pub fn lists(nodes: &[Vec<usize>]) -> String {
    nodes.iter().map(|cpus| Ranges(cpus).to_string()).collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpus(count: usize) -> Vec<usize> {
        (0..count).collect()
    }

    /// Two sockets of 64 cores.
    fn sockets() -> Vec<Vec<usize>> {
        vec![(0..64).collect(), (64..128).collect()]
    }

    #[test]
    fn values_parse_and_round_trip() {
        let two = NumaPolicy::Nodes(vec![vec![0, 1, 4, 5], vec![2, 3]]);
        for (text, policy) in [
            ("auto", NumaPolicy::Auto),
            (" NONE ", NumaPolicy::None),
            ("0-1,4-5:2-3", two),
            ("3", NumaPolicy::Nodes(vec![vec![3]])),
        ] {
            assert_eq!(NumaPolicy::parse(text, &cpus(8)), Ok(policy.clone()));
            assert_eq!(NumaPolicy::parse(&policy.to_string(), &cpus(8)), Ok(policy));
        }
    }

    #[test]
    fn errors_contain_the_rejected_item() {
        for (bad, expected) in [
            ("", "found ''"),
            ("0-3:", "found ''"),
            ("all", "expected 'auto', 'none' or processors by node such as '0-15:16-31'"),
            ("0-3:4-9", "processor 8 of '4-9' is not available"),
            ("3-1", "'3-1' ends before it begins"),
            ("0-3:3-5", "processor 3 is listed twice in '0-3:3-5'"),
            ("1,1", "processor 1 is listed twice"),
        ] {
            let error = NumaPolicy::parse(bad, &cpus(8)).expect_err(bad).to_string();
            assert!(error.contains(expected), "{bad}: {error}");
        }
    }

    #[test]
    fn auto_binds_once_the_threads_fill_half_of_a_node() {
        let sockets = sockets();
        let bound =
            |policy: &NumaPolicy, machine: &[Vec<usize>], threads| policy.nodes(machine, threads).len();
        assert_eq!([1, 32, 33, 128].map(|threads| bound(&NumaPolicy::Auto, &sockets, threads)), [0, 0, 2, 2]);
        assert_eq!(bound(&NumaPolicy::Auto, &sockets[..1], 128), 0, "a single node");
        assert_eq!(bound(&NumaPolicy::Auto, &[], 128), 0, "unknown nodes");
        assert_eq!(bound(&NumaPolicy::None, &sockets, 128), 0);
        let list = NumaPolicy::Nodes(vec![vec![0], vec![1]]);
        assert_eq!(bound(&list, &[], 1), 2, "a list binds any number of threads");
    }

    #[test]
    fn workers_are_spread_in_proportion_to_the_nodes() {
        let counts = |threads, sizes: &[usize]| {
            let nodes = distribute(threads, sizes);
            (0..sizes.len()).map(|node| nodes.iter().filter(|&&own| own == node).count()).collect::<Vec<_>>()
        };
        assert_eq!(counts(128, &[64, 64]), [64, 64]);
        assert_eq!(counts(101, &[64, 64]), [51, 50]);
        assert_eq!(counts(96, &[64, 32]), [64, 32]);
        assert_eq!(counts(10, &[8, 2]), [8, 2]);
        assert_eq!(counts(300, &[64, 32, 4]), [192, 96, 12], "more threads than processors");
        assert_eq!(distribute(4, &[64, 64]), [0, 1, 0, 1]);
        assert_eq!(distribute(0, &[64]), [0; 0]);
    }
}
