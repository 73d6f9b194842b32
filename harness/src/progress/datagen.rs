//! How the making of games shows itself.

use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde_json::json;

use super::{LIVE_INTERVAL, PLAIN_INTERVAL, clock_time, emit, length_bar, live_view, say};
use crate::datagen::{DatagenJob, DatagenObserver, DatagenTotals};

/// Where the making of games shows itself.
#[derive(Debug)]
pub struct DatagenDisplay {
    is_json: bool,
    live: Option<ProgressBar>,
    header: String,
    games: u64,
    last_shown: Instant,
}

impl DatagenDisplay {
    /// A display for this run; `is_json` adds the events.
    pub fn new(job: &DatagenJob, is_json: bool) -> Self {
        let config = job.config();
        let header = format!(
            "{:?} | {} nodes a move | {} games | {} at once",
            config.evaluation, config.soft_nodes, config.games, config.concurrency
        );
        Self {
            is_json,
            live: live_view(),
            header: header.to_lowercase(),
            games: config.games.get(),
            last_shown: Instant::now(),
        }
    }

    /// Announces the run.
    pub fn start(&self, run: &Path, before: &DatagenTotals) {
        if self.is_json {
            emit("run_started", json!({ "run": run, "games": self.games, "games_before": before.games }));
        }
        if self.live.is_none() {
            say(&self.header);
        }
        say(&format!("run folder: {}", run.display()));
        if before.games > 0 {
            say(&format!("resumed with {} games", before.games));
        }
    }

    /// With events, tells the outcome.
    pub fn finish(&mut self, totals: &DatagenTotals) {
        self.abandon();
        if self.is_json {
            emit("run_ended", json!({ "summary": totals }));
        }
    }

    /// Removes the live view, for other text to follow.
    pub fn abandon(&mut self) {
        if let Some(live) = self.live.take() {
            live.finish_and_clear();
        }
    }
}

impl DatagenObserver for DatagenDisplay {
    fn notice(&mut self, text: &str) {
        if self.is_json {
            emit("notice", json!({ "text": text }));
        }
        match &self.live {
            Some(live) => live.suspend(|| say(text)),
            None => say(text),
        }
    }

    fn progress(&mut self, all: &DatagenTotals, session: &DatagenTotals, elapsed: Duration) {
        let interval = if self.live.is_some() { LIVE_INTERVAL } else { PLAIN_INTERVAL };
        if self.last_shown.elapsed() < interval {
            return;
        }
        self.last_shown = Instant::now();
        let rate = |count: u64| count as f64 / elapsed.as_secs_f64().max(1e-9);
        let eta = (session.games > 0)
            .then(|| Duration::from_secs_f64((self.games - all.games) as f64 / rate(session.games)))
            .map_or_else(|| "-".to_owned(), clock_time);
        let line = format!(
            "{} positions, {:.0} a second | {:.2} million nodes a second, {:.0} a move | elapsed {}, to go about {eta}",
            all.positions,
            rate(session.positions),
            rate(session.nodes) / 1e6,
            session.nodes as f64 / session.plies.max(1) as f64,
            clock_time(elapsed)
        );
        match &self.live {
            Some(live) => {
                let bar = length_bar(all.games, self.games, "games");
                live.set_message(format!("{}\n{bar}\n{line}", self.header));
                live.tick();
            }
            None => say(&format!("{} of {} games | {line}", all.games, self.games)),
        }
    }
}
