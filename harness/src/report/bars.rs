//! Bars either way of a middle line: what settings are worth, each with its interval.

use maud::{Markup, html};

use super::chart::round;

/// Width of the bars, and of the whole drawing. Units: pixels.
const BAR: f64 = 300.0;
const WIDTH: f64 = 760.0;
const ROW: f64 = 18.0;
/// Where bars begin: the names stand before.
const LEFT: f64 = 260.0;

/// A whole number with its sign, as it is printed.
pub(super) fn signed(value: f64) -> String {
    // A rounded negative must not print as "-0".
    format!("{:+.0}", value.round() + 0.0).replace('-', "−")
}

/// A bar from the middle line, with its interval.
pub(super) struct Bar {
    pub(super) name: String,
    /// Along the axis; 0 is the middle line.
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// As it is written beside it.
    pub(super) label: String,
    pub(super) is_different: bool,
}

/// Bars either way of a middle line.
pub(super) fn bars(title: &str, drawn: &[Bar]) -> Markup {
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
