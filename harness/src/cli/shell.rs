//! `harness completions` and `harness man`: what shells and `man` want to know of the command line.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

use super::{Failure, print};

/// What the program is called where it is installed.
#[derive(Debug, Args)]
pub(super) struct Installed {
    /// The name under which the program is installed.
    #[arg(long, value_name = "NAME", default_value = "harness")]
    name: String,
}

/// Writes the completions of a shell to stdout.
pub(super) fn completions(mut command: Command, shell: Shell, installed: Installed) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, installed.name, &mut text);
    print(&String::from_utf8_lossy(&text));
    ExitCode::SUCCESS
}

/// Writes a page for the program and one for each of its commands into a folder.
pub(super) fn man(command: Command, folder: &Path, installed: Installed) -> Result<ExitCode, Failure> {
    // Commands are named for as long as the program runs.
    let name: &'static str = Box::leak(installed.name.into_boxed_str());
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    clap_mangen::generate_to(command.name(name), folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
