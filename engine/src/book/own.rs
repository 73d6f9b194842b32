//! The book an engine plays from, with its settings.

use std::path::Path;
use std::sync::Arc;

use super::{Book, BookError, BookKey, Candidate, Selection, candidates, choose};
use crate::position::Game;
use crate::types::{Move, SplitMix64, seed_or_random};

/// Default of [`OwnBook::depth`]. Units: full moves.
pub const DEFAULT_DEPTH: u16 = 255;

/// The book an engine plays from, with its settings.
#[derive(Clone, Debug)]
pub struct OwnBook {
    /// Whether the book is used.
    pub is_on: bool,
    /// The rule by which a move is selected.
    pub selection: Selection,
    /// Whether the move with the largest share is always played.
    pub is_best_only: bool,
    /// Whether learned results influence the shares.
    pub uses_learned: bool,
    /// Last move number for which the book is used. Units: full moves.
    pub depth: u16,
    book: Option<Arc<Book>>,
    random: SplitMix64,
}

/// A book move to play, with its context for reporting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The move to play, with its entry and share.
    pub taken: Candidate,
    /// Number of playable book moves.
    pub of: usize,
    /// Share of the move in the weights of all playable ones: its probability under weighted
    /// selection. Range: 0 to 1.
    pub share: f64,
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
            random: SplitMix64::new(seed_or_random(0)),
        }
    }
}

impl OwnBook {
    /// Loads the book in a file; an empty path unloads it.
    ///
    /// Errors: [`BookError`]; the previous book is then kept.
    pub fn load(&mut self, path: &str) -> Result<(), BookError> {
        self.book = match path {
            "" => None,
            path => Some(Arc::new(Book::open(Path::new(path))?)),
        };
        Ok(())
    }

    /// Whether a book is loaded.
    pub fn has_book(&self) -> bool {
        self.book.is_some()
    }

    /// Returns the number of entries of the book without header lines, whose key is 0; `None` without one.
    pub fn entries(&self) -> Option<usize> {
        self.book.as_ref().map(|book| book.len() - book.first_index(BookKey(1)))
    }

    /// Reseeds the random selection: equal seeds, books and games give equal moves. 0 means a
    /// random seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random = SplitMix64::new(seed_or_random(seed));
    }

    /// Selects a book move for the current position; `None` if the engine has to search.
    ///
    /// Considers only the moves in `allowed`, unless that is empty. Skips moves that repeat a
    /// position of the game, because a book line should not lead to a draw by repetition.
    pub fn choose(&mut self, game: &Game, allowed: &[Move]) -> Option<Choice> {
        let position = game.position();
        let book = self.book.as_ref().filter(|_| self.is_on && position.fullmove_number() <= self.depth)?;
        let mut moves = candidates(book, BookKey::of(game), position, self.uses_learned);
        moves.retain(|candidate| allowed.is_empty() || allowed.contains(&candidate.mv));
        moves.retain(|candidate| !game.keys().contains(&position.after(candidate.mv).key()));
        let selection = if self.is_best_only { Selection::Best } else { self.selection };
        let taken = *choose(&moves, selection, &mut self.random)?;
        let all: u64 = moves.iter().map(|candidate| candidate.share).sum();
        Some(Choice { taken, of: moves.len(), share: taken.share as f64 / all as f64 })
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

    /// Creates a book from lines of play, each with a move and its weight.
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
    fn book_is_used_only_when_enabled_and_up_to_its_depth() {
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
    fn transpositions_are_found() {
        let mut book = own(&[("d2d4 g8f6 c2c4", "e7e6", 1)]);
        assert_eq!(text(book.choose(&played("c2c4 g8f6 d2d4"), &[])), Some("e7e6".into()));
        let fen = "rnbqkb1r/pppppppp/5n2/8/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - 7 40";
        assert_eq!(text(book.choose(&Game::from_fen(fen).expect("a position"), &[])), Some("e7e6".into()));
    }

    #[test]
    fn best_only_overrides_the_selection_and_searchmoves_restrict_it() {
        let mut book = own(&[("", "e2e4", 9), ("", "d2d4", 5), ("", "a2a3", 1)]);
        let start = played("");
        book.selection = Selection::Worst;
        assert_eq!(text(book.choose(&start, &[])), Some("a2a3".into()));
        book.is_best_only = true;
        let choice = book.choose(&start, &[]).expect("a move");
        assert_eq!((choice.taken.mv.to_string(), choice.of, choice.share), ("e2e4".into(), 3, 0.6));
        let moves = ["d2d4", "h2h4"].map(|text| start.position().parse_uci(text).expect("a move"));
        assert_eq!(text(book.choose(&start, &moves)), Some("d2d4".into()));
        assert_eq!(text(book.choose(&start, &moves[1..])), None);
    }

    #[test]
    fn equal_seeds_give_equal_choices() {
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
    fn repeating_book_moves_are_skipped() {
        let mut book = own(&[("", "g1f3", 1), ("g1f3 g8f6", "f3g1", 1)]);
        assert_eq!(text(book.choose(&played(""), &[])), Some("g1f3".into()));
        // The first knight retreat reaches a new position, the second repeats one.
        assert_eq!(text(book.choose(&played("g1f3 g8f6"), &[])), Some("f3g1".into()));
        assert_eq!(text(book.choose(&played("g1f3 g8f6 f3g1 f6g8"), &[])), None);
        let mut book = own(&[("g1f3 g8f6 f3g1", "f6g8", 1)]);
        assert_eq!(text(book.choose(&played("g1f3 g8f6 f3g1"), &[])), None);
    }
}
