//! The argument `--print-config` of commands that take a configuration file.

use std::process::ExitCode;

use super::args::RunArgs;
use super::command::{Failure, print};
use crate::config::{ConfigError, Source};

/// Prints the configuration of a command that takes a file, with `--set` applied. Errors: `check` refuses it, or a command
/// that makes its configuration from engines has none.
pub(crate) fn print_config<T>(
    args: &RunArgs,
    check: impl FnOnce(&Source) -> Result<T, ConfigError>,
) -> Result<ExitCode, Failure> {
    if args.takes_engines && args.made.is_none() {
        return Err(Failure::Usage("--print-config needs engines on the command line".to_owned()));
    }
    let source = args.source(None)?;
    // Only what can be run is printed.
    check(&source)?;
    print(source.text());
    Ok(ExitCode::SUCCESS)
}
