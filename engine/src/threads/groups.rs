//! Groups of threads that share tables.
//!
//! A table that many threads write costs each of them time: a cache line written by one processor is
//! lost to all others, and on another memory node it is far away. Threads of one group are on the
//! same memory node, and a group has at most [`LARGEST`] threads.
//!
//! A pure function of the threads' nodes.
//!
//! Source: Stockfish, which shares by memory node since December 2025 and by groups of about 32 threads
//! with a common third-level cache since January 2026.

/// The most threads in a group.
pub const LARGEST: usize = 32;

/// The threads of a search, in groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The group of each thread. Range: below the length of `sizes`.
    pub of_thread: Vec<usize>,
    /// The number of threads in each group.
    pub sizes: Vec<usize>,
}

impl Groups {
    /// Returns the groups of threads on these memory nodes; threads whose memory may be on any node
    /// count as on one node.
    ///
    /// Each node has as few groups as possible, and their sizes differ by at most one. Neighbours in
    /// the order of threads are in one group.
    pub fn of(nodes: &[Option<usize>]) -> Self {
        let mut known: Vec<Option<usize>> = nodes.to_vec();
        known.sort_unstable();
        known.dedup();
        let mut groups = Self { of_thread: vec![0; nodes.len()], sizes: Vec::new() };
        for node in known {
            let members: Vec<usize> = (0..nodes.len()).filter(|&thread| nodes[thread] == node).collect();
            let (first, parts) = (groups.sizes.len(), members.len().div_ceil(LARGEST));
            groups.sizes.resize(first + parts, 0);
            for (index, &thread) in members.iter().enumerate() {
                let group = first + index * parts / members.len();
                groups.of_thread[thread] = group;
                groups.sizes[group] += 1;
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(nodes: &[Option<usize>]) -> Vec<usize> {
        Groups::of(nodes).sizes
    }

    #[test]
    fn threads_of_one_node_are_divided_evenly() {
        assert_eq!(sizes(&[None; 1]), [1]);
        assert_eq!(sizes(&[None; 32]), [32]);
        assert_eq!(sizes(&[None; 33]), [17, 16]);
        assert_eq!(sizes(&[None; 100]), [25; 4]);
        let groups = Groups::of(&[None; 70]);
        assert!(groups.of_thread.is_sorted(), "neighbours are together: {groups:?}");
    }

    #[test]
    fn no_group_spans_two_nodes() {
        // Threads alternate between two nodes; one more is unbound.
        let mut nodes: Vec<Option<usize>> = (0..90).map(|thread| Some(thread % 2)).collect();
        nodes.push(None);
        let groups = Groups::of(&nodes);
        assert_eq!(groups.sizes, [1, 23, 22, 23, 22]);
        for (thread, &group) in groups.of_thread.iter().enumerate() {
            let same = (0..nodes.len()).filter(|&other| groups.of_thread[other] == group);
            assert!(same.clone().all(|other| nodes[other] == nodes[thread]), "{group}");
            assert_eq!(same.count(), groups.sizes[group]);
        }
    }

    #[test]
    fn no_threads_have_no_groups() {
        assert_eq!(Groups::of(&[]), Groups { of_thread: Vec::new(), sizes: Vec::new() });
    }
}
