//! Traversal of the book positions that are reachable when one side plays from the book.
//!
//! That side plays book moves; the opponent may play any move that returns to a book position. Keys
//! cannot be converted back into positions, so the positions of a book must be found by traversal.

use std::collections::HashSet;

use stretto::book::{Book, BookKey, Candidate, candidates};
use stretto::position::Game;
use stretto::types::Color;

/// An iterator over the reachable positions with one side to move, each once.
pub(crate) struct Walk<'a> {
    book: &'a Book,
    color: Color,
    seen: HashSet<BookKey>,
    /// Positions not visited yet.
    ahead: Vec<Game>,
}

impl<'a> Walk<'a> {
    /// Returns the traversal for a side from a starting position.
    pub(crate) fn new(book: &'a Book, color: Color, start: &Game) -> Self {
        let mut walk = Self { book, color, seen: HashSet::new(), ahead: Vec::new() };
        if start.position().side_to_move() == color {
            walk.reach(start.clone());
        } else {
            walk.reach_by_replies(start);
        }
        walk
    }

    /// Returns the keys of the visited positions.
    pub(crate) fn into_seen(self) -> HashSet<BookKey> {
        self.seen
    }

    fn reach(&mut self, game: Game) {
        if self.is_new(BookKey::of(&game)) {
            self.ahead.push(game);
        }
    }

    /// Returns whether the position is in the book and was not visited before.
    fn is_new(&mut self, key: BookKey) -> bool {
        self.book.find(key).next().is_some() && self.seen.insert(key)
    }

    fn reach_by_replies(&mut self, game: &Game) {
        let position = game.position();
        for &mv in &position.legal_moves() {
            // Most replies leave the book, so the key is looked up before the game is copied.
            if self.is_new(BookKey::with_ep_target(&position.after(mv), position.ep_target_of(mv))) {
                let mut next = game.clone();
                next.play(mv);
                self.ahead.push(next);
            }
        }
    }
}

/// A visited position with its book moves.
pub(crate) struct Node {
    /// The game up to the position.
    pub game: Game,
    /// Book moves of the position, with probabilities by weight only.
    pub moves: Vec<Candidate>,
}

impl Iterator for Walk<'_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        let game = self.ahead.pop()?;
        debug_assert_eq!(game.position().side_to_move(), self.color);
        let moves = candidates(self.book, BookKey::of(&game), game.position(), false);
        for candidate in &moves {
            let mut next = game.clone();
            next.play(candidate.mv);
            self.reach_by_replies(&next);
        }
        Some(Node { game, moves })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use stretto::book::{BookMove, Entry};
    use stretto::position::Position;

    use super::*;

    /// Returns the game after the given moves.
    pub(in crate::books) fn played(moves: &str) -> Game {
        let mut game = Game::new(Position::startpos());
        for text in moves.split_whitespace() {
            let mv = game.position().parse_uci(text).unwrap();
            game.play(mv);
        }
        game
    }

    /// Builds a book from lines, each move with the weight of its line.
    pub(in crate::books) fn lines(lines: &[(&str, u16)]) -> Book {
        let mut entries: Vec<Entry> = Vec::new();
        for &(line, weight) in lines {
            let mut game = played("");
            for text in line.split_whitespace() {
                let mv = game.position().parse_uci(text).unwrap();
                let entry =
                    Entry { key: BookKey::of(&game), mv: BookMove::new(mv), weight, ..Entry::default() };
                if !entries.iter().any(|known| (known.key, known.mv) == (entry.key, entry.mv)) {
                    entries.push(entry);
                }
                game.play(mv);
            }
        }
        Book::from_entries(entries).unwrap()
    }

    #[test]
    fn each_reachable_position_is_visited_once() {
        let book = lines(&[("d2d4 g8f6 c2c4 e7e6 b1c3", 1), ("c2c4 g8f6 d2d4", 1), ("a2a4 a7a5 b2b4", 0)]);
        let white = Walk::new(&book, Color::White, &played(""));
        let counts: Vec<usize> = white.map(|node| node.moves.len()).collect();
        // The starting position, after 1.d4 Nf6, after 1.c4 Nf6, after 2.c4 e6. A weight of 0 is
        // not followed.
        assert_eq!(counts.len(), 4);
        assert_eq!(counts.iter().sum::<usize>(), 2 + 1 + 1 + 1);
        // Black answers 1.d4, 1.c4 and 1.a4, which White need not have in the book, and 2.c4.
        assert_eq!(Walk::new(&book, Color::Black, &played("")).count(), 4);
    }
}
