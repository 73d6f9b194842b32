//! Counts the messages between processors that sharing a table costs. Only in builds with the feature
//! `coherence`; otherwise the calls compile to nothing.
//!
//! Each cache line of a watched table has the set of threads that hold a valid copy, as in the protocol
//! MESI with caches of unlimited size. A *read miss* is a read by a thread whose copy another thread's
//! write has invalidated, or that never had one of a line written by another. An *upgrade* is a write
//! to a line of which others hold copies. Each is a message between cores, of some 50 to 100 ns. In
//! lockstep with turns of one node the counts are the same on any machine. They are those of threads of
//! equal speed on a machine with as many cores.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use parking_lot::Mutex;

/// Size of a cache line. Units: bytes.
const LINE: usize = 64;
/// Number of threads with a bit of their own. Threads beyond it share the last bit.
const THREADS: usize = 128;

thread_local! {
    /// The searching thread, if its accesses are counted.
    static THREAD: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The copies of one line.
#[derive(Clone, Copy, Default)]
struct Copies {
    /// The threads that hold a valid copy, one bit each.
    holders: u128,
    /// Whether any thread has written the line.
    is_written: bool,
}

/// The messages of one table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Messages {
    reads: u64,
    upgrades: u64,
}

/// A name and the addresses of the parts of a table.
pub type Watched = (&'static str, Vec<Range<usize>>);

/// The watched tables and the copies of their lines.
#[derive(Default)]
pub struct Directory {
    tables: Vec<Watched>,
    lines: HashMap<usize, Copies>,
    messages: Vec<Messages>,
    nodes: u64,
}

impl Directory {
    /// Watches these tables. Counts continue if they are the tables watched already.
    pub fn watch(&mut self, tables: Vec<Watched>) {
        if self.tables != tables {
            *self = Self { messages: vec![Messages::default(); tables.len()], tables, ..Self::default() };
        }
    }

    /// Adds the nodes of a completed search, by which the counts are divided.
    pub fn add_nodes(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Counts a read, and a write after it, by a thread.
    pub fn access(&mut self, thread: usize, address: usize, is_write: bool) {
        let has = |parts: &[Range<usize>]| parts.iter().any(|part| part.contains(&address));
        let Some(table) = self.tables.iter().position(|(_, parts)| has(parts)) else { return };
        let (copies, messages) = (self.lines.entry(address / LINE).or_default(), &mut self.messages[table]);
        let own = 1 << thread.min(THREADS - 1);
        if copies.holders & own == 0 {
            messages.reads += u64::from(copies.is_written);
            copies.holders |= own;
        }
        if is_write {
            messages.upgrades += u64::from(copies.holders != own);
            *copies = Copies { holders: own, is_written: true };
        }
    }
}

/// Prints read misses and upgrades per node, by table.
impl fmt::Display for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "coherence messages a node, read misses + upgrades, of {} nodes: ", self.nodes)?;
        let nodes = self.nodes.max(1) as f64;
        let mut all = Messages::default();
        for ((name, _), Messages { reads, upgrades }) in self.tables.iter().zip(&self.messages) {
            write!(f, "{name} {:.2} + {:.2}, ", *reads as f64 / nodes, *upgrades as f64 / nodes)?;
            all = Messages { reads: all.reads + reads, upgrades: all.upgrades + upgrades };
        }
        write!(f, "together {:.2} + {:.2}", all.reads as f64 / nodes, all.upgrades as f64 / nodes)
    }
}

/// Calls `change` with the counts of the process. Waits for other threads that do so.
pub fn with<R>(change: impl FnOnce(&mut Directory) -> R) -> R {
    static DIRECTORY: LazyLock<Mutex<Directory>> = LazyLock::new(|| Mutex::new(Directory::default()));
    change(&mut DIRECTORY.lock())
}

/// Whether this build counts.
pub const IS_ON: bool = cfg!(feature = "coherence");

/// Returns the addresses of a value.
pub fn extent<T: ?Sized>(value: &T) -> Range<usize> {
    let start = std::ptr::from_ref(value).cast::<u8>().addr();
    start..start + size_of_val(value)
}

/// Counts the accesses of the calling thread from now on as those of this worker; `None` ends it.
pub fn count_as(worker: Option<usize>) {
    THREAD.set(worker);
}

/// Notes that the calling thread reads this value.
#[inline]
pub fn read<T>(value: &T) {
    #[cfg(feature = "coherence")]
    access(value, false);
    #[cfg(not(feature = "coherence"))]
    let _ = value;
}

/// Notes that the calling thread writes this value.
#[inline]
pub fn written<T>(value: &T) {
    #[cfg(feature = "coherence")]
    access(value, true);
    #[cfg(not(feature = "coherence"))]
    let _ = value;
}

#[cfg(feature = "coherence")]
fn access<T>(value: &T, is_write: bool) {
    if let Some(thread) = THREAD.get() {
        with(|directory| directory.access(thread, std::ptr::from_ref(value).addr(), is_write));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn messages_are_those_of_lines_that_others_write_or_hold() {
        let mut directory = Directory::default();
        let tables = vec![("one", vec![0..128, 1024..1088]), ("other", std::iter::once(256..320).collect())];
        directory.watch(tables.clone());
        let count = |directory: &Directory| {
            directory.messages.iter().map(|found| (found.reads, found.upgrades)).collect::<Vec<_>>()
        };
        directory.access(0, 8, false);
        directory.access(1, 8, false);
        assert_eq!(count(&directory), [(0, 0), (0, 0)], "a first read of a line that nobody wrote");
        directory.access(0, 16, true);
        assert_eq!(count(&directory)[0], (0, 1), "another thread holds the line");
        directory.access(0, 24, true);
        assert_eq!(count(&directory)[0], (0, 1), "the line is the thread's own now");
        directory.access(1, 8, false);
        directory.access(1, 8, false);
        assert_eq!(count(&directory)[0], (1, 1), "one miss brings the line back");
        directory.access(1, 64, true);
        directory.access(0, 64, true);
        assert_eq!(count(&directory)[0], (2, 2), "a write reads first");
        directory.access(0, 1030, true);
        directory.access(1, 1030, false);
        directory.access(1, 300, true);
        directory.access(1, 999, true);
        assert_eq!(count(&directory), [(3, 2), (0, 0)], "a second part; an address of no table");
        directory.add_nodes(2);
        directory.watch(tables);
        let text = "coherence messages a node, read misses + upgrades, of 2 nodes: \
                    one 1.50 + 1.00, other 0.00 + 0.00, together 1.50 + 1.00";
        assert_eq!(directory.to_string(), text);
        directory.watch(Vec::new());
        assert!(count(&directory).is_empty(), "other tables begin anew");
    }
}
