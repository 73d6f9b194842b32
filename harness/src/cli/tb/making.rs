//! Which tables a command of `harness tb` is about, and how they come into memory.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use stretto::tablebase::{Material, Metric};
use stretto::types::{Color, PieceType};

use super::super::threads::Threads;
use super::super::{Failure, say};
use super::plan::{Moment, Spent, duration, places, work};
use crate::cancel::Cancel;
use crate::tablebase::{GenerateError, Table, Tables, from_file, generate, generate_releasing};

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
        Self { tables: vec![Wanted::Table(table.canonical().0)], men: None }
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

/// Which sides to move of which tables are asked for when this one is made: those that captures and promotions lead to. Some
/// come more than once.
pub(super) fn asked_for(table: Material) -> Vec<(Material, Color)> {
    let mut found = Vec::new();
    for color in Color::ALL {
        let mut reach = |after: Option<Material>| {
            if let Some((canonical, is_turned)) = after.map(|after| after.canonical()) {
                found.push((canonical, if is_turned { color } else { !color }));
            }
        };
        let promoted = PieceType::PROMOTIONS.map(|kind| table.promoted(color, kind));
        for before in promoted.into_iter().flatten().chain([table]) {
            reach(Some(before).filter(|&before| before != table));
            for piece in table.others().into_iter().filter(|piece| piece.color != color) {
                reach(before.without(piece));
            }
        }
    }
    found
}

/// Which sides to move of a table are asked for when these are made.
fn still_needed(table: Material, later: &[Material]) -> [bool; 2] {
    let mut needed = [false; 2];
    for (asked, side) in later.iter().flat_map(|&next| asked_for(next)) {
        needed[side.index()] |= asked == table;
    }
    needed
}

/// Of tables in order, those to have in memory at some time: those that are not kept already, and those they ask for. A kept one
/// asks for others too, since its file leaves out what they say.
pub(super) fn to_load(order: &[Material], kept: &[Material]) -> Vec<Material> {
    let mut loaded: Vec<Material> = Vec::new();
    for &table in order.iter().rev() {
        if !kept.contains(&table) || still_needed(table, &loaded).contains(&true) {
            loaded.push(table);
        }
    }
    loaded.reverse();
    loaded
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
fn keep_needed(tables: &mut Tables, made: &[Material], later: &[Material]) {
    for &table in made {
        if tables.get(table).is_some() {
            tables.keep(table, still_needed(table, later));
        }
    }
}

/// What is said of a table that was not there.
const MADE: &str = "made";

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
    /// For these tables.
    pub(super) fn new(metric: Metric, cancel: &'a Cancel, order: &[Material]) -> Self {
        Self {
            metric,
            cancel,
            started: Moment::now(),
            tables: Tables::new(metric),
            all: order.len(),
            done: 0,
            is_quiet: false,
            work_left: order.iter().map(|&table| work(table, metric)).sum(),
            work_made: 0.0,
        }
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
        Ok(self.add(made.map_err(failed)?, MADE, begun.elapsed()))
    }

    /// Makes the table with this number in the order, and on the way lets go what none after it asks for.
    pub(super) fn make_releasing(
        &mut self,
        order: &[Material],
        number: usize,
    ) -> Result<std::sync::Arc<Table>, Failure> {
        let begun = Moment::now();
        let release = |tables: &mut Tables| keep_needed(tables, &order[..number], &order[number + 1..]);
        let made = generate_releasing(order[number], self.metric, &mut self.tables, release, self.cancel);
        Ok(self.add(made.map_err(failed)?, MADE, begun.elapsed()))
    }

    /// Reads a table of which those it leads to are there.
    pub(super) fn read(
        &mut self,
        folder: &Path,
        material: Material,
    ) -> Result<std::sync::Arc<Table>, Failure> {
        let begun = Moment::now();
        let path = path_of(folder, material, self.metric);
        let read = from_file(&path, &self.tables).map_err(anyhow::Error::from)?;
        Ok(self.add(read, "read", begun.elapsed()))
    }

    /// Lets go what no table after this one of the order asks for.
    pub(super) fn keep_needed(&mut self, order: &[Material], number: usize) {
        keep_needed(&mut self.tables, &order[..=number], &order[number + 1..]);
    }

    fn add(&mut self, table: Table, how: &str, spent: Spent) -> std::sync::Arc<Table> {
        let material = table.material();
        let (places, work) = (places(material) as f64 / 1e6, work(material, self.metric));
        self.done += 1;
        self.work_left -= work;
        if how == MADE {
            self.work_made += work;
        }
        if !self.is_quiet {
            let (number, all) = (self.done, self.all);
            let rate = places / spent.worked.as_secs_f64().max(1e-9);
            let so_far = self.started.elapsed().time.as_secs_f64();
            // Reading takes no time beside making, so a run that goes on counts from what it makes.
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
            let (wanted, order) = (self.which.wanted(), self.which.in_order());
            let mut maker = Maker::new(self.how.metric.metric(), cancel, &order);
            for (number, &material) in order.iter().enumerate() {
                let table = match from {
                    Some(folder) => maker.read(folder, material)?,
                    None if wants_others => maker.make(material)?,
                    None => maker.make_releasing(&order, number)?,
                };
                if wanted.contains(&material) {
                    show(&table, &maker.tables)?;
                }
                if cancel.is_cancelled() {
                    return Err(Failure::Interrupted);
                }
                drop(table);
                maker.keep_needed(&order, number);
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

    #[test]
    fn tables_are_kept_as_far_as_they_are_needed() {
        let of = |name: &str, later: &[&str]| {
            let later: Vec<Material> = later.iter().map(|name| name.parse().unwrap()).collect();
            still_needed(name.parse().unwrap(), &later)
        };
        // White takes, and Black is to move; or Black takes and White is.
        assert_eq!(of("KQvK", &["KQvKR"]), [false, true]);
        assert_eq!(of("KRvK", &["KQvKR"]), [false, true], "Black takes the queen, and is White there");
        assert_eq!(of("KQvKR", &["KQvKP"]), [true, false]);
        assert_eq!(of("KQvK", &["KQvK"]), [false, false]);
        assert_eq!(of("KPvK", &["KPvKP"]), [false, true]);
        assert_eq!(of("KQvK", &[]), [false, false]);
    }

    #[test]
    fn a_generation_that_goes_on_reads_what_is_asked_for() {
        let names = |names: &str| -> Vec<Material> {
            names.split_whitespace().map(|name| name.parse().unwrap()).collect()
        };
        let order = names("KRvK KQvK KQvKR KBvK KQvKB");
        assert_eq!(to_load(&order, &[]), order);
        assert_eq!(to_load(&order, &order), []);
        let kept = names("KRvK KQvK KQvKR KBvK");
        assert_eq!(to_load(&order, &kept), names("KQvK KBvK KQvKB"));
    }
}
