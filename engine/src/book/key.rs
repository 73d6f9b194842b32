//! The key by which books know a position, as the Polyglot format has it.

use super::random::RANDOM;
use crate::attacks;
use crate::position::{Game, Position, Wing};
use crate::types::{Color, PieceType, Square};

/// The key of a position in a book. Not the one the search uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BookKey(pub u64);

/// Where the numbers of castling rights begin: White's on the king's wing and the queen's, then Black's.
const CASTLING: usize = 768;
/// Where those of en passant files begin.
const EN_PASSANT: usize = 772;
/// The number of White's turn.
const TURN: usize = 780;

impl BookKey {
    /// The key of the position on the board.
    pub fn of(game: &Game) -> Self {
        Self::with_passed(game.position(), game.passed())
    }

    /// The key of a position in which a pawn has just passed a square.
    ///
    /// The square counts where a pawn of the side to move stands beside the passing one, even if taking is illegal, so
    /// the position's own [`Position::ep_square`] does not say enough.
    ///
    /// Source: the format's description by F. Letouzey and M. Van den Bergh.
    pub fn with_passed(position: &Position, passed: Option<Square>) -> Self {
        let mut key = 0;
        for color in Color::ALL {
            for kind in PieceType::ALL {
                // Black's pawn is kind 0, White's 1, Black's knight 2 and so on.
                let first = 64 * (2 * kind.index() + usize::from(color == Color::White));
                for square in position.pieces_of(color, kind) {
                    key ^= RANDOM[first + square.index()];
                }
            }
        }
        let rights = Color::ALL.into_iter().flat_map(|color| [(color, Wing::King), (color, Wing::Queen)]);
        for (index, (color, wing)) in rights.enumerate() {
            if position.castling_rook(color, wing).is_some() {
                key ^= RANDOM[CASTLING + index];
            }
        }
        let us = position.side_to_move();
        if let Some(passed) = passed
            && (attacks::pawn(!us, passed) & position.pieces_of(us, PieceType::Pawn)).any()
        {
            key ^= RANDOM[EN_PASSANT + passed.file().index()];
        }
        if us == Color::White {
            key ^= RANDOM[TURN];
        }
        Self(key)
    }
}
