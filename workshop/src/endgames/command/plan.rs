//! `workshop tb plan`: resource estimates before generation.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use clap::Args;
use stretto::tablebase::{Index, Material, Metric};
use stretto::types::Color;

use super::builder::{GenerateOptions, MAX_PIECES, MAX_PLANNED_PIECES, TableBuilder, TableSelection};
use super::dependencies::{Step, all_made};
use super::work::{Moment, Spent, beyond_four, duration, entries, work};
use crate::endgames::{StoredSides, to_bytes};
use stretto_harness::base::wording::plural;
use stretto_harness::run::command::{Failure, print};

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    which: TableSelection<MAX_PLANNED_PIECES>,
    #[command(flatten)]
    how: GenerateOptions,
}

/// Bitboards per row and side to move during initialization and during the rounds; a bitboard has
/// one bit per square of the last piece.
const WORDS_AT_FIRST: usize = 2;
const WORDS_IN_ROUNDS: usize = 6;
/// Average file size per entry of one side, without and with pawns, over all four-piece tables.
/// Units: bytes.
const BYTES_OF_ENTRY: f64 = 0.065;
const BYTES_OF_ENTRY_WITH_PAWNS: f64 = 0.115;
/// Factor of the file size per entry for each piece beyond four, from the tables of `KPPvKP`.
const PIECE_BEYOND_FOUR: f64 = 1.2;

/// Returns the memory of one value. The longest mates with six pieces take 262 moves, for which 256
/// codes are too few.
fn value_bytes(table: Material) -> usize {
    if table.piece_count() > MAX_PIECES { 2 } else { 1 }
}

/// Returns the peak memory in bytes while each table of an order is generated: the table itself and
/// the tables needed then or later.
fn memories(order: &[Material]) -> Vec<usize> {
    let mut last_use: HashMap<(Material, Color), usize> = HashMap::new();
    for (number, step) in all_made(order).into_iter().enumerate() {
        last_use.extend(step.dependencies().map(|asked| (asked, number)));
    }
    let values: Vec<usize> = order.iter().map(|&table| side_memory(table)).collect();
    let kept = |number: usize, from: usize| -> usize {
        let tables = order[..number].iter().zip(&values);
        let sides = tables.flat_map(|(&table, &bytes)| Color::ALL.map(|side| ((table, side), bytes)));
        let still = sides.filter(|(side, _)| last_use.get(side).is_some_and(|&last| last >= from));
        still.map(|(_, bytes)| bytes).sum()
    };
    let needed = order.iter().enumerate().map(|(number, &table)| {
        let at_first = own_memory(table, WORDS_AT_FIRST) + kept(number, number);
        at_first.max(own_memory(table, WORDS_IN_ROUNDS) + kept(number, number + 1))
    });
    needed.collect()
}

/// Returns the peak memory in bytes while a table is generated alone, with the needed sides of its
/// sub-tables read from files.
fn memory_alone(table: Material) -> usize {
    let asked: HashSet<(Material, Color)> =
        all_made(&[table]).into_iter().flat_map(Step::dependencies).collect();
    let read: usize = asked.iter().map(|&(table, _)| side_memory(table)).sum();
    (own_memory(table, WORDS_AT_FIRST) + read).max(own_memory(table, WORDS_IN_ROUNDS))
}

/// Returns the memory in bytes of the values of one side to move.
fn side_memory(table: Material) -> usize {
    Index::new(table).len() * value_bytes(table)
}

/// Returns the memory in bytes of a table during generation, with this many bitboards per row and
/// side to move.
fn own_memory(table: Material, words: usize) -> usize {
    2 * (side_memory(table) + words * size_of::<u64>() * Index::new(table).rows())
}

/// The resources of some tables, apart from memory.
#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    tables: usize,
    /// Entries for both sides to move, including overlapping pieces and checks against the side that
    /// is not to move.
    entries: usize,
    /// Cost of generation, in the unit of [`work`].
    work: f64,
    /// Size of the files. Units: bytes.
    bytes: f64,
}

impl Estimate {
    fn add(&mut self, table: Material, metric: Metric) {
        let each = if table.has_pawns() { BYTES_OF_ENTRY_WITH_PAWNS } else { BYTES_OF_ENTRY };
        self.tables += 1;
        self.entries += entries(table);
        self.work += work(table, metric);
        self.bytes += Index::new(table).len() as f64 * each * PIECE_BEYOND_FOUR.powi(beyond_four(table));
    }

    /// Returns the estimate of all tables.
    fn of(tables: &[Material], metric: Metric) -> Self {
        let mut all = Self::default();
        for &table in tables {
            all.add(table, metric);
        }
        all
    }

    /// Returns the estimates by number of pieces.
    fn by_pieces(tables: &[Material], metric: Metric) -> BTreeMap<usize, Self> {
        let mut found: BTreeMap<usize, Self> = BTreeMap::new();
        for &table in tables {
            found.entry(table.piece_count()).or_default().add(table, metric);
        }
        found
    }
}

/// Formats a size such as `18 kB`, `8.5 MB` or `770.2 GB`.
fn size(bytes: f64) -> String {
    match bytes {
        ..1e3 => "under 1 kB".to_owned(),
        ..1e6 => format!("{:.0} kB", bytes / 1e3),
        ..1e9 => format!("{:.1} MB", bytes / 1e6),
        _ => format!("{:.1} GB", bytes / 1e9),
    }
}

/// Marks an estimate as such, unless it is only an upper limit.
fn about(estimate: String) -> String {
    if estimate.starts_with("under ") { estimate } else { format!("about {estimate}") }
}

/// Formats the estimates by number of pieces, if there are several.
fn by_pieces(order: &[Material], metric: Metric, rate: f64) -> String {
    let found = Estimate::by_pieces(order, metric);
    if found.len() < 2 {
        return String::new();
    }
    let mut text =
        format!("{:>6} {:>7} {:>13} {:>14} {:>10}\n", "pieces", "tables", "entries", "CPU time", "disk");
    for (pieces, part) in found {
        let entries = format!("{:.1} M", part.entries as f64 / 1e6);
        let (time, disk) = (duration(part.work / rate), size(part.bytes));
        let _ = writeln!(text, "{pieces:>6} {:>7} {entries:>13} {time:>14} {disk:>10}", part.tables);
    }
    text
}

/// Describes the largest amount of memory and its table.
fn largest(memories: impl IntoIterator<Item = usize>, order: &[Material]) -> String {
    let most = memories.into_iter().zip(order).max_by_key(|&(memory, _)| memory);
    most.map_or_else(String::new, |(memory, table)| {
        let bytes = memory as f64;
        let shown = if bytes < 1e9 { size(bytes) } else { format!("{:.2} GB", bytes / 1e9) };
        format!("{shown} at most, for {table}")
    })
}

/// Formats the estimates for tables in the order of their generation, at a rate per second of CPU
/// time; see [`work`].
fn estimates(order: &[Material], metric: Metric, rate: f64, threads: usize) -> String {
    let all = Estimate::of(order, metric);
    let seconds = all.work / rate;
    let together = largest(memories(order), order);
    let alone = largest(order.iter().map(|&table| memory_alone(table)), order);
    let processors = match threads {
        1 => "one processor".to_owned(),
        some => format!("{some} processors"),
    };
    format!(
        "{} {}, metric {metric}\n\
         CPU time: {} ({:.1} M entries/s, measured on KQvKR)\n\
         elapsed: {} on {processors} without other load\n\
         disk: {}\n\
         memory: {together}; one table at a time, its sub-tables read from files: {alone}\n{}",
        all.tables,
        plural(all.tables, "table"),
        about(duration(seconds)),
        rate / 1e6,
        about(duration(seconds / threads as f64)),
        about(size(all.bytes)),
        by_pieces(order, metric, rate)
    )
}

/// Prints resource estimates, based on the measured speed of one small table.
pub(crate) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let metric = args.how.metric.metric();
    args.which.report_exchanged();
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
    print(&estimates(&order, metric, rate, threads));
    if order.iter().any(|table| table.piece_count() > MAX_PIECES) {
        print(&format!(
            "six pieces: an estimate only, with two bytes per value in memory; `workshop tb generate` generates tables of at most \
             {MAX_PIECES} pieces\n"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Legal positions of all tables with this many pieces, symmetric ones counted once and like
    /// pieces distinguished. `workshop tb stats` counts the same for three and four pieces.
    const LEGAL: [(usize, usize, f64); 4] = [
        (3, 5, 367_868.0),
        (4, 30, 143_702_885.0),
        (5, 110, 32_612_482_961.0),
        (6, 365, 6_170_694_290_902.0),
    ];

    #[test]
    fn number_of_positions_follows_the_published_numbers_of_legal_ones() {
        let shares = LEGAL.map(|(pieces, tables, legal)| {
            let all = Estimate::of(&Material::all(pieces), Metric::Dtm);
            assert_eq!(all.tables, tables);
            legal / all.entries as f64
        });
        // Each further piece makes another tenth of the entries illegal.
        assert!((shares[0] - 0.897).abs() < 0.001, "{shares:?}");
        for pair in shares.windows(2) {
            assert!((0.098..0.106).contains(&(pair[0] - pair[1])), "{shares:?}");
        }
    }

    #[test]
    fn estimates_agree_with_the_tables_that_were_generated() {
        // The files of all tables of KPPvKP have 1.97 GB.
        let order = TableSelection::one("KPPvKP".parse().unwrap()).in_order();
        let all = Estimate::of(&order, Metric::Dtm);
        assert_eq!(all.tables, 110);
        assert!((1.8e9..2.2e9).contains(&all.bytes), "{all:?}");
        // KRPvKR with its sub-tables had 1.42 GB in use after the first pass.
        let order = TableSelection::one("KRPvKR".parse().unwrap()).in_order();
        let most = memories(&order).into_iter().max().unwrap();
        assert!((1.35e9..1.45e9).contains(&(most as f64)), "{most}");
        let alone = order.iter().map(|&table| memory_alone(table)).max().unwrap();
        assert!(alone <= most && alone > 2 * Index::new("KRPvKR".parse().unwrap()).len(), "{alone}");
    }

    #[test]
    fn six_pieces_take_two_bytes_per_value_in_memory() {
        let [five, six] = ["KQQvKQ", "KQQvKQQ"].map(|name| {
            let table: Material = name.parse().unwrap();
            let index = Index::new(table);
            (memories(&[table])[0], index.len(), index.rows())
        });
        assert_eq!(five.0, 2 * five.1 + 96 * five.2);
        assert_eq!(six.0, 4 * six.1 + 96 * six.2);
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let order: Vec<Material> = (3..=5).flat_map(Material::all).collect();
        let parts = Estimate::by_pieces(&order, Metric::Dtz);
        let all = Estimate::of(&order, Metric::Dtz);
        assert_eq!(parts.keys().copied().collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!(parts.values().map(|part| part.entries).sum::<usize>(), all.entries);
        let bytes: f64 = parts.values().map(|part| part.bytes).sum();
        assert!((bytes / all.bytes - 1.0).abs() < 1e-9);
        let text = by_pieces(&order, Metric::Dtz, 1e7);
        assert_eq!(text.lines().count(), 4);
        assert!(text.contains("     5     110     47288.8 M"), "{text}");
        let hour = by_pieces(&order, Metric::Dtz, parts[&5].work / 3600.0);
        assert!(hour.lines().last().unwrap().contains(&duration(3600.0)), "{hour}");
        assert_eq!(by_pieces(&order[..5], Metric::Dtz, 1e7), "");
    }

    #[test]
    fn sizes_use_a_readable_unit() {
        assert_eq!(
            [12.0, 17_676.0, 8.88e6, 1.97e9, 7.7e11].map(size),
            ["under 1 kB", "18 kB", "8.9 MB", "2.0 GB", "770.0 GB"]
        );
        let largest_of = |bytes| largest([bytes], &Material::all(3));
        let name = Material::all(3)[0];
        assert_eq!(largest_of(999_949_999), format!("999.9 MB at most, for {name}"));
        assert_eq!(largest_of(1_000_000_000), format!("1.00 GB at most, for {name}"));
    }

    #[test]
    fn small_estimates_are_not_shown_as_zero() {
        let order = TableSelection::one("KPvK".parse().unwrap()).in_order();
        let text = estimates(&order, Metric::Dtm, 8e6, 2);
        assert!(text.starts_with("5 tables, metric dtm\nCPU time: under 1 second (8.0 M"), "{text}");
        assert!(text.contains("\nelapsed: under 1 second on 2 processors "), "{text}");
        // The files have 17,676 bytes.
        let disk = text.lines().find_map(|line| line.strip_prefix("disk: about ")).unwrap();
        let kilobytes: f64 = disk.strip_suffix(" kB").unwrap().parse().unwrap();
        assert!((10.0..30.0).contains(&kilobytes), "{disk}");
        let memory = text.lines().find(|line| line.starts_with("memory: ")).unwrap();
        assert!(memory.contains(" kB at most, for KPvK;") && !memory.contains("0.0"), "{memory}");
        let one = estimates(&order[..1], Metric::Dtm, 8e6, 1);
        assert!(one.starts_with("1 table, metric dtm\n") && one.contains(" on one processor "), "{one}");
        let large: Vec<Material> = (3..=5).flat_map(Material::all).collect();
        let text = estimates(&large, Metric::Dtm, 8e6, 2);
        assert!(text.contains("\nCPU time: about ") && text.contains("\nmemory: 19.32 GB at most"), "{text}");
    }
}
