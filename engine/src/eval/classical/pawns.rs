//! Pawn structure: isolated, backward and doubled pawns, phalanxes and supported pawns.
//!
//! Computed for all pawns at once by filling files and shifting sets; only terms by rank need a
//! loop.

use super::sets::{adjacent_files, fill_forward};
use super::state::EvalState;
use super::trace::Tracer;
use super::weights::{BACKWARD, DOUBLED, ISOLATED, PAWN_SQUARES, PHALANX, SUPPORTED};
use crate::types::{Bitboard, PieceType, Side};

/// Evaluates the pawn structure of one side.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(state: &mut EvalState<'_, T>) {
    let own = state.pawns(S::US);
    let enemy = state.pawns(S::THEM);
    for pawn in own {
        state.add::<S, _>(&PAWN_SQUARES, pawn.relative_to(S::US).index());
    }

    let files = fill_forward::<S>(own) | fill_forward::<S::Other>(own);
    let isolated = own & !adjacent_files(files);
    // The square ahead is attacked by an enemy pawn, and no own pawn can come to defend it.
    let covered = state.attacked_by(S::THEM, PieceType::Pawn) & !state.attacks[S::US].pawn_span;
    let backward = own & covered.forward(S::THEM) & !isolated;
    let opposed = fill_forward::<S::Other>(enemy);
    by_opposition::<S, T>(state, &ISOLATED, isolated, opposed);
    by_opposition::<S, T>(state, &BACKWARD, backward, opposed);
    state.add_each::<S>(&DOUBLED, own & fill_forward::<S>(own.forward(S::US)));

    for pawn in own & adjacent_files(own) {
        state.add::<S, _>(&PHALANX, S::US.relative_rank(pawn.rank()).index());
    }
    for pawn in own & state.attacked_by(S::US, PieceType::Pawn) {
        state.add::<S, _>(&SUPPORTED, S::US.relative_rank(pawn.rank()).index());
    }
}

/// Adds a weakness, which costs more if no enemy pawn shields it from rooks.
#[inline]
fn by_opposition<S: Side, T: Tracer>(
    state: &mut EvalState<'_, T>,
    table: &'static super::weight_table::WeightTable<2>,
    weak: Bitboard,
    opposed: Bitboard,
) {
    state.add_times::<S, _>(table, 0, (weak & opposed).count() as i32);
    state.add_times::<S, _>(table, 1, (weak & !opposed).count() as i32);
}
