//! Bar chart of values with intervals, such as the main effects of settings or the shares of solved positions.

use maud::html;

use super::document::Figure;
use super::plot::round;

/// Width of all bars from the lowest to the highest end, and of the labels to the right of them. Units: pixels.
const BAR: f64 = 380.0;
const LABEL: f64 = 120.0;
const ROW: f64 = 18.0;
/// Least distance of the bars from the left edge, for the names, and width of a letter. Units: pixels.
const LEFT: f64 = 260.0;
const LETTER: f64 = 6.8;

/// Formats a whole number with its sign.
pub(crate) fn signed(value: f64) -> String {
    // A rounded negative must not print as "-0".
    format!("{:+.0}", value.round() + 0.0).replace('-', "−")
}

/// A bar from the zero line, with its interval.
pub(crate) struct Bar {
    pub(crate) name: String,
    /// Value along the axis; 0 is the zero line.
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Text next to the bar.
    pub(crate) label: String,
    pub(crate) colour: &'static str,
}

impl Bar {
    /// Returns the bar of a value in Elo whose interval has this half-width.
    pub(crate) fn of_elo(name: String, value: f64, half_width: f64, is_different: bool) -> Self {
        let (low, high) = (value - half_width, value + half_width);
        Self { name, value, low, high, label: signed(value), colour: colour(is_different) }
    }
}

/// Returns the colour of a bar that is an effect, or may be noise.
pub(crate) fn colour(is_different: bool) -> &'static str {
    if is_different { "var(--c0)" } else { "var(--faint)" }
}

/// Draws horizontal bars around a zero line, over the whole width.
pub(crate) fn bars(title: &str, drawn: &[Bar]) -> Figure {
    let low = drawn.iter().map(|bar| bar.low.min(bar.value)).fold(0.0, f64::min);
    let high = drawn.iter().map(|bar| bar.high.max(bar.value)).fold(0.0, f64::max);
    bars_within(title, [low, high], drawn)
}

/// Draws horizontal bars around a zero line, on an axis between these values.
pub(crate) fn bars_within(title: &str, [low, high]: [f64; 2], drawn: &[Bar]) -> Figure {
    let height = ROW * drawn.len() as f64 + 30.0;
    let longest = drawn.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0);
    let left = round(LEFT.max(16.0 + LETTER * longest as f64));
    let place = |value: f64| round(left + (value - low) / (high - low).max(0.01) * BAR);
    let zero = place(0.0);
    let content = html! {
        text x=(left) y="14" { (title) }
        line.axis x1=(zero) y1="20" x2=(zero) y2=(height) {}
        @for (index, bar) in drawn.iter().enumerate() {
            @let y = 34.0 + ROW * index as f64;
            @let end = place(bar.value);
            text x=(left - 8.0) y=(y) text-anchor="end" { (bar.name) }
            rect x=(end.min(zero)) y=(y - 10.0) width=(round((end - zero).abs())) height="10"
                fill=(bar.colour) {}
            line stroke="var(--ink)" x1=(place(bar.low)) y1=(y - 5.0) x2=(place(bar.high)) y2=(y - 5.0) {}
            text x=(left + BAR + 12.0) y=(y) { (bar.label) }
        }
    };
    Figure::new(title, left + BAR + LABEL, height, content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_take_the_whole_width_whatever_their_signs() {
        let bar = |value: f64| Bar::of_elo("a".into(), value, 1.0, true);
        let negative = bars("effects", &[bar(-9.0), bar(-4.0)]).content.into_string();
        let right = format!("x1=\"{}\" y1=\"20\"", LEFT + BAR);
        assert!(negative.contains(&right), "the zero line is at the right end: {negative}");
        let both = bars("effects", &[bar(-9.0), bar(9.0)]).content.into_string();
        assert!(both.contains(&format!("x1=\"{}\" y1=\"20\"", LEFT + BAR / 2.0)), "{both}");
    }

    #[test]
    fn long_names_have_room() {
        let drawn = bars("effects", &[Bar::of_elo("n".repeat(52), 3.0, 1.0, true)]).content.into_string();
        let right = drawn.split("x=\"").nth(2).and_then(|rest| rest.split('"').next()).expect("a name");
        assert!(right.parse::<f64>().expect("a number") > 52.0 * LETTER, "{drawn}");
    }
}
