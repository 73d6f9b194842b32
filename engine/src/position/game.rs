//! A position together with the keys of earlier positions that it may repeat.

use super::fen::ParsedFen;
use super::{FenError, Position};
use crate::types::{Key, Move, Square};

/// The current position and its history since the last irreversible move.
#[derive(Clone)]
pub struct Game {
    position: Position,
    /// Keys of the earlier positions, oldest first, without that of the current position.
    keys: Vec<Key>,
    /// The square a pawn has just passed, whether or not a capture there is legal.
    ep_target: Option<Square>,
}

impl From<ParsedFen> for Game {
    fn from(parsed: ParsedFen) -> Self {
        Self { position: parsed.position, keys: Vec::new(), ep_target: parsed.ep_target }
    }
}

impl Game {
    /// Returns a game that starts at `position`.
    pub fn new(position: Position) -> Self {
        Self { position, keys: Vec::new(), ep_target: position.ep_square() }
    }

    /// Returns a game that starts at the position of a FEN.
    ///
    /// Errors: [`FenError`], as for [`Position::from_fen`].
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        Position::parse_fen(text).map(Self::from)
    }

    /// Returns the game without castling rights that exist only in Chess960.
    pub fn with_standard_castling_only(self) -> Self {
        Self { position: self.position.with_standard_castling_only(), ..self }
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the keys of the earlier positions that can still repeat, oldest first.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Returns the square a pawn has just passed by a double step, even if no capture there is
    /// legal. Opening books need it; [`Position::ep_square`] reports legal captures only.
    pub fn ep_target(&self) -> Option<Square> {
        self.ep_target
    }

    /// Plays a legal move.
    ///
    /// ```
    /// use stretto::position::Game;
    ///
    /// let mut game = Game::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")?;
    /// for san in ["Nf3", "Nf6", "Ng1", "Ng8"] {
    ///     game.play(game.position().parse_san(san)?);
    /// }
    /// assert!(game.keys().contains(&game.position().key()), "the position is repeated");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&mut self, mv: Move) {
        self.ep_target = self.position.ep_target_of(mv);
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
    fn double_step_sets_the_en_passant_target_for_one_move() {
        let mut game = Game::new(Position::startpos());
        let ep_target = |game: &Game| game.ep_target().map(|square| square.to_string());
        play(&mut game, &["e2e4"]);
        assert_eq!((ep_target(&game), game.position().ep_square()), (Some("e3".into()), None));
        play(&mut game, &["d7d6"]);
        assert_eq!(ep_target(&game), None);
        play(&mut game, &["b1c3", "h7h5"]);
        assert_eq!(ep_target(&game), Some("h6".into()));
        let start = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
        assert_eq!(ep_target(&Game::from_fen(start).expect("a position")), Some("e3".into()));
        let lie = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
        assert_eq!(ep_target(&Game::from_fen(lie).expect("a position")), None);
    }

    #[test]
    fn irreversible_moves_clear_the_key_history() {
        let mut game = Game::new(Position::startpos());
        play(&mut game, &["g1f3", "g8f6", "f3g1", "f6g8"]);
        assert_eq!(game.keys().len(), 4);
        assert_eq!(game.keys()[0], game.position().key());
        play(&mut game, &["e2e4"]);
        assert!(game.keys().is_empty());
    }
}
