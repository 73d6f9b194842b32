//! The positions of a book that a side which plays from it can come to.
//!
//! The side plays the book's moves; its opponent may play anything that comes to a position of the book again. Keys cannot be
//! turned back into positions, so whoever wants a book's positions must walk to them.

use std::collections::HashSet;

use stretto::book::{Book, BookKey, Candidate, candidates};
use stretto::position::Game;
use stretto::types::Color;

/// A walk over the positions in which a side is to move and the book has entries, each once.
pub struct Walk<'a> {
    book: &'a Book,
    color: Color,
    seen: HashSet<BookKey>,
    /// Positions to come.
    ahead: Vec<Game>,
}

impl<'a> Walk<'a> {
    /// The walk of a side from a start position.
    pub fn new(book: &'a Book, color: Color, start: &Game) -> Self {
        let mut walk = Self { book, color, seen: HashSet::new(), ahead: Vec::new() };
        if start.position().side_to_move() == color {
            walk.reach(start.clone());
        } else {
            walk.reach_by_replies(start);
        }
        walk
    }

    /// The positions a walk came to, by their keys.
    pub fn into_seen(self) -> HashSet<BookKey> {
        self.seen
    }

    fn reach(&mut self, game: Game) {
        if self.is_new(BookKey::of(&game)) {
            self.ahead.push(game);
        }
    }

    /// Is a position in the book, and was it not met before?
    fn is_new(&mut self, key: BookKey) -> bool {
        self.book.find(key).next().is_some() && self.seen.insert(key)
    }

    fn reach_by_replies(&mut self, game: &Game) {
        let position = game.position();
        for &mv in &position.legal_moves() {
            // Most replies leave the book, so the key is asked for before a game is made of the reply.
            if self.is_new(BookKey::with_passed(&position.after(mv), position.passed_by(mv))) {
                let mut next = game.clone();
                next.play(mv);
                self.ahead.push(next);
            }
        }
    }
}

/// A position of a walk, with its moves.
pub struct Station {
    /// The position, and how the walk came to it.
    pub game: Game,
    /// What may be played from the book there, shares by weights alone.
    pub moves: Vec<Candidate>,
}

impl Iterator for Walk<'_> {
    type Item = Station;

    fn next(&mut self) -> Option<Station> {
        let game = self.ahead.pop()?;
        debug_assert_eq!(game.position().side_to_move(), self.color);
        let moves = candidates(self.book, BookKey::of(&game), game.position(), false);
        for candidate in &moves {
            let mut next = game.clone();
            next.play(candidate.mv);
            self.reach_by_replies(&next);
        }
        Some(Station { game, moves })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use stretto::book::{BookMove, Entry};
    use stretto::position::Position;

    use super::*;

    /// The game after some moves.
    pub(in crate::book) fn played(moves: &str) -> Game {
        let mut game = Game::new(Position::startpos());
        for text in moves.split_whitespace() {
            let mv = game.position().parse_uci(text).unwrap();
            game.play(mv);
        }
        game
    }

    /// A book of lines: every move of each, with this weight.
    pub(in crate::book) fn lines(lines: &[(&str, u16)]) -> Book {
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
    fn each_position_of_a_side_comes_once() {
        let book = lines(&[("d2d4 g8f6 c2c4 e7e6 b1c3", 1), ("c2c4 g8f6 d2d4", 1), ("a2a4 a7a5 b2b4", 0)]);
        let white = Walk::new(&book, Color::White, &played(""));
        let counts: Vec<usize> = white.map(|station| station.moves.len()).collect();
        // The start, after 1.d4 Nf6, after 1.c4 Nf6, after 2.c4 e6. A weight of 0 leads nowhere.
        assert_eq!(counts.len(), 4);
        assert_eq!(counts.iter().sum::<usize>(), 2 + 1 + 1 + 1);
        // Black answers 1.d4, 1.c4, 1.a4, which a book need not know White to play, and 2.c4.
        assert_eq!(Walk::new(&book, Color::Black, &played("")).count(), 4);
    }
}
