//! Errors of the import.

use thiserror::Error;

/// Why a match cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImportError {
    /// A value or key of an option is invalid.
    #[error("`{word}` after `{option}`: expected {expected}")]
    Word {
        /// The option, such as `-each`.
        option: String,
        /// The invalid word.
        word: String,
        /// The values that are valid.
        expected: &'static str,
    },
    /// An option lacks its value, or a key that it needs.
    #[error("`{option}`: missing {missing}")]
    Missing {
        /// The option, such as `-resign`.
        option: String,
        /// The missing value or key.
        missing: &'static str,
    },
    /// An option refines another one, which is absent.
    #[error("`{option}` needs `{needed}`")]
    Needs {
        /// The option.
        option: &'static str,
        /// The absent option.
        needed: &'static str,
    },
    /// An option is unknown.
    #[error("unknown option `{option}`{similar}")]
    Option {
        /// The option.
        option: String,
        /// A suggestion, or nothing.
        similar: String,
    },
    /// An unknown option has the form of the harness's own options.
    #[error("unknown option `{option}`: options of the harness must precede --from-fastchess")]
    Own {
        /// The option.
        option: String,
    },
    /// The harness has no counterpart for a feature that changes the games.
    #[error("{what} is not supported")]
    Unsupported {
        /// The feature.
        what: String,
    },
    /// Colours that the harness cannot assign.
    #[error(
        "`-noswap -reverse` gives the first engine Black in every game, which is not supported: exchange the engines \
         and omit -reverse"
    )]
    AlwaysBlack,
    /// More games per round than fastchess plays.
    #[error("{games} games per round: expected at most 2; use -games 2 and more -rounds")]
    GamesPerRound {
        /// The games of a round.
        games: u64,
    },
    /// The built-in openings are positions of standard chess.
    #[error("no openings: the built-in ones are not of Chess960; add -openings file=BOOK")]
    NoOpenings,
    /// A saved configuration is given as an option, where it would replace all others.
    #[error(
        "`-config file={file}` replaces engines and settings; to import the saved configuration, use \
         `--from-fastchess {file}`"
    )]
    SavedConfig {
        /// Path of the saved configuration, as written.
        file: String,
    },
    /// A saved configuration is invalid.
    #[error("not a saved configuration of fastchess: {0}")]
    Json(String),
}

impl ImportError {
    /// Returns the error of a word that an option does not accept.
    pub(super) fn word(option: &str, word: &str, expected: &'static str) -> Self {
        Self::Word { option: option.to_owned(), word: word.to_owned(), expected }
    }

    /// Returns the error of an option without its value or key.
    pub(super) fn missing(option: &str, missing: &'static str) -> Self {
        Self::Missing { option: option.to_owned(), missing }
    }

    /// Returns the error of a feature without a counterpart.
    pub(super) fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into() }
    }
}
