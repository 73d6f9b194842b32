//! The words of a line: splitting, numbers, and the errors of the parsers.

use thiserror::Error;

/// An error in a line, with the expected text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum ParseError {
    #[error("unknown command '{}'", excerpt(token))]
    UnknownCommand { token: String },
    #[error("{after}: expected {expected}, found nothing")]
    Missing { after: &'static str, expected: &'static str },
    #[error("{context}: expected {expected}, found '{}'", excerpt(token))]
    Unexpected { context: &'static str, expected: &'static str, token: String },
    #[error("{context}: '{}' is out of range ({min} to {max}), {used}", excerpt(token))]
    OutOfRange {
        context: &'static str,
        /// The number as written.
        token: String,
        min: i64,
        max: i64,
        /// The consequence: `using 5`, or `ignored`.
        used: String,
    },
    #[error("{context}: '{}' is not a whole number, using {used}", excerpt(token))]
    Fraction {
        context: &'static str,
        /// The number as written.
        token: String,
        used: i64,
    },
    #[error("{command}: ignored '{}' and what follows it", excerpt(token))]
    Surplus { command: String, token: String },
    #[error("position fen: expected 2 to 6 fields before 'moves', found {found}")]
    FenFields { found: usize },
    #[error("{0}; the previous position stays")]
    Position(Box<ParseError>),
    #[error("go: no limit could be read, searching to depth 1")]
    UnreadableLimit,
    #[error("go: no limit given, searching until `stop`")]
    NoLimit,
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
