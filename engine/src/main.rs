//! The `stretto` binary: a UCI engine on standard input, and its command-line tools.

use std::process::ExitCode;

fn main() -> ExitCode {
    // `args` panics on an argument that is not UTF-8; no command accepts one, except as a path.
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    match stretto::uci::command_line(
        &arguments,
        option_env!("STRETTO_COMMIT").filter(|commit| !commit.is_empty()),
    ) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("stretto: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
