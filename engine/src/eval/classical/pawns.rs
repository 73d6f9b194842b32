//! Pawn structure: what pawns do for each other, and which of them have nobody.
//!
//! Answered for all pawns at once, by filling files and shifting sets; only the ranks of good pawns need a loop.

use super::sets::{beside, fill_forward};
use super::sheet::Sheet;
use super::trace::Tracer;
use super::weights::{BACKWARD, DOUBLED, ISOLATED, PAWN_SQUARES, PHALANX, SUPPORTED};
use crate::types::{Bitboard, PieceType, Side};

/// All pawn terms of one side.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>) {
    let own = sheet.pawns(S::US);
    let enemy = sheet.pawns(S::THEM);
    for pawn in own {
        sheet.add::<S, _>(&PAWN_SQUARES, pawn.relative_to(S::US).index());
    }

    let files = fill_forward::<S>(own) | fill_forward::<S::Other>(own);
    let isolated = own & !beside(files);
    // Its next square is covered, and no own pawn can come to cover it as well.
    let covered = sheet.attacked_by(S::THEM, PieceType::Pawn) & !sheet.reach[S::US].pawn_span;
    let backward = own & covered.forward(S::THEM) & !isolated;
    let opposed = fill_forward::<S::Other>(enemy);
    by_opposition::<S, T>(sheet, &ISOLATED, isolated, opposed);
    by_opposition::<S, T>(sheet, &BACKWARD, backward, opposed);
    sheet.add_each::<S>(&DOUBLED, own & fill_forward::<S>(own.forward(S::US)));

    for pawn in own & beside(own) {
        sheet.add::<S, _>(&PHALANX, S::US.relative_rank(pawn.rank()).index());
    }
    for pawn in own & sheet.attacked_by(S::US, PieceType::Pawn) {
        sheet.add::<S, _>(&SUPPORTED, S::US.relative_rank(pawn.rank()).index());
    }
}

/// Adds a weakness, which is worse where no enemy pawn hides it from rooks.
#[inline]
fn by_opposition<S: Side, T: Tracer>(
    sheet: &mut Sheet<'_, T>,
    table: &'static super::table::Table<2>,
    weak: Bitboard,
    opposed: Bitboard,
) {
    sheet.add_times::<S, _>(table, 0, (weak & opposed).count() as i32);
    sheet.add_times::<S, _>(table, 1, (weak & !opposed).count() as i32);
}
