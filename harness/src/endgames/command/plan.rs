//! `harness tb plan`: resource estimates before generation, and the work model for the ETA during
//! it.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use clap::Args;
use rustix::time::{ClockId, clock_gettime};
use stretto::tablebase::{Index, Material, Metric};
use stretto::types::Color;

use super::builder::{GenerateOptions, TableBuilder, TableSelection};
use super::dependencies::all_made;
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
/// Cost per position relative to a four-piece table without pawns: with pawns, with pawns on both
/// sides, and with five pieces. See results/tablebases.md.
const PAWNS: f64 = 1.1;
const PAWNS_ON_BOTH_SIDES: f64 = 2.0;
const FIVE_MEN: f64 = 1.1;
/// Average file size per position of one side, without and with pawns, over all four-piece tables.
/// Units: bytes.
const BYTES_OF_PLACE: f64 = 0.065;
const BYTES_OF_PLACE_WITH_PAWNS: f64 = 0.115;

/// A point in time: wall clock and CPU time of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    clock: Instant,
    worked: Duration,
}

/// Time since a [`Moment`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) time: Duration,
    /// CPU time over all threads. Excludes other programs, and steal time where the kernel accounts
    /// for it.
    pub(crate) worked: Duration,
}

impl Moment {
    pub(crate) fn now() -> Self {
        let worked = clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default();
        Self { clock: Instant::now(), worked }
    }

    pub(crate) fn elapsed(self) -> Spent {
        let now = Self::now();
        Spent { time: now.clock - self.clock, worked: now.worked.saturating_sub(self.worked) }
    }
}

/// Formats as `91.1 s, CPU 21.3 s`.
impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} s, CPU {:.1} s", self.time.as_secs_f64(), self.worked.as_secs_f64())
    }
}

/// Returns the number of positions of a table, for both sides to move.
pub(crate) fn entries(material: Material) -> usize {
    2 * Index::new(material).len()
}

/// Returns the relative cost of a table. Unit: the cost of a position in a four-piece table without
/// pawns.
pub(crate) fn work(material: Material, metric: Metric) -> f64 {
    let slower = if material.has_pawns_on_both_sides() {
        PAWNS_ON_BOTH_SIDES
    } else if material.has_pawns() {
        PAWNS
    } else {
        1.0
    };
    let slower = if material.piece_count() > 4 { slower * FIVE_MEN } else { slower };
    let twice = if metric == Metric::Dtz && material.has_pawns() { 2.0 } else { 1.0 };
    entries(material) as f64 * slower * twice
}

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

/// Formats a duration such as `95 seconds`, `12 minutes` or `1.9 hours`.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} seconds"),
        100.0..6000.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.1} hours", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elapsed_time_includes_wall_clock_and_cpu() {
        let spent = Spent { time: Duration::from_millis(91_120), worked: Duration::from_millis(21_340) };
        assert_eq!(spent.to_string(), "91.1 s, CPU 21.3 s");
        assert_eq!([95.4, 725.0, 6840.0].map(duration), ["95 seconds", "12 minutes", "1.9 hours"]);
        let begun = Moment::now();
        let mut sum = 0u64;
        while begun.elapsed().worked < Duration::from_millis(5) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(begun.elapsed().time > Duration::ZERO);
    }

    #[test]
    fn pawns_and_pieces_increase_the_cost() {
        let of_all = |name: &str, metric| work(name.parse().unwrap(), metric);
        let of_one = |name: &str, metric| of_all(name, metric) / entries(name.parse().unwrap()) as f64;
        let is_one = |work: f64| (work - 1.0).abs() < 1e-9;
        assert!(is_one(of_one("KQvKR", Metric::Dtm)) && is_one(of_one("KQvKR", Metric::Dtz)));
        assert!(of_one("KQvKP", Metric::Dtm) > 1.0);
        assert!(of_one("KPvKP", Metric::Dtm) > of_one("KQvKP", Metric::Dtm));
        assert!(of_one("KRPvKR", Metric::Dtz) > of_one("KRPvKR", Metric::Dtm));
        assert!(of_all("KRPvKR", Metric::Dtm) > 60.0 * of_all("KRvKP", Metric::Dtm));
    }
}
