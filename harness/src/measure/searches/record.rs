//! The journal record of one search. Summaries are computed from these records alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::disturbance::Disturbance;
use super::placement::Load;
use crate::run::{Entry, check_version};
use crate::uci::SearchInfo;

/// The format of [`SearchRecord`]; raised when an older harness could misread it.
pub(crate) const SEARCH_VERSION: u32 = 1;

/// Nodes, times and move of one search of one position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SearchRecord {
    /// Format version: [`SEARCH_VERSION`] when written.
    pub v: u32,
    /// Number of the search in the run, from 0.
    pub index: u64,
    /// Index of the engine in the configuration.
    pub engine: usize,
    /// Number of threads; 0 if the engine's options were left unchanged.
    pub threads: u32,
    /// Whether each thread was a process of its own. Then nodes are the sum over all processes, and
    /// the time is that of the slowest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub separate_processes: bool,
    /// Index of the position in the file.
    pub position: usize,
    /// Number of the repetition, from 0.
    pub repetition: u32,
    /// Nodes and time at which each depth was completed, in rising order.
    pub depths: Vec<Reached>,
    /// Last values of the engine's own counters (`info string counters name value ...`), if any.
    #[serde(default, skip_serializing_if = "SearchCounters::is_empty")]
    pub counters: SearchCounters,
    /// Nodes of all threads, as last reported.
    pub nodes: u64,
    /// Time from just before `go` was written to `bestmove`. Units: microseconds.
    pub time_us: u64,
    /// Speed, of separate processes the sum of their speeds, each up to its last report of nodes. Absent in
    /// records of 0.2.0 with threads. Units: nodes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    /// CPU time of the engine's processes, if times are compared and the system reports it. Units:
    /// microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_us: Option<u64>,
    /// Fill of the hash table at the end. Units: permille.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u32>,
    /// Whether the engine may stop early: it reports a mate, or only one move is legal.
    pub may_stop_early: bool,
    /// Steal time and load from other programs since the last search that has them. Absent if the
    /// interval is too short, and if times are not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbance: Option<Disturbance>,
    /// The best move, as the engine wrote it.
    pub best_move: String,
}

impl SearchRecord {
    /// Returns the speed of all threads or processes together. Units: nodes per second.
    pub(crate) fn speed(&self) -> f64 {
        self.nps.map_or(self.nodes as f64 / self.time_us as f64 * 1e6, |nps| nps as f64)
    }

    /// Whether the search was done with this load.
    pub(crate) fn is_of(&self, load: Load) -> bool {
        (self.threads, self.separate_processes) == (load.threads(), load.is_separate())
    }
}

/// Engine counters by name.
pub(crate) type SearchCounters = BTreeMap<String, u64>;

/// A completed depth, as of its first exact score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reached {
    /// The completed depth. Units: plies.
    pub depth: u32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Nodes of the main thread, if reported (`info string depth D main nodes N`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_nodes: Option<u64>,
    /// Time from just before `go` was written. Units: microseconds.
    pub time_us: u64,
}

impl Entry for SearchRecord {
    fn number(&self) -> u64 {
        self.index
    }

    fn check(&self) -> Result<(), String> {
        check_version(self.v, SEARCH_VERSION)
    }
}

/// Reads the output of a search and records when each depth was completed.
#[derive(Debug, Default)]
pub(super) struct Listener {
    pub(super) depths: Vec<Reached>,
    pub(super) counters: SearchCounters,
    /// When nodes were last reported. Units: microseconds.
    pub(super) counted_us: u64,
    /// Last reported depth and nodes of the main thread.
    main: Option<(u32, u64)>,
}

impl Listener {
    /// Reads a line of output that arrived `time_us` microseconds after `go`.
    pub(super) fn read(&mut self, line: &str, time_us: u64) {
        if let Some(main) = main_nodes(line) {
            self.main = Some(main);
            return;
        }
        if let Some(counters) = counters(line) {
            self.counters = counters;
            return;
        }
        let Some(info) = SearchInfo::of_any_pv(line) else { return };
        if info.report.nodes.is_some() {
            self.counted_us = time_us;
        }
        if !info.is_exact || !info.is_first_pv {
            return;
        }
        let (Some(depth), Some(nodes)) = (info.report.depth, info.report.nodes) else { return };
        if self.depths.last().is_none_or(|last| last.depth < depth) {
            let main_nodes = self.main.filter(|&(of, _)| of == depth).map(|(_, nodes)| nodes);
            self.depths.push(Reached { depth, nodes, main_nodes, time_us });
        }
    }
}

/// Parses `info string depth 12 main nodes 345` as `(12, 345)`.
fn main_nodes(line: &str) -> Option<(u32, u64)> {
    let (depth, nodes) = line.strip_prefix("info string depth ")?.split_once(" main nodes ")?;
    Some((depth.trim().parse().ok()?, nodes.trim().parse().ok()?))
}

/// Parses `info string counters cutoffs 12 first 10` as pairs.
fn counters(line: &str) -> Option<SearchCounters> {
    let mut words = line.strip_prefix("info string counters ")?.split_whitespace();
    let mut counters = SearchCounters::new();
    while let Some(name) = words.next() {
        counters.insert(name.to_owned(), words.next()?.parse().ok()?);
    }
    Some(counters)
}

#[cfg(test)]
pub(crate) fn sample_search() -> SearchRecord {
    SearchRecord {
        v: SEARCH_VERSION,
        index: 3,
        engine: 1,
        threads: 8,
        separate_processes: true,
        position: 2,
        repetition: 0,
        counters: [("cutoffs".to_owned(), 12)].into(),
        depths: vec![Reached { depth: 4, nodes: 100, main_nodes: Some(13), time_us: 900 }],
        nodes: 120,
        time_us: 1000,
        nps: Some(130_000),
        processor_us: Some(990),
        hashfull: None,
        may_stop_early: true,
        disturbance: Some(Disturbance { ms: 9, steal_time_permille: None, other_load_permille: Some(3) }),
        best_move: "e2e4".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_completed_at_its_first_exact_score() {
        let mut listener = Listener::default();
        for (time, line) in [
            "info depth 1 seldepth 1 multipv 1 score cp 10 nodes 20 nps 1 time 0 pv e2e4",
            "info string depth 2 main nodes 30",
            "info depth 2 seldepth 2 multipv 1 score cp 10 lowerbound nodes 40 nps 1 time 0 pv e2e4",
            "info string depth 2 main nodes 35",
            "info depth 2 seldepth 2 multipv 1 score cp 12 nodes 50 nps 1 time 0 pv e2e4",
            "info depth 2 seldepth 2 multipv 1 score cp 12 nodes 60 nps 1 time 0 pv e2e4",
            "info string depth x main nodes 35",
            "info string counters cutoffs 12 first 10",
            "info string counters cutoffs",
            "bestmove e2e4",
        ]
        .into_iter()
        .enumerate()
        {
            listener.read(line, time as u64);
        }
        let reached = |depth, nodes, main_nodes, time_us| Reached { depth, nodes, main_nodes, time_us };
        assert_eq!(listener.depths, [reached(1, 20, None, 0), reached(2, 50, Some(35), 4)]);
        assert_eq!(listener.counted_us, 5, "time of the last report of nodes");
        assert_eq!(listener.counters, [("cutoffs".to_owned(), 12), ("first".to_owned(), 10)].into());
    }

    #[test]
    fn records_round_trip() {
        let text = serde_json::to_string(&sample_search()).unwrap();
        assert_eq!(serde_json::from_str::<SearchRecord>(&text).unwrap(), sample_search());
    }
}
