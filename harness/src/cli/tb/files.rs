//! `harness tb generate`, and `plan`, which says beforehand what that takes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use stretto::tablebase::{Index, Material, Metric};
use stretto::types::Color;

use super::super::{Failure, print, say};
use super::making::{How, Maker, Making, Which, asked_for, path_of};
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
        let (order, started) = (args.making.which.in_order(), Instant::now());
        let mut maker = Maker::new(metric, cancel, order.len());
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
            "{} tables in {}: {bytes} bytes, {kept} of them kept, {:.1} s\n",
            order.len(),
            args.out.display(),
            started.elapsed().as_secs_f64()
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

#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    how: How,
}

/// Words of a row, each a bit for every square of the last man, that are kept for each side to move while a table is looked
/// at first, and then in its rounds.
const WORDS_AT_FIRST: usize = 2;
const WORDS_IN_ROUNDS: usize = 6;
/// How much longer a place takes in tables with pawns, on both sides, and with a man more: see results/tablebases.md.
const PAWNS: f64 = 1.5;
const PAWNS_ON_BOTH_SIDES: f64 = 2.0;
const FIVE_MEN: f64 = 1.3;
/// Bytes of a file for each place of one side, without and with pawns, on average over all tables of four men.
const BYTES_OF_PLACE: f64 = 0.065;
const BYTES_OF_PLACE_WITH_PAWNS: f64 = 0.115;

/// Bytes that are needed at most while each table of an order is made: itself and what it and later ones ask for.
fn memories(order: &[Material]) -> Vec<usize> {
    let mut last_use: HashMap<(Material, Color), usize> = HashMap::new();
    for (number, &table) in order.iter().enumerate() {
        last_use.extend(asked_for(table).into_iter().map(|asked| (asked, number)));
    }
    let kept = |number: usize, from: usize| -> usize {
        let sides = order[..number].iter().flat_map(|&table| Color::ALL.map(|side| (table, side)));
        let still = sides.filter(|side| last_use.get(side).is_some_and(|&last| last >= from));
        still.map(|(table, _)| Index::new(table).len()).sum()
    };
    let needed = order.iter().enumerate().map(|(number, &table)| {
        let index = Index::new(table);
        let own = |words: usize| 2 * (index.len() + words * size_of::<u64>() * index.rows());
        (own(WORDS_AT_FIRST) + kept(number, number)).max(own(WORDS_IN_ROUNDS) + kept(number, number + 1))
    });
    needed.collect()
}

/// Says what making tables would take, by the speed of one that is made now.
pub(super) fn plan(args: &PlanArgs) -> Result<(), Failure> {
    let metric = args.how.metric.metric();
    let rate = args.how.threads.work(|cancel| {
        let material: Material = "KQvKR".parse().map_err(anyhow::Error::from)?;
        let order = Which::one(material).in_order();
        let mut maker = Maker::new(metric, cancel, order.len()).quietly();
        let started = Instant::now();
        for table in order {
            maker.make(table)?;
        }
        let table = maker.tables.get(material);
        let places = table.map_or(0, |table| 2 * table.index().len());
        // Coding takes about as long as making.
        Ok(places as f64 / started.elapsed().as_secs_f64() / 2.0)
    })?;
    let order = args.which.in_order();
    let (mut seconds, mut bytes, mut most) = (0.0, 0.0, (0, None));
    let mut memory = memories(&order).into_iter();
    for &table in &order {
        let one = Index::new(table).len() as f64;
        let places = 2.0 * one;
        let slower = if table.has_pawns_on_both_sides() {
            PAWNS_ON_BOTH_SIDES
        } else if table.has_pawns() {
            PAWNS
        } else {
            1.0
        };
        let slower = if table.men() > 4 { slower * FIVE_MEN } else { slower };
        let twice = if metric == Metric::Dtz && table.has_pawns() { 2.0 } else { 1.0 };
        seconds += places * slower * twice / rate;
        bytes += one * if table.has_pawns() { BYTES_OF_PLACE_WITH_PAWNS } else { BYTES_OF_PLACE };
        let memory = memory.next().unwrap_or_default();
        if memory > most.0 {
            most = (memory, Some(table));
        }
    }
    let name = most.1.map_or_else(String::new, |table| format!(", for {table}"));
    print(&format!(
        "{} tables by {metric}\ntime: some {} ({:.1} million places a second, measured now on KQvKR)\n\
         disk: some {:.1} MB\nmemory: {:.2} GB at most{name}\n",
        order.len(),
        duration(seconds),
        rate / 1e6,
        bytes / 1e6,
        most.0 as f64 / 1e9
    ));
    Ok(())
}

fn duration(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} seconds"),
        100.0..6000.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.1} hours", seconds / 3600.0),
    }
}
