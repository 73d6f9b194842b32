//! The place of each worker: the processors it is bound to, and its memory node.
//!
//! The option `Affinity` decides first: it pins single workers to single cores. Workers that it
//! leaves free are bound to nodes by the [`NumaPolicy`].

use std::sync::Arc;

use super::numa::{NumaPolicy, distribute};
use super::pinning::Pinning;

/// The place of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The processors it is bound to; `None` if it is free.
    pub cpus: Option<Arc<[usize]>>,
    /// Index of its memory node; `None` if its memory may be on any node.
    pub node: Option<usize>,
}

/// The rules by which workers get their places.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Cores of single workers.
    pub pinning: Pinning,
    /// Nodes of the workers that are not pinned.
    pub numa: NumaPolicy,
    /// The processors of each node of the machine; empty if unknown.
    pub machine: Vec<Vec<usize>>,
}

impl Placement {
    /// Returns the places of this many workers.
    pub fn places(&self, threads: usize) -> Vec<Place> {
        let nodes = self.numa.nodes(&self.machine, threads);
        let groups: Vec<Arc<[usize]>> = nodes.iter().map(|cpus| cpus[..].into()).collect();
        let sizes: Vec<usize> = nodes.iter().map(Vec::len).collect();
        let bound = distribute(if sizes.is_empty() { 0 } else { threads }, &sizes);
        let cores = self.pinning.cores(threads).into_iter().enumerate();
        let place = |(worker, core): (usize, Option<usize>)| match (core, bound.get(worker)) {
            (Some(core), _) => Place { cpus: Some(Arc::from([core])), node: self.node_of(core) },
            (None, Some(&node)) => Place { cpus: Some(Arc::clone(&groups[node])), node: Some(node) },
            (None, None) => Place::default(),
        };
        cores.map(place).collect()
    }

    /// Returns the cores of the pinned workers among this many, in the order of the workers.
    pub fn pinned(&self, threads: usize) -> Vec<usize> {
        self.pinning.cores(threads).into_iter().flatten().collect()
    }

    /// Returns the index of a core's node; `None` on a machine with a single node, under the policy
    /// `none`, and for a core outside the groups of a list.
    fn node_of(&self, core: usize) -> Option<usize> {
        let nodes = self.numa.nodes(&self.machine, usize::MAX / 2);
        nodes.iter().position(|cpus| cpus.contains(&core))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::binding::available;
    use crate::machine::topology::nodes_below;
    use crate::machine::topology::tests::FakeSysfs;

    /// Returns the placement on two sockets of 64 cores, as read from files.
    fn on_two_sockets(name: &str, numa: NumaPolicy) -> Placement {
        let fake = FakeSysfs::new(name, &["0-63", "64-127"]);
        let nodes = nodes_below(fake.root(), &(0..128).collect::<Vec<_>>()).expect("valid files");
        let machine = nodes.into_iter().map(|node| node.cpus).collect();
        Placement { pinning: Pinning::Off, numa, machine }
    }

    #[test]
    fn workers_of_two_sockets_are_bound_to_the_cores_of_their_node() {
        let placement = on_two_sockets("bound", NumaPolicy::Auto);
        let places = placement.places(128);
        assert_eq!(places.len(), 128);
        for (worker, place) in places.iter().enumerate() {
            let node = worker % 2;
            assert_eq!(place.node, Some(node), "worker {worker}");
            assert_eq!(place.cpus.as_deref(), Some(&placement.machine[node][..]), "worker {worker}");
        }
        assert!(placement.places(8).iter().all(|place| *place == Place::default()), "few threads are free");
        assert!(placement.places(0).is_empty());
    }

    #[test]
    fn policy_none_binds_no_worker() {
        let placement = on_two_sockets("none", NumaPolicy::None);
        assert!(placement.places(256).iter().all(|place| *place == Place::default()));
    }

    #[test]
    fn listed_groups_replace_the_nodes_of_the_machine() {
        let lists = vec![vec![0, 1], vec![64, 65, 66, 67]];
        let places = on_two_sockets("lists", NumaPolicy::Nodes(lists.clone())).places(6);
        let nodes: Vec<usize> = places.iter().map(|place| place.node.expect("bound")).collect();
        assert_eq!(nodes.iter().filter(|&&node| node == 1).count(), 4, "in proportion: {nodes:?}");
        assert!(places.iter().all(|place| place.cpus.as_deref() == place.node.map(|node| &lists[node][..])));
    }

    #[test]
    #[cfg_attr(any(miri, not(target_os = "linux")), ignore = "needs Linux")]
    fn pinned_workers_belong_to_the_node_of_their_core() {
        let core = *available().last().expect("Linux reports the processors");
        let machine = vec![vec![core + 1], vec![core]];
        let placement = Placement { pinning: Pinning::List(vec![core]), machine, ..Placement::default() };
        let pinned = Place { cpus: Some(Arc::from([core])), node: Some(1) };
        assert_eq!(placement.places(2), [pinned.clone(), pinned]);
    }
}
