//! The results that fastchess prints.
//!
//! Source: fastchess, `app/src/matchmaking/output/output_fastchess.hpp`.

use std::fmt::Write;
use std::time::Duration;

use super::score::{Estimates, Score, number};
use super::setup::{EngineSetup, joined};
use crate::config::Limits;
use crate::play::pairings::Pairing;
use stretto_stats::counts::Trinomial;

/// The line above and below results.
pub(crate) const RULE: &str = "--------------------------------------------------\n";
/// Least width of the names in a table.
const NAME_WIDTH: usize = 25;

/// Returns the results of two engines. `conditions` are time control, threads, hash and book.
pub(crate) fn results([first, second]: [&str; 2], conditions: &str, score: &Score) -> String {
    let estimates = score.estimates();
    let Estimates { elo, nelo, nelo_error, los, .. } = estimates;
    let [elo, nelo, nelo_error, los] = [elo, nelo, nelo_error, 100.0 * los].map(|value| number(value, 2));
    let elo_error = estimates.elo_error_text();
    let [draws, pairs_ratio, points_ratio, split_ratio] =
        [score.draw_ratio(), score.pairs_ratio(), score.points_ratio(), score.split_ratio()]
            .map(|value| number(value, 2));
    let Trinomial { wins, losses, draws: drawn } = score.games;
    let (games, points, pairs) = (score.games.games(), score.points(), score.pairs.0);
    format!(
        "Results of {first} vs {second} ({conditions}):\n\
         Elo: {elo} +/- {elo_error}, nElo: {nelo} +/- {nelo_error}\n\
         LOS: {los} %, DrawRatio: {draws} %, PairsRatio: {pairs_ratio}\n\
         Games: {games}, Wins: {wins}, Losses: {losses}, Draws: {drawn}, Points: {points:.1} ({points_ratio} %)\n\
         Ptnml(0-2): {pairs:?}, WL/DD Ratio: {split_ratio}\n"
    )
}

/// Returns the line on a test.
pub(crate) fn test_line(llr: f64, [lower, upper]: [f64; 2], elo: [f64; 2]) -> String {
    let percent = 100.0 * if llr >= 0.0 { llr / upper } else { -llr / lower };
    format!("LLR: {llr:.2} ({percent:.1}%) ({lower:.2}, {upper:.2}) {}\n", elo_text(elo))
}

/// Returns the hypotheses of a test.
pub(crate) fn elo_text([elo0, elo1]: [f64; 2]) -> String {
    format!("[{elo0:.2}, {elo1:.2}]")
}

/// Returns the table of the engines with their scores against all others, the strongest first. `scores` are those of the pairings.
pub(crate) fn table(names: &[&str], pairings: &[Pairing], scores: &[Score]) -> String {
    let score_of = |engine: usize| {
        let mut sum = Score::default();
        for (pairing, score) in pairings.iter().zip(scores) {
            match pairing.engines() {
                [first, _] if first == engine => sum += *score,
                [_, second] if second == engine => sum += score.reversed(),
                _ => {}
            }
        }
        sum
    };
    let rows = names.iter().enumerate().map(|(engine, name)| (*name, score_of(engine)));
    let mut rows: Vec<(&str, Score, Estimates)> =
        rows.map(|(name, score)| (name, score, score.estimates())).collect();
    rows.sort_by(|(.., a), (.., b)| a.elo.is_nan().cmp(&b.elo.is_nan()).then(b.elo.total_cmp(&a.elo)));
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max(NAME_WIDTH);
    let mut text = format!(
        "{:<4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}           Ptnml(0-2)\n",
        "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw"
    );
    for (index, (name, score, estimates)) in rows.iter().enumerate() {
        let Estimates { elo, nelo, nelo_error, .. } = *estimates;
        let [elo, nelo, nelo_error] = [elo, nelo, nelo_error].map(|value| number(value, 2));
        let elo_error = estimates.elo_error_text();
        let _ = writeln!(
            text,
            "{:>4} {name:<width$} {elo:>10} {elo_error:>10} {nelo:>10} {nelo_error:>10} {:>10} {:>9}% {:>9}% {:>20}",
            index + 1,
            score.games.games(),
            number(score.points_ratio(), 1),
            number(score.draw_ratio(), 1),
            format!("{:?}", score.pairs.0)
        );
    }
    text
}

/// Returns time control, threads, hash and book: `8+0.08, 1t, 16MB, book.epd`. Values that differ are joined by ` - `.
pub(crate) fn conditions(first: &EngineSetup, second: &EngineSetup, book: &str) -> String {
    let both = |of: &dyn Fn(&EngineSetup) -> String| joined(of(first), &of(second));
    let option = |value: &Option<String>, unit: &str| {
        value.as_ref().map_or_else(|| "NULL".to_owned(), |value| format!("{value}{unit}"))
    };
    let limits = both(&|engine| limits_text(&engine.limits));
    let threads = both(&|engine| option(&engine.sizes.threads, "t"));
    let hash = both(&|engine| option(&engine.sizes.hash, "MB"));
    format!("{limits}, {threads}, {hash}, {book}")
}

/// Returns a limit: `40/60+0.6`, `0.1/move`, `9 plies` or `5000 nodes`.
fn limits_text(limits: &Limits) -> String {
    match limits {
        Limits { time_control: Some(control), .. } => match control.stages() {
            [stage] => {
                let moves = stage.moves.map_or_else(String::new, |moves| format!("{moves}/"));
                // fastchess drops fractions of a millisecond.
                let seconds = |time: Duration| time.as_millis() as f64 / 1e3;
                let increment = two_digits(seconds(stage.increment));
                let increment = increment.map_or_else(String::new, |increment| format!("+{increment}"));
                format!("{moves}{}{increment}", seconds(stage.base))
            }
            // fastchess has clocks of one stage only.
            _ => control.to_pgn(),
        },
        Limits { movetime: Some(ms), .. } => format!("{}/move", ms.get() as f64 / 1e3),
        Limits { depth: Some(depth), .. } => format!("{depth} plies"),
        Limits { nodes: Some(nodes), .. } => format!("{nodes} nodes"),
        _ => String::new(),
    }
}

/// Formats a number above 0 with two significant digits, as `%.2g` of C does; `None` for 0.
fn two_digits(value: f64) -> Option<String> {
    let scientific = format!("{value:.1e}");
    let (mantissa, exponent) = scientific.split_once('e').filter(|_| value > 0.0)?;
    let short = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    let exponent: i32 = exponent.parse().ok()?;
    Some(match exponent {
        -4..=0 => short(&format!("{value:.*}", (1 - exponent).unsigned_abs() as usize)),
        1 => format!("{value:.0}"),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", short(mantissa), exponent.unsigned_abs())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increments_have_two_significant_digits() {
        for (value, expected) in [
            (0.08, "0.08"),
            (0.003, "0.003"),
            (0.125, "0.12"),
            (0.6, "0.6"),
            (1.0, "1"),
            (1.25, "1.2"),
            (9.96, "10"),
            (10.0, "10"),
            (12.5, "12"),
            (120.0, "1.2e+02"),
            (0.000_05, "5e-05"),
        ] {
            assert_eq!(two_digits(value).as_deref(), Some(expected), "{value}");
        }
        assert_eq!(two_digits(0.0), None);
    }
}
