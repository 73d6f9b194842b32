//! The conditions of a match as name and value: limits, openings, adjudication and duration.

use super::{Execution, MatchConfig, MatchSummary};
use crate::base::system::files::file_name;
use crate::base::wording::grouped;
use crate::config::{EngineConfig, Variant};
use crate::play::adjudication::{Adjudication, DrawRule, TableResults, TablesConfig, WinRule};
use crate::run::console::clock_time;
use crate::run::disturbance::Cause;
use crate::run::shard::Shard;
use crate::run::utc;
use stretto_stats::units::Share;

/// Describes when the games were played, and how long they took together.
fn played_text(summary: &MatchSummary) -> Option<String> {
    let (first, last) = summary.span_ms?;
    let is_one_day = first / 86_400_000 == last / 86_400_000;
    let (from, to) = (utc(first / 1000, "%F %T"), utc(last / 1000, if is_one_day { "%T" } else { "%F %T" }));
    let [span, games] =
        [(last - first) as f64 / 1e3, summary.game_seconds].map(std::time::Duration::from_secs_f64);
    let (span, games) = (clock_time(span), clock_time(games));
    Some(format!("{from} to {to} UTC, {span}; the games together took {games}"))
}

/// Returns the conditions of the run, as name and value.
pub(super) fn conditions(
    config: &MatchConfig,
    execution: &Execution,
    summary: &MatchSummary,
) -> Vec<(&'static str, String)> {
    let openings = &config.openings;
    let order = format!("{:?}", openings.order).to_lowercase();
    let book = format!("{}, {order}, seed {}", file_name(&openings.file), openings.seed);
    let margin = |time: std::time::Duration| format!("{} ms after the flag", time.as_millis());
    let rows = [
        ("games planned", planned_text(config, execution.shard)),
        ("limits", Some(limits_text(config))),
        ("time margin", config.is_timed().then(|| margin(config.time_margin))),
        ("openings", Some(book)),
        ("colours", pairs_text(config)),
        ("variant", (config.variant == Variant::Chess960).then(|| "Chess960".to_owned())),
        ("adjudication", Some(adjudication_text(&config.adjudication))),
        ("endgame tables", config.tablebases.as_ref().map(tables_text)),
        ("concurrency", Some(execution.concurrency.to_string())),
        ("seed", Some(config.seed.to_string())),
        ("played", played_text(summary)),
        ("steal time", summary.steal_time.text(Cause::StealTime)),
        ("losses on time", summary.time_forfeits.text()),
        ("repeated games", summary.repeated.text()),
        ("load from other programs", summary.other_load.text(Cause::OtherLoad)),
    ];
    rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Returns the largest number of games of all pairings and parts; `None` without a limit.
fn planned_text(config: &MatchConfig, part: Shard) -> Option<String> {
    let most = if config.sprt.is_some() { "at most " } else { "" };
    let parts = if part.is_whole() { String::new() } else { format!(", in {} parts together", part.count()) };
    config.max_pairs().map(|pairs| format!("{most}{}{parts}", grouped(2 * pairs)))
}

/// Returns the limits of the engines, once if they are equal, and the speed to which clocks are scaled.
pub(super) fn limits_text(config: &MatchConfig) -> String {
    let limits: Vec<String> = config.engines.iter().map(EngineConfig::limits_in_words).collect();
    let scaled = config.scale_clock.as_ref();
    let scaled = scaled.map(|scale| format!(", clocks scaled to {} nodes/s", grouped(scale.nps.get())));
    let text = match &limits[..] {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.clone(),
        [first, second] => format!("{first} against {second}"),
        _ => {
            let named = config.engines.iter().zip(&limits);
            named.map(|(engine, limits)| format!("{} {limits}", engine.name)).collect::<Vec<_>>().join(", ")
        }
    };
    text + &scaled.unwrap_or_default()
}

/// Describes pairs that do not consist of one opening with both colours.
fn pairs_text(config: &MatchConfig) -> Option<String> {
    match (config.repeat, config.swap) {
        (true, true) => None,
        (false, true) => {
            Some("swapped for the second game of a pair, which has an opening of its own".into())
        }
        (true, false) => Some("the same in both games of a pair".into()),
        (false, false) => {
            Some("the same in both games of a pair, of which each has an opening of its own".into())
        }
    }
}

/// Describes the rules that end a game early.
fn adjudication_text(rules: &Adjudication) -> String {
    let Adjudication { win, draw, max_moves, audit } = rules;
    let win = win.map(|WinRule { score, moves, two_sided }| {
        let by = if two_sided { ", confirmed by the winner" } else { "" };
        format!("loss at -{score} cp for {moves} moves{by}")
    });
    let draw = draw.map(|DrawRule { from_move, moves, score, irreversible_restarts }| {
        let restarts =
            if irreversible_restarts { ", counted from the last capture or pawn move" } else { "" };
        format!("draw within {score} cp for {moves} moves, from move {from_move}{restarts}")
    });
    let most = max_moves.map(|moves| format!("draw after {moves} moves"));
    let audit = audit.map(|share| format!("{} of the verdicts audited", Share(share)));
    let rules: Vec<String> = [win, draw, most, audit].into_iter().flatten().collect();
    if rules.is_empty() { "none".to_owned() } else { rules.join("; ") }
}

/// Describes the endgame tables that decide games.
fn tables_text(tables: &TablesConfig) -> String {
    let TablesConfig { syzygy, own, pieces, ignore_fifty, results } = tables;
    let kind = match own {
        Some(pieces) => format!("built-in, up to {pieces} pieces"),
        None => {
            format!("Syzygy ({})", syzygy.iter().map(|path| file_name(path)).collect::<Vec<_>>().join(", "))
        }
    };
    let most = pieces.map(|pieces| format!(", at most {pieces} pieces")).unwrap_or_default();
    let results = match results {
        TableResults::Both => "",
        TableResults::Decisive => ", wins only",
        TableResults::Drawn => ", draws only",
    };
    let fifty = if *ignore_fifty { ", without the fifty-move rule" } else { "" };
    format!("{kind}{most}{results}{fifty}")
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn number(value: u32) -> NonZeroU32 {
        NonZeroU32::new(value).unwrap()
    }

    #[test]
    fn time_of_play_names_the_second_day_and_both_durations() {
        let text = |hours: u64| {
            let span_ms = Some((1_600_000_000_000, 1_600_000_000_000 + hours * 3_600_000));
            played_text(&MatchSummary { span_ms, game_seconds: 60.0, ..MatchSummary::default() }).unwrap()
        };
        let games = "the games together took 0:01:00";
        assert_eq!(text(1), format!("2020-09-13 12:26:40 to 13:26:40 UTC, 1:00:00; {games}"));
        assert_eq!(text(24), format!("2020-09-13 12:26:40 to 2020-09-14 12:26:40 UTC, 24:00:00; {games}"));
    }

    #[test]
    fn adjudication_states_every_rule() {
        assert_eq!(adjudication_text(&Adjudication::default()), "none");
        let rules = Adjudication {
            win: Some(WinRule { score: 600, moves: number(4), two_sided: true }),
            draw: Some(DrawRule { from_move: 40, moves: number(8), score: 10, irreversible_restarts: true }),
            max_moves: Some(number(150)),
            audit: Some(0.02),
        };
        assert_eq!(
            adjudication_text(&rules),
            "loss at -600 cp for 4 moves, confirmed by the winner; draw within 10 cp for 8 moves, from move 40, \
             counted from the last capture or pawn move; draw after 150 moves; 2.0 % of the verdicts audited"
        );
    }

    #[test]
    fn tables_state_kind_size_and_results() {
        let own = TablesConfig {
            syzygy: Vec::new(),
            own: Some(number(4)),
            pieces: None,
            ignore_fifty: false,
            results: TableResults::Both,
        };
        assert_eq!(tables_text(&own), "built-in, up to 4 pieces");
        let syzygy = TablesConfig {
            syzygy: vec!["/tables/wdl".into()],
            own: None,
            pieces: Some(number(5)),
            ignore_fifty: true,
            results: TableResults::Decisive,
        };
        assert_eq!(
            tables_text(&syzygy),
            "Syzygy (wdl), at most 5 pieces, wins only, without the fifty-move rule"
        );
    }

    #[test]
    fn games_have_their_times_in_utc() {
        assert_eq!(played_text(&MatchSummary::default()), None);
        // 2026-11-22 23:59:50 UTC.
        let start = 1_795_391_990_000;
        let span_ms = Some((start, start + 25_000));
        let summary = MatchSummary { span_ms, game_seconds: 22.0, ..MatchSummary::default() };
        assert_eq!(
            played_text(&summary).unwrap(),
            "2026-11-22 23:59:50 to 2026-11-23 00:00:15 UTC, 0:00:25; the games together took 0:00:22"
        );
    }
}
