//! `workshop book vet`.

use std::fmt::Write as _;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use stretto::eval::Evaluation;
use stretto::types::{Nodes, Score};

use super::common::{FromArg, ended, tell};
use super::meter::Meter;
use crate::books::{CheckOptions, CheckSummary, check_book, expect_writable, open_checked, prune};
use stretto_harness::base::system::files::check_inputs;
use stretto_harness::base::wording::counted;
use stretto_harness::run::command::{Failure, Threads, print};

pub(crate) const HELP: &str = "\
Examples:
  workshop book vet book.bin
  workshop book vet book.bin --nodes 100000 --margin 60 --prune sound.bin

Searches every position that a player of either side can reach, and each of its book moves to the same depth. Moves that score
worse than the best move by more than the margin are listed, with both scores in centipawns, or as the number of
moves to mate. The same nodes and build give the
same list for any number of threads.";

#[derive(Debug, Args)]
pub(crate) struct VetArgs {
    /// The Polyglot book to check.
    book: PathBuf,
    /// Nodes of each search.
    #[arg(long, value_name = "N", default_value = "20000")]
    nodes: NonZeroU64,
    /// Largest difference to the best move, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 80, value_parser = clap::value_parser!(i32).range(0..=10_000))]
    margin: i32,
    /// Write a book without the listed moves.
    #[arg(long, value_name = "FILE")]
    prune: Option<PathBuf>,
    #[command(flatten)]
    from: FromArg,
    #[command(flatten)]
    threads: Threads,
    /// Print the list as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &VetArgs) -> Result<(), Failure> {
    let start = args.from.game()?;
    let book = open_checked(&args.book)?;
    if let Some(out) = &args.prune {
        check_inputs(&[&args.book], Some(out)).map_err(Failure::Usage)?;
        expect_writable(out)?;
    }
    let (nodes, margin) = (Nodes(args.nodes.get()), Score(args.margin));
    let options = CheckOptions { nodes, margin, start, evaluation: Evaluation::default() };
    // The number of positions is known only after the traversal; the bar counts thousandths.
    let meter = Meter::new(1000);
    let found = args.threads.work(|cancel| {
        let found = check_book(&book, &options, cancel, |done, all| {
            meter.report(1000 * done / all.max(1), || format!("{done} of {all} positions"));
        });
        meter.finish();
        found.map_err(ended)
    })?;
    if found.positions == 0 {
        return Err(args.from.nothing(&args.book, ""));
    }
    tell(args.json, &found, || text(&found))?;
    if let Some(out) = &args.prune {
        let left = prune(&book, &found.flagged, out)?;
        if !args.json {
            print(&format!("{} written to {}\n", counted(left as usize, "entry"), out.display()));
        }
    }
    Ok(())
}

fn text(found: &CheckSummary) -> String {
    let mut text = format!(
        "{} of {}, {} of them flagged\n",
        counted(found.moves as usize, "move"),
        counted(found.positions as usize, "position"),
        found.flagged.len()
    );
    for one in &found.flagged {
        let [score, best] = [one.score, one.best_score].map(Score);
        let loss = if score.is_mate() || best.is_mate() { "mate".to_owned() } else { one.loss().to_string() };
        let number = |score: Score| match score.mate_moves() {
            Some(moves) => format!("mate {moves}"),
            None => score.0.to_string(),
        };
        let [score, best] = [score, best].map(number);
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:>5}  {:7} {:>9} best {:7} {:>9}  weight {:5}  {}",
            loss, one.san, score, one.best, best, one.weight, one.fen
        );
    }
    text
}
