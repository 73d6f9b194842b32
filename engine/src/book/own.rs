//! A player's book and how it is used: whether, how deep, and which of its moves.

use std::path::Path;
use std::sync::Arc;

use super::{Book, BookError, BookKey, Candidate, Selection, candidates, choose};
use crate::position::Game;
use crate::types::{Move, SplitMix64, seed_or_chance};

/// Up to which move a new book is asked.
pub const DEFAULT_DEPTH: u16 = 255;

/// The book an engine plays from.
#[derive(Clone, Debug)]
pub struct OwnBook {
    /// Is it asked at all?
    pub is_on: bool,
    /// How a move is taken.
    pub selection: Selection,
    /// The strongest move, whatever the selection.
    pub is_best_only: bool,
    /// Does what was learned count?
    pub uses_learned: bool,
    /// The last move of a game it is asked for. Units: full moves.
    pub depth: u16,
    book: Option<Arc<Book>>,
    random: SplitMix64,
}

/// A move taken from the book, and what it was taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The move and what the book says of it.
    pub taken: Candidate,
    /// How many moves there were.
    pub of: usize,
    /// How likely it was among them, if taken at random. Range: 0 to 1.
    pub chance: f64,
}

impl Default for OwnBook {
    fn default() -> Self {
        Self {
            is_on: false,
            selection: Selection::default(),
            is_best_only: false,
            uses_learned: true,
            depth: DEFAULT_DEPTH,
            book: None,
            random: SplitMix64::new(seed_or_chance(0)),
        }
    }
}

impl OwnBook {
    /// Plays from the book in a file from now on; from none if the path is empty. On failure the book before is kept.
    pub fn load(&mut self, path: &str) -> Result<(), BookError> {
        self.book = match path {
            "" => None,
            path => Some(Arc::new(Book::open(Path::new(path))?)),
        };
        Ok(())
    }

    /// Is there a book to play from?
    pub fn has_book(&self) -> bool {
        self.book.is_some()
    }

    /// Begins the random choices anew: the same seed, book and games give the same moves. 0 stands for a seed of chance.
    pub fn reseed(&mut self, seed: u64) {
        self.random = SplitMix64::new(seed_or_chance(seed));
    }

    /// A move for the position on the board; `None` where the engine must think for itself.
    ///
    /// Of the moves `allowed` if any are named. A move that brings back a position of the game is not taken: no book
    /// means a game to go round in circles.
    pub fn choose(&mut self, game: &Game, allowed: &[Move]) -> Option<Choice> {
        let position = game.position();
        let book = self.book.as_ref().filter(|_| self.is_on && position.fullmove_number() <= self.depth)?;
        let mut moves = candidates(book, BookKey::of(game), position, self.uses_learned);
        moves.retain(|candidate| allowed.is_empty() || allowed.contains(&candidate.mv));
        moves.retain(|candidate| !game.keys().contains(&position.after(candidate.mv).key()));
        let selection = if self.is_best_only { Selection::Best } else { self.selection };
        let taken = *choose(&moves, selection, &mut self.random)?;
        let all: u64 = moves.iter().map(|candidate| candidate.share).sum();
        Some(Choice { taken, of: moves.len(), chance: taken.share as f64 / all as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{BookMove, Entry};
    use crate::position::Position;

    fn played(moves: &str) -> Game {
        let mut game = Game::new(Position::startpos());
        for text in moves.split_whitespace() {
            let mv = game.position().parse_uci(text).expect("a legal move");
            game.play(mv);
        }
        game
    }

    /// A book of lines of play, each move with its weight.
    fn own(lines: &[(&str, &str, u16)]) -> OwnBook {
        let entries = lines.iter().map(|&(before, mv, weight)| {
            let game = played(before);
            let mv = BookMove::new(game.position().parse_uci(mv).expect("a legal move"));
            Entry { key: BookKey::of(&game), mv, weight, ..Entry::default() }
        });
        let book = Book::from_entries(entries.collect()).expect("a book");
        OwnBook { is_on: true, book: Some(Arc::new(book)), ..OwnBook::default() }
    }

    fn text(choice: Option<Choice>) -> Option<String> {
        choice.map(|choice| choice.taken.mv.to_string())
    }

    #[test]
    fn is_asked_when_on_and_to_its_depth() {
        let mut book = own(&[("", "e2e4", 1), ("e2e4 e7e5", "g1f3", 1)]);
        let later = played("e2e4 e7e5");
        assert_eq!(text(book.choose(&played(""), &[])), Some("e2e4".into()));
        assert_eq!(text(book.choose(&later, &[])), Some("g1f3".into()));
        assert_eq!(text(book.choose(&played("e2e4"), &[])), None);
        book.depth = 1;
        assert_eq!(text(book.choose(&later, &[])), None);
        assert!(book.choose(&played(""), &[]).is_some());
        book.is_on = false;
        assert_eq!(text(book.choose(&played(""), &[])), None);
    }

    #[test]
    fn a_position_is_found_however_it_came_about() {
        let mut book = own(&[("d2d4 g8f6 c2c4", "e7e6", 1)]);
        assert_eq!(text(book.choose(&played("c2c4 g8f6 d2d4"), &[])), Some("e7e6".into()));
        let fen = "rnbqkb1r/pppppppp/5n2/8/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - 7 40";
        assert_eq!(text(book.choose(&Game::from_fen(fen).expect("a position"), &[])), Some("e7e6".into()));
    }

    #[test]
    fn best_overrides_the_selection_and_only_allowed_moves_count() {
        let mut book = own(&[("", "e2e4", 9), ("", "d2d4", 5), ("", "a2a3", 1)]);
        let start = played("");
        book.selection = Selection::Worst;
        assert_eq!(text(book.choose(&start, &[])), Some("a2a3".into()));
        book.is_best_only = true;
        let choice = book.choose(&start, &[]).expect("a move");
        assert_eq!((choice.taken.mv.to_string(), choice.of, choice.chance), ("e2e4".into(), 3, 0.6));
        let moves = ["d2d4", "h2h4"].map(|text| start.position().parse_uci(text).expect("a move"));
        assert_eq!(text(book.choose(&start, &moves)), Some("d2d4".into()));
        assert_eq!(text(book.choose(&start, &moves[1..])), None);
    }

    #[test]
    fn a_seed_repeats_its_choices() {
        let mut book = own(&[("", "e2e4", 1), ("", "d2d4", 1), ("", "c2c4", 1)]);
        let start = played("");
        let mut draw = |seed| {
            book.reseed(seed);
            (0..40).map(|_| text(book.choose(&start, &[]))).collect::<Vec<_>>()
        };
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
        assert_ne!(draw(0), draw(0));
    }

    #[test]
    fn no_book_goes_round_in_circles() {
        let mut book = own(&[("", "g1f3", 1), ("g1f3 g8f6", "f3g1", 1)]);
        assert_eq!(text(book.choose(&played(""), &[])), Some("g1f3".into()));
        // Back at g1 with the knight of Black out is new; the second round is not.
        assert_eq!(text(book.choose(&played("g1f3 g8f6"), &[])), Some("f3g1".into()));
        assert_eq!(text(book.choose(&played("g1f3 g8f6 f3g1 f6g8"), &[])), None);
        let mut book = own(&[("g1f3 g8f6 f3g1", "f6g8", 1)]);
        assert_eq!(text(book.choose(&played("g1f3 g8f6 f3g1"), &[])), None);
    }
}
