//! Export of a report's drawings as separate SVG files.
//!
//! A drawing on a page takes its colours from the page; as a separate file it contains them and a
//! background. It still follows the reader's light or dark setting.

use super::style::{COLOURS, DRAWING};

/// A self-contained drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// File stem: the number of the drawing in the report and its title, in lower-case letters,
    /// digits and hyphens.
    pub name: String,
    /// Content of the SVG file.
    pub svg: String,
}

/// Returns the drawings of a page in order. The page must come from this crate: drawings are `svg`
/// elements that are not nested, with their title in `aria-label`.
pub(crate) fn pictures(page: &str) -> Vec<Picture> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((_, from)) = rest.split_once("<svg ") {
        let Some((drawing, after)) = from.split_once("</svg>") else { break };
        if let Some((attributes, content)) = drawing.split_once('>') {
            let name =
                format!("{}-{}", found.len() + 1, slug(attribute(attributes, "aria-label").unwrap_or("")));
            found.push(Picture { name, svg: alone(attributes, content) });
        }
        rest = after;
    }
    found
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = attributes.split_once(&format!("{name}=\""))?;
    value.split_once('"').map(|(value, _)| value)
}

/// `Mean time of a move, ms` as `mean-time-of-a-move-ms`.
fn slug(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

fn alone(attributes: &str, content: &str) -> String {
    let mut size = attribute(attributes, "viewBox").unwrap_or_default().split_whitespace().skip(2);
    let (width, height) = (size.next().unwrap_or("100%"), size.next().unwrap_or("100%"));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" {attributes}>\n\
         <style>\n{COLOURS}\n{DRAWING}\nsvg {{ font-family: system-ui, sans-serif; }}\n</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n{content}</svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_drawing_is_a_self_contained_file() {
        let page = "<h1>T</h1><figure><svg viewBox=\"0 0 760 380\" role=\"img\" aria-label=\"a &lt; b, ms\"><text>a \
                    &lt; b</text></svg></figure><p>no <b>more</b></p><svg viewBox=\"0 0 9 8\" role=\"img\" \
                    aria-label=\"Map\"><rect></rect></svg>";
        let found = pictures(page);
        let names: Vec<&str> = found.iter().map(|picture| picture.name.as_str()).collect();
        assert_eq!(names, ["1-a-lt-b-ms", "2-map"]);
        assert!(
            found[0]
                .svg
                .starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"380\" ")
        );
        assert!(found[0].svg.ends_with("<text>a &lt; b</text></svg>\n"));
        assert!(found[1].svg.contains("--c0") && found[1].svg.contains("prefers-color-scheme: dark"));
        assert_eq!(pictures("<p>nothing</p>"), []);
    }
}
