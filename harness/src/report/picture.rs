//! Export of a report's drawings as separate SVG files.
//!
//! A drawing on a page takes its colours from the page; as a separate file it contains them and a
//! background. It still follows the reader's light or dark setting.

use super::plot::FILE_WIDTH;
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
/// elements with `role` and their title in `aria-label`; nested ones have neither.
pub(crate) fn pictures(page: &str) -> Vec<Picture> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((_, from)) = rest.split_once("<svg ") {
        let Some((drawing, after)) = split_at_end(from) else { break };
        if let Some((attributes, content)) = drawing.split_once('>')
            && attribute(attributes, "role").is_some()
        {
            let name =
                format!("{}-{}", found.len() + 1, slug(attribute(attributes, "aria-label").unwrap_or("")));
            found.push(Picture { name, svg: alone(attributes, content) });
        }
        rest = after;
    }
    found
}

/// Splits the text behind `<svg ` at the end of that element.
fn split_at_end(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1;
    let mut at = 0;
    loop {
        let close = at + text[at..].find("</svg>")?;
        depth += text[at..close].matches("<svg ").count();
        depth -= 1;
        at = close + "</svg>".len();
        if depth == 0 {
            return Some((&text[..close], &text[at..]));
        }
    }
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = attributes.split_once(&format!("{name}=\""))?;
    value.split_once('"').map(|(value, _)| value)
}

/// Converts `Mean time of a move, ms` to `mean-time-of-a-move-ms`.
fn slug(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

fn alone(attributes: &str, content: &str) -> String {
    let (own, view) = if let Some(view) = attribute(attributes, "viewBox") {
        (attributes.to_owned(), view.to_owned())
    } else {
        // A drawing as wide as its page gets a width.
        let height = attribute(attributes, "height").unwrap_or("300");
        let view = format!("0 0 {FILE_WIDTH} {height}");
        let sized = attributes.replacen("width=\"100%\"", "", 1);
        let sized = sized.replacen(&format!("height=\"{height}\""), "", 1);
        (format!("{sized} viewBox=\"{view}\""), view)
    };
    let mut size = view.split_whitespace().skip(2);
    let (width, height) = (size.next().unwrap_or("100%"), size.next().unwrap_or("100%"));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" {own}>\n\
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

    #[test]
    fn stretched_drawing_gets_a_size_and_keeps_its_nested_part() {
        let page = "<svg class=\"plot\" width=\"100%\" height=\"320\" role=\"img\" aria-label=\"Elo\"><svg \
                    class=\"stretched\" width=\"100%\"><g></g></svg><text>end</text></svg><svg class=\"pieces\"></svg>";
        let found = pictures(page);
        assert_eq!(found.len(), 1, "{found:?}");
        let svg = &found[0].svg;
        assert!(
            svg.contains(" width=\"760\" height=\"320\" ") && svg.contains("viewBox=\"0 0 760 320\""),
            "{svg}"
        );
        assert!(
            svg.ends_with("<svg class=\"stretched\" width=\"100%\"><g></g></svg><text>end</text></svg>\n"),
            "{svg}"
        );
    }
}
