//! Attacks of all sliders of a side at once, by Kogge-Stone fill.
//!
//! The fill spreads the sliders over empty squares in doubling steps, eight directions in parallel.
//! The compiler turns it into vector instructions where the target has shifts by different amounts
//! per lane. It needs no loop over pieces, no table look-up and no unpredictable branch. Move
//! counting and king safety squares use it.

use std::array;

use crate::types::{Bitboard, File};

/// Index steps of half the directions: along the rank, the file and the two diagonals. The others
/// are negated.
const STEPS: [u32; 4] = [1, 8, 9, 7];

const NOT_A: u64 = !Bitboard::file(File::A).0;
const NOT_H: u64 = !Bitboard::file(File::H).0;
/// Squares that a step of increasing index may reach without wrapping around the board edge.
const RISING: [u64; 4] = [NOT_A, u64::MAX, NOT_A, NOT_H];
/// The same for steps of decreasing index.
const FALLING: [u64; 4] = [NOT_H, u64::MAX, NOT_H, NOT_A];

/// Spreads each source in its direction through empty squares, then one step further onto the
/// attacked square.
#[inline]
fn kogge_stone_fill(
    sources: [u64; 4],
    empty: u64,
    reachable: [u64; 4],
    shift: impl Fn(u64, u32) -> u64,
) -> [u64; 4] {
    let mut sets = sources;
    for ((set, step), reachable_by_step) in sets.iter_mut().zip(STEPS).zip(reachable) {
        let mut free = empty & reachable_by_step;
        let mut reached = *set;
        reached |= free & shift(reached, step);
        free &= shift(free, step);
        reached |= free & shift(reached, 2 * step);
        free &= shift(free, 2 * step);
        reached |= free & shift(reached, 4 * step);
        *set = shift(reached, step) & reachable_by_step;
    }
    sets
}

/// Returns the squares attacked in the directions of increasing and of decreasing index.
#[inline]
fn directional_attacks(diagonal: Bitboard, orthogonal: Bitboard, occupied: Bitboard) -> [[u64; 4]; 2] {
    let sources = [orthogonal.0, orthogonal.0, diagonal.0, diagonal.0];
    let rising = kogge_stone_fill(sources, !occupied.0, RISING, |set, by| set << by);
    let falling = kogge_stone_fill(sources, !occupied.0, FALLING, |set, by| set >> by);
    [rising, falling]
}

/// Returns the squares attacked by any of the diagonal and orthogonal sliders, given the `occupied`
/// squares.
///
/// Kept out of line, as is [`count_slider_attacks`]: compiled alone the fill is vectorised, inlined
/// into a caller it becomes a slower mix of scalar and vector code.
#[inline(never)]
pub fn sliders(diagonal: Bitboard, orthogonal: Bitboard, occupied: Bitboard) -> Bitboard {
    let [rising, falling] = directional_attacks(diagonal, orthogonal, occupied);
    let both: [u64; 4] = array::from_fn(|i| rising[i] | falling[i]);
    Bitboard(both[0] | both[1] | both[2] | both[3])
}

/// Returns the number of pairs of a slider and a square of `targets` that it attacks.
///
/// Per direction, at most one slider attacks a square, so the counts of the directions add up to
/// the pairs.
#[inline(never)]
pub fn count_slider_attacks(
    diagonal: Bitboard,
    orthogonal: Bitboard,
    occupied: Bitboard,
    targets: Bitboard,
) -> u32 {
    let [rising, falling] = directional_attacks(diagonal, orthogonal, occupied);
    let counts: [u32; 4] =
        array::from_fn(|i| (rising[i] & targets.0).count_ones() + (falling[i] & targets.0).count_ones());
    counts.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::super::{bishop, rook};
    use super::*;
    use crate::types::SplitMix64;

    #[test]
    fn fill_equals_the_union_of_single_slider_attacks() {
        let mut generator = SplitMix64::new(0xF111);
        let mut random = || generator.next_u64();
        for round in 0..20_000 {
            // From crowded to nearly empty boards.
            let mut occupied = random();
            for _ in 0..round % 4 {
                occupied &= random();
            }
            let occupied = Bitboard(occupied);
            let diagonal = Bitboard(random() & random()) & occupied;
            let orthogonal = Bitboard(random() & random()) & occupied;
            let targets = Bitboard(random());
            let each = diagonal
                .into_iter()
                .map(|from| bishop(from, occupied))
                .chain(orthogonal.into_iter().map(|from| rook(from, occupied)));
            let (mut union, mut count) = (Bitboard::EMPTY, 0);
            for attacked in each {
                union |= attacked;
                count += (attacked & targets).count();
            }
            assert_eq!(sliders(diagonal, orthogonal, occupied), union);
            assert_eq!(count_slider_attacks(diagonal, orthogonal, occupied, targets), count);
        }
    }
}
