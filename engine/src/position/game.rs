//! A position with the keys of the positions before it, as far as they can repeat.

use super::{FenError, Position};
use crate::types::{Key, Move, Square};

/// The position on the board and its past since the last irreversible move.
#[derive(Clone)]
pub struct Game {
    position: Position,
    /// Keys of the earlier positions, oldest first; the current position's key is not among them.
    keys: Vec<Key>,
    /// The square a pawn has just passed, whether or not it may be taken there.
    passed: Option<Square>,
}

impl Game {
    /// A game that starts here.
    pub fn new(position: Position) -> Self {
        Self { position, keys: Vec::new(), passed: position.ep_square() }
    }

    /// A game that starts where a FEN says.
    ///
    /// Errors: [`FenError`], as [`Position::from_fen`].
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        let (position, passed) = Position::from_fen_with_passed(text)?;
        Ok(Self { position, keys: Vec::new(), passed })
    }

    /// The game without castling rights that only Chess960 knows.
    pub fn with_standard_castling_only(self) -> Self {
        Self { position: self.position.with_standard_castling_only(), ..self }
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the earlier positions that can still come again, oldest first.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The square a pawn has just passed with its double step. A position knows it only where taking there is legal;
    /// opening books ask for less.
    pub fn passed(&self) -> Option<Square> {
        self.passed
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.passed = self.position.passed_by(mv);
        self.keys.push(self.position.key());
        self.position = self.position.after(mv);
        if self.position.halfmove_clock() == 0 {
            self.keys.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(game: &mut Game, moves: &[&str]) {
        for text in moves {
            let mv = game.position().parse_uci(text).expect("a legal move");
            game.play(mv);
        }
    }

    #[test]
    fn a_double_step_passes_a_square_for_one_move() {
        let mut game = Game::new(Position::startpos());
        let passed = |game: &Game| game.passed().map(|square| square.to_string());
        play(&mut game, &["e2e4"]);
        assert_eq!((passed(&game), game.position().ep_square()), (Some("e3".into()), None));
        play(&mut game, &["d7d6"]);
        assert_eq!(passed(&game), None);
        play(&mut game, &["b1c3", "h7h5"]);
        assert_eq!(passed(&game), Some("h6".into()));
        let start = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
        assert_eq!(passed(&Game::from_fen(start).expect("a position")), Some("e3".into()));
        let lie = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
        assert_eq!(passed(&Game::from_fen(lie).expect("a position")), None);
    }

    #[test]
    fn irreversible_moves_forget_the_past() {
        let mut game = Game::new(Position::startpos());
        play(&mut game, &["g1f3", "g8f6", "f3g1", "f6g8"]);
        assert_eq!(game.keys().len(), 4);
        assert_eq!(game.keys()[0], game.position().key());
        play(&mut game, &["e2e4"]);
        assert!(game.keys().is_empty());
    }
}
