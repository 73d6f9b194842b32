//! Space: room for the pieces in the centre of the own half.

use super::sets::{CENTRE_FILES, fill_forward, ranks};
use super::sheet::Sheet;
use super::trace::Tracer;
use super::weights::{SPACE, SPACE_BEHIND_PAWNS};
use crate::types::{PieceType, Side};

/// The room of one side.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>) {
    let own = sheet.pawns(S::US);
    let safe = CENTRE_FILES & ranks::<S>(1, 3) & !own & !sheet.attacked_by(S::THEM, PieceType::Pawn);
    sheet.add_each::<S>(&SPACE, safe);
    let behind = fill_forward::<S::Other>(own.forward(S::THEM));
    sheet.add_each::<S>(&SPACE_BEHIND_PAWNS, safe & behind);
}
