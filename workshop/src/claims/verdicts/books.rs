//! Verdicts of the claims on opening books and first moves (B).

use super::both;
use crate::claims::claim::Verdict::{self, Confirmed, Depends, Refuted, Undecided};
use crate::claims::limits;

/// Decides B7 from the limits of the plies that a book of all games would reach, and the limits of
/// the change per ply of the hazard: the share of the games in the book that leave it at a ply. That
/// ever fewer games are in the book follows from counting them and shows nothing.
///
/// The games vary less than those of players with ideas of their own, so a book knows more plies of
/// them. A reach below the claimed one therefore refutes that part of the claim, and any other reach
/// decides nothing. `None` is a reach beyond the plies that were compared.
pub(in crate::claims) fn book_reach(all: Option<[f64; 2]>, hazard: [f64; 2]) -> Verdict {
    /// The least of the claimed 5 to 15 moves. Units: plies.
    const CLAIMED: f64 = 10.0;
    let reaches = all.and_then(|[_, most]| (most < CLAIMED).then_some(false));
    let knows_less = if hazard[0] >= 0.0 { Some(true) } else { (hazard[1] < 0.0).then_some(false) };
    reaches.zip(knows_less).map_or(Undecided, |(one, other)| both(one, other))
}

/// The places of the favourite first moves among all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::claims) struct Favourites {
    /// The ranks of e4, d4, c4 and Nf3, from 1.
    pub(in crate::claims) ranks: [usize; 4],
    /// The score of the best of all moves less that of the better one of e4 and d4. Units:
    /// centipawns.
    pub(in crate::claims) behind: f64,
}

/// Decides B8 from the favourite first moves, by evaluation. The order of nearly equal moves is not
/// certain, so a small deficit does not refute the claim.
pub(in crate::claims) fn favourites(found: &[Favourites]) -> Verdict {
    let is_as_claimed = |&Favourites { ranks: [king, queen, bishop, knight], .. }: &Favourites| {
        king + queen == 1 + 2 && bishop + knight == 3 + 4
    };
    let has_best = |found: &Favourites| found.ranks[..2].contains(&1);
    match found {
        [] => Undecided,
        all if all.iter().all(is_as_claimed) => Confirmed,
        all if all.iter().all(|found| found.behind > limits::EQUAL_MOVES) => Refuted,
        // At least one evaluation agrees in part.
        all if all.iter().any(has_best) => Depends,
        _ => Undecided,
    }
}

/// Decides B2 from the collisions of whole keys, and whether shorter keys collide as often as
/// chance says.
pub(in crate::claims) fn collisions(whole: u64, is_by_chance: bool) -> Verdict {
    both(whole == 0, is_by_chance)
}

/// Decides B4 from the probability of the losing line before the first and before the last game,
/// when the opponent replies freely and when it plays the refutation; and the largest change
/// without learning.
pub(in crate::claims) fn learning(free: [f64; 2], refuting: [f64; 2], change_without: f64) -> Verdict {
    let learns = |[first, last]: [f64; 2]| last < first * limits::LEARNT && change_without < 1e-9;
    both(learns(free), learns(refuting))
}

/// Decides B6 from the score of the pruned book and the half-width of its interval.
pub(in crate::claims) fn pruning(score: f64, half: f64) -> Verdict {
    match score {
        score if score - half > 0.5 => Confirmed,
        score if score + half < 0.5 => Refuted,
        _ => Undecided,
    }
}
