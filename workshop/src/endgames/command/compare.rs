//! `workshop tb compare`: comparison with published tables, position by position.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use stretto::tablebase::Metric;

use super::builder::FromArgs;
use crate::endgames::{Gaviota, Syzygy, Table, TableComparison};
use stretto_harness::run::command::{Failure, print};

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    from: FromArgs,
    #[command(flatten)]
    with: Published,
    /// Compare only every Nth position.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
}

/// The folder of published tables to compare with, exactly one.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Published {
    /// The folder of Syzygy tables.
    #[arg(long, value_name = "DIR")]
    syzygy: Option<PathBuf>,
    /// The folder of Gaviota's tables (`*.gtb.cp4`), which contain distances to mate.
    #[arg(long, value_name = "DIR")]
    gaviota: Option<PathBuf>,
}

/// Compares the tables and prints the differences, which are a failure.
pub(super) fn run(args: &CompareArgs) -> Result<(), Failure> {
    let making = &args.from.making;
    let (wanted, metric, every) = (making.which.wanted(), making.how.metric.metric(), args.every as usize);
    let (positions, differences) = match (&args.with.syzygy, &args.with.gaviota) {
        (Some(folder), _) => {
            let syzygy = Syzygy::open(folder, &wanted, metric)?;
            compare_each(&args.from, |table| syzygy.compare(table, every))?
        }
        (None, Some(_)) if metric != Metric::Dtm => {
            return Err(Failure::Usage(format!(
                "--gaviota compares distances to mate: expected --metric dtm, found --metric {metric}"
            )));
        }
        (None, Some(folder)) => {
            let gaviota = Gaviota::open(folder, &wanted)?;
            compare_each(&args.from, |table| gaviota.compare(table, every))?
        }
        (None, None) => return Err(Failure::Usage("expected --syzygy DIR or --gaviota DIR".to_owned())),
    };
    print(&format!("{positions} positions, {differences} differences\n"));
    match (positions, differences) {
        (0, _) => Err(Failure::Run(anyhow!("no position was compared: use a smaller --every"))),
        (_, 0) => Ok(()),
        _ => Err(Failure::Run(anyhow!("{differences} positions differ"))),
    }
}

/// Compares each table and prints the result. Returns the numbers of positions and differences of all.
fn compare_each(
    from: &FromArgs,
    compare: impl Fn(&Table) -> anyhow::Result<TableComparison> + Sync,
) -> Result<(u64, u64), Failure> {
    let (mut all_positions, mut all_differences) = (0, 0);
    from.making.each(from.folder.as_deref(), false, |table, _| {
        let TableComparison { positions, distances, rounded, different, differences } = compare(table)?;
        let distances = match table.metric() {
            Metric::Dtz => format!("{distances} equal distances, {rounded} one ply off by rounding, "),
            // Syzygy tables have no other distances.
            _ => String::new(),
        };
        print(&format!(
            "{}: {positions} positions, {distances}{differences} differences\n",
            table.material()
        ));
        for line in different {
            print(&format!("  {line}\n"));
        }
        (all_positions, all_differences) = (all_positions + positions, all_differences + differences);
        Ok(())
    })?;
    Ok((all_positions, all_differences))
}
