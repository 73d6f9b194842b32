//! The report of `harness report`: one run with its provenance, or several runs side by side.

use crate::base::wording::distinct;
use crate::report::document::{Heading, Span, Text};
use crate::report::{Block, Document, Report, Table, TableStyle};
use crate::run::provenance::{Provenance, repeat};
use crate::run::{Manifest, RunState};

/// A run read from its folder.
#[derive(Clone, Debug)]
pub(crate) struct RunReport {
    /// Name of the folder.
    pub name: String,
    pub manifest: Manifest,
    pub state: RunState,
    pub report: Report,
}

const HEADER: [&str; 7] = ["tested", "run", "command", "state", "begun, UTC", "harness", "on"];

impl RunReport {
    /// Returns its row in the table of all runs, with a link to its heading.
    fn row(&self, label: &str, anchor: &str) -> Vec<Text> {
        let link = Span::Link { text: label.to_owned(), target: format!("#{anchor}") };
        let Manifest { kind, host, harness, .. } = &self.manifest;
        let (begun, host) = (self.begun(), host.description());
        let cells = [&self.name, kind, self.state.name(), &begun, harness, &host];
        std::iter::once(vec![link].into()).chain(cells.map(Text::from)).collect()
    }

    /// Returns the time of the first start, UTC: `2026-11-22T03:53:11Z` for people.
    fn begun(&self) -> String {
        self.manifest.created.replace('T', " ").trim_end_matches('Z').to_owned()
    }

    fn provenance(&self) -> Provenance {
        Provenance::of(&self.manifest, &self.name)
    }
}

/// Returns a distinct name for each run: its engines, with the folder where several runs have the
/// same engines; or the folder alone.
fn labels(runs: &[RunReport]) -> Vec<String> {
    let titles: Vec<Option<String>> = runs.iter().map(|run| run.provenance().title()).collect();
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
        return run.provenance().add_to(run.report.clone(), run.state);
    }
    let labels = labels(runs);
    let rows =
        runs.iter().zip(&labels).enumerate().map(|(index, (run, label))| run.row(label, &anchor(index)));
    let mut body = Document::from([Table::new(&HEADER, rows).styled(TableStyle::Words)]);
    body.extend(comparisons(runs, &labels));
    for (index, (run, label)) in runs.iter().zip(labels).enumerate() {
        let report = &run.report;
        let about = format!("{}. Begun {}, repeat with ", report.title, run.begun());
        let command = Span::Code(repeat(&run.manifest, &run.name));
        let about = vec![Span::Plain(about), command, Span::Plain(".".to_owned())];
        body.extend([Heading::anchored(label, anchor(index)), Block::paragraph(about)]);
        body.extend(report.body.clone().into_section());
    }
    Report::new(format!("{} runs", runs.len()), body)
}

/// Returns the name of a run's heading.
fn anchor(index: usize) -> String {
    format!("run-{index}")
}

/// Returns a section for each kind that has several runs, in the order of the kinds.
fn comparisons(runs: &[RunReport], labels: &[String]) -> Vec<Block> {
    let comparison = |kind: &str| {
        let alike = runs.iter().zip(labels).filter(|(run, _)| run.manifest.kind == kind);
        let (alike, labels): (Vec<&RunReport>, Vec<&str>) =
            alike.map(|(run, label)| (run, label.as_str())).unzip();
        let heading = || Block::heading(format!("Side by side: {kind}"));
        (alike.len() > 1).then(|| [heading(), side_by_side(&alike, &labels)])
    };
    distinct(runs.iter().map(|run| run.manifest.kind.as_str()))
        .into_iter()
        .filter_map(comparison)
        .flatten()
        .collect()
}

/// Returns the figures of runs of a kind: a column a run.
fn side_by_side(runs: &[&RunReport], labels: &[&str]) -> Block {
    let row = |name: &str, value: &dyn Fn(&RunReport) -> String| -> Vec<String> {
        std::iter::once(name.to_owned()).chain(runs.iter().map(|run| value(run))).collect()
    };
    let fact = |name: &str| {
        row(name, &|run| {
            let found = run.report.facts.iter().find(|(known, _)| known == name);
            found.map_or_else(|| "-".to_owned(), |(_, value)| value.clone())
        })
    };
    let names = distinct(runs.iter().flat_map(|run| &run.report.facts).map(|(name, _)| name.as_str()));
    let begun = row("begun", &&RunReport::begun);
    Block::table(&[&[""], labels].concat(), std::iter::once(begun).chain(names.into_iter().map(fact)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Host;

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
            config_file: format!("{name}.yaml").into(),
            ..Manifest::default()
        };
        let facts = facts.iter().map(|&(name, value)| (name, value.to_owned()));
        RunReport {
            name: name.to_owned(),
            manifest,
            state: RunState::Finished,
            report: Report::new(
                format!("{name} < all"),
                [Block::paragraph("start"), Block::heading("Part"), Block::paragraph(name)],
            )
            .with_facts(facts),
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
