//! Report of `harness claims`.

use std::fmt::Write as _;

use maud::html;

use crate::claims::Checked;
use crate::report::page::{Report, markdown_table, table};

const TITLE: &str = "Claims and measurements";
const HEADER: [&str; 5] = ["claim", "source", "measured", "verdict", "command"];

fn rows(checked: &[Checked]) -> Vec<Vec<String>> {
    checked
        .iter()
        .map(|claim| {
            vec![
                format!("{}: {}", claim.id, claim.statement),
                claim.texts.join(", "),
                claim.finding.measured.clone(),
                claim.finding.verdict.name().to_owned(),
                format!("harness claims {}", claim.id),
            ]
        })
        .collect()
}

/// Builds the report: all findings in one table, followed by their figures.
pub(crate) fn claims_report(checked: &[Checked]) -> Report {
    let rows = rows(checked);
    let with_figures = || checked.iter().filter(|claim| !claim.finding.figures.is_empty());
    let mut text = markdown_table(&HEADER, &rows);
    for claim in with_figures() {
        let _ = write!(text, "\n## {}: {}\n", claim.id, claim.statement);
        for figures in &claim.finding.figures {
            let header: Vec<&str> = figures.header.iter().map(String::as_str).collect();
            let _ = write!(text, "\n{}\n\n{}", figures.title, markdown_table(&header, &figures.rows));
        }
    }
    let body = html! {
        div.wide {
            table.claims {
                tr { @for title in HEADER { th { (title) } } }
                @for row in &rows { tr { @for cell in row { td { (cell) } } } }
            }
        }
        @for claim in with_figures() {
            h2 { (claim.id) ": " (claim.statement) }
            @for figures in &claim.finding.figures {
                @let header: Vec<&str> = figures.header.iter().map(String::as_str).collect();
                p { (figures.title) }
                (table(&header, &figures.rows))
            }
        }
    };
    let facts = checked.iter().map(|claim| (claim.id.clone(), claim.finding.verdict.name().to_owned()));
    Report { title: TITLE.to_owned(), facts: facts.collect(), lead: html! {}, body, text }
}
