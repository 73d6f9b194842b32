//! A configuration text and the errors that point into it.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use thiserror::Error;

use super::locate::FieldPath;

/// Why a configuration was refused.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: cannot read it: {error}", file.display())]
    Read {
        /// The file asked for.
        file: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A field is unknown, missing, malformed or out of range.
    #[error("{}:{line}:{column}: {path}{}{message}", file.display(), if path.is_empty() { "" } else { ": " })]
    Field {
        /// The file it stands in.
        file: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// Such as `engines[0].options.Hash`; empty where the parser's message has it.
        path: String,
        /// What was found and what was expected.
        message: String,
    },
}

/// A complaint about one field, before the file and line are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The field.
    pub path: FieldPath,
    /// What was found and what was expected.
    pub message: String,
}

impl Problem {
    /// A complaint about the field at `path`.
    pub fn new(path: FieldPath, message: impl Into<String>) -> Self {
        Self { path, message: message.into() }
    }
}

/// The text of a configuration file, kept to place later complaints in it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it was read.
    pub file: PathBuf,
    /// What it says.
    pub text: String,
}

impl Source {
    /// Reads a configuration file.
    pub fn read(file: &Path) -> Result<Self, ConfigError> {
        match std::fs::read_to_string(file) {
            Ok(text) => Ok(Self { file: file.to_path_buf(), text }),
            Err(error) => Err(ConfigError::Read { file: file.to_path_buf(), error }),
        }
    }

    /// The folder that relative names in the file start from.
    pub fn dir(&self) -> &Path {
        match self.file.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        }
    }

    /// Parses the text into its raw form.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        serde_yaml::from_str(&self.text).map_err(|error| {
            let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
            let text = error.to_string();
            // The parser repeats the place at the end; the file's prefix says it already.
            let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
            ConfigError::Field { file: self.file.clone(), line, column, path: String::new(), message }
        })
    }

    /// Places a complaint in the text.
    pub fn complain(&self, problem: Problem) -> ConfigError {
        let (line, column) = problem.path.locate(&self.text).unwrap_or((1, 1));
        let path = problem.path.to_string();
        ConfigError::Field { file: self.file.clone(), line, column, path, message: problem.message }
    }
}
