//! The console: a live view on a terminal, plain lines elsewhere, events for programs.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::{Value, json};

use super::state::RunState;

/// Version of the event format.
pub(crate) const EVENT_VERSION: u32 = 3;

/// Default minimum time between two plain lines.
pub(crate) const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// The same with `--verbose`.
const VERBOSE_INTERVAL: Duration = Duration::from_secs(1);

/// Minimum time between two updates of the live view.
pub(crate) const LIVE_INTERVAL: Duration = Duration::from_millis(100);

/// Width of the LLR's bar. Units: characters.
pub(crate) const BAR_WIDTH: usize = 41;

/// Verbosity of the output to stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Verbosity {
    /// `--quiet`: only errors reach stderr.
    Quiet,
    /// Also prints progress and notices.
    Normal,
    /// Also prints every finished game, and progress more often.
    Verbose,
}

/// The verbosity of this process.
static VERBOSITY: AtomicU8 = AtomicU8::new(Verbosity::Normal as u8);

/// Sets the verbosity of this process.
pub(crate) fn set_verbosity(verbosity: Verbosity) {
    // Relaxed: set once, before other threads start.
    VERBOSITY.store(verbosity as u8, Ordering::Relaxed);
}

/// Whether output of this verbosity is printed.
pub(crate) fn is_printed(verbosity: Verbosity) -> bool {
    VERBOSITY.load(Ordering::Relaxed) >= verbosity as u8
}

/// Writes one event line to stdout.
pub(crate) fn emit(event: &str, mut body: Value) {
    if let Value::Object(fields) = &mut body {
        fields.insert("v".to_owned(), EVENT_VERSION.into());
        fields.insert("event".to_owned(), event.into());
    }
    print(&format!("{body}\n"));
}

/// The first failure to write to stdout.
static UNPRINTED: OnceLock<io::Error> = OnceLock::new();

/// Returns the first failure to write to stdout. The program reports it when the command ends.
pub(crate) fn unprinted() -> Option<&'static io::Error> {
    UNPRINTED.get()
}

/// Writes a value to stdout as indented JSON.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(&(serde_json::to_string_pretty(value).context("cannot print it as JSON")? + "\n"));
    Ok(())
}

/// Writes text to stdout. A closed pipe is no error.
pub fn print(text: &str) {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Some(error) = written.err().filter(|error| error.kind() != ErrorKind::BrokenPipe) {
        let _ = UNPRINTED.set(error);
    }
}

/// Prints a line to stderr, unless the process is quiet.
pub fn say(text: &str) {
    if is_printed(Verbosity::Normal) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

/// Whether progress is drawn: stderr is a terminal and the process is not quiet.
pub fn is_live() -> bool {
    io::stderr().is_terminal() && is_printed(Verbosity::Normal)
}

/// Returns `[===---] 3 of 6 games`.
pub fn length_bar(done: u64, max: u64, items: &str) -> String {
    let filled = (done as f64 / max.max(1) as f64 * BAR_WIDTH as f64) as usize;
    let filled = filled.min(BAR_WIDTH);
    format!("[{}{}] {done} of {max} {items}", "=".repeat(filled), "-".repeat(BAR_WIDTH - filled))
}

/// Formats a duration as `h:mm:ss`.
pub fn clock_time(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The display of a run. It limits how often something is shown.
#[derive(Debug)]
pub struct Screen {
    pub(crate) is_json: bool,
    live: Option<ProgressBar>,
    header: String,
    last_shown: Option<Instant>,
    /// Units done when something was last shown.
    shown: u64,
    /// Least time between two plain lines.
    pub(crate) interval: Duration,
}

impl Screen {
    /// Creates the display of a run whose first line is `header`; as events on stdout if `is_json`.
    pub fn new(header: String, is_json: bool) -> Self {
        // The template has no field but the message: it cannot be wrong.
        let style =
            ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = || ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style);
        let live = is_live().then(bar);
        Self { is_json, live, header, last_shown: None, shown: 0, interval: PLAIN_INTERVAL }
    }

    /// Announces a run. The event has the fields of `body` and the folder; `before` describes the
    /// work of earlier sessions.
    pub fn start(&self, run: &Path, mut body: Value, before: Option<String>) {
        if self.is_json {
            body["run"] = json!(run);
            emit("run_started", body);
        }
        if self.live.is_none() && !self.header.is_empty() {
            say(&self.header);
        }
        say(&format!("run folder: {}", run.display()));
        if let Some(before) = before {
            say(&format!("resumed {before}"));
        }
    }

    /// Shows something the user should know.
    pub fn notice(&self, text: &str) {
        self.event("notice", json!({ "text": text }));
        self.line(text);
    }

    /// Emits an event, where events are wanted.
    pub(crate) fn event(&self, name: &str, body: Value) {
        if self.is_json {
            emit(name, body);
        }
    }

    /// Prints a line above the live view.
    pub fn line(&self, text: &str) {
        match &self.live {
            Some(live) => live.suspend(|| say(text)),
            None => say(text),
        }
    }

    /// Returns whether it is time to show something, with `done` units done. A plain line needs a
    /// new unit.
    pub(crate) fn is_due(&mut self, done: u64) -> bool {
        let verbose = is_printed(Verbosity::Verbose).then_some(VERBOSE_INTERVAL);
        let plain = verbose.map_or(self.interval, |interval| interval.min(self.interval));
        let interval = if self.live.is_some() { LIVE_INTERVAL } else { plain };
        let is_time = self.last_shown.is_none_or(|last| last.elapsed() >= interval);
        let is_news = self.live.is_some() || done > self.shown;
        if is_time && is_news {
            (self.last_shown, self.shown) = (Some(Instant::now()), done);
        }
        is_time && is_news
    }

    /// Shows progress: `live` below the header on a terminal, or else `plain` as a line.
    pub(crate) fn show(&self, live: impl FnOnce() -> String, plain: impl FnOnce() -> String) {
        match &self.live {
            Some(bar) => {
                bar.set_message(format!("{}\n{}", self.header, live()));
                bar.tick();
            }
            None => say(&plain()),
        }
    }

    /// Ends the live view and emits `run_ended` with the state of the run.
    pub fn finish(&mut self, state: RunState, mut body: Value) {
        self.abandon();
        if self.is_json {
            body["state"] = json!(state);
            emit("run_ended", body);
        }
    }

    /// Removes the live view.
    pub(crate) fn abandon(&mut self) {
        if let Some(live) = self.live.take() {
            live.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_line_needs_a_new_unit_and_the_time_between_two() {
        let mut screen = Screen { live: None, ..Screen::new(String::new(), false) };
        screen.interval = Duration::ZERO;
        assert!(screen.is_due(1) && !screen.is_due(1) && screen.is_due(2));
        screen.interval = Duration::from_hours(1);
        assert!(!screen.is_due(3));
    }
}
