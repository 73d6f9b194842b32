//! The position key of the Polyglot book format.

use super::random::RANDOM;
use crate::attacks;
use crate::position::{Game, Position, Wing};
use crate::types::{Color, PieceType, Square};

/// The key of a position in a book; unrelated to the Zobrist key of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BookKey(pub u64);

/// Offset of the castling words: White king's wing, White queen's wing, then Black's.
const CASTLING: usize = 768;
/// Offset of the en passant file words.
const EN_PASSANT: usize = 772;
/// Offset of the word for White to move.
const TURN: usize = 780;

impl BookKey {
    /// Returns the key of a game's current position.
    pub fn of(game: &Game) -> Self {
        Self::with_ep_target(game.position(), game.ep_target())
    }

    /// Returns the key of a position in which a pawn has just passed the square `passed`.
    ///
    /// The format hashes the en passant file if a pawn of the side to move is next to the
    /// passing pawn, even if the capture is illegal. [`Position::ep_square`] is therefore
    /// insufficient.
    ///
    /// Source: the description of the format by F. Letouzey and M. Van den Bergh.
    pub fn with_ep_target(position: &Position, passed: Option<Square>) -> Self {
        let mut key = 0;
        for color in Color::ALL {
            for kind in PieceType::ALL {
                // The format orders black pawn, white pawn, black knight and so on.
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
