//! Experiments on the growth of the tables with the pieces, and on the iterations of the generator.

use stretto::tablebase::{Index, Material, Metric};

use super::super::claim::{Effort, Finding};
use super::super::verdicts;
use super::generated::made;
use crate::endgames::{Statistics, statistics};

/// Gigabytes of all tables with five and with six pieces, as the text states them.
const CLAIMED: [f64; 2] = [7.0, 1146.0];

/// Returns the number of entries of all tables with this many pieces, for both sides to move.
fn entries(pieces: usize) -> u64 {
    Material::all(pieces).into_iter().map(|material| 2 * Index::new(material).len() as u64).sum()
}

pub(super) fn six_pieces() -> Finding {
    let all: Vec<(usize, u64)> = (3..=6).map(|pieces| (pieces, entries(pieces))).collect();
    let factors: Vec<f64> = all.windows(2).map(|pair| pair[1].1 as f64 / pair[0].1 as f64).collect();
    let rows = all.iter().enumerate().map(|(place, (pieces, entries))| {
        let factor =
            place.checked_sub(1).map_or_else(|| "-".to_owned(), |before| format!("{:.0}", factors[before]));
        vec![pieces.to_string(), Material::all(*pieces).len().to_string(), entries.to_string(), factor]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let claimed = CLAIMED[1] / CLAIMED[0];
    let measured = format!(
        "all tables grow {:.0}-fold in entries from five to six pieces (the text has {claimed:.0}-fold in gigabytes), {:.0}-fold from four to \
         five and {:.0}-fold from three to four",
        factors[2], factors[1], factors[0]
    );
    Finding::new(verdicts::growth(factors[2], claimed), measured).with(
        "Entries of all tables, symmetric positions counted once, both sides to move",
        vec!["pieces", "tables", "entries", "growth"],
        rows,
    )
}

/// Returns the iterations before the last that mark no position: distances that no position has.
/// Iteration 0 does not count: it finds the mates, and in the text also trivial draws.
fn empty_iterations(statistics: &Statistics) -> Vec<usize> {
    let histograms: Vec<&Vec<u64>> =
        statistics.sides.iter().flat_map(|side| [&side.wins.by_distance, &side.losses.by_distance]).collect();
    let marked =
        |plies: usize| histograms.iter().any(|counts| counts.get(plies).is_some_and(|&count| count > 0));
    let longest = histograms.iter().map(|counts| counts.len()).max().unwrap_or(0);
    let last = (0..longest).rev().find(|&plies| marked(plies)).unwrap_or(0);
    (1..last).filter(|&plies| !marked(plies)).collect()
}

/// Returns how many values iterations after a given one mark.
fn marked_after(statistics: &Statistics, iteration: usize) -> u64 {
    let after = |counts: &Vec<u64>| counts.iter().skip(iteration + 1).sum::<u64>();
    statistics.sides.iter().map(|side| after(&side.wins.by_distance) + after(&side.losses.by_distance)).sum()
}

pub(super) fn empty(effort: Effort) -> Finding {
    let pieces = effort.pick(3, 4);
    let names: Vec<String> = Material::all(pieces).iter().map(ToString::to_string).collect();
    let mut rows = Vec::new();
    let (mut with_wins, mut with_gap) = (0_u64, 0_u64);
    for metric in [Metric::Dtm, Metric::Dtc] {
        let tables = made(&names, metric);
        for table in (3..=pieces).flat_map(Material::all).filter_map(|material| tables.get(material)) {
            let found = statistics(&table);
            let has_wins = found.sides.iter().any(|side| side.wins.count() + side.losses.count() > 0);
            let gaps = empty_iterations(&found);
            // Only mates are counted as iterations from the start of the text; under the other metric
            // the distances restart with every capture.
            if metric == Metric::Dtm {
                with_wins += u64::from(has_wins);
                with_gap += u64::from(!gaps.is_empty());
            }
            if let Some(&first) = gaps.first() {
                rows.push(vec![
                    table.material().to_string(),
                    metric.to_string(),
                    first.to_string(),
                    gaps.len().to_string(),
                    marked_after(&found, first).to_string(),
                ]);
            }
        }
    }
    let lost: u64 = rows
        .iter()
        .filter(|row| row[1] == Metric::Dtm.to_string())
        .filter_map(|row| row[4].parse::<u64>().ok())
        .sum();
    let range = if pieces > 3 { format!("3 to {pieces}") } else { "3".to_owned() };
    let measured = format!(
        "{with_gap} of {with_wins} tables of {range} pieces with decisive positions have an iteration that marks nothing before the \
         last one that does; a generator that stopped there would call {lost} decisive positions draws"
    );
    Finding::new(verdicts::no_exception(with_gap, with_wins), measured).with(
        "Tables with an empty iteration before the last one",
        vec!["table", "metric", "first empty iteration", "empty iterations", "positions marked after it"],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_three_pieces_are_those_of_their_tables() {
        let tables = made(&["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"], Metric::Dtm);
        let sum: usize =
            Material::all(3).into_iter().map(|table| 2 * tables.get(table).unwrap().index().len()).sum();
        assert_eq!(entries(3), sum as u64);
    }

    #[test]
    fn only_tables_with_wins_are_counted() {
        let measured = empty(Effort::Quick).measured;
        assert!(measured.starts_with("0 of 3 tables of 3 pieces with decisive positions"), "{measured}");
    }

    #[test]
    fn queen_ending_has_no_empty_iteration() {
        let tables = made(&["KQvK"], Metric::Dtm);
        let mut found = statistics(&tables.get("KQvK".parse().unwrap()).unwrap());
        assert!(empty_iterations(&found).is_empty());
        // A gap: nothing is lost in four plies or won in five, though the longest win takes nineteen.
        for side in &mut found.sides {
            for counts in [&mut side.wins.by_distance, &mut side.losses.by_distance] {
                for plies in [4, 5] {
                    if let Some(count) = counts.get_mut(plies) {
                        *count = 0;
                    }
                }
            }
        }
        assert_eq!(empty_iterations(&found), [4, 5]);
        assert!(marked_after(&found, 4) > 0 && marked_after(&found, 20) == 0);
    }
}
