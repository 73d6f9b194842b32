//! Move lists in a fixed-size array on the stack.

use arrayvec::ArrayVec;

use crate::types::Move;

/// Capacity of a move list.
///
/// No position known from a game has more than 218 moves (N. Petrović, 1964), but a FEN may contain
/// fifteen queens. On a line of `n` squares, one slider has at most `n - 1` moves. More sliders,
/// `k` of them, have at most `2 (n - k)`: each other square is reached from two sides at most.
/// Summed over ranks, files and diagonals, fifteen optimally placed sliders have at most 310 moves;
/// a test computes the sum. Any other piece adds less than a slider, and the king adds at most 8
/// steps and 2 castling moves.
pub const MAX_MOVES: usize = 320;

/// A move list with capacity for any position. Range: up to [`MAX_MOVES`] moves; further pushes
/// panic.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the maximum number of moves of `sliders` along lines of these lengths, in one of the
    /// four directions.
    fn most(lengths: impl Iterator<Item = i32>, sliders: usize) -> i32 {
        // Gains of the first and second slider on a line; a third one reduces the total.
        let mut gains: Vec<i32> = lengths.flat_map(|n| [n - 1, 2 * (n - 2) - (n - 1)]).collect();
        gains.sort_unstable_by(|a, b| b.cmp(a));
        gains.into_iter().take(sliders).filter(|&gain| gain > 0).sum()
    }

    #[test]
    fn any_sixteen_pieces_fit_into_a_move_list() {
        let diagonals = || (1..=8).chain(1..8);
        let bound = |sliders| 2 * most([8; 8].into_iter(), sliders) + 2 * most(diagonals(), sliders);
        assert!(bound(15) + 8 + 2 <= MAX_MOVES as i32, "{}", bound(15));
        // A pawn has at most twelve moves (three targets with four promotions each), a knight
        // eight.
        for sliders in 0..15 {
            assert!(bound(sliders + 1) - bound(sliders) >= 12, "{sliders}");
        }
    }
}
