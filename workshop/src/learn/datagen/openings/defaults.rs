//! Defaults that the sources of start positions share.

use std::num::NonZeroU32;

pub(super) fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

pub(super) fn max_score() -> u16 {
    600
}
