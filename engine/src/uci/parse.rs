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
    Debug,
    /// Set the value of an option.
    SetOption {
        /// The name as written, with single spaces between words.
        name: String,
        /// All text after `value`, trimmed; `None` without the word `value`.
        value: Option<String>,
    },
    /// Set the position of the next search.
    Position(PositionSpec),
    /// Start a search within these limits.
    Go(GoLimits),
    /// Stop the search and report its move.
    Stop,
    /// Continue the search as a normal one: the move pondered on was played.
    PonderHit,
    /// Stop the search and end the program.
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
    /// The command to execute, despite the warnings.
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
        Some("on" | "off") => Ok(Command::Debug),
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
mod tests;
