//! Long sequences drawn as lines on linear axes, with a confidence band and horizontal reference
//! lines.

use maud::{Markup, html};

use super::chart::{COLOURS, NAMES, ends, legend, round};

/// A named data series.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// Sorted by `x`.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A named horizontal reference line.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) y: f64,
    pub(crate) name: String,
}

/// A line chart with linear axes.
#[derive(Clone, Debug)]
pub(crate) struct Trend {
    pub(crate) title: String,
    pub(crate) x_title: &'static str,
    pub(crate) lines: Vec<Line>,
    /// Confidence band around the first line. Shape: x, low, high.
    pub(crate) band: Vec<(f64, f64, f64)>,
    pub(crate) marks: Vec<Mark>,
}

/// Maximum number of points per line; more are not visible at this width.
pub(crate) const MAX_POINTS: usize = 600;

const WIDTH: f64 = 600.0;
/// Height without the legend.
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 44.0;
const RIGHT: f64 = 16.0;
/// Intended number of ticks on an axis; there may be up to twice as many.
const TICKS: f64 = 5.0;

/// The mapping from values to pixel coordinates.
#[derive(Clone, Copy, Debug)]
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        round(LEFT + (value - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT))
    }

    fn y(&self, value: f64) -> f64 {
        round(HEIGHT - BOTTOM - (value - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - TOP - BOTTOM))
    }
}

/// Returns round tick values from `low` to `high`: multiples of 1, 2 or 5 times a power of ten.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / TICKS;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|&step| step >= rough);
    let step = step.unwrap_or(rough);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    // Computed as a product and rounded, because repeated addition of 0.1 accumulates an error.
    (first..=last).map(|n| (n as f64 * step * 1e9).round() / 1e9).collect()
}

/// Returns at most about [`MAX_POINTS`] of `count` indices, including the first and the last.
pub(crate) fn thinned(count: usize) -> Vec<usize> {
    let every = count.div_ceil(MAX_POINTS).max(1);
    let mut places: Vec<usize> = (0..count).step_by(every).collect();
    if count > 0 && places.last() != Some(&(count - 1)) {
        places.push(count - 1);
    }
    places
}

impl Trend {
    /// Returns the drawing; empty unless there are two distinct `x` values.
    pub(crate) fn draw(&self) -> Markup {
        let points = || self.lines.iter().flat_map(|line| line.points.iter().copied());
        let x = ends(points().map(|point| point.0));
        if x.0 >= x.1 {
            return html! {};
        }
        let heights = points().map(|point| point.1).chain(self.marks.iter().map(|mark| mark.y));
        let y = ends(heights.chain(self.band.iter().flat_map(|&(_, low, high)| [low, high])));
        // A constant line still needs a positive height.
        let room = ((y.1 - y.0) * 0.04).max(1e-9);
        let frame = Frame { x, y: (y.0 - room, y.1 + room) };
        // A single line needs no legend because the title describes it.
        let named = if self.lines.len() > 1 { &self.lines[..] } else { &[] };
        let names = legend(named.iter().map(|line| &line.name), (LEFT, HEIGHT), WIDTH);
        let height = names.last().map_or(HEIGHT, |&(_, y)| y + NAMES / 2.0);
        html! {
            figure {
                svg.small viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(self.title) {
                    text x=(LEFT) y="18" { (self.title) }
                    (self.axes(frame))
                    @if !self.band.is_empty() { polygon.band points=(band(&self.band, frame)) {} }
                    @for mark in &self.marks {
                        line.ideal x1=(LEFT) y1=(frame.y(mark.y)) x2=(WIDTH - RIGHT) y2=(frame.y(mark.y)) {}
                        text x=(WIDTH - RIGHT) y=(frame.y(mark.y) - 4.0) text-anchor="end" { (mark.name) }
                    }
                    @for (index, line) in self.lines.iter().enumerate() {
                        (draw_line(line, frame, index, names.get(index)))
                    }
                }
            }
        }
    }

    fn axes(&self, frame: Frame) -> Markup {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        html! {
            @for tick in ticks(frame.x) {
                line.axis x1=(frame.x(tick)) y1=(TOP) x2=(frame.x(tick)) y2=(bottom) {}
                text x=(frame.x(tick)) y=(bottom + 16.0) text-anchor="middle" { (tick) }
            }
            @for tick in ticks(frame.y) {
                line.axis x1=(LEFT) y1=(frame.y(tick)) x2=(right) y2=(frame.y(tick)) {}
                text x=(LEFT - 6.0) y=(frame.y(tick) + 4.0) text-anchor="end" { (tick) }
            }
            text x=(f64::midpoint(LEFT, right)) y=(HEIGHT - 8.0) text-anchor="middle" { (self.x_title) }
        }
    }
}

/// Draws a line and, if it has a legend position, its name.
fn draw_line(line: &Line, frame: Frame, index: usize, name: Option<&(f64, f64)>) -> Markup {
    let colour = format!("var(--c{})", index % COLOURS);
    let points: Vec<String> =
        line.points.iter().map(|&(x, y)| format!("{},{}", frame.x(x), frame.y(y))).collect();
    html! {
        polyline.curve stroke=(colour) points=(points.join(" ")) {}
        @if let Some(&(x, y)) = name {
            line stroke=(colour) stroke-width="3" x1=(x) y1=(y) x2=(x + 18.0) y2=(y) {}
            text x=(x + 24.0) y=(y + 4.0) { (line.name) }
        }
    }
}

/// Returns the outline of a band: forward along its upper edge, back along the lower.
fn band(band: &[(f64, f64, f64)], frame: Frame) -> String {
    let upper = band.iter().map(|&(x, _, high)| (x, high));
    let lower = band.iter().rev().map(|&(x, low, _)| (x, low));
    let places = upper.chain(lower).map(|(x, y)| format!("{},{}", frame.x(x), frame.y(y)));
    places.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trend(points: &[(f64, f64)]) -> Trend {
        Trend {
            title: "T".to_owned(),
            x_title: "pairs",
            lines: vec![Line { name: "a < b".to_owned(), points: points.to_vec() }],
            band: points.iter().map(|&(x, y)| (x, y - 1.0, y + 1.0)).collect(),
            marks: vec![Mark { y: 2.94, name: "H1".to_owned() }],
        }
    }

    #[test]
    fn every_coordinate_lies_inside_the_chart() {
        let text = trend(&[(1.0, -3.0), (2.0, 0.5), (900.0, 2.0)]).draw().into_string();
        assert!(text.contains("H1") && !text.contains("NaN"));
        let places = text.split('"').skip(1).step_by(2).flat_map(|value| value.split([' ', ',']));
        for place in places.filter_map(|place| place.parse::<f64>().ok()) {
            assert!((0.0..=WIDTH).contains(&place), "{place}");
        }
    }

    #[test]
    fn single_point_draws_nothing_and_a_flat_line_is_drawn() {
        assert_eq!(trend(&[(2.0, 1.0)]).draw().into_string(), "");
        let flat = Trend { band: Vec::new(), marks: Vec::new(), ..trend(&[(1.0, 0.0), (2.0, 0.0)]) };
        assert!(!flat.draw().into_string().contains("NaN"));
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks((0.0, 10.0)), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks((-0.11, 0.32)), [-0.1, 0.0, 0.1, 0.2, 0.3]);
        for range in [(1.0, 20_000.0), (-3.1, 3.1), (0.0, 1e-6), (-1e9, 5.0)] {
            assert!((3..=11).contains(&ticks(range).len()), "{range:?}: {:?}", ticks(range));
        }
    }

    #[test]
    fn thinned_sequences_keep_their_ends() {
        for count in [0, 1, 5, 600, 601, 12_345] {
            let places = thinned(count);
            assert!(places.len() <= MAX_POINTS + 1);
            assert_eq!(places.last().copied(), count.checked_sub(1));
            assert!(places.is_sorted());
        }
    }
}
