//! All sliders of a side at once.
//!
//! They are spread over the empty squares by doubling steps (Kogge-Stone fill), in eight directions side by side,
//! which the compiler turns into vector instructions where the target has shifts by different amounts. No loop over
//! pieces, no table, nothing to mispredict: this is what counting moves and finding safe squares for a king live on.

use std::array;

use crate::types::{Bitboard, File};

/// Index distances of half the directions: along the rank, the file and the two diagonals. The other half falls.
const STEPS: [u32; 4] = [1, 8, 9, 7];

const NOT_A: u64 = !Bitboard::file(File::A).0;
const NOT_H: u64 = !Bitboard::file(File::H).0;
/// Where a rising step may land without having left the board sideways.
const RISING: [u64; 4] = [NOT_A, u64::MAX, NOT_A, NOT_H];
/// The same for a falling step.
const FALLING: [u64; 4] = [NOT_H, u64::MAX, NOT_H, NOT_A];

/// Spreads each source in its direction: through free squares, and one step on to what is attacked.
#[inline]
fn spread(sources: [u64; 4], empty: u64, lands: [u64; 4], shift: impl Fn(u64, u32) -> u64) -> [u64; 4] {
    let mut sets = sources;
    for ((set, step), land) in sets.iter_mut().zip(STEPS).zip(lands) {
        let mut free = empty & land;
        let mut reached = *set;
        reached |= free & shift(reached, step);
        free &= shift(free, step);
        reached |= free & shift(reached, 2 * step);
        free &= shift(free, 2 * step);
        reached |= free & shift(reached, 4 * step);
        *set = shift(reached, step) & land;
    }
    sets
}

/// What the sliders attack in the rising and the falling directions.
#[inline]
fn fans(diagonal: Bitboard, straight: Bitboard, occupied: Bitboard) -> [[u64; 4]; 2] {
    let sources = [straight.0, straight.0, diagonal.0, diagonal.0];
    let rising = spread(sources, !occupied.0, RISING, |set, by| set << by);
    let falling = spread(sources, !occupied.0, FALLING, |set, by| set >> by);
    [rising, falling]
}

/// Squares that any of these diagonal and straight sliders attack when `occupied` is taken.
///
/// Kept out of line, as is [`count_slides`]: seen alone the fill becomes vector code, seen within a caller it
/// becomes a mixture that is slower than either.
#[inline(never)]
pub fn sliders(diagonal: Bitboard, straight: Bitboard, occupied: Bitboard) -> Bitboard {
    let [rising, falling] = fans(diagonal, straight, occupied);
    let both: [u64; 4] = array::from_fn(|i| rising[i] | falling[i]);
    Bitboard(both[0] | both[1] | both[2] | both[3])
}

/// How many pairs of one of these sliders and a square of `targets` it attacks when `occupied` is taken.
///
/// In one direction a square is attacked by at most one slider, so the directions' counts add up to the pairs.
#[inline(never)]
pub fn count_slides(diagonal: Bitboard, straight: Bitboard, occupied: Bitboard, targets: Bitboard) -> u32 {
    let [rising, falling] = fans(diagonal, straight, occupied);
    let counts: [u32; 4] =
        array::from_fn(|i| (rising[i] & targets.0).count_ones() + (falling[i] & targets.0).count_ones());
    counts.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::super::{bishop, rook};
    use super::*;

    #[test]
    fn equals_one_slider_at_a_time() {
        let mut state: u64 = 0xF111;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        for round in 0..20_000 {
            // From crowded to nearly empty boards.
            let mut occupied = random();
            for _ in 0..round % 4 {
                occupied &= random();
            }
            let occupied = Bitboard(occupied);
            let diagonal = Bitboard(random() & random()) & occupied;
            let straight = Bitboard(random() & random()) & occupied;
            let targets = Bitboard(random());
            let each = diagonal
                .into_iter()
                .map(|from| bishop(from, occupied))
                .chain(straight.into_iter().map(|from| rook(from, occupied)));
            let (mut union, mut count) = (Bitboard::EMPTY, 0);
            for attacked in each {
                union |= attacked;
                count += (attacked & targets).count();
            }
            assert_eq!(sliders(diagonal, straight, occupied), union);
            assert_eq!(count_slides(diagonal, straight, occupied, targets), count);
        }
    }
}
