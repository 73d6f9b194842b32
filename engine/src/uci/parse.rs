//! One line of text → one [`Command`].
//!
//! Decides what a line asks for, and says in words what could not be read. Knows the shape of the protocol and
//! nothing of chess: moves and FENs stay text until `position` judges them, option values until the option
//! table does. The loop in `repl` calls [`parse`] and prints the warnings and errors as `info string`.
//!
//! The rule for trouble: what is harmless to ignore (a stray word, a clock that is no number) becomes a warning
//! and the command still runs; what would run something else than was asked (half a FEN, a perft without depth)
//! is an error and nothing runs.

use thiserror::Error;

use super::parse_go::{self, GoLimits};
use super::parse_position::{self, PositionSpec};
use crate::types::{Depth, MAX_PLY, Mebibytes};

/// What a line asks the engine to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Introduce yourself and list the options.
    Uci,
    /// Answer once everything before is worked off.
    IsReady,
    /// The next position belongs to another game.
    UciNewGame,
    /// More or less `info string` output.
    Debug(bool),
    /// Change an option. The value is `None` where the word `value` is absent.
    SetOption {
        /// The name as written, runs of white space made one blank.
        name: String,
        /// All text after `value`, trimmed.
        value: Option<String>,
    },
    /// Set up a position.
    Position(PositionSpec),
    /// Search.
    Go(GoLimits),
    /// End the search and report its move.
    Stop,
    /// The move pondered on was played.
    PonderHit,
    /// Leave.
    Quit,
    /// Registration, which this engine does not need.
    Register,
    /// Say what there is beyond the protocol (extension `help`).
    Help,
    /// Show the board (extension `d`).
    Display,
    /// Show the static evaluation (extension `eval`).
    Eval,
    /// Search the built-in positions (extension); an absent figure means the bench's own default.
    Bench {
        /// How deep each position is searched.
        depth: Option<Depth>,
        /// How many threads search.
        threads: Option<usize>,
        /// How large the hash table is.
        hash: Option<Mebibytes>,
    },
    /// Count the leaves of the move tree (extension, also `go perft N`).
    Perft {
        /// How many plies; 0 counts the position itself.
        depth: u32,
        /// Where to count; `None` is the current position.
        fen: Option<String>,
    },
}

/// A command, and what was odd about the line it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// What to do.
    pub command: Command,
    /// What was passed over on the way; for `info string`.
    pub warnings: Vec<ParseError>,
}

/// What could not be read, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// No word of the line is a command.
    #[error("unknown command '{}'", excerpt(token))]
    UnknownCommand {
        /// The first word.
        token: String,
    },
    /// The line ends too early.
    #[error("{after}: expected {expected}, found nothing")]
    Missing {
        /// The word that asks for more.
        after: &'static str,
        /// What should have followed.
        expected: &'static str,
    },
    /// A word that does not belong where it stands.
    #[error("{context}: expected {expected}, found '{}'", excerpt(token))]
    Unexpected {
        /// The command or parameter it was found in.
        context: &'static str,
        /// What should have stood there.
        expected: &'static str,
        /// The word itself.
        token: String,
    },
    /// A number outside of what the parameter can be.
    #[error("{context}: '{}' is out of range, taken as {used}", excerpt(token))]
    OutOfRange {
        /// The parameter.
        context: &'static str,
        /// The number as written.
        token: String,
        /// The number used in its place; `nothing` where the parameter is treated as absent.
        used: String,
    },
    /// A FEN with too few or too many fields.
    #[error("position fen: expected 4 to 6 fields before 'moves', found {found}")]
    FenFields {
        /// How many words there were.
        found: usize,
    },
    /// Every limit of a `go` was unreadable.
    #[error("go: no limit could be read, searching to depth 1")]
    NoLimit,
}

/// Reads one line; a blank line is `None`.
///
/// Any white space separates words. Words before the first command are skipped with a warning, as the protocol
/// asks (`joho debug on`); our one-word extensions are only taken at the start of a line, so that a stray `d` in
/// a sentence does nothing.
pub fn parse(line: &str) -> Result<Option<Parsed>, ParseError> {
    let mut words = Words::new(line);
    let Some(first) = words.next() else { return Ok(None) };
    let mut warnings = Vec::new();
    let mut word = first;
    let command = loop {
        if let Some(command) = protocol_command(word, &mut words, &mut warnings) {
            break command?;
        }
        if word == first
            && warnings.is_empty()
            && let Some(command) = extension(word, &mut words, &mut warnings)
        {
            break command?;
        }
        if warnings.is_empty() {
            warnings.push(ParseError::UnknownCommand { token: word.to_owned() });
        }
        word = words.next().ok_or_else(|| ParseError::UnknownCommand { token: first.to_owned() })?;
    };
    if let Some(token) = words.next() {
        warnings.push(unexpected("command", "the end of the line", token));
    }
    Ok(Some(Parsed { command, warnings }))
}

type Outcome = Result<Command, ParseError>;

/// The commands of the protocol; `None` if `word` is not one.
fn protocol_command(word: &str, words: &mut Words<'_>, warnings: &mut Vec<ParseError>) -> Option<Outcome> {
    Some(match word {
        "uci" => Ok(Command::Uci),
        "isready" => Ok(Command::IsReady),
        "ucinewgame" => Ok(Command::UciNewGame),
        "stop" => Ok(Command::Stop),
        "ponderhit" => Ok(Command::PonderHit),
        "quit" => Ok(Command::Quit),
        "debug" => debug(words),
        "setoption" => set_option(words),
        "position" => parse_position::parse(words).map(Command::Position),
        "go" => parse_go::parse(words, warnings),
        "register" => {
            // `later`, or a name and a code: none of it matters to us.
            words.take_rest();
            Ok(Command::Register)
        }
        _ => return None,
    })
}

/// What this engine understands beyond the protocol; `None` if `word` is not one of them.
fn extension(word: &str, words: &mut Words<'_>, warnings: &mut Vec<ParseError>) -> Option<Outcome> {
    Some(match word {
        "help" => Ok(Command::Help),
        "d" => Ok(Command::Display),
        "eval" => Ok(Command::Eval),
        "bench" => bench(words, warnings),
        "perft" => perft(words, warnings),
        _ => return None,
    })
}

fn debug(words: &mut Words<'_>) -> Outcome {
    match words.next() {
        Some("on") => Ok(Command::Debug(true)),
        Some("off") => Ok(Command::Debug(false)),
        Some(token) => Err(unexpected("debug", "on or off", token)),
        None => Err(ParseError::Missing { after: "debug", expected: "on or off" }),
    }
}

/// `name N... [value V...]`: names may have blanks, values may have anything.
fn set_option(words: &mut Words<'_>) -> Outcome {
    match words.next() {
        Some("name") => {}
        Some(token) => return Err(unexpected("setoption", "name", token)),
        None => return Err(ParseError::Missing { after: "setoption", expected: "name" }),
    }
    let mut name = Vec::new();
    let mut value = None;
    while let Some(word) = words.next() {
        if word == "value" && !name.is_empty() {
            value = Some(words.take_rest().to_owned());
            break;
        }
        name.push(word);
    }
    if name.is_empty() {
        return Err(ParseError::Missing { after: "setoption name", expected: "an option's name" });
    }
    Ok(Command::SetOption { name: name.join(" "), value })
}

/// `[DEPTH] [THREADS] [HASH]`. A figure that is no number is an error: a bench of another size is another bench.
fn bench(words: &mut Words<'_>, warnings: &mut Vec<ParseError>) -> Outcome {
    let mut figure = |context, max| match words.next() {
        Some(token) => number(context, token, 1, max, warnings).map(Some),
        None => Ok(None),
    };
    Ok(Command::Bench {
        depth: figure("bench depth", Depth::MAX.0 as i64)?.map(|plies| Depth(plies as i32)),
        threads: figure("bench threads", super::options::MAX_THREADS)?.map(|count| count as usize),
        hash: figure("bench hash", super::options::MAX_HASH)?.map(|size| Mebibytes(size as u64)),
    })
}

/// `DEPTH [FEN]`; the word `fen` before the FEN may be there.
fn perft(words: &mut Words<'_>, warnings: &mut Vec<ParseError>) -> Outcome {
    let depth = perft_depth(words.next(), warnings)?;
    let rest = words.take_rest();
    let fen = rest.strip_prefix("fen ").unwrap_or(rest).trim();
    Ok(Command::Perft { depth, fen: (!fen.is_empty()).then(|| fen.to_owned()) })
}

/// The depth of a perft, whichever command asks for it.
pub(super) fn perft_depth(token: Option<&str>, warnings: &mut Vec<ParseError>) -> Result<u32, ParseError> {
    let token = token.ok_or(ParseError::Missing { after: "perft", expected: "a depth" })?;
    number("perft", token, 0, MAX_PLY as i64, warnings).map(|depth| depth as u32)
}

/// An integer forced into `min..=max`; a fraction is cut off. Both are warned about.
///
/// Errors: `Unexpected` if it is no number at all.
pub(super) fn number(
    context: &'static str,
    token: &str,
    min: i64,
    max: i64,
    warnings: &mut Vec<ParseError>,
) -> Result<i64, ParseError> {
    let (whole, fraction) = token.split_once('.').unwrap_or((token, ""));
    let digits = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty() || !all_digits(digits) || !all_digits(fraction) {
        return Err(unexpected(context, "a whole number", token));
    }
    // Digits that do not fit are a number all the same, a very large one.
    let value = whole.parse::<i64>();
    let overflow = if whole.starts_with('-') { i64::MIN } else { i64::MAX };
    let used = value.clone().unwrap_or(overflow).clamp(min, max);
    if value != Ok(used) || whole.len() != token.len() {
        warnings.push(ParseError::OutOfRange { context, token: token.to_owned(), used: used.to_string() });
    }
    Ok(used)
}

/// The error for a word that does not belong.
pub(super) fn unexpected(context: &'static str, expected: &'static str, token: &str) -> ParseError {
    ParseError::Unexpected { context, expected, token: token.to_owned() }
}

/// A word as it may stand inside one line of output: control characters escaped, long ones cut.
pub(super) fn excerpt(token: &str) -> String {
    const LONGEST: usize = 40;
    let mut text: String = token.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if token.chars().nth(LONGEST).is_some() {
        text.push_str("...");
    }
    text
}

/// The words of a line, with a look at the next one and at everything left.
#[derive(Clone)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { rest: line.trim() }
    }

    /// The next word, left where it is.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Everything not yet read, trimmed.
    pub(super) fn take_rest(&mut self) -> &'a str {
        std::mem::take(&mut self.rest)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn command(line: &str) -> Command {
        let parsed = parse(line).unwrap().unwrap();
        assert_eq!(parsed.warnings, [], "{line}");
        parsed.command
    }

    #[test]
    fn plain_commands() {
        for (line, expected) in [
            ("uci", Command::Uci),
            ("isready", Command::IsReady),
            ("ucinewgame", Command::UciNewGame),
            ("stop", Command::Stop),
            ("ponderhit", Command::PonderHit),
            ("quit", Command::Quit),
            ("register later", Command::Register),
            ("register name A B code 1", Command::Register),
            ("debug on", Command::Debug(true)),
            ("debug off", Command::Debug(false)),
            ("help", Command::Help),
            ("d", Command::Display),
            ("eval", Command::Eval),
        ] {
            assert_eq!(command(line), expected);
        }
    }

    #[test]
    fn blank_lines_are_nothing() {
        for line in ["", " ", "\t\r\n", "\u{b}"] {
            assert_eq!(parse(line), Ok(None));
        }
    }

    #[test]
    fn any_white_space_separates() {
        assert_eq!(command("\t  debug \t  \t\ton\t\r\n"), Command::Debug(true));
        assert_eq!(command("   isready"), Command::IsReady);
    }

    #[test]
    fn unknown_words_before_a_command_are_skipped() {
        let parsed = parse("joho haha debug on").unwrap().unwrap();
        assert_eq!(parsed.command, Command::Debug(true));
        assert_eq!(parsed.warnings, [ParseError::UnknownCommand { token: "joho".into() }]);
        for (line, token) in
            [("uci2", "uci2"), ("what a d eval", "what"), ("D", "D"), ("x d", "x"), ("d2 d", "d2")]
        {
            assert_eq!(parse(line), Err(ParseError::UnknownCommand { token: token.into() }));
        }
        // The same unknown word twice must not make the second one the start of the line.
        assert!(parse("a a d").is_err());
    }

    #[test]
    fn debug_takes_on_or_off() {
        assert_eq!(parse("debug joho on"), Err(unexpected("debug", "on or off", "joho")));
        assert_eq!(parse("debug"), Err(ParseError::Missing { after: "debug", expected: "on or off" }));
    }

    #[test]
    fn words_after_a_command_are_reported() {
        let parsed = parse("isready now").unwrap().unwrap();
        assert_eq!(parsed.command, Command::IsReady);
        assert_eq!(parsed.warnings, [unexpected("command", "the end of the line", "now")]);
    }

    #[test]
    fn options_have_blanks_in_names_and_values() {
        let set = |name: &str, value: Option<&str>| Command::SetOption {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        assert_eq!(command("setoption name Hash value 32"), set("Hash", Some("32")));
        assert_eq!(command("setoption  name Clear\t Hash"), set("Clear Hash", None));
        assert_eq!(
            command("setoption name Path value C:\\My  Files\\tb "),
            set("Path", Some("C:\\My  Files\\tb"))
        );
        assert_eq!(command("setoption name Path value"), set("Path", Some("")));
        assert_eq!(command("setoption name A value value 3"), set("A", Some("value 3")));
        for line in ["setoption", "setoption name", "setoption Hash value 3"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn bench_takes_up_to_three_figures() {
        let bench = |depth: Option<i32>, threads, hash: Option<u64>| Command::Bench {
            depth: depth.map(Depth),
            threads,
            hash: hash.map(Mebibytes),
        };
        assert_eq!(command("bench"), bench(None, None, None));
        assert_eq!(command("bench 5"), bench(Some(5), None, None));
        assert_eq!(command("bench 5 2 64"), bench(Some(5), Some(2), Some(64)));
        assert_eq!(parse("bench -3").unwrap().unwrap().command, bench(Some(1), None, None));
        assert_eq!(parse("bench deep"), Err(unexpected("bench depth", "a whole number", "deep")));
    }

    #[test]
    fn perft_takes_a_depth_and_perhaps_a_fen() {
        let perft = |depth, fen: Option<&str>| Command::Perft { depth, fen: fen.map(str::to_owned) };
        assert_eq!(command("perft 3"), perft(3, None));
        assert_eq!(command("perft 0 8/8 w - -"), perft(0, Some("8/8 w - -")));
        assert_eq!(command("perft 1 fen 8/8 w - -"), perft(1, Some("8/8 w - -")));
        assert!(parse("perft").is_err() && parse("perft three").is_err());
    }

    #[test]
    fn numbers_saturate_and_say_so() {
        for (token, used, warned) in [
            ("7", 7, false),
            ("+7", 7, false),
            ("007", 7, false),
            ("-1", 0, true),
            ("99999999999999999999", 100, true),
            ("-99999999999999999999", 0, true),
            ("7.9", 7, true),
        ] {
            let mut warnings = Vec::new();
            assert_eq!(number("test", token, 0, 100, &mut warnings), Ok(used), "{token}");
            assert_eq!(!warnings.is_empty(), warned, "{token}");
        }
        for token in ["", "-", "+", ".", "abc", "1e5", "0x10", "1.2.3", "--1", "1-", "٣"] {
            assert!(number("test", token, 0, 100, &mut Vec::new()).is_err(), "{token}");
        }
    }

    #[test]
    fn messages_stay_on_one_short_line() {
        let error = parse(&"x\u{0}".repeat(100_000)).unwrap_err().to_string();
        assert!(error.len() < 300 && !error.contains(char::is_control), "{error}");
        assert_eq!(parse("uci2").unwrap_err().to_string(), "unknown command 'uci2'");
    }

    proptest! {
        #[test]
        fn never_panics(line in any::<String>()) {
            let _ = parse(&line);
        }

        #[test]
        fn never_panics_near_the_protocol(words in prop::collection::vec(prop::sample::select(vec![
            "go", "position", "startpos", "fen", "moves", "setoption", "name", "value", "wtime", "depth", "perft",
            "searchmoves", "e2e4", "-1", "0", "99999999999999999999", "abc", "debug", "on", "bench", "é", "\u{0}",
        ]), 0..12)) {
            if let Ok(Some(parsed)) = parse(&words.join(" ")) {
                for warning in parsed.warnings {
                    prop_assert!(!warning.to_string().contains('\n'));
                }
            }
        }
    }
}
