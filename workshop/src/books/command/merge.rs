//! `workshop book merge`.

use std::path::PathBuf;

use clap::Args;
use stretto::book::Book;

use super::common::{tell, written};
use crate::books::{merge, open_checked};
use stretto_harness::base::system::files::check_inputs;
use stretto_harness::base::wording::counted;
use stretto_harness::run::command::Failure;

pub(super) const HELP: &str = "\
Example: workshop book merge repertoire.bin masters.bin --out book.bin

The weights of a move that several books contain are added. If a sum exceeds sixteen bits, all weights of the position are scaled
down. The learned results of a move are taken from the first book that contains it.

Castling may be encoded as e1g1 in one book and as e1h1 in another. It is one move, in the encoding of the first book, in positions that
a player of one of the books reaches from the start position. In other positions both entries are kept: a book stores only hash keys of
positions, so another piece may stand on e1.";

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The Polyglot books to merge, at least two.
    #[arg(required = true, num_args = 2..)]
    books: Vec<PathBuf>,
    /// The book to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Merges the books into a new one.
pub(super) fn run(args: &MergeArgs) -> Result<(), Failure> {
    check_inputs(&args.books, Some(&args.out)).map_err(Failure::Usage)?;
    let books = args.books.iter().map(|book| open_checked(book));
    let books = books.collect::<anyhow::Result<Vec<Book>>>()?;
    let summary = merge(&books, &args.out)?;
    tell(args.json, &summary, || {
        let what = written(summary.entries, summary.positions, &args.out);
        let read = counted(summary.read as usize, "entry");
        format!("{what}, merged from {read} of {}\n", counted(args.books.len(), "book"))
    })
}
