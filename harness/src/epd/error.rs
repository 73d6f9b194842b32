//! Why a line cannot be used.

use thiserror::Error;

/// Most characters of a token that an error repeats.
const TOKEN_SHOWN: usize = 60;

/// Why a line holds no position that serves.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// The line ends too early.
    #[error("`{token}`: expected the {field} after it")]
    Missing {
        /// The last token there is.
        token: String,
        /// What should follow.
        field: &'static str,
    },
    /// A field or an operand cannot be read.
    #[error("`{token}`: expected {expected}")]
    Bad {
        /// What stands there.
        token: String,
        /// What should.
        expected: &'static str,
    },
    /// The fields describe no legal position.
    #[error("`{token}`: expected a legal position, {reason}")]
    Illegal {
        /// The fields of the position.
        token: String,
        /// shakmaty's reason.
        reason: String,
    },
    /// There is nothing left to play.
    #[error("`{token}`: expected a position to play on, {reason}")]
    Over {
        /// The fields of the position.
        token: String,
        /// How the game has ended.
        reason: &'static str,
    },
}

impl LineError {
    /// A token that is not what was expected.
    pub(super) fn bad(token: &str, expected: &'static str) -> Self {
        Self::Bad { token: shown(token), expected }
    }

    /// A position in which the game has ended; `fields` are those of the position.
    pub(crate) fn over(fields: &str, reason: &'static str) -> Self {
        Self::Over { token: shown(fields), reason }
    }
}

/// A token fit for one line of a message.
pub(super) fn shown(token: &str) -> String {
    let mut text: String = token.chars().take(TOKEN_SHOWN).flat_map(char::escape_debug).collect();
    if token.chars().nth(TOKEN_SHOWN).is_some() {
        text.push('…');
    }
    text
}
