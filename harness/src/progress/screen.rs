//! What all displays have in common: a live view on a terminal, plain lines elsewhere, events for programs.

use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::{LIVE_INTERVAL, PLAIN_INTERVAL, emit, live_view, say};

/// Where a run of any kind shows itself, no oftener than people read.
#[derive(Debug)]
pub(super) struct Screen {
    pub(super) is_json: bool,
    live: Option<ProgressBar>,
    header: String,
    last_shown: Option<Instant>,
    /// How much was done when it last showed something.
    shown: u64,
    /// Least time between two plain lines.
    pub(super) interval: Duration,
}

impl Screen {
    pub(super) fn new(header: String, is_json: bool) -> Self {
        let live = live_view();
        Self { is_json, live, header, last_shown: None, shown: 0, interval: PLAIN_INTERVAL }
    }

    /// Announces a run: the event has `body` and the folder; `before` says what an earlier session did, if there was one.
    pub(super) fn start(&self, run: &Path, mut body: Value, before: Option<String>) {
        if self.is_json {
            body["run"] = json!(run);
            emit("run_started", body);
        }
        if self.live.is_none() {
            say(&self.header);
        }
        say(&format!("run folder: {}", run.display()));
        if let Some(before) = before {
            say(&format!("resumed {before}"));
        }
    }

    /// Something the user should know.
    pub(super) fn notice(&self, text: &str) {
        if self.is_json {
            emit("notice", json!({ "text": text }));
        }
        self.line(text);
    }

    /// A line that stays.
    pub(super) fn line(&self, text: &str) {
        match &self.live {
            Some(live) => live.suspend(|| say(text)),
            None => say(text),
        }
    }

    /// Is it time to show something, with so much done? Plain lines need news.
    pub(super) fn is_due(&mut self, done: u64) -> bool {
        let interval = if self.live.is_some() { LIVE_INTERVAL } else { self.interval };
        let is_time = self.last_shown.is_none_or(|last| last.elapsed() >= interval);
        let is_news = self.live.is_some() || done > self.shown;
        if is_time && is_news {
            (self.last_shown, self.shown) = (Some(Instant::now()), done);
        }
        is_time && is_news
    }

    /// Shows how things stand: `live` below the header on a terminal, or else `plain` as a line.
    pub(super) fn show(&self, live: impl FnOnce() -> String, plain: impl FnOnce() -> String) {
        match &self.live {
            Some(bar) => {
                bar.set_message(format!("{}\n{}", self.header, live()));
                bar.tick();
            }
            None => say(&plain()),
        }
    }

    /// Ends the live view and, with events, tells the outcome.
    pub(super) fn finish(&mut self, body: Value) {
        self.abandon();
        if self.is_json {
            emit("run_ended", body);
        }
    }

    /// Removes the live view, for other text to follow.
    pub(super) fn abandon(&mut self) {
        if let Some(live) = self.live.take() {
            live.finish_and_clear();
        }
    }
}
