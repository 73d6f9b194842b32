//! Threads, their places on the machine, and the memory of the hash table.
//!
//! A new table is mapped but not touched. Its pages are placed when all threads clear it together,
//! in [`Engine::prepare`]: each on the memory node of the thread that clears it. A change of the
//! threads that would place pages elsewhere makes a new table.

use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;

use super::{Engine, TableState};
use crate::search::Worker;
use crate::threads::numa::{NumaPolicy, lists};
use crate::threads::pinning::Pinning;
use crate::threads::pool::PoolError;
use crate::tt::{AllocationError, TranspositionTable};
use crate::types::Mebibytes;

/// The number of workers on each node, and the node's number; workers that are not bound share one
/// entry without a number.
struct WorkersByNode(Vec<(Option<usize>, usize)>);

impl WorkersByNode {
    fn of(nodes: &[Option<usize>]) -> Self {
        let mut counts: Vec<(Option<usize>, usize)> = Vec::new();
        for &node in nodes {
            match counts.iter_mut().find(|(known, _)| *known == node) {
                Some((_, count)) => *count += 1,
                None => counts.push((node, 1)),
            }
        }
        counts.sort_unstable();
        Self(counts)
    }

    fn counts(&self) -> Vec<usize> {
        self.0.iter().map(|&(_, count)| count).collect()
    }

    /// Returns the index of a node's entry.
    fn index_of(&self, node: Option<usize>) -> usize {
        self.0.iter().position(|&(known, _)| known == node).unwrap_or(0)
    }
}

impl Engine {
    /// Returns the number of search threads.
    pub fn threads(&self) -> usize {
        self.pool.len()
    }

    /// Returns the size of the hash table.
    pub fn hash(&self) -> Mebibytes {
        self.shared.tt.size()
    }

    /// Returns the cores that the threads are pinned to.
    pub fn pinning(&self) -> &Pinning {
        &self.placement.pinning
    }

    /// Returns the policy that binds threads to memory nodes.
    pub fn numa_policy(&self) -> &NumaPolicy {
        &self.placement.numa
    }

    /// Sets the number of threads. On failure the running threads are kept.
    ///
    /// The hash table is emptied if its pages belong on other memory nodes now.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        self.stop_and_wait();
        let before = self.pages_by_node();
        let resized = self.pool.resize(threads, self.placement.clone());
        if self.pages_by_node() != before && self.table_state != TableState::Untouched {
            // Without memory for a second table the pages stay where they are, which is slower and
            // not wrong.
            let _ = self.set_hash(self.hash());
        }
        resized
    }

    /// Sets the cores that the threads are pinned to, and restarts the threads there.
    /// On failure the old assignment is kept for the threads that start later.
    pub fn set_pinning(&mut self, pinning: Pinning) -> Result<(), PoolError> {
        let old = mem::replace(&mut self.placement.pinning, pinning);
        let moved = self.set_threads(self.threads());
        if moved.is_err() {
            self.placement.pinning = old;
        }
        moved
    }

    /// Sets the policy that binds threads to memory nodes, and restarts the threads there.
    /// On failure the old policy is kept for the threads that start later.
    pub fn set_numa_policy(&mut self, policy: NumaPolicy) -> Result<(), PoolError> {
        let old = mem::replace(&mut self.placement.numa, policy);
        let moved = self.set_threads(self.threads());
        if moved.is_err() {
            self.placement.numa = old;
        }
        moved
    }

    /// Resizes the hash table and clears it. On failure the old table is kept, with its contents.
    pub fn set_hash(&mut self, size: Mebibytes) -> Result<(), AllocationError> {
        self.stop_and_wait();
        let is_touched = self.table_state != TableState::Untouched;
        let old = if is_touched { self.shared.tt.size() } else { Mebibytes(0) };
        self.shared.tt = Arc::new(TranspositionTable::replacing(old, size)?);
        self.table_state = TableState::Untouched;
        Ok(())
    }

    /// Touches the pages of a new hash table with all threads in parallel, instead of one by one in
    /// the first search. Does nothing for a table in use. To be called when the options are set.
    pub fn prepare(&mut self) {
        if self.table_state == TableState::Untouched && !self.is_searching() {
            self.clear_table();
        }
    }

    /// Empties the hash table. A table whose pages are not touched yet is empty, and stays untouched:
    /// the threads that will touch it may not be set.
    pub fn clear_hash(&mut self) {
        self.stop_and_wait();
        if self.table_state == TableState::Used {
            self.clear_table();
        }
    }

    /// Clears the hash table with all workers in parallel, or touches its pages; does nothing for a
    /// clean table. The workers must be idle.
    pub(super) fn clear_table(&mut self) {
        if self.table_state == TableState::Clean {
            return;
        }
        let nodes = self.pool.memory_nodes();
        let workers = WorkersByNode::of(&nodes);
        let counts = workers.counts();
        let clearing = Arc::new(match self.table_state {
            TableState::Untouched => self.shared.tt.touching(&counts),
            TableState::Clean | TableState::Used => self.shared.tt.clearing(&counts),
        });
        let (table, shared) = (Arc::clone(&self.shared.tt), Arc::clone(&clearing));
        self.pool.start(Arc::new(move |worker, _: &mut Worker| {
            table.clear_part(&shared, workers.index_of(nodes[worker]));
        }));
        self.pool.wait();
        self.shared.tt.finish_clearing(&clearing);
        self.table_state = TableState::Clean;
    }

    /// Returns the size of the part of the table that each node's workers touch.
    fn pages_by_node(&self) -> Vec<(Option<usize>, usize)> {
        let workers = WorkersByNode::of(&self.pool.memory_nodes());
        let parts = self.shared.tt.parts(&workers.counts());
        workers.0.iter().zip(parts).map(|(&(node, _), part)| (node, part.len())).collect()
    }

    /// Describes the memory nodes and how the threads are bound to them.
    pub fn describe_places(&self) -> String {
        let machine = match (&self.topology_error, &self.placement.machine[..]) {
            (Some(error), _) => format!("NUMA nodes unknown ({error})"),
            (None, [_]) => "1 NUMA node".to_owned(),
            (None, nodes) => format!("{} NUMA nodes {}", nodes.len(), lists(nodes)),
        };
        let workers = WorkersByNode::of(&self.pool.memory_nodes());
        let bound = match (self.pool.bind_error(), self.pool.bound(), &workers.0[..]) {
            (Some(error), bound, _) => format!("{bound} of {} threads bound: {error}", self.threads()),
            (None, 0, _) => "threads not bound".to_owned(),
            (None, _, groups) => self.describe_bound(groups),
        };
        format!("{machine}, {bound}")
    }

    /// Returns the processors of pinned threads, in the order of the threads, if several threads are
    /// pinned to one.
    pub fn shared_processors(&self) -> Option<Vec<usize>> {
        let pinned = self.placement.pinned(self.threads());
        let mut seen = BTreeSet::new();
        let distinct: Vec<usize> = pinned.iter().copied().filter(|&cpu| seen.insert(cpu)).collect();
        (distinct.len() < pinned.len()).then_some(distinct)
    }

    /// Describes the processors of bound threads: that of each pinned thread, in the order of the
    /// threads; without pinned threads, those of each node.
    fn describe_bound(&self, groups: &[(Option<usize>, usize)]) -> String {
        let placement = &self.placement;
        let threads = self.threads();
        let pinned = placement.pinned(threads);
        if let ([processor], 1) = (&pinned[..], threads) {
            return format!("1 thread pinned to processor {processor}");
        }
        if !pinned.is_empty() {
            let of = if pinned.len() < threads { format!(" of {threads}") } else { String::new() };
            let count = pinned.len();
            let list = |cpus: &[usize]| cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let own = self.shared_processors().map_or_else(
                || format!("one each to processors {}", list(&pinned)),
                |cpus| {
                    format!("in turn to processors {}: some share one and slow the others down", list(&cpus))
                },
            );
            return format!("{count}{of} threads pinned, {own}");
        }
        let places = placement.places(threads);
        let group = |&(node, count): &(Option<usize>, usize)| {
            let of_node = places.iter().filter(|place| place.node == node);
            let cpus: BTreeSet<usize> =
                of_node.filter_map(|place| place.cpus.as_deref()).flatten().copied().collect();
            format!("{count} to processors {}", lists(&[cpus.into_iter().collect()]))
        };
        let groups: Vec<String> = groups.iter().map(group).collect();
        format!("threads bound: {}", groups.join(", "))
    }

    /// Describes the hash table and the huge pages it lies on.
    pub fn describe_table(&self) -> String {
        let size = self.hash();
        if self.table_state == TableState::Untouched {
            return format!("hash table of {} MiB, not touched yet", size.0);
        }
        match self.shared.tt.on_huge_pages() {
            Ok(huge) => format!("hash table of {} MiB, {} MiB on huge pages", size.0, huge.0),
            Err(error) => format!("hash table of {} MiB, huge pages unknown ({error})", size.0),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
