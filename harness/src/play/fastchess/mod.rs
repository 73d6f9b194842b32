//! Imports a match from the command line of fastchess, or from the configuration
//! that fastchess saves, and prints results as fastchess does.
//!
//! The result is YAML text, which is read like any configuration and kept with the run. Options
//! without a counterpart are reported as notes. Options that would change the match are errors.

mod parser;
mod printer;
mod saved;
mod table;
#[cfg(test)]
mod tests;
mod yaml;

pub use parser::{import_command_line, split_words};
pub(crate) use printer::{Format, Printer};
pub use saved::import_saved;
