//! Threads, their places on the machine, and the memory of the hash table.
//!
//! A new table is mapped but not touched. Its pages are placed when all threads clear it together,
//! in [`Engine::prepare`]: each on the memory node of the thread that clears it. A change of the
//! threads that would place pages elsewhere makes a new table.

use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;

use super::Engine;
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
        &self.places.placement.pinning
    }

    /// Returns the policy that binds threads to memory nodes.
    pub fn numa_policy(&self) -> &NumaPolicy {
        &self.places.placement.numa
    }

    /// Sets the number of threads. On failure the running threads are kept.
    ///
    /// The hash table is emptied if its pages belong on other memory nodes now.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        self.stop_and_wait();
        let before = self.pages_by_node();
        let resized = self.pool.resize(threads, self.places.placement.clone());
        if self.pages_by_node() != before && !self.needs_touching {
            // Without memory for a second table the pages stay where they are, which is slower and
            // not wrong.
            let _ = self.set_hash(self.hash());
        }
        resized
    }

    /// Sets the cores that the threads are pinned to, and restarts the threads there.
    /// On failure the old assignment is kept for the threads that start later.
    pub fn set_pinning(&mut self, pinning: Pinning) -> Result<(), PoolError> {
        let old = mem::replace(&mut self.places.placement.pinning, pinning);
        let moved = self.set_threads(self.threads());
        if moved.is_err() {
            self.places.placement.pinning = old;
        }
        moved
    }

    /// Sets the policy that binds threads to memory nodes, and restarts the threads there.
    /// On failure the old policy is kept for the threads that start later.
    pub fn set_numa_policy(&mut self, policy: NumaPolicy) -> Result<(), PoolError> {
        let old = mem::replace(&mut self.places.placement.numa, policy);
        let moved = self.set_threads(self.threads());
        if moved.is_err() {
            self.places.placement.numa = old;
        }
        moved
    }

    /// Resizes the hash table and clears it. On failure the old table is kept, with its contents.
    pub fn set_hash(&mut self, size: Mebibytes) -> Result<(), AllocationError> {
        self.stop_and_wait();
        // Idle workers hold no reference to the table, so it is resized in place. Otherwise a new
        // one is allocated.
        match Arc::get_mut(&mut self.shared.tt) {
            Some(table) => table.resize(size)?,
            None => self.shared.tt = Arc::new(TranspositionTable::new(size)?),
        }
        self.needs_touching = true;
        Ok(())
    }

    /// Touches the pages of a new hash table with all threads in parallel, instead of one by one in
    /// the first search. Does nothing for a table in use. To be called when the options are set.
    pub fn prepare(&mut self) {
        if self.needs_touching && !self.is_searching() {
            self.clear_table();
        }
    }

    /// Empties the hash table. A table whose pages are not touched yet is empty, and stays untouched:
    /// the threads that will touch it may not be set.
    pub fn clear_hash(&mut self) {
        self.stop_and_wait();
        if !self.needs_touching {
            self.clear_table();
        }
    }

    /// Clears the hash table with all workers in parallel. The workers must be idle.
    pub(super) fn clear_table(&mut self) {
        let nodes = self.pool.memory_nodes();
        let workers = WorkersByNode::of(&nodes);
        let clearing = Arc::new(self.shared.tt.clearing(&workers.counts()));
        let (table, shared) = (Arc::clone(&self.shared.tt), Arc::clone(&clearing));
        self.pool.start(Arc::new(move |worker, _: &mut Worker| {
            table.clear_part(&shared, workers.index_of(nodes[worker]));
        }));
        self.pool.wait();
        self.shared.tt.finish_clearing(&clearing);
        self.needs_touching = false;
    }

    /// Returns the size of the part of the table that each node's workers touch.
    fn pages_by_node(&self) -> Vec<(Option<usize>, usize)> {
        let workers = WorkersByNode::of(&self.pool.memory_nodes());
        let parts = self.shared.tt.parts(&workers.counts());
        workers.0.iter().zip(parts).map(|(&(node, _), part)| (node, part.len())).collect()
    }

    /// Describes the memory nodes and how the threads are bound to them.
    pub fn describe_places(&self) -> String {
        let machine = match (&self.places.error, &self.places.placement.machine[..]) {
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

    /// Describes the processors of bound threads: that of each pinned thread, in the order of the
    /// threads; without pinned threads, those of each node.
    fn describe_bound(&self, groups: &[(Option<usize>, usize)]) -> String {
        let placement = &self.places.placement;
        let threads = self.threads();
        let pinned = placement.pinned(threads);
        if let ([processor], 1) = (&pinned[..], threads) {
            return format!("1 thread pinned to processor {processor}");
        }
        if !pinned.is_empty() {
            let of = if pinned.len() < threads { format!(" of {threads}") } else { String::new() };
            let list: Vec<String> = pinned.iter().map(ToString::to_string).collect();
            return format!("{}{of} threads pinned, one each to processors {}", list.len(), list.join(", "));
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
        if self.needs_touching {
            return format!("hash table of {} MiB, not touched yet", size.0);
        }
        match self.shared.tt.on_huge_pages() {
            Ok(huge) => format!("hash table of {} MiB, {} MiB on huge pages", size.0, huge.0),
            Err(error) => format!("hash table of {} MiB, huge pages unknown ({error})", size.0),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::engine::tests::NullSink;
    use crate::machine::binding::available;
    use crate::search::limits::Limits;
    use crate::types::{Depth, Permille};

    fn engine() -> Engine {
        let mut engine = Engine::new(Arc::new(NullSink)).expect("an engine");
        engine.set_hash(Mebibytes(8)).expect("eight MiB");
        engine
    }

    fn search(engine: &mut Engine) -> Permille {
        engine.go(Limits { depth: Some(Depth(8)), ..Limits::default() });
        engine.wait();
        engine.hashfull()
    }

    #[test]
    fn new_table_is_touched_when_prepared_and_a_used_one_is_kept() {
        let mut engine = engine();
        assert!(engine.describe_table().contains("8 MiB, not touched yet"), "{}", engine.describe_table());
        engine.prepare();
        assert!(!engine.describe_table().contains("not touched"), "{}", engine.describe_table());
        assert!(search(&mut engine) > Permille(0));
        engine.prepare();
        assert!(engine.hashfull() > Permille(0), "a table in use is not cleared");
        engine.set_hash(Mebibytes(4)).expect("four MiB");
        assert!(search(&mut engine) > Permille(0));
        engine.prepare();
        assert!(engine.hashfull() > Permille(0), "the search has touched the table");
    }

    #[test]
    fn options_that_empty_the_table_do_not_touch_a_new_one() {
        let mut engine = engine();
        let toggle = |engine: &mut Engine| {
            engine.configure(|next| next.tables.usage.has_fifty_moves ^= true).expect("memory");
        };
        let evaluation = engine.configuration().evaluation.clone();
        toggle(&mut engine);
        engine.set_evaluation(evaluation).expect("memory");
        engine.clear_hash();
        assert!(engine.describe_table().contains("not touched yet"), "{}", engine.describe_table());
        engine.prepare();
        assert!(search(&mut engine) > Permille(0));
        toggle(&mut engine);
        assert!(engine.hashfull() == Permille(0) && !engine.describe_table().contains("not touched"));
        engine.set_hash(Mebibytes(4)).expect("four MiB");
        engine.new_game();
        assert!(!engine.describe_table().contains("not touched"), "{}", engine.describe_table());
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
    fn pinned_threads_are_described_one_by_one() {
        let all = available();
        let (first, last) = (all[0], all[all.len() - 1]);
        let mut engine = engine();
        engine.set_pinning(Pinning::List(vec![last, first])).expect("one thread");
        let one = format!("1 thread pinned to processor {last}");
        assert!(engine.describe_places().ends_with(&one), "{}", engine.describe_places());
        engine.set_threads(3).expect("three threads");
        let three = format!("3 threads pinned, one each to processors {last}, {first}, {last}");
        assert!(engine.describe_places().ends_with(&three), "{}", engine.describe_places());
    }

    #[test]
    fn more_unbound_threads_keep_the_table() {
        let mut engine = engine();
        engine.prepare();
        assert!(search(&mut engine) > Permille(0));
        engine.set_threads(3).expect("three threads");
        assert!(engine.hashfull() > Permille(0));
    }

    /// Two nodes that share no processor, or the same one twice where there is only one.
    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
    fn table_is_touched_again_when_its_pages_belong_elsewhere() {
        let all = available();
        let nodes = vec![vec![all[0]], all[all.len() / 2..].to_vec()];
        let mut engine = engine();
        engine.prepare();
        assert_eq!(engine.pages_by_node(), [(None, 4)]);
        assert!(search(&mut engine) > Permille(0));
        engine.set_numa_policy(NumaPolicy::Nodes(nodes)).expect("one thread");
        assert_eq!(engine.pages_by_node(), [(Some(0), 4)], "one thread is on the first node");
        assert!(engine.needs_touching && engine.hashfull() == Permille(0));
        engine.set_threads(2).expect("two threads");
        let by_node = engine.pages_by_node();
        assert_eq!(by_node, [(Some(0), 2), (Some(1), 2)], "each node touches half");
        engine.prepare();
        let cpus = |cpus: &[usize]| lists(&[cpus.to_vec()]);
        let (first, second) = (cpus(&all[..1]), cpus(&all[all.len() / 2..]));
        let expected = format!("threads bound: 1 to processors {first}, 1 to processors {second}");
        assert!(engine.describe_places().ends_with(&expected), "{}", engine.describe_places());
        assert!(search(&mut engine) > Permille(0));
        engine.set_threads(4).expect("four threads");
        assert_eq!(engine.pages_by_node(), by_node);
        assert!(engine.hashfull() > Permille(0), "the pages stay where they are");
        engine.set_numa_policy(NumaPolicy::None).expect("four threads");
        assert_eq!(engine.pages_by_node(), [(None, 4)]);
        assert!(engine.describe_places().ends_with("threads not bound"), "{}", engine.describe_places());
    }
}
