//! `harness tb generate`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use stretto::tablebase::Material;

use super::super::{Failure, print, say};
use super::making::{Maker, Making, path_of, to_load};
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
        let (all, started) = (args.making.which.in_order(), Moment::now());
        let file = |table: Material| path_of(&args.out, table, metric);
        let kept: Vec<Material> = all.iter().copied().filter(|&table| is_in_order(&file(table))).collect();
        // Checking a table takes those it leads to, even where both are there.
        let order = if args.verify { all.clone() } else { to_load(&all, &kept) };
        let mut maker = Maker::new(metric, cancel, &order);
        for (number, &material) in order.iter().enumerate() {
            let is_kept = kept.contains(&material);
            let table = match (is_kept, args.verify) {
                (true, _) => maker.read(&args.out, material)?,
                (false, true) => maker.make(material)?,
                (false, false) => maker.make_releasing(&order, number)?,
            };
            if cancel.is_cancelled() {
                return Err(Failure::Interrupted);
            }
            if args.verify {
                check(&table, &maker.tables)?;
            }
            if !is_kept {
                write(&file(material), &table, sides)?;
            }
            drop(table);
            maker.keep_needed(&order, number);
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

/// Is a table there already? What was broken off, or damaged since, is made again.
fn is_in_order(path: &Path) -> bool {
    match check_file(path) {
        Ok(_) => true,
        Err(_) if !path.exists() => false,
        Err(error) => {
            say(&format!("made again: {error}"));
            false
        }
    }
}

fn write(path: &Path, table: &Table, sides: StoredSides) -> Result<(), Failure> {
    let bytes = to_bytes(table, sides);
    write_atomically(path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}
