//! How a suite run shows itself.

use std::path::Path;

use serde_json::json;

use super::screen::Screen;
use super::{clock_time, emit, length_bar};
use crate::suite::{Comparison, Job, Observer, PositionRecord, Progress, SuiteSummary};

/// Where a suite run shows itself.
#[derive(Debug)]
pub struct SuiteDisplay(Screen);

impl SuiteDisplay {
    /// A display for this run; `is_json` adds the events.
    pub fn new(job: &Job, is_json: bool) -> Self {
        let engine = &job.config.engine;
        let header = format!(
            "{} | {} | {} positions | {} at once",
            engine.name,
            engine.limits,
            job.suite.tasks.len(),
            job.config.concurrency
        );
        Self(Screen::new(header, is_json))
    }

    /// Announces the run.
    pub fn start(&self, run: &Path, job: &Job, done_before: usize) {
        let (engine, positions) = (&job.config.engine.name, job.suite.tasks.len());
        let body = json!({ "engine": engine, "positions": positions, "done_before": done_before });
        self.0.start(run, body, (done_before > 0).then(|| format!("with {done_before} positions")));
    }

    /// Ends the live view and, with events, tells the outcome.
    pub fn finish(&mut self, summary: &SuiteSummary, comparison: Option<&Comparison>) {
        self.0.finish(json!({ "summary": summary, "comparison": comparison }));
    }

    /// Removes the live view, for other text to follow.
    pub fn abandon(&mut self) {
        self.0.abandon();
    }
}

impl Observer for SuiteDisplay {
    fn position(&mut self, record: &PositionRecord, fault: Option<&Path>) {
        if self.0.is_json {
            emit("position_finished", json!({ "position": record, "fault_file": fault }));
        }
        let place = format!("{}:{} {}", record.file, record.line, record.id);
        if let (Some(problem), Some(file)) = (&record.fault, fault) {
            let (kind, how) = (problem.kind.name(), &problem.how);
            self.0.line(&format!("{place}: {kind}: {how} (see {})", file.display()));
        }
        if let Some((claim, why)) = record.mate.as_ref().and_then(|claim| Some((claim, claim.failure()?))) {
            self.0.line(&format!("{place}: mate {} not verified: {why}", claim.moves));
        }
    }

    fn notice(&mut self, text: &str) {
        self.0.notice(text);
    }

    fn progress(&mut self, progress: &Progress) {
        if !self.0.is_due(progress.done as u64) {
            return;
        }
        let score = score_line(progress);
        self.0.show(
            || format!("{}\n{score}", length_bar(progress.done as u64, progress.all as u64, "positions")),
            || format!("{} of {} | {score}", progress.done, progress.all),
        );
    }
}

/// `solved 81 of 100, 512/700 points, elapsed 0:00:10, to go about 0:00:20`
fn score_line(progress: &Progress) -> String {
    let points =
        progress.points.map_or(String::new(), |points| format!(", {}/{} points", points.won, points.max));
    let eta = progress.eta().map_or_else(|| "-".to_owned(), clock_time);
    format!(
        "solved {} of {}{points}, elapsed {}, to go about {eta}",
        progress.solved,
        progress.done,
        clock_time(progress.elapsed)
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::suite::Points;

    #[test]
    fn the_time_to_go_follows_the_pace_of_the_session() {
        let progress = Progress {
            done: 60,
            all: 100,
            solved: 45,
            points: Some(Points { won: 510, max: 600 }),
            elapsed: Duration::from_secs(10),
            session_done: 20,
        };
        assert_eq!(
            score_line(&progress),
            "solved 45 of 60, 510/600 points, elapsed 0:00:10, to go about 0:00:20"
        );
        let begun = Progress { session_done: 0, points: None, ..progress };
        assert_eq!(score_line(&begun), "solved 45 of 60, elapsed 0:00:10, to go about -");
    }
}
