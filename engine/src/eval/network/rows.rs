//! The feature weights in memory, on huge pages.
//!
//! An update reads a few rows scattered over megabytes. On ordinary pages nearly every row would
//! miss the TLB.

use std::fmt;
use std::ops::Deref;

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use zerocopy::FromBytes;

use super::kernels::{CacheLine, LANES};
use crate::memory::{OutOfMemory, map_zeroed};

type Lines<'a> = &'a mut [CacheLine];

self_cell! {
    struct Pages {
        owner: MutBorrow<MmapMut>,
        #[covariant]
        dependent: Lines,
    }
}

/// The weights of the first layer: one row of neurons per feature.
pub(super) struct Rows(Pages);

impl Rows {
    /// Copies the weights. Their number is a multiple of [`LANES`].
    ///
    /// Errors: [`OutOfMemory`] if the allocation fails.
    pub(super) fn new(weights: &[i16]) -> Result<Self, OutOfMemory> {
        let size = size_of_val(weights);
        let (map, start) = map_zeroed(size)?;
        Pages::try_new(MutBorrow::new(map), |map| {
            let bytes = &mut map.borrow_mut()[start..start + size];
            let lines = <[CacheLine]>::mut_from_bytes(bytes).map_err(|_| OutOfMemory)?;
            for (line, weights) in lines.iter_mut().zip(weights.chunks_exact(LANES)) {
                line.0.copy_from_slice(weights);
            }
            Ok(lines)
        })
        .map(Self)
    }
}

impl Deref for Rows {
    type Target = [CacheLine];

    #[inline]
    fn deref(&self) -> &[CacheLine] {
        self.0.borrow_dependent()
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rows").field(&self.len()).finish()
    }
}
