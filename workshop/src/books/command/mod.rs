//! `workshop book`.

mod check;
mod common;
mod games;
mod meter;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use stretto::book::Book;

use stretto::types::Color;

use crate::books::{BookInfo, BookToolError, DumpOptions, dump, info, merge, open_checked};
use common::{FromArg, tell, written};
use stretto_harness::run::command::Failure;

const HELP: &str = "\
Examples:
  workshop book make games.pgn --out book.bin --max-ply 40
  workshop book merge white.bin black.bin --out both.bin
  workshop book info book.bin
  workshop book dump book.bin --color white --max-ply 12
  workshop book learn book.bin results/runs/match-20261122-120000-1a2b3c4d --player stretto
  workshop book vet book.bin --nodes 50000 --margin 60 --prune sound.bin

Books are in the Polyglot format, which most engines and GUIs read. Stretto uses one with the options OwnBook and Book File.
Files are replaced atomically.";

/// Makes, merges, inspects, trains and checks opening books.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Debug, Subcommand)]
enum BookCommand {
    /// Make a book from the moves of games.
    #[command(after_help = games::MAKE_HELP)]
    Make(games::MakeArgs),
    /// Merge several books into one.
    #[command(after_help = MERGE_HELP)]
    Merge(MergeArgs),
    /// Print the contents of a book and its problems.
    #[command(after_help = INFO_HELP)]
    Info(InfoArgs),
    /// Print the lines of a book.
    #[command(after_help = DUMP_HELP)]
    Dump(DumpArgs),
    /// Update the learned results of a book from games.
    #[command(after_help = games::LEARN_HELP)]
    Learn(games::LearnArgs),
    /// List, or remove, the book moves that the engine's search rejects.
    #[command(after_help = check::HELP)]
    Vet(check::VetArgs),
}

const MERGE_HELP: &str = "\
Example: workshop book merge repertoire.bin masters.bin --out book.bin

The weights of a move that several books contain are added. If a sum exceeds sixteen bits, all weights of the position are scaled
down. The learned results of a move are taken from the first book that contains it.

Castling may be encoded as e1g1 in one book and as e1h1 in another. It is one move, in the encoding of the first book, in positions that
a player of one of the books reaches from the start position. In other positions both entries are kept: a book stores only hash keys of
positions, so another piece may stand on e1.";

#[derive(Debug, Args)]
struct MergeArgs {
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

const INFO_HELP: &str = "\
Example: workshop book info book.bin

A position is isolated if a player who follows the book never reaches it, whatever the opponent plays. A book stores only hash
keys of positions, so the moves of isolated positions cannot be checked.";

#[derive(Debug, Args)]
struct InfoArgs {
    /// The Polyglot book to describe.
    book: PathBuf,
    #[command(flatten)]
    from: FromArg,
    /// Print the contents as JSON.
    #[arg(long)]
    json: bool,
}

const DUMP_HELP: &str = "\
Example: workshop book dump book.bin --color black --max-ply 12

Percentages are the probability of a move by its weight. Each position is expanded once: another line that reaches it ends with
{as above}. A line cut by --max-ply ends with three dots.";

#[derive(Debug, Args)]
struct DumpArgs {
    /// The Polyglot book to print.
    book: PathBuf,
    /// The side that plays from the book.
    #[arg(long, value_enum, value_name = "COLOR", default_value = "white")]
    color: SideArg,
    /// Cut lines after this many plies.
    #[arg(long, value_name = "N", default_value_t = 1024)]
    max_ply: usize,
    #[command(flatten)]
    from: FromArg,
    /// Print each line as a JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SideArg {
    White,
    Black,
}

/// Runs a subcommand of `workshop book`.
pub(crate) fn run(args: &BookArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        BookCommand::Make(args) => games::make(args),
        BookCommand::Merge(args) => run_merge(args),
        BookCommand::Info(args) => run_info(args),
        BookCommand::Dump(args) => run_dump(args),
        BookCommand::Learn(args) => games::learn(args),
        BookCommand::Vet(args) => check::run(args),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn run_merge(args: &MergeArgs) -> Result<(), Failure> {
    let books: Result<Vec<Book>, BookToolError> = args.books.iter().map(|book| open_checked(book)).collect();
    let summary = merge(&books?, &args.out)?;
    tell(args.json, &summary, || {
        let what = written(summary.entries, summary.positions, &args.out);
        format!("{what}, merged from {} entries of {} books\n", summary.read, args.books.len())
    })
}

fn run_info(args: &InfoArgs) -> Result<(), Failure> {
    let start = args.from.game()?;
    let book = Book::open(&args.book).map_err(BookToolError::from)?;
    let found = info(&book, &start);
    tell(args.json, &found, || info_text(&args.book, &found))
}

fn info_text(file: &Path, found: &BookInfo) -> String {
    let mut text = format!("{}\n", file.display());
    let mut row = |name: &str, value: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {name:22} {value}");
    };
    row("entries", found.entries.to_string());
    if found.headers > 0 {
        row("header lines", found.headers.to_string());
    }
    row("positions", format!("{}, up to {} moves each", found.positions, found.most_moves));
    row("  on lines of White", found.white_positions.to_string());
    row("  on lines of Black", found.black_positions.to_string());
    row("  isolated", found.isolated.to_string());
    row(
        "weights",
        format!("sum {}, largest {}, {} zero", found.weights, found.largest_weight, found.zero_weights),
    );
    row(
        "learned",
        format!(
            "{} entries, {} games, {} points",
            found.learned_entries,
            found.learned_games,
            found.learned_half_points as f64 / 2.0
        ),
    );
    row("problems", found.problems.to_string());
    for problem in &found.named_problems {
        let _ = writeln!(text, "    {problem}");
    }
    let more = found.problems - found.named_problems.len() as u64;
    if more > 0 {
        let _ = writeln!(text, "    and {more} more");
    }
    text
}

fn run_dump(args: &DumpArgs) -> Result<(), Failure> {
    let start = args.from.game()?;
    let book = Book::open(&args.book).map_err(BookToolError::from)?;
    let color = match args.color {
        SideArg::White => Color::White,
        SideArg::Black => Color::Black,
    };
    let options = DumpOptions { color, max_ply: args.max_ply };
    let mut is_any = false;
    dump(&book, &start, options, |line| {
        is_any = true;
        tell(args.json, line, || format!("{}\n", line.text(&start)))
    })?;
    if is_any || args.max_ply == 0 {
        return Ok(());
    }
    let whose = match args.color {
        SideArg::White => " for White (--color)",
        SideArg::Black => " for Black (--color)",
    };
    Err(args.from.nothing(&args.book, whose))
}
