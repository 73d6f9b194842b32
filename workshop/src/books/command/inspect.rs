//! `workshop book info` and `workshop book dump`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use stretto::book::Book;
use stretto::types::Color;

use super::common::{FromArg, tell};
use crate::books::{self, BookInfo, DumpOptions, open_checked};
use stretto_harness::base::wording::counted;
use stretto_harness::run::command::Failure;

pub(super) const INFO_HELP: &str = "\
Example: workshop book info book.bin

A position is isolated if a player who follows the book never reaches it, whatever the opponent plays. A book stores only hash
keys of positions, so the moves of isolated positions cannot be checked.";

#[derive(Debug, Args)]
pub(super) struct InfoArgs {
    /// The Polyglot book to describe.
    book: PathBuf,
    #[command(flatten)]
    from: FromArg,
    /// Print the contents as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) const DUMP_HELP: &str = "\
Example: workshop book dump book.bin --color black --max-ply 12

Percentages are the probability of a move by its weight. Each position is expanded once: another line that reaches it ends with
{as above}. A line cut by --max-ply ends with three dots; after one, a shorter line to a position expands it again.";

#[derive(Debug, Args)]
pub(super) struct DumpArgs {
    /// The Polyglot book to print.
    book: PathBuf,
    /// The side that plays from the book.
    #[arg(long, value_parser = colors(), value_name = "COLOR", default_value = "white")]
    color: Color,
    /// Cut lines after this many plies.
    #[arg(long, value_name = "N", default_value_t = 1024)]
    max_ply: usize,
    #[command(flatten)]
    from: FromArg,
    /// Print each line as a JSON object.
    #[arg(long)]
    json: bool,
}

/// Parses a side, as a user names it.
fn colors() -> impl TypedValueParser<Value = Color> {
    PossibleValuesParser::new(["white", "black"])
        .map(|name| if name == "white" { Color::White } else { Color::Black })
}

/// Prints the contents of a book.
pub(super) fn info(args: &InfoArgs) -> Result<(), Failure> {
    let start = args.from.game()?;
    let book = Book::open_unsorted(&args.book).map_err(anyhow::Error::from)?;
    let found = books::info(&book, &start);
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
    for (name, count) in [
        ("  on lines of White", found.white_positions),
        ("  on lines of Black", found.black_positions),
        ("  isolated", found.isolated),
    ] {
        row(
            name,
            count.map_or_else(|| "not known: the keys are not sorted".to_owned(), |count| count.to_string()),
        );
    }
    row(
        "weights",
        format!("sum {}, largest {}, {} zero", found.weights, found.largest_weight, found.zero_weights),
    );
    row(
        "learned",
        format!(
            "{}, {}, {} points",
            counted(found.learned_entries as usize, "entry"),
            counted(found.learned_games as usize, "game"),
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

/// Prints the lines of a book.
pub(super) fn dump(args: &DumpArgs) -> Result<(), Failure> {
    let start = args.from.game()?;
    let book = open_checked(&args.book)?;
    let options = DumpOptions { color: args.color, max_ply: args.max_ply };
    let mut is_any = false;
    books::dump(&book, &start, options, |line| {
        is_any = true;
        tell(args.json, line, || format!("{}\n", line.text(&start)))
    })?;
    if is_any || args.max_ply == 0 {
        return Ok(());
    }
    let whose = match args.color {
        Color::White => " for White (--color)",
        Color::Black => " for Black (--color)",
    };
    Err(args.from.nothing(&args.book, whose))
}
