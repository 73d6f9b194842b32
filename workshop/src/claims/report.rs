//! Report of `workshop claims`.

use std::fmt::Write as _;

use maud::html;

use super::limits::limit;
use crate::claims::{Checked, Effort};
use stretto_harness::report::page::{Report, markdown_table, table};

const TITLE: &str = "Claims and measurements";
const HEADER: [&str; 5] = ["claim", "source", "measured", "verdict", "command"];

/// The title of the table of limits, and its columns.
const LIMITS: &str = "Limits of the verdicts";
const LIMIT_HEADER: [&str; 2] = ["claim", "limit chosen by us"];

/// Returns a verdict, marked if a limit of ours decides it.
fn verdict_text(claim: &Checked) -> String {
    let mark = if limit(&claim.id).is_some() { " (our limit)" } else { "" };
    format!("{}{mark}", claim.finding.verdict.name())
}

/// Returns the sentence on the error rate of several claims.
fn error_rate(claims: usize) -> String {
    format!(
        "Intervals are of 95 % for each claim and not corrected for the number of claims: of {claims}, one in \
         twenty that an interval decides may be decided wrongly."
    )
}

/// The line under the title of a run with quick effort.
const QUICK: &str =
    "Quick effort: the figures are rough, and claims with smaller experiments are not decided.";

fn rows(checked: &[Checked], effort: Effort) -> Vec<Vec<String>> {
    let option = effort.pick(" --effort quick", "");
    checked
        .iter()
        .map(|claim| {
            vec![
                format!("{}: {}", claim.id, claim.statement),
                claim.texts.join(", "),
                claim.finding.measured.clone(),
                verdict_text(claim),
                format!("workshop claims {}{option}", claim.id),
            ]
        })
        .collect()
}

/// Returns the table of the limits of these claims that their texts leave open; empty without any.
pub(super) fn limits<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let rows = limit_rows(ids);
    if rows.is_empty() { String::new() } else { markdown_table(&LIMIT_HEADER, &rows) }
}

fn limit_rows<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    ids.filter_map(|id| Some(vec![id.to_owned(), limit(id)?])).collect()
}

/// Builds the report: all findings in one table, the limits of their verdicts, and their figures.
pub(crate) fn claims_report(checked: &[Checked], effort: Effort) -> Report {
    let rows = rows(checked, effort);
    let note = effort.pick(Some(QUICK), None);
    let with_figures = || checked.iter().filter(|claim| !claim.finding.figures.is_empty());
    let mut text = note.map_or_else(String::new, |note| format!("{note}\n\n"));
    text.push_str(&markdown_table(&HEADER, &rows));
    let error_rate = (checked.len() > 1).then(|| error_rate(checked.len()));
    if let Some(error_rate) = &error_rate {
        let _ = write!(text, "\n{error_rate}\n");
    }
    let ids = || checked.iter().map(|claim| claim.id.as_str());
    let limit_rows = limit_rows(ids());
    if !limit_rows.is_empty() {
        let _ = write!(text, "\n## {LIMITS}\n\n{}", limits(ids()));
    }
    for claim in with_figures() {
        let _ = write!(text, "\n## {}: {}\n", claim.id, claim.statement);
        for figures in &claim.finding.figures {
            let header: Vec<&str> = figures.header.iter().map(String::as_str).collect();
            let _ = write!(text, "\n{}\n\n{}", figures.title, markdown_table(&header, &figures.rows));
        }
    }
    let body = html! {
        @if let Some(note) = note { p { (note) } }
        div.wide {
            table.claims {
                tr { @for title in HEADER { th { (title) } } }
                @for row in &rows { tr { @for cell in row { td { (cell) } } } }
            }
        }
        @if let Some(error_rate) = &error_rate { p { (error_rate) } }
        @if !limit_rows.is_empty() {
            h2 { (LIMITS) }
            (table(&LIMIT_HEADER, &limit_rows))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::claims;

    #[test]
    fn quick_reports_state_the_effort_and_repeat_it() {
        let claim = claims().find(|claim| claim.id == "N1").unwrap();
        let checked = [claim.examine(0, Effort::Quick)];
        let quick = claims_report(&checked, Effort::Quick);
        assert!(quick.text.starts_with("Quick effort: "), "{}", quick.text);
        assert!(quick.text.contains("| workshop claims N1 --effort quick |"), "{}", quick.text);
        let page = quick.page();
        assert!(
            page.contains("<p>Quick effort: ") && page.contains("<td>workshop claims N1 --effort quick</td>")
        );
        let full = claims_report(&checked, Effort::Full);
        assert!(full.text.contains("| workshop claims N1 |"), "{}", full.text);
        assert!(!full.page().contains("Quick effort"), "{}", full.text);
    }

    #[test]
    fn report_lists_the_limits_of_its_claims() {
        let checked = |id| claims().find(|claim| claim.id == id).unwrap().examine(0, Effort::Quick);
        let report = claims_report(&[checked("N1"), checked("N3")], Effort::Full);
        let limits = "## Limits of the verdicts\n\n| claim | limit chosen by us |\n";
        assert!(report.text.contains(limits), "{}", report.text);
        assert!(
            report.text.contains("| N3 | at most 50,000 and 200,000,000 positions off |"),
            "{}",
            report.text
        );
        assert!(report.page().contains("<td>at most 50,000 and 200,000,000 positions off</td>"));
        assert!(report.text.contains(" | arithmetic | workshop claims N1 |"), "{}", report.text);
        assert!(report.text.contains(" | arithmetic (our limit) | workshop claims N3 |"), "{}", report.text);
        let error_rate = "not corrected for the number of claims: of 2, one in twenty";
        assert!(report.text.contains(error_rate) && report.page().contains(error_rate), "{}", report.text);
        let without = claims_report(&[checked("N1")], Effort::Full);
        assert!(!without.text.contains("Limits"), "the text of N1 states every limit: {}", without.text);
    }
}
