//! Reports as plain text for a terminal: aligned tables and wrapped paragraphs.

use std::fmt::Write as _;
use std::io::IsTerminal;

use console::Term;

use super::document::{Block, Lead, Report, Table};

/// Spaces between two columns of a table.
const GAP: usize = 2;
/// The least width at which the last column of a table is wrapped.
const LEAST_LAST_COLUMN: usize = 24;
/// The greatest width of a paragraph, for wide terminals. Units: characters.
const WIDEST_PARAGRAPH: usize = 110;

impl Report {
    /// Returns the report for standard output: aligned text if that is a terminal, otherwise
    /// Markdown.
    pub fn printed(&self) -> String {
        let is_terminal = std::io::stdout().is_terminal();
        if is_terminal { self.aligned(usize::from(Term::stdout().size().1)) } else { self.markdown() }
    }

    /// Returns the report as text of this width.
    pub(super) fn aligned(&self, width: usize) -> String {
        self.body.joined(paragraph(&self.title, width), |part| block(part, width))
    }
}

fn block(block: &Block, width: usize) -> String {
    match block {
        Block::Heading(heading) => paragraph(&heading.text, width),
        Block::Paragraph(text) => paragraph(&text.plain(), width),
        Block::Facts(facts) | Block::Lead(Lead { facts, .. }) => {
            Table::of_facts(facts).map_or_else(String::new, |rows| table(&rows, width))
        }
        Block::Table(rows) => table(rows, width),
        Block::Code(code) => lines(code.lines().map(|line| format!("  {line}"))),
        Block::Copies(texts) => {
            let whole = |(title, text): &(String, String)| format!("{title}:\n\n{}\n", text.trim_end());
            texts.iter().map(whole).collect::<Vec<_>>().join("\n")
        }
        Block::Fold(fold) => {
            let code = lines(fold.text.lines().map(|line| format!("  {line}")));
            paragraph(&format!("{}:", fold.summary), width) + "\n" + &code
        }
        Block::Figure(_) | Block::Details(..) | Block::Games(_) | Block::PageOnly(_) => String::new(),
    }
}

fn paragraph(text: &str, width: usize) -> String {
    lines(wrap(text, width.min(WIDEST_PARAGRAPH)))
}

fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Breaks a paragraph into lines. A longer word has its own line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (index, word) in text.split_ascii_whitespace().enumerate() {
        let line = lines.last_mut().expect("one line");
        if index == 0 {
            line.push_str(word);
        } else if length(line) + 1 + length(word) <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Whether a cell begins with a number.
fn is_number(cell: &str) -> bool {
    cell.trim_start_matches(['+', '-', '−', '±', '~']).starts_with(|first: char| first.is_ascii_digit())
}

/// Formats a table. Columns of numbers are aligned to the right. The last column is wrapped if the table is too wide.
fn table(Table { header, rows, .. }: &Table, width: usize) -> String {
    let cell = |text: String| text.lines().collect::<Vec<_>>().join(" ");
    let body = rows.iter().map(|row| row.iter().map(|text| cell(text.plain())).collect());
    let rows: Vec<Vec<String>> = std::iter::once(header.clone()).chain(body).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let Some(last) = columns.checked_sub(1) else { return String::new() };
    let column = |index: usize| rows.iter().filter_map(move |row| row.get(index));
    let widths: Vec<usize> =
        (0..columns).map(|index| column(index).map(|cell| length(cell)).max().unwrap_or(0)).collect();
    let is_right: Vec<bool> = (0..columns)
        .map(|index| {
            let mut filled = column(index).skip(1).filter(|cell| !cell.is_empty()).peekable();
            // The columns of facts have no title.
            let is_titled = header.get(index).is_some_and(|title| !title.is_empty());
            index > 0 && is_titled && filled.peek().is_some() && filled.all(|cell| is_number(cell))
        })
        .collect();
    let before_last: usize = widths[..last].iter().map(|width| width + GAP).sum();
    let room = width.saturating_sub(before_last).max(LEAST_LAST_COLUMN);
    let mut text = String::new();
    // The header of facts is empty.
    for row in rows.iter().filter(|row| row.iter().any(|cell| !cell.is_empty())) {
        let mut line = String::new();
        for (index, cell) in row.iter().enumerate().filter(|&(index, _)| index < last) {
            let pad = widths[index] - length(cell);
            let (left, right) = if is_right[index] { (pad, GAP) } else { (0, pad + GAP) };
            // Writing to a string cannot fail.
            let _ = write!(line, "{:left$}{cell}{:right$}", "", "");
        }
        let cell = row.get(last).map_or("", String::as_str);
        if is_right[last] {
            text += &lines([format!("{line}{cell:>pad$}", pad = widths[last])]);
            continue;
        }
        let parts = wrap(cell, room).into_iter().enumerate();
        text += &lines(parts.map(|(index, part)| {
            let start = if index == 0 { line.as_str() } else { "" };
            format!("{start:before_last$}{part}")
        }));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned_and_paragraphs_wrapped() {
        let cells = Table::new(
            &["engine", "nodes", "difference"],
            [["new", "1264", "−33.37 %"], ["a|b", "97", ""]].map(Vec::from),
        );
        let body = [
            Block::paragraph("A paragraph of eight words with [brackets], twenty."),
            cells.into(),
            Block::Code("harness bench  a\n".to_owned()),
        ];
        let expected = "Title\n\nA paragraph of eight\nwords with [brackets],\ntwenty.\n\n\
                        engine  nodes  difference\nnew      1264    −33.37 %\na|b        97\n\n  \
                        harness bench  a\n";
        assert_eq!(Report::new("Title", body).aligned(24), expected);
    }

    #[test]
    fn long_last_column_is_wrapped_below_itself() {
        let facts = [("host", "one two three four five six seven"), ("run", "a")];
        let facts = facts.map(|(name, value)| (name, value.to_owned()));
        let expected = "host  one two three four five\n      six seven\nrun   a\n";
        assert_eq!(block(&Block::facts(facts), 20), expected);
    }
}
