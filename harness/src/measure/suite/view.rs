//! The display of `suite`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::play::SuitePlay;
use super::study::SuiteState;
use super::{Points, PositionRecord, SuiteSummary, list_unsolved};
use crate::play::limit_check::violation_lines;
use crate::report::Report;
use crate::run::console::{Screen, emit};
use crate::run::executor::{Progress, View};

impl View for SuitePlay {
    fn depends_on_time(&self) -> bool {
        self.study.config.engine.is_timed()
    }

    fn header(&self) -> String {
        let (config, positions) = (&self.study.config, self.study.suite.tasks.len());
        let engine = &config.engine;
        format!(
            "{} | {} | {positions} positions | {} at once",
            engine.name, engine.limits, config.concurrency
        )
    }

    fn started(&self, state: &SuiteState) -> (Value, Option<String>) {
        let (engine, positions) = (&self.study.config.engine.name, self.study.suite.tasks.len());
        let done = state.done.len();
        let body = json!({ "engine": engine, "positions": positions, "done_before": done });
        (body, (done > 0).then(|| format!("with {done} positions")))
    }

    fn show_record(&self, screen: &Screen, record: &PositionRecord, fault: Option<&Path>) {
        if screen.is_json {
            emit("position_finished", json!({ "position": record, "fault_file": fault }));
        }
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
        let summarizer = &progress.state.summarizer;
        let left = (self.study.suite.tasks.len() as u64).saturating_sub(progress.done);
        let times = progress.times(progress.eta(left as f64));
        format!("{}, {times}", score_text(progress.done, summarizer.solved(), summarizer.points()))
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
