//! The text protocol between a GUI and the engine.
//!
//! Text becomes commands and option values; search events become text. The engine does the work;
//! this module only knows the syntax.

mod book;
mod command_line;
mod format;
mod genfens;
mod lab;
mod option;
#[cfg(test)]
mod option_tests;
mod options;
mod output;
mod parse;
mod parse_go;
mod parse_line;
mod parse_position;
mod repl;
mod standard;
mod state;
mod tables;
mod words;

pub use command_line::{CommandError, command_line};
pub use genfens::GenfensUsage;
pub use parse::{Command, Parsed, parse};
pub use parse_go::GoLimits;
pub use parse_line::{Line, LineReader, MAX_LINE, decode};
pub use parse_position::{Base, PositionSpec};
pub use words::ParseError;
