//! The iterator over the games of a file.

use std::io::{self, Read};
use std::path::Path;
use std::{fs, mem};

use super::draft::{Draft, GameBuilder, Step, Tag};
use super::lines::{Lines, NextGame, Place};
use super::token::{ResultToken, Token, half_points, is_movetext, token};

/// Whether a file that begins with a bad game seems to be PGN: a line is a tag pair, or the first word a move or the last
/// one a result. A pipe can be read only once, and counts as PGN.
pub fn is_pgn(path: &Path) -> io::Result<bool> {
    if !path.is_file() {
        return Ok(true);
    }
    let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    let is_tag_pair = |line: &str| line.trim().starts_with('[') && line.trim().ends_with("\"]");
    let is_result = |word: &str| word == "*" || half_points(word).is_some();
    Ok(text.split(['\n', '\r']).any(is_tag_pair)
        || text.split_whitespace().next().is_some_and(is_movetext)
        || text.split_whitespace().next_back().is_some_and(is_result))
}

/// A reader of the games in a PGN file.
pub struct Games<R> {
    lines: Lines<R>,
    comment: String,
    /// Number of games read.
    game: usize,
    /// The result token at the end of the last game.
    result: Option<ResultToken>,
    /// Tags of the next game, read after the last one.
    tags: Vec<Tag>,
}

impl<R: Read> Games<R> {
    /// Returns a reader of this source. The source needs no buffering.
    pub fn new(source: R) -> Self {
        Self { lines: Lines::new(source), comment: String::new(), game: 0, result: None, tags: Vec::new() }
    }

    /// Reads the next game with a clone of the `empty` builder; `None` after the last game.
    pub(crate) fn next<B: GameBuilder>(&mut self, empty: &B) -> Option<(Place, NextGame<B::Game>)> {
        self.game += 1;
        let mut draft = Draft::new(empty.clone(), mem::take(&mut self.tags), self.result);
        if let Err(error) = self.read(&mut draft) {
            let place = Place { game: self.game, line: self.lines.number() };
            return Some((place, NextGame::Failed(error)));
        }
        self.result = draft.result;
        self.tags = mem::take(&mut draft.tags_of_next);
        draft.finish(self.game)
    }

    /// Reads the tokens of a game.
    fn read<B: GameBuilder>(&mut self, draft: &mut Draft<B>) -> io::Result<()> {
        while self.lines.seek_token()? {
            let (line, is_line_start) = (self.lines.number(), self.lines.is_at_start());
            let (token, length) = token(self.lines.rest(), is_line_start);
            if token == Token::Comment {
                self.lines.skip(length);
                if self.lines.read_comment(&mut self.comment)? {
                    draft.take_comment(&self.comment);
                } else {
                    let is_cut = self.lines.rest().is_empty();
                    draft.fail(line, "a comment `{` without its `}`".to_owned(), is_cut);
                }
                continue;
            }
            let step = draft.take(token, line, is_line_start, self.lines.is_cut_after(length));
            if step != Step::Next {
                self.lines.skip(length);
            }
            if step != Step::Continue {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::san::San;

    use super::*;

    /// Writes down what a game consists of.
    #[derive(Clone, Default)]
    struct Transcript(String);

    impl Transcript {
        fn add(&mut self, part: &str) {
            let separator = if self.0.is_empty() { "" } else { " " };
            self.0 += separator;
            self.0 += part;
        }
    }

    impl GameBuilder for Transcript {
        type Game = String;

        fn tag(&mut self, name: &str, value: &str) -> Result<(), String> {
            self.add(&format!("{name}={value}"));
            if value == "wrong" { Err(format!("invalid {name}")) } else { Ok(()) }
        }

        fn san(&mut self, san: San) -> Result<(), String> {
            self.add(&san.to_string());
            if san.to_string() == "a1" { Err("illegal".to_owned()) } else { Ok(()) }
        }

        fn comment(&mut self, comment: &str) {
            self.add(&format!("{{{comment}}}"));
        }

        fn outcome(&mut self, half_points: Option<u8>) -> Result<(), String> {
            self.add(&half_points.map_or("*".to_owned(), |points| points.to_string()));
            Ok(())
        }

        fn finish(self) -> Option<String> {
            Some(self.0)
        }
    }

    /// Returns the games of a text, each with its line; errors as `!`, truncated games as `?`.
    fn games(text: &str) -> Vec<String> {
        let mut games = Games::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some((place, read)) = games.next(&Transcript::default()) {
            assert_eq!(place.game, found.len() + 1);
            let what = match read {
                NextGame::Complete(game) => game,
                NextGame::Bad(what) => format!("! {what}"),
                NextGame::Truncated(what) => format!("? {what}"),
                other => panic!("{other:?}"),
            };
            let what = what.replace(" is no move; moves are written as in Nf3, exd5, e8=Q or O-O", "");
            found.push(format!("{}: {what}", place.line));
        }
        found
    }

    #[test]
    fn result_ends_a_game_and_blank_line_does_not() {
        for (text, expected) in [
            ("1. e4 c5 *\n1. d4 Nf6 *", &["1: e4 c5 *", "2: d4 Nf6 *"][..]),
            ("1. e4 c5 1-0 1. d4 Nf6 0-1", &["1: e4 c5 2", "1: d4 Nf6 0"]),
            ("e4 1/2-1/2 e5 *", &["1: e4 1", "1: e5 *"]),
            ("1. e4 e5\n\n2. Nf3\r\n\r\n \t\r\nNc6 *", &["1: e4 e5 Nf3 Nc6 *"]),
            ("1. e4 c5 *\r1. d4 Nf6 *\r\r[A \"b\"]\r*", &["1: e4 c5 *", "2: d4 Nf6 *", "4: a=b *"]),
            // What follows a result belongs to no game.
            ("e4 1-0 {White wins} $1 (e5) ; e5\n% e5\n+- 1-0\n\nd4 0-1", &["1: e4 2", "5: d4 0"]),
            ("{a file}\n; of games\n\n[A \"b\"]\n1-0", &["4: a=b 2"]),
            ("e4 {1-0} (1-0 {)} (1. xx *)) $1 e5 *", &["1: e4 {1-0} e5 *"]),
            ("e4 {a\n[A \"b\"]\n\n% c} e5 *", &["1: e4 {a\n[A \"b\"]\n\n% c} e5 *"]),
            ("", &[]),
            ("\u{feff}\n \n{a} ; b\n%\n\u{1a}", &[]),
        ] {
            assert_eq!(games(text), expected, "{text:?}");
        }
    }

    #[test]
    fn tag_after_moves_or_repeated_tag_begins_a_game() {
        for (text, expected) in [
            ("[FEN \"a\"]\n[Event \"b\"]\n\ne4 *", &["1: fen=a event=b e4 *"][..]),
            ("[FEN \"a\"]\n\n[Event \"b\"]\n{c}\ne4", &["1: fen=a event=b {c} e4"]),
            ("[FEN \"a\"]\n\n[FEN \"b\"]\n[fen \"c\"]", &["1: fen=a", "3: fen=b", "4: fen=c"]),
            (
                "[A \"b\"]\n[C \"d\"]\n\n[C \"e\"]\ne4\n[A \"f\"]\ne5",
                &["1: a=b c=d", "4: c=e e4", "6: a=f e5"],
            ),
            ("[A \"b\"]\n[C \"d\"]\n\n[E \"f\"]\n[C \"e\"]\ne4\n", &["1: a=b c=d", "4: e=f c=e e4"]),
            ("[A \"b\"]\n\n[C \"d\"]\n\n[E \"f\"]\n[A \"e\"]\ne4\n", &["1: a=b c=d", "5: e=f a=e e4"]),
            // Within a block the last value counts.
            ("[A \"b\"]\n\n[C \"d\"]\n[E \"f\"]\n[E \"e\"]\n", &["1: a=b c=d e=e"]),
            ("[FEN \"a\"]\n[ECO \"b\"]\n[ECO \"c\"]\n\ne4 *", &["1: fen=a eco=c e4 *"]),
            ("[A \"b\"]\n[C \"d\"]\n[A \"e\"]\n[C \"f\"]\n", &["1: a=b c=d", "3: a=e c=f"]),
            ("[A \"b\"] e4 * [A \"c\"][B \"d\"]e5", &["1: a=b e4 *", "1: a=c b=d e5"]),
            ("[A \"b\"]\n{no moves}\n\n[B \"c\"]\n1. *", &["1: a=b {no moves}", "4: b=c *"]),
        ] {
            assert_eq!(games(text), expected, "{text:?}");
        }
    }

    #[test]
    fn numbers_that_begin_again_begin_a_game() {
        for (text, expected) in [
            ("1. e4 e5\n\n1. d4 d5", &["1: e4 e5", "3: d4 d5"][..]),
            ("1. e4\n1. d4\n1. c4 c5 1.\nNf3 *", &["1: e4", "2: d4", "3: c4 c5", "4: Nf3 *"]),
            ("1.e4 e5 2.Nf3 Nc6\n1.d4 d5", &["1: e4 e5 Nf3 Nc6", "2: d4 d5"]),
            ("[A \"b\"]\n12. e4 e5 13. d4 d5 12. c4", &["1: a=b e4 e5 d4 d5", "2: c4"]),
            // The second ply has the same number.
            ("1. e4 1... e5 2. d4 2. ... d5", &["1: e4 e5 d4 d5"]),
            ("1. e4 1. e5 *", &["1: e4 e5 *"]),
            ("1. e4\n1. ... e5\n2. d4 (2. c4) 2... d5", &["1: e4 e5 d4 d5"]),
            ("1... e5 2. d4 d5 3. c4", &["1: e5 d4 d5 c4"]),
            ("e4 e5 5. d4 d5 5. c4", &["1: e4 e5 d4 d5 c4"]),
        ] {
            assert_eq!(games(text), expected, "{text:?}");
        }
    }

    #[test]
    fn first_error_of_a_game_is_reported_with_its_line() {
        for (text, expected) in [
            ("1. e4 e5\n2. Sf3 Sc6 3. a1 1-0\n1. e4 *", &["2: ! `Sf3`", "3: e4 *"][..]),
            ("1. a1 Sf3 *\n\n1. d4 Кf6 *", &["1: ! illegal", "3: ! `Кf6`"]),
            (
                "[A \"b\"]\n[FEN \"wrong\"]\n[C \"d\"]\n\n1. Sf3 *\n[A \"b\"]\n*",
                &["2: ! invalid fen", "6: a=b *"],
            ),
            ("1. Sf3 Sf6\n1. e4 *", &["1: ! `Sf3`", "2: e4 *"]),
            ("# Title\n\nwords (and more)\n", &["1: ! `Title`"]),
            ("1. e4 [0.5] e5 *", &["1: ! `[0.5]`"]),
            ("1. e4 (1. d4\n\n[A \"b\"]\n*", &["1: ! a variation `(` without its `)`", "3: a=b *"]),
            ("1. e4 (1. d4\n(1. c4) [A \"b\"] *\n", &["1: ? a variation `(` without its `)`"]),
            (
                "e4 1-0 0-1\n*",
                &["1: e4 2", "1: ! a result without tags or moves", "2: ! a result without tags or moves"],
            ),
            ("e4\n\n{to the end\n[A \"b\"]", &["3: ? a comment `{` without its `}`"]),
            // A file that was cut, and one appended.
            (
                "e4 {+0.20/10\n[Event \"b\"]\n\nd4 {x} d5 *",
                &["1: ! a comment `{` without its `}`", "2: event=b d4 {x} d5 *"],
            ),
            // A word at the end of the file may be cut; one on a whole line is not.
            ("e4 * d4 Nf", &["1: e4 *", "1: ? `Nf`"]),
            ("e4 * d4 Nf\n", &["1: e4 *", "1: ! `Nf`"]),
        ] {
            assert_eq!(games(text), expected, "{text:?}");
        }
    }

    #[test]
    fn text_of_other_kinds_is_no_pgn() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let is_pgn = |text: &[u8]| {
            fs::write(file.path(), text).unwrap();
            super::is_pgn(file.path()).unwrap()
        };
        assert!(is_pgn(b"Sf3\r[White \"a\"]\r") && is_pgn(b"1. Sf3\n") && is_pgn(b"Sf3 \xc2\xbd-\xc2\xbd\n"));
        assert!(
            !is_pgn(b"# Title\n\n- a [link](page.md)\n\n[label]: page.md\n") && !is_pgn(b"BZh91AY&SY\0\xff")
        );
    }
}
