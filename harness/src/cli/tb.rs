//! `harness tb`.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::{Args, Subcommand};
use stretto::tablebase::{Index, Material, Men};
use stretto::types::Color;

use super::{Failure, listen_for_signals, print, say};
use crate::cancel::Cancel;
use crate::tablebase::{
    GenerateError, Metric, SideStatistics, Statistics, Table, Tables, generate, statistics, verify,
};

pub(super) const HELP: &str = "\
Examples:
  harness tb graph KQvKP
  harness tb stats KQvKR KPvK
  harness tb stats --men 3
  harness tb verify KRvKN

Tables are made in memory, with all tables they lead to, by working backwards from mates and captures. Distances are in
plies to mate, or with --metric dtc to mate, capture or promotion.";

#[derive(Debug, Args)]
pub(super) struct TbArgs {
    #[command(subcommand)]
    command: TbCommand,
}

#[derive(Debug, Subcommand)]
enum TbCommand {
    /// Show which tables each table leads to, in an order in which they can be made.
    Graph(Which),
    /// Count wins, draws and losses, the longest of them, and mutual zugzwangs.
    Stats(Making),
    /// Compute every value again from its successors.
    Verify(Making),
}

#[derive(Debug, Args)]
struct Which {
    /// Tables, such as `KQvKR`.
    #[arg(required_unless_present = "men")]
    tables: Vec<Material>,
    /// All tables of up to so many men.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=5))]
    men: Option<u8>,
}

#[derive(Debug, Args)]
struct Making {
    #[command(flatten)]
    which: Which,
    /// What distances count to.
    #[arg(long, value_enum, default_value_t)]
    metric: MetricArg,
    /// Threads; the tables are the same.
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum MetricArg {
    /// Mate.
    #[default]
    Dtm,
    /// Mate, a capture or a promotion.
    Dtc,
}

impl Which {
    /// The tables asked for, White's the stronger men.
    fn wanted(&self) -> Vec<Material> {
        let all = (3..=self.men.map_or(0, usize::from)).flat_map(Material::all);
        let mut wanted: Vec<Material> = Vec::new();
        for table in self.tables.iter().map(|material| material.canonical().0).chain(all) {
            if !wanted.contains(&table) {
                wanted.push(table);
            }
        }
        wanted
    }

    /// These and all they lead to, each after those.
    fn in_order(&self) -> Vec<Material> {
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

/// Shows, counts or checks tables.
pub(super) fn run(args: &TbArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        TbCommand::Graph(which) => {
            for table in which.in_order() {
                let next: Vec<String> = table.successors().iter().map(ToString::to_string).collect();
                print(&format!("{table}: {}\n", next.join(" ")));
            }
            Ok(ExitCode::SUCCESS)
        }
        TbCommand::Stats(making) => making.each(|table, _| {
            print(&report(table, &statistics(table)));
            Ok(())
        }),
        TbCommand::Verify(making) => making.each(check),
    }
}

impl Making {
    /// Makes the tables, and shows those asked for.
    fn each(
        &self,
        mut show: impl FnMut(&Table, &Tables) -> Result<(), Failure> + Send,
    ) -> Result<ExitCode, Failure> {
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(anyhow::Error::from)?;
        let cancel = Cancel::new();
        listen_for_signals(&cancel)?;
        let metric = match self.metric {
            MetricArg::Dtm => Metric::Dtm,
            MetricArg::Dtc => Metric::Dtc,
        };
        pool.install(|| {
            let (mut tables, wanted) = (Tables::new(metric), self.which.wanted());
            let (order, started) = (self.which.in_order(), Instant::now());
            for (number, &material) in order.iter().enumerate() {
                let begun = Instant::now();
                let made = generate(material, metric, &tables, &cancel).map_err(|error| match error {
                    GenerateError::Cancelled => Failure::Interrupted,
                    error => Failure::Run(error.into()),
                })?;
                let table = tables.add(made);
                say(&told(number + 1, order.len(), &table, begun.elapsed(), started.elapsed()));
                if wanted.contains(&material) {
                    show(&table, &tables)?;
                }
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}

fn told(number: usize, all: usize, table: &Table, time: Duration, elapsed: Duration) -> String {
    let places = 2 * table.index().len();
    let rate = places as f64 / time.as_secs_f64().max(1e-9) / 1e6;
    format!(
        "{number} of {all}: {}, {:.1} million places in {:.2} s, {rate:.1} million a second ({:.1} s so far)",
        table.material(),
        places as f64 / 1e6,
        time.as_secs_f64(),
        elapsed.as_secs_f64()
    )
}

fn check(table: &Table, tables: &Tables) -> Result<(), Failure> {
    let (wrong, first) =
        verify(table, tables).map_err(|missing| Failure::Run(anyhow!("{missing} is missing")))?;
    if wrong == 0 {
        print(&format!("{}: every value follows from its successors\n", table.material()));
        return Ok(());
    }
    for mismatch in &first {
        let fen = placement(table.index(), &mismatch.men, mismatch.side);
        print(&format!("{fen}: {}, but {} follows\n", mismatch.found, mismatch.expected));
    }
    Err(Failure::Run(anyhow!("{}: {wrong} values do not follow from their successors", table.material())))
}

fn report(table: &Table, statistics: &Statistics) -> String {
    let mut text = format!("{}\n", table.material());
    for (color, side) in Color::ALL.into_iter().zip(&statistics.sides) {
        let name = if color == Color::White { "White" } else { "Black" };
        let all = (side.wins + side.draws + side.losses).max(1) as f64;
        let share = |count: u64| 100.0 * count as f64 / all;
        let _ = writeln!(
            text,
            "  {name} to move: {} won ({:.2} %), {} drawn ({:.2} %), {} lost ({:.2} %)",
            side.wins,
            share(side.wins),
            side.draws,
            share(side.draws),
            side.losses,
            share(side.losses)
        );
        let [wins, draws, losses] = side.told_apart;
        if wins + draws + losses > side.wins + side.draws + side.losses {
            let _ = writeln!(text, "    like men told apart: {wins} won, {draws} drawn, {losses} lost");
        }
        text.push_str(&longest(table.index(), color, side));
    }
    let _ = writeln!(
        text,
        "  {} mutual zugzwangs, {} of them for the full point",
        statistics.zugzwangs, statistics.full_zugzwangs
    );
    text
}

fn longest(index: &Index, color: Color, side: &SideStatistics) -> String {
    let kinds = [
        ("win", side.longest_win, side.longest_wins, &side.deepest_win),
        ("loss", side.longest_loss, side.longest_losses, &side.deepest_loss),
    ];
    let lines = kinds.into_iter().filter_map(|(kind, plies, count, men)| {
        let (plies, men) = (plies?, men.as_ref()?);
        let fen = placement(index, men, color);
        Some(format!("    longest {kind}: {plies} plies, {count} positions, such as {fen}\n"))
    });
    lines.collect()
}

/// A position of a table as FEN.
fn placement(index: &Index, men: &Men, side: Color) -> String {
    let mut ranks = Vec::new();
    for rank in (0..8).rev() {
        let (mut text, mut empty) = (String::new(), 0);
        for file in 0..8 {
            match men.iter().position(|square| square.index() == 8 * rank + file) {
                None => empty += 1,
                Some(place) => {
                    if empty > 0 {
                        text.push_str(&empty.to_string());
                    }
                    empty = 0;
                    text.push(index.piece(place).to_char());
                }
            }
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        ranks.push(text);
    }
    format!("{} {} - - 0 1", ranks.join("/"), side.to_char())
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
    }

    #[test]
    fn positions_are_written_as_fen() {
        let index = Index::new("KQvKR".parse().unwrap());
        let men: Men = ["a8", "f6", "a5", "e8"].iter().map(|square| square.parse().unwrap()).collect();
        assert_eq!(placement(&index, &men, Color::White), "K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1");
    }
}
