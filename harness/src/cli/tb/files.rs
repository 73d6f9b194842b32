//! `harness tb generate`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use stretto::tablebase::Material;

use super::super::{Failure, print, say};
use super::loading::{Wanted, steps};
use super::making::{Maker, Making, path_of};
use super::plan::Moment;
use super::report::check;
use crate::store::write_atomically;
use crate::tablebase::{StoredSides, Table, check_file, stored_sides, to_bytes};

#[derive(Debug, Args)]
pub(super) struct GenerateArgs {
    #[command(flatten)]
    making: Making,
    /// The folder for the files; those that are there and in order are kept.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Store both sides to move: larger files, and no ply of search for the other.
    #[arg(long)]
    both_sides: bool,
    /// Check every value of each table before it is written.
    #[arg(long)]
    verify: bool,
}

/// Writes tables with all they lead to.
pub(super) fn run(args: &GenerateArgs) -> Result<(), Failure> {
    std::fs::create_dir_all(&args.out).with_context(|| format!("cannot create {}", args.out.display()))?;
    let sides = if args.both_sides { StoredSides::Both } else { StoredSides::One };
    let metric = args.making.how.metric.metric();
    args.making.how.threads.work(|cancel| {
        let (all, started) = (args.making.which.in_order(), Moment::now());
        let file = |table: Material| path_of(&args.out, table, metric);
        let kept: HashMap<Material, [bool; 2]> =
            all.iter().filter_map(|&table| Some((table, in_order(&file(table))?))).collect();
        let wanted = if args.verify { Wanted::Checked } else { Wanted::No };
        let Ok(steps) = steps(&all, |table| Ok::<_, Infallible>(kept.get(&table).copied()), |_| wanted);
        let mut maker = Maker::new(metric, cancel, &steps);
        for (number, step) in steps.iter().enumerate() {
            let table = match (step.is_read, args.verify) {
                (true, _) => maker.read(&args.out, step)?,
                (false, true) => maker.make(step.table)?,
                (false, false) => maker.make_releasing(&steps, number)?,
            };
            if cancel.is_cancelled() {
                return Err(Failure::Interrupted);
            }
            if args.verify {
                check(&table, &maker.tables)?;
            }
            if !step.is_read {
                write(&file(step.table), &table, sides)?;
            }
            drop(table);
            maker.keep_needed(&steps, number);
        }
        let size = |&table: &Material| std::fs::metadata(file(table)).map_or(0, |metadata| metadata.len());
        print(&format!(
            "{} tables in {}: {} bytes, {} of them kept, {}\n",
            all.len(),
            args.out.display(),
            all.iter().map(size).sum::<u64>(),
            kept.len(),
            started.elapsed()
        ));
        Ok(())
    })
}

/// Which sides to move a table holds that is there already. What was broken off, or damaged since, is made again.
fn in_order(path: &Path) -> Option<[bool; 2]> {
    match check_file(path) {
        Ok(file) => Some(stored_sides(&file)),
        Err(_) if !path.exists() => None,
        Err(error) => {
            say(&format!("made again: {error}"));
            None
        }
    }
}

fn write(path: &Path, table: &Table, sides: StoredSides) -> Result<(), Failure> {
    let bytes = to_bytes(table, sides);
    write_atomically(path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}
