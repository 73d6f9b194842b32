//! The display of `datagen`.

use serde_json::{Value, json};

use super::run::DatagenPlay;
use super::study::{DatagenState, DatagenSummary};
use stretto_harness::base::wording::counted;
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

    fn length(&self) -> Option<(u64, &'static str)> {
        Some((self.study.config.games.get(), "games"))
    }

    fn details(&self, progress: &Progress<'_, DatagenState>) -> String {
        let DatagenState { totals, session } = progress.state;
        let rate = |count: u64| count as f64 / progress.elapsed.as_secs_f64().max(1e-9);
        let times = progress.times(progress.eta((self.study.config.games.get() - totals.games) as f64));
        format!(
            "{} positions, {:.0}/s | {:.2} million nodes/s, {:.0} nodes per ply played | {times}",
            totals.positions,
            rate(session.positions),
            rate(session.nodes) / 1e6,
            session.nodes as f64 / session.plies.max(1) as f64
        )
    }

    fn ended(&self, state: &DatagenState, _summary: &DatagenSummary) -> Value {
        json!({ "summary": state.totals })
    }
}
