//! Table selection of `workshop tb` commands, and the generation or loading of the selected tables.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use stretto::tablebase::{Material, Metric, TableFile};

use super::dependencies::{Purpose, Step, steps, still_needed};
use super::work::{Moment, Spent, duration, entries, work};
use crate::endgames::{GenerateError, Table, Tables, from_table, generate, generate_releasing, stored_sides};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::run::command::{Failure, Threads, say};

/// Largest number of pieces of a table that can be generated, and of one that can be planned.
pub(super) const MAX_PIECES: usize = 5;
pub(super) const MAX_PLANNED_PIECES: usize = 6;

/// The pieces of a table, as a user names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamedTable {
    named: Material,
    /// The table, with White as the stronger side.
    pub(super) material: Material,
}

impl NamedTable {
    /// Parses pieces such as `KQvKR`, 3 to `most` of them.
    pub(super) fn parse(text: &str, most: usize) -> Result<Self, String> {
        let named: Material = text.parse().map_err(|_| {
            format!("expected the pieces of both sides, such as KQvKR, 3 to {most} with the kings")
        })?;
        match named.piece_count() {
            pieces if (3..=most).contains(&pieces) => Ok(Self { named, material: named.canonical().0 }),
            pieces => Err(format!("{named} has {pieces} pieces: expected 3 to {most}, including the kings")),
        }
    }

    /// Returns a notice if the table has the colours exchanged.
    fn notice(self) -> Option<String> {
        let Self { named, material } = self;
        (named != material).then(|| format!("{named} is {material} with the colours exchanged"))
    }

    /// Prints a notice if the named table has the colours exchanged.
    pub(super) fn report(self) {
        if let Some(notice) = self.notice() {
            say(&notice);
        }
    }
}

/// Returns the error for a folder without a table.
pub(super) fn no_table(folder: &Path, table: Material, metric: Metric) -> anyhow::Error {
    let folder = folder.display();
    anyhow!(
        "{folder} has no table {table}.{metric}: create it with `workshop tb generate {table} --metric {metric} --out {folder}`"
    )
}

/// A single table, or all tables up to a number of pieces.
#[derive(Clone, Copy, Debug)]
enum TableSpec {
    Pieces(usize),
    Table(NamedTable),
}

impl TableSpec {
    /// Parses tables of at most `most` pieces.
    fn parse(text: &str, most: usize) -> Result<Self, String> {
        if let Ok(pieces) = text.parse::<usize>() {
            return if (3..=most).contains(&pieces) {
                Ok(Self::Pieces(pieces))
            } else {
                Err(format!("expected 3 to {most} pieces"))
            };
        }
        NamedTable::parse(text, most).map(Self::Table)
    }
}

/// Tables of 3 to `MOST` pieces.
#[derive(Debug, Args)]
pub(crate) struct TableSelection<const MOST: usize = MAX_PIECES> {
    #[arg(
        help = format!("Tables such as `KQvKR`, or a number of pieces for all tables up to that size; 3 to {MOST}"),
        required_unless_present = "pieces",
        value_parser = |text: &str| TableSpec::parse(text, MOST)
    )]
    tables: Vec<TableSpec>,
    /// All tables up to this number of pieces.
    #[arg(long, alias = "men", value_name = "N", value_parser = clap::value_parser!(u8).range(3..=MOST as i64))]
    pieces: Option<u8>,
}

#[derive(Debug, Args)]
pub(crate) struct SelectionArgs {
    #[command(flatten)]
    pub(crate) which: TableSelection,
    #[command(flatten)]
    pub(crate) how: GenerateOptions,
    /// Whether progress is not shown.
    #[arg(skip)]
    is_quiet: bool,
}

/// Tables, and whether they are read or made.
#[derive(Debug, Args)]
pub(super) struct FromArgs {
    #[command(flatten)]
    pub(super) making: SelectionArgs,
    /// Read the tables from this folder instead of making them.
    #[arg(long = "tables", value_name = "DIR")]
    pub(super) folder: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct GenerateOptions {
    /// Distance metric: to mate, to mate or conversion, or to the next zeroing move.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) metric: MetricArg,
    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// The event to which a table counts the distance.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub(crate) enum MetricArg {
    /// Distance to mate, in plies.
    #[default]
    Dtm,
    /// Distance to mate, capture or promotion.
    Dtc,
    /// Distance to mate, capture or pawn move.
    Dtz,
}

impl MetricArg {
    pub(crate) const fn metric(self) -> Metric {
        match self {
            Self::Dtm => Metric::Dtm,
            Self::Dtc => Metric::Dtc,
            Self::Dtz => Metric::Dtz,
        }
    }
}

impl TableSelection {
    /// Selects a single table.
    pub(crate) fn one(table: Material) -> Self {
        Self::some(&[table])
    }

    /// Selects the given tables.
    pub(crate) fn some(tables: &[Material]) -> Self {
        let tables = tables.iter().map(|table| {
            let material = table.canonical().0;
            TableSpec::Table(NamedTable { named: material, material })
        });
        Self { tables: tables.collect(), pieces: None }
    }
}

impl<const MOST: usize> TableSelection<MOST> {
    /// Reports tables named with the colours exchanged.
    pub(crate) fn report_exchanged(&self) {
        for spec in &self.tables {
            if let TableSpec::Table(table) = spec {
                table.report();
            }
        }
    }

    /// Returns the selected tables, with White as the stronger side.
    pub(crate) fn wanted(&self) -> Vec<Material> {
        let up_to = |pieces: usize| (3..=pieces).flat_map(Material::all).collect::<Vec<_>>();
        let named = self.tables.iter().flat_map(|wanted| match *wanted {
            TableSpec::Pieces(pieces) => up_to(pieces),
            TableSpec::Table(table) => vec![table.material],
        });
        let mut wanted: Vec<Material> = Vec::new();
        for table in named.chain(up_to(self.pieces.map_or(0, usize::from))) {
            if !wanted.contains(&table) {
                wanted.push(table);
            }
        }
        wanted
    }

    /// Returns the selected tables and all their successors, each after its successors.
    pub(crate) fn in_order(&self) -> Vec<Material> {
        fn add(table: Material, order: &mut Vec<Material>) {
            if table.piece_count() > 2 && !order.contains(&table) {
                for next in table.successors() {
                    add(next, order);
                }
                order.push(table);
            }
        }
        let mut order = Vec::new();
        for table in self.wanted() {
            add(table, &mut order);
        }
        order
    }
}

/// Returns the path of a table file.
pub(crate) fn path_of(folder: &Path, table: Material, metric: Metric) -> PathBuf {
    folder.join(format!("{table}.{metric}"))
}

fn failed(error: GenerateError) -> Failure {
    match error {
        GenerateError::Cancelled => Failure::Interrupted,
        error => Failure::Run(error.into()),
    }
}

/// Releases the sides of the finished tables that no later step probes.
fn keep_needed(tables: &mut Tables, made: &[Step], later: &[Step]) {
    for step in made {
        if tables.get(step.table).is_some() {
            tables.keep(step.table, still_needed(step.table, later));
        }
    }
}

/// A sequential generator of tables with progress output.
pub(crate) struct TableBuilder<'a> {
    metric: Metric,
    cancel: &'a Cancel,
    started: Moment,
    pub(crate) tables: Tables,
    all: usize,
    done: usize,
    is_quiet: bool,
    /// Work of the remaining tables, and of the tables generated (not read) so far; see [`work`].
    work_left: f64,
    work_made: f64,
}

impl<'a> TableBuilder<'a> {
    /// Returns a builder for the tables of these steps.
    pub(crate) fn new(metric: Metric, cancel: &'a Cancel, steps: &[Step]) -> Self {
        Self {
            metric,
            cancel,
            started: Moment::now(),
            tables: Tables::new(metric),
            all: steps.len(),
            done: 0,
            is_quiet: false,
            work_left: steps.iter().map(|step| Self::work_of(step, metric)).sum(),
            work_made: 0.0,
        }
    }

    /// Returns the work of a step. Reading takes negligible time compared with generating.
    fn work_of(step: &Step, metric: Metric) -> f64 {
        if step.is_read { 0.0 } else { work(step.table, metric) }
    }

    /// Disables the progress lines.
    pub(crate) fn quietly(mut self) -> Self {
        self.is_quiet = true;
        self
    }

    /// Generates a table whose successors are present.
    pub(crate) fn make(&mut self, material: Material) -> Result<std::sync::Arc<Table>, Failure> {
        let begun = Moment::now();
        let made = generate(material, self.metric, &self.tables, self.cancel);
        Ok(self.add(made.map_err(failed)?, true, begun.elapsed()))
    }

    /// Generates the table of step `number` and releases unneeded successors before the phase with
    /// the highest memory use.
    pub(crate) fn make_releasing(
        &mut self,
        steps: &[Step],
        number: usize,
    ) -> Result<std::sync::Arc<Table>, Failure> {
        let begun = Moment::now();
        let release = |tables: &mut Tables| keep_needed(tables, &steps[..number], &steps[number + 1..]);
        let material = steps[number].table;
        let made = generate_releasing(material, self.metric, &mut self.tables, release, self.cancel);
        Ok(self.add(made.map_err(failed)?, true, begun.elapsed()))
    }

    /// Reads the needed sides of a table whose dependencies are present.
    pub(crate) fn read(&mut self, folder: &Path, step: &Step) -> Result<std::sync::Arc<Table>, Failure> {
        let begun = Moment::now();
        let path = path_of(folder, step.table, self.metric);
        let file = TableFile::open(&path).map_err(anyhow::Error::from)?;
        let read = from_table(&file, step.sides, &self.tables).map_err(anyhow::Error::from)?;
        Ok(self.add(read, false, begun.elapsed()))
    }

    /// Releases everything that no step after `number` probes.
    pub(crate) fn keep_needed(&mut self, steps: &[Step], number: usize) {
        keep_needed(&mut self.tables, &steps[..=number], &steps[number + 1..]);
    }

    fn add(&mut self, table: Table, is_made: bool, spent: Spent) -> std::sync::Arc<Table> {
        let material = table.material();
        let entries = entries(material) as f64 / 1e6;
        self.done += 1;
        if is_made {
            let work = work(material, self.metric);
            self.work_left -= work;
            self.work_made += work;
        }
        if !self.is_quiet {
            let (number, all, how) = (self.done, self.all, if is_made { "made" } else { "read" });
            let worked = spent.worked.as_secs_f64();
            // The clock of the processor is too coarse for shorter times.
            let rate = if worked < 0.01 { "-".to_owned() } else { format!("{:.1}", entries / worked) };
            let so_far = self.started.elapsed().time.as_secs_f64();
            // A rounding error of the differences may be left over.
            let left = if number == all { 0.0 } else { self.work_left };
            let to_go = match left / self.work_made {
                share if share.is_finite() => duration((so_far * share).max(0.0)),
                _ => "-".to_owned(),
            };
            say(&format!(
                "{number} of {all}: {material} {how}, {entries:.1} M entries in {spent}, {rate} M/s CPU time \
                 (elapsed {so_far:.1} s, ETA {to_go})"
            ));
        }
        self.tables.add(table)
    }
}

impl SelectionArgs {
    /// Selects one table, to read or generate without progress lines.
    pub(crate) fn quietly(table: Material, how: GenerateOptions) -> Self {
        Self { which: TableSelection::one(table), how, is_quiet: true }
    }

    /// Generates or reads the tables and passes them and all their successors to `show`.
    pub(crate) fn each_with_dependencies(
        &self,
        from: Option<&Path>,
        show: impl FnMut(&Table, &Tables) -> Result<(), Failure> + Send,
    ) -> Result<(), Failure> {
        let which = TableSelection::some(&self.which.in_order());
        Self { which, how: self.how, is_quiet: self.is_quiet }.each(from, false, show)
    }

    /// Generates or reads the tables and passes the selected ones to `show`. With `wants_others`
    /// their successors are kept in memory too.
    pub(crate) fn each(
        &self,
        from: Option<&Path>,
        wants_others: bool,
        mut show: impl FnMut(&Table, &Tables) -> Result<(), Failure> + Send,
    ) -> Result<(), Failure> {
        self.which.report_exchanged();
        self.how.threads.work(|cancel| {
            let (wanted, order, metric) =
                (self.which.wanted(), self.which.in_order(), self.how.metric.metric());
            let stored = |table: Material, is_needed: bool| -> Result<Option<[bool; 2]>, anyhow::Error> {
                let Some(folder) = from else { return Ok(None) };
                if !is_needed {
                    // Its file need not exist: it is not read.
                    return Ok(Some([false; 2]));
                }
                let path = path_of(folder, table, metric);
                if !path.is_file() {
                    return Err(no_table(folder, table, metric));
                }
                Ok(Some(stored_sides(&TableFile::open(&path)?)))
            };
            let wanted_of = |table: Material| match (wanted.contains(&table), wants_others) {
                (true, true) => Purpose::Verified,
                (true, false) => Purpose::Values,
                (false, _) => Purpose::Dependency,
            };
            let steps = steps(&order, stored, wanted_of)?;
            let mut maker = TableBuilder::new(metric, cancel, &steps);
            maker.is_quiet = self.is_quiet;
            for (number, step) in steps.iter().enumerate() {
                let table = match from {
                    Some(folder) => maker.read(folder, step)?,
                    None if wants_others => maker.make(step.table)?,
                    None => maker.make_releasing(&steps, number)?,
                };
                if wanted.contains(&step.table) {
                    show(&table, &maker.tables)?;
                }
                if cancel.is_cancelled() {
                    return Err(Failure::Interrupted);
                }
                drop(table);
                maker.keep_needed(&steps, number);
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_includes_all_successors() {
        let which = |tables: &[&str], pieces| TableSelection::<MAX_PIECES> {
            tables: tables.iter().map(|name| TableSpec::parse(name, MAX_PIECES).unwrap()).collect(),
            pieces,
        };
        let names =
            |which: TableSelection| which.in_order().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(which(&["KRvKQ"], None)), ["KRvK", "KQvK", "KQvKR"]);
        let pawns = names(which(&["KQvKP"], None));
        assert_eq!((pawns.len(), pawns.last().map(String::as_str)), (10, Some("KQvKP")));
        assert_eq!(names(which(&[], Some(4))).len(), 35);
        assert_eq!(names(which(&["4"], None)).len(), 35);
        assert_eq!(names(which(&["5"], None)).len(), 145);
        for bad in ["2", "6", "KvK", "KQQvKQQ", "KX"] {
            assert!(TableSpec::parse(bad, MAX_PIECES).is_err(), "{bad}");
        }
        let planned = |text: &str| {
            let selected = vec![TableSpec::parse(text, MAX_PLANNED_PIECES).unwrap()];
            TableSelection::<MAX_PLANNED_PIECES> { tables: selected, pieces: None }.in_order().len()
        };
        assert_eq!((planned("6"), planned("KQQvKQQ")), (510, 5));
        for bad in ["7", "KQQvKQQQ"] {
            assert!(TableSpec::parse(bad, MAX_PLANNED_PIECES).is_err(), "{bad}");
        }
    }

    #[test]
    fn exchanged_colors_are_reported() {
        let notice = |text| NamedTable::parse(text, MAX_PIECES).unwrap().notice();
        assert_eq!(notice("KRKQ").unwrap(), "KRvKQ is KQvKR with the colours exchanged");
        assert_eq!(notice("KQKR"), None);
    }

    #[test]
    fn invalid_pieces_are_refused_with_the_expected_number() {
        let error = |text| NamedTable::parse(text, MAX_PIECES).unwrap_err();
        let expected = "expected the pieces of both sides, such as KQvKR, 3 to 5 with the kings";
        assert_eq!(error("KX"), expected);
        assert_eq!(error("KQQQvKQQ"), expected);
        assert_eq!(error("KQQvKQQ"), "KQQvKQQ has 6 pieces: expected 3 to 5, including the kings");
    }

    #[test]
    fn folder_without_a_table_is_refused_with_the_command_that_creates_it() {
        let dir = tempfile::tempdir().unwrap();
        let how = GenerateOptions { metric: MetricArg::Dtm, threads: Threads::default() };
        let selection = SelectionArgs::quietly("KBBvKN".parse().unwrap(), how);
        let read = selection.each(Some(dir.path()), false, |_, _| Ok(()));
        let Err(Failure::Run(error)) = read else { unreachable!("an empty folder") };
        let text = format!("{error:#}");
        assert!(
            text.contains("has no table KBBvKN.dtm: create it with `workshop tb generate KBBvKN"),
            "{text}"
        );
    }
}
