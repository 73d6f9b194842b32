//! Reports as self-contained HTML pages, and the frame of live pages.

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use super::board::pieces;
use super::document::{Block, Figure, Heading, Lead, Report, Span, Table, TableStyle, Text};
use super::style::{COLOURS, DRAWING, GAMES, PAGE};

/// The script of every page.
const SCRIPT: &str = include_str!("script.js");
/// The script of pages with games.
const VIEWER: &str = include_str!("viewer.js");

impl Report {
    /// Returns a self-contained HTML page.
    pub fn page(&self) -> String {
        let content = html! { (self.head()) (self.below_head()) };
        // The boards and the viewer of games use the shapes.
        let has_pieces = self.games().is_some() || content.0.contains("#piece-");
        let content = html! { @if has_pieces { (pieces()) } (content) (self.embedded_games()) };
        frame(&self.title, None, self.games().is_some(), &content)
    }

    /// Returns the result, or the title if the report has no result of its own.
    pub(crate) fn head(&self) -> Markup {
        self.parts().0.map_or_else(|| html! { h1 { (self.title) } }, lead)
    }

    /// Returns the page below the head.
    pub(crate) fn below_head(&self) -> Markup {
        blocks(self.parts().1)
    }

    /// Returns the first drawing, if it follows the head, and the page below it.
    pub(crate) fn plot_and_rest(&self) -> (Markup, Markup) {
        match self.parts().1 {
            [Block::Figure(plot), rest @ ..] => (plot.render(), blocks(rest)),
            all => (html! {}, blocks(all)),
        }
    }

    /// Returns the result in short; without one, the first key figures.
    pub(crate) fn card(&self) -> Markup {
        const FIGURES: usize = 3;
        if let Some(lead) = self.parts().0 {
            return html! {
                (lead.card)
                @if let Some(first) = lead.context.first() { p.small { (first) } }
            };
        }
        html! {
            @for (name, value) in self.facts.iter().take(FIGURES) { p.small { (name) ": " (value) } }
        }
    }
}

/// Returns a page whose parts are replaced by the events of an address: the elements `lead`,
/// `status`, `plot`, `games` and `body`, and the title. Its links are relative to that address.
pub(crate) fn live_page(title: &str, events: &str, parts: &[(&str, Markup)]) -> String {
    let content = html! {
        (pieces())
        @for (id, part) in parts { div id=(id) { (part) } }
    };
    frame(title, Some(events), true, &content)
}

fn frame(title: &str, events: Option<&str>, has_games: bool, content: &Markup) -> String {
    let base = events.map(|events| events.trim_end_matches("events"));
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                @if let Some(base) = base { base href=(base); }
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(COLOURS)) (PreEscaped(PAGE)) (PreEscaped(DRAWING)) (PreEscaped(GAMES.trim_end())) }
            }
            body data-events=[events] class=[events.map(|_| "live-page")] {
                (content)
                script { (PreEscaped(SCRIPT)) }
                @if has_games { script { (PreEscaped(VIEWER)) } }
            }
        }
    };
    markup.into_string()
}

fn blocks(blocks: &[Block]) -> Markup {
    html! { @for block in blocks { (block) } }
}

impl Render for Block {
    fn render(&self) -> Markup {
        match self {
            Self::Heading(text) => heading(text),
            Self::Paragraph(text) => html! { p { (text) } },
            Self::Facts(facts) => html! {
                table.facts {
                    @for (name, value) in facts { tr { td { (name) } td { (value) } } }
                }
            },
            Self::Table(rows) => table(rows),
            Self::Code(code) => html! { pre { (code) } },
            Self::Figure(drawing) => drawing.render(),
            Self::Lead(result) => lead(result),
            Self::Details(title, code) => html! { details { summary { (title) } pre { code { (code) } } } },
            Self::Copies(texts) => {
                html! { div.copies { @for (title, text) in texts { (copy(title, text)) } } }
            }
            Self::Fold(fold) => fold.render(),
            Self::Games(games) => games.render(),
            Self::PageOnly(document) => blocks(document.blocks()),
        }
    }
}

/// Returns a text with a button that copies it.
fn copy(title: &str, text: &str) -> Markup {
    html! {
        div.copy {
            p.label { (title) " " button type="button" data-copy { "Copy" } }
            pre { (text) }
        }
    }
}

fn heading(Heading { level, text, anchor }: &Heading) -> Markup {
    match level {
        1 => html! { h1 id=[anchor] { (text) } },
        2 => html! { h2 id=[anchor] { (text) } },
        _ => html! { h3 id=[anchor] { (text) } },
    }
}

fn lead(lead: &Lead) -> Markup {
    html! {
        p.kind { (lead.kind) }
        (heading(&lead.heading))
        @if !lead.context.is_empty() { ul.context { @for line in &lead.context { li { (line) } } } }
        (lead.result)
    }
}

impl Render for Text {
    fn render(&self) -> Markup {
        let span = |span: &Span| match span {
            Span::Plain(text) => html! { (text) },
            Span::Strong(text) => html! { b { (text) } },
            Span::Code(code) => html! { code { (code) } },
            Span::Link { text, target } => html! { a href=(target) { (text) } },
        };
        html! { @for part in &self.0 { (span(part)) } }
    }
}

/// Returns a table that scrolls horizontally on narrow pages.
fn table(Table { header, rows, style }: &Table) -> Markup {
    let class = match style {
        TableStyle::Numbers => None,
        TableStyle::Words => Some("words"),
        TableStyle::Breaking => Some("breaking"),
        TableStyle::Claims => Some("claims"),
        TableStyle::Tested => Some("tested"),
    };
    let cell = |(column, text): (usize, &Text)| match style {
        TableStyle::Tested if column == 0 => html! { th { (text) } },
        TableStyle::Breaking => html! { td { (breaking(&text.plain())) } },
        _ => html! { td { (text) } },
    };
    html! {
        div.wide {
            table class=[class] {
                tr { @for title in header { th { (title) } } }
                @for row in rows { tr { @for column in row.iter().enumerate() { (cell(column)) } } }
            }
        }
    }
}

/// Returns a cell that may break before the interval and nowhere else: ten columns of unbroken cells are wider than a page.
fn breaking(text: &str) -> String {
    // The second kind of pair is the median and the maximum of a latency.
    let at = text.find(" (").or_else(|| text.find(", ").map(|comma| comma + 1));
    let joined = |text: &str| text.replace(' ', "\u{a0}");
    at.map_or_else(|| joined(text), |at| format!("{} {}", joined(&text[..at]), joined(&text[at + 1..])))
}

impl Render for Figure {
    fn render(&self) -> Markup {
        let Self { name, class, width, height, x_title, caption, content } = self;
        let view = width.map(|width| format!("0 0 {width} {height}"));
        let (full, own_height) = if view.is_none() { (Some("100%"), Some(height)) } else { (None, None) };
        html! {
            (caption)
            figure {
                svg class=[class] viewBox=[view] width=[full] height=[own_height] role="img" aria-label=(name)
                    data-x-title=[x_title] { (content) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_break_before_the_interval_alone() {
        assert_eq!(breaking("1.89 (1.8 to 1.9)"), "1.89 (1.8\u{a0}to\u{a0}1.9)");
        assert_eq!(breaking("0.2 ms, 1.9 ms"), "0.2\u{a0}ms, 1.9\u{a0}ms");
        assert_eq!(breaking("4 processes"), "4\u{a0}processes");
    }
}
