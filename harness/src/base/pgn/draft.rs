//! A game while its tokens are read: where it begins and ends, and its first error.

use shakmaty::san::San;

use super::lines::{NextGame, Place};
use super::token::{ResultToken, Token};
use crate::base::wording::shown;

/// A game under construction, filled in the order of the file.
///
/// A reader clones an empty builder for each game.
pub trait GameBuilder: Clone {
    /// The representation that the caller wants.
    type Game;

    /// Takes a tag; `name` is in lower case.
    ///
    /// Errors: a description of an invalid tag, after which nothing more is taken.
    fn tag(&mut self, name: &str, value: &str) -> Result<(), String>;

    /// Takes a move of the main line.
    ///
    /// Errors: a description of an illegal move, after which nothing more is taken.
    fn san(&mut self, san: San) -> Result<(), String>;

    /// Takes a comment, after a move or before the first one.
    fn comment(&mut self, _comment: &str) {}

    /// Takes the result token at the end of the moves: the half-points of White, if known.
    ///
    /// Errors: another result than that of the tag.
    fn outcome(&mut self, _half_points: Option<u8>) -> Result<(), String> {
        Ok(())
    }

    /// Returns the game; `None` if it has no result and the builder needs one.
    fn finish(self) -> Option<Self::Game>;
}

/// Whether a token belongs to the game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It does, and the game goes on.
    Continue,
    /// It does, and it ends the game.
    Last,
    /// It begins the next game.
    Next,
}

/// An error in a game.
struct Fault {
    line: usize,
    what: String,
    /// Whether the file may end in the middle of the game.
    is_cut: bool,
}

/// A tag pair with its line, kept until the tags are over.
pub(super) struct Tag {
    name: String,
    value: String,
    line: usize,
}

/// A game of which some tokens have been read.
pub(super) struct Draft<B> {
    builder: B,
    /// The result token before the game.
    before: Option<ResultToken>,
    /// The line on which the game begins, once it does.
    line: Option<usize>,
    /// Its tags, which the builder takes when they are over.
    tags: Vec<Tag>,
    /// Tags read that belong to the next game.
    pub(super) tags_of_next: Vec<Tag>,
    /// Whether the tags are over.
    has_movetext: bool,
    /// Number of words in the place of moves.
    plies: usize,
    /// Number of the first move.
    first_number: u32,
    /// Whether the last token is a move number that begins another game, if a move follows.
    begins_again: bool,
    /// Lines on which the open variations begin.
    variations: Vec<usize>,
    fault: Option<Fault>,
    /// The result token of the game.
    pub(super) result: Option<ResultToken>,
}

impl<B: GameBuilder> Draft<B> {
    /// Returns a game with its first tags, perhaps none. `before` is the result token at the end of the game before it.
    pub(super) fn new(builder: B, tags: Vec<Tag>, before: Option<ResultToken>) -> Self {
        Self {
            builder,
            before,
            line: tags.first().map(|tag| tag.line),
            tags,
            tags_of_next: Vec::new(),
            has_movetext: false,
            plies: 0,
            first_number: 1,
            begins_again: false,
            variations: Vec::new(),
            fault: None,
            result: None,
        }
    }

    /// Takes a token other than a comment. `is_cut` is whether the file ends right after it.
    pub(super) fn take(&mut self, token: Token<'_>, line: usize, is_line_start: bool, is_cut: bool) -> Step {
        match token {
            Token::Tag(name, value) if is_line_start || self.variations.is_empty() => {
                if let Some(&open) = self.variations.first() {
                    self.fail_variation(open, false);
                    return Step::Next;
                }
                return self.take_tag(Tag { name, value: value.into_owned(), line });
            }
            Token::Open => self.variations.push(line),
            Token::Close => drop(self.variations.pop()),
            _ if !self.variations.is_empty() => {}
            Token::Dots => self.begins_again = false,
            Token::Number(number, dots) => self.take_number(number, dots, line, is_line_start),
            Token::Move(_) | Token::Unknown(_) if self.begins_again => return Step::Next,
            Token::Move(san) => {
                self.begin_movetext(line);
                self.plies += 1;
                self.build(line, |builder| builder.san(san));
            }
            Token::Unknown(word) => {
                self.plies += 1;
                let what =
                    format!("`{}` is no move; moves are written as in Nf3, exd5, e8=Q or O-O", shown(word));
                self.fail(line, what, is_cut);
            }
            Token::Result(half_points) => return self.take_result(half_points, line),
            Token::Tag(..) | Token::Comment | Token::Ignored => {}
        }
        Step::Continue
    }

    /// Takes a comment of the main line.
    pub(super) fn take_comment(&mut self, comment: &str) {
        if let Some(line) = self.line
            && self.variations.is_empty()
        {
            self.begin_movetext(line);
            if self.fault.is_none() {
                self.builder.comment(comment);
            }
        }
    }

    /// Takes a tag. A tag that the game has begins the next one. There the tags before it belong too, as far as a blank
    /// line separates them from their like. Within one block of tags only its first one does; another replaces its like.
    fn take_tag(&mut self, tag: Tag) -> Step {
        if self.has_movetext {
            return Step::Next;
        }
        let Some(like) = self.tags.iter().position(|earlier| earlier.name == tag.name) else {
            self.line.get_or_insert(tag.line);
            self.tags.push(tag);
            return Step::Continue;
        };
        let lines = self.tags.iter().map(|tag| tag.line).chain([tag.line]);
        let gaps = lines.clone().zip(lines.skip(1)).map(|(line, next)| next > line + 1);
        let first = gaps.enumerate().filter_map(|(index, is_gap)| is_gap.then_some(index + 1)).last();
        if like > first.unwrap_or(0) && like > 0 {
            self.tags[like] = tag;
            return Step::Continue;
        }
        if let Some(first) = first.filter(|&first| like < first) {
            self.tags_of_next = self.tags.split_off(first);
        }
        Step::Next
    }

    /// Takes a move number. Numbers that begin again show that the result of a game is missing.
    fn take_number(&mut self, number: u32, dots: usize, line: usize, is_line_start: bool) {
        if self.plies == 0 {
            self.first_number = number;
            self.begin_movetext(line);
        }
        let is_again = self.plies > 1 || self.plies == 1 && is_line_start;
        self.begins_again = is_again && number <= self.first_number && dots < 2;
    }

    /// Takes a result. Some files repeat it.
    fn take_result(&mut self, half_points: Option<u8>, line: usize) -> Step {
        if self.line.is_none() {
            if self.before == Some(half_points) {
                return Step::Continue;
            }
            self.fail(line, "a result without tags or moves".to_owned(), false);
        }
        self.result = Some(half_points);
        self.begin_movetext(line);
        self.build(line, |builder| builder.outcome(half_points));
        Step::Last
    }

    /// Ends the tags of the game, which begins on this line if it has none.
    fn begin_movetext(&mut self, line: usize) {
        self.line.get_or_insert(line);
        if !std::mem::replace(&mut self.has_movetext, true) {
            for Tag { name, value, line } in std::mem::take(&mut self.tags) {
                self.build(line, |builder| builder.tag(&name, &value));
            }
        }
    }

    /// Passes something to the builder, unless the game has an error.
    fn build(&mut self, line: usize, take: impl FnOnce(&mut B) -> Result<(), String>) {
        if self.fault.is_none()
            && let Err(what) = take(&mut self.builder)
        {
            self.fail(line, what, false);
        }
    }

    /// Keeps the first error of the game.
    pub(super) fn fail(&mut self, line: usize, what: String, is_cut: bool) {
        self.begin_movetext(line);
        self.fault.get_or_insert(Fault { line, what, is_cut });
    }

    fn fail_variation(&mut self, line: usize, is_cut: bool) {
        self.fail(line, "a variation `(` without its `)`".to_owned(), is_cut);
    }

    /// Returns the game with its number and line; `None` if nothing was taken.
    pub(super) fn finish(mut self, game: usize) -> Option<(Place, NextGame<B::Game>)> {
        if let Some(&open) = self.variations.first() {
            self.fail_variation(open, true);
        }
        let line = self.line?;
        self.begin_movetext(line);
        let place = |line| Place { game, line };
        Some(match self.fault {
            Some(Fault { line, what, is_cut: true }) => (place(line), NextGame::Truncated(what)),
            Some(Fault { line, what, is_cut: false }) => (place(line), NextGame::Bad(what)),
            None => (place(line), self.builder.finish().map_or(NextGame::Unfinished, NextGame::Complete)),
        })
    }
}
