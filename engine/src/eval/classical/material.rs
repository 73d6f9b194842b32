//! Material: what the pieces are worth, wherever they stand.

use super::sheet::Sheet;
use super::trace::Tracer;
use super::weights::{BISHOP_PAIR, MATERIAL};
use crate::types::{Bitboard, PieceType, Side};

/// The worth of one side's pieces.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>) {
    for kind in PieceType::ALL.into_iter().take(MATERIAL.weights.len()) {
        let count = sheet.of(S::US, kind).count() as i32;
        sheet.add_times::<S, _>(&MATERIAL, kind.index(), count);
    }
    let bishops = sheet.of(S::US, PieceType::Bishop);
    if (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any() {
        sheet.add::<S, _>(&BISHOP_PAIR, 0);
    }
}
