//! How far long work on a book is: a bar on a terminal, plain lines otherwise.

use std::fs::File;
use std::io::{IsTerminal, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::cli::say;
use indicatif::{ProgressBar, ProgressStyle};

/// Between two plain lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// A display of work that is so much in all.
pub(super) struct Meter {
    bar: Option<ProgressBar>,
    started: Instant,
    last: Mutex<Instant>,
    all: u64,
}

impl Meter {
    pub(super) fn new(all: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(all);
            if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent} %, {msg}, to go about {eta}")
            {
                bar.set_style(style);
            }
            bar
        });
        let started = Instant::now();
        Self { bar, started, last: Mutex::new(started), all }
    }

    /// So much is done; `text` says what that means.
    pub(super) fn tell(&self, done: u64, text: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(text());
            return;
        }
        // Somebody else is telling already.
        let Ok(mut last) = self.last.try_lock() else { return };
        if last.elapsed() >= INTERVAL {
            *last = Instant::now();
            let share = done as f64 / self.all.max(1) as f64;
            let to_go = self.started.elapsed().as_secs_f64() * (1.0 - share) / share.max(1e-9);
            say(&format!("{:.0} %, {}, to go about {to_go:.0} s", 100.0 * share, text()));
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A file that counts what is read of it.
pub(super) struct Watched {
    pub(super) file: File,
    pub(super) read: Arc<AtomicU64>,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        // Relaxed: a count for people, which orders nothing.
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}
