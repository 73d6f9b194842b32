//! Material: piece values and the bishop pair.

use super::state::EvalState;
use super::trace::Tracer;
use super::weights::{BISHOP_PAIR, MATERIAL};
use crate::types::{Bitboard, PieceType, Side};

/// Evaluates the material of one side.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(state: &mut EvalState<'_, T>) {
    for kind in PieceType::ALL.into_iter().take(MATERIAL.weights.len()) {
        let count = state.of(S::US, kind).count() as i32;
        state.add_times::<S, _>(&MATERIAL, kind.index(), count);
    }
    let bishops = state.of(S::US, PieceType::Bishop);
    if (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any() {
        state.add::<S, _>(&BISHOP_PAIR, 0);
    }
}
