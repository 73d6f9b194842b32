//! Parses one line of text into one [`Command`].
//!
//! This module knows the syntax of the protocol and nothing of chess. Moves and FENs stay text
//! until `position` checks them, option values until the option table does. The loop in `repl`
//! calls [`parse`] and prints warnings and errors as `info string`.
//!
//! Input that is safe to ignore gives a warning and the command runs: an unknown word, or a clock
//! that is not a number. Input that would make the command do something else is an error: a FEN of
//! one field, or a perft without depth.

use super::parse_go::{self, Go, GoLimits};
use super::parse_position::{self, PositionSpec};
use super::words::{ParseError, Words, number, unexpected};
use crate::engine::{MAX_HASH, MAX_THREADS};
use crate::types::{Depth, Mebibytes};

const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A command to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Print name, authors and options.
    Uci,
    /// Answer `readyok` after all earlier commands.
    IsReady,
    /// Forget the game so far: the next position belongs to another one.
    UciNewGame,
    /// Turn debug output on or off.
    Debug(bool),
    /// Set an option.
    SetOption {
        /// The name as written, with single spaces between words.
        name: String,
        /// All text after `value`, trimmed; `None` without the word `value`.
        value: Option<String>,
    },
    /// Set the position.
    Position(PositionSpec),
    /// Start a search.
    Go(GoLimits),
    /// Stop the search and report its move.
    Stop,
    /// Continue the search as a normal one: the move pondered on was played.
    PonderHit,
    /// Exit.
    Quit,
    /// Register the engine, which has no effect here.
    Register,
    /// List the commands beyond the protocol (extension `help`).
    Help,
    /// Print the machine and how it is used (extension `system`).
    System,
    /// Print the board (extension `d`).
    Display,
    /// Print the static evaluation (extension `eval`).
    Eval,
    /// Run the bench (extension). Absent values have the defaults of the bench.
    Bench {
        /// The search depth of each position.
        depth: Option<Depth>,
        /// The number of search threads.
        threads: Option<usize>,
        /// The size of the hash table.
        hash: Option<Mebibytes>,
    },
    /// Count the leaves of the move tree (extension, also `go perft N`).
    Perft {
        /// The depth; 0 counts the position itself.
        depth: u32,
        /// The position; `None` for the current one.
        fen: Option<String>,
    },
}

/// A command with the warnings about its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The command.
    pub command: Command,
    /// The words that were ignored or adjusted.
    pub warnings: Vec<ParseError>,
}

/// Parses one line; returns `None` for a blank line.
///
/// Any white space separates words. Words before the first command are skipped with a warning, as
/// the protocol requires (`joho debug on`). The extensions are recognised only at the start of a
/// line, because a `d` inside a sentence is no command.
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
        warnings.push(ParseError::Surplus { command: word.to_owned(), token: token.to_owned() });
    }
    Ok(Some(Parsed { command, warnings }))
}

type ParseResult = Result<Command, ParseError>;

/// Parses a command of the protocol; returns `None` if `word` is not one.
fn protocol_command(
    word: &str,
    words: &mut Words<'_>,
    warnings: &mut Vec<ParseError>,
) -> Option<ParseResult> {
    Some(match word {
        "uci" => Ok(Command::Uci),
        "isready" => Ok(Command::IsReady),
        "ucinewgame" => Ok(Command::UciNewGame),
        "stop" => Ok(Command::Stop),
        "ponderhit" => Ok(Command::PonderHit),
        "quit" => Ok(Command::Quit),
        "debug" => debug(words),
        "setoption" => set_option(words),
        "position" => parse_position::parse(words)
            .map(Command::Position)
            .map_err(|error| ParseError::Position(Box::new(error))),
        "go" => parse_go::parse(words, warnings).map(|go| match go {
            Go::Search(limits) => Command::Go(limits),
            Go::Perft(depth) => Command::Perft { depth, fen: None },
        }),
        "register" => {
            // `later`, or a name and a code: no registration is needed.
            words.take_rest();
            Ok(Command::Register)
        }
        _ => return None,
    })
}

/// Parses a command beyond the protocol; returns `None` if `word` is not one.
fn extension(word: &str, words: &mut Words<'_>, warnings: &mut Vec<ParseError>) -> Option<ParseResult> {
    Some(match word {
        "help" => Ok(Command::Help),
        "system" => Ok(Command::System),
        "d" => Ok(Command::Display),
        "eval" => Ok(Command::Eval),
        "bench" => bench(words, warnings),
        "perft" => perft(words, warnings),
        _ => return None,
    })
}

fn debug(words: &mut Words<'_>) -> ParseResult {
    match words.next() {
        Some("on") => Ok(Command::Debug(true)),
        Some("off") => Ok(Command::Debug(false)),
        Some(token) => Err(unexpected("debug", "on or off", token)),
        None => Err(ParseError::Missing { after: "debug", expected: "on or off" }),
    }
}

/// Parses `name N... [value V...]`. Names may contain spaces, values any text.
fn set_option(words: &mut Words<'_>) -> ParseResult {
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
        return Err(ParseError::Missing { after: "setoption name", expected: "the name of an option" });
    }
    Ok(Command::SetOption { name: name.join(" "), value })
}

/// Parses `[DEPTH] [THREADS] [HASH]`. A value that is not a number is an error, because it would
/// change the signature.
fn bench(words: &mut Words<'_>, warnings: &mut Vec<ParseError>) -> ParseResult {
    let mut value = |context, max| match words.next() {
        Some(token) => number(context, token, 1, max, warnings).map(Some),
        None => Ok(None),
    };
    Ok(Command::Bench {
        depth: value("bench depth", Depth::MAX.0 as i64)?.map(|plies| Depth(plies as i32)),
        threads: value("bench threads", MAX_THREADS as i64)?.map(|count| count as usize),
        hash: value("bench hash", MAX_HASH.0 as i64)?.map(|size| Mebibytes(size as u64)),
    })
}

/// Parses `DEPTH [FEN]`; `startpos` or `fen FEN` may be written as in `position`.
fn perft(words: &mut Words<'_>, warnings: &mut Vec<ParseError>) -> ParseResult {
    let depth = parse_go::perft_depth(words.next(), warnings)?;
    let rest = words.take_rest();
    let fen = match rest.strip_prefix("fen ").unwrap_or(rest).trim() {
        "startpos" => START_FEN,
        fen => fen,
    };
    Ok(Command::Perft { depth, fen: (!fen.is_empty()).then(|| fen.to_owned()) })
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
    fn commands_without_operands_are_parsed() {
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
            ("system", Command::System),
            ("d", Command::Display),
            ("eval", Command::Eval),
        ] {
            assert_eq!(command(line), expected);
        }
    }

    #[test]
    fn blank_lines_give_no_command() {
        for line in ["", " ", "\t\r\n", "\u{b}"] {
            assert_eq!(parse(line), Ok(None));
        }
    }

    #[test]
    fn words_are_separated_by_any_white_space() {
        assert_eq!(command("\t  debug \t  \t\ton\t\r\n"), Command::Debug(true));
        assert_eq!(command("   isready"), Command::IsReady);
    }

    #[test]
    fn unknown_words_before_a_command_are_skipped_with_a_warning() {
        let parsed = parse("joho haha debug on").unwrap().unwrap();
        assert_eq!(parsed.command, Command::Debug(true));
        assert_eq!(parsed.warnings, [ParseError::UnknownCommand { token: "joho".into() }]);
        for (line, token) in
            [("uci2", "uci2"), ("what a d eval", "what"), ("D", "D"), ("x d", "x"), ("d2 d", "d2")]
        {
            assert_eq!(parse(line), Err(ParseError::UnknownCommand { token: token.into() }));
        }
        // A repeated unknown word must not count as the start of the line.
        assert!(parse("a a d").is_err());
    }

    #[test]
    fn debug_accepts_only_on_or_off() {
        assert_eq!(parse("debug joho on"), Err(unexpected("debug", "on or off", "joho")));
        assert_eq!(parse("debug"), Err(ParseError::Missing { after: "debug", expected: "on or off" }));
    }

    #[test]
    fn words_after_a_command_give_a_warning() {
        let parsed = parse("isready now").unwrap().unwrap();
        assert_eq!(parsed.command, Command::IsReady);
        let surplus = ParseError::Surplus { command: "isready".to_owned(), token: "now".to_owned() };
        assert_eq!(parsed.warnings, [surplus]);
    }

    #[test]
    fn option_names_and_values_may_contain_spaces() {
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
    fn bench_accepts_depth_threads_and_hash() {
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
    fn perft_accepts_a_depth_and_an_optional_fen() {
        let perft = |depth, fen: Option<&str>| Command::Perft { depth, fen: fen.map(str::to_owned) };
        assert_eq!(command("perft 3"), perft(3, None));
        assert_eq!(command("perft 0 8/8 w - -"), perft(0, Some("8/8 w - -")));
        assert_eq!(command("perft 1 fen 8/8 w - -"), perft(1, Some("8/8 w - -")));
        assert_eq!(command("perft 2 startpos"), perft(2, Some(START_FEN)));
        assert!(parse("perft").is_err() && parse("perft three").is_err());
    }

    #[test]
    fn messages_are_cut_to_one_short_line() {
        let error = parse(&"x\u{0}".repeat(100_000)).unwrap_err().to_string();
        assert!(error.len() < 300 && !error.contains(char::is_control), "{error}");
        assert_eq!(parse("uci2").unwrap_err().to_string(), "unknown command 'uci2'");
    }

    proptest! {
        #[test]
        fn parse_never_panics_on_any_text(line in any::<String>()) {
            let _ = parse(&line);
        }

        #[test]
        fn parse_never_panics_on_words_of_the_protocol(words in prop::collection::vec(prop::sample::select(vec![
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
