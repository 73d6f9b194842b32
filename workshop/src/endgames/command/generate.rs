//! `workshop tb generate`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use clap::Args;
use stretto::tablebase::Material;

use super::builder::{SelectionArgs, TableBuilder, path_of};
use super::dependencies::{Purpose, steps};
use super::report::check;
use super::work::Moment;
use crate::endgames::{StoredSides, Table, check_file, stored_sides, to_bytes};
use stretto_harness::base::errors::FileResult;
use stretto_harness::base::wording::counted;
use stretto_harness::run::command::{Failure, print, say};
use stretto_harness::run::write_atomically;

/// The output folder of `tb generate`, and the first place where `tb play` looks for tables.
pub(super) const DEFAULT_FOLDER: &str = "tables";

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    #[command(flatten)]
    making: SelectionArgs,
    /// Output folder; valid existing files are kept.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_FOLDER)]
    out: PathBuf,
    /// Store both sides to move: larger files, but no one-ply search for the other side. Existing files with one side are
    /// generated again.
    #[arg(long)]
    both_sides: bool,
    /// Verify every value of each table before writing it.
    #[arg(long)]
    verify: bool,
}

/// Writes the selected tables and all their successors.
pub(crate) fn run(args: &GenerateArgs) -> Result<(), Failure> {
    args.making.which.report_exchanged();
    std::fs::create_dir_all(&args.out).or_cannot("create", &args.out)?;
    let sides = if args.both_sides { StoredSides::Both } else { StoredSides::One };
    let metric = args.making.how.metric.metric();
    args.making.how.threads.work(|cancel| {
        let (all, started) = (args.making.which.in_order(), Moment::now());
        let file = |table: Material| path_of(&args.out, table, metric);
        let kept: HashMap<Material, [bool; 2]> =
            all.iter().filter_map(|&table| Some((table, valid_sides(&file(table), sides)?))).collect();
        let wanted = if args.verify { Purpose::Verified } else { Purpose::Dependency };
        let Ok(steps) = steps(&all, |table, _| Ok::<_, Infallible>(kept.get(&table).copied()), |_| wanted);
        let mut maker = TableBuilder::new(metric, cancel, &steps);
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
            "{} in {}: {} bytes, {} of them kept, {}\n",
            counted(all.len(), "table"),
            args.out.display(),
            all.iter().map(size).sum::<u64>(),
            kept.len(),
            started.elapsed()
        ));
        Ok(())
    })
}

/// Returns the sides to move stored in an existing valid file. Files that are incomplete, damaged or
/// lack a wanted side are generated again.
fn valid_sides(path: &Path, wanted: StoredSides) -> Option<[bool; 2]> {
    match check_file(path) {
        Ok(file) => {
            let stored = stored_sides(&file);
            if wanted == StoredSides::Both && stored != [true; 2] {
                say(&format!("regenerating the table: {} stores one side to move", path.display()));
                return None;
            }
            Some(stored)
        }
        Err(_) if !path.exists() => None,
        Err(error) => {
            say(&format!("regenerating the table: {error}"));
            None
        }
    }
}

fn write(path: &Path, table: &Table, sides: StoredSides) -> Result<(), Failure> {
    let bytes = to_bytes(table, sides);
    write_atomically(path, &bytes).or_cannot("write", path)?;
    Ok(())
}
