//! The `harness` binary.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use stretto_harness::{LAUNCH_ARG, exec_engine};

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if let [_, word, parent, cpus, program, rest @ ..] = &args[..]
        && word == LAUNCH_ARG
    {
        let error = exec_engine(&parent.to_string_lossy(), &cpus.to_string_lossy(), Path::new(program), rest);
        let _ = writeln!(std::io::stderr().lock(), "cannot start {}: {error}", program.to_string_lossy());
        return ExitCode::from(127);
    }
    stretto_harness::main(option_env!("STRETTO_COMMIT").filter(|commit| !commit.is_empty()))
}
