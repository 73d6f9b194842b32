//! The report of `harness claims`.

use std::fmt::Write as _;

use maud::html;

use super::page::{markdown_table, page, table};
use crate::claims::Checked;

const TITLE: &str = "What the texts claim, and what was measured";
const HEADER: [&str; 5] = ["claim", "where", "measured", "verdict", "command"];

fn rows(checked: &[Checked]) -> Vec<Vec<String>> {
    checked
        .iter()
        .map(|claim| {
            let texts: Vec<&str> = claim.texts.iter().map(|text| text.name()).collect();
            vec![
                format!("{}: {}", claim.id, claim.gist),
                texts.join(", "),
                claim.finding.measured.clone(),
                claim.finding.verdict.name().to_owned(),
                format!("harness claims {}", claim.id),
            ]
        })
        .collect()
}

/// The findings as Markdown.
pub fn claims_markdown(checked: &[Checked]) -> String {
    let mut text = format!("# {TITLE}\n\n{}", markdown_table(&HEADER, &rows(checked)));
    for claim in checked.iter().filter(|claim| !claim.finding.figures.is_empty()) {
        let _ = write!(text, "\n## {}: {}\n", claim.id, claim.gist);
        for figures in &claim.finding.figures {
            let _ = write!(text, "\n{}\n\n{}", figures.title, markdown_table(&figures.header, &figures.rows));
        }
    }
    text
}

/// The findings as a page.
pub fn claims_html(checked: &[Checked]) -> String {
    page(
        TITLE,
        &html! {
            div.wide {
                table.facts {
                    tr { @for title in HEADER { th { (title) } } }
                    @for row in rows(checked) { tr { @for cell in row { td { (cell) } } } }
                }
            }
            @for claim in checked.iter().filter(|claim| !claim.finding.figures.is_empty()) {
                h2 { (claim.id) ": " (claim.gist) }
                @for figures in &claim.finding.figures {
                    p { (figures.title) }
                    (table(&figures.header, &figures.rows))
                }
            }
        },
    )
}
