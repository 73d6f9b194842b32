//! Bishops and rooks in one look-up.
//!
//! A square's attacks depend only on which of its `relevant` squares are taken, so every such subset has its
//! own entry. Where the build target has BMI2, PEXT turns the subset into the index; elsewhere a multiplication
//! does, by a number found by trial (`magics`). Both lay the entries out in the same slots, and both are tested
//! against the slow walk. (PEXT is slow on AMD before Zen 3: build for `x86-64-v2` there.) The one `unsafe` call
//! is worth it: without it, listing moves and evaluating exchanges takes a tenth longer.

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
mod magics;

use super::rays::{BISHOP_STEPS, ROOK_STEPS, Rays, relevant};
use crate::types::{Bitboard, Square};

/// Where a square's entries start and which squares select among them.
#[derive(Clone, Copy)]
struct Slot {
    mask: u64,
    offset: u32,
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    magic: u64,
}

/// One entry for each subset of relevant squares, all rook squares together.
const ROOK_ENTRIES: usize = 102_400;
/// The same for bishops.
const BISHOP_ENTRIES: usize = 5_248;

const ROOK_RAYS: Rays = Rays::new(ROOK_STEPS);
const BISHOP_RAYS: Rays = Rays::new(BISHOP_STEPS);

#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
mod indexing {
    use super::{Slot, relevant};

    pub(super) const ROOK: [(); 64] = [(); 64];
    pub(super) const BISHOP: [(); 64] = [(); 64];

    pub(super) const fn slot(square: usize, steps: [(i32, i32); 4], offset: u32, _: ()) -> Slot {
        Slot { mask: relevant(square, steps), offset }
    }

    /// The index of the subset that is the `rank`-th smallest.
    pub(super) const fn index_for_fill(_: Slot, _: u64, rank: usize) -> usize {
        rank
    }

    #[inline]
    pub(super) fn index(slot: Slot, occupied: u64) -> usize {
        // SAFETY: this module is compiled only where every CPU the build is meant for has BMI2.
        unsafe { core::arch::x86_64::_pext_u64(occupied, slot.mask) as usize }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
mod indexing {
    pub(super) use super::magics::{BISHOP, ROOK};
    use super::{Slot, relevant};

    pub(super) const fn slot(square: usize, steps: [(i32, i32); 4], offset: u32, magic: u64) -> Slot {
        Slot { mask: relevant(square, steps), offset, magic }
    }

    pub(super) const fn index_for_fill(slot: Slot, subset: u64, _: usize) -> usize {
        super::magics::index(slot.mask, slot.magic, subset)
    }

    #[inline]
    pub(super) const fn index(slot: Slot, occupied: u64) -> usize {
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

const ROOK_SLOTS_INIT: [Slot; 64] = slots!(ROOK_STEPS, ROOK_ENTRIES, indexing::ROOK);
const BISHOP_SLOTS_INIT: [Slot; 64] = slots!(BISHOP_STEPS, BISHOP_ENTRIES, indexing::BISHOP);
static ROOK_SLOTS: [Slot; 64] = ROOK_SLOTS_INIT;
static BISHOP_SLOTS: [Slot; 64] = BISHOP_SLOTS_INIT;

/// Fills the table, each square's subsets from the smallest up.
const fn fill<const N: usize>(rays: &Rays, slots: &[Slot; 64]) -> [Bitboard; N] {
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

static ROOK: [Bitboard; ROOK_ENTRIES] = fill(&ROOK_RAYS, &ROOK_SLOTS_INIT);
static BISHOP: [Bitboard; BISHOP_ENTRIES] = fill(&BISHOP_RAYS, &BISHOP_SLOTS_INIT);

/// Squares a bishop on `square` attacks when `occupied` is taken.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let slot = BISHOP_SLOTS[square.index()];
    BISHOP[slot.offset as usize + indexing::index(slot, occupied.0)]
}

/// Squares a rook on `square` attacks when `occupied` is taken.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let slot = ROOK_SLOTS[square.index()];
    ROOK[slot.offset as usize + indexing::index(slot, occupied.0)]
}

#[cfg(test)]
mod tests {
    use super::super::rays::walk_all;
    use super::*;

    /// Every subset of the relevant squares, with other squares taken as well: they must not matter.
    #[test]
    fn look_ups_equal_the_slow_walk() {
        for square in Square::all() {
            for (steps, fast) in
                [(ROOK_STEPS, rook as fn(Square, Bitboard) -> Bitboard), (BISHOP_STEPS, bishop)]
            {
                let mask = relevant(square.index(), steps);
                let mut subset: u64 = 0;
                loop {
                    for noise in [0, !mask, 0xA5A5_5A5A_DEAD_BEEF & !mask] {
                        let occupied = subset | noise;
                        let slow = walk_all(square.index(), steps, occupied);
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
