//! Text output of `workshop tb` for a table.

use std::fmt::Write as _;

use anyhow::anyhow;
use stretto::tablebase::Index;
use stretto::types::Color;

use crate::endgames::{Decided, SideStatistics, Statistics, Table, Tables, fen, verify};
use stretto_harness::base::wording::plural;
use stretto_harness::run::command::{Failure, print};

/// Verifies a table and prints the result.
pub(crate) fn check(table: &Table, tables: &Tables) -> Result<(), Failure> {
    let (wrong, first) = verify(table, tables).map_err(anyhow::Error::from)?;
    if wrong == 0 {
        print(&format!("{}: verified, all values follow from their successors\n", table.material()));
        return Ok(());
    }
    for mismatch in &first {
        let fen = fen(table.index(), &mismatch.squares, mismatch.side);
        print(&format!("{fen}: found {}, expected {}\n", mismatch.found, mismatch.expected));
    }
    Err(Failure::Run(anyhow!("{}: {wrong} values do not follow from their successors", table.material())))
}

/// Formats the statistics of a table.
pub(crate) fn report(table: &Table, statistics: &Statistics) -> String {
    let mut text = format!("{}, symmetric positions counted once\n", table.material());
    for (color, side) in Color::ALL.into_iter().zip(&statistics.sides) {
        let name = if color == Color::White { "White" } else { "Black" };
        let [won, lost] = [&side.wins, &side.losses].map(Decided::count);
        let share = |count: u64| 100.0 * count as f64 / side.count().max(1) as f64;
        let _ = writeln!(
            text,
            "  {name} to move: {won} won ({:.2} %), {} drawn ({:.2} %), {lost} lost ({:.2} %)",
            share(won),
            side.draws,
            share(side.draws),
            share(lost)
        );
        let [wins, draws, losses] = side.distinguishable;
        if wins + draws + losses > side.count() {
            let _ =
                writeln!(text, "    with distinguishable pieces: {wins} won, {draws} drawn, {losses} lost");
        }
        text.push_str(&longest(table.index(), color, side));
    }
    let _ = writeln!(
        text,
        "  {} mutual {}, {} of them full-point",
        statistics.zugzwangs,
        plural(statistics.zugzwangs as usize, "zugzwang"),
        statistics.full_zugzwangs
    );
    text
}

/// Formats the number of positions by result and distance, for all distances that occur.
pub(crate) fn by_distance(statistics: &Statistics) -> String {
    let [white, black] = &statistics.sides;
    let columns =
        [&white.wins, &white.losses, &black.wins, &black.losses].map(|decided| &decided.by_distance);
    let longest = columns.iter().map(|counts| counts.len()).max().unwrap_or(0);
    let mut text = format!(
        "  {:>5} {:>13} {:>13} {:>13} {:>13}\n",
        "plies", "White wins", "White loses", "Black wins", "Black loses"
    );
    for plies in 0..longest {
        let counts = columns.map(|counts| counts.get(plies).copied().unwrap_or(0));
        if counts != [0; 4] {
            let [a, b, c, d] = counts;
            let _ = writeln!(text, "  {plies:>5} {a:>13} {b:>13} {c:>13} {d:>13}");
        }
    }
    text
}

fn longest(index: &Index, color: Color, side: &SideStatistics) -> String {
    let kinds = [("win", &side.wins), ("loss", &side.losses)];
    let lines = kinds.into_iter().filter_map(|(kind, decided)| {
        let (plies, count) = (decided.longest()?, decided.longests());
        let fen = fen(index, decided.deepest.as_ref()?, color);
        let positions = plural(count as usize, "position");
        Some(format!("    longest {kind}: {plies} plies, {count} {positions}, such as {fen}\n"))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgames::made::made;
    use crate::endgames::statistics;
    use stretto::tablebase::Metric;

    #[test]
    fn statistics_state_that_symmetric_positions_count_once() {
        let tables = made(&[], Metric::Dtm);
        let table = tables.get("KQvK".parse().unwrap()).unwrap();
        let mut found = statistics(&table);
        let text = report(&table, &found);
        assert!(
            text.starts_with("KQvK, symmetric positions counted once\n  White to move: 18081 won "),
            "{text}"
        );
        assert!(text.contains("longest win: 19 plies, 1 position, such as "), "{text}");
        assert!(text.contains("longest loss: 20 plies, 8 positions, such as "), "{text}");
        assert!(text.ends_with("  0 mutual zugzwangs, 0 of them full-point\n"), "{text}");
        found.zugzwangs = 1;
        assert!(report(&table, &found).contains("  1 mutual zugzwang, 0 of them"));
    }
}
