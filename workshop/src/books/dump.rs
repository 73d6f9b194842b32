//! Listing of the lines of a book.

use std::collections::HashMap;

use serde::Serialize;
use stretto::book::{Book, BookKey, candidates};
use stretto::position::Game;
use stretto::types::Color;

/// Options of the listing.
#[derive(Clone, Copy, Debug)]
pub struct DumpOptions {
    /// The side that plays from the book.
    pub color: Color,
    /// Length at which lines are cut. Units: plies.
    pub max_ply: usize,
}

/// A move of a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineMove {
    /// The move in SAN.
    pub san: String,
    /// The move in UCI notation, with castling as king takes rook.
    pub uci: String,
    /// Probability of the move by weight; `None` for the opponent's moves. Units: percent.
    pub percent: Option<f64>,
}

/// The reason why a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnd {
    /// The book has no further moves.
    Book,
    /// An earlier line continues from this position.
    Transposition,
    /// The length limit is reached.
    Cut,
}

/// A line of a book.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The moves of the line.
    pub moves: Vec<LineMove>,
    /// The reason why the line ends.
    pub end: LineEnd,
}

/// Passes every line of a side that plays from the book to `show`: its own moves with their
/// probabilities, and the opponent's moves that return to the book. Each position is expanded once;
/// another line that reaches it ends there. Once lines are cut, a shorter line to a position expands it
/// again.
pub fn dump<E>(
    book: &Book,
    start: &Game,
    options: DumpOptions,
    show: impl FnMut(&Line) -> Result<(), E>,
) -> Result<(), E> {
    let mut dumper = Dumper { book, options, seen: HashMap::new(), is_cut: false, moves: Vec::new(), show };
    if start.position().side_to_move() == options.color {
        dumper.own(start)
    } else {
        dumper.replies(start).map(|_| ())
    }
}

struct Dumper<'a, F> {
    book: &'a Book,
    options: DumpOptions,
    /// The expanded positions, with the number of plies before them.
    seen: HashMap<BookKey, usize>,
    /// Whether any line has been cut.
    is_cut: bool,
    /// Moves of the current line.
    moves: Vec<LineMove>,
    show: F,
}

impl<E, F: FnMut(&Line) -> Result<(), E>> Dumper<'_, F> {
    fn end(&mut self, end: LineEnd) -> Result<(), E> {
        self.is_cut |= end == LineEnd::Cut;
        if self.moves.is_empty() {
            return Ok(());
        }
        (self.show)(&Line { moves: self.moves.clone(), end })
    }

    /// Continues with the side's own moves.
    fn own(&mut self, game: &Game) -> Result<(), E> {
        let key = BookKey::of(game);
        let mut moves = candidates(self.book, key, game.position(), false);
        if moves.is_empty() {
            return self.end(LineEnd::Book);
        }
        // A line that is cut here lists no moves, so a shorter line with this position must.
        let plies = self.moves.len();
        if plies >= self.options.max_ply {
            let is_listed = self.seen.contains_key(&key);
            return self.end(if is_listed { LineEnd::Transposition } else { LineEnd::Cut });
        }
        if self.seen.get(&key).is_some_and(|&before| before <= plies || !self.is_cut) {
            return self.end(LineEnd::Transposition);
        }
        self.seen.insert(key, plies);
        moves.sort_by_key(|candidate| std::cmp::Reverse(candidate.share));
        let all: u64 = moves.iter().map(|candidate| candidate.share).sum();
        for candidate in moves {
            let percent = Some(100.0 * candidate.share as f64 / all as f64);
            let next = self.push(game, candidate.mv, percent);
            if self.moves.len() >= self.options.max_ply {
                self.end(LineEnd::Cut)?;
            } else if !self.replies(&next)? {
                self.end(LineEnd::Book)?;
            }
            self.moves.pop();
        }
        Ok(())
    }

    /// Continues with the opponent's moves; returns whether any returns to the book.
    fn replies(&mut self, game: &Game) -> Result<bool, E> {
        let mut is_any = false;
        for &mv in &game.position().legal_moves() {
            let mut next = game.clone();
            next.play(mv);
            if !candidates(self.book, BookKey::of(&next), next.position(), false).is_empty() {
                is_any = true;
                self.push(game, mv, None);
                self.own(&next)?;
                self.moves.pop();
            }
        }
        Ok(is_any)
    }

    /// Appends a move to the line.
    fn push(&mut self, game: &Game, mv: stretto::types::Move, percent: Option<f64>) -> Game {
        let position = game.position();
        self.moves.push(LineMove { san: position.san(mv), uci: position.uci(mv, true), percent });
        let mut next = game.clone();
        next.play(mv);
        next
    }
}

impl Line {
    /// Returns the line as text, numbered from the starting position.
    pub fn text(&self, start: &Game) -> String {
        let mut number = start.position().fullmove_number();
        let mut color = start.position().side_to_move();
        let mut words = Vec::new();
        for (index, mv) in self.moves.iter().enumerate() {
            match (color, index) {
                (Color::White, _) => words.push(format!("{number}.")),
                (Color::Black, 0) => words.push(format!("{number}...")),
                _ => {}
            }
            words.push(mv.san.clone());
            words.extend(mv.percent.map(|percent| format!("{{{percent:.0} %}}")));
            number += u16::from(color == Color::Black);
            color = !color;
        }
        match self.end {
            LineEnd::Book => {}
            LineEnd::Transposition => words.push("{as above}".to_owned()),
            LineEnd::Cut => words.push("...".to_owned()),
        }
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::books::traverse::tests::{lines, played};

    fn texts(book: &Book, color: Color, max_ply: usize) -> Vec<String> {
        let (start, mut found) = (played(""), Vec::new());
        let result = dump(book, &start, DumpOptions { color, max_ply }, |line| {
            found.push(line.text(&start));
            Ok::<(), Infallible>(())
        });
        result.unwrap();
        found
    }

    #[test]
    fn lines_of_both_sides_are_listed() {
        let book = lines(&[("d2d4 g8f6 c2c4 e7e6 b1c3", 3), ("c2c4 g8f6 d2d4", 1)]);
        assert_eq!(
            texts(&book, Color::White, 100),
            [
                "1. d4 {75 %} Nf6 2. c4 {100 %} e6 3. Nc3 {100 %}",
                "1. c4 {25 %} Nf6 2. d4 {100 %} e6 {as above}",
            ]
        );
        assert_eq!(
            texts(&book, Color::Black, 100),
            ["1. c4 Nf6 {100 %} 2. d4 e6 {100 %}", "1. d4 Nf6 {100 %} 2. c4 {as above}"]
        );
        assert_eq!(texts(&book, Color::White, 1), ["1. d4 {75 %} ...", "1. c4 {25 %} ..."]);
    }

    #[test]
    fn position_cut_in_a_long_line_is_continued_in_a_shorter_one() {
        let book = lines(&[("e2e3 e7e6 e3e4 e6e5 d2d4", 3), ("e2e4 e7e5", 1)]);
        assert_eq!(
            texts(&book, Color::White, 4),
            ["1. e3 {75 %} e6 2. e4 {100 %} e5 ...", "1. e4 {25 %} e5 2. d4 {100 %}"]
        );
        assert_eq!(
            texts(&book, Color::White, 5),
            ["1. e3 {75 %} e6 2. e4 {100 %} e5 3. d4 {100 %} ...", "1. e4 {25 %} e5 2. d4 {100 %}"]
        );
        assert_eq!(
            texts(&book, Color::White, 6),
            ["1. e3 {75 %} e6 2. e4 {100 %} e5 3. d4 {100 %}", "1. e4 {25 %} e5 {as above}"]
        );
    }

    #[test]
    fn moves_behind_a_cut_are_listed_where_a_shorter_line_reaches_them() {
        let book = lines(&[
            ("e2e3 e7e6 e3e4 e6e5 g1f3 b8c6 f1b5 a7a6 b5a4", 10),
            ("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4", 1),
        ]);
        for (max_ply, last) in [(5, "3. Bb5 {100 %} ..."), (7, "3. Bb5 {100 %} a6 4. Ba4 {100 %} ...")] {
            let expected = format!("1. e4 {{9 %}} e5 2. Nf3 {{100 %}} Nc6 {last}");
            assert_eq!(texts(&book, Color::White, max_ply)[1], expected);
        }
    }

    #[test]
    fn book_with_cycles_terminates() {
        let book = lines(&[("g1f3 g8f6 f3g1 f6g8", 1)]);
        assert_eq!(texts(&book, Color::White, 100), ["1. Nf3 {100 %} Nf6 2. Ng1 {100 %} Ng8 {as above}"]);
    }
}
