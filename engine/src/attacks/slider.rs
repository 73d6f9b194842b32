//! Bishop and rook attacks by table look-up: PEXT or magic bitboards.
//!
//! The attacks from a square depend only on the occupancy of relevant squares, so the table
//! has one entry per subset of them. With BMI2, PEXT maps the subset to its index; otherwise a
//! multiplication by a magic number does (`magics`). Both use the same table layout and are tested
//! against the slow reference. PEXT is slow on AMD processors before Zen 3; build for `x86-64-v2`
//! there. The `unsafe` PEXT call is kept because move generation and exchange evaluation depend on
//! it for speed.

#![allow(unsafe_code, reason = "PEXT, where the target has it")]

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
mod magics;

use super::rays::{BISHOP_STEPS, ROOK_STEPS, Rays, relevant_occupancy};
use crate::types::{Bitboard, Square};

/// Table offset and relevant squares of one square.
#[derive(Clone, Copy)]
struct LookupEntry {
    mask: u64,
    offset: u32,
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    magic: u64,
}

/// Number of rook entries: one per subset of relevant squares, summed over all squares.
const ROOK_ENTRIES: usize = 102_400;
/// The same for bishops.
const BISHOP_ENTRIES: usize = 5_248;

const ROOK_RAYS: Rays = Rays::new(ROOK_STEPS);
const BISHOP_RAYS: Rays = Rays::new(BISHOP_STEPS);

#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
mod indexing {
    use super::{LookupEntry, relevant_occupancy};

    pub(super) const ROOK: [(); 64] = [(); 64];
    pub(super) const BISHOP: [(); 64] = [(); 64];

    pub(super) const fn slot(square: usize, steps: [(i32, i32); 4], offset: u32, _: ()) -> LookupEntry {
        LookupEntry { mask: relevant_occupancy(square, steps), offset }
    }

    /// Returns the index of the subset that is the `rank`-th smallest.
    pub(super) const fn index_for_fill(_: LookupEntry, _: u64, rank: usize) -> usize {
        rank
    }

    #[inline]
    pub(super) fn index(slot: LookupEntry, occupied: u64) -> usize {
        // SAFETY: this module is compiled only if BMI2 is among the target features of the build.
        unsafe { core::arch::x86_64::_pext_u64(occupied, slot.mask) as usize }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
mod indexing {
    pub(super) use super::magics::{BISHOP, ROOK};
    use super::{LookupEntry, relevant_occupancy};

    pub(super) const fn slot(square: usize, steps: [(i32, i32); 4], offset: u32, magic: u64) -> LookupEntry {
        LookupEntry { mask: relevant_occupancy(square, steps), offset, magic }
    }

    pub(super) const fn index_for_fill(slot: LookupEntry, subset: u64, _: usize) -> usize {
        super::magics::index(slot.mask, slot.magic, subset)
    }

    #[inline]
    pub(super) const fn index(slot: LookupEntry, occupied: u64) -> usize {
        super::magics::index(slot.mask, slot.magic, occupied)
    }
}

macro_rules! slots {
    ($steps:expr, $entries:expr, $extra:expr) => {{
        let mut slots = [indexing::slot(0, $steps, 0, $extra[0]); 64];
        let mut offset = 0;
        let mut square = 0;
        while square < 64 {
            slots[square] = indexing::slot(square, $steps, offset, $extra[square]);
            offset += 1 << slots[square].mask.count_ones();
            square += 1;
        }
        assert!(offset as usize == $entries);
        slots
    }};
}

const ROOK_LOOKUP_INIT: [LookupEntry; 64] = slots!(ROOK_STEPS, ROOK_ENTRIES, indexing::ROOK);
const BISHOP_LOOKUP_INIT: [LookupEntry; 64] = slots!(BISHOP_STEPS, BISHOP_ENTRIES, indexing::BISHOP);
static ROOK_LOOKUP: [LookupEntry; 64] = ROOK_LOOKUP_INIT;
static BISHOP_LOOKUP: [LookupEntry; 64] = BISHOP_LOOKUP_INIT;

/// Fills the table; the subsets of each square are enumerated in increasing order.
const fn fill<const N: usize>(rays: &Rays, slots: &[LookupEntry; 64]) -> [Bitboard; N] {
    let mut table = [Bitboard::EMPTY; N];
    let mut square = 0;
    while square < 64 {
        let slot = slots[square];
        let mut subset: u64 = 0;
        let mut rank = 0;
        loop {
            let index = slot.offset as usize + indexing::index_for_fill(slot, subset, rank);
            table[index] = Bitboard(rays.attacks(square, subset));
            subset = subset.wrapping_sub(slot.mask) & slot.mask;
            rank += 1;
            if subset == 0 {
                break;
            }
        }
        square += 1;
    }
    table
}

static ROOK: [Bitboard; ROOK_ENTRIES] = fill(&ROOK_RAYS, &ROOK_LOOKUP_INIT);
static BISHOP: [Bitboard; BISHOP_ENTRIES] = fill(&BISHOP_RAYS, &BISHOP_LOOKUP_INIT);

/// Returns the squares attacked by a bishop on `square`, given the `occupied` squares.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let slot = BISHOP_LOOKUP[square.index()];
    BISHOP[slot.offset as usize + indexing::index(slot, occupied.0)]
}

/// Returns the squares attacked by a rook on `square`, given the `occupied` squares.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let slot = ROOK_LOOKUP[square.index()];
    ROOK[slot.offset as usize + indexing::index(slot, occupied.0)]
}

#[cfg(test)]
mod tests {
    use super::super::rays::cast_rays;
    use super::*;

    /// Tests every subset of the relevant squares, together with irrelevant squares that must make
    /// no difference.
    #[test]
    fn table_attacks_equal_the_slow_reference() {
        for square in Square::all() {
            for (steps, fast) in
                [(ROOK_STEPS, rook as fn(Square, Bitboard) -> Bitboard), (BISHOP_STEPS, bishop)]
            {
                let mask = relevant_occupancy(square.index(), steps);
                let mut subset: u64 = 0;
                loop {
                    for irrelevant in [0, !mask, 0xA5A5_5A5A_DEAD_BEEF & !mask] {
                        let occupied = subset | irrelevant;
                        let slow = cast_rays(square.index(), steps, occupied);
                        assert_eq!(fast(square, Bitboard(occupied)).0, slow, "{square} {occupied:x}");
                    }
                    subset = subset.wrapping_sub(mask) & mask;
                    if subset == 0 {
                        break;
                    }
                }
            }
        }
    }
}
