//! Report of `workshop datagen`.

use crate::learn::datagen::{DatagenConfig, DatagenTotals};
use stretto_harness::report::{Block, Report};

const TITLE: &str = "Self-play training games";

/// Builds the report of a data generation run.
pub(crate) fn datagen_report(config: &DatagenConfig, totals: &DatagenTotals) -> Report {
    let [losses, draws, wins] = totals.results;
    let share = |count: u64| 100.0 * count as f64 / totals.games.max(1) as f64;
    let rows = [
        ("evaluation", format!("{:?}", config.evaluation).to_lowercase()),
        ("nodes per move, soft and hard limit", format!("{}, {}", config.soft_nodes, config.hard_nodes)),
        ("starts", config.openings.to_string()),
        ("games", format!("{} of {}", totals.games, config.games)),
        ("positions", totals.positions.to_string()),
        ("plies per game", format!("{:.1}", totals.plies as f64 / totals.games.max(1) as f64)),
        ("nodes searched", totals.nodes.to_string()),
        (
            "White won, drawn, Black won",
            format!("{:.1} %, {:.1} %, {:.1} %", share(wins), share(draws), share(losses)),
        ),
        ("bytes", totals.bytes.to_string()),
        ("seed", config.seed.to_string()),
    ];
    let facts = [("games", totals.games), ("positions", totals.positions), ("nodes searched", totals.nodes)];
    Report::new(TITLE, [Block::facts(rows)]).with_facts(facts.map(|(name, count)| (name, count.to_string())))
}
