//! The display of `regret`.

use serde_json::{Value, json};

use super::RegretRun;
use super::state::RegretState;
use crate::run::console::{clock_time, length_bar};
use crate::run::executor::{Progress, View};

impl View for RegretRun {
    fn depends_on_time(&self) -> bool {
        false
    }

    fn header(&self) -> String {
        let (config, positions) = (&self.job.config, self.job.positions.len());
        let (count, judge) = (config.engines.len(), &config.judge);
        format!(
            "{count} settings | judge {}, {} | {positions} positions | {} at once",
            judge.name, judge.limits, config.concurrency
        )
    }

    fn started(&self, state: &RegretState) -> (Value, Option<String>) {
        let done = state.done.len();
        let body = json!({ "positions": self.job.positions.len(), "done_before": done });
        (body, (done > 0).then(|| format!("with {done} positions")))
    }

    fn units(&self, state: &RegretState) -> u64 {
        state.done.len() as u64
    }

    fn live(&self, progress: &Progress<'_, Self>) -> String {
        let all = self.job.positions.len() as u64;
        format!("{}\n{}", length_bar(progress.done, all, "positions"), times(all, progress))
    }

    fn line(&self, progress: &Progress<'_, Self>) -> String {
        let all = self.job.positions.len() as u64;
        format!("{} of {all} positions | {}", progress.done, times(all, progress))
    }
}

/// Formats `moves differ in 31 of 80, elapsed 0:00:10, ETA 0:00:20`.
fn times(all: u64, progress: &Progress<'_, RegretRun>) -> String {
    let differ = progress.state.done.iter().filter(|record| record.has_different_moves()).count();
    let eta = progress.eta((all - progress.done) as f64).map_or_else(|| "-".to_owned(), clock_time);
    let elapsed = clock_time(progress.elapsed);
    format!("moves differ in {differ} of {}, elapsed {elapsed}, ETA {eta}", progress.done)
}
