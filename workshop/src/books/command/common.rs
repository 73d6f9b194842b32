//! Arguments, errors and output shared by the subcommands of `workshop book`.

use std::path::Path;

use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;
use stretto::position::{Game, Position};

use stretto_harness::base::errors::Stop;
use stretto_harness::base::wording::counted;
use stretto_harness::run::command::{Failure, print};

#[derive(Debug, Args)]
pub(super) struct FromArg {
    /// The position in which lines begin [default: the start position].
    #[arg(long, value_name = "FEN")]
    from: Option<String>,
}

impl FromArg {
    pub(super) fn game(&self) -> Result<Game, Failure> {
        match &self.from {
            None => Ok(Game::new(Position::startpos())),
            Some(fen) => {
                Game::from_fen(fen).map_err(|error| Failure::Usage(format!("--from: {error}: `{fen}`")))
            }
        }
    }

    /// Returns the error for a book without entries at the starting position.
    pub(super) fn nothing(&self, book: &Path, whose: &str) -> Failure {
        let place = self.from.as_ref().map_or("the start position".to_owned(), |fen| format!("`{fen}`"));
        Failure::Run(anyhow!(
            "{} has no moves at {place}{whose}; select another position with --from FEN",
            book.display()
        ))
    }
}

/// Returns the failure of work that ended early.
pub(super) fn ended(stop: Stop) -> Failure {
    Failure::of(stop, "stopped; nothing was written")
}

/// Prints an object as JSON or as text.
pub(super) fn tell(
    is_json: bool,
    object: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if is_json {
        let line = serde_json::to_string(object).context("cannot print the summary")?;
        print(&format!("{line}\n"));
    } else {
        print(&text());
    }
    Ok(())
}

/// Returns a text such as `6 entries of 3 positions written to book.bin`.
pub(super) fn written(entries: u64, positions: u64, file: &Path) -> String {
    let [entries, positions] =
        [(entries, "entry"), (positions, "position")].map(|(n, word)| counted(n as usize, word));
    format!("{entries} of {positions} written to {}", file.display())
}
