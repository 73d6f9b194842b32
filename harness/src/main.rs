//! The `harness` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    stretto_harness::start(option_env!("STRETTO_COMMIT"), stretto_harness::main)
}
