//! `workshop tb compare`: comparison with published tables, position by position.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use stretto::tablebase::Metric;

use super::builder::FromArgs;
use crate::endgames::{Gaviota, Syzygy};
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

/// Numbers of positions and differences of all tables so far.
#[derive(Debug, Default)]
struct Sum {
    positions: u64,
    differences: u64,
}

/// Compares the tables and prints the differences, which are a failure.
pub(super) fn run(args: &CompareArgs) -> Result<(), Failure> {
    let sum = match (&args.with.syzygy, &args.with.gaviota) {
        (Some(folder), _) => with_syzygy(args, folder)?,
        (None, Some(folder)) => with_gaviota(args, folder)?,
        (None, None) => return Err(Failure::Usage("expected --syzygy DIR or --gaviota DIR".to_owned())),
    };
    print(&format!("{} positions, {} differences\n", sum.positions, sum.differences));
    if sum.differences > 0 {
        return Err(Failure::Run(anyhow!("{} positions differ", sum.differences)));
    }
    Ok(())
}

fn with_syzygy(args: &CompareArgs, folder: &Path) -> Result<Sum, Failure> {
    let making = &args.from.making;
    let metric = making.how.metric.metric();
    let syzygy = Syzygy::open(folder, &making.which.wanted(), metric).map_err(anyhow::Error::from)?;
    let mut sum = Sum::default();
    making.each(args.from.folder.as_deref(), false, |table, _| {
        let found = syzygy.compare(table, args.every as usize).map_err(anyhow::Error::from)?;
        let distances = if metric == Metric::Dtz {
            format!("{} equal distances, {} one ply off by rounding, ", found.distances, found.rounded)
        } else {
            String::new() // Syzygy tables have no other distances
        };
        print(&format!(
            "{}: {} positions, {distances}{} differences\n",
            table.material(),
            found.positions,
            found.differences
        ));
        sum.add(found.positions, found.differences, &found.different);
        Ok(())
    })?;
    Ok(sum)
}

fn with_gaviota(args: &CompareArgs, folder: &Path) -> Result<Sum, Failure> {
    let metric = args.from.making.how.metric.metric();
    if metric != Metric::Dtm {
        return Err(Failure::Usage(format!(
            "--gaviota compares distances to mate: expected --metric dtm, found --metric {metric}"
        )));
    }
    let gaviota = Gaviota::open(folder, &args.from.making.which.wanted()).map_err(anyhow::Error::from)?;
    let mut sum = Sum::default();
    args.from.making.each(args.from.folder.as_deref(), false, |table, _| {
        let found = gaviota.compare(table, args.every as usize).map_err(anyhow::Error::from)?;
        print(&format!(
            "{}: {} positions, {} differences\n",
            table.material(),
            found.positions,
            found.differences
        ));
        sum.add(found.positions, found.differences, &found.different);
        Ok(())
    })?;
    Ok(sum)
}

impl Sum {
    /// Adds the result of a table and prints its differences.
    fn add(&mut self, positions: u64, differences: u64, different: &[String]) {
        self.positions += positions;
        self.differences += differences;
        for line in different {
            print(&format!("  {line}\n"));
        }
    }
}
