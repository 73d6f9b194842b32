//! A position with the keys of the positions before it, as far as they can repeat.

use super::Position;
use crate::types::{Key, Move};

/// The position on the board and its past since the last irreversible move.
#[derive(Clone)]
pub struct Game {
    position: Position,
    /// Keys of the earlier positions, oldest first; the current position's key is not among them.
    keys: Vec<Key>,
}

impl Game {
    /// A game that starts here.
    pub fn new(position: Position) -> Self {
        Self { position, keys: Vec::new() }
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the earlier positions that can still come again, oldest first.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
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
    fn irreversible_moves_forget_the_past() {
        let mut game = Game::new(Position::startpos());
        play(&mut game, &["g1f3", "g8f6", "f3g1", "f6g8"]);
        assert_eq!(game.keys().len(), 4);
        assert_eq!(game.keys()[0], game.position().key());
        play(&mut game, &["e2e4"]);
        assert!(game.keys().is_empty());
    }
}
