//! Export of a report's drawings as separate SVG files.
//!
//! A drawing on a page takes its colours from the page; as a separate file it contains them and a
//! background. It still follows the reader's light or dark setting.

use maud::{PreEscaped, html};

use super::document::{Block, Figure, Report};
use super::plot::FILE_WIDTH;
use super::style::{COLOURS, DRAWING};

/// The font of a page.
const FONT: &str = "svg { font-family: system-ui, sans-serif; }";

/// A drawing in SVG with its own style, for pages that are no reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// File stem: the number of the drawing in the report and its title, in lower-case letters,
    /// digits and hyphens.
    pub name: String,
    /// Content of the SVG file.
    pub svg: String,
}

impl Report {
    /// Returns each drawing as a separate file.
    pub(crate) fn pictures(&self) -> Vec<Picture> {
        let figures = self.body.blocks().iter().filter_map(|block| match block {
            Block::Figure(figure) => Some(figure),
            _ => None,
        });
        figures.enumerate().map(|(index, figure)| Picture::of(index, figure)).collect()
    }
}

impl Picture {
    /// Returns the file of a drawing.
    fn of(index: usize, figure: &Figure) -> Self {
        let Figure { name, class, width, height, content, .. } = figure;
        let width = width.unwrap_or(FILE_WIDTH);
        let svg = html! {
            svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) class=[class]
                viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(name) {
                style { "\n" (PreEscaped(COLOURS)) (PreEscaped(DRAWING)) (FONT) "\n" }
                rect width="100%" height="100%" fill="var(--paper)" {}
                (content)
            }
        };
        Self { name: format!("{}-{}", index + 1, slug(name)), svg: svg.into_string() + "\n" }
    }
}

/// Converts `Mean time of a move, ms` to `mean-time-of-a-move-ms`.
fn slug(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_is_a_self_contained_file() {
        let content = || html! { text { "a < b" } };
        let sized = Picture::of(0, &Figure::new("a < b, ms", 760.0, 380.0, content()));
        assert_eq!(sized.name, "1-a-b-ms");
        let start =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"380\" viewBox=\"0 0 760 380\" ";
        assert!(sized.svg.starts_with(start), "{}", sized.svg);
        assert!(sized.svg.ends_with("<text>a &lt; b</text></svg>\n"), "{}", sized.svg);
        assert!(sized.svg.contains("--c0") && sized.svg.contains("prefers-color-scheme: dark"));
    }

    #[test]
    fn stretched_drawing_gets_a_size() {
        let figure = Figure { width: None, ..Figure::new("Elo", 0.0, 320.0, html! { svg.stretched {} }) };
        let svg = Picture::of(1, &figure).svg;
        assert!(svg.contains(" width=\"760\" height=\"320\" viewBox=\"0 0 760 320\""), "{svg}");
        assert!(svg.ends_with("<svg class=\"stretched\"></svg></svg>\n"), "{svg}");
    }
}
