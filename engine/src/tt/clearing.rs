//! Division of the table among threads that clear it together.
//!
//! A page of memory lies on the node of the thread that first writes it. Each node therefore gets a
//! part of the table in proportion to its threads, in whole huge pages. The threads of a node claim
//! the portions of its part one by one, so that a slow thread delays no other.

use std::ops::Range;

use crate::sync::CachePadded;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// The part of the table that the threads of one node clear.
#[derive(Debug)]
struct Part {
    /// The first portion that no thread has claimed.
    next: CachePadded<AtomicUsize>,
    end: usize,
}

/// Progress of a parallel clear, shared by the participating threads.
#[derive(Debug)]
pub struct ClearProgress {
    parts: Box<[Part]>,
    /// Cache lines from one that is written to the next: more than 1 only touches the pages of a table
    /// that is empty.
    pub(super) step: usize,
}

impl ClearProgress {
    /// Divides `portions` among nodes with these numbers of threads; a single part if there are
    /// none. Of each portion every `step`-th cache line is written.
    pub fn new(portions: usize, threads: &[usize], step: usize) -> Self {
        let parts = parts(portions, threads).into_iter();
        Self {
            parts: parts
                .map(|Range { start, end }| Part { next: CachePadded(AtomicUsize::new(start)), end })
                .collect(),
            step,
        }
    }

    /// Claims a portion of a node's part; `None` if all are claimed. A portion is claimed once.
    ///
    /// Relaxed: the counter orders no other memory; the end of the threads' task does.
    pub fn claim(&self, node: usize) -> Option<usize> {
        let part = &self.parts[node];
        // Once all are claimed, the counter stays near the end, because each thread stops there.
        let portion = part.next.0.fetch_add(1, Ordering::Relaxed);
        (portion < part.end).then_some(portion)
    }

    /// Claims a portion of any part; `None` if all are claimed.
    pub fn claim_any(&self) -> Option<usize> {
        (0..self.parts.len()).find_map(|node| self.claim(node))
    }
}

/// Returns the part of each node, one after the other.
pub(super) fn parts(portions: usize, threads: &[usize]) -> Vec<Range<usize>> {
    let all: usize = threads.iter().sum();
    if all == 0 {
        return std::iter::once(0..portions).collect();
    }
    let mut before = 0;
    let part = |&own: &usize| {
        let start = portions * before / all;
        before += own;
        start..portions * before / all
    };
    threads.iter().map(part).collect()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_table_in_proportion_to_the_threads() {
        assert_eq!(parts(1024, &[64, 64]), [0..512, 512..1024]);
        assert_eq!(parts(90, &[2, 0, 1]), [0..60, 60..60, 60..90]);
        assert_eq!(parts(1, &[64, 64]), [0..0, 0..1]);
        assert_eq!(parts(8, &[]), std::iter::once(0..8).collect::<Vec<_>>());
        for portions in 0..50 {
            let parts = parts(portions, &[3, 5, 7]);
            assert_eq!((parts[0].start, parts[2].end), (0, portions));
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start), "{parts:?}");
        }
    }

    #[test]
    fn threads_of_a_node_claim_its_part_and_the_rest_goes_to_any() {
        let clearing = ClearProgress::new(6, &[1, 2], 1);
        assert_eq!([0; 3].map(|node| clearing.claim(node)), [Some(0), Some(1), None]);
        assert_eq!(clearing.claim(1), Some(2));
        let rest: Vec<usize> = std::iter::from_fn(|| clearing.claim_any()).collect();
        assert_eq!(rest, [3, 4, 5]);
    }
}
