//! Common parts of all reports, and the page frame.

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use super::board::pieces;
use super::picture::{Picture, pictures};
use super::style::{COLOURS, DRAWING, PAGE};
use super::terminal;

/// The script of every page.
const SCRIPT: &str = include_str!("script.js");

/// The report of a run, as HTML and Markdown.
#[derive(Clone, Debug)]
pub struct Report {
    /// Heading of the page.
    pub title: String,
    /// Key figures as name and value; the comparison of several runs shows them side by side.
    pub facts: Vec<(String, String)>,
    /// HTML of the result, which begins with the title; empty for a page with the title alone.
    pub lead: Markup,
    /// HTML below the result.
    pub body: Markup,
    /// Markdown below the title.
    pub text: String,
}

impl Report {
    /// Returns a self-contained HTML page.
    pub fn page(&self) -> String {
        page(&self.title, &html! { (self.head()) (self.body) })
    }

    /// Returns the result, or the title where the report has no result of its own.
    pub(crate) fn head(&self) -> Markup {
        if self.lead.0.is_empty() {
            html! { h1 { (self.title) } }
        } else {
            self.lead.clone()
        }
    }

    /// Returns the report with further lines at its end.
    #[must_use]
    pub fn with_lines(mut self, lines: &[String]) -> Self {
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

    /// Returns the report for standard output: aligned text if that is a terminal, otherwise
    /// Markdown.
    pub fn printed(&self) -> String {
        let markdown = self.markdown();
        terminal::width().map_or_else(|| markdown.clone(), |width| terminal::plain_text(&markdown, width))
    }
}

/// Returns a complete HTML page.
pub(crate) fn page(title: &str, content: &Markup) -> String {
    frame(title, None, content)
}

/// Returns a page whose parts are replaced by the events of an address: the elements `lead`,
/// `status`, `games` and `body`, and the title.
pub(crate) fn live_page(title: &str, events: &str, parts: &[(&str, Markup)]) -> String {
    let content = html! {
        (pieces())
        @for (id, part) in parts { div id=(id) { (part) } }
    };
    frame(title, Some(events), &content)
}

fn frame(title: &str, events: Option<&str>, content: &Markup) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(COLOURS)) "\n" (PreEscaped(PAGE)) "\n" (PreEscaped(DRAWING)) }
            }
            body data-events=[events] {
                (content)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    markup.into_string()
}

/// Returns a table that scrolls horizontally on narrow pages.
pub fn table<C: Render>(header: &[&str], rows: &[Vec<C>]) -> Markup {
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
pub fn facts_table(rows: &[Vec<String>]) -> Markup {
    html! {
        table.facts {
            @for row in rows { tr { @for cell in row { td { (cell) } } } }
        }
    }
}

/// Returns a table in Markdown.
pub fn markdown_table(header: &[&str], rows: &[Vec<String>]) -> String {
    // A `|` in a cell is escaped. A line break would end the row.
    let cell = |text: &String| text.lines().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    let line = |cells: &[String]| format!("| {} |\n", cells.iter().map(cell).collect::<Vec<_>>().join(" | "));
    let head: Vec<String> = header.iter().map(|&title| title.to_owned()).collect();
    let rule = format!("|{}\n", "---|".repeat(header.len()));
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{rule}{body}", line(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cell_with_bars_and_line_breaks_stays_in_its_row() {
        let rows =
            [vec!["a|b".to_owned(), "make\nmake install\n".to_owned()], vec![String::new(), "c".to_owned()]];
        let expected = "| x | y |\n|---|---|\n| a\\|b | make make install |\n|  | c |\n";
        assert_eq!(markdown_table(&["x", "y"], &rows), expected);
    }
}
