//! How planned searches show themselves.

use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::json;

use super::{LIVE_INTERVAL, PLAIN_INTERVAL, clock_time, emit, length_bar, live_view, say};
use crate::searches::{Observer, Plan};

/// More engines than this are counted instead of named.
const MAX_NAMES: usize = 6;

/// Where planned searches show themselves.
#[derive(Debug)]
pub struct SearchesDisplay {
    is_json: bool,
    live: Option<ProgressBar>,
    header: String,
    last_shown: Instant,
    done_shown: usize,
}

impl SearchesDisplay {
    /// A display for this run; `is_json` adds the events.
    pub fn new(plan: &Plan, is_json: bool) -> Self {
        let engines: Vec<&str> = plan.engines.iter().map(|engine| engine.name.as_str()).collect();
        let engines =
            if engines.len() > MAX_NAMES { format!("{} engines", engines.len()) } else { engines.join(", ") };
        let threads: Vec<String> = plan.threads.iter().flatten().map(ToString::to_string).collect();
        let threads =
            if threads.is_empty() { String::new() } else { format!(" | threads {}", threads.join(" ")) };
        let header = format!(
            "{engines} | {}{threads} | {} positions, {} times each",
            plan.limits,
            plan.positions.len(),
            plan.repetitions
        );
        Self { is_json, live: live_view(), header, last_shown: Instant::now(), done_shown: 0 }
    }

    /// Announces the run.
    pub fn start(&self, run: &Path, plan: &Plan, done_before: usize) {
        if self.is_json {
            let body = json!({ "run": run, "searches": plan.searches(), "done_before": done_before });
            emit("run_started", body);
        }
        if self.live.is_none() {
            say(&self.header);
        }
        say(&format!("run folder: {}", run.display()));
        if done_before > 0 {
            say(&format!("resumed with {done_before} searches"));
        }
    }

    /// Ends the live view and, with events, tells the outcome.
    pub fn finish(&mut self, summary: &impl Serialize) {
        self.abandon();
        if self.is_json {
            emit("run_ended", json!({ "summary": summary }));
        }
    }

    /// Removes the live view, for other text to follow.
    pub fn abandon(&mut self) {
        if let Some(live) = self.live.take() {
            live.finish_and_clear();
        }
    }
}

impl Observer for SearchesDisplay {
    fn notice(&mut self, text: &str) {
        if self.is_json {
            emit("notice", json!({ "text": text }));
        }
        match &self.live {
            Some(live) => live.suspend(|| say(text)),
            None => say(text),
        }
    }

    fn progress(&mut self, done: usize, all: usize, session: usize, elapsed: Duration) {
        let interval = if self.live.is_some() { LIVE_INTERVAL } else { PLAIN_INTERVAL };
        let is_news = self.live.is_some() || done > self.done_shown;
        if self.last_shown.elapsed() < interval || !is_news {
            return;
        }
        self.last_shown = Instant::now();
        self.done_shown = done;
        let eta = (session > 0)
            .then(|| elapsed.mul_f64((all - done) as f64 / session as f64))
            .map_or_else(|| "-".to_owned(), clock_time);
        let line = format!("elapsed {}, to go about {eta}", clock_time(elapsed));
        match &self.live {
            Some(live) => {
                let bar = length_bar(done as u64, all as u64, "searches");
                live.set_message(format!("{}\n{bar}\n{line}", self.header));
                live.tick();
            }
            None => say(&format!("{done} of {all} searches | {line}")),
        }
    }
}
