//! The report of `harness report`: one run with its provenance, or several runs side by side.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use crate::report::page::{Report, facts_table, markdown_table, table};
use crate::run::RunState;

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
    pub report: Report,
}

const HEADER: [&str; 6] = ["run", "command", "begun", "on", "harness", "state"];

impl RunReport {
    fn provenance(&self) -> Vec<Vec<String>> {
        let rows = [
            ("run", self.name.clone()),
            ("begun", self.created.clone()),
            ("on", self.host.clone()),
            ("harness", self.harness.clone()),
            ("state", self.state.name().to_owned()),
            ("repeat with", self.command.clone()),
        ];
        rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect()
    }

    fn row(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.kind.clone(),
            self.created.clone(),
            self.host.clone(),
            self.harness.clone(),
            self.state.name().to_owned(),
        ]
    }

    /// Its own report, with where it comes from.
    fn alone(&self) -> Report {
        let body = html! {
            (self.report.body)
            h2 { "Where this comes from" }
            (facts_table(&self.provenance()))
        };
        let provenance = markdown_table(&["", ""], &self.provenance());
        let text = format!("{}\n## Where this comes from\n\n{provenance}", self.report.text);
        Report { body, text, ..self.report.clone() }
    }
}

/// One run, or several side by side: a table of all, the figures of runs of one kind beside each other, then each for
/// itself.
pub(crate) fn runs_report(runs: &[RunReport]) -> Report {
    if let [run] = runs {
        return run.alone();
    }
    let rows: Vec<Vec<String>> = runs.iter().map(RunReport::row).collect();
    let comparisons = comparisons(runs);
    let mut text = markdown_table(&HEADER, &rows);
    for Comparison { kind, header, rows } in &comparisons {
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        // Writing to a String cannot fail.
        let _ = write!(text, "\n## Side by side: {kind}\n\n{}", markdown_table(&header, rows));
    }
    for RunReport { name, report, created, command, .. } in runs {
        let below = report.text.replace("\n## ", "\n### ");
        let _ = write!(
            text,
            "\n## {name}\n\n{}. Begun {created}, repeat with `{command}`.\n\n{below}",
            report.title
        );
    }
    let body = html! {
        (all(runs))
        @for Comparison { kind, header, rows } in &comparisons {
            h2 { "Side by side: " (kind) }
            @let header: Vec<&str> = header.iter().map(String::as_str).collect();
            (table(&header, rows))
        }
        @for (index, run) in runs.iter().enumerate() {
            h2 id=(format!("run-{index}")) { (run.name) }
            p { (run.report.title) ". Begun " (run.created) ", repeat with " code { (run.command) } "." }
            (demoted(&run.report.body))
        }
    };
    Report { title: format!("{} runs", runs.len()), facts: Vec::new(), body, text }
}

/// Headings one level down, below that of the run.
fn demoted(body: &Markup) -> Markup {
    PreEscaped(body.0.replace("<h2>", "<h3>").replace("</h2>", "</h3>"))
}

/// The table of all runs, each leading to its own part.
fn all(runs: &[RunReport]) -> Markup {
    html! {
        div.wide {
            table.words {
                tr { @for title in HEADER { th { (title) } } }
                @for (index, run) in runs.iter().enumerate() {
                    @let row = run.row();
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

/// One for each kind that has several runs, in the order in which kinds come.
fn comparisons(runs: &[RunReport]) -> Vec<Comparison> {
    let mut kinds: Vec<&str> = Vec::new();
    for run in runs {
        if !kinds.contains(&run.kind.as_str()) {
            kinds.push(&run.kind);
        }
    }
    let alike = kinds.into_iter().map(|kind| {
        let alike: Vec<&RunReport> = runs.iter().filter(|run| run.kind == kind).collect();
        (kind, alike)
    });
    alike.filter(|(_, alike)| alike.len() > 1).map(|(kind, alike)| Comparison::of(kind, &alike)).collect()
}

impl Comparison {
    fn of(kind: &str, runs: &[&RunReport]) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in runs.iter().flat_map(|run| &run.report.facts) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let value = |run: &RunReport, name: &str| {
            let found = run.report.facts.iter().find(|(known, _)| known == name);
            found.map_or_else(|| "-".to_owned(), |(_, value)| value.clone())
        };
        let mut rows = vec![
            std::iter::once("begun".to_owned()).chain(runs.iter().map(|run| run.created.clone())).collect(),
        ];
        rows.extend(names.into_iter().map(|name| {
            std::iter::once(name.to_owned()).chain(runs.iter().map(|run| value(run, name))).collect()
        }));
        let header = std::iter::once(String::new()).chain(runs.iter().map(|run| run.name.clone())).collect();
        Self { kind: kind.to_owned(), header, rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, kind: &str, facts: &[(&str, &str)]) -> RunReport {
        let facts = facts.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        RunReport {
            name: name.to_owned(),
            kind: kind.to_owned(),
            created: format!("{name}'s date"),
            host: "somewhere".to_owned(),
            harness: "0.1.0".to_owned(),
            state: RunState::Finished,
            command: format!("harness {kind} {name}.yaml"),
            report: Report {
                title: format!("{name} < all"),
                facts,
                body: html! { h2 { "Part" } p { (name) } },
                text: "start\n\n## Part\n".to_owned(),
            },
        }
    }

    #[test]
    fn one_run_says_where_it_comes_from() {
        let report = runs_report(&[run("a", "match", &[])]);
        assert!(report.page().contains("a &lt; all") && report.page().contains("<td>repeat with</td>"));
        assert!(report.markdown().starts_with("# a < all\n\nstart"), "{}", report.markdown());
        assert!(report.markdown().contains("| on | somewhere |"));
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
}
