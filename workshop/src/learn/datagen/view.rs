//! The display of `datagen`.

use std::time::Duration;

use serde_json::{Value, json};

use super::run::DatagenPlay;
use super::study::{DatagenState, DatagenSummary};
use stretto_harness::base::wording::counted;
use stretto_harness::run::console::{clock_time, length_bar};
use stretto_harness::run::executor::{Progress, View};

impl View for DatagenPlay {
    fn header(&self) -> String {
        let config = &self.study.config;
        let header = format!(
            "{:?} | {} nodes a move | {} games | {} at once",
            config.evaluation, config.soft_nodes, config.games, config.concurrency
        );
        header.to_lowercase()
    }

    fn started(&self, state: &DatagenState) -> (Value, Option<String>) {
        let before = state.totals.games;
        let body = json!({ "games": self.study.config.games, "games_before": before });
        (body, (before > 0).then(|| format!("with {}", counted(before as usize, "game"))))
    }

    fn units(&self, state: &DatagenState) -> u64 {
        state.totals.games
    }

    fn live(&self, progress: &Progress<'_, DatagenState>) -> String {
        let games = self.study.config.games.get();
        format!("{}\n{}", length_bar(progress.done, games, "games"), self.rates(progress))
    }

    fn line(&self, progress: &Progress<'_, DatagenState>) -> String {
        format!("{} of {} games | {}", progress.done, self.study.config.games, self.rates(progress))
    }

    fn ended(&self, state: &DatagenState, _summary: &DatagenSummary) -> Value {
        json!({ "summary": state.totals })
    }
}

impl DatagenPlay {
    fn rates(&self, progress: &Progress<'_, DatagenState>) -> String {
        let DatagenState { totals, session } = progress.state;
        let rate = |count: u64| count as f64 / progress.elapsed.as_secs_f64().max(1e-9);
        let left = (self.study.config.games.get() - totals.games) as f64;
        let eta = (session.games > 0)
            .then(|| Duration::from_secs_f64(left / rate(session.games)))
            .map_or_else(|| "-".to_owned(), clock_time);
        format!(
            "{} positions, {:.0}/s | {:.2} million nodes/s, {:.0} nodes per move | elapsed {}, ETA {eta}",
            totals.positions,
            rate(session.positions),
            rate(session.nodes) / 1e6,
            session.nodes as f64 / session.plies.max(1) as f64,
            clock_time(progress.elapsed)
        )
    }
}
