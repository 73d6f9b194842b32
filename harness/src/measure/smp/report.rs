//! The report of `harness smp`.

use crate::base::wording::{counted, grouped, listed};
use crate::measure::smp::{Cell, EngineCurve, Job, Latency, SmpSummary};
use crate::report::chart::{Chart, Point, Series};
use crate::report::{Block, Document, Report, Table, TableStyle};
use stretto_stats::factor::Factor;

/// A column of the tables.
struct Quantity {
    title: &'static str,
    of: fn(&Cell) -> Option<Factor>,
    /// Whether a chart is drawn, with the number of threads as the ideal.
    is_speedup: bool,
    /// Whether the values are among the key facts.
    is_fact: bool,
}

/// Title of the column that compares the nodes per second of engines.
const SPEED_GAIN: &str = "gain, nodes/s";

const QUANTITIES: [Quantity; 8] = [
    Quantity { title: "nodes/s, ratio", of: |cell| cell.nps_ratio, is_speedup: true, is_fact: true },
    Quantity {
        title: "nodes/s, ratio to processes",
        of: |cell| cell.nps_of_separate_processes,
        is_speedup: false,
        is_fact: true,
    },
    Quantity { title: "speedup, nodes", of: |cell| cell.node_speedup, is_speedup: true, is_fact: true },
    Quantity { title: "speedup, time", of: |cell| cell.time_speedup, is_speedup: true, is_fact: true },
    Quantity { title: "tree size", of: |cell| cell.tree, is_speedup: false, is_fact: false },
    Quantity { title: "gain, nodes", of: |cell| cell.node_gain, is_speedup: false, is_fact: false },
    Quantity { title: "gain, time", of: |cell| cell.time_gain, is_speedup: false, is_fact: false },
    Quantity { title: SPEED_GAIN, of: |cell| cell.speed_gain, is_speedup: false, is_fact: true },
];

const LEGEND: &str = "Ratios are geometric means over positions with 95 % confidence intervals.";

const GAIN_LEGEND: &str = "Gain, nodes/s: speed relative to the first engine at the same number of threads or processes, position \
by position.";

const DEPTH_LEGEND: &str = "Speedup: nodes of the main thread, or time, to reach the depth with the first number of threads, \
divided by the value of the row. Tree size: nodes of all threads, relative to the first number of threads. Gain: nodes of the \
main thread, or time, of the first engine with the same number of threads, divided by the value of the row.";

const TIME_LEGEND: &str = "nodes/s, ratio: speed relative to the first number of threads. Latency: delay of the move after \
the requested time, as median and maximum.";

const PROCESSES_LEGEND: &str = "Rows \"N processes\": N single-threaded processes that search at the same time and share only \
the machine; their speeds are added up. They are a reference for N threads and no bound: each process has a hash table of its \
own, and N tables use caches worse than one.";

/// Returns the title with engines and numbers of threads, such as `Thread scaling of stretto: 1, 2, 4 threads`.
fn title(job: &Job) -> String {
    let names: Vec<&str> = job.config.engines.iter().map(|engine| engine.name.as_str()).collect();
    let names = listed(&names);
    let threads: Vec<String> = job.config.threads.iter().map(ToString::to_string).collect();
    let unit = if threads == ["1"] { "thread" } else { "threads" };
    format!("Thread scaling of {names}: {} {unit}", threads.join(", "))
}

fn legend(job: &Job) -> String {
    let config = &job.config;
    let limit = if config.searches.limits.movetime.is_some() { TIME_LEGEND } else { DEPTH_LEGEND };
    let is_compared = config.engines.len() > 1 && config.searches.limits.movetime.is_some();
    let gain = is_compared.then_some(GAIN_LEGEND);
    let processes = config.separate_processes.then_some(PROCESSES_LEGEND);
    [LEGEND, limit].into_iter().chain(gain).chain(processes).collect::<Vec<_>>().join(" ")
}

fn subtitle(job: &Job, summary: &SmpSummary) -> String {
    format!(
        "{}, {}, repetitions: {}; {} of {} searches",
        counted(job.positions, "position"),
        job.config.searches.limits,
        job.config.searches.repetitions,
        summary.searches,
        summary.searches_planned,
    )
}

/// Returns the quantities with at least one value. To a depth, the gains in nodes and time say more than
/// the gain in speed, and the table would be wider than a page.
fn columns(job: &Job, summary: &SmpSummary) -> Vec<&'static Quantity> {
    let cells = || summary.engines.iter().flat_map(|engine| &engine.cells);
    let has_movetime = job.config.searches.limits.movetime.is_some();
    let is_shown = |quantity: &&Quantity| {
        (has_movetime || quantity.title != SPEED_GAIN) && cells().any(|cell| (quantity.of)(cell).is_some())
    };
    QUANTITIES.iter().filter(is_shown).collect()
}

/// Returns the column titles.
fn header(columns: &[&Quantity]) -> Vec<&'static str> {
    let titles = columns.iter().map(|quantity| quantity.title);
    let ends = ["latency, median and maximum", "hashfull"];
    ["threads", "nodes/s"].into_iter().chain(titles).chain(ends).collect()
}

/// Returns the rows of an engine: each number of threads, followed by as many processes if they were
/// measured.
fn rows(engine: &EngineCurve, columns: &[&Quantity]) -> Vec<Vec<String>> {
    let mut rows = Vec::with_capacity(engine.cells.len() + engine.separate_processes.len());
    for cell in &engine.cells {
        rows.push(row(cell, cell.threads.to_string(), columns));
        let separate = engine.separate_processes.iter().find(|other| other.threads == cell.threads);
        rows.extend(separate.map(|cell| row(cell, format!("{} processes", cell.threads), columns)));
    }
    rows
}

fn row(cell: &Cell, name: String, columns: &[&Quantity]) -> Vec<String> {
    let nps = cell.nps.map_or_else(String::new, |factor| grouped(factor.mean.round() as u64));
    let fill = cell.hashfull.map_or_else(String::new, |fill| format!("{:.1} %", fill / 10.0));
    let ratios = columns.iter().map(|quantity| show((quantity.of)(cell)));
    let ms = |us: i64| us as f64 / 1000.0;
    let latency = |late: Latency| format!("{:.1} ms, {:.1} ms", ms(late.median_us), ms(late.max_us));
    let latency = cell.latency.map_or_else(String::new, latency);
    [name, nps].into_iter().chain(ratios).chain([latency, fill]).collect()
}

/// Formats `1.273 (1.201 to 1.349)`.
fn show(factor: Option<Factor>) -> String {
    factor.map_or_else(String::new, |factor| factor.text(3))
}

/// Builds the report: a chart of each speedup and a table for each engine.
pub(crate) fn smp_report(job: &Job, summary: &SmpSummary) -> Report {
    let columns = columns(job, summary);
    let header = header(&columns);
    let mut body = Document::from([Block::paragraph(subtitle(job, summary))]);
    if job.config.searches.times && job.config.searches.limits.movetime.is_some() {
        body.extend(speeds(summary).draw());
    }
    let speedups = columns.iter().filter(|quantity| quantity.is_speedup);
    body.extend(speedups.filter_map(|quantity| chart(summary, quantity).draw()));
    body.push(Block::paragraph(legend(job)));
    for engine in &summary.engines {
        body.extend([Block::heading(&engine.name), Block::paragraph(engine.id_name.as_str())]);
        // The first engine has no gain, and a search to a depth no latency.
        let table = Table::new(&header, rows(engine, &columns)).without_empty_columns();
        body.push(table.styled(TableStyle::Breaking));
    }
    Report::new(title(job), body).with_facts(facts(summary, &columns))
}

/// Returns the speed, the hash usage and the ratios of each number of threads. Machines of different size
/// measure different numbers, and a comparison of their runs lines up those in common.
fn facts(summary: &SmpSummary, columns: &[&Quantity]) -> Vec<(String, String)> {
    let facts = summary.engines.iter().flat_map(|engine| {
        let speeds = engine.cells.iter().flat_map(|cell| speed(engine, cell));
        let ratios = columns.iter().filter(|quantity| quantity.is_fact);
        let ratios = ratios.flat_map(|quantity| {
            let known = |(index, cell)| ratio(engine, quantity, index, cell);
            engine.cells.iter().enumerate().filter_map(known).collect::<Vec<_>>()
        });
        speeds.chain(ratios).collect::<Vec<_>>()
    });
    facts.collect()
}

/// Returns a ratio with one number of threads. A speedup over the same number says nothing, and one over several threads has
/// them in its name: runs that begin with different numbers are not compared.
fn ratio(engine: &EngineCurve, quantity: &Quantity, index: usize, cell: &Cell) -> Option<(String, String)> {
    let base = engine.cells.first()?.threads;
    if quantity.is_speedup && index == 0 {
        return None;
    }
    let over = if quantity.is_speedup && base > 1 { format!(" over {base} threads") } else { String::new() };
    let threads = counted(cell.threads as usize, "thread");
    let name = format!("{}, {threads}: {}{over}", engine.name, quantity.title);
    Some((name, show(Some((quantity.of)(cell)?))))
}

/// Returns the nodes per second and the hash usage with one number of threads, if they are known.
fn speed(engine: &EngineCurve, cell: &Cell) -> Vec<(String, String)> {
    let name = format!("{}, {}", engine.name, counted(cell.threads as usize, "thread"));
    let speed = cell.nps.map(|nps| (format!("{name}: nodes/s"), grouped(nps.mean.round() as u64)));
    let fill = cell.hashfull.map(|fill| (format!("{name}: hashfull"), format!("{:.1} %", fill / 10.0)));
    speed.into_iter().chain(fill).collect()
}

/// Draws a ratio by the number of threads.
fn chart(summary: &SmpSummary, quantity: &Quantity) -> Chart {
    Chart {
        title: quantity.title.to_owned(),
        x_title: "threads",
        series: curves(summary, quantity.of, false),
        ideal: 1.0,
    }
}

/// Draws the nodes per second of threads and, where they were measured, of as many processes.
fn speeds(summary: &SmpSummary) -> Chart {
    let first = summary.engines.first().and_then(|engine| engine.cells.first()?.nps);
    Chart {
        title: "nodes per second".to_owned(),
        x_title: "threads or processes",
        series: curves(summary, |cell| cell.nps, true),
        ideal: first.map_or(1.0, |nps| nps.mean),
    }
}

/// Returns a curve for the threads of each engine and one for its processes. With `has_one` the
/// latter begin with the search of one thread, which is one process.
fn curves(summary: &SmpSummary, of: fn(&Cell) -> Option<Factor>, has_one: bool) -> Vec<Series> {
    let point = |cell: &Cell| {
        let factor = of(cell)?;
        let (low, high) = factor.shown_ends();
        Some(Point { x: f64::from(cell.threads), y: factor.mean, low, high })
    };
    let separate = |engine: &EngineCurve| {
        let one = engine.cells.iter().filter(|cell| has_one && cell.threads == 1);
        let points = one.chain(&engine.separate_processes).filter_map(point).collect();
        let is_measured = !engine.separate_processes.is_empty();
        is_measured.then(|| Series { name: format!("{}, processes", engine.name), points })
    };
    let together = |engine: &EngineCurve| Series {
        name: engine.name.clone(),
        points: engine.cells.iter().filter_map(point).collect(),
    };
    summary.engines.iter().flat_map(|engine| [Some(together(engine)), separate(engine)]).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::searches::{Measurement, SearchRecord};
    use crate::measure::smp::SmpConfig;
    use crate::run::RunState;

    const POSITIONS: usize = 5;

    /// Returns the report of engines whose threads search as fast as processes.
    fn report_of(engines: &[&str], limit: &str) -> Report {
        report_with(engines, "1, 2, 4", limit)
    }

    /// Returns the report on these numbers of threads, up to 4.
    fn report_with(engines: &[&str], threads: &str, limit: &str) -> Report {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("p.epd"), "").unwrap();
        let listed: Vec<String> =
            engines.iter().map(|name| format!("{{ name: {name}, command: sh }}")).collect();
        let text = format!(
            "engines: [{}]\npositions: {{ file: p.epd }}\nthreads: [{threads}]\n{limit}\n",
            listed.join(", ")
        );
        let source = crate::config::Source::new(dir.path().join("smp.yaml"), text);
        let config = SmpConfig::load(&source).unwrap();
        let job = Job { config, id_names: Vec::new(), positions: POSITIONS };
        let record = |engine: usize, threads: u64, is_separate: bool, position: u64| -> SearchRecord {
            let text = format!(
                r#"{{ "v": 1, "index": 0, "engine": {engine}, "threads": {threads},
                "separate_processes": {is_separate}, "position": {position}, "repetition": 0, "depths": [],
                "nodes": {}, "time_us": 100000, "may_stop_early": false, "best_move": "e2e4" }}"#,
                threads * 112_987
            );
            serde_json::from_str(&text).unwrap()
        };
        let loads = [(1, false), (2, false), (2, true), (4, false), (4, true)];
        let mut records = Vec::new();
        for engine in 0..engines.len() {
            for (threads, is_separate) in loads {
                records.extend(
                    (0..POSITIONS).map(|position| record(engine, threads, is_separate, position as u64)),
                );
            }
        }
        job.report(&job.summary(&records, RunState::Finished))
    }

    /// Returns the report of one engine.
    fn report() -> Report {
        report_of(&["a"], "movetime: 100\nseparate_processes: true")
    }

    #[test]
    fn speeds_of_engines_are_compared_where_only_speed_is_measured() {
        let text = report_of(&["a", "b"], "movetime: 100").markdown();
        let (first, second) = text.split_once("## b").unwrap();
        assert!(
            second.contains("| gain, nodes/s |") && second.contains("| 1.000 (1.000 to 1.000) |"),
            "{text}"
        );
        assert!(!first.contains("| gain, nodes/s |"), "the first engine is the reference: {text}");
        assert!(!report_of(&["a", "b"], "depth: 5").markdown().contains("gain, nodes/s"));
    }

    #[test]
    fn processes_follow_as_many_threads() {
        let text = report().markdown();
        let names: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next()).collect();
        assert_eq!(names, ["threads", "1", "2", "2 processes", "4", "4 processes"]);
    }

    #[test]
    fn facts_have_the_speed_of_each_number_of_threads() {
        let facts = report().facts;
        let speeds: Vec<&(String, String)> =
            facts.iter().filter(|(name, _)| name.ends_with(": nodes/s")).collect();
        assert_eq!(speeds.len(), 3, "{facts:?}");
        assert!(speeds[0].0.ends_with(", 1 thread: nodes/s") && speeds[0].1 == "1,129,870", "{facts:?}");
    }

    #[test]
    fn facts_have_the_ratios_of_each_number_of_threads() {
        let names = |threads: &str, title: &str| -> Vec<String> {
            let facts = report_with(&["a", "b"], threads, "movetime: 100\nseparate_processes: true").facts;
            facts.into_iter().map(|(name, _)| name).filter(|name| name.contains(title)).collect()
        };
        let expected = ["a, 2 threads", "a, 4 threads", "b, 2 threads", "b, 4 threads"];
        assert_eq!(names("1, 2, 4", ": nodes/s, ratio to processes").len(), 4);
        let ratios: Vec<String> = expected.iter().map(|engine| format!("{engine}: nodes/s, ratio")).collect();
        let found = names("1, 2, 4", ": nodes/s, ratio");
        assert_eq!(found.into_iter().filter(|name| name.ends_with("ratio")).collect::<Vec<_>>(), ratios);
        assert_eq!(names("1, 2, 4", "gain, nodes/s").len(), 3, "also with one thread");
        // Ratios over another number of threads have another name.
        assert!(
            names("2, 4", "ratio over 2 threads")
                .contains(&"a, 4 threads: nodes/s, ratio over 2 threads".to_owned())
        );
    }

    #[test]
    fn title_has_engines_and_threads() {
        assert_eq!(report().title, "Thread scaling of a: 1, 2, 4 threads");
        let many = report_with(&["a", "b", "c", "d", "e"], "1", "movetime: 100").title;
        assert_eq!(many, "Thread scaling of a, b, c and 2 others: 1 thread");
    }

    #[test]
    fn speeds_have_grouped_digits() {
        let text = report().markdown();
        assert!(text.contains("| 1 | 1,129,870 |") && text.contains("| 4 processes | 4,519,480 |"), "{text}");
    }
}
