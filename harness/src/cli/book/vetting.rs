//! `harness book vet`.

use std::fmt::Write as _;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use stretto::types::{Nodes, Score};

use super::super::threads::Threads;
use super::meter::Meter;
use super::{Failure, FromArg, print, tell};
use crate::book::{VetOptions, VetSummary, expect_writable, open_checked, prune, vet};

pub(super) const HELP: &str = "\
Examples:
  harness book vet book.bin
  harness book vet book.bin --nodes 100000 --margin 60 --prune sound.bin

Each position that a player of either side comes to is searched, then each of its moves that is not the search's own, to the
same depth. A move worth less than the best by more than the margin is listed, with both scores in centipawns. The same
nodes and build give the same list, on any number of threads.";

#[derive(Debug, Args)]
pub(super) struct VetArgs {
    /// The book.
    book: PathBuf,
    /// Nodes of each search.
    #[arg(long, value_name = "N", default_value = "20000")]
    nodes: NonZeroU64,
    /// How much worse than the best a move may be, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 80, value_parser = clap::value_parser!(i32).range(0..=10_000))]
    margin: i32,
    /// Write a book without the moves listed.
    #[arg(long, value_name = "FILE")]
    prune: Option<PathBuf>,
    #[command(flatten)]
    from: FromArg,
    #[command(flatten)]
    threads: Threads,
    /// Print what is found as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &VetArgs) -> Result<(), Failure> {
    let start = args.from.game()?;
    let book = open_checked(&args.book)?;
    if let Some(out) = &args.prune {
        expect_writable(out)?;
    }
    let options = VetOptions { nodes: Nodes(args.nodes.get()), margin: Score(args.margin), start };
    // How much there is becomes known once the positions are walked to; the bar counts thousandths.
    let meter = Meter::new(1000);
    let found = args.threads.work(|cancel| {
        let found = vet(&book, &options, cancel, |done, all| {
            meter.tell(1000 * done / all.max(1), || format!("{done} of {all} positions"));
        });
        meter.finish();
        Ok(found?)
    })?;
    if found.positions == 0 {
        return Err(args.from.nothing(&args.book, ""));
    }
    tell(args.json, &found, || text(&found))?;
    if let Some(out) = &args.prune {
        let left = prune(&book, &found.flagged, out)?;
        if !args.json {
            print(&format!("{left} entries are left in {}\n", out.display()));
        }
    }
    Ok(())
}

fn text(found: &VetSummary) -> String {
    let mut text = format!(
        "{} moves of {} positions, {} of them flagged\n",
        found.moves,
        found.positions,
        found.flagged.len()
    );
    for one in &found.flagged {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:5}  {:7} {:6} against {:7} {:6}  weight {:5}  {}",
            one.loss(),
            one.san,
            one.score,
            one.best,
            one.best_score,
            one.weight,
            one.fen
        );
    }
    text
}
