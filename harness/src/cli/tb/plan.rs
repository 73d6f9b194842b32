//! `harness tb plan`: what making tables takes, said beforehand; and while they are made, how much of it is left.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use clap::Args;
use rustix::time::{ClockId, clock_gettime};
use stretto::tablebase::{Index, Material, Metric};
use stretto::types::Color;

use super::super::{Failure, print};
use super::loading::all_made;
use super::making::{How, Maker, Which};
use crate::tablebase::{StoredSides, to_bytes};

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
/// How much longer a place takes than in a table of four men without pawns, in tables with pawns, on both sides, and with a man
/// more: see results/tablebases.md.
const PAWNS: f64 = 1.1;
const PAWNS_ON_BOTH_SIDES: f64 = 2.0;
const FIVE_MEN: f64 = 1.1;
/// Bytes of a file for each place of one side, without and with pawns, on average over all tables of four men.
const BYTES_OF_PLACE: f64 = 0.065;
const BYTES_OF_PLACE_WITH_PAWNS: f64 = 0.115;

/// A moment: what the clock showed, and how long processors had worked for this program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    clock: Instant,
    worked: Duration,
}

/// What went by since a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) time: Duration,
    /// Of all processors together. Other programs' share is not in it, nor what the host of a virtual machine takes, where
    /// the kernel knows of that.
    pub(super) worked: Duration,
}

impl Moment {
    pub(super) fn now() -> Self {
        let worked = clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default();
        Self { clock: Instant::now(), worked }
    }

    pub(super) fn elapsed(self) -> Spent {
        let now = Self::now();
        Spent { time: now.clock - self.clock, worked: now.worked.saturating_sub(self.worked) }
    }
}

/// `91.1 s, 21.3 s of processors`.
impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} s, {:.1} s of processors", self.time.as_secs_f64(), self.worked.as_secs_f64())
    }
}

/// Places of a table, for both sides to move.
pub(super) fn places(material: Material) -> usize {
    2 * Index::new(material).len()
}

/// What a table takes beside others. Unit: the work of a place in a table of four men without pawns.
pub(super) fn work(material: Material, metric: Metric) -> f64 {
    let slower = if material.has_pawns_on_both_sides() {
        PAWNS_ON_BOTH_SIDES
    } else if material.has_pawns() {
        PAWNS
    } else {
        1.0
    };
    let slower = if material.men() > 4 { slower * FIVE_MEN } else { slower };
    let twice = if metric == Metric::Dtz && material.has_pawns() { 2.0 } else { 1.0 };
    places(material) as f64 * slower * twice
}

/// Bytes that are needed at most while each table of an order is made: itself and what it and later ones ask for.
fn memories(order: &[Material]) -> Vec<usize> {
    let mut last_use: HashMap<(Material, Color), usize> = HashMap::new();
    for (number, step) in all_made(order).into_iter().enumerate() {
        last_use.extend(step.asked_for().map(|asked| (asked, number)));
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
pub(super) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let metric = args.how.metric.metric();
    let (threads, rate) = args.how.threads.work(|cancel| {
        let material: Material = "KQvKR".parse().map_err(anyhow::Error::from)?;
        let order = Which::one(material).in_order();
        let mut maker = Maker::new(metric, cancel, &all_made(&order)).quietly();
        let mut spent = Spent::default();
        for &table in &order {
            let begun = Moment::now();
            to_bytes(&*maker.make(table)?, StoredSides::One);
            spent = begun.elapsed();
        }
        // By work and not by the clock, which other programs have a part in.
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
        1 => "a processor does".to_owned(),
        some => format!("{some} processors do"),
    };
    print(&format!(
        "{} tables by {metric}\n\
         work: some {} of processors ({:.1} million places a second, measured now on KQvKR)\n\
         time: some {}, if {processors} nothing else\n\
         disk: some {:.1} MB\nmemory: {:.2} GB at most{name}\n",
        order.len(),
        duration(seconds),
        rate / 1e6,
        duration(seconds / threads as f64),
        bytes.sum::<f64>() / 1e6,
        memory as f64 / 1e9
    ));
    Ok(())
}

/// `95 seconds`, `12 minutes` or `1.9 hours`.
pub(super) fn duration(seconds: f64) -> String {
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
    fn what_goes_by_is_told_in_time_and_in_work() {
        let spent = Spent { time: Duration::from_millis(91_120), worked: Duration::from_millis(21_340) };
        assert_eq!(spent.to_string(), "91.1 s, 21.3 s of processors");
        assert_eq!([95.4, 725.0, 6840.0].map(duration), ["95 seconds", "12 minutes", "1.9 hours"]);
        let begun = Moment::now();
        let mut sum = 0u64;
        while begun.elapsed().worked < Duration::from_millis(5) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(begun.elapsed().time > Duration::ZERO);
    }

    #[test]
    fn pawns_and_men_are_work() {
        let of_all = |name: &str, metric| work(name.parse().unwrap(), metric);
        let of_one = |name: &str, metric| of_all(name, metric) / places(name.parse().unwrap()) as f64;
        let is_one = |work: f64| (work - 1.0).abs() < 1e-9;
        assert!(is_one(of_one("KQvKR", Metric::Dtm)) && is_one(of_one("KQvKR", Metric::Dtz)));
        assert!(of_one("KQvKP", Metric::Dtm) > 1.0);
        assert!(of_one("KPvKP", Metric::Dtm) > of_one("KQvKP", Metric::Dtm));
        assert!(of_one("KRPvKR", Metric::Dtz) > of_one("KRPvKR", Metric::Dtm));
        assert!(of_all("KRPvKR", Metric::Dtm) > 60.0 * of_all("KRvKP", Metric::Dtm));
    }
}
