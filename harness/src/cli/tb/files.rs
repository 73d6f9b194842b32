//! `harness tb generate`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use stretto::tablebase::Material;

use super::super::{Failure, print, say};
use super::making::{Maker, Making, path_of};
use super::plan::Moment;
use super::report::check;
use crate::store::write_atomically;
use crate::tablebase::{StoredSides, Table, check_file, to_bytes};

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
        let (order, started) = (args.making.which.in_order(), Moment::now());
        let mut maker = Maker::new(metric, cancel, &order);
        let (mut bytes, mut kept) = (0, 0);
        for (number, &material) in order.iter().enumerate() {
            let path = path_of(&args.out, material, metric);
            let is_kept = path.exists();
            // What was broken off, or damaged since, is made again.
            let found = if is_kept { kept_table(&path, &mut maker, &args.out, material) } else { None };
            let table = match found {
                Some(table) => {
                    kept += 1;
                    table?
                }
                None if args.verify => maker.make(material)?,
                None => maker.make_releasing(&order, number)?,
            };
            if cancel.is_cancelled() {
                return Err(Failure::Interrupted);
            }
            if args.verify {
                check(&table, &maker.tables)?;
            }
            if !(is_kept && check_file(&path).is_ok()) {
                write(&path, &table, sides)?;
            }
            bytes += std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
            drop(table);
            maker.keep_needed(&order, number);
        }
        print(&format!(
            "{} tables in {}: {bytes} bytes, {kept} of them kept, {}\n",
            order.len(),
            args.out.display(),
            started.elapsed()
        ));
        Ok(())
    })
}

/// A table that is there already; `None` if its file is not in order.
fn kept_table(
    path: &Path,
    maker: &mut Maker<'_>,
    folder: &Path,
    material: Material,
) -> Option<Result<Arc<Table>, Failure>> {
    match check_file(path) {
        Ok(_) => Some(maker.read(folder, material)),
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
