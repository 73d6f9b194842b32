//! The display of `smp`, `bench` and `ablate`.

use std::num::NonZeroU32;

use serde_json::{Value, json};

use super::measurement::{Measurement, SearchSummary};
use super::play::SearchPlay;
use super::study::SearchState;
use crate::base::wording::counted;
use crate::measure::searches::Load;
use crate::run::executor::View;

/// More engines or settings than this are counted instead of named.
const MAX_NAMES: usize = 6;

fn times_each(repetitions: NonZeroU32) -> String {
    if repetitions.get() == 1 { "once each".into() } else { format!("{repetitions} times each") }
}

impl<M: Measurement> View for SearchPlay<M> {
    const REPORTS_STEAL_TIME: bool = true;

    fn closing_notices(&self, summary: &SearchSummary<M::Summary>) -> Vec<String> {
        summary.time_lines()
    }

    fn header(&self) -> String {
        let plan = &self.plan;
        let engines: Vec<&str> = plan.engines.iter().map(|engine| engine.name.as_str()).collect();
        let engines = if engines.len() > MAX_NAMES {
            format!("{} settings and engines", engines.len())
        } else {
            engines.join(", ")
        };
        let shown = |load: &Load| match load {
            Load::AsConfigured => None,
            Load::Threads(threads) => Some(threads.to_string()),
            Load::Processes(processes) => Some(format!("{processes} processes")),
        };
        let threads: Vec<String> = plan.loads.iter().filter_map(shown).collect();
        let threads =
            if threads.is_empty() { String::new() } else { format!(" | threads {}", threads.join(", ")) };
        format!(
            "{engines} | {}{threads} | {}, {}",
            plan.config.limits,
            counted(plan.positions.len(), "position"),
            times_each(plan.config.repetitions)
        )
    }

    fn started(&self, state: &SearchState) -> (Value, Option<String>) {
        let done = state.done.len();
        let body = json!({ "searches": self.study.grid.searches(), "done_before": done });
        (body, (done > 0).then(|| format!("with {done} searches")))
    }

    fn units(&self, state: &SearchState) -> u64 {
        state.done.len() as u64
    }

    fn length(&self) -> Option<(u64, &'static str)> {
        Some((self.study.grid.searches() as u64, "searches"))
    }
}
