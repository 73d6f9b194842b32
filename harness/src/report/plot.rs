//! The frame of a chart that takes the whole width of the page at a fixed height.
//!
//! Horizontal places are percentages, vertical ones pixels. Curves lie in a nested drawing that is
//! stretched to the width; their strokes keep their width. The script of the page shows values next
//! to the pointer: it reads them from the attributes `data-x`, `data-y`, `data-low` and `data-high`
//! of the curves.

use maud::{Markup, html};

use super::document::Figure;

/// Width of a chart as a separate file. Units: pixels.
pub(crate) const FILE_WIDTH: f64 = 760.0;
/// Width of the coordinate system of curves.
const ACROSS: f64 = 1000.0;
/// Height without the legend.
pub(super) const HEIGHT: f64 = 300.0;
pub(super) const TOP: f64 = 40.0;
const BOTTOM: f64 = 44.0;
/// Margins of the curves, as shares of the width. The labels of the vertical axis lie in the left one.
const LEFT: f64 = 0.07;
const RIGHT: f64 = 0.02;
/// Line height of the legend, its indent, and the width for which its lines are broken.
const NAMES: f64 = 20.0;
const INDENT: f64 = 2.0;
const NARROW: f64 = 340.0;
/// Width of a legend mark with its gaps, and the maximum width of a letter.
const MARK: f64 = 42.0;
const LETTER: f64 = 7.0;
/// Number of curve colours; further curves reuse them.
const COLOURS: usize = 8;

/// The ranges of both axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) x: (f64, f64),
    pub(crate) y: (f64, f64),
}

/// A place on an axis with its label. Range of the place: 0 to 1.
#[derive(Clone, Debug)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: String,
}

/// A point of a curve: its place on both axes (0 to 1) and its values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) at: (f64, f64),
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Interval of `y`, if it is known.
    pub(crate) range: Option<(f64, f64)>,
}

/// Titles, axes and legend of a chart.
#[derive(Clone, Debug)]
pub(crate) struct Plot<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_title: &'static str,
    pub(crate) x_ticks: Vec<Tick>,
    pub(crate) y_ticks: Vec<Tick>,
    /// Names of the curves in the legend; empty for a single curve, which the title describes.
    pub(crate) names: Vec<&'a str>,
    /// Whether the legend explains the line of class `ideal`.
    pub(crate) has_ideal: bool,
}

/// Curves for the stretched part of a plot, moved to the right by some pixels.
pub(crate) struct Layer {
    pub(crate) shift: f64,
    pub(crate) curves: Markup,
}

/// Returns the minimum and the maximum of the values.
pub(crate) fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// Returns the relative position of a value in a range. Range: 0 to 1 between its ends.
pub(crate) fn share((low, high): (f64, f64), value: f64) -> f64 {
    (value - low) / (high - low)
}

/// Returns the horizontal place as a share of the width.
fn inset(share: f64) -> f64 {
    LEFT + share * (1.0 - LEFT - RIGHT)
}

/// Returns the horizontal place as a percentage.
pub(crate) fn across(share: f64) -> String {
    format!("{}%", round(100.0 * inset(share)))
}

/// Returns the vertical place. Units: pixels.
pub(crate) fn down(share: f64) -> f64 {
    round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM))
}

/// Returns the coordinates of a point in the stretched drawing.
pub(crate) fn stretched((x, y): (f64, f64)) -> String {
    format!("{},{}", round(ACROSS * inset(x)), down(y))
}

/// Returns the colour of a curve.
pub(crate) fn colour(index: usize) -> String {
    format!("var(--c{})", index % COLOURS)
}

/// Rounds to tenths of a pixel.
pub(crate) fn round(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

/// Formats a value for the script: four significant digits, or a whole number.
fn value(value: f64) -> String {
    let digits = if value == 0.0 { 0.0 } else { 3.0 - value.abs().log10().floor() };
    let factor = 10.0_f64.powi(digits.clamp(0.0, 12.0) as i32);
    format!("{}", (value * factor).round() / factor)
}

fn values(places: &[Place], of: impl Fn(&Place) -> Option<f64>) -> Option<String> {
    let texts: Option<Vec<String>> = places.iter().map(|place| of(place).map(value)).collect();
    texts.map(|texts| texts.join(" "))
}

/// Draws a curve for the stretched part of a plot.
pub(crate) fn curve(name: &str, places: &[Place], index: usize) -> Markup {
    let points: Vec<String> = places.iter().map(|place| stretched(place.at)).collect();
    html! {
        polyline.curve stroke=(colour(index)) points=(points.join(" ")) data-name=(name)
            data-x=[values(places, |place| Some(place.x))] data-y=[values(places, |place| Some(place.y))]
            data-low=[values(places, |place| Some(place.range?.0))]
            data-high=[values(places, |place| Some(place.range?.1))] {}
    }
}

impl Plot<'_> {
    /// Returns the chart. The layers lie in the stretched drawing, `marks` above them.
    pub(crate) fn draw(&self, layers: &[Layer], marks: &Markup) -> Figure {
        let ideal = self.has_ideal.then_some("ideal");
        let named: Vec<&str> = self.names.iter().copied().chain(ideal).collect();
        let names = legend(&named);
        let height = names.last().map_or(HEIGHT, |&(_, y)| y + NAMES / 2.0);
        let bottom = HEIGHT - BOTTOM;
        let content = html! {
            text.title x="0" y="16" { (self.title) }
            @for tick in &self.x_ticks {
                line.axis x1=(across(tick.at)) y1=(TOP) x2=(across(tick.at)) y2=(bottom) {}
                text x=(across(tick.at)) y=(bottom + 16.0) text-anchor=(anchor(tick.at)) { (tick.label) }
            }
            @for tick in &self.y_ticks {
                line.axis x1=(across(0.0)) y1=(down(tick.at)) x2="100%" y2=(down(tick.at)) {}
            }
            @for Layer { shift, curves } in layers {
                svg.stretched x=(shift) width="100%" height=(HEIGHT) viewBox=(format!("0 0 {ACROSS} {HEIGHT}"))
                    preserveAspectRatio="none" { (curves) }
            }
            (marks)
            @for tick in &self.y_ticks {
                text.value x="2" y=(down(tick.at) + 4.0) { (tick.label) }
            }
            text x="50%" y=(HEIGHT - 8.0) text-anchor="middle" { (self.x_title) }
            @for (index, (name, (x, y))) in named.iter().zip(names).enumerate() {
                @if index < self.names.len() {
                    line stroke=(colour(index)) stroke-width="3" x1=(x) y1=(y) x2=(x + 18.0) y2=(y) {}
                } @else {
                    line.ideal x1=(x) y1=(y) x2=(x + 18.0) y2=(y) {}
                }
                text x=(x + 24.0) y=(y + 4.0) { (name) }
            }
            line.cursor x1="0" y1=(TOP) x2="0" y2=(bottom) {}
        };
        let figure = Figure::new(self.title, FILE_WIDTH, height, content);
        Figure { class: Some("plot"), width: None, x_title: Some(self.x_title), ..figure }
    }
}

/// Returns the text anchor that keeps a label inside the drawing.
fn anchor(at: f64) -> &'static str {
    match at {
        ..0.04 => "start",
        0.96.. => "end",
        _ => "middle",
    }
}

/// Returns the place of each name of the legend, in lines that also fit a narrow screen.
fn legend(names: &[&str]) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (INDENT, HEIGHT + NAMES / 2.0);
    let mut places = Vec::new();
    for name in names {
        let wanted = MARK + LETTER * name.chars().count() as f64;
        if x > INDENT && x + wanted > NARROW {
            (x, y) = (INDENT, y + NAMES);
        }
        places.push((x, y));
        x += wanted;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legend_wraps_for_a_narrow_screen() {
        let long = "x".repeat(25);
        let places = legend(&[&long, &long, "a", "b"]);
        assert_eq!(places[0], (INDENT, 310.0));
        assert_eq!(places[1], (INDENT, 330.0));
        let rows: Vec<i64> = places.iter().map(|place| place.1 as i64).collect();
        assert_eq!(rows, [310, 330, 330, 330]);
        assert!(places[2].0 > INDENT && places[3].0 > places[2].0);
    }

    #[test]
    fn values_keep_four_digits() {
        for (number, text) in
            [(0.0, "0"), (12.0, "12"), (-3.21987, "-3.22"), (0.000_123_456, "0.0001235"), (54321.4, "54321")]
        {
            assert_eq!(value(number), text);
        }
    }

    #[test]
    fn labels_at_the_ends_stay_inside() {
        assert_eq!([0.0, 0.5, 1.0].map(anchor), ["start", "middle", "end"]);
    }
}
