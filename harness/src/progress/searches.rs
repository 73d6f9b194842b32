//! How planned searches show themselves.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use super::screen::Screen;
use super::{clock_time, length_bar};
use crate::searches::{Load, Observer, Plan};

/// More engines than this are counted instead of named.
const MAX_NAMES: usize = 6;

/// Where planned searches show themselves.
#[derive(Debug)]
pub struct SearchesDisplay(Screen);

impl SearchesDisplay {
    /// A display for this run; `is_json` adds the events.
    pub fn new(plan: &Plan, is_json: bool) -> Self {
        let engines: Vec<&str> = plan.engines.iter().map(|engine| engine.name.as_str()).collect();
        let engines =
            if engines.len() > MAX_NAMES { format!("{} engines", engines.len()) } else { engines.join(", ") };
        let told = |load: &Load| match load {
            Load::AsConfigured => None,
            Load::Threads(threads) => Some(threads.to_string()),
            Load::Apart(processes) => Some(format!("{processes} apart")),
        };
        let threads: Vec<String> = plan.loads.iter().filter_map(told).collect();
        let threads =
            if threads.is_empty() { String::new() } else { format!(" | threads {}", threads.join(", ")) };
        let header = format!(
            "{engines} | {}{threads} | {} positions, {} times each",
            plan.config.limits,
            plan.positions.len(),
            plan.config.repetitions
        );
        Self(Screen::new(header, is_json))
    }

    /// Announces the run.
    pub fn start(&self, run: &Path, plan: &Plan, done_before: usize) {
        let body = json!({ "searches": plan.grid().searches(), "done_before": done_before });
        self.0.start(run, body, (done_before > 0).then(|| format!("with {done_before} searches")));
    }

    /// Ends the live view and, with events, tells the outcome.
    pub fn finish(&mut self, summary: &impl Serialize) {
        self.0.finish(json!({ "summary": summary }));
    }

    /// Removes the live view, for other text to follow.
    pub fn abandon(&mut self) {
        self.0.abandon();
    }
}

impl Observer for SearchesDisplay {
    fn notice(&mut self, text: &str) {
        self.0.notice(text);
    }

    fn progress(&mut self, done: usize, all: usize, session: usize, elapsed: Duration) {
        if !self.0.is_due(done as u64) {
            return;
        }
        let eta = (session > 0)
            .then(|| elapsed.mul_f64((all - done) as f64 / session as f64))
            .map_or_else(|| "-".to_owned(), clock_time);
        let line = format!("elapsed {}, to go about {eta}", clock_time(elapsed));
        self.0.show(
            || format!("{}\n{line}", length_bar(done as u64, all as u64, "searches")),
            || format!("{done} of {all} searches | {line}"),
        );
    }
}
