//! Verdicts of the claims on endgames and their tables (T).

use super::{Ratio, both, divided, near, sides};
use crate::claims::claim::Verdict::{self, Confirmed, Depends, Refuted, Undecided};
use crate::claims::limits;

/// Decides T26 from the games played and those won within fifty moves, by number of nodes.
pub(in crate::claims) fn won_by_search(games: &[(u64, u64)]) -> Verdict {
    let wins = games.iter().filter(|&&(played, won)| 2 * won > played).count();
    divided(wins, games.len() - wins, games.len())
}

/// Decides T27 from the growth from five to six pieces, and the claimed one.
pub(in crate::claims) fn growth(found: f64, claimed: f64) -> Verdict {
    // Compression changes from format to format, so the same order of magnitude is agreement.
    Verdict::of((limits::GROWTH.recip()..=limits::GROWTH).contains(&(found / claimed)))
}

/// Decides T2 from the longest win and loss of KQK. Units: plies.
pub(in crate::claims) fn queen_depth(win: u16, loss: u16) -> Verdict {
    both(win.div_ceil(2) == 10, loss.abs_diff(20) <= limits::ITERATIONS)
}

/// Decides T3 from the drawn shares with White and with Black to move, and draws for other reasons
/// than the two of the text.
pub(in crate::claims) fn queen_wins(white_drawn: f64, black_drawn: f64, others: u64) -> Verdict {
    if others > 0 {
        return Refuted;
    }
    both(white_drawn <= limits::VERY_RARE, black_drawn <= limits::VERY_RARE)
}

/// The endgames of a number of pieces, and those that both sides can win.
#[derive(Clone, Copy, Debug)]
pub(in crate::claims) struct Winnable {
    pub(in crate::claims) all: usize,
    pub(in crate::claims) both: usize,
    /// Whether `both` is a lower limit.
    pub(in crate::claims) is_at_least: bool,
}

/// Decides T6 from the counts by number of pieces.
pub(in crate::claims) fn both_can_win(counts: &[Winnable]) -> Verdict {
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
pub(in crate::claims) fn queen_against_pawn(missing: usize, more: usize) -> Verdict {
    Verdict::of(missing == 0 && more == 0)
}

/// Decides T10 from the decisive positions with like bishops, decisive and drawn ones overall.
pub(in crate::claims) fn bishops(same: u64, decisive: u64, draws: u64) -> Verdict {
    both(same == 0, draws > limits::DRAWS * decisive)
}

/// Decides T14 from the product, and the limits of the share of legal positions in it.
pub(in crate::claims) fn five_piece_positions(product: u64, share: Ratio) -> Verdict {
    let [least, most] = limits::ABOUT_HALF;
    let about_half = share.low >= least && share.high <= most;
    both(product == 201_287_116_800, about_half)
}

/// Decides T15 from the positions per byte of tables, by the sides stored.
pub(in crate::claims) fn positions_a_byte(ways: &[f64]) -> Verdict {
    let as_claimed = ways.iter().filter(|&&found| near(found, 13.0, limits::PER_BYTE)).count();
    divided(as_claimed, ways.len() - as_claimed, ways.len())
}

/// Decides T16 from the moves to the capture of the rook.
pub(in crate::claims) fn queen_against_rook(moves: u16) -> Verdict {
    Verdict::of(moves > 50)
}

/// Decides T17 from the games played and those won within fifty moves, by strength. Against a
/// table, a strong player fails, or only the weak ones do.
pub(in crate::claims) fn fallible_player(games: &[(u64, u64)]) -> Verdict {
    let fails = games.iter().filter(|&&(played, won)| 2 * won < played).count();
    divided(fails, games.len() - fails, games.len())
}

/// Decides T18 from the longest loss of KBBKN. Units: plies.
pub(in crate::claims) fn two_bishops(loss: u16) -> Verdict {
    Verdict::of(loss.div_ceil(2) == 66)
}

/// Decides T19 from the won shares with opposite and with like bishops.
pub(in crate::claims) fn two_bishops_share(opposite: f64, same: f64) -> Verdict {
    both(opposite > limits::ALMOST_EVERY, same > limits::ALMOST_EVERY)
}

/// Decides T20 from the won share of the positions with the defence.
pub(in crate::claims) fn kling_and_horwitz(share: f64) -> Verdict {
    let [lost, mostly] = limits::FORTRESS;
    match share {
        share if share >= lost => Confirmed,
        // The claim holds in most positions with the fortress.
        share if share >= mostly => Depends,
        _ => Refuted,
    }
}

/// Decides T21 from the wins that take more than fifty moves, of all.
pub(in crate::claims) fn fifty_moves(late: u64) -> Verdict {
    Verdict::of(late > 0)
}

/// Decides T23 from the bytes with DTM, DTC and DTZ.
pub(in crate::claims) fn smaller_numbers([mate, conversion, zeroing]: [usize; 3]) -> Verdict {
    both(conversion < mate, zeroing < mate)
}

/// Decides T24 from the longest distance. Two bits of type leave six for the distance. A distance
/// in moves with the type gives the plies, since wins are odd and losses even. Units: plies.
pub(in crate::claims) fn one_byte(longest: u16) -> Verdict {
    match longest {
        plies if plies <= limits::SIX_BITS => Confirmed,
        plies if plies.div_ceil(2) <= limits::SIX_BITS => Depends,
        _ => Refuted,
    }
}

/// Decides T25 from the longest distance to a zeroing move. Units: plies.
pub(in crate::claims) fn few_pieces(longest: u16) -> Verdict {
    Verdict::of((1..=100).contains(&longest))
}

/// Decides T29 and T30 from the shares by number of pieces; those of T30 are counted in two ways.
pub(in crate::claims) fn small_fraction(shares: &[Ratio]) -> Verdict {
    let (small, large) = sides(shares, limits::SMALL);
    divided(small, large, shares.len())
}
