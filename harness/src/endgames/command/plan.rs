//! `harness tb plan`: resource estimates before generation.

use std::collections::HashMap;

use clap::Args;
use stretto::tablebase::{Index, Material};
use stretto::types::Color;

use super::builder::{GenerateOptions, TableBuilder, TableSelection};
use super::dependencies::all_made;
use super::work::{Moment, Spent, duration, work};
use crate::endgames::{StoredSides, to_bytes};
use crate::run::command::{Failure, print};

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    which: TableSelection,
    #[command(flatten)]
    how: GenerateOptions,
}

/// Bitboards per row and side to move during initialization and during the rounds; a bitboard has
/// one bit per square of the last piece.
const WORDS_AT_FIRST: usize = 2;
const WORDS_IN_ROUNDS: usize = 6;
/// Average file size per position of one side, without and with pawns, over all four-piece tables.
/// Units: bytes.
const BYTES_OF_PLACE: f64 = 0.065;
const BYTES_OF_PLACE_WITH_PAWNS: f64 = 0.115;

/// Returns the peak memory in bytes while each table of an order is generated: the table itself and
/// the tables needed then or later.
fn memories(order: &[Material]) -> Vec<usize> {
    let mut last_use: HashMap<(Material, Color), usize> = HashMap::new();
    for (number, step) in all_made(order).into_iter().enumerate() {
        last_use.extend(step.dependencies().map(|asked| (asked, number)));
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

/// Prints resource estimates, based on the measured speed of one small table.
pub(crate) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let metric = args.how.metric.metric();
    let (threads, rate) = args.how.threads.work(|cancel| {
        let material: Material = "KQvKR".parse().map_err(anyhow::Error::from)?;
        let order = TableSelection::one(material).in_order();
        let mut maker = TableBuilder::new(metric, cancel, &all_made(&order)).quietly();
        let mut spent = Spent::default();
        for &table in &order {
            let begun = Moment::now();
            to_bytes(&*maker.make(table)?, StoredSides::One);
            spent = begun.elapsed();
        }
        // Uses CPU time, since other programs affect the wall clock.
        let rate = work(material, metric) / spent.worked.as_secs_f64().max(1e-9);
        Ok((rayon::current_num_threads(), rate))
    })?;
    let order = args.which.in_order();
    let seconds = order.iter().map(|&table| work(table, metric)).sum::<f64>() / rate;
    let bytes = order.iter().map(|&table| {
        let each = if table.has_pawns() { BYTES_OF_PLACE_WITH_PAWNS } else { BYTES_OF_PLACE };
        Index::new(table).len() as f64 * each
    });
    let most = memories(&order).into_iter().zip(&order).max_by_key(|&(memory, _)| memory);
    let (memory, name) =
        most.map_or((0, String::new()), |(memory, table)| (memory, format!(", for {table}")));
    let processors = match threads {
        1 => "one processor".to_owned(),
        some => format!("{some} processors"),
    };
    print(&format!(
        "{} tables, metric {metric}\n\
         CPU time: about {} ({:.1} M positions/s, measured on KQvKR)\n\
         elapsed: about {} on {processors} without other load\n\
         disk: about {:.1} MB\nmemory: {:.2} GB at most{name}\n",
        order.len(),
        duration(seconds),
        rate / 1e6,
        duration(seconds / threads as f64),
        bytes.sum::<f64>() / 1e6,
        memory as f64 / 1e9
    ));
    Ok(())
}
