//! Draws by rule: the fifty-move rule, repetitions and insufficient material.

use super::context::{Search, Stopped};
use super::switches::{Toggles, on};
use crate::position::Position;
use crate::types::{Color, FIFTY_MOVES, Key, Ply, Score, Window};
use crate::zobrist;

impl<T: Toggles> Search<'_, T> {
    /// Whether the side to move can force a draw by repetition that would raise alpha.
    #[inline]
    pub(crate) fn can_repeat_above_alpha(&self, position: &Position, window: Window, ply: Ply) -> bool {
        on!(self.toggles, UpcomingRepetition)
            && window.alpha < Score::DRAW
            && has_upcoming_repetition(position, &self.worker.keys, ply)
    }

    /// Returns the score of a node worth at least a draw. `search` runs only with the part of the
    /// window above a draw.
    #[inline]
    pub(crate) fn search_above_draw(
        &mut self,
        window: Window,
        search: impl FnOnce(&mut Self, Window) -> Result<Score, Stopped>,
    ) -> Result<Score, Stopped> {
        if window.beta <= Score::DRAW {
            return Ok(Score::DRAW);
        }
        Ok(search(self, Window::new(Score::DRAW, window.beta))?.max(Score::DRAW))
    }
}

/// Returns the score of a node that is over by rule: insufficient material, the fifty-move rule or
/// a repetition. A mate on the board takes precedence over the fifty-move rule.
///
/// `keys` are the positions before this one, those of the game first. A position of the search
/// counts as a draw when it occurs for the second time, since a repetition can be repeated; a
/// position of the game, for the third time.
#[inline]
pub(crate) fn at_node(position: &Position, keys: &[Key], ply: Ply) -> Option<Score> {
    let clock = position.halfmove_clock();
    if clock >= FIFTY_MOVES {
        let is_mate = position.is_check() && !position.has_legal_move();
        return Some(if is_mate { Score::mated_in(ply) } else { Score::DRAW });
    }
    let is_draw = position.is_dead_material() || is_repetition(position, keys, ply);
    is_draw.then_some(Score::DRAW)
}

/// The shortest distance at which one move can restore a position: two moves of the opponent and
/// one of ours.
const SHORTEST_UPCOMING: usize = 3;

/// The shortest distance at which a position can occur again: two moves of each side.
const SHORTEST_REPETITION: usize = 4;

/// Whether the side to move has a move that repeats a position in the sense of [`at_node`]. `keys`
/// are as in [`at_node`].
///
/// Bet: a side that can repeat is at least drawn, so a node with a window below a draw needs no
/// search.
/// Preconditions: alpha is below a draw.
/// Soundness: unsound, since the result depends on the path and the TT stores it.
/// Knobs: none.
/// Source: see `position`'s `reversible_move_to`.
/// Evidence: none.
#[inline]
pub(crate) fn has_upcoming_repetition(position: &Position, keys: &[Key], ply: Ply) -> bool {
    let horizon = usize::from(position.reversible_plies()).min(keys.len());
    if horizon < SHORTEST_UPCOMING {
        return false;
    }
    let at = |distance: usize| keys[keys.len() - distance];
    let turn = zobrist::side(Color::Black);
    // The key difference of the opponent's moves since then. Our move can restore the position only
    // where it is zero.
    let mut theirs = position.key() ^ at(1) ^ turn;
    for distance in (SHORTEST_UPCOMING..=horizon).step_by(2) {
        theirs ^= at(distance - 1) ^ at(distance) ^ turn;
        if theirs == Key(0) && position.reversible_move_to(at(distance)).is_some() {
            let earlier = &keys[keys.len() - horizon..keys.len() - distance];
            if distance <= ply.index() || earlier.contains(&at(distance)) {
                return true;
            }
        }
    }
    false
}

/// Whether the position repeats one of the search, or two of the game.
#[inline]
fn is_repetition(position: &Position, keys: &[Key], ply: Ply) -> bool {
    let key = position.key();
    let horizon = usize::from(position.reversible_plies()).min(keys.len());
    let mut seen = 0;
    for distance in (SHORTEST_REPETITION..=horizon).step_by(2) {
        if keys[keys.len() - distance] == key {
            seen += 1;
            if seen == 2 || distance <= ply.index() {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
