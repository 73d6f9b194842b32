//! The report of `harness report`: one run with its provenance, or several runs side by side.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use crate::report::page::{Report, markdown_table, table};
use crate::run::RunState;
use crate::run::provenance::Provenance;

/// A run read from its folder.
#[derive(Clone, Debug)]
pub(crate) struct RunReport {
    /// Name of the folder.
    pub name: String,
    /// Kind of run.
    pub kind: String,
    /// Time of the first start, UTC.
    pub created: String,
    /// Description of the machine.
    pub host: String,
    /// Version of the harness that started it.
    pub harness: String,
    pub state: RunState,
    /// Command that repeats the run.
    pub command: String,
    /// What was tested.
    pub provenance: Provenance,
    pub report: Report,
}

const HEADER: [&str; 7] = ["tested", "run", "command", "begun", "on", "harness", "state"];

impl RunReport {
    fn row(&self, label: &str) -> Vec<String> {
        vec![
            label.to_owned(),
            self.name.clone(),
            self.kind.clone(),
            self.created.clone(),
            self.host.clone(),
            self.harness.clone(),
            self.state.name().to_owned(),
        ]
    }

    /// Returns its own report, with what was tested.
    fn alone(&self) -> Report {
        let state = ("state", self.state.name().to_owned());
        let more = if self.state == RunState::Finished { &[][..] } else { &[state] };
        self.provenance.add_to(self.report.clone(), more)
    }
}

/// Returns a distinct name for each run: its engines, with the folder where several runs have the
/// same engines; or the folder alone.
fn labels(runs: &[RunReport]) -> Vec<String> {
    let titles: Vec<Option<String>> = runs.iter().map(|run| run.provenance.title()).collect();
    let label = |(run, title): (&RunReport, &Option<String>)| match title {
        None => run.name.clone(),
        Some(text) if titles.iter().filter(|other| *other == title).count() == 1 => text.clone(),
        Some(text) => format!("{text} ({})", run.name),
    };
    runs.iter().zip(&titles).map(label).collect()
}

/// Builds the report of one run, or of several: a table of all, the figures of runs of one kind side
/// by side, then each run by itself.
pub(crate) fn runs_report(runs: &[RunReport]) -> Report {
    if let [run] = runs {
        return run.alone();
    }
    let labels = labels(runs);
    let rows: Vec<Vec<String>> = runs.iter().zip(&labels).map(|(run, label)| run.row(label)).collect();
    let comparisons = comparisons(runs, &labels);
    let mut text = markdown_table(&HEADER, &rows);
    for Comparison { kind, header, rows } in &comparisons {
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        // Writing to a String cannot fail.
        let _ = write!(text, "\n## Side by side: {kind}\n\n{}", markdown_table(&header, rows));
    }
    for (RunReport { report, created, command, .. }, name) in runs.iter().zip(&labels) {
        let below = report.text.replace("\n## ", "\n### ");
        let _ = write!(
            text,
            "\n## {name}\n\n{}. Begun {created}, repeat with `{command}`.\n\n{below}",
            report.title
        );
    }
    let body = html! {
        (all(&rows))
        @for Comparison { kind, header, rows } in &comparisons {
            h2 { "Side by side: " (kind) }
            @let header: Vec<&str> = header.iter().map(String::as_str).collect();
            (table(&header, rows))
        }
        @for (index, run) in runs.iter().enumerate() {
            h2 id=(format!("run-{index}")) { (labels[index]) }
            p { (run.report.title) ". Begun " (run.created) ", repeat with " code { (run.command) } "." }
            (demoted(&run.report.lead))
            (demoted(&run.report.body))
        }
    };
    Report { title: format!("{} runs", runs.len()), facts: Vec::new(), lead: html! {}, body, text }
}

/// Returns a part with its headings below that of the run.
fn demoted(body: &Markup) -> Markup {
    let lower = |text: &str, from: &str| {
        text.replace(&format!("<{from}>"), "<h3>").replace(&format!("</{from}>"), "</h3>")
    };
    PreEscaped(lower(&lower(&body.0, "h2"), "h1"))
}

/// Builds the table of all runs, with links to their parts.
fn all(rows: &[Vec<String>]) -> Markup {
    html! {
        div.wide {
            table.words {
                tr { @for title in HEADER { th { (title) } } }
                @for (index, row) in rows.iter().enumerate() {
                    tr {
                        td { a href=(format!("#run-{index}")) { (row[0]) } }
                        @for cell in &row[1..] { td { (cell) } }
                    }
                }
            }
        }
    }
}

/// The figures of all runs of a kind: a column a run.
struct Comparison {
    kind: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Returns a comparison for each kind that has several runs, in the order of the kinds.
fn comparisons(runs: &[RunReport], labels: &[String]) -> Vec<Comparison> {
    let mut kinds: Vec<&str> = Vec::new();
    for run in runs {
        if !kinds.contains(&run.kind.as_str()) {
            kinds.push(&run.kind);
        }
    }
    let alike = kinds.into_iter().map(|kind| {
        let alike = runs.iter().zip(labels).filter(|(run, _)| run.kind == kind);
        let alike: Vec<(&RunReport, &String)> = alike.collect();
        (kind, alike)
    });
    alike.filter(|(_, alike)| alike.len() > 1).map(|(kind, alike)| Comparison::of(kind, &alike)).collect()
}

impl Comparison {
    fn of(kind: &str, runs: &[(&RunReport, &String)]) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in runs.iter().flat_map(|(run, _)| &run.report.facts) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let value = |run: &RunReport, name: &str| {
            let found = run.report.facts.iter().find(|(known, _)| known == name);
            found.map_or_else(|| "-".to_owned(), |(_, value)| value.clone())
        };
        let mut rows = vec![
            std::iter::once("begun".to_owned())
                .chain(runs.iter().map(|(run, _)| run.created.clone()))
                .collect(),
        ];
        rows.extend(names.into_iter().map(|name| {
            std::iter::once(name.to_owned()).chain(runs.iter().map(|(run, _)| value(run, name))).collect()
        }));
        let header =
            std::iter::once(String::new()).chain(runs.iter().map(|&(_, label)| label.clone())).collect();
        Self { kind: kind.to_owned(), header, rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::shard::Shard;
    use crate::run::{Host, Manifest};

    fn run(name: &str, kind: &str, facts: &[(&str, &str)]) -> RunReport {
        of_engines(name, kind, "{}", facts)
    }

    /// Returns the run of a manifest with these engines as YAML.
    fn of_engines(name: &str, kind: &str, engines: &str, facts: &[(&str, &str)]) -> RunReport {
        let manifest = Manifest {
            version: 1,
            kind: kind.to_owned(),
            created: format!("{name}'s date"),
            harness: "0.2.0".to_owned(),
            host: Host::here(1),
            identity: serde_yaml::from_str(engines).unwrap(),
            shard: Shard::default(),
            builds: Vec::new(),
            overrides: Vec::new(),
            concurrency: None,
            warnings: Vec::new(),
            config_file: format!("{name}.yaml").into(),
            working_dir: None,
            arguments: Vec::new(),
            config_text: String::new(),
        };
        let facts = facts.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        RunReport {
            name: name.to_owned(),
            kind: kind.to_owned(),
            created: format!("{name}'s date"),
            host: "somewhere".to_owned(),
            harness: "0.2.0".to_owned(),
            state: RunState::Finished,
            command: format!("harness {kind} {name}.yaml"),
            provenance: Provenance::of(&manifest, name),
            report: Report {
                title: format!("{name} < all"),
                facts,
                lead: html! {},
                body: html! { h2 { "Part" } p { (name) } },
                text: "start\n\n## Part\n".to_owned(),
            },
        }
    }

    #[test]
    fn report_of_one_run_states_what_was_tested() {
        let report = runs_report(&[run("a", "match", &[])]);
        assert!(report.page().contains("a &lt; all") && report.page().contains("<td>repeat with</td>"));
        assert!(report.markdown().starts_with("# a < all\n\nstart"), "{}", report.markdown());
        assert!(report.markdown().contains("| run | a |") && !report.markdown().contains("| state |"));
        let interrupted = RunReport { state: RunState::Interrupted, ..run("a", "match", &[]) };
        assert!(runs_report(&[interrupted]).markdown().contains("| state | not finished |"));
    }

    #[test]
    fn runs_of_a_kind_stand_side_by_side() {
        let runs = [
            run("a", "match", &[("Elo", "1"), ("games", "2")]),
            run("b", "bench", &[("nodes", "7")]),
            run("c", "match", &[("Elo", "3"), ("test", "4")]),
        ];
        let report = runs_report(&runs);
        for line in ["|  | a | c |", "| Elo | 1 | 3 |", "| games | 2 | - |", "| test | - | 4 |", "### Part"] {
            assert!(report.markdown().contains(line), "{line}: {}", report.markdown());
        }
        assert!(!report.markdown().contains("Side by side: bench"), "there is one only");
        let page = report.page();
        assert!(
            page.contains("href=\"#run-2\"") && page.contains("id=\"run-2\"") && page.contains("<h3>Part")
        );
    }

    #[test]
    fn several_runs_are_named_by_their_engines() {
        let engine = |name: &str| format!("{{ name: {name}, id_name: {name} 1 }}");
        let engines =
            |a: &str, b: &str| format!("{{ config: {{}}, engines: [{}, {}] }}", engine(a), engine(b));
        let runs = [
            of_engines("one", "match", &engines("new", "old"), &[("Elo", "1")]),
            of_engines("two", "match", &engines("new", "other"), &[("Elo", "2")]),
            of_engines("three", "match", &engines("new", "other"), &[("Elo", "3")]),
        ];
        let text = runs_report(&runs).markdown();
        let header = "|  | new against old | new against other (two) | new against other (three) |";
        for line in [header, "| new against old | one | match |", "\n## new against other (two)\n"] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
