//! Bar chart of signed values with intervals, such as the main effects of settings.

use maud::{Markup, html};

use super::plot::round;

/// Width of the bars, and of the whole drawing. Units: pixels.
const BAR: f64 = 300.0;
const WIDTH: f64 = 760.0;
const ROW: f64 = 18.0;
/// Left end of the bars; the names are to the left of it.
const LEFT: f64 = 260.0;

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
    pub(crate) is_different: bool,
}

/// Draws horizontal bars around a zero line.
pub(crate) fn bars(title: &str, drawn: &[Bar]) -> Markup {
    let widest = drawn.iter().map(|bar| bar.high.abs().max(bar.low.abs())).fold(0.01, f64::max);
    let height = ROW * drawn.len() as f64 + 30.0;
    let middle = LEFT + BAR / 2.0;
    let place = |value: f64| round(middle + value / widest * BAR / 2.0);
    html! {
        figure {
            svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(title) {
                text x=(LEFT) y="14" { (title) }
                line.axis x1=(middle) y1="20" x2=(middle) y2=(height) {}
                @for (index, bar) in drawn.iter().enumerate() {
                    @let y = 34.0 + ROW * index as f64;
                    @let end = place(bar.value);
                    @let colour = if bar.is_different { "var(--c0)" } else { "var(--faint)" };
                    text x=(LEFT - 8.0) y=(y) text-anchor="end" { (bar.name) }
                    rect x=(end.min(middle)) y=(y - 10.0) width=(round((end - middle).abs())) height="10"
                        fill=(colour) {}
                    line stroke="var(--ink)" x1=(place(bar.low)) y1=(y - 5.0) x2=(place(bar.high)) y2=(y - 5.0) {}
                    text x=(LEFT + BAR + 12.0) y=(y) { (bar.label) }
                }
            }
        }
    }
}
