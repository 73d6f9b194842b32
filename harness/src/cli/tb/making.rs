//! Which tables a command of `harness tb` is about, and how they come into memory.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use stretto::tablebase::{Material, Metric, Table as TableFile};

use super::super::threads::Threads;
use super::super::{Failure, say};
use super::loading::{Step, Wanted as Wants, steps, still_needed};
use super::plan::{Moment, Spent, duration, places, work};
use crate::cancel::Cancel;
use crate::tablebase::{
    GenerateError, Table, Tables, from_table, generate, generate_releasing, stored_sides,
};

/// A table, or all of up to so many men.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Men(usize),
    Table(Material),
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(men) = text.parse::<usize>() {
            return if (3..=5).contains(&men) {
                Ok(Self::Men(men))
            } else {
                Err("tables have 3 to 5 men".to_owned())
            };
        }
        let material: Material = text.parse().map_err(|error| format!("{error}"))?;
        match material.men() {
            3..=5 => Ok(Self::Table(material.canonical().0)),
            men => Err(format!("{material} has {men} men: tables have 3 to 5")),
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct Which {
    /// Tables such as `KQvKR`, or a number of men for all tables of up to so many.
    #[arg(required_unless_present = "men")]
    tables: Vec<Wanted>,
    /// All tables of up to so many men.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=5))]
    men: Option<u8>,
}

#[derive(Debug, Args)]
pub(super) struct Making {
    #[command(flatten)]
    pub(super) which: Which,
    #[command(flatten)]
    pub(super) how: How,
}

#[derive(Debug, Args)]
pub(super) struct How {
    /// What distances count to: mate, or also captures and promotions, or also all moves of pawns.
    #[arg(long, value_enum, default_value_t)]
    pub(super) metric: MetricArg,
    #[command(flatten)]
    pub(super) threads: Threads,
}

/// What distances count to.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub(super) enum MetricArg {
    /// Mate.
    #[default]
    Dtm,
    /// Mate, a capture or a promotion.
    Dtc,
    /// Mate, a capture or a move of a pawn.
    Dtz,
}

impl MetricArg {
    pub(super) const fn metric(self) -> Metric {
        match self {
            Self::Dtm => Metric::Dtm,
            Self::Dtc => Metric::Dtc,
            Self::Dtz => Metric::Dtz,
        }
    }
}

impl Which {
    /// Just one.
    pub(super) fn one(table: Material) -> Self {
        Self::some(&[table])
    }

    /// Just these.
    pub(super) fn some(tables: &[Material]) -> Self {
        let tables = tables.iter().map(|table| Wanted::Table(table.canonical().0));
        Self { tables: tables.collect(), men: None }
    }

    /// The tables asked for, White's the stronger men.
    pub(super) fn wanted(&self) -> Vec<Material> {
        let up_to = |men: usize| (3..=men).flat_map(Material::all).collect::<Vec<_>>();
        let named = self.tables.iter().flat_map(|wanted| match *wanted {
            Wanted::Men(men) => up_to(men),
            Wanted::Table(table) => vec![table],
        });
        let mut wanted: Vec<Material> = Vec::new();
        for table in named.chain(up_to(self.men.map_or(0, usize::from))) {
            if !wanted.contains(&table) {
                wanted.push(table);
            }
        }
        wanted
    }

    /// These and all they lead to, each after those.
    pub(super) fn in_order(&self) -> Vec<Material> {
        fn add(table: Material, order: &mut Vec<Material>) {
            if table.men() > 2 && !order.contains(&table) {
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

/// The file of a table.
pub(super) fn path_of(folder: &Path, table: Material, metric: Metric) -> PathBuf {
    folder.join(format!("{table}.{metric}"))
}

fn failed(error: GenerateError) -> Failure {
    match error {
        GenerateError::Cancelled => Failure::Interrupted,
        error => Failure::Run(error.into()),
    }
}

/// Lets go what later tables do not ask for of those made.
fn keep_needed(tables: &mut Tables, made: &[Step], later: &[Step]) {
    for step in made {
        if tables.get(step.table).is_some() {
            tables.keep(step.table, still_needed(step.table, later));
        }
    }
}

/// Tables made one after the other, with what is told meanwhile.
pub(super) struct Maker<'a> {
    metric: Metric,
    cancel: &'a Cancel,
    started: Moment,
    pub(super) tables: Tables,
    all: usize,
    done: usize,
    is_quiet: bool,
    /// Of the tables that are still to come, and of those that were made and not read: see [`work`].
    work_left: f64,
    work_made: f64,
}

impl<'a> Maker<'a> {
    /// For tables that come like this.
    pub(super) fn new(metric: Metric, cancel: &'a Cancel, steps: &[Step]) -> Self {
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

    /// Reading takes no time beside making.
    fn work_of(step: &Step, metric: Metric) -> f64 {
        if step.is_read { 0.0 } else { work(step.table, metric) }
    }

    /// Without a line for each table.
    pub(super) fn quietly(mut self) -> Self {
        self.is_quiet = true;
        self
    }

    /// Makes a table of which those it leads to are there.
    pub(super) fn make(&mut self, material: Material) -> Result<std::sync::Arc<Table>, Failure> {
        let begun = Moment::now();
        let made = generate(material, self.metric, &self.tables, self.cancel);
        Ok(self.add(made.map_err(failed)?, true, begun.elapsed()))
    }

    /// Makes the table of the step with this number, and on the way lets go what none after it asks for.
    pub(super) fn make_releasing(
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

    /// Reads what a step needs of a table of which those it asks are there.
    pub(super) fn read(&mut self, folder: &Path, step: &Step) -> Result<std::sync::Arc<Table>, Failure> {
        let begun = Moment::now();
        let path = path_of(folder, step.table, self.metric);
        let file = TableFile::open(&path).map_err(anyhow::Error::from)?;
        let read = from_table(&file, step.sides, &self.tables).map_err(anyhow::Error::from)?;
        Ok(self.add(read, false, begun.elapsed()))
    }

    /// Lets go what no step after this one asks for.
    pub(super) fn keep_needed(&mut self, steps: &[Step], number: usize) {
        keep_needed(&mut self.tables, &steps[..=number], &steps[number + 1..]);
    }

    fn add(&mut self, table: Table, is_made: bool, spent: Spent) -> std::sync::Arc<Table> {
        let material = table.material();
        let places = places(material) as f64 / 1e6;
        self.done += 1;
        if is_made {
            let work = work(material, self.metric);
            self.work_left -= work;
            self.work_made += work;
        }
        if !self.is_quiet {
            let (number, all, how) = (self.done, self.all, if is_made { "made" } else { "read" });
            let rate = places / spent.worked.as_secs_f64().max(1e-9);
            let so_far = self.started.elapsed().time.as_secs_f64();
            let to_go = match self.work_left / self.work_made {
                share if share.is_finite() => duration((so_far * share).max(0.0)),
                _ => "-".to_owned(),
            };
            say(&format!(
                "{number} of {all}: {material} {how}, {places:.1} million places in {spent}, {rate:.1} million a second of these \
                 ({so_far:.1} s so far, to go about {to_go})"
            ));
        }
        self.tables.add(table)
    }
}

impl Making {
    /// Makes the tables, or reads them from a folder, and shows those asked for. Those they lead to are there too if `show`
    /// wants them, which takes more memory.
    pub(super) fn each(
        &self,
        from: Option<&Path>,
        wants_others: bool,
        mut show: impl FnMut(&Table, &Tables) -> Result<(), Failure> + Send,
    ) -> Result<(), Failure> {
        self.how.threads.work(|cancel| {
            let (wanted, order, metric) =
                (self.which.wanted(), self.which.in_order(), self.how.metric.metric());
            let stored = |table: Material| -> Result<Option<[bool; 2]>, anyhow::Error> {
                let Some(folder) = from else { return Ok(None) };
                Ok(Some(stored_sides(&TableFile::open(&path_of(folder, table, metric))?)))
            };
            let wanted_of = |table: Material| match (wanted.contains(&table), wants_others) {
                (true, true) => Wants::Checked,
                (true, false) => Wants::Values,
                (false, _) => Wants::No,
            };
            let steps = steps(&order, stored, wanted_of)?;
            let mut maker = Maker::new(metric, cancel, &steps);
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
    fn a_table_brings_all_it_leads_to() {
        let which = |tables: &[&str], men| Which {
            tables: tables.iter().map(|name| name.parse().unwrap()).collect(),
            men,
        };
        let names = |which: Which| which.in_order().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(which(&["KRvKQ"], None)), ["KRvK", "KQvK", "KQvKR"]);
        let pawns = names(which(&["KQvKP"], None));
        assert_eq!((pawns.len(), pawns.last().map(String::as_str)), (10, Some("KQvKP")));
        assert_eq!(names(which(&[], Some(4))).len(), 35);
        assert_eq!(names(which(&["4"], None)).len(), 35);
        assert_eq!(names(which(&["5"], None)).len(), 145);
        for bad in ["2", "6", "KvK", "KQQvKQQ", "KX"] {
            assert!(bad.parse::<Wanted>().is_err(), "{bad}");
        }
    }
}
