//! The words of a line: splitting, numbers, and the errors of the parsers.

use thiserror::Error;

/// An error in a line, with the expected text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The line has no known command.
    #[error("unknown command '{}'", excerpt(token))]
    UnknownCommand {
        /// The first word.
        token: String,
    },
    /// The line ends too early.
    #[error("{after}: expected {expected}, found nothing")]
    Missing {
        /// The last word read.
        after: &'static str,
        /// The expected continuation.
        expected: &'static str,
    },
    /// A word that is not valid at its place.
    #[error("{context}: expected {expected}, found '{}'", excerpt(token))]
    Unexpected {
        /// The command or parameter.
        context: &'static str,
        /// The expected word.
        expected: &'static str,
        /// The word found.
        token: String,
    },
    /// A number outside of the parameter's range.
    #[error("{context}: '{}' is out of range ({min} to {max}), {used}", excerpt(token))]
    OutOfRange {
        /// The parameter.
        context: &'static str,
        /// The number as written.
        token: String,
        /// The least number.
        min: i64,
        /// The largest number.
        max: i64,
        /// The consequence: `using 5`, or `ignored`.
        used: String,
    },
    /// A number with a fraction, which is dropped.
    #[error("{context}: '{}' is not a whole number, using {used}", excerpt(token))]
    Fraction {
        /// The parameter.
        context: &'static str,
        /// The number as written.
        token: String,
        /// The number used.
        used: i64,
    },
    /// Words after a complete command.
    #[error("{command}: ignored '{}' and what follows it", excerpt(token))]
    Surplus {
        /// The command.
        command: String,
        /// The first word after it.
        token: String,
    },
    /// A FEN with too few or too many fields.
    #[error("position fen: expected 2 to 6 fields before 'moves', found {found}")]
    FenFields {
        /// The number of fields found.
        found: usize,
    },
    /// A `position` that is refused.
    #[error("{0}; the previous position stays")]
    Position(Box<ParseError>),
    /// No limit of a `go` could be read.
    #[error("go: no limit could be read, searching to depth 1")]
    UnreadableLimit,
    /// A `go` has unknown words and no limit.
    #[error("go: no limit given, searching until `stop`")]
    NoLimit,
    /// A `go` has parts of a clock without its time, and no limit.
    #[error("go: expected wtime or btime beside winc, binc or movestogo; searching until `stop`")]
    NoClock,
}

/// Parses an integer, clamps it to `min..=max` and drops a fraction. Either change adds a warning.
///
/// Errors: [`ParseError::Unexpected`] for text that is not a number.
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
    // A number too large for 64 bits is clamped as well.
    let value = whole.parse::<i64>();
    let overflow = if whole.starts_with('-') { i64::MIN } else { i64::MAX };
    let used = value.clone().unwrap_or(overflow).clamp(min, max);
    let token = token.to_owned();
    if value != Ok(used) {
        warnings.push(ParseError::OutOfRange { context, token, min, max, used: format!("using {used}") });
    } else if whole.len() != token.len() {
        warnings.push(ParseError::Fraction { context, token, used });
    }
    Ok(used)
}

/// Returns the error for a word that is not valid at its place.
pub(super) fn unexpected(context: &'static str, expected: &'static str, token: &str) -> ParseError {
    ParseError::Unexpected { context, expected, token: token.to_owned() }
}

/// Returns a word for printing in one line: control characters are escaped, long words are cut.
pub(super) fn excerpt(token: &str) -> String {
    const LONGEST: usize = 40;
    let mut text: String = token.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if token.chars().nth(LONGEST).is_some() {
        text.push_str("...");
    }
    text
}

/// Iterator over the words of a line that can also return the rest of the line.
#[derive(Clone)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { rest: line.trim() }
    }

    /// Returns the next word without consuming it.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Consumes and returns the rest of the line, trimmed.
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
    use super::*;

    #[test]
    fn numbers_are_clamped_with_a_warning() {
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
}
