//! Common parts of all reports, and the page frame.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::picture::{Picture, pictures};
use super::style::{COLOURS, DRAWING};

const STYLE: &str = "\
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70rem;
  margin: 1.5rem auto; padding: 0 1rem; }
h2 { margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; white-space: nowrap; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--faint); padding: .2rem .7rem; text-align: right; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
figure { margin: 1rem 0; overflow-x: auto; }
svg { width: 100%; height: auto; min-width: 36rem; max-width: 50rem; display: block; }
svg.small { min-width: 24rem; max-width: 40rem; }
span.m0, span.m1, span.m2, span.m3, span.m4 { border-left: .8em solid var(--m); padding: 0 .4em; }
td:first-child, th:first-child { text-align: left; }
a { color: var(--c0); }
.facts td, .facts th, .words td, .words th { text-align: left; }
.facts td, .facts th { white-space: normal; }
.claims td, .claims th { text-align: left; vertical-align: top; white-space: normal; }
.claims td:nth-child(odd) { min-width: 14rem; } .claims td:last-child { min-width: 0; white-space: nowrap; }
@media (max-width: 45rem) { .claims th { display: none; } .claims td { display: block; border: 0; padding: .1rem 0; }
  .claims tr { display: block; border-bottom: 1px solid var(--faint); padding: .6rem 0; } }";

/// The report of a run, as HTML and Markdown.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub(crate) title: String,
    /// Key figures as name and value; the comparison of several runs shows them side by side.
    pub(crate) facts: Vec<(String, String)>,
    /// HTML below the title.
    pub(crate) body: Markup,
    /// Markdown below the title.
    pub(crate) text: String,
}

impl Report {
    /// Returns a self-contained HTML page.
    pub(crate) fn page(&self) -> String {
        page(&self.title, &self.body)
    }

    /// Returns the report with further lines at its end.
    #[must_use]
    pub(crate) fn with_lines(mut self, lines: &[String]) -> Self {
        for line in lines {
            for part in ["\n", line, ".\n"] {
                self.text.push_str(part);
            }
        }
        let body = self.body;
        self.body = html! { (body) @for line in lines { p { (line) "." } } };
        self
    }

    /// Returns each drawing of the page as a separate file.
    pub(crate) fn pictures(&self) -> Vec<Picture> {
        pictures(&self.body.0)
    }

    /// Returns the report in Markdown.
    pub(crate) fn markdown(&self) -> String {
        format!("# {}\n\n{}", self.title, self.text)
    }
}

/// Returns a complete HTML page.
pub(crate) fn page(title: &str, body: &Markup) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(COLOURS)) "\n" (PreEscaped(STYLE)) "\n" (PreEscaped(DRAWING)) }
            }
            body {
                h1 { (title) }
                (body)
            }
        }
    };
    markup.into_string()
}

/// Returns a table that scrolls horizontally on narrow pages.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        div.wide {
            table {
                tr { @for title in header { th { (title) } } }
                @for row in rows { tr { @for cell in row { td { (cell) } } } }
            }
        }
    }
}

/// Drops the columns that are empty in every row; the first column is always kept.
pub(crate) fn without_empty_columns<'a>(
    header: &[&'a str],
    rows: &[Vec<String>],
) -> (Vec<&'a str>, Vec<Vec<String>>) {
    let is_kept = |column: usize| {
        column == 0 || rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()))
    };
    let kept: Vec<usize> = (0..header.len()).filter(|&column| is_kept(column)).collect();
    let header = kept.iter().map(|&column| header[column]).collect();
    let row = |row: &Vec<String>| kept.iter().filter_map(|&column| row.get(column).cloned()).collect();
    (header, rows.iter().map(row).collect())
}

/// Returns a table of names and values that wraps on narrow pages.
pub(crate) fn facts_table(rows: &[Vec<String>]) -> Markup {
    html! {
        table.facts {
            @for row in rows { tr { @for cell in row { td { (cell) } } } }
        }
    }
}

/// Returns a table in Markdown.
pub(crate) fn markdown_table(header: &[&str], rows: &[Vec<String>]) -> String {
    // A `|` in a cell is escaped.
    let line =
        |cells: &[String]| format!("| {} |\n", cells.join("\0").replace('|', "\\|").replace('\0', " | "));
    let head: Vec<String> = header.iter().map(|&title| title.to_owned()).collect();
    let rule = format!("|{}\n", "---|".repeat(header.len()));
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{rule}{body}", line(&head))
}
