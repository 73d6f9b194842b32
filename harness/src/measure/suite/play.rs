//! A suite that is solved: its tasks are the positions, and its display counts the solved ones.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::study::{SuiteState, SuiteStudy};
use super::summary::total;
use super::worker::solve;
use super::{Baseline, Comparison, Points, PositionRecord, Suite, SuiteConfig, SuiteSummary, list_unsolved};
use crate::base::cancel::Cancel;
use crate::base::errors::Stop;
use crate::base::system::files::FileStamp;
use crate::base::wording::counted;
use crate::play::limit_check::violation_lines;
use crate::pool::{Player, Setup};
use crate::report::Report;
use crate::run::RunFolder;
use crate::run::console::Screen;
use crate::run::executor::{Notice, OutboxOf, Play, Progress, TaskList, Tasks, View};
use crate::uci::Launcher;

/// The positions of a suite with the engine that solves them.
#[derive(Debug)]
pub(crate) struct SuitePlay {
    pub(super) study: SuiteStudy,
    setup: Arc<Setup>,
    /// Stamp of the executable at the start of the run.
    stamp: Option<FileStamp>,
    /// Another run to compare with.
    baseline: Option<Baseline>,
    /// Whether the positions that were not solved are listed at the end.
    pub(super) lists_unsolved: bool,
}

impl SuitePlay {
    /// Prepares the positions of a suite.
    pub(crate) fn new(
        study: SuiteStudy,
        setup: Setup,
        baseline: Option<Baseline>,
        lists_unsolved: bool,
    ) -> Self {
        let stamp = FileStamp::of(&study.config.engine.program);
        Self { study, setup: Arc::new(setup), stamp, baseline, lists_unsolved }
    }

    /// Compares with the other run, if there is one.
    pub(super) fn comparison(&self, state: &SuiteState) -> Option<Comparison> {
        self.baseline.as_ref().map(|baseline| baseline.compare(&state.done))
    }
}

impl Play for SuitePlay {
    const ITEM: &'static str = "position";

    type Study = SuiteStudy;
    type Task = usize;
    type Worker<'a> = Player<'a>;
    type Files = ();

    fn study(&self) -> &SuiteStudy {
        &self.study
    }

    fn cancel(&self) -> &Cancel {
        &self.setup.cancel
    }

    fn workers(&self) -> usize {
        self.study.config.concurrency
    }

    fn files(&self, _folder: &RunFolder) -> anyhow::Result<()> {
        Ok(())
    }

    fn tasks(&self, state: &SuiteState) -> Box<dyn Tasks<usize>> {
        let done = state.done.iter().map(|record| record.index);
        Box::new(TaskList::missing(self.study.suite.tasks.len(), done))
    }

    fn worker(&self, _place: usize, _folder: &RunFolder) -> anyhow::Result<Player<'_>> {
        Ok(Player::new(&self.study.config.engine, self.stamp, &self.setup))
    }

    fn perform<'a>(
        &'a self,
        player: &mut Player<'a>,
        index: usize,
        outbox: &OutboxOf<'_, Self>,
    ) -> Result<(), Stop> {
        let (record, evidence) = solve(&self.study, player, index, outbox)?;
        outbox.send(record, (), evidence)
    }

    fn retire(&self, mut player: Player<'_>) -> Vec<String> {
        Player::quit([&mut player])
    }

    fn inspect(&self, state: &SuiteState, _record: &PositionRecord) -> Vec<Notice> {
        state.limits.notices()
    }
}

impl View for SuitePlay {
    fn depends_on_time(&self) -> bool {
        self.study.config.engine.is_timed()
    }

    fn header(&self) -> String {
        let (config, positions) = (&self.study.config, counted(self.study.suite.tasks.len(), "position"));
        let engine = &config.engine;
        format!("{} | {} | {positions} | {} at once", engine.name, engine.limits, config.concurrency)
    }

    fn started(&self, state: &SuiteState) -> (Value, Option<String>) {
        let (engine, positions) = (&self.study.config.engine.name, self.study.suite.tasks.len());
        let done = state.done.len();
        let body = json!({ "engine": engine, "positions": positions, "done_before": done });
        (body, (done > 0).then(|| format!("with {done} positions")))
    }

    fn show_record(&self, screen: &Screen, record: &PositionRecord, fault: Option<&Path>) {
        screen.event("position_finished", json!({ "position": record, "fault_file": fault }));
        let place = format!("{}:{} {}", record.file, record.line, record.id);
        if let (Some(problem), Some(file)) = (&record.fault, fault) {
            let (kind, how) = (problem.kind.name(), &problem.how);
            screen.line(&format!("{place}: {kind}: {how} (see {})", file.display()));
        }
        if let Some((claim, why)) = record.mate.as_ref().and_then(|claim| Some((claim, claim.failure()?))) {
            screen.line(&format!("{place}: mate {} not verified: {why}", claim.moves));
        }
    }

    fn units(&self, state: &SuiteState) -> u64 {
        state.done.len() as u64
    }

    fn length(&self) -> Option<(u64, &'static str)> {
        Some((self.study.suite.tasks.len() as u64, "positions"))
    }

    fn details(&self, progress: &Progress<'_, SuiteState>) -> String {
        let total = total(&self.study.suite, &progress.state.done);
        let left = (self.study.suite.tasks.len() as u64).saturating_sub(progress.done);
        let times = progress.times(progress.eta(left as f64));
        format!("{}, {times}", score_text(progress.done, total.solved, total.points))
    }

    fn line(&self, progress: &Progress<'_, SuiteState>) -> String {
        format!("{} of {} | {}", progress.done, self.study.suite.tasks.len(), self.details(progress))
    }

    fn ended(&self, state: &SuiteState, summary: &SuiteSummary) -> Value {
        json!({ "summary": summary, "comparison": self.comparison(state) })
    }

    fn text(&self, state: &SuiteState, summary: &SuiteSummary, _report: &Report, _folder: &Path) -> String {
        let mut text = summary.report();
        for line in violation_lines(&summary.limit_violations) {
            let _ = writeln!(text, "{line}");
        }
        if self.lists_unsolved {
            text.push_str(&list_unsolved(&state.done));
        }
        text.extend(self.comparison(state).map(|comparison| comparison.report()));
        text
    }
}

/// Formats `solved 81 of 100, 512/700 points`.
fn score_text(done: u64, solved: u64, points: Option<Points>) -> String {
    let points = points.map_or(String::new(), |points| format!(", {}/{} points", points.won, points.max));
    format!("solved {solved} of {done}{points}")
}

/// Returns the settings of the engine's processes, of the trial before the run too.
pub(crate) fn setup(config: &SuiteConfig, suite: &Suite, cancel: &Cancel) -> Setup {
    // The report gives the time of each search, for all limits.
    Setup::new(Launcher::of_this_binary(), config.watchdog, suite.variant, true, cancel.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_has_points_where_known() {
        let points = Some(Points { won: 510, max: 600 });
        assert_eq!(score_text(60, 45, points), "solved 45 of 60, 510/600 points");
        assert_eq!(score_text(60, 45, None), "solved 45 of 60");
    }
}
