//! Report of `workshop claims`.

use super::limits::limit;
use crate::claims::{CheckedClaim, Effort};
use stretto_harness::report::{Block, Document, Report, Table, TableStyle};

const TITLE: &str = "Claims and measurements";
const HEADER: [&str; 5] = ["claim", "source", "measured", "verdict", "command"];

/// The title of the table of limits, and its columns.
const LIMITS: &str = "Limits of the verdicts";
const LIMIT_HEADER: [&str; 2] = ["claim", "limit chosen by us"];

/// Returns a verdict, marked if a limit of ours decides it.
fn verdict_text(claim: &CheckedClaim) -> String {
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

fn rows(checked: &[CheckedClaim], effort: Effort) -> Vec<Vec<String>> {
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

/// Returns the table of the limits of these claims that their texts leave open; `None` without any.
pub(super) fn limits<'a>(ids: impl Iterator<Item = &'a str>) -> Option<Table> {
    let rows: Vec<Vec<String>> = ids.filter_map(|id| Some(vec![id.to_owned(), limit(id)?])).collect();
    (!rows.is_empty()).then(|| Table::new(&LIMIT_HEADER, rows))
}

/// Builds the report: all findings in one table, the limits of their verdicts, and their figures.
pub(crate) fn claims_report(checked: &[CheckedClaim], effort: Effort) -> Report {
    let mut body = Document::default();
    body.extend(effort.pick(Some(QUICK), None).map(Block::paragraph));
    body.push(Table::new(&HEADER, rows(checked, effort)).styled(TableStyle::Claims));
    body.extend((checked.len() > 1).then(|| Block::paragraph(error_rate(checked.len()))));
    if let Some(limits) = limits(checked.iter().map(|claim| claim.id.as_str())) {
        body.extend([Block::heading(LIMITS), limits.into()]);
    }
    for claim in checked.iter().filter(|claim| !claim.finding.figures.is_empty()) {
        body.push(Block::heading(format!("{}: {}", claim.id, claim.statement)));
        for figures in &claim.finding.figures {
            body.push(Block::paragraph(figures.title.as_str()));
            body.push(Block::table(&figures.header, figures.rows.iter().cloned()));
        }
    }
    let facts = checked.iter().map(|claim| (claim.id.clone(), claim.finding.verdict.name().to_owned()));
    Report::new(TITLE, body).with_facts(facts)
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
        assert!(
            quick.markdown().starts_with("# Claims and measurements\n\nQuick effort: "),
            "{}",
            quick.markdown()
        );
        assert!(quick.markdown().contains("| workshop claims N1 --effort quick |"), "{}", quick.markdown());
        let page = quick.page();
        assert!(
            page.contains("<p>Quick effort: ") && page.contains("<td>workshop claims N1 --effort quick</td>")
        );
        let full = claims_report(&checked, Effort::Full);
        assert!(full.markdown().contains("| workshop claims N1 |"), "{}", full.markdown());
        assert!(!full.page().contains("Quick effort"), "{}", full.markdown());
    }

    #[test]
    fn report_lists_the_limits_of_its_claims() {
        let checked = |id| claims().find(|claim| claim.id == id).unwrap().examine(0, Effort::Quick);
        let report = claims_report(&[checked("N1"), checked("N3")], Effort::Full);
        let limits = "## Limits of the verdicts\n\n| claim | limit chosen by us |\n";
        assert!(report.markdown().contains(limits), "{}", report.markdown());
        assert!(
            report.markdown().contains("| N3 | at most 50,000 and 200,000,000 positions off |"),
            "{}",
            report.markdown()
        );
        assert!(report.page().contains("<td>at most 50,000 and 200,000,000 positions off</td>"));
        assert!(report.markdown().contains(" | arithmetic | workshop claims N1 |"), "{}", report.markdown());
        assert!(
            report.markdown().contains(" | arithmetic (our limit) | workshop claims N3 |"),
            "{}",
            report.markdown()
        );
        let error_rate = "not corrected for the number of claims: of 2, one in twenty";
        assert!(
            report.markdown().contains(error_rate) && report.page().contains(error_rate),
            "{}",
            report.markdown()
        );
        let without = claims_report(&[checked("N1")], Effort::Full);
        assert!(
            !without.markdown().contains("Limits"),
            "the text of N1 states every limit: {}",
            without.markdown()
        );
    }
}
