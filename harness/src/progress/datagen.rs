//! How the making of games shows itself.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::screen::Screen;
use super::{clock_time, length_bar};
use crate::datagen::{DatagenJob, DatagenObserver, DatagenTotals};

/// Where the making of games shows itself.
#[derive(Debug)]
pub struct DatagenDisplay {
    screen: Screen,
    games: u64,
}

impl DatagenDisplay {
    /// A display for this run; `is_json` adds the events.
    pub fn new(job: &DatagenJob, is_json: bool) -> Self {
        let config = job.config();
        let header = format!(
            "{:?} | {} nodes a move | {} games | {} at once",
            config.evaluation, config.soft_nodes, config.games, config.concurrency
        );
        Self { screen: Screen::new(header.to_lowercase(), is_json), games: config.games.get() }
    }

    /// Announces the run.
    pub fn start(&self, run: &Path, before: &DatagenTotals) {
        let resumed = (before.games > 0).then(|| format!("with {} games", before.games));
        self.screen.start(run, json!({ "games": self.games, "games_before": before.games }), resumed);
    }

    /// With events, tells the outcome.
    pub fn finish(&mut self, totals: &DatagenTotals) {
        self.screen.finish(json!({ "summary": totals }));
    }

    /// Removes the live view, for other text to follow.
    pub fn abandon(&mut self) {
        self.screen.abandon();
    }
}

impl DatagenObserver for DatagenDisplay {
    fn notice(&mut self, text: &str) {
        self.screen.notice(text);
    }

    fn progress(&mut self, all: &DatagenTotals, session: &DatagenTotals, elapsed: Duration) {
        if !self.screen.is_due(all.games) {
            return;
        }
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
        self.screen.show(
            || format!("{}\n{line}", length_bar(all.games, self.games, "games")),
            || format!("{} of {} games | {line}", all.games, self.games),
        );
    }
}
