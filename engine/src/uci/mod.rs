//! The text protocol between a graphical interface and the engine.
//!
//! Here text becomes commands and option values, and events become text. What they do is the engine's business;
//! this layer only knows how they are written.

mod book;
mod command_line;
mod format;
mod genfens;
mod lab;
mod options;
mod parse;
mod parse_go;
mod parse_line;
mod parse_position;
mod repl;
mod tables;
mod transcript;

pub use book::BookOption;
pub use command_line::{CommandError, command_line};
pub use genfens::GenfensUsage;
pub use options::{OptionEntry, OptionError, OptionId, OptionKind, OptionTable, OptionValue, TableOption};
pub use parse::{Command, ParseError, Parsed, parse};
pub use parse_go::GoLimits;
pub use parse_line::{Line, LineReader, MAX_LINE, decode};
pub use parse_position::{Base, PositionSpec};
