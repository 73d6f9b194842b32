//! Errors for lines of EPD and FEN files.

use thiserror::Error;

use crate::base::wording::shown;

/// The reason why a line holds no usable position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// The line ends too early.
    #[error("`{token}`: expected the {field} after it")]
    Missing {
        /// Last token of the line.
        token: String,
        /// Name of the missing field.
        field: &'static str,
    },
    /// A field or an operand cannot be read.
    #[error("`{token}`: expected {expected}")]
    Bad {
        /// The token that was found.
        token: String,
        /// Description of a valid token.
        expected: &'static str,
    },
    /// The fields describe no legal position.
    #[error("`{token}`: expected a legal position, {reason}")]
    Illegal {
        /// The fields that describe the position.
        token: String,
        /// The reason as reported by shakmaty.
        reason: String,
    },
    /// The game has already ended in this position.
    #[error("`{token}`: expected a position to play on, {reason}")]
    Over {
        /// The fields that describe the position.
        token: String,
        /// The way in which the game ended.
        reason: &'static str,
    },
}

impl LineError {
    /// Returns the error for a token that does not match the expectation.
    pub(super) fn bad(token: &str, expected: &'static str) -> Self {
        Self::Bad { token: shown(token), expected }
    }

    /// Returns the error for a position where the game has ended. `fields` are the fields of the
    /// position.
    pub(crate) fn over(fields: &str, reason: &'static str) -> Self {
        Self::Over { token: shown(fields), reason }
    }
}
