//! Reports in Markdown.

use super::document::{Block, Lead, Report, Span, Table, Text};

impl Report {
    /// Returns the report in Markdown.
    pub fn markdown(&self) -> String {
        self.body.joined(format!("# {}\n", escaped(&self.title)), block)
    }
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(heading) => {
            format!("{} {}\n", "#".repeat(heading.level.into()), escaped(&heading.text))
        }
        Block::Paragraph(paragraph) => format!("{}\n", text(paragraph)),
        Block::Facts(facts) | Block::Lead(Lead { facts, .. }) => {
            Table::of_facts(facts).map_or_else(String::new, |table| table.markdown())
        }
        Block::Table(table) => table.markdown(),
        // A fence in the output of an engine would end the block.
        Block::Code(code) => format!("```\n{}\n```\n", code.trim_end().replace('`', "'")),
        Block::Copies(texts) => {
            let code =
                |(title, text): &(String, String)| format!("{title}:\n\n```\n{}\n```\n", text.trim_end());
            texts.iter().map(code).collect::<Vec<_>>().join("\n")
        }
        Block::Fold(fold) => {
            let code = fold.text.trim_end().replace('`', "'");
            format!("{}:\n\n```\n{code}\n```\n", fold.summary)
        }
        Block::Figure(_) | Block::Details(..) | Block::Games(_) | Block::PageOnly(_) => String::new(),
    }
}

/// Returns a text. Links within a page have no target in Markdown.
fn text(text: &Text) -> String {
    let span = |span: &Span| match span {
        Span::Link { text, target } if !target.starts_with('#') => format!("[{text}]({target})"),
        Span::Code(_) => span.plain(),
        span => escaped(&span.plain()),
    };
    text.0.iter().map(span).collect()
}

/// Escapes the characters with which names of engines would begin tags or emphasis.
fn escaped(text: &str) -> String {
    text.replace('<', "\\<").replace("\\< ", "< ").replace('*', "\\*")
}

impl Table {
    /// Returns the table in Markdown.
    pub fn markdown(&self) -> String {
        let Self { header, rows, .. } = self;
        // A `|` in a cell is escaped. A line break would end the row.
        let cell = |text: &str| text.lines().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let head = line(header.iter().map(|title| cell(&escaped(title))).collect());
        let rule = format!("|{}\n", "---|".repeat(header.len()));
        let rows = rows.iter().map(|row| line(row.iter().map(|column| cell(&text(column))).collect()));
        [head, rule].into_iter().chain(rows).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_emphasis_in_names_are_escaped() {
        let report = Report::new("<b>a* against b", [Block::paragraph("*x* and <i>"), Block::heading("<u>")]);
        assert_eq!(report.markdown(), "# \\<b>a\\* against b\n\n\\*x\\* and \\<i>\n\n## \\<u>\n");
    }

    #[test]
    fn cell_with_bars_and_line_breaks_stays_in_its_row() {
        let rows = [vec!["a|b", "make\nmake install\n"], vec!["", "c"]];
        let expected = "| \\<x> | y |\n|---|---|\n| a\\|b | make make install |\n|  | c |\n";
        assert_eq!(Table::new(&["<x>", "y"], rows).markdown(), expected);
    }
}
