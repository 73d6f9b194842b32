//! The task that a lost move sets the opponent: the share of the replies that still win.
//!
//! Ranking by distance assumes an opponent who makes no mistake, and against such a one every losing
//! move is as good as another. Against a fallible one, the best chance is the move after which the
//! fewest replies win.
//!
//! Source: G. Owen, "Search Algorithms and Game Playing" (1997), "Problems": a bluff in a losing
//! position.

use super::tablebases::Tablebases;
use super::{Outcome, Wdl};
use crate::position::Position;

/// Returns the share of the legal moves of `position` that win; `None` if the tables do not cover
/// all of them, or there are none. Units: 1/1000.
pub(super) fn winning_share(tables: &Tablebases, position: &Position) -> Option<u32> {
    let replies = position.legal_moves();
    let mut winning = 0;
    for &reply in &replies {
        winning += u32::from(is_lost(tables, &position.after(reply))?);
    }
    (winning * 1000).checked_div(replies.len() as u32)
}

/// Whether the tables know that the side to move has lost; `None` if they do not cover the position.
fn is_lost(tables: &Tablebases, position: &Position) -> Option<bool> {
    if !position.has_legal_move() {
        return Some(position.is_check());
    }
    if position.is_dead_material() {
        return Some(false);
    }
    let by_distance = || Some(matches!(tables.outcome(position)?, Outcome::Loss(_)));
    tables.wdl(position).map(|result| result == Wdl::Loss).or_else(by_distance)
}
