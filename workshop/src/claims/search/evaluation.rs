//! Experiments on the static evaluation: its quality against its cost, and its changes as a sign of
//! error.

use stretto::eval::Evaluation;
use stretto::position::Position;

use super::super::chess::{Setup, Timed, ratio, shown, side_by_side};
use super::super::claim::{Effort, Finding, mean, mean_and_half, share_plus_minus};
use super::super::matches::{Player, pairs};
use super::super::verdicts::{self, Ratio};
use super::positions::{fens, game_positions, positions};

/// Returns the evaluations, cheapest first.
fn evaluations() -> [(&'static str, Evaluation); 3] {
    [
        ("material", Evaluation::Material),
        ("classical", Evaluation::Classical),
        ("network", Evaluation::default()),
    ]
}

/// Nodes per move of the costlier evaluation.
const NODES: u64 = 1500;

pub(super) fn quality_and_cost(effort: Effort) -> Finding {
    let fens = positions(effort.pick(6, 30));
    let depth = effort.pick(6, 9);
    let kinds = evaluations();
    let setups =
        kinds.each_ref().map(|(_, evaluation)| Setup::play().hash(16).evaluation(evaluation.clone()));
    let searches = setups.each_ref().map(|setup| Timed::to_depth(setup, depth));
    let costs = side_by_side(&searches, &fens, effort.pick(1, 3));
    if costs.len() < kinds.len() {
        return Finding::no_memory();
    }
    let per_node: Vec<Vec<f64>> = costs
        .iter()
        .map(|cost| cost.seconds.iter().zip(&cost.nodes).map(|(seconds, nodes)| seconds / nodes).collect())
        .collect();
    let count = effort.pick(4, 100);
    let (mut rows, mut trades) = (Vec::new(), Vec::new());
    for costly in 1..kinds.len() {
        let cheap = costly - 1;
        let cost = ratio(&per_node[costly], &per_node[cheap]);
        let play = |nodes: u64| -> Option<(f64, f64)> {
            let mut first = Player::of_nodes(setups[costly].configuration(), NODES)?;
            let mut second = Player::of_nodes(setups[cheap].configuration(), nodes)?;
            Some(mean_and_half(&pairs(&mut first, &mut second, count)))
        };
        let equal_time = (NODES as f64 * cost.mean).round() as u64;
        let (Some(at_nodes), Some(at_time)) = (play(NODES), play(equal_time)) else {
            return Finding::no_memory();
        };
        trades.push((cost, at_nodes, at_time));
        let cell = |(score, half): (f64, f64)| share_plus_minus(score, half);
        rows.push(vec![
            format!("{} against {}", kinds[costly].0, kinds[cheap].0),
            shown(cost),
            cell(at_nodes),
            cell(at_time),
        ]);
    }
    let listed: Vec<String> = rows
        .iter()
        .map(|row| format!("{}: {} at equal nodes, {} at equal time", row[0], row[2], row[3]))
        .collect();
    let measured = format!("{} ({} games each)", listed.join("; "), 2 * count);
    Finding::new(verdicts::quality_and_cost(&trades), measured).with(
        format!("Score of the first evaluation with {NODES} nodes per move; at equal time the second has that many times the ratio of the CPU times"),
        vec!["evaluations", "time per node, ratio (95 %)", "score at equal nodes", "score at equal time"],
        rows,
    )
}

/// Score from which on a position counts as decided and differences are ignored. Units: centipawns.
const DECIDED: i32 = 1000;

/// Returns the average ranks of values, from 1; equal values share their rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    while begin < order.len() {
        let same = order[begin..]
            .iter()
            .take_while(|&&index| values[index].total_cmp(&values[order[begin]]).is_eq())
            .count();
        let rank = begin as f64 + f64::midpoint(same as f64, 1.0);
        for &index in &order[begin..begin + same] {
            ranks[index] = rank;
        }
        begin += same;
    }
    ranks
}

/// Returns Spearman's rank correlation with its 95 % interval.
///
/// Source: Fisher's transformation with the standard error of D. Bonett and T. Wright, "Sample size
/// requirements for estimating Pearson, Kendall and Spearman correlations" (2000).
fn rank_correlation(one: &[f64], other: &[f64]) -> Ratio {
    let (one, other) = (ranks(one), ranks(other));
    let count = one.len() as f64;
    let middle = f64::midpoint(count, 1.0);
    let product: f64 = one.iter().zip(&other).map(|(one, other)| (one - middle) * (other - middle)).sum();
    let square = |ranks: &[f64]| -> f64 { ranks.iter().map(|rank| (rank - middle).powi(2)).sum() };
    let found = product / (square(&one) * square(&other)).sqrt();
    let half = 1.96 * ((1.0 + found * found / 2.0) / (count - 3.0).max(1.0)).sqrt();
    let at = |shift: f64| (found.clamp(-0.999_999, 0.999_999).atanh() + shift).tanh();
    Ratio { mean: found, low: at(-half), high: at(half) }
}

fn static_eval(position: &Position) -> f64 {
    f64::from(Evaluation::Classical.evaluate(position).0)
}

/// Returns the change of the evaluation by a move. Each evaluation is that of its side to move.
fn change(before: &Position, after: &Position) -> f64 {
    (static_eval(after) + static_eval(before)).abs()
}

pub(super) fn changes_and_errors(effort: Effort) -> Finding {
    let sampled = game_positions(effort.pick(50, 1250));
    let fens = fens(&sampled);
    let scores = Setup::play().hash(16).to_depth(&fens, effort.pick(6, 10));
    let clamped = |score: i32| f64::from(score.clamp(-DECIDED, DECIDED));
    let errors: Vec<f64> = sampled
        .iter()
        .zip(&scores)
        .map(|((_, position), outcome)| (static_eval(position) - clamped(outcome.score.0)).abs())
        .collect();
    let changes: Vec<f64> = sampled.iter().map(|(before, position)| change(before, position)).collect();
    let found = rank_correlation(&changes, &errors);
    let mut order: Vec<usize> = (0..changes.len()).collect();
    order.sort_by(|&one, &other| changes[one].total_cmp(&changes[other]));
    let quarter = order.len().div_ceil(4).max(1);
    let rows: Vec<Vec<String>> = order
        .chunks(quarter)
        .map(|part| {
            let cell = |values: &[f64]| format!("{:.0}", mean(part.iter().map(|&index| values[index])));
            vec![part.len().to_string(), cell(&changes), cell(&errors)]
        })
        .collect();
    let measured = format!(
        "rank correlation {:.2} ({:.2} to {:.2}) between the change of the evaluation by the last move and its error against a deep \
         search, in {} positions; the error is {} centipawns in the quarter with the smallest changes and {} in that with the largest",
        found.mean,
        found.low,
        found.high,
        fens.len(),
        rows[0][2],
        rows[rows.len() - 1][2]
    );
    Finding::new(verdicts::correlation(found), measured).with(
        "Mean error of the static evaluation by quarters of its change, centipawns",
        vec!["positions", "change", "error"],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_correlation_matches_worked_examples() {
        assert_eq!(ranks(&[30.0, 10.0, 20.0, 20.0]), [4.0, 1.0, 2.5, 2.5]);
        let one = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert!((rank_correlation(&one, &[10.0, 20.0, 30.0, 40.0, 90.0]).mean - 1.0).abs() < 1e-12);
        assert!((rank_correlation(&one, &[9.0, 7.0, 5.0, 3.0, 1.0]).mean + 1.0).abs() < 1e-12);
        // 1 - 6 * sum of squares of differences / (n * (n^2 - 1)) = 1 - 6 * 4 / 120.
        let mixed = rank_correlation(&one, &[2.0, 1.0, 4.0, 3.0, 5.0]);
        assert!((mixed.mean - 0.8).abs() < 1e-12 && mixed.low < 0.8 && mixed.high > 0.8, "{mixed:?}");
    }

    #[test]
    fn evaluation_changes_by_captures_and_hardly_by_quiet_moves() {
        let before = Position::from_fen("4k3/pp4pp/8/8/r7/8/PP4PP/3QK3 w - - 0 1").unwrap();
        let [quiet, capture] = ["d1d2", "d1a4"].map(|text| before.after(before.parse_uci(text).unwrap()));
        let [quiet, capture] = [change(&before, &quiet), change(&before, &capture)];
        assert!(quiet < 150.0 && capture > 300.0, "{quiet}, {capture}");
    }
}
