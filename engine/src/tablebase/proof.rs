//! Proof of short mates by search, for tables that only hold distances to the next zeroing move.

use crate::position::Position;

/// The longest mate that is tried: five plies of a queen ending take milliseconds. Units: plies.
pub(super) const LONGEST_PROOF: u16 = 5;

/// Whether every move of the side to move loses to a mate within `plies`, an even number. A position for which
/// `is_draw` holds does not count.
pub(super) fn is_mated_within(position: &Position, plies: u16, is_draw: &impl Fn(&Position) -> bool) -> bool {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return position.is_check();
    }
    plies > 0
        && !is_draw(position)
        && moves.iter().all(|&mv| mates_within(&position.after(mv), plies - 1, is_draw))
}

/// Whether the side to move gives mate within `plies`, which is odd.
pub(super) fn mates_within(position: &Position, plies: u16, is_draw: &impl Fn(&Position) -> bool) -> bool {
    let may_mate = |mv| plies > 1 || position.gives_check(mv);
    let mates = |mv| may_mate(mv) && is_mated_within(&position.after(mv), plies - 1, is_draw);
    !is_draw(position) && position.legal_moves().iter().any(|&mv| mates(mv))
}
