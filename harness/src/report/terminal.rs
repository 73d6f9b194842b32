//! Reports as plain text for a terminal: aligned tables and wrapped paragraphs.
//!
//! The input is the Markdown of our own reports: headings, paragraphs, lists, tables, links, bold words and fenced code.

use std::fmt::Write as _;
use std::io::IsTerminal;

use console::Term;

/// Spaces between two columns of a table.
const GAP: usize = 2;
/// The least width at which the last column of a table is wrapped.
const LEAST_LAST_COLUMN: usize = 24;
/// The greatest width of a paragraph, for wide terminals. Units: characters.
const WIDEST_PARAGRAPH: usize = 110;

/// Returns the width of the terminal that standard output is; `None` if it is another file.
pub(super) fn width() -> Option<usize> {
    let is_terminal = std::io::stdout().is_terminal();
    is_terminal.then(|| usize::from(Term::stdout().size().1))
}

/// Converts the Markdown of a report to text of this width.
pub(super) fn plain_text(markdown: &str, width: usize) -> String {
    let mut lines = markdown.lines().peekable();
    let (mut text, mut is_code) = (String::new(), false);
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            push_line(&mut text, &format!("  {line}"));
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(cells(row));
            }
            push_table(&mut text, rows, width);
        } else if !line.starts_with("![") {
            let indent = if line.starts_with("- ") { 2 } else { 0 };
            let words = plain_words(line.trim_start_matches('#').trim_start());
            for wrapped in wrap(&words, width.min(WIDEST_PARAGRAPH), indent) {
                push_line(&mut text, &wrapped);
            }
        }
    }
    text
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

/// Returns the text without the marks of bold words and links.
fn plain_words(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, link)) = rest.split_once('[') {
        text.push_str(before);
        match link.split_once("](").and_then(|(name, after)| Some((name, after.split_once(')')?.1))) {
            Some((name, after)) if !name.contains('[') => {
                text.push_str(name);
                rest = after;
            }
            _ => {
                text.push('[');
                rest = link;
            }
        }
    }
    text.push_str(rest);
    text.replace("**", "")
}

/// Breaks a paragraph into lines, which begin with `indent` spaces from the second on. A longer word has its own line.
fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut is_first_word = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let line = lines.last_mut().expect("one line");
        if is_first_word {
            line.push_str(word);
        } else if length(line) + 1 + length(word) <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(format!("{:indent$}{word}", ""));
        }
        is_first_word = false;
    }
    lines
}

/// Returns the cells of a row; `\|` is a bar within a cell.
fn cells(row: &str) -> Vec<String> {
    let inner = row.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner).replace("\\|", "\0");
    inner.split('|').map(|cell| plain_words(&cell.trim().replace('\0', "|"))).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn is_rule(row: &[String]) -> bool {
    row.iter().all(|cell| !cell.is_empty() && cell.chars().all(|mark| matches!(mark, '-' | ':')))
}

/// Whether a cell begins with a number.
fn is_number(cell: &str) -> bool {
    cell.trim_start_matches(['+', '-', '−', '±', '~']).starts_with(|first: char| first.is_ascii_digit())
}

/// Appends a table. Columns of numbers are aligned to the right. The last column is wrapped if the table is too wide.
fn push_table(text: &mut String, rows: Vec<Vec<String>>, width: usize) {
    let rows: Vec<Vec<String>> =
        rows.into_iter().filter(|row| !is_rule(row) && row.iter().any(|cell| !cell.is_empty())).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let Some(last) = columns.checked_sub(1) else { return };
    let column = |index: usize| rows.iter().filter_map(move |row| row.get(index));
    let widths: Vec<usize> =
        (0..columns).map(|index| column(index).map(|cell| length(cell)).max().unwrap_or(0)).collect();
    let is_right: Vec<bool> = (0..columns)
        .map(|index| {
            let mut filled = column(index).skip(1).filter(|cell| !cell.is_empty()).peekable();
            index > 0 && filled.peek().is_some() && filled.all(|cell| is_number(cell))
        })
        .collect();
    let before_last: usize = widths[..last].iter().map(|width| width + GAP).sum();
    let room = width.saturating_sub(before_last).max(LEAST_LAST_COLUMN);
    for row in &rows {
        let mut line = String::new();
        for (index, cell) in row.iter().enumerate().filter(|&(index, _)| index < last) {
            let pad = widths[index] - length(cell);
            let (left, right) = if is_right[index] { (pad, GAP) } else { (0, pad + GAP) };
            // Writing to a string cannot fail.
            let _ = write!(line, "{:left$}{cell}{:right$}", "", "");
        }
        let cell = row.get(last).map_or("", String::as_str);
        if is_right[last] {
            push_line(text, &format!("{line}{cell:>pad$}", pad = widths[last]));
            continue;
        }
        for (index, part) in wrap(cell, room, 0).iter().enumerate() {
            let start = if index == 0 { line.as_str() } else { "" };
            push_line(text, &format!("{start:before_last$}{part}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned_and_paragraphs_wrapped() {
        let markdown = "# Title\n\nA **bold** word and [a link](x.md) in [brackets], twenty.\n\n\
                        | engine | nodes | difference |\n|---|---:|---|\n| new | 1264 | −33.37 % |\n| a\\|b | 97 |  |\n\n\
                        ```sh\nharness bench  a\n```\n- a list that is long\n![picture](x.svg)\n";
        let expected = "Title\n\nA bold word and a link\nin [brackets], twenty.\n\n\
                        engine  nodes  difference\nnew      1264    −33.37 %\na|b        97\n\n  \
                        harness bench  a\n- a list that is long\n";
        assert_eq!(plain_text(markdown, 24), expected);
    }

    #[test]
    fn long_last_column_is_wrapped_below_itself() {
        let markdown = "|  |  |\n|---|---|\n| host | one two three four five six seven |\n| run | a |\n";
        let expected = "host  one two three four five\n      six seven\nrun   a\n";
        assert_eq!(plain_text(markdown, 20), expected);
    }
}
