//! The report of `harness smp`.

use std::fmt::Write;

use maud::html;

use crate::measure::smp::{Cell, EngineCurve, Job, Lateness, SmpSummary};
use crate::report::chart::{Chart, Point, Series};
use crate::report::page::{Report, markdown_table, table};
use crate::stats::factor::Factor;

/// A column of the tables.
struct Quantity {
    title: &'static str,
    of: fn(&Cell) -> Option<Factor>,
    /// Is there a curve of it, with the threads themselves as the ideal?
    is_speedup: bool,
}

const QUANTITIES: [Quantity; 7] = [
    Quantity { title: "nodes/s, ratio", of: |cell| cell.nps_ratio, is_speedup: true },
    Quantity { title: "nodes/s, beside processes apart", of: |cell| cell.nps_of_apart, is_speedup: false },
    Quantity { title: "speedup, nodes", of: |cell| cell.node_speedup, is_speedup: true },
    Quantity { title: "speedup, time", of: |cell| cell.time_speedup, is_speedup: true },
    Quantity { title: "tree", of: |cell| cell.tree, is_speedup: false },
    Quantity { title: "gain, nodes", of: |cell| cell.node_gain, is_speedup: false },
    Quantity { title: "gain, time", of: |cell| cell.time_gain, is_speedup: false },
];

/// What the columns mean.
const LEGEND: &str = "Ratios are geometric means over positions, with 95 % intervals. Speedups: how many times fewer \
nodes of the main thread, or less time, to the depth than with the first number of threads. Tree: how many times more \
nodes of all threads. Gains: how many times fewer nodes of the main thread, or less time, than the first engine with as \
many threads. Apart: as many processes of one thread each, \
which share nothing but the machine: what it gives at most. Late: how much later than the time asked for the move came.";

const TITLE: &str = "Threads";

/// The line below the title.
fn subtitle(job: &Job, summary: &SmpSummary) -> String {
    format!(
        "{} positions, {}, {} times each; {} of {} searches",
        job.positions,
        job.config.searches.limits,
        job.config.searches.repetitions,
        summary.searches,
        summary.searches_planned,
    )
}

/// The quantities that were measured at all.
fn columns(summary: &SmpSummary) -> Vec<&'static Quantity> {
    let cells = || summary.engines.iter().flat_map(|engine| &engine.cells);
    QUANTITIES.iter().filter(|quantity| cells().any(|cell| (quantity.of)(cell).is_some())).collect()
}

/// The titles of a table, with speeds or without.
fn header(job: &Job, columns: &[&Quantity]) -> Vec<&'static str> {
    let speed = job.config.searches.times.then_some("nodes/s");
    let titles = columns.iter().map(|quantity| quantity.title);
    let late = job.config.searches.limits.movetime.map(|_| "late, median and worst");
    ["threads"].into_iter().chain(speed).chain(titles).chain(late).chain(["hash full"]).collect()
}

/// All rows of an engine: its threads, then its processes apart.
fn rows(job: &Job, engine: &EngineCurve, columns: &[&Quantity]) -> Vec<Vec<String>> {
    let together = engine.cells.iter().map(|cell| row(job, cell, cell.threads.to_string(), columns));
    let apart = engine.apart.iter().map(|cell| row(job, cell, format!("{} apart", cell.threads), columns));
    together.chain(apart).collect()
}

fn row(job: &Job, cell: &Cell, name: String, columns: &[&Quantity]) -> Vec<String> {
    let nps = || cell.nps.map_or_else(String::new, |factor| format!("{:.0}", factor.mean));
    let fill = cell.hashfull.map_or_else(String::new, |fill| format!("{:.1} %", fill / 10.0));
    let mut row = vec![name];
    row.extend(job.config.searches.times.then(nps));
    row.extend(columns.iter().map(|quantity| show((quantity.of)(cell))));
    row.extend(
        job.config.searches.limits.movetime.map(|_| cell.lateness.map_or_else(String::new, show_lateness)),
    );
    row.push(fill);
    row
}

/// `1.273 (1.201 to 1.349)`
fn show(factor: Option<Factor>) -> String {
    let Some(Factor { mean, low, high, .. }) = factor else { return String::new() };
    format!("{mean:.3} ({low:.3} to {high:.3})")
}

/// `0.4 ms, 1.9 ms`
fn show_lateness(late: Lateness) -> String {
    let ms = |us: i64| us as f64 / 1000.0;
    format!("{:.1} ms, {:.1} ms", ms(late.median_us), ms(late.worst_us))
}

/// Curves and tables.
pub fn smp_report(job: &Job, summary: &SmpSummary) -> Report {
    let columns = columns(summary);
    let header = header(job, &columns);
    let rows = |engine: &EngineCurve| rows(job, engine, &columns);
    let mut text = format!("{}\n\n{LEGEND}\n", subtitle(job, summary));
    for engine in &summary.engines {
        let table = markdown_table(&header, &rows(engine));
        // Writing to a String cannot fail.
        let _ = write!(text, "\n## {}\n\n{}\n\n{table}", engine.name, engine.id_name);
    }
    let body = html! {
        p { (subtitle(job, summary)) }
        @for quantity in columns.iter().filter(|quantity| quantity.is_speedup) {
            (chart(summary, quantity).draw())
        }
        p { (LEGEND) }
        @for engine in &summary.engines {
            h2 { (engine.name) }
            p { (engine.id_name) }
            (table(&header, &rows(engine)))
        }
    };
    Report { title: TITLE.to_owned(), facts: facts(summary, &columns), body, text }
}

/// The speedups with most threads.
fn facts(summary: &SmpSummary, columns: &[&Quantity]) -> Vec<(String, String)> {
    let speedups = || columns.iter().filter(|quantity| quantity.is_speedup);
    let facts = summary.engines.iter().filter_map(|engine| Some((engine, engine.cells.last()?)));
    let facts = facts.flat_map(|(engine, cell)| {
        speedups().filter_map(move |quantity| {
            let name = format!("{}, {} threads: {}", engine.name, cell.threads, quantity.title);
            Some((name, show(Some((quantity.of)(cell)?))))
        })
    });
    facts.collect()
}

fn chart(summary: &SmpSummary, quantity: &Quantity) -> Chart {
    let point = |cell: &Cell| {
        let Factor { mean, low, high, .. } = (quantity.of)(cell)?;
        Some(Point { x: f64::from(cell.threads), y: mean, low, high })
    };
    let curve =
        |name: String, cells: &[Cell]| Series { name, points: cells.iter().filter_map(point).collect() };
    let series = summary.engines.iter().flat_map(|engine| {
        let apart =
            (!engine.apart.is_empty()).then(|| curve(format!("{}, apart", engine.name), &engine.apart));
        [Some(curve(engine.name.clone(), &engine.cells)), apart]
    });
    Chart {
        title: quantity.title.to_owned(),
        x_title: "threads",
        series: series.flatten().collect(),
        has_ideal: true,
    }
}
