//! The content of a report as blocks, without a form.
//!
//! The renderers `html`, `markdown` and `terminal` add the forms of a [`Report`]; this module knows none of them. Blocks that
//! need a page are shown by `html` alone.

use std::sync::Arc;

use maud::{Markup, html};

use super::blocks::Blocks;
use super::fold::Fold;
use super::games::Games;

/// The report of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// Heading of the report.
    pub title: String,
    /// Key figures as name and value; the comparison of several runs shows them side by side.
    pub facts: Vec<(String, String)>,
    /// Content below the title.
    pub body: Document,
    /// The result in the forms of other tools.
    pub(super) blocks: Option<Arc<dyn Blocks>>,
}

fn named(facts: impl IntoIterator<Item = (impl Into<String>, String)>) -> Vec<(String, String)> {
    facts.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

/// A sequence of blocks.
#[derive(Clone, Debug, Default)]
pub struct Document(Vec<Block>);

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Block {
    /// The heading of a section.
    Heading(Heading),
    /// Text in one paragraph.
    Paragraph(Text),
    /// Rows of a name and its value, as a list of definitions.
    Facts(Vec<(String, String)>),
    /// Rows under a header.
    Table(Table),
    /// Text in a fixed-width font, with its line breaks.
    Code(String),
    /// A drawing, which only a page shows.
    Figure(Figure),
    /// The result at the top of a page.
    Lead(Lead),
    /// Text that a page shows on demand, with its summary.
    Details(&'static str, String),
    /// Titles and texts to be copied. A page shows a button with each.
    Copies(Vec<(String, String)>),
    /// A sentence with details, which a page folds.
    Fold(Fold),
    /// The games of a run, which only a page shows.
    Games(Games),
    /// Blocks that only a page shows.
    PageOnly(Document),
}

/// The heading of a section.
#[derive(Clone, Debug)]
pub struct Heading {
    /// Level of the heading. Range: 1 for the title, 2 for a section, 3 below it.
    pub(super) level: u8,
    pub(super) text: String,
    /// Name to which links of the page refer.
    pub(super) anchor: Option<String>,
}

/// The result of a run in large print, which replaces the title at the top of a page. Other forms show its figures.
#[derive(Clone, Debug)]
pub struct Lead {
    /// Kind of the run, above the heading.
    pub(crate) kind: &'static str,
    /// Heading and level of the section.
    pub(crate) heading: Heading,
    /// Conditions below the heading, such as the time control.
    pub(crate) context: Vec<String>,
    /// Content below them.
    pub(crate) result: Markup,
    /// The result in short, for a list of runs.
    pub(crate) card: Markup,
    /// The figures, as name and value.
    pub(crate) facts: Vec<(String, String)>,
}

/// A line of text with emphasis, code and links.
#[derive(Clone, Debug, Default)]
pub struct Text(pub(super) Vec<Span>);

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Text as it is, escaped where the format needs it.
    Plain(String),
    /// Text that is bold on a page and plain elsewhere.
    Strong(String),
    /// A command or a file.
    Code(String),
    /// A link. A target `#ANCHOR` is a heading of the same page.
    Link {
        /// Text of the link.
        text: String,
        /// Address of the target.
        target: String,
    },
}

/// A header and rows of cells, which have text and links.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<Text>>,
    pub(super) style: TableStyle,
}

/// The layout of a table on a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableStyle {
    /// Cells of numbers, aligned to the right.
    #[default]
    Numbers,
    /// Cells of words, aligned to the left.
    Words,
    /// Numbers with intervals in many columns; cells break before the interval.
    Breaking,
    /// Cells of sentences; a narrow page shows them below each other.
    Claims,
    /// Properties, whose names are in the first column.
    Tested,
}

/// A drawing in SVG with its size and caption.
#[derive(Clone, Debug)]
pub struct Figure {
    pub(super) name: String,
    /// Class of the drawing in the style of the page.
    pub(super) class: Option<&'static str>,
    /// Width of its coordinates; `None` for a drawing that is stretched to the width of the page. Units: pixels.
    pub(super) width: Option<f64>,
    pub(super) height: f64,
    /// Title of the x axis, for the script of the page.
    pub(super) x_title: Option<&'static str>,
    pub(super) caption: Markup,
    pub(super) content: Markup,
}

impl Report {
    /// Creates a report without key figures.
    pub fn new(title: impl Into<String>, body: impl Into<Document>) -> Self {
        Self { title: title.into(), facts: Vec::new(), body: body.into(), blocks: None }
    }

    /// Sets the key figures.
    #[must_use]
    pub fn with_facts(self, facts: impl IntoIterator<Item = (impl Into<String>, String)>) -> Self {
        Self { facts: named(facts), ..self }
    }

    /// Returns the report with its result in the forms of other tools.
    #[must_use]
    pub fn with_blocks(self, blocks: impl Blocks + 'static) -> Self {
        Self { blocks: Some(Arc::new(blocks)), ..self }
    }

    /// Returns the report with further sentences at its end.
    #[must_use]
    pub fn with_lines(mut self, lines: &[String]) -> Self {
        self.body.extend(lines.iter().map(|line| Block::paragraph(format!("{line}."))));
        self
    }

    /// Splits the body after the lead, if it begins with one.
    pub(super) fn parts(&self) -> (Option<&Lead>, &[Block]) {
        match self.body.blocks() {
            [Block::Lead(lead), rest @ ..] => (Some(lead), rest),
            blocks => (None, blocks),
        }
    }
}

impl Document {
    /// Adds a block at the end.
    pub fn push(&mut self, block: impl Into<Block>) {
        self.0.push(block.into());
    }

    /// Adds blocks at the end, in their order.
    pub fn extend(&mut self, blocks: impl IntoIterator<Item = impl Into<Block>>) {
        self.0.extend(blocks.into_iter().map(Into::into));
    }

    /// Returns the result, if the document begins with one.
    pub(crate) fn lead_mut(&mut self) -> Option<&mut Lead> {
        if let Some(Block::Lead(lead)) = self.0.first_mut() { Some(lead) } else { None }
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.0
    }

    /// Returns the blocks for a section whose heading has level 2.
    pub(crate) fn into_section(self) -> impl Iterator<Item = Block> {
        // Only a page of one run can open games.
        self.0.into_iter().filter(|block| !matches!(block, Block::Games(_))).map(Block::below_section)
    }

    /// Joins the title and the rendered blocks with blank lines. Empty ones are left out.
    pub(super) fn joined(&self, title: String, render: impl Fn(&Block) -> String) -> String {
        let blocks = self.0.iter().map(render).filter(|text| !text.is_empty());
        std::iter::once(title).chain(blocks).collect::<Vec<_>>().join("\n")
    }
}

impl<B: Into<Block>, const N: usize> From<[B; N]> for Document {
    fn from(blocks: [B; N]) -> Self {
        Self(blocks.map(Into::into).into())
    }
}

impl Block {
    /// Creates the heading of a section.
    pub fn heading(text: impl Into<String>) -> Self {
        Self::Heading(Heading::new(2, text))
    }

    /// Returns a block with one paragraph of text.
    pub fn paragraph(text: impl Into<Text>) -> Self {
        Self::Paragraph(text.into())
    }

    /// Creates a list of names and values.
    pub fn facts(facts: impl IntoIterator<Item = (impl Into<String>, String)>) -> Self {
        Self::Facts(named(facts))
    }

    /// Creates a table of numbers.
    pub fn table<C: Into<Text>>(header: &[impl AsRef<str>], rows: impl IntoIterator<Item = Vec<C>>) -> Self {
        Self::Table(Table::new(header, rows))
    }

    fn below_section(self) -> Self {
        match self {
            Self::Heading(heading) => Self::Heading(heading.below_section()),
            Self::Lead(lead) => Self::Lead(Lead { heading: lead.heading.below_section(), ..lead }),
            Self::PageOnly(blocks) => Self::PageOnly(Document(blocks.into_section().collect())),
            other => other,
        }
    }
}

impl From<Figure> for Block {
    fn from(figure: Figure) -> Self {
        Self::Figure(figure)
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl Heading {
    /// Returns a heading of this level, without an anchor.
    pub(crate) fn new(level: u8, text: impl Into<String>) -> Self {
        Self { level, text: text.into(), anchor: None }
    }

    /// Returns the heading of a section to which links `#ANCHOR` refer.
    pub(crate) fn anchored(text: impl Into<String>, anchor: String) -> Block {
        Block::Heading(Self { anchor: Some(anchor), ..Self::new(2, text) })
    }

    fn below_section(self) -> Self {
        Self { level: (self.level + 1).max(3), ..self }
    }
}

impl Text {
    /// Joins spans with commas.
    pub(crate) fn listed(spans: impl Iterator<Item = Span>) -> Self {
        let comma = || Span::Plain(", ".to_owned());
        Self(spans.flat_map(|span| [comma(), span]).skip(1).collect())
    }

    /// Returns the text without marks of emphasis and without targets.
    pub(super) fn plain(&self) -> String {
        self.0.iter().map(Span::plain).collect()
    }
}

impl Span {
    pub(super) fn plain(&self) -> String {
        match self {
            Self::Plain(text) | Self::Strong(text) | Self::Link { text, .. } => text.clone(),
            Self::Code(code) => format!("`{code}`"),
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(vec![Span::Plain(text)])
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Vec<Span>> for Text {
    fn from(spans: Vec<Span>) -> Self {
        Self(spans)
    }
}

impl Table {
    /// Creates a table of numbers.
    pub fn new<C: Into<Text>>(header: &[impl AsRef<str>], rows: impl IntoIterator<Item = Vec<C>>) -> Self {
        Self {
            header: header.iter().map(|title| title.as_ref().to_owned()).collect(),
            rows: rows.into_iter().map(|row| row.into_iter().map(Into::into).collect()).collect(),
            style: TableStyle::default(),
        }
    }

    /// Creates a table of names and values without a header; `None` without facts.
    pub(super) fn of_facts(facts: &[(String, String)]) -> Option<Self> {
        let rows = facts.iter().map(|(name, value)| vec![name.as_str(), value]);
        (!facts.is_empty()).then(|| Self::new(&["", ""], rows))
    }

    /// Sets the layout on a page.
    #[must_use]
    pub fn styled(self, style: TableStyle) -> Self {
        Self { style, ..self }
    }

    /// Drops the columns that are empty in every row; the first column is always kept.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        let is_filled =
            |row: &Vec<Text>, column: usize| row.get(column).is_some_and(|cell| !cell.plain().is_empty());
        for column in (1..self.header.len()).rev() {
            if !self.rows.iter().any(|row| is_filled(row, column)) {
                self.header.remove(column);
                self.rows
                    .iter_mut()
                    .filter(|row| column < row.len())
                    .for_each(|row| drop(row.remove(column)));
            }
        }
        self
    }
}

impl Figure {
    /// Creates a drawing with coordinates up to `width` and `height`. Units: pixels.
    pub(crate) fn new(name: impl Into<String>, width: f64, height: f64, content: Markup) -> Self {
        let width = Some(width);
        Self { name: name.into(), class: None, width, height, x_title: None, caption: html! {}, content }
    }

    /// Sets the class of the drawing and the caption above it.
    pub(crate) fn captioned(self, class: &'static str, caption: Markup) -> Self {
        Self { class: Some(class), caption, ..self }
    }
}
