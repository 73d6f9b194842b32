//! The display of `suite`.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::play::SuitePlay;
use super::study::SuiteState;
use super::{Points, PositionRecord, SuiteSummary, list_unsolved};
use crate::play::limit_check::violation_lines;
use crate::report::Report;
use crate::run::console::{Screen, clock_time, emit, length_bar};
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

    fn live(&self, progress: &Progress<'_, SuiteState>) -> String {
        let all = self.study.suite.tasks.len() as u64;
        format!("{}\n{}", length_bar(progress.done, all, "positions"), self.score_line(progress))
    }

    fn line(&self, progress: &Progress<'_, SuiteState>) -> String {
        format!("{} of {} | {}", progress.done, self.study.suite.tasks.len(), self.score_line(progress))
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

impl SuitePlay {
    fn score_line(&self, progress: &Progress<'_, SuiteState>) -> String {
        let summarizer = &progress.state.summarizer;
        let left = (self.study.suite.tasks.len() as u64).saturating_sub(progress.done);
        let (elapsed, eta) = (progress.elapsed, progress.eta(left as f64));
        score_line(progress.done, summarizer.solved(), summarizer.points(), elapsed, eta)
    }
}

/// Formats `solved 81 of 100, 512/700 points, elapsed 0:00:10, ETA 0:00:20`
fn score_line(
    done: u64,
    solved: u64,
    points: Option<Points>,
    elapsed: Duration,
    eta: Option<Duration>,
) -> String {
    let points = points.map_or(String::new(), |points| format!(", {}/{} points", points.won, points.max));
    let eta = eta.map_or_else(|| "-".to_owned(), clock_time);
    format!("solved {solved} of {done}{points}, elapsed {}, ETA {eta}", clock_time(elapsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_line_shows_points_and_eta_where_known() {
        let elapsed = Duration::from_secs(10);
        let points = Some(Points { won: 510, max: 600 });
        assert_eq!(
            score_line(60, 45, points, elapsed, Some(Duration::from_secs(20))),
            "solved 45 of 60, 510/600 points, elapsed 0:00:10, ETA 0:00:20"
        );
        let begun = score_line(60, 45, None, elapsed, None);
        assert_eq!(begun, "solved 45 of 60, elapsed 0:00:10, ETA -");
    }
}
