//! How a suite run shows itself.

use std::path::Path;
use std::time::Instant;

use indicatif::ProgressBar;
use serde_json::json;

use super::{LIVE_INTERVAL, PLAIN_INTERVAL, clock_time, emit, length_bar, live_view, say};
use crate::suite::{Comparison, Job, Observer, PositionRecord, Progress, SuiteSummary};

/// Where a suite run shows itself.
#[derive(Debug)]
pub struct SuiteDisplay {
    is_json: bool,
    live: Option<ProgressBar>,
    header: String,
    last_shown: Instant,
    done_shown: usize,
}

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
        Self { is_json, live: live_view(), header, last_shown: Instant::now(), done_shown: 0 }
    }

    /// Announces the run.
    pub fn start(&self, run: &Path, job: &Job, done_before: usize) {
        if self.is_json {
            let positions = job.suite.tasks.len();
            let engine = &job.config.engine.name;
            let body =
                json!({ "run": run, "engine": engine, "positions": positions, "done_before": done_before });
            emit("run_started", body);
        }
        if self.live.is_none() {
            say(&self.header);
        }
        say(&format!("run folder: {}", run.display()));
        if done_before > 0 {
            say(&format!("resumed with {done_before} positions"));
        }
    }

    /// Ends the live view and, with events, tells the outcome.
    pub fn finish(&mut self, summary: &SuiteSummary, comparison: Option<&Comparison>) {
        self.abandon();
        if self.is_json {
            emit("run_ended", json!({ "summary": summary, "comparison": comparison }));
        }
    }

    /// Removes the live view, for other text to follow.
    pub fn abandon(&mut self) {
        if let Some(live) = self.live.take() {
            live.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.live {
            Some(live) => live.suspend(|| say(text)),
            None => say(text),
        }
    }
}

impl Observer for SuiteDisplay {
    fn position(&mut self, record: &PositionRecord, fault: Option<&Path>) {
        if self.is_json {
            emit("position_finished", json!({ "position": record, "fault_file": fault }));
        }
        let place = format!("{}:{} {}", record.file, record.line, record.id);
        if let (Some(problem), Some(file)) = (&record.fault, fault) {
            let (kind, how) = (problem.kind.name(), &problem.how);
            self.line(&format!("{place}: {kind}: {how} (see {})", file.display()));
        }
        if let Some((claim, why)) = record.mate.as_ref().and_then(|claim| Some((claim, claim.failure()?))) {
            self.line(&format!("{place}: mate {} not verified: {why}", claim.moves));
        }
    }

    fn notice(&mut self, text: &str) {
        if self.is_json {
            emit("notice", json!({ "text": text }));
        }
        self.line(text);
    }

    fn progress(&mut self, progress: &Progress) {
        let interval = if self.live.is_some() { LIVE_INTERVAL } else { PLAIN_INTERVAL };
        let is_due = self.last_shown.elapsed() >= interval;
        let is_news = self.live.is_some() || progress.done > self.done_shown;
        if !is_due || !is_news {
            return;
        }
        self.last_shown = Instant::now();
        self.done_shown = progress.done;
        match &self.live {
            Some(live) => {
                let bar = length_bar(progress.done as u64, progress.all as u64, "positions");
                live.set_message(format!("{}\n{bar}\n{}", self.header, score_line(progress)));
                live.tick();
            }
            None => say(&format!("{} of {} | {}", progress.done, progress.all, score_line(progress))),
        }
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
