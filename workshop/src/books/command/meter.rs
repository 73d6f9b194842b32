//! Progress of long work on a book or an opening set: a bar on a terminal, plain lines otherwise.

use std::fs::File;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use stretto_harness::run::command::say;
use stretto_harness::run::console::is_live;

/// Interval between two plain lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// A progress display for a known amount of work.
pub(crate) struct Meter {
    bar: Option<ProgressBar>,
    started: Instant,
    last: Mutex<Instant>,
    all: u64,
}

impl Meter {
    pub(crate) fn new(all: u64) -> Self {
        let bar = is_live().then(|| {
            let bar = ProgressBar::new(all);
            if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent} %, {msg}, ETA {eta}") {
                bar.set_style(style);
            }
            bar
        });
        let started = Instant::now();
        Self { bar, started, last: Mutex::new(started), all }
    }

    /// Reports the finished amount of work, described by `text`.
    pub(crate) fn report(&self, done: u64, text: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(text());
            return;
        }
        // Another thread is already reporting.
        let Ok(mut last) = self.last.try_lock() else { return };
        if last.elapsed() >= INTERVAL {
            *last = Instant::now();
            let share = done as f64 / self.all.max(1) as f64;
            let to_go = self.started.elapsed().as_secs_f64() * (1.0 - share) / share.max(1e-9);
            say(&format!("{:.0} %, {}, ETA {to_go:.0} s", 100.0 * share, text()));
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A file reader that counts the bytes read.
pub(crate) struct Watched {
    pub(crate) file: File,
    pub(crate) read: Arc<AtomicU64>,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        // Relaxed: a progress count that orders no other memory access.
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}
