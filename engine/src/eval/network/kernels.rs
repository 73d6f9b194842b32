//! The arithmetic of the network, once in plain Rust and once for each sort of processor.
//!
//! [`Kernels::scalar`] is the reference: two loops anyone can read. The others are the same loops compiled for wider
//! registers (`#[target_feature]`), or written with intrinsics where the compiler does not find the instruction; all give
//! the same sums, since integers that wrap may be added in any order (`tests`). Which ones run is decided once, when a
//! network is loaded.

/// Lanes in a [`Line`].
pub(super) const LANES: usize = 32;

/// One cache line of weights or sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Line(pub(super) [i16; LANES]);

impl Line {
    pub(super) const ZERO: Self = Self([0; LANES]);
}

/// Lines taken through the registers together.
const BLOCK: usize = 2;

/// Hidden neurons come in multiples of this.
pub const GRANULE: usize = BLOCK * LANES;

/// What a neuron gives at most, and what one stands for in the sums.
pub(super) const ONE: i16 = 255;

/// Rows of the first layer that are added to a sum, and those that are taken away.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<'a> {
    pub(super) added: &'a [u16],
    pub(super) removed: &'a [u16],
}

type Update = unsafe fn(&mut [Line], Option<&[Line]>, &[Line], Change<'_>);
type Output = unsafe fn([&[Line]; 2], &[Line]) -> i32;

/// One implementation of both layers.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    name: &'static str,
    update: Update,
    output: Output,
}

impl Kernels {
    /// The reference.
    pub const fn scalar() -> Self {
        Self { name: "scalar", update: update_scalar, output: output_scalar }
    }

    /// The best this processor can run.
    pub fn best() -> Self {
        Self::available().pop().unwrap_or(Self::scalar())
    }

    /// All this processor can run, the best last.
    pub fn available() -> Vec<Self> {
        let mut kernels =
            vec![Self::scalar(), Self { name: "portable", update: update_body, output: output_body }];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                kernels.push(Self { name: "avx2", update: x86::update_avx2, output: x86::output_avx2 });
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Self {
                    name: "avx512-vnni",
                    update: x86::update_avx512,
                    output: x86::output_vnni,
                });
            }
        }
        kernels
    }

    /// What it is called.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// `to` becomes `from`, or itself where there is none, and the rows added and removed.
    ///
    /// `rows` has all rows of the first layer, each as long as `to`; `from` is as long too.
    #[inline]
    pub(super) fn update(&self, to: &mut [Line], from: Option<&[Line]>, rows: &[Line], change: Change<'_>) {
        // SAFETY: those that need a feature of the processor are made only where it was detected.
        unsafe { (self.update)(to, from, rows, change) }
    }

    /// The sum over both sides' neurons, the mover's first, of weight times squared activation. Units: `1 / ONE²` of a
    /// weight; wraps beyond 32 bits, which a network that passed its checks never gets to.
    ///
    /// `weights` is as long as both sums together.
    #[inline]
    pub(super) fn output(&self, sums: [&[Line]; 2], weights: &[Line]) -> i32 {
        // SAFETY: as above.
        unsafe { (self.output)(sums, weights) }
    }
}

fn update_scalar(to: &mut [Line], from: Option<&[Line]>, rows: &[Line], change: Change<'_>) {
    if let Some(from) = from {
        to.copy_from_slice(from);
    }
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

fn output_scalar(sums: [&[Line]; 2], weights: &[Line]) -> i32 {
    let lanes = sums.into_iter().flatten().flat_map(|line| line.0);
    let weights = weights.iter().flat_map(|line| line.0);
    lanes.zip(weights).fold(0, |total: i32, (sum, weight)| {
        let active = i32::from(sum.clamp(0, ONE));
        total.wrapping_add(active * active * i32::from(weight))
    })
}

/// The update with a block of sums in registers while all rows pass by.
#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
#[inline(always)]
fn update_body(to: &mut [Line], from: Option<&[Line]>, rows: &[Line], change: Change<'_>) {
    let length = to.len();
    for first in (0..length).step_by(BLOCK) {
        let here = first..first + BLOCK;
        let base = from.map_or(&to[here.clone()], |from| &from[here.clone()]);
        let mut block: [Line; BLOCK] = std::array::from_fn(|line| base[line]);
        for &feature in change.added {
            let row = &rows[usize::from(feature) * length + first..][..BLOCK];
            for (sums, weights) in block.iter_mut().zip(row) {
                for (sum, weight) in sums.0.iter_mut().zip(weights.0) {
                    *sum = sum.wrapping_add(weight);
                }
            }
        }
        for &feature in change.removed {
            let row = &rows[usize::from(feature) * length + first..][..BLOCK];
            for (sums, weights) in block.iter_mut().zip(row) {
                for (sum, weight) in sums.0.iter_mut().zip(weights.0) {
                    *sum = sum.wrapping_sub(weight);
                }
            }
        }
        to[here].copy_from_slice(&block);
    }
}

/// The output in products of 16 bits, which the processor adds in pairs: activation times weight fits, since no weight
/// is beyond `i16::MAX / ONE`.
#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
#[inline(always)]
fn output_body(sums: [&[Line]; 2], weights: &[Line]) -> i32 {
    let (own, other) = weights.split_at(sums[0].len());
    let half = |sums: &[Line], weights: &[Line]| {
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
    use super::{Change, Line, ONE, output_body, update_body};
    use core::arch::x86_64::{
        _mm512_add_epi32, _mm512_dpwssd_epi32, _mm512_load_si512, _mm512_max_epi16, _mm512_min_epi16,
        _mm512_mullo_epi16, _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_setzero_si512,
    };

    #[target_feature(enable = "avx2")]
    pub(super) fn update_avx2(to: &mut [Line], from: Option<&[Line]>, rows: &[Line], change: Change<'_>) {
        update_body(to, from, rows, change);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn output_avx2(sums: [&[Line]; 2], weights: &[Line]) -> i32 {
        output_body(sums, weights)
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn update_avx512(to: &mut [Line], from: Option<&[Line]>, rows: &[Line], change: Change<'_>) {
        update_body(to, from, rows, change);
    }

    /// Two multiplications and their sum are one instruction here (`vpdpwssd`).
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn output_vnni(sums: [&[Line]; 2], weights: &[Line]) -> i32 {
        let (own, other) = weights.split_at(sums[0].len());
        let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(ONE));
        let mut totals = [zero; 2];
        for (sums, weights) in [(sums[0], own), (sums[1], other)] {
            for (index, (sums, weights)) in sums.iter().zip(weights).enumerate() {
                // SAFETY: a line is 64 bytes, aligned to 64.
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
