//! A measurement as far as it reports: its records are the searches of a `Grid`.
//!
//! CPU time is reported where it is that of the searches, and not only of a part of them.

use std::num::NonZeroUsize;

use super::disturbance::DisturbanceSummary;
use super::measurement::{Measurement, Outline, SearchSummary};
use super::{Grid, SearchRecord};
use crate::config::EngineConfig;
use crate::play::limit_check::{Effort, LimitWatch, limits_strength};
use crate::report::Report;
use crate::run::RunState;
use crate::run::executor::Study;
use crate::run::stored::StoredRun;

/// The searches of a measurement.
#[derive(Debug)]
pub(crate) struct SearchStudy<M> {
    /// The measurement they belong to.
    pub measurement: M,
    pub(super) grid: Grid,
    /// Number of logical CPUs that the run may use.
    processors: usize,
}

/// The searches so far.
#[derive(Debug, Default)]
pub(crate) struct SearchState {
    /// Finished searches, in the order of completion.
    pub done: Vec<SearchRecord>,
    /// Whether the engines keep to their limits.
    pub(super) limits: LimitWatch,
}

impl<M: Measurement> SearchStudy<M> {
    /// Returns the searches of a measurement on a machine with this number of logical CPUs.
    pub(crate) fn new(measurement: M, processors: usize) -> Self {
        Self { grid: measurement.grid(), measurement, processors }
    }

    /// Returns the engines whose CPU time was measured in part only.
    fn cpu_time_incomplete(&self, state: &SearchState) -> Vec<String> {
        let is_incomplete = |engine: usize| {
            is_cpu_time_incomplete(state.done.iter().filter(|search| search.engine == engine))
        };
        let engines = self.measurement.outline().engines.iter().enumerate();
        let engines = engines.filter(|(engine, _)| M::COMPARES_CPU_TIME && is_incomplete(*engine));
        engines.map(|(_, engine)| engine.name.clone()).collect()
    }
}

impl<M: Measurement> Study for SearchStudy<M> {
    type Config = M::Config;
    type Record = SearchRecord;
    type State = SearchState;
    type Summary = SearchSummary<M::Summary>;

    fn rebuild(config: M::Config, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        Ok(Self::new(M::rebuild(config, run)?, run.manifest.host.cores))
    }

    fn state(&self) -> SearchState {
        let Outline { engines, searches, .. } = self.measurement.outline();
        let limits = LimitWatch::new(engines.iter().map(|engine| (engine.name.clone(), searches.limits)));
        SearchState { done: Vec::new(), limits }
    }

    fn check(&self, _state: &SearchState, record: &SearchRecord) -> Result<(), String> {
        let index = usize::try_from(record.index).ok().filter(|&index| index < self.grid.searches());
        let is_ours = index.map(|index| self.grid.search(index)).is_some_and(|search| {
            (search.engine, search.position, search.repetition)
                == (record.engine, record.position, record.repetition)
                && record.is_of(self.grid.loads[search.load])
        });
        let refusal = || format!("search {} does not belong to this measurement", record.index);
        is_ours.then_some(()).ok_or_else(refusal)
    }

    fn take(&self, state: &mut SearchState, record: &SearchRecord) -> bool {
        state.done.push(record.clone());
        let is_judged = has_own_processors(self, record);
        let has_full_strength =
            !self.measurement.outline().engines.get(record.engine).is_some_and(limits_strength);
        state.limits.add(is_judged.then(|| (record.engine, effort(record, has_full_strength))));
        false
    }

    fn is_enough(&self, state: &SearchState) -> bool {
        // Only the search that completes a pass is followed by a summary, not every search.
        let completes = |last: &SearchRecord| last.index < whole_passes(self, state) as u64;
        let has_more = state.done.len() < self.grid.searches();
        has_more && state.done.last().is_some_and(completes) && has_sufficed(self, state)
    }

    fn is_finished(&self, state: &SearchState) -> bool {
        state.done.len() >= self.grid.searches() || has_sufficed(self, state)
    }

    fn summarize(&self, state: &SearchState, run: RunState) -> SearchSummary<M::Summary> {
        let times = self.measurement.outline().searches.times;
        let former = state.done.iter().filter(|record| times && record.nps.is_none()).count();
        SearchSummary {
            figures: self.measurement.summary(&state.done, run),
            disturbance: DisturbanceSummary::of(state.done.iter().filter_map(|record| record.disturbance)),
            cpu_time_incomplete: self.cpu_time_incomplete(state),
            limit_violations: state.limits.violations(),
            former_speeds: NonZeroUsize::new(former),
        }
    }

    fn report(&self, _state: &SearchState, summary: &SearchSummary<M::Summary>) -> Report {
        self.measurement.report(&summary.figures).with_lines(&summary.lines())
    }
}

/// Returns the number of searches in as many passes over the positions as the finished searches can fill.
fn whole_passes<M: Measurement>(study: &SearchStudy<M>, state: &SearchState) -> usize {
    let pass = study.grid.pass().max(1);
    state.done.len() / pass * pass
}

/// Whether the whole passes over the positions suffice. In the middle of a pass the engines have not
/// searched the same positions. Searches at once end in any order, so a pass is whole only if none of its
/// searches and of those before it is missing.
fn has_sufficed<M: Measurement>(study: &SearchStudy<M>, state: &SearchState) -> bool {
    let whole = whole_passes(study, state);
    let is_in_passes = |record: &&SearchRecord| record.index < whole as u64;
    let searches: Vec<SearchRecord> = state.done.iter().filter(is_in_passes).cloned().collect();
    whole > 0 && searches.len() == whole && study.measurement.is_enough(&searches)
}

/// Whether a search had a processor for each of its threads. Otherwise its time says nothing about
/// the engine: threads that wait for a processor answer late.
fn has_own_processors<M: Measurement>(study: &SearchStudy<M>, record: &SearchRecord) -> bool {
    let Outline { engines, searches: config, .. } = study.measurement.outline();
    let threads = match record.threads {
        0 => engines.get(record.engine).map_or(1, EngineConfig::threads),
        threads => threads as usize,
    };
    config.limits.movetime.is_none() || threads.saturating_mul(config.concurrency) <= study.processors
}

/// Returns the effort of a search as its limit counts it. Separate processes each have the limit.
/// Short searches of an engine below its full strength are not judged.
fn effort(record: &SearchRecord, has_full_strength: bool) -> Effort {
    let processes = if record.separate_processes { u64::from(record.threads.max(1)) } else { 1 };
    Effort {
        nodes: Some(record.nodes / processes),
        time_us: record.time_us,
        may_stop_early: record.may_stop_early || !has_full_strength,
    }
}

/// Share of the time of a search, which keeps at least one thread busy, below which its CPU time cannot be complete.
const LEAST_SHARE: f64 = 0.05;

/// Whether CPU time was measured that is far below the time of these searches: the work is done elsewhere.
pub(crate) fn is_cpu_time_incomplete<'a>(searches: impl IntoIterator<Item = &'a SearchRecord>) -> bool {
    let measured = searches.into_iter().filter_map(|search| Some((search.processor_us?, search.time_us)));
    let (mut used, mut taken, mut has_nothing) = (0, 0, false);
    for (processor_us, time_us) in measured {
        used += processor_us;
        taken += time_us;
        has_nothing |= processor_us == 0;
    }
    has_nothing || (used as f64) < LEAST_SHARE * taken as f64
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::config::{Limits, Watchdog};
    use crate::measure::searches::record::sample_search;
    use crate::measure::searches::{SearchOrder, SearchesConfig};

    fn record(text: &str) -> SearchRecord {
        let text = format!(
            r#"{{ "v": 1, "index": 0, "engine": 0, "threads": 4, "position": 0, "repetition": 0, "depths": [],
            "nodes": 400, "time_us": 9, "may_stop_early": false, "best_move": "e2e4"{text} }}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    /// A measurement of two positions whose first search suffices, as far as it decides.
    struct Fake(SearchesConfig, EngineConfig);

    impl Fake {
        /// Returns the measurement of an engine with this option.
        fn new(config: SearchesConfig, name: &str, value: &str) -> Self {
            let options = [(name.to_owned(), Some(value.to_owned()))];
            let engine = EngineConfig::of_words("sh", None, &[], &options, config.limits).unwrap();
            Self(config, engine)
        }
    }

    impl Measurement for Fake {
        const COMPARES_CPU_TIME: bool = true;

        type Config = SearchesConfig;
        type Summary = usize;

        fn rebuild(config: SearchesConfig, _run: &StoredRun<'_>) -> anyhow::Result<Self> {
            Ok(Self::new(config, "Threads", "2"))
        }

        fn outline(&self) -> Outline<'_> {
            Outline { engines: std::slice::from_ref(&self.1), positions: 2, searches: &self.0 }
        }

        fn summary(&self, done: &[SearchRecord], _state: RunState) -> usize {
            done.len()
        }

        fn is_enough(&self, done: &[SearchRecord]) -> bool {
            !done.is_empty()
        }

        fn report(&self, _summary: &usize) -> Report {
            unreachable!("nothing is reported")
        }
    }

    /// Returns a run with these limits on a machine with this number of processors.
    fn fake_run(limits: Limits, processors: usize) -> SearchStudy<Fake> {
        let config = SearchesConfig {
            positions: "p.epd".into(),
            count: None,
            limits,
            repetitions: std::num::NonZeroU32::new(3).unwrap(),
            times: true,
            concurrency: 1,
            watchdog: Watchdog::default(),
            instructions: false,
            order: SearchOrder::Rotated,
        };
        SearchStudy::new(Fake::new(config, "Threads", "2"), processors)
    }

    #[test]
    fn searches_that_share_processors_are_not_judged_by_time() {
        // 482 ms for a limit of 100 ms.
        let late = |text: &str| SearchRecord { time_us: 482_000, ..record(text) };
        let violations = |limits: Limits, processors: usize, record: &SearchRecord| {
            let run = fake_run(limits, processors);
            let mut state = run.state();
            // A single late search may be the fault of the machine.
            run.take(&mut state, record);
            run.take(&mut state, record);
            run.summarize(&state, RunState::Finished).limit_violations.len()
        };
        let time = Limits { movetime: NonZeroU64::new(100), ..Limits::default() };
        for text in ["", r#", "separate_processes": true"#] {
            assert_eq!(violations(time, 4, &late(text)), 1, "four threads on four processors");
            assert_eq!(violations(time, 3, &late(text)), 0, "four threads on three processors");
        }
        // Without a load, the option of the engine counts.
        let configured = SearchRecord { threads: 0, ..late("") };
        assert_eq!([1, 2].map(|processors| violations(time, processors, &configured)), [0, 1]);
        // Nodes do not depend on the processors.
        let nodes = Limits { nodes: NonZeroU64::new(100), ..Limits::default() };
        assert_eq!(violations(nodes, 1, &SearchRecord { nodes: 5000, ..late("") }), 1);
    }

    #[test]
    fn run_is_finished_only_by_whole_passes() {
        let run = fake_run(Limits::default(), 2);
        assert_eq!([ends(&run, &[]), ends(&run, &[0])], [(false, false); 2]);
        assert_eq!(ends(&run, &[0, 1]), (true, true));
        assert_eq!(
            ends(&run, &[0, 1, 2]),
            (false, true),
            "a search that was under way at the end of the pass"
        );
        assert_eq!(ends(&run, &[0, 1, 2, 3, 4, 5]), (false, true));
    }

    /// Returns whether a run is closed, and finished, by these searches in this order.
    fn ends(run: &SearchStudy<Fake>, done: &[u64]) -> (bool, bool) {
        let done = done.iter().map(|&index| SearchRecord { index, ..record("") }).collect();
        let state = SearchState { done, ..SearchState::default() };
        (run.is_enough(&state), run.is_finished(&state))
    }

    #[test]
    fn pass_with_a_missing_search_does_not_suffice() {
        let mut run = fake_run(Limits::default(), 2);
        run.measurement.0.concurrency = 2;
        assert_eq!(ends(&run, &[0, 2]), (false, false), "the second search of the first pass is missing");
        assert_eq!(ends(&run, &[0, 2, 1]), (true, true), "it ends after a search of the second pass");
        assert_eq!(ends(&run, &[0, 2, 3, 4]), (false, false));
        assert_eq!(ends(&run, &[2, 0, 3, 1]), (true, true));
        assert_eq!(
            ends(&run, &[0, 2, 1, 3, 4]),
            (false, true),
            "the summary after the fourth search was enough"
        );
    }

    #[test]
    fn separate_processes_each_have_the_limit() {
        assert_eq!(effort(&record(""), true).nodes, Some(400));
        assert_eq!(effort(&record(r#", "separate_processes": true"#), true).nodes, Some(100));
    }

    #[test]
    fn short_searches_that_a_mate_may_explain_are_not_judged() {
        let limits = Limits { nodes: NonZeroU64::new(20_000), ..Limits::default() };
        let violations = |may_stop_early: bool, has_full_strength: bool| {
            let record = SearchRecord { may_stop_early, ..record("") };
            let mut watch = LimitWatch::new([("a".to_owned(), limits)]);
            watch.add((0..5).map(|_| (0, effort(&record, has_full_strength))));
            watch.violations().len()
        };
        assert_eq!(violations(false, true), 1);
        assert_eq!(violations(false, false), 0, "below full strength");
        assert_eq!(violations(true, true), 0);
    }

    #[test]
    fn cpu_time_below_5_percent_is_incomplete() {
        let search = |processor_us, time_us| SearchRecord { time_us, processor_us, ..sample_search() };
        assert!(!is_cpu_time_incomplete(&[search(None, 1000)]), "not measured");
        assert!(!is_cpu_time_incomplete(&[search(Some(50), 1000)]));
        assert!(is_cpu_time_incomplete(&[search(Some(49), 1000)]));
        assert!(
            !is_cpu_time_incomplete(&[search(Some(10), 1000), search(Some(990), 1000)]),
            "a busy machine"
        );
        assert!(
            is_cpu_time_incomplete(&[search(Some(0), 1000), search(Some(990), 1000)]),
            "steps are too coarse"
        );
        assert!(
            super::super::measurement::cpu_time_line(&["a".to_owned()])
                .is_some_and(|line| line.starts_with("CPU time of a: below 5 %"))
        );
    }
}
