//! `harness completions` and `harness man`: what shells and `man` want to know of the command line.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;

use super::{Failure, print};

/// Writes the completions of a shell to stdout.
pub(super) fn completions(mut command: Command, shell: Shell) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "harness", &mut text);
    print(&String::from_utf8_lossy(&text));
    ExitCode::SUCCESS
}

/// Writes a page for the program and one for each of its commands into a folder.
pub(super) fn man(command: Command, folder: &Path) -> Result<ExitCode, Failure> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
