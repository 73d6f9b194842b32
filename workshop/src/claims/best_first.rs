//! Claims about best-first searches, tested on synthetic trees: B* and conspiracy numbers against
//! alpha-beta to a fixed depth.

use super::b_star::{BStar, prove_by_depth};
use super::chess::{ratio_of_family, shown};
use super::claim::{Claim, Effort, Finding, claims, mean, mean_and_half_of_family, plus_minus};
use super::conspiracy::Conspiracy;
use super::drivers::{INFINITE, Visits, alpha_beta_by};
use super::estimates::{Uncertain, estimated, noisy};
use super::tree::Game;
use super::verdicts;

pub(super) const CLAIMS: &[Claim] = claims! {
    N40 [Ours] "On synthetic trees, B* proves the best move with fewer nodes than searches to fixed depths"
        Sized(b_star);
    N41 [Ours] "On synthetic trees, conspiracy numbers choose better moves than a fixed depth with the same number of nodes"
        Sized(conspiracy_numbers);
};

/// Kinds of trees: their width, and the uncertainty of the values.
const KINDS: [(usize, f64); 6] = [(4, 50.0), (4, 200.0), (10, 50.0), (10, 200.0), (30, 50.0), (30, 200.0)];

fn b_star(effort: Effort) -> Finding {
    /// Nodes after which a search gives up.
    const MOST: u64 = 500_000;
    let trees = effort.pick(20, 200);
    let mut rows = Vec::new();
    let mut found = Vec::new();
    for (width, uncertainty) in KINDS {
        let (mut first, mut second, mut depths, mut given_up) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for seed in 0..trees {
            let root = estimated(width, uncertainty, seed);
            let (mut one, mut other) = (Visits::default(), Visits::default());
            let proof = BStar::new(&root).prove(MOST, &mut one);
            let by_depth = prove_by_depth(&root, MOST, &mut other);
            // A search that gave up has spent its limit, which its proof would exceed.
            first.push(one.nodes as f64);
            second.push(other.nodes as f64);
            depths.extend(by_depth.map(|(_, depth)| f64::from(depth)));
            given_up += usize::from(proof.is_none() || by_depth.is_none());
        }
        let factor = ratio_of_family(&first, &second, KINDS.len());
        found.push(factor);
        rows.push(vec![
            width.to_string(),
            format!("{uncertainty:.0}"),
            format!("{:.0}", mean(first.iter().copied())),
            format!("{:.0}", mean(second.iter().copied())),
            format!("{:.1}", mean(depths)),
            shown(factor),
            given_up.to_string(),
        ]);
    }
    let least = found.iter().map(|factor| factor.mean).fold(f64::INFINITY, f64::min);
    let most = found.iter().map(|factor| factor.mean).fold(0.0, f64::max);
    let measured = format!(
        "{least:.3} to {most:.3} times the nodes of iterated searches to fixed depths, which sort moves and cut off by the same bounds, on \
         {} kinds of trees",
        KINDS.len()
    );
    Finding::new(verdicts::best_first(&found), measured).with(
        format!("Nodes until the best move is proved, means of {trees} trees, and their ratio (95 %, for all rows together); moves differ by up to 100"),
        vec!["W", "width of the bounds", "B*", "fixed depths", "depth of the proof", "B* relative", "given up"],
        rows,
    )
}

/// Returns the move that a search to a fixed depth chooses.
fn at_depth(root: &Uncertain, depth: u32, visits: &mut Visits) -> usize {
    let (mut chosen, mut best) = (0, -INFINITE);
    for number in 0..root.moves() {
        let value =
            -alpha_beta_by(&Uncertain::estimate, &root.play(number), depth - 1, (-INFINITE, -best), visits);
        if value > best {
            (chosen, best) = (number, value);
        }
    }
    chosen
}

/// Returns what a move loses against the best.
fn loss(root: &Uncertain, number: usize) -> f64 {
    let best = (0..root.moves()).map(|number| -root.play(number).value()).max().unwrap_or(0);
    f64::from(best + root.play(number).value())
}

fn conspiracy_numbers(effort: Effort) -> Finding {
    /// Conspirators from which on a decision is left alone: none, so all nodes are used.
    const THRESHOLD: u32 = u32::MAX;
    let trees = effort.pick(30, 400);
    let kinds = [(4, 30.0, 5), (4, 100.0, 5), (10, 30.0, 4), (10, 100.0, 4), (30, 30.0, 3), (30, 100.0, 3)];
    let mut rows = Vec::new();
    let mut gains = Vec::new();
    for (width, error, depth) in kinds {
        let (mut fixed, mut best_first, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
        for seed in 0..trees {
            let root = noisy(width, error, seed);
            let mut visits = Visits::default();
            fixed.push(loss(&root, at_depth(&root, depth, &mut visits)));
            let mut spent = Visits::default();
            let mut tree = Conspiracy::new(&root, &mut spent);
            let chosen = tree.decide(THRESHOLD, visits.nodes, &mut spent);
            best_first.push(loss(&root, chosen));
            nodes.push(visits.nodes as f64);
        }
        let gained: Vec<f64> = fixed.iter().zip(&best_first).map(|(fixed, other)| fixed - other).collect();
        let (gain, half) = mean_and_half_of_family(&gained, kinds.len());
        gains.push([gain - half, gain + half]);
        rows.push(vec![
            width.to_string(),
            format!("{error:.0}"),
            depth.to_string(),
            format!("{:.0}", mean(nodes)),
            format!("{:.2}", mean(fixed)),
            format!("{:.2}", mean(best_first)),
            plus_minus(gain, half, 2),
        ]);
    }
    let better = gains.iter().filter(|[low, _]| *low > 0.0).count();
    let worse = gains.iter().filter(|[_, high]| *high < 0.0).count();
    let measured = format!(
        "with the nodes of alpha-beta, conspiracy numbers choose significantly better moves on {better} of {} kinds of trees, worse ones on \
         {worse} (intervals corrected for the number of kinds)",
        kinds.len()
    );
    Finding::new(verdicts::conspiracy(&gains), measured).with(
        format!("Mean loss of the chosen move in {trees} trees, for the same number of nodes; moves differ by up to 100"),
        vec![
            "W",
            "error of the evaluation",
            "depth",
            "nodes",
            "fixed depth",
            "conspiracy numbers",
            "gain (95 %, for all rows together)",
        ],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_limited_to_synthetic_trees() {
        assert!(CLAIMS.iter().all(|claim| claim.statement.starts_with("On synthetic trees, ")));
    }

    #[test]
    fn evaluations_are_wrong_by_at_most_the_error() {
        let errors: Vec<i32> =
            (0..500).map(|seed| noisy(4, 40.0, seed)).map(|root| root.estimate() - root.value()).collect();
        assert!(errors.iter().all(|error| error.abs() <= 40));
        assert!(errors.iter().any(|error| *error > 30) && errors.iter().any(|error| *error < -30));
    }

    #[test]
    fn every_node_searched_is_counted() {
        let mut visits = Visits::default();
        alpha_beta_by(&Uncertain::estimate, &noisy(5, 40.0, 1), 1, (-INFINITE, INFINITE), &mut visits);
        assert_eq!((visits.nodes, visits.leaves), (6, 5));
    }

    #[test]
    fn fixed_depth_without_error_loses_nothing() {
        for seed in 0..20 {
            let root = noisy(6, 0.0, seed);
            let chosen = at_depth(&root, 3, &mut Visits::default());
            assert!(loss(&root, chosen).abs() < 1e-9);
        }
        let root = noisy(6, 0.0, 1);
        assert!((0..6).any(|number| loss(&root, number) > 0.0));
    }
}
