//! The verdicts: a pure function for each claim, from the measured data to the verdict.
//!
//! The experiments measure; only this module decides. The table in the tests has, for every claim,
//! data for its verdict and data that reverse it. Claims about averages are decided by confidence
//! limits, corrected for the number of tries where the claim may choose among them. N2, N7, N22, N26
//! and B8 are decided by point estimates with the tolerances of [`limits`], and so are the shares of
//! N36. A claim that the data cannot settle is [`Verdict::Undecided`].

use stretto::types::Score;

use super::claim::Verdict;
use super::claim::Verdict::{Confirmed, Depends, Refuted, Undecided};
use super::limits;
use crate::stats::proportion::{sign_test, wilson};

/// A ratio with its confidence limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Ratio {
    /// Equality without error.
    pub(super) const ONE: Self = Self { mean: 1.0, low: 1.0, high: 1.0 };

    /// Returns a share of a count, with Wilson's interval; `None` of nothing.
    pub(super) fn of_counts(some: u64, all: u64) -> Option<Self> {
        let (low, high) = wilson(some, all)?;
        Some(Self { mean: some as f64 / all as f64, low: low.0, high: high.0 })
    }
}

/// Returns the verdict of a claim in two parts.
const fn both(one: bool, other: bool) -> Verdict {
    match (one, other) {
        (true, true) => Confirmed,
        (false, false) => Refuted,
        _ => Depends,
    }
}

/// Returns the verdict of a quantity with one limit for the claim and a lower one for a part of it.
fn graded(value: f64, confirmed: f64, depends: f64) -> Verdict {
    match value {
        value if value >= confirmed => Confirmed,
        value if value >= depends => Depends,
        _ => Refuted,
    }
}

fn near(found: f64, claimed: f64, tolerance: f64) -> bool {
    (found - claimed).abs() <= tolerance
}

/// Decides N1 from the product, and the hours it takes at the claimed speed.
pub(super) fn eight_plies(positions: u64, hours: f64) -> Verdict {
    Verdict::of(positions == 4_347_792_138_496 && hours > 12.0)
}

/// Decides N2 from the mean number of moves over whole games and in the middlegame.
pub(super) fn branching(all: f64, middle: f64) -> Verdict {
    both(near(all, 35.0, limits::MOVES), near(middle, 38.0, limits::MOVES))
}

/// Decides N3 from the fourth and sixth power of 35.
pub(super) fn powers(four: u64, six: u64) -> Verdict {
    let [few, many] = limits::POWERS;
    Verdict::of(four.abs_diff(1_500_000) < few && six.abs_diff(2_000_000_000) < many)
}

/// Decides N24 from the estimated leaves at ten and fifteen plies, each with the half-width of its
/// interval.
pub(super) fn tree_sizes((ten, ten_half): (f64, f64), (fifteen, half): (f64, f64)) -> Verdict {
    let is_near = |found: f64, half: f64, claimed: f64| {
        (found / claimed - 1.0).abs() < limits::TREE_SIZE + half / found
    };
    both(is_near(ten, ten_half, 7e13), is_near(fifteen, half, 2e21))
}

/// Decides N25 from the value of the start, without Black's queen, and with a knight less for a
/// pawn more.
pub(super) fn material_values(found: [Score; 3]) -> Verdict {
    Verdict::of(found == [0, 980, 100 - 350].map(Score))
}

/// Decides B1 from the number of White's first moves.
pub(super) fn first_moves(moves: u64) -> Verdict {
    Verdict::of(moves == 20)
}

/// Decides N4 from an upper limit of the number of positions and a lower limit of the number of
/// games, both as powers of ten. A limit on one side can only refute.
pub(super) fn positions_and_games(positions_at_most: f64, games_at_least: f64) -> Verdict {
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
pub(super) fn worst_order(rows: &[(u64, u64, [u64; 2])]) -> Verdict {
    let holds = |place: usize| rows.iter().all(|&(expected, _, pruned)| pruned[place] == expected);
    match (rows.iter().all(|&(expected, all, _)| all == expected), holds(0), holds(1)) {
        (true, true, true) => Confirmed,
        (true, false, true) => Depends,
        _ => Refuted,
    }
}

/// Decides N6 from the formula and the leaves of alpha-beta, by tree.
pub(super) fn best_order(rows: &[(u64, u64)]) -> Verdict {
    Verdict::of(!rows.is_empty() && rows.iter().all(|(expected, found)| expected == found))
}

/// Returns the verdict of a claim without exceptions, from the violations among cases.
pub(super) fn no_exception(exceptions: u64, cases: u64) -> Verdict {
    match (exceptions, cases) {
        (_, 0) => Undecided,
        (0, _) => Confirmed,
        _ => Refuted,
    }
}

/// Decides N10 from the deep cutoffs by depth, from depth 1.
pub(super) fn deep_cutoffs(counts: &[u64]) -> Verdict {
    let (shallow, deep) = counts.split_at(counts.len().min(3));
    if deep.is_empty() {
        return Undecided;
    }
    Verdict::of(shallow.iter().all(|&count| count == 0) && deep.iter().all(|&count| count > 0))
}

/// Decides N16 and N16c from the nodes of PVS relative to alpha-beta in several settings.
pub(super) fn null_windows(ratios: &[Ratio]) -> Verdict {
    let gains = ratios.iter().filter(|ratio| ratio.high < 1.0).count();
    let losses = ratios.iter().filter(|ratio| ratio.low > 1.0).count();
    match (gains, losses) {
        (0, 0) => Undecided,
        (0, _) => Refuted,
        (_, 0) => Confirmed,
        _ => Depends,
    }
}

/// Decides N7 from the branching factor with captures first, relative to the square root of that of
/// minimax.
pub(super) fn effective_branching(captures_first: f64, root: f64) -> Verdict {
    let [confirmed, depends] = limits::BRANCHING;
    graded(-captures_first / root, -confirmed, -depends)
}

/// Decides N8 from the depth reached in the time of minimax relative to its depth, with the
/// half-width of the interval.
pub(super) fn twice_the_depth((factor, half): (f64, f64)) -> Verdict {
    let [twice, some] = limits::TWICE;
    let [low, high] = [factor - half, factor + half].map(|limit| graded(limit, twice, some));
    // A limit in the interval leaves it open which side of it is true.
    if low == high { low } else { Depends }
}

/// Returns the verdict of a claim that holds for two quantities, such as nodes and time: theirs if
/// they agree.
pub(super) fn agreeing(one: Verdict, other: Verdict) -> Verdict {
    match (one, other) {
        (one, other) if one == other => one,
        (Undecided, _) | (_, Undecided) => Undecided,
        _ => Depends,
    }
}

/// Decides N12 from the nodes relative to a full window, by window. The limits hold for all windows
/// together.
pub(super) fn aspiration(ratios: &[Ratio]) -> Verdict {
    if ratios.iter().any(|ratio| ratio.high < 1.0) {
        return Confirmed;
    }
    let none_gains = !ratios.is_empty() && ratios.iter().all(|ratio| ratio.low >= 1.0);
    if none_gains { Refuted } else { Undecided }
}

/// Decides N13 from the node reduction factors in middlegames, endgames and pawn endings.
pub(super) fn table_factor(factors: &[Ratio]) -> Verdict {
    let saves = factors.iter().any(|factor| factor.low > 1.0);
    let (up_to, beyond) =
        (factors.iter().any(|factor| factor.mean <= 4.0), factors.iter().any(|factor| factor.low > 4.0));
    match (saves, up_to, beyond) {
        (false, ..) => {
            if factors.iter().all(|factor| factor.high <= 1.0) {
                Refuted
            } else {
                Undecided
            }
        }
        (true, _, false) => Confirmed,
        (true, true, true) => Depends,
        (true, false, true) => Refuted,
    }
}

/// Decides N14 from the endings whose score differs because of the table: in trees without
/// repetitions and in deep ones, of all. The text claims that only repetitions change scores. In a
/// deep tree, entries that were searched deeper change them too, so that a difference there does not
/// confirm the claim.
pub(super) fn table_safety(without_repetition: usize, different: usize, all: usize) -> Verdict {
    match (without_repetition, different) {
        (0, 0) => Undecided,
        (0, some) if 2 * some <= all => Depends,
        _ => Refuted,
    }
}

/// Decides N15 and N19 from the nodes relative to a search without the heuristic, in two variants.
pub(super) fn two_savings(one: Ratio, other: Ratio) -> Verdict {
    match [one, other].map(|ratio| (ratio.high < 1.0, ratio.low > 1.0)) {
        [(true, _), (true, _)] => Confirmed,
        [(true, _), _] | [_, (true, _)] => Depends,
        [(_, true), (_, true)] => Refuted,
        _ => Undecided,
    }
}

/// Decides N17 from the growth of the nodes of MTD(f), relative to that of PVS, without a table and
/// with the smallest one instead of the largest.
pub(super) fn mtd_and_table(no_table: Ratio, smallest: Ratio) -> Verdict {
    const NEEDS: f64 = limits::NEEDS_TABLE;
    match (no_table.low > NEEDS, smallest.low > NEEDS) {
        (true, true) => Confirmed,
        (true, false) => Depends,
        (false, _) if no_table.high < NEEDS => Refuted,
        _ => Undecided,
    }
}

/// Decides N18 from the nodes with enhanced cutoffs relative to without, at full width. An interval
/// that is much wider than the claimed range confirms nothing.
pub(super) fn enhanced_cutoffs(ratio: Ratio) -> Verdict {
    let claimed = 0.75..=0.80;
    let near = limits::CUTOFFS[0]..=limits::CUTOFFS[1];
    let overlaps = ratio.low <= *claimed.end() && ratio.high >= *claimed.start();
    match ratio {
        ratio if overlaps && near.contains(&ratio.low) && near.contains(&ratio.high) => Confirmed,
        ratio if ratio.low >= 1.0 => Refuted,
        ratio if ratio.high < 1.0 && !overlaps => Depends,
        _ => Undecided,
    }
}

/// Decides N21 from the limits of the error that quiescence search saves, by depth; and N43 from
/// those of the gain of a search that prunes near the leaves, by the search that it is compared
/// with.
pub(super) fn every_gain(gains: &[[f64; 2]]) -> Verdict {
    let better = gains.iter().filter(|[low, _]| *low > 0.0).count();
    let worse = gains.iter().filter(|[_, high]| *high < 0.0).count();
    match (better, worse) {
        (0, 0) => Undecided,
        (all, _) if all == gains.len() => Confirmed,
        (_, all) if all == gains.len() => Refuted,
        _ => Depends,
    }
}

/// Decides N22 from the nodes with all extensions relative to none: the mean, and the worst
/// position.
pub(super) fn extensions(average: f64, most: f64) -> Verdict {
    let [explosion, growth] = limits::EXPLOSION;
    if most > explosion {
        return Confirmed;
    }
    if average > growth { Depends } else { Refuted }
}

/// Decides N26 from the savings by depth, from depth 1. Exponential growth multiplies them at every
/// ply.
pub(super) fn savings_by_depth(factors: &[f64]) -> Verdict {
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
pub(super) fn null_moves(rows: &[(u64, u64)], positions: u64) -> Verdict {
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
/// extensions, and the lower confidence limit of the plies that they save in play. The claim is
/// about one position and another engine, so other positions cannot refute it.
pub(super) fn singular_extensions([with, without]: [u32; 2], saved_at_least: f64) -> Verdict {
    /// The plies of the mate in the text.
    const CLAIMED: u32 = 35;
    match (with >= CLAIMED, without >= CLAIMED) {
        (true, false) => Confirmed,
        // Other extensions suffice.
        (true, true) => Depends,
        (false, _) if saved_at_least > 0.0 => Depends,
        (false, _) => Undecided,
    }
}

/// Decides N29 from the levels that the saving of a table is worth, by kind of position; `None` where
/// the number is unknown.
pub(super) fn one_level(gains: &[Option<Ratio>]) -> Verdict {
    let [least, most] = limits::ONE_LEVEL;
    let about_one = least..=most;
    let is_in = |gain: &&Ratio| about_one.contains(&gain.low) && about_one.contains(&gain.high);
    let is_out = |gain: &&Ratio| gain.high < least || gain.low > most;
    match (gains.iter().flatten().filter(is_in).count(), gains.iter().flatten().filter(is_out).count()) {
        (all, _) if all == gains.len() && all > 0 => Confirmed,
        (_, all) if all == gains.len() && all > 0 => Refuted,
        (0, _) | (_, 0) => Undecided,
        _ => Depends,
    }
}

/// Decides N30 from the limits of the gain in accuracy over one more level and the time relative to
/// it, by depth.
pub(super) fn one_more_level(gains: &[[f64; 2]], costs: &[Ratio]) -> Verdict {
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
pub(super) fn quiescence_share(all: Ratio, restricted: Ratio) -> Verdict {
    const MOST: f64 = limits::MOST;
    if all.low <= MOST && all.high >= MOST || restricted.low <= MOST && restricted.high >= MOST {
        return Undecided;
    }
    both(all.low > MOST, restricted.high < MOST)
}

/// Decides N32 from the shares of positions in which the claim holds, by depth; and N42 from the
/// shares of pairs of positions that a number orders correctly, by the number.
pub(super) fn nearly_all(shares: &[Ratio]) -> Verdict {
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
pub(super) fn saves(time: Ratio, different: usize) -> Verdict {
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
pub(super) fn quality_and_cost(trades: &[Trade]) -> Verdict {
    const CEILING: f64 = limits::CEILING;
    let is_at_ceiling = |&(_, (nodes, _), (time, _)): &Trade| nodes > CEILING && time > CEILING;
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

/// Decides N36 from the shares of losses overlooked by depth, from depth 1, and what the moves
/// chosen at depth 3 lose in addition, with the half-width of the interval.
pub(super) fn delayed_losses(overlooked: &[f64], (extra, half): (f64, f64)) -> Verdict {
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
pub(super) fn correlation(found: Ratio) -> Verdict {
    const USEFUL: f64 = limits::USEFUL;
    match found {
        found if found.low >= USEFUL => Confirmed,
        found if found.low > 0.0 => Depends,
        found if found.high < USEFUL => Refuted,
        _ => Undecided,
    }
}

/// A rating with the half-width of its interval.
type Rating = (f64, f64);

/// Decides N38 from the ratings of two and of four plies, by kind of player: with static leaves and
/// with captures resolved. The claim holds for both kinds or depends on them.
pub(super) fn four_plies(kinds: &[[Rating; 2]]) -> Verdict {
    kinds.iter().map(|&[two, four]| four_against_two(two, four)).reduce(agreeing).unwrap_or(Undecided)
}

/// Returns the verdict of N38 for one kind of player. A novice's rating is the limit of an
/// acceptable level.
fn four_against_two(two: Rating, four: Rating) -> Verdict {
    const NOVICE: f64 = limits::NOVICE;
    let (is_enough, is_not) = (four.0 - four.1 > NOVICE, four.0 + four.1 < NOVICE);
    let (less_is_enough, less_is_not) = (two.0 - two.1 > NOVICE, two.0 + two.1 < NOVICE);
    match (is_enough, is_not) {
        (true, _) if less_is_not => Confirmed,
        (true, _) if less_is_enough => Depends,
        (_, true) => Refuted,
        _ => Undecided,
    }
}

/// Decides T26 from the games played and those won within fifty moves, by number of nodes.
pub(super) fn won_by_search(games: &[(u64, u64)]) -> Verdict {
    let wins = games.iter().filter(|&&(played, won)| 2 * won > played).count();
    match wins {
        _ if games.is_empty() => Undecided,
        0 => Refuted,
        all if all == games.len() => Confirmed,
        _ => Depends,
    }
}

/// Decides T27 from the growth from five to six pieces, and the claimed one.
pub(super) fn growth(found: f64, claimed: f64) -> Verdict {
    // Compression changes from format to format, so the same order of magnitude is agreement.
    let [near, far] = limits::GROWTH;
    match found / claimed {
        share if (near.recip()..=near).contains(&share) => Confirmed,
        share if (far.recip()..=far).contains(&share) => Depends,
        _ => Refuted,
    }
}

/// Decides B7 from the limits of the plies that books of a collection and of all games would reach,
/// and the limits of the change per ply of the hazard: the share of the games in the book that leave
/// it at a ply. That ever fewer games are in the book follows from counting them and shows nothing.
pub(super) fn book_reach([collection, all]: [[f64; 2]; 2], hazard: [f64; 2]) -> Verdict {
    /// The claimed 5 to 15 moves. Units: plies.
    const CLAIMED: [f64; 2] = [10.0, 30.0];
    let reaches = if collection[1] <= CLAIMED[1] && all[0] >= CLAIMED[0] {
        Some(true)
    } else {
        (collection[0] > CLAIMED[1] || all[1] < CLAIMED[0]).then_some(false)
    };
    let knows_less = if hazard[0] >= 0.0 { Some(true) } else { (hazard[1] < 0.0).then_some(false) };
    reaches.zip(knows_less).map_or(Undecided, |(one, other)| both(one, other))
}

/// Decides N39 from the nodes of the members of the MTD family relative to `NegaScout`, with a
/// large table and without one.
pub(super) fn mtd_family(with: &[Ratio], without: &[Ratio]) -> Verdict {
    let fewer = |ratios: &[Ratio]| ratios.iter().filter(|ratio| ratio.high < 1.0).count();
    let more = |ratios: &[Ratio]| ratios.iter().filter(|ratio| ratio.low > 1.0).count();
    match (fewer(with), more(with)) {
        (0, 0) => Undecided,
        (0, _) => Refuted,
        // They need the table only if they are worse without it.
        (_, 0) if more(without) == without.len() => Confirmed,
        _ => Depends,
    }
}

/// Decides N40 from the nodes of B* relative to a fixed-depth proof of the best move, by kind of
/// tree.
pub(super) fn best_first(ratios: &[Ratio]) -> Verdict {
    let fewer = ratios.iter().filter(|ratio| ratio.high < 1.0).count();
    let more = ratios.iter().filter(|ratio| ratio.low > 1.0).count();
    match (fewer, more) {
        (0, 0) => Undecided,
        (all, _) if all == ratios.len() => Confirmed,
        (_, all) if all == ratios.len() => Refuted,
        _ => Depends,
    }
}

/// Decides N41 from the gain of conspiracy numbers over a fixed-depth search: its limits for each
/// kind of tree.
pub(super) fn conspiracy(gains: &[[f64; 2]]) -> Verdict {
    let better = gains.iter().filter(|[low, _]| *low > 0.0).count();
    let worse = gains.iter().filter(|[_, high]| *high < 0.0).count();
    match (better, worse) {
        (0, 0) => Undecided,
        (_, 0) => Confirmed,
        (0, _) => Refuted,
        _ => Depends,
    }
}

/// The places of the favourite first moves among all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Favourites {
    /// The ranks of e4, d4, c4 and Nf3, from 1.
    pub(super) ranks: [usize; 4],
    /// The score of the best of all moves less that of the better one of e4 and d4. Units:
    /// centipawns.
    pub(super) behind: f64,
}

/// Decides B8 from the favourite first moves, by evaluation. The order of nearly equal moves is not
/// certain, so a small deficit does not refute the claim.
pub(super) fn favourites(found: &[Favourites]) -> Verdict {
    const MARGIN: f64 = limits::EQUAL_MOVES;
    let is_as_claimed = |&Favourites { ranks: [king, queen, bishop, knight], .. }: &Favourites| {
        king + queen == 1 + 2 && bishop + knight == 3 + 4
    };
    let has_best = |found: &Favourites| found.ranks[..2].contains(&1);
    match found {
        [] => Undecided,
        all if all.iter().all(is_as_claimed) => Confirmed,
        all if all.iter().all(|found| found.behind > MARGIN) => Refuted,
        // At least one evaluation agrees in part.
        all if all.iter().any(has_best) => Depends,
        _ => Undecided,
    }
}

/// Decides B2 from the collisions of whole keys, and whether shorter keys collide as often as
/// chance says.
pub(super) fn collisions(whole: u64, is_by_chance: bool) -> Verdict {
    both(whole == 0, is_by_chance)
}

/// Decides B3 from the selections that do not choose as specified, and the number of positions with
/// a choice.
pub(super) fn selections(wrong: usize, positions: usize) -> Verdict {
    no_exception(wrong as u64, positions as u64)
}

/// Decides B4 from the probability of the losing line before the first and before the last game,
/// when the opponent replies freely and when it plays the refutation; and the largest change
/// without learning.
pub(super) fn learning(free: [f64; 2], refuting: [f64; 2], change_without: f64) -> Verdict {
    let learns = |[first, last]: [f64; 2]| last < first * limits::LEARNT && change_without < 1e-9;
    both(learns(free), learns(refuting))
}

/// Decides B5 from the positions that arise in another order, those found, and the positions and
/// those found by FEN.
pub(super) fn transpositions(orders: u64, found: u64, positions: u64, by_fen: u64) -> Verdict {
    if orders == 0 {
        return Undecided;
    }
    // A FEN omits an en passant square without a legal capture, and the key sometimes includes it.
    both(found == orders, by_fen as f64 > limits::BY_FEN * positions as f64)
}

/// Decides B6 from the score of the pruned book and the half-width of its interval.
pub(super) fn pruning(score: f64, half: f64) -> Verdict {
    match score {
        score if score - half > 0.5 => Confirmed,
        score if score + half < 0.5 => Refuted,
        _ => Undecided,
    }
}

/// Decides T1 from the bound, and the number of legal positions.
pub(super) fn queen_positions(bound: u64, legal: u64) -> Verdict {
    Verdict::of(bound == 499_968 && (1..=bound).contains(&legal))
}

/// Decides T2 from the longest win and loss of KQK. Units: plies.
pub(super) fn queen_depth(win: u16, loss: u16) -> Verdict {
    both(win.div_ceil(2) == 10, loss.abs_diff(20) <= limits::ITERATIONS)
}

/// Decides T3 from the drawn shares with White and with Black to move, and draws for other reasons
/// than the two of the text.
pub(super) fn queen_wins(white_drawn: f64, black_drawn: f64, others: u64) -> Verdict {
    const VERY_RARE: f64 = limits::VERY_RARE;
    if others > 0 {
        return Refuted;
    }
    both(white_drawn <= VERY_RARE, black_drawn <= VERY_RARE)
}

/// The endgames of a number of pieces, and those that both sides can win.
#[derive(Clone, Copy, Debug)]
pub(super) struct Winnable {
    pub(super) all: usize,
    pub(super) both: usize,
    /// Whether `both` is a lower limit.
    pub(super) is_at_least: bool,
}

/// Decides T6 from the counts by number of pieces.
pub(super) fn both_can_win(counts: &[Winnable]) -> Verdict {
    let most = counts.iter().filter(|count| 2 * count.both > count.all).count();
    let is_open = |count: &&Winnable| count.is_at_least && 2 * count.both <= count.all;
    match most {
        all if all == counts.len() => Confirmed,
        0 if counts.iter().any(|count| is_open(&count)) => Undecided,
        0 => Refuted,
        _ => Depends,
    }
}

/// Decides T7 from the successors claimed and missing, and successors not claimed.
pub(super) fn queen_against_pawn(missing: usize, more: usize) -> Verdict {
    Verdict::of(missing == 0 && more == 0)
}

/// Decides T10 from the decisive positions with like bishops, decisive and drawn ones overall.
pub(super) fn bishops(same: u64, decisive: u64, draws: u64) -> Verdict {
    both(same == 0, draws > limits::DRAWS * decisive)
}

/// Decides T11 and T12 from the numbers of positions merged into one; the largest is the claimed
/// number, and a divisor of it occurs where a symmetry maps a position to itself.
pub(super) fn symmetries(claimed: usize, sizes: &[usize]) -> Verdict {
    Verdict::of(
        sizes.iter().max() == Some(&claimed) && sizes.iter().all(|size| claimed.is_multiple_of(*size)),
    )
}

/// Decides T13 from the number of endgames with five pieces.
pub(super) fn five_pieces(count: usize) -> Verdict {
    Verdict::of(count == 110)
}

/// Decides T14 from the product, and the limits of the share of legal positions in it.
pub(super) fn five_piece_positions(product: u64, share: Ratio) -> Verdict {
    let [least, most] = limits::ABOUT_HALF;
    let about_half = share.low >= least && share.high <= most;
    both(product == 201_287_116_800, about_half)
}

/// Decides T15 from the positions per byte, with symmetric positions counted once and separately.
pub(super) fn positions_a_byte(once: f64, separately: f64) -> Verdict {
    both(near(once, 13.0, limits::PER_BYTE), near(separately, 13.0, limits::PER_BYTE))
}

/// Decides T16 from the moves to the capture of the rook.
pub(super) fn queen_against_rook(moves: u16) -> Verdict {
    Verdict::of(moves > 50)
}

/// Decides T17 from the games played and those won within fifty moves, by strength. Against a
/// table, a strong player fails, or only the weak ones do.
pub(super) fn fallible_player(games: &[(u64, u64)]) -> Verdict {
    let fails = games.iter().filter(|&&(played, won)| 2 * won < played).count();
    match fails {
        _ if games.is_empty() => Undecided,
        0 => Refuted,
        all if all == games.len() => Confirmed,
        _ => Depends,
    }
}

/// Decides T18 from the longest loss of KBBKN. Units: plies.
pub(super) fn two_bishops(loss: u16) -> Verdict {
    Verdict::of(loss.div_ceil(2) == 66)
}

/// Decides T19 from the won shares with opposite and with like bishops.
pub(super) fn two_bishops_share(opposite: f64, same: f64) -> Verdict {
    both(opposite > limits::ALMOST_EVERY, same > limits::ALMOST_EVERY)
}

/// Decides T20 from the won share of the positions with the defence.
pub(super) fn kling_and_horwitz(share: f64) -> Verdict {
    let [confirmed, depends] = limits::FORTRESS;
    graded(share, confirmed, depends)
}

/// Decides T21 from the wins that take more than fifty moves, of all.
pub(super) fn fifty_moves(late: u64) -> Verdict {
    Verdict::of(late > 0)
}

/// Decides T23 from the bytes with DTM, DTC and DTZ.
pub(super) fn smaller_numbers([mate, conversion, zeroing]: [usize; 3]) -> Verdict {
    both(conversion < mate, zeroing < mate)
}

/// Decides T24 from the longest distance. Two bits of type leave six for the distance. A distance
/// in moves with the type gives the plies, since wins are odd and losses even. Units: plies.
pub(super) fn one_byte(longest: u16) -> Verdict {
    match longest {
        plies if plies <= limits::SIX_BITS => Confirmed,
        plies if plies.div_ceil(2) <= limits::SIX_BITS => Depends,
        _ => Refuted,
    }
}

/// Decides T25 from the longest distance to a zeroing move. Units: plies.
pub(super) fn few_pieces(longest: u16) -> Verdict {
    Verdict::of((1..=100).contains(&longest))
}

/// Decides T29 and T30 from the shares by number of pieces; those of T30 are counted in two ways.
pub(super) fn small_fraction(shares: &[Ratio]) -> Verdict {
    const SMALL: f64 = limits::SMALL;
    let small = shares.iter().filter(|share| share.high < SMALL).count();
    let large = shares.iter().filter(|share| share.low > SMALL).count();
    match (small, large) {
        (all, _) if all == shares.len() && all > 0 => Confirmed,
        (_, all) if all == shares.len() && all > 0 => Refuted,
        (0, _) | (_, 0) => Undecided,
        _ => Depends,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(mean: f64, low: f64, high: f64) -> Ratio {
        Ratio { mean, low, high }
    }

    fn first(ranks: [usize; 4], behind: f64) -> Favourites {
        Favourites { ranks, behind }
    }

    fn winnable(all: usize, both: usize) -> Winnable {
        Winnable { all, both, is_at_least: false }
    }

    /// Returns, for every claim, a verdict from some data and another one from data that reverse it.
    #[expect(clippy::too_many_lines, reason = "a table with a row for every claim")]
    fn reversals() -> Vec<(&'static str, Verdict, Verdict)> {
        let (gain, loss, none) = (r(0.8, 0.7, 0.9), r(1.2, 1.1, 1.3), r(1.0, 0.9, 1.1));
        let large = r(2.3, 1.8, 3.0);
        vec![
            ("N1", eight_plies(38_u64.pow(8), 12.08), eight_plies(38_u64.pow(8), 11.9)),
            ("N2", branching(35.0, 38.0), branching(25.6, 32.8)),
            ("N3", powers(35_u64.pow(4), 35_u64.pow(6)), powers(30_u64.pow(4), 35_u64.pow(6))),
            (
                "N24",
                tree_sizes((6.938e13, 1.5e11), (2.015e21, 8.5e18)),
                tree_sizes((8e13, 1.5e11), (3e21, 8.5e18)),
            ),
            ("N25", material_values([0, 980, -250].map(Score)), material_values([0, 900, -200].map(Score))),
            ("B1", first_moves(20), first_moves(16)),
            ("N4", positions_and_games(45.5, 200.0), positions_and_games(51.0, 110.0)),
            ("N5", worst_order(&[(81, 81, [81, 81])]), worst_order(&[(81, 81, [79, 81])])),
            ("N6", best_order(&[(17, 17)]), best_order(&[(17, 18)])),
            ("N9", no_exception(0, 40), no_exception(1, 40)),
            ("N10", deep_cutoffs(&[0, 0, 0, 5]), deep_cutoffs(&[0, 0, 1, 5])),
            ("N11", no_exception(0, 120), no_exception(2, 120)),
            ("N16", null_windows(&[gain, none]), null_windows(&[loss, none])),
            ("N7", effective_branching(5.6, 4.97), effective_branching(12.0, 4.97)),
            ("N8", twice_the_depth((1.9, 0.05)), twice_the_depth((1.1, 0.05))),
            ("N12", aspiration(&[none, gain]), aspiration(&[loss, loss])),
            (
                "N13",
                table_factor(&[r(1.8, 1.6, 2.0), r(3.2, 2.7, 3.8)]),
                table_factor(&[r(0.9, 0.8, 1.0), r(0.9, 0.8, 0.95)]),
            ),
            ("N14", table_safety(0, 5, 21), table_safety(1, 5, 21)),
            ("N15", two_savings(gain, gain), two_savings(loss, loss)),
            ("N16c", null_windows(&[gain, gain, gain]), null_windows(&[loss, none, none])),
            ("N17", mtd_and_table(large, large), mtd_and_table(none, none)),
            ("N18", enhanced_cutoffs(r(0.78, 0.76, 0.8)), enhanced_cutoffs(r(1.1, 1.05, 1.2))),
            ("N19", two_savings(gain, gain), two_savings(loss, loss)),
            ("N21", every_gain(&[[10.0, 40.0]]), every_gain(&[[-40.0, -10.0]])),
            ("N22", extensions(3.8, 39.0), extensions(1.1, 2.0)),
            ("N26", savings_by_depth(&[1.0, 5.7, 18.1]), savings_by_depth(&[1.0, 1.1, 1.2])),
            ("N20", null_moves(&[(15, 1), (3, 0)], 200), null_moves(&[(0, 0), (0, 1)], 200)),
            ("N23", singular_extensions([37, 21], 0.3), singular_extensions([25, 21], -0.1)),
            ("N27", two_savings(gain, gain), two_savings(loss, loss)),
            ("N28", null_moves(&[(20, 2)], 300), null_moves(&[(2, 20)], 300)),
            ("N29", one_level(&[Some(r(0.9, 0.7, 1.1))]), one_level(&[Some(r(0.2, 0.1, 0.3))])),
            ("N30", one_more_level(&[[5.0, 9.0]], &[gain]), one_more_level(&[[-9.0, -5.0]], &[loss])),
            (
                "N31",
                quiescence_share(r(0.8, 0.7, 0.9), r(0.3, 0.2, 0.4)),
                quiescence_share(r(0.3, 0.2, 0.4), r(0.7, 0.6, 0.8)),
            ),
            ("N32", nearly_all(&[r(0.98, 0.97, 0.99)]), nearly_all(&[r(0.7, 0.6, 0.75)])),
            ("N33", two_savings(gain, gain), two_savings(loss, loss)),
            ("N34", saves(gain, 0), saves(loss, 0)),
            (
                "N35",
                quality_and_cost(&[(r(3.0, 2.9, 3.1), (0.8, 0.05), (0.6, 0.05))]),
                quality_and_cost(&[(r(3.0, 2.9, 3.1), (0.8, 0.05), (0.8, 0.05))]),
            ),
            ("N36", delayed_losses(&[0.6, 0.2], (80.0, 30.0)), delayed_losses(&[0.0, 0.0], (0.0, 0.0))),
            ("N37", correlation(r(0.5, 0.4, 0.6)), correlation(r(0.0, -0.1, 0.1))),
            (
                "N38",
                four_plies(&[[(900.0, 90.0), (1500.0, 90.0)]; 2]),
                four_plies(&[[(500.0, 90.0), (900.0, 90.0)]; 2]),
            ),
            ("N39", mtd_family(&[gain], &[loss]), mtd_family(&[loss], &[loss])),
            ("N40", best_first(&[gain, gain]), best_first(&[loss, loss])),
            ("N41", conspiracy(&[[0.1, 0.3]]), conspiracy(&[[-0.3, -0.1]])),
            (
                "N42",
                nearly_all(&[r(0.97, 0.96, 0.98), r(0.98, 0.97, 0.99)]),
                nearly_all(&[r(0.6, 0.55, 0.65), r(0.7, 0.65, 0.75)]),
            ),
            ("N43", every_gain(&[[3.0, 9.0], [2.0, 8.0]]), every_gain(&[[-9.0, -3.0], [-8.0, -2.0]])),
            ("B8", favourites(&[first([1, 2, 4, 3], 0.0)]), favourites(&[first([5, 4, 2, 3], 30.0)])),
            ("T26", won_by_search(&[(8, 8)]), won_by_search(&[(8, 0)])),
            ("T27", growth(190.0, 164.0), growth(2.0, 164.0)),
            ("T28", no_exception(0, 30), no_exception(3, 30)),
            ("T29", small_fraction(&[r(0.03, 0.02, 0.04)]), small_fraction(&[r(0.3, 0.2, 0.4)])),
            ("T30", small_fraction(&[r(0.05, 0.03, 0.08)]), small_fraction(&[r(0.4, 0.3, 0.5)])),
            (
                "B7",
                book_reach([[13.0, 15.0], [18.0, 22.0]], [0.001, 0.003]),
                book_reach([[3.0, 4.0], [5.0, 6.0]], [-0.003, -0.001]),
            ),
            ("T1", queen_positions(499_968, 368_452), queen_positions(499_968, 499_969)),
            ("T2", queen_depth(19, 20), queen_depth(25, 26)),
            ("T3", queen_wins(0.0, 0.01, 0), queen_wins(0.0, 0.1, 0)),
            ("T4", no_exception(0, 9), no_exception(1, 9)),
            ("T5", no_exception(0, 9), no_exception(1, 9)),
            ("T6", both_can_win(&[winnable(110, 71)]), both_can_win(&[winnable(5, 0), winnable(30, 12)])),
            ("T7", queen_against_pawn(0, 0), queen_against_pawn(0, 4)),
            ("T8", no_exception(0, 146), no_exception(1, 146)),
            ("T9", no_exception(0, 9), no_exception(1, 9)),
            ("T10", bishops(0, 66, 1_479_132), bishops(3, 5000, 1_479_132)),
            ("T11", symmetries(8, &[4, 8]), symmetries(8, &[1, 2])),
            ("T12", symmetries(2, &[2]), symmetries(2, &[1])),
            ("T13", five_pieces(110), five_pieces(109)),
            (
                "T14",
                five_piece_positions(201_287_116_800, r(0.5, 0.49, 0.51)),
                five_piece_positions(201_287_116_800, r(0.7, 0.69, 0.71)),
            ),
            ("T15", positions_a_byte(13.0, 13.0), positions_a_byte(5.0, 40.0)),
            ("T16", queen_against_rook(51), queen_against_rook(31)),
            ("T17", fallible_player(&[(20, 3)]), fallible_player(&[(20, 20)])),
            ("T18", two_bishops(132), two_bishops(120)),
            ("T19", two_bishops_share(0.98, 0.97), two_bishops_share(0.5, 0.0)),
            ("T20", kling_and_horwitz(0.985), kling_and_horwitz(0.1)),
            ("T21", fifty_moves(1), fifty_moves(0)),
            ("T22", no_exception(0, 297), no_exception(1, 297)),
            ("T23", smaller_numbers([9, 5, 4]), smaller_numbers([4, 5, 9])),
            ("T24", one_byte(63), one_byte(300)),
            ("T25", few_pieces(66), few_pieces(132)),
            ("B2", collisions(0, true), collisions(3, false)),
            ("B3", selections(0, 53), selections(1, 53)),
            ("B4", learning([0.25, 0.01], [0.25, 0.01], 0.0), learning([0.25, 0.3], [0.25, 0.2], 0.0)),
            ("B5", transpositions(9, 9, 20, 20), transpositions(9, 3, 20, 4)),
            ("B6", pruning(0.55, 0.02), pruning(0.45, 0.02)),
        ]
    }

    #[test]
    fn data_reverse_the_verdict_of_every_claim() {
        let table = reversals();
        for claim in super::super::claims() {
            let found = table.iter().find(|(id, ..)| *id == claim.id);
            let (_, one, other) = found.unwrap_or_else(|| panic!("{} has no reversal", claim.id));
            assert_ne!(one, other, "{}", claim.id);
        }
        assert_eq!(table.len(), super::super::claims().count());
    }

    #[test]
    fn experiments_name_no_verdict() {
        // Only this module and the type decide, so no experiment has a constant verdict.
        for text in [
            include_str!("numbers.rs"),
            include_str!("counting.rs"),
            include_str!("first_moves.rs"),
            include_str!("trees.rs"),
            include_str!("best_first.rs"),
            include_str!("zugzwang.rs"),
            include_str!("mates.rs"),
            include_str!("books.rs"),
            include_str!("search/branching.rs"),
            include_str!("search/costs.rs"),
            include_str!("search/evaluation.rs"),
            include_str!("search/horizon.rs"),
            include_str!("search/near_leaves.rs"),
            include_str!("search/null_move.rs"),
            include_str!("search/quiescence.rs"),
            include_str!("search/selectivity.rs"),
            include_str!("search/table.rs"),
            include_str!("search/windows.rs"),
            include_str!("tables/endings.rs"),
            include_str!("tables/games.rs"),
            include_str!("tables/generated.rs"),
            include_str!("tables/growth.rs"),
            include_str!("tables/materials.rs"),
            include_str!("tables/ordering.rs"),
            include_str!("tables/symmetries.rs"),
            include_str!("tables/two_bishops.rs"),
            include_str!("tables/values.rs"),
            include_str!("tables/fallible.rs"),
            include_str!("tables/winnable.rs"),
        ] {
            let code = text.split("#[cfg(test)]").next().unwrap_or(text);
            assert!(!code.contains("Verdict"), "an experiment decides by itself: {text:.80}");
        }
    }

    #[test]
    fn chance_decides_nothing() {
        let wide = r(0.98, 0.94, 1.02);
        assert_eq!(aspiration(&[wide; 6]), Undecided);
        assert_eq!(null_windows(&[wide; 3]), Undecided);
        assert_eq!(two_savings(wide, wide), Undecided);
        // Six losses and one gain in one of nine rows are chance.
        assert_eq!(null_moves(&[(6, 1), (0, 0), (1, 2)], 300), Undecided);
        assert_eq!(pruning(0.508, 0.03), Undecided);
        let five = |both| Winnable { all: 110, both, is_at_least: true };
        assert_eq!(both_can_win(&[winnable(30, 12), five(50)]), Undecided, "there may be more");
        assert_eq!(both_can_win(&[winnable(30, 12), five(60)]), Depends);
        assert_eq!(singular_extensions([11, 9], -0.2), Undecided, "other positions cannot refute");
        assert_eq!(mtd_and_table(r(2.3, 1.8, 3.0), r(1.01, 0.99, 1.03)), Depends);
        assert_eq!(enhanced_cutoffs(r(0.95, 0.70, 1.28)), Undecided);
        assert_eq!(enhanced_cutoffs(r(0.80, 0.65, 0.98)), Undecided, "wider than the claimed range");
        assert_eq!(every_gain(&[[-5.0, 20.0]; 4]), Undecided);
        assert_eq!(every_gain(&[[1.0, 5.0], [-1.0, 5.0]]), Depends, "one comparison is open");
        assert_eq!(small_fraction(&[r(0.1, 0.08, 0.12)]), Undecided);
        assert_eq!(small_fraction(&[r(0.05, 0.04, 0.06), r(0.1, 0.08, 0.12)]), Undecided);
        assert_eq!(small_fraction(&[r(0.05, 0.04, 0.06), r(0.2, 0.15, 0.25)]), Depends);
        let [claimed, other] = [first([1, 2, 3, 4], 0.0), first([3, 1, 6, 2], 0.0)];
        assert_eq!(favourites(&[claimed, other]), Depends, "the evaluations differ");
        let (close, clear) = (first([2, 5, 3, 1], 2.0), first([6, 5, 3, 1], 30.0));
        assert_eq!(favourites(&[close, clear]), Undecided, "one move is a little better");
        assert_eq!(favourites(&[claimed, clear]), Depends);
        assert_eq!(favourites(&[clear; 2]), Refuted);
        let rising = [0.001, 0.003];
        assert_eq!(book_reach([[25.0, 35.0], [30.0, 45.0]], rising), Undecided);
        assert_eq!(book_reach([[13.0, 15.0], [18.0, 22.0]], [-0.001, 0.003]), Undecided);
    }

    #[test]
    fn four_plies_are_needed_only_if_neither_kind_of_player_does_with_two() {
        let needs_four = [(794.0, 110.0), (1451.0, 108.0)];
        let two_suffice = [(1442.0, 108.0), (1790.0, 119.0)];
        assert_eq!(four_plies(&[needs_four, needs_four]), Confirmed);
        assert_eq!(four_plies(&[needs_four, two_suffice]), Depends);
        assert_eq!(four_plies(&[two_suffice, two_suffice]), Depends);
        let open = [(1150.0, 108.0), (1790.0, 119.0)];
        assert_eq!(four_plies(&[needs_four, open]), Undecided);
        assert_eq!(four_plies(&[]), Undecided, "no kind was played");
    }

    #[test]
    fn six_bits_hold_a_distance_in_plies_or_in_moves() {
        assert_eq!([63, 64, 85, 126].map(one_byte), [Confirmed, Depends, Depends, Depends]);
        assert_eq!(one_byte(127), Refuted);
    }

    #[test]
    fn table_that_changes_scores_in_deep_trees_is_not_shown_to_be_safe() {
        assert_eq!(table_safety(0, 6, 21), Depends);
        assert_eq!(table_safety(0, 0, 21), Undecided);
        assert_eq!(table_safety(0, 20, 21), Refuted);
        assert_eq!(table_safety(2, 0, 21), Refuted);
    }

    #[test]
    fn enhanced_cutoffs_are_confirmed_near_the_claimed_range_only() {
        assert_eq!(enhanced_cutoffs(r(0.78, 0.71, 0.84)), Confirmed);
        assert_eq!(enhanced_cutoffs(r(0.89, 0.86, 0.92)), Depends);
    }

    #[test]
    fn quiescence_must_gain_at_every_depth() {
        assert_eq!(every_gain(&[[10.0, 40.0], [-5.0, 20.0]]), Depends);
        assert_eq!(every_gain(&[]), Undecided);
    }

    #[test]
    fn loss_of_strength_does_not_show_at_the_ceiling() {
        let cost = r(3.0, 2.9, 3.1);
        let ceiling = (cost, (0.982, 0.01), (0.975, 0.01));
        assert_eq!(quality_and_cost(&[ceiling]), Undecided);
        let weighed = (cost, (0.8, 0.05), (0.6, 0.05));
        assert_eq!(quality_and_cost(&[ceiling, weighed]), Confirmed, "the other pair decides");
    }
}
