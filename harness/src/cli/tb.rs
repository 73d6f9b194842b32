//! `harness tb`.

mod ask;
mod embed;
mod files;
mod loading;
mod making;
mod plan;
mod play;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Args, Subcommand};

use super::{Failure, print};
use crate::tablebase::{Syzygy, statistics};
use making::{Making, Which};

pub(super) const HELP: &str = "\
Examples:
  harness tb generate 4 --out tables
  harness tb generate KQvKR KPvK --metric dtz --out tables
  harness tb plan 5
  harness tb embed
  harness tb probe \"K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1\"
  harness tb probe - --tables tables < positions.fen
  harness tb play
  harness tb stats KQvKR KPvK
  harness tb verify 4 --tables tables
  harness tb compare 3 --metric dtz --syzygy DIR
  harness tb graph KQvKP

Tables are made by working backwards from mates and captures, with all tables they lead to, in memory or as files in the
project's own format (engine/src/tablebase/FORMAT.md). Distances are in plies to mate, with --metric dtc to mate, capture or
promotion, with --metric dtz to mate, capture or move of a pawn.";

#[derive(Debug, Args)]
pub(super) struct TbArgs {
    #[command(subcommand)]
    command: TbCommand,
}

#[derive(Debug, Subcommand)]
enum TbCommand {
    /// Write tables, with all they lead to, as files; what is there already is kept.
    Generate(files::GenerateArgs),
    /// Make the tables that are part of the engine: compare them with those in this program, or write them.
    Embed(embed::EmbedArgs),
    /// Say how long making tables would take, and what disk and memory.
    Plan(plan::PlanArgs),
    /// Show every move of a position with what it is worth, or what each of many positions is worth.
    Probe(ask::ProbeArgs),
    /// Play an ending against perfect play, from Thompson's queen against rook to any other.
    ///
    /// Without a position: the deepest win of queen against rook, which W. Browne could not win in fifty moves in 1978.
    Play(play::PlayArgs),
    /// Count wins, draws and losses, the longest of them, and mutual zugzwangs.
    Stats(FromArgs),
    /// Compute every value again from its successors.
    Verify(FromArgs),
    /// Compare with Syzygy tables: who wins everywhere, and with --metric dtz in how many plies.
    Compare(CompareArgs),
    /// Show which tables each table leads to, in an order in which they can be made.
    Graph(Which),
}

#[derive(Debug, Args)]
struct FromArgs {
    #[command(flatten)]
    making: Making,
    /// Read the tables from this folder instead of making them.
    #[arg(long = "tables", value_name = "DIR")]
    folder: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct CompareArgs {
    #[command(flatten)]
    from: FromArgs,
    /// The folder of Syzygy tables.
    #[arg(long, value_name = "DIR")]
    syzygy: PathBuf,
    /// Only every so many positions.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
}

/// Makes, shows, counts or checks tables, or plays.
pub(super) fn run(args: &TbArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        TbCommand::Generate(args) => files::run(args)?,
        TbCommand::Embed(args) => embed::run(args)?,
        TbCommand::Plan(args) => plan::run(args)?,
        TbCommand::Probe(args) => ask::run(args)?,
        TbCommand::Play(args) => play::run(args)?,
        TbCommand::Stats(args) => args.making.each(args.folder.as_deref(), false, |table, _| {
            print(&report::report(table, &statistics(table)));
            Ok(())
        })?,
        TbCommand::Verify(args) => args.making.each(args.folder.as_deref(), true, report::check)?,
        TbCommand::Compare(args) => compare(args)?,
        TbCommand::Graph(which) => {
            for table in which.in_order() {
                let next: Vec<String> = table.successors().iter().map(ToString::to_string).collect();
                print(&format!("{table}: {}\n", next.join(" ")));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let syzygy = Syzygy::open(&args.syzygy).map_err(anyhow::Error::from)?;
    let (mut positions, mut differences) = (0, 0);
    args.from.making.each(args.from.folder.as_deref(), false, |table, _| {
        let found = syzygy.compare(table, args.every as usize).map_err(anyhow::Error::from)?;
        print(&format!(
            "{}: {} positions, {} distances the same, {} a ply off by their rounding, {} differences\n",
            table.material(),
            found.positions,
            found.distances,
            found.rounded,
            found.differences
        ));
        for different in &found.different {
            print(&format!("  {different}\n"));
        }
        positions += found.positions;
        differences += found.differences;
        Ok(())
    })?;
    print(&format!("{positions} positions, {differences} differences\n"));
    if differences > 0 {
        return Err(Failure::Run(anyhow!("{differences} positions differ")));
    }
    Ok(())
}
