//! `harness completions` and `harness man`: shell completions and manual pages.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use clap_complete::Shell;

use crate::base::errors::FileResult;
use crate::run::command::{Failure, print};

/// Prints shell completions.
#[derive(Debug, Args)]
#[command(after_help = "Example: harness completions bash > /usr/share/bash-completion/completions/harness")]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
    /// The name under which the program is installed.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// Writes manual pages for this program and its commands.
#[derive(Debug, Args)]
#[command(after_help = "Example: harness man /usr/local/share/man/man1")]
pub struct ManArgs {
    /// The folder to write to.
    folder: PathBuf,
    /// The name under which the program is installed.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// Prints the completions of a shell.
pub fn completions(args: &CompletionsArgs, mut command: clap::Command) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    let name = args.name.clone().unwrap_or_else(|| command.get_name().to_owned());
    clap_complete::generate(args.shell, &mut command, name, &mut text);
    print(&String::from_utf8_lossy(&text));
    Ok(ExitCode::SUCCESS)
}

/// Writes a page for the program and one for each of its commands into a folder.
pub fn man(args: &ManArgs, command: clap::Command) -> Result<ExitCode, Failure> {
    std::fs::create_dir_all(&args.folder).or_cannot("create", &args.folder)?;
    let command = match args.name.clone() {
        // The name of a command lives as long as the program.
        Some(name) => command.name(&*name.leak()),
        None => command,
    };
    clap_mangen::generate_to(command, &args.folder)
        .with_context(|| format!("cannot write to {}", args.folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
