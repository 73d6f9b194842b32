//! Verdicts of the claims on numbers of positions, tree search and evaluation (N).

use super::{Ratio, agreeing, all_of, any_of, both, divided, sides};
use crate::claims::claim::Verdict::{self, Confirmed, Depends, Refuted, Undecided};
use crate::claims::limits;
use stretto_stats::proportion::sign_test;

/// Decides N2 from the mean number of moves over whole games and in the middlegame.
pub(in crate::claims) fn branching(all: Ratio, middle: Ratio) -> Verdict {
    let part = |found: Ratio, claimed: f64| {
        let [least, most] = [claimed - limits::MOVES, claimed + limits::MOVES];
        let (is_in, is_out) =
            (found.low >= least && found.high <= most, found.high < least || found.low > most);
        any_of(is_in.into(), is_out.into())
    };
    agreeing(part(all, 35.0), part(middle, 38.0))
}

/// Decides N24 from the estimated leaves at ten and fifteen plies, each with the half-width of its
/// interval.
pub(in crate::claims) fn tree_sizes((ten, ten_half): (f64, f64), (fifteen, half): (f64, f64)) -> Verdict {
    let is_near = |found: f64, half: f64, claimed: f64| {
        (found / claimed - 1.0).abs() < limits::TREE_SIZE + half / found
    };
    both(is_near(ten, ten_half, 7e13), is_near(fifteen, half, 2e21))
}

/// Decides N4 from an upper limit of the number of positions and a lower limit of the number of
/// games, both as powers of ten. A limit on one side can only refute.
pub(in crate::claims) fn positions_and_games(positions_at_most: f64, games_at_least: f64) -> Verdict {
    let texts_refuted = [
        // Owen: 10^40 positions and 10^120 games.
        positions_at_most < 40.0 - limits::POWER_OF_TEN || games_at_least > 120.0 + limits::POWER_OF_TEN,
        // Books and tables: 10^50 positions.
        positions_at_most < 50.0 - limits::POWER_OF_TEN,
    ];
    match texts_refuted {
        [true, true] => Refuted,
        [false, false] => Undecided,
        _ => Depends,
    }
}

/// Decides N5 from W^D, the leaves of minimax, and those of alpha-beta with differences between
/// moves that are constant or shrink with depth, by tree.
pub(in crate::claims) fn worst_order(rows: &[(u64, u64, [u64; 2])]) -> Verdict {
    let holds = |place: usize| rows.iter().all(|&(expected, _, pruned)| pruned[place] == expected);
    match (rows.iter().all(|&(expected, all, _)| all == expected), holds(0), holds(1)) {
        (true, true, true) => Confirmed,
        (true, false, true) => Depends,
        _ => Refuted,
    }
}

/// Decides N16 and N16c from the nodes of PVS relative to alpha-beta in several settings.
pub(in crate::claims) fn null_windows(ratios: &[Ratio]) -> Verdict {
    let (gains, losses) = sides(ratios, 1.0);
    any_of(gains, losses)
}

/// Decides N7 from the branching factor with captures first, the square root of that of minimax, and
/// the factor with captures first relative to that of unordered moves. If unordered moves have the
/// same factor, the ordering does not cause it.
pub(in crate::claims) fn effective_branching(captures_first: f64, root: f64, ordering: Ratio) -> Verdict {
    if captures_first / root > limits::BRANCHING {
        return Refuted;
    }
    if ordering.high < 1.0 { Confirmed } else { Depends }
}

/// Decides N8 from the depth reached in the time of minimax relative to its depth, with the
/// half-width of the interval.
pub(in crate::claims) fn twice_the_depth((factor, half): (f64, f64)) -> Verdict {
    match factor {
        factor if factor - half >= limits::TWICE => Confirmed,
        factor if factor + half < limits::TWICE => Refuted,
        _ => Undecided,
    }
}

/// Decides N12 from the nodes relative to a full window, by window. The limits hold for all windows
/// together.
pub(in crate::claims) fn aspiration(ratios: &[Ratio]) -> Verdict {
    if ratios.iter().any(|ratio| ratio.high < 1.0) {
        return Confirmed;
    }
    let none_gains = !ratios.is_empty() && ratios.iter().all(|ratio| ratio.low >= 1.0);
    if none_gains { Refuted } else { Undecided }
}

/// Decides N13 from the node reduction factors in middlegames, endgames and pawn endings.
pub(in crate::claims) fn table_factor(factors: &[Ratio]) -> Verdict {
    /// The largest factor that the claim allows.
    const MOST: f64 = 4.0;
    let up_to = factors.iter().filter(|factor| factor.high <= MOST).count();
    let beyond = factors.iter().filter(|factor| factor.low > MOST).count();
    let saves = factors.iter().any(|factor| factor.low > 1.0);
    match saves {
        false if factors.iter().any(|factor| factor.high > 1.0) => Undecided,
        false => Refuted,
        true => divided(up_to, beyond, factors.len()),
    }
}

/// Decides N14 from the endings whose score differs because of the table in trees without
/// repetitions. The text claims that only repetitions change scores. In a deep tree, entries that
/// were searched deeper change them too, so that differences there decide nothing.
pub(in crate::claims) fn table_safety(without_repetition: usize) -> Verdict {
    if without_repetition > 0 { Refuted } else { Undecided }
}

/// Decides N15 and N19 from the nodes relative to a search without the heuristic, in two variants.
pub(in crate::claims) fn two_savings(one: Ratio, other: Ratio) -> Verdict {
    match [one, other].map(|ratio| (ratio.high < 1.0, ratio.low > 1.0)) {
        [(true, _), (true, _)] => Confirmed,
        [(true, _), _] | [_, (true, _)] => Depends,
        [(_, true), (_, true)] => Refuted,
        _ => Undecided,
    }
}

/// Decides N17 from the growth of the nodes of MTD(f), relative to that of PVS, without a table and
/// with the smallest one instead of the largest.
pub(in crate::claims) fn mtd_and_table(no_table: Ratio, smallest: Ratio) -> Verdict {
    match (no_table.low > limits::NEEDS_TABLE, smallest.low > limits::NEEDS_TABLE) {
        (true, true) => Confirmed,
        (true, false) => Depends,
        (false, _) if no_table.high < limits::NEEDS_TABLE => Refuted,
        _ => Undecided,
    }
}

/// Decides N18 from the nodes with enhanced cutoffs relative to without, at full width. An interval
/// that is wider than the accepted range, or that contains a limit of it, decides nothing.
pub(in crate::claims) fn enhanced_cutoffs(ratio: Ratio) -> Verdict {
    let [least, most] = limits::CUTOFFS;
    match ratio {
        ratio if ratio.low >= least && ratio.high <= most => Confirmed,
        ratio if ratio.low > most || ratio.high < least => Refuted,
        _ => Undecided,
    }
}

/// Decides N21 from the limits of the error that quiescence search saves, by depth; and N43 from
/// those of the gain of a search that prunes near the leaves, by the search that it is compared
/// with.
pub(in crate::claims) fn every_gain(gains: &[[f64; 2]]) -> Verdict {
    let (worse, better) = sides(gains, 0.0);
    all_of(better, worse, gains.len())
}

/// Decides N22 from the nodes with all extensions relative to none, in the worst position.
pub(in crate::claims) fn extensions(most: f64) -> Verdict {
    Verdict::of(most > limits::EXPLOSION)
}

/// Decides N26 from the savings by depth, from depth 1. Exponential growth multiplies them at every
/// ply.
pub(in crate::claims) fn savings_by_depth(factors: &[f64]) -> Verdict {
    let grows = factors.windows(2).filter(|pair| pair[1] > limits::PER_PLY * pair[0]).count();
    match (grows, factors.len()) {
        (_, 0 | 1) => Undecided,
        (0, _) => Refuted,
        (steps, depths) if steps + 1 == depths => Confirmed,
        _ => Depends,
    }
}

/// Decides N20 and N28 from the wins that null moves lose and gain in each row, and the number of
/// positions. Sign tests decide, corrected for the number of rows (Bonferroni).
pub(in crate::claims) fn null_moves(rows: &[(u64, u64)], positions: u64) -> Verdict {
    let level = 0.05 / rows.len().max(1) as f64;
    let is_significant = |lost: u64, gained: u64| sign_test(gained, lost).0 < level;
    let found = |wanted: fn(u64, u64) -> bool| {
        rows.iter().any(|&(lost, gained)| wanted(lost, gained) && is_significant(lost, gained))
    };
    match (found(|lost, gained| lost > gained), found(|lost, gained| lost < gained)) {
        (true, _) => Confirmed,
        (false, true) => Refuted,
        // Rule of three: no loss in 100 positions limits the share to 3 %.
        (false, false) if positions >= limits::WITHOUT_LOSS && rows.iter().all(|&(lost, _)| lost == 0) => {
            Refuted
        }
        _ => Undecided,
    }
}

/// Decides N23 from the longest mates found at the nominal depth with and without singular
/// extensions. The claim is about one position and another engine, so other positions cannot refute
/// it.
pub(in crate::claims) fn singular_extensions([with, without]: [u32; 2]) -> Verdict {
    /// The plies of the mate in the text.
    const CLAIMED: u32 = 35;
    match (with >= CLAIMED, without >= CLAIMED) {
        (true, false) => Confirmed,
        // Other extensions suffice.
        (true, true) => Depends,
        (false, _) => Undecided,
    }
}

/// Decides N29 from the levels that the saving of a table is worth, by kind of position; `None` where
/// the number is unknown.
pub(in crate::claims) fn one_level(gains: &[Option<Ratio>]) -> Verdict {
    let [least, most] = limits::ONE_LEVEL;
    let about_one = least..=most;
    let is_in = |gain: &&Ratio| about_one.contains(&gain.low) && about_one.contains(&gain.high);
    let is_out = |gain: &&Ratio| gain.high < least || gain.low > most;
    let known = || gains.iter().flatten();
    divided(known().filter(is_in).count(), known().filter(is_out).count(), gains.len())
}

/// Decides N30 from the limits of the gain in accuracy over one more level and the time relative to
/// it, by depth.
pub(in crate::claims) fn one_more_level(gains: &[[f64; 2]], costs: &[Ratio]) -> Verdict {
    let is_better = gains.iter().all(|&[low, _]| low > 0.0);
    let is_worse = gains.iter().all(|&[_, high]| high < 0.0);
    let is_cheaper = costs.iter().all(|cost| cost.high < 1.0);
    let is_dearer = costs.iter().all(|cost| cost.low > 1.0);
    let is_open = gains.iter().all(|&[low, high]| low <= 0.0 && high >= 0.0);
    match (is_better && is_cheaper, is_worse && is_dearer) {
        _ if gains.is_empty() || is_open => Undecided,
        (true, _) => Confirmed,
        (_, true) => Refuted,
        _ => Depends,
    }
}

/// Decides N31 from the shares of quiescence nodes without restrictions and with them.
pub(in crate::claims) fn quiescence_share(all: Ratio, restricted: Ratio) -> Verdict {
    let is_open = |share: Ratio| (share.low..=share.high).contains(&limits::MOST);
    if is_open(all) || is_open(restricted) {
        return Undecided;
    }
    both(all.low > limits::MOST, restricted.high < limits::MOST)
}

/// Decides N32 from the shares of positions in which the claim holds, by depth; and N42 from the
/// shares of pairs of positions that a number orders correctly, by the number.
pub(in crate::claims) fn nearly_all(shares: &[Ratio]) -> Verdict {
    let [nearly_all, most] = limits::NEARLY_ALL;
    let holds = shares.iter().filter(|share| share.low >= nearly_all).count();
    let fails = shares.iter().filter(|share| share.high < nearly_all).count();
    match (holds, fails) {
        _ if shares.is_empty() => Undecided,
        (all, _) if all == shares.len() => Confirmed,
        (0, all) if all == shares.len() && shares.iter().all(|share| share.high < most) => Refuted,
        (_, 0) => Undecided,
        _ => Depends,
    }
}

/// Decides N34 from the time relative to the alternative, and positions in which the two do not
/// agree.
pub(in crate::claims) fn saves(time: Ratio, different: usize) -> Verdict {
    match time {
        _ if different > 0 => Undecided,
        time if time.high < 1.0 => Confirmed,
        time if time.low > 1.0 => Refuted,
        _ => Undecided,
    }
}

/// The cost of a better evaluation, and its score with the half-width of the interval at equal nodes
/// and at equal time.
type Trade = (Ratio, (f64, f64), (f64, f64));

/// Decides N35 from the pairs of evaluations. A pair counts if its better one is costlier and its
/// scores leave room for a loss.
pub(in crate::claims) fn quality_and_cost(trades: &[Trade]) -> Verdict {
    let is_at_ceiling =
        |&(_, (nodes, _), (time, _)): &Trade| nodes > limits::CEILING && time > limits::CEILING;
    let is_costlier = |trade: &&Trade| trade.0.low > 1.0 && !is_at_ceiling(trade);
    let is_better = |&(_, (score, half), _): &Trade| score - half > 0.5;
    let loses_part = |&(_, (nodes, one), (time, other)): &Trade| nodes - time > one.hypot(other);
    let costly: Vec<_> = trades.iter().filter(is_costlier).collect();
    let weighed = costly.iter().filter(|trade| is_better(trade) && loses_part(trade)).count();
    match (weighed, costly.len()) {
        (_, 0) => Undecided,
        (all, count) if all == count => Confirmed,
        // Better at no cost in strength: there is nothing to weigh.
        (0, _) if costly.iter().all(|(_, _, (score, half))| score - half > 0.5) => Refuted,
        (0, _) => Undecided,
        _ => Depends,
    }
}

/// Decides N36 from the shares of losses overlooked by depth, from depth 1, and the additional
/// loss by the moves chosen at depth 3, with the half-width of its interval.
pub(in crate::claims) fn delayed_losses(overlooked: &[f64], (extra, half): (f64, f64)) -> Verdict {
    let Some((first, last)) = overlooked.first().zip(overlooked.last()) else { return Undecided };
    // Some losses stay out of sight, and fewer the deeper the search.
    let is_horizon = *last > 0.0 && last < first;
    match (is_horizon, extra - half > 0.0) {
        (true, true) => Confirmed,
        (true, false) => Depends,
        (false, _) if *first <= 0.0 => Refuted,
        _ => Undecided,
    }
}

/// Decides N37 from the rank correlation of the change of an evaluation and its error.
pub(in crate::claims) fn correlation(found: Ratio) -> Verdict {
    match found {
        found if found.low >= limits::USEFUL => Confirmed,
        found if found.high < limits::USEFUL => Refuted,
        _ => Undecided,
    }
}

/// A rating with the half-width of its interval.
type Rating = (f64, f64);

/// Decides N38 from the ratings of two and of four plies, by kind of player: with static leaves and
/// with captures resolved. The claim holds for both kinds or depends on them.
pub(in crate::claims) fn four_plies(kinds: &[[Rating; 2]]) -> Verdict {
    kinds.iter().map(|&[two, four]| four_against_two(two, four)).reduce(agreeing).unwrap_or(Undecided)
}

/// Returns the verdict of N38 for one kind of player. A novice's rating is the limit of an
/// acceptable level.
fn four_against_two(two: Rating, four: Rating) -> Verdict {
    let (is_enough, is_not) = (four.0 - four.1 > limits::NOVICE, four.0 + four.1 < limits::NOVICE);
    let (less_is_enough, less_is_not) = (two.0 - two.1 > limits::NOVICE, two.0 + two.1 < limits::NOVICE);
    match (is_enough, is_not) {
        (true, _) if less_is_not => Confirmed,
        // Two plies suffice.
        (true, _) if less_is_enough => Refuted,
        (_, true) => Refuted,
        _ => Undecided,
    }
}

/// Decides N39 from the nodes of the members of the MTD family relative to `NegaScout`, with a
/// large table and without one.
pub(in crate::claims) fn mtd_family(with: &[Ratio], without: &[Ratio]) -> Verdict {
    match sides(with, 1.0) {
        (0, 0) => Undecided,
        (0, _) => Refuted,
        // They need the table only if they are worse without it.
        (_, 0) if sides(without, 1.0).1 == without.len() => Confirmed,
        _ => Depends,
    }
}

/// Decides N40 from the nodes of B* relative to a fixed-depth proof of the best move, by kind of
/// tree.
pub(in crate::claims) fn best_first(ratios: &[Ratio]) -> Verdict {
    let (fewer, more) = sides(ratios, 1.0);
    all_of(fewer, more, ratios.len())
}

/// Decides N41 from the gain of conspiracy numbers over a fixed-depth search: its limits for each
/// kind of tree.
pub(in crate::claims) fn conspiracy(gains: &[[f64; 2]]) -> Verdict {
    let (worse, better) = sides(gains, 0.0);
    any_of(better, worse)
}
