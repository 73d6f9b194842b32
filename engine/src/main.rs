//! The `stretto` binary: a UCI engine on standard input, and its command-line tools.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
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
