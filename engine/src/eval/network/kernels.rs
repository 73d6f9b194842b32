//! The arithmetic of the network: a scalar reference and one implementation per instruction set.
//!
//! [`Kernels::scalar`] is the reference. The others are the same loops compiled for wider registers
//! (`#[target_feature]`), or intrinsics where the compiler does not select the instruction. All
//! give equal results, because wrapping integer addition is associative (`tests`). The
//! implementation is selected when a network is loaded.

#![allow(unsafe_code, reason = "vector instructions")]

use arrayvec::ArrayVec;
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

/// Number of 16-bit lanes in a [`CacheLine`].
pub(super) const LANES: usize = 32;

/// One cache line of weights or sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout)]
#[repr(C, align(64))]
pub(super) struct CacheLine(pub(super) [i16; LANES]);

impl CacheLine {
    pub(super) const ZERO: Self = Self([0; LANES]);
}

/// Number of lines processed together in registers.
const BLOCK: usize = 2;

/// The number of hidden neurons must be a multiple of this.
pub const HIDDEN_MULTIPLE: usize = BLOCK * LANES;

/// The most rows that an update adds or removes: one for each square.
pub(super) const MAX_CHANGES: usize = 64;

/// Upper clip of a neuron's activation; also the quantisation unit of the sums.
pub(super) const ONE: i16 = 255;

/// Rows of the first layer to add to a sum and to subtract from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<'a> {
    pub(super) added: &'a [u16],
    pub(super) removed: &'a [u16],
}

/// Rows of the first layer that a move adds and removes, by index or in another form.
#[derive(Clone, Copy, Debug)]
pub(super) enum MoveRows<Row = u16> {
    /// A null move, which changes no rows.
    None,
    Quiet {
        added: Row,
        removed: Row,
    },
    Capture {
        added: Row,
        removed: [Row; 2],
    },
    Castling {
        added: [Row; 2],
        removed: [Row; 2],
    },
}

impl<Row> MoveRows<Row> {
    /// Returns the same change with the rows in another form.
    #[inline]
    pub(super) fn map<To>(self, form: impl Fn(Row) -> To) -> MoveRows<To> {
        match self {
            Self::None => MoveRows::None,
            Self::Quiet { added, removed } => MoveRows::Quiet { added: form(added), removed: form(removed) },
            Self::Capture { added, removed } => {
                MoveRows::Capture { added: form(added), removed: removed.map(form) }
            }
            Self::Castling { added, removed } => {
                MoveRows::Castling { added: added.map(&form), removed: removed.map(form) }
            }
        }
    }
}

type Play = unsafe fn(&mut [CacheLine], &[CacheLine], &[CacheLine], MoveRows);
type Update = unsafe fn(&mut [CacheLine], &[CacheLine], Change<'_>);
type Output = unsafe fn([&[CacheLine]; 2], &[CacheLine]) -> i32;

/// An implementation of both layers.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    name: &'static str,
    play: Play,
    update: Update,
    output: Output,
}

impl Kernels {
    /// Returns the scalar reference implementation.
    pub const fn scalar() -> Self {
        Self { name: "scalar", play: play_scalar, update: update_scalar, output: output_scalar }
    }

    /// Returns the fastest implementation for this processor.
    pub fn best() -> Self {
        Self::available().pop().unwrap_or(Self::scalar())
    }

    /// Returns all implementations for this processor, the fastest last.
    pub fn available() -> Vec<Self> {
        let portable = Self { name: "portable", play: play_body, update: update_body, output: output_body };
        let mut kernels = vec![Self::scalar(), portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                kernels.push(Self {
                    name: "avx2",
                    play: x86::play_avx2,
                    update: x86::update_avx2,
                    output: x86::output_avx2,
                });
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Self {
                    name: "avx512-vnni",
                    play: x86::play_avx512,
                    update: x86::update_avx512,
                    output: x86::output_vnni,
                });
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            kernels.push(Self {
                name: "neon",
                play: arm::play_neon,
                update: arm::update_neon,
                output: arm::output_neon,
            });
        }
        kernels
    }

    /// Returns the name of the implementation.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Sets `to` to the sums after a move, given those before it.
    ///
    /// `rows` contains all rows of the first layer; each row and `from` are as long as `to`.
    #[inline]
    pub(super) fn play(
        &self,
        to: &mut [CacheLine],
        from: &[CacheLine],
        rows: &[CacheLine],
        change: MoveRows,
    ) {
        // SAFETY: implementations that need a processor feature are constructed only if it was
        // detected.
        unsafe { (self.play)(to, from, rows, change) }
    }

    /// Adds and subtracts any number of rows. The arguments are as for [`play`](Self::play).
    #[inline]
    pub(super) fn update(&self, sums: &mut [CacheLine], rows: &[CacheLine], change: Change<'_>) {
        // SAFETY: as for `play`.
        unsafe { (self.update)(sums, rows, change) }
    }

    /// Returns the sum of weight times squared activation over both sides' neurons, the mover's
    /// first. Units: `1 / ONE²` of a weight. Wraps beyond 32 bits, which checked networks never
    /// reach.
    ///
    /// `weights` is as long as both sums together.
    #[inline]
    pub(super) fn output(&self, sums: [&[CacheLine]; 2], weights: &[CacheLine]) -> i32 {
        // SAFETY: as for `play`.
        unsafe { (self.output)(sums, weights) }
    }
}

fn play_scalar(to: &mut [CacheLine], from: &[CacheLine], rows: &[CacheLine], change: MoveRows) {
    to.copy_from_slice(from);
    match change {
        MoveRows::None => {}
        MoveRows::Quiet { added, removed } => {
            update_scalar(to, rows, Change { added: &[added], removed: &[removed] });
        }
        MoveRows::Capture { added, removed } => {
            update_scalar(to, rows, Change { added: &[added], removed: &removed });
        }
        MoveRows::Castling { added, removed } => {
            update_scalar(to, rows, Change { added: &added, removed: &removed });
        }
    }
}

fn update_scalar(to: &mut [CacheLine], rows: &[CacheLine], change: Change<'_>) {
    let length = to.len();
    let mut for_each = |features: &[u16], apply: fn(i16, i16) -> i16| {
        for &feature in features {
            let row = &rows[usize::from(feature) * length..][..length];
            for (sums, weights) in to.iter_mut().zip(row) {
                for (sum, weight) in sums.0.iter_mut().zip(weights.0) {
                    *sum = apply(*sum, weight);
                }
            }
        }
    };
    for_each(change.added, i16::wrapping_add);
    for_each(change.removed, i16::wrapping_sub);
}

fn output_scalar(sums: [&[CacheLine]; 2], weights: &[CacheLine]) -> i32 {
    let lanes = sums.into_iter().flatten().flat_map(|line| line.0);
    let weights = weights.iter().flat_map(|line| line.0);
    lanes.zip(weights).fold(0, |total: i32, (sum, weight)| {
        let active = i32::from(sum.clamp(0, ONE));
        total.wrapping_add(active * active * i32::from(weight))
    })
}

/// Has a loop of its own for each kind of move, which reads and writes each sum once.
#[expect(clippy::inline_always, reason = "it must be compiled for each instruction set")]
#[inline(always)]
fn play_body(to: &mut [CacheLine], from: &[CacheLine], rows: &[CacheLine], change: MoveRows) {
    match change {
        MoveRows::None => to.copy_from_slice(from),
        MoveRows::Quiet { added, removed } => play_by(to, from, rows, [added], [removed]),
        MoveRows::Capture { added, removed } => play_by(to, from, rows, [added], removed),
        MoveRows::Castling { added, removed } => play_by(to, from, rows, added, removed),
    }
}

/// Sets `to` to `from` with `A` rows added and `R` removed.
#[expect(clippy::inline_always, reason = "it must be compiled for each instruction set")]
#[inline(always)]
fn play_by<const A: usize, const R: usize>(
    to: &mut [CacheLine],
    from: &[CacheLine],
    rows: &[CacheLine],
    added: [u16; A],
    removed: [u16; R],
) {
    let length = to.len();
    let row = |feature: u16| blocks(&rows[usize::from(feature) * length..][..length]);
    let (added, removed, from) = (added.map(row), removed.map(row), blocks(&from[..length]));
    for (block, to) in to.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
        // Looked up outside the loops over lanes: with a profile, the compiler does not move the bounds
        // checks out of them, and then has no vectors.
        let (added, removed) = (added.map(|row| &row[block]), removed.map(|row| &row[block]));
        let mut sums = from[block];
        for line in 0..BLOCK {
            for lane in 0..LANES {
                let mut sum = sums[line].0[lane];
                for row in added {
                    sum = sum.wrapping_add(row[line].0[lane]);
                }
                for row in removed {
                    sum = sum.wrapping_sub(row[line].0[lane]);
                }
                sums[line].0[lane] = sum;
            }
        }
        *to = sums;
    }
}

/// Divides lines into blocks. The number of neurons is a multiple of a block's.
#[expect(clippy::inline_always, reason = "it must be compiled for each instruction set")]
#[inline(always)]
fn blocks(lines: &[CacheLine]) -> &[[CacheLine; BLOCK]] {
    lines.as_chunks().0
}

/// Updates block by block, holding each block of sums in registers while adding and subtracting all
/// rows.
#[expect(clippy::inline_always, reason = "it must be compiled for each instruction set")]
#[inline(always)]
fn update_body(to: &mut [CacheLine], rows: &[CacheLine], change: Change<'_>) {
    let length = to.len();
    let row = |&feature: &u16| blocks(&rows[usize::from(feature) * length..][..length]);
    // Extended in place, which saves the copy of a collected list.
    let mut added = ArrayVec::<_, MAX_CHANGES>::new();
    added.extend(change.added.iter().map(row));
    let mut removed = ArrayVec::<_, MAX_CHANGES>::new();
    removed.extend(change.removed.iter().map(row));
    for (block, to) in to.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
        let mut sums = *to;
        for row in &added {
            for (sums, weights) in sums.iter_mut().zip(&row[block]) {
                for (sum, weight) in sums.0.iter_mut().zip(weights.0) {
                    *sum = sum.wrapping_add(weight);
                }
            }
        }
        for row in &removed {
            for (sums, weights) in sums.iter_mut().zip(&row[block]) {
                for (sum, weight) in sums.0.iter_mut().zip(weights.0) {
                    *sum = sum.wrapping_sub(weight);
                }
            }
        }
        *to = sums;
    }
}

/// Computes the output with 16-bit products, which the processor adds in pairs. Activation times
/// weight fits in 16 bits, because no weight exceeds `i16::MAX / ONE`.
#[expect(clippy::inline_always, reason = "it must be compiled for each instruction set")]
#[inline(always)]
fn output_body(sums: [&[CacheLine]; 2], weights: &[CacheLine]) -> i32 {
    let (own, other) = weights.split_at(sums[0].len());
    let half = |sums: &[CacheLine], weights: &[CacheLine]| {
        let mut totals = [0_i32; LANES];
        for (line, weights) in sums.iter().zip(weights) {
            for ((total, sum), weight) in totals.iter_mut().zip(line.0).zip(weights.0) {
                let active = sum.clamp(0, ONE);
                let product = active.wrapping_mul(weight);
                *total = total.wrapping_add(i32::from(product) * i32::from(active));
            }
        }
        totals.into_iter().fold(0, i32::wrapping_add)
    };
    half(sums[0], own).wrapping_add(half(sums[1], other))
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{CacheLine, Change, LANES, MoveRows, ONE, play_body, update_body};
    use core::arch::x86_64::{
        __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_load_si256, _mm256_madd_epi16,
        _mm256_max_epi16, _mm256_min_epi16, _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
        _mm512_add_epi32, _mm512_dpwssd_epi32, _mm512_load_si512, _mm512_max_epi16, _mm512_min_epi16,
        _mm512_mullo_epi16, _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_setzero_si512,
    };

    #[target_feature(enable = "avx2")]
    pub(super) fn play_avx2(to: &mut [CacheLine], from: &[CacheLine], rows: &[CacheLine], change: MoveRows) {
        play_body(to, from, rows, change);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn update_avx2(to: &mut [CacheLine], rows: &[CacheLine], change: Change<'_>) {
        update_body(to, rows, change);
    }

    /// Number of 16-bit lanes in a register of AVX2.
    const REGISTER: usize = 16;

    /// Uses `vpmullw` and `vpmaddwd`, which multiply 16-bit lanes and add the products in pairs; from
    /// [`super::output_body`] the compiler makes 32-bit products of half as many lanes.
    #[target_feature(enable = "avx2")]
    pub(super) fn output_avx2(sums: [&[CacheLine]; 2], weights: &[CacheLine]) -> i32 {
        let (own, other) = weights.split_at(sums[0].len());
        let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(ONE));
        // One total for each half of a line, so that no addition waits for the one before.
        let mut totals = [zero; LANES / REGISTER];
        for (sums, weights) in [(sums[0], own), (sums[1], other)] {
            for (sums, weights) in sums.iter().zip(weights) {
                for (half, total) in totals.iter_mut().enumerate() {
                    let active = _mm256_min_epi16(_mm256_max_epi16(register(sums, half), zero), one);
                    let product = _mm256_mullo_epi16(active, register(weights, half));
                    *total = _mm256_add_epi32(*total, _mm256_madd_epi16(active, product));
                }
            }
        }
        let total = _mm256_add_epi32(totals[0], totals[1]);
        let total = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256::<1>(total));
        let total = _mm_add_epi32(total, _mm_shuffle_epi32::<0b01_00_11_10>(total));
        let total = _mm_add_epi32(total, _mm_shuffle_epi32::<0b10_11_00_01>(total));
        _mm_cvtsi128_si32(total)
    }

    /// Loads a half of a line.
    #[target_feature(enable = "avx2")]
    fn register(line: &CacheLine, half: usize) -> __m256i {
        let lanes = &line.0[half * REGISTER..][..REGISTER];
        // SAFETY: the half has 32 bytes and, as half of an aligned line, is aligned to 32 bytes.
        unsafe { _mm256_load_si256(lanes.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn play_avx512(
        to: &mut [CacheLine],
        from: &[CacheLine],
        rows: &[CacheLine],
        change: MoveRows,
    ) {
        play_body(to, from, rows, change);
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn update_avx512(to: &mut [CacheLine], rows: &[CacheLine], change: Change<'_>) {
        update_body(to, rows, change);
    }

    /// Uses `vpdpwssd`, which performs two multiplications and adds both products in one
    /// instruction.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn output_vnni(sums: [&[CacheLine]; 2], weights: &[CacheLine]) -> i32 {
        let (own, other) = weights.split_at(sums[0].len());
        let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(ONE));
        let mut totals = [zero; 2];
        for (sums, weights) in [(sums[0], own), (sums[1], other)] {
            for (index, (sums, weights)) in sums.iter().zip(weights).enumerate() {
                // SAFETY: a line has 64 bytes and is aligned to 64 bytes.
                let (sums, weights) = unsafe {
                    (
                        _mm512_load_si512(std::ptr::from_ref(sums).cast()),
                        _mm512_load_si512(std::ptr::from_ref(weights).cast()),
                    )
                };
                let active = _mm512_min_epi16(_mm512_max_epi16(sums, zero), one);
                let total = &mut totals[index % 2];
                *total = _mm512_dpwssd_epi32(*total, active, _mm512_mullo_epi16(active, weights));
            }
        }
        _mm512_reduce_add_epi32(_mm512_add_epi32(totals[0], totals[1]))
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::{CacheLine, Change, LANES, MoveRows, ONE, play_body, update_body};
    use core::arch::aarch64::{
        int16x8_t, vaddq_s32, vaddvq_s32, vdupq_n_s16, vdupq_n_s32, vget_low_s16, vld1q_s16, vmaxq_s16,
        vminq_s16, vmlal_high_s16, vmlal_s16, vmulq_s16,
    };

    /// Number of 16-bit lanes in a register.
    const REGISTER: usize = 8;

    #[target_feature(enable = "neon")]
    pub(super) fn play_neon(to: &mut [CacheLine], from: &[CacheLine], rows: &[CacheLine], change: MoveRows) {
        play_body(to, from, rows, change);
    }

    #[target_feature(enable = "neon")]
    pub(super) fn update_neon(to: &mut [CacheLine], rows: &[CacheLine], change: Change<'_>) {
        update_body(to, rows, change);
    }

    /// Uses `smlal`, which multiplies 16-bit lanes and adds the products to 32-bit lanes. Each
    /// quarter of a line has its own total, so that no addition waits for the one before.
    #[target_feature(enable = "neon")]
    pub(super) fn output_neon(sums: [&[CacheLine]; 2], weights: &[CacheLine]) -> i32 {
        let (own, other) = weights.split_at(sums[0].len());
        let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(ONE));
        let mut totals = [vdupq_n_s32(0); LANES / REGISTER];
        for (sums, weights) in [(sums[0], own), (sums[1], other)] {
            for (sums, weights) in sums.iter().zip(weights) {
                for (quarter, total) in totals.iter_mut().enumerate() {
                    let active = vminq_s16(vmaxq_s16(register(sums, quarter), zero), one);
                    let product = vmulq_s16(active, register(weights, quarter));
                    *total = vmlal_s16(*total, vget_low_s16(active), vget_low_s16(product));
                    *total = vmlal_high_s16(*total, active, product);
                }
            }
        }
        vaddvq_s32(vaddq_s32(vaddq_s32(totals[0], totals[1]), vaddq_s32(totals[2], totals[3])))
    }

    /// Returns a quarter of a line.
    #[inline]
    #[target_feature(enable = "neon")]
    fn register(line: &CacheLine, quarter: usize) -> int16x8_t {
        let lanes = &line.0[quarter * REGISTER..][..REGISTER];
        // SAFETY: the slice has eight lanes; the load needs no alignment beyond theirs.
        unsafe { vld1q_s16(lanes.as_ptr()) }
    }
}
