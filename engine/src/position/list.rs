//! Moves in an array on the stack.

use arrayvec::ArrayVec;

use crate::types::Move;

/// The most moves a list holds.
///
/// No position known from a game has more than 218 (N. Petrović, 1964), but a FEN may hold fifteen queens. On a line of
/// `n` squares, `k` sliders have at most `n - 1` moves if one, and `2 (n - k)` if more, since each other square is
/// reached from two sides at most. Summed over ranks, files and diagonals, fifteen sliders placed at best have at most
/// 310 (a test adds them up), any other piece less than a slider would add, and the king 8 and 2.
pub const MAX_MOVES: usize = 320;

/// A list of moves with room for those of any position. Range: up to [`MAX_MOVES`] moves; a push beyond panics.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

#[cfg(test)]
mod tests {
    use super::*;

    /// The most moves `sliders` can have along lines of these lengths, one orientation of the four.
    fn most(lengths: impl Iterator<Item = i32>, sliders: usize) -> i32 {
        // What the first and the second slider on a line add; a third only takes away.
        let mut gains: Vec<i32> = lengths.flat_map(|n| [n - 1, 2 * (n - 2) - (n - 1)]).collect();
        gains.sort_unstable_by(|a, b| b.cmp(a));
        gains.into_iter().take(sliders).filter(|&gain| gain > 0).sum()
    }

    #[test]
    fn no_sixteen_pieces_overflow_a_list() {
        let diagonals = || (1..=8).chain(1..8);
        let bound = |sliders| 2 * most([8; 8].into_iter(), sliders) + 2 * most(diagonals(), sliders);
        assert!(bound(15) + 8 + 2 <= MAX_MOVES as i32, "{}", bound(15));
        // A pawn has at most twelve moves, three targets with four promotions each, a knight eight.
        for sliders in 0..15 {
            assert!(bound(sliders + 1) - bound(sliders) >= 12, "{sliders}");
        }
    }
}
