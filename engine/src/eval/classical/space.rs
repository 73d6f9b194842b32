//! Space: safe central squares behind the own pawns.

use super::sets::{CENTRE_FILES, fill_forward, ranks};
use super::state::EvalState;
use super::trace::Tracer;
use super::weights::{SPACE, SPACE_BEHIND_PAWNS};
use crate::types::{PieceType, Side};

/// Evaluates the space of one side.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(state: &mut EvalState<'_, T>) {
    let own = state.pawns(S::US);
    let safe = CENTRE_FILES & ranks::<S>(1, 3) & !own & !state.attacked_by(S::THEM, PieceType::Pawn);
    state.add_each::<S>(&SPACE, safe);
    let behind = fill_forward::<S::Other>(own.forward(S::THEM));
    state.add_each::<S>(&SPACE_BEHIND_PAWNS, safe & behind);
}
