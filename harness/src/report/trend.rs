//! Long sequences drawn as lines on linear axes, with a confidence band and horizontal reference
//! lines.

use maud::html;

use super::document::Figure;
use super::plot::{Frame, Layer, Place, Plot, Tick, across, curve, down, ends, share, stretched};

/// A named data series.
#[derive(Clone, Debug)]
pub struct Line {
    /// Label in the legend.
    pub name: String,
    /// Points of the curve, in rising order of `x`.
    pub points: Vec<(f64, f64)>,
}

/// A named horizontal reference line.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Height on the y axis.
    pub y: f64,
    /// Label at its end.
    pub name: String,
}

/// A line chart with linear axes.
#[derive(Clone, Debug, Default)]
pub struct Trend {
    /// Title of the y axis.
    pub title: String,
    /// Title of the x axis.
    pub x_title: &'static str,
    /// The series, the main one first.
    pub lines: Vec<Line>,
    /// Confidence band around the first line. Shape: x, low, high.
    pub band: Vec<(f64, f64, f64)>,
    /// Horizontal lines to compare with, such as the bounds of a test.
    pub marks: Vec<Mark>,
}

/// Maximum number of points per line; more are not visible at this width.
pub(crate) const MAX_POINTS: usize = 600;

/// Largest number of steps between the ticks of an axis.
const TICKS: f64 = 5.0;

/// Returns the relative position of a point.
fn place(frame: Frame, x: f64, y: f64) -> (f64, f64) {
    (share(frame.x, x), share(frame.y, y))
}

/// Returns the ticks of an axis, at least `least` apart, with their relative positions.
fn axis(range: (f64, f64), least: f64) -> Vec<Tick> {
    let tick = |value: f64| Tick { at: share(range, value), label: value.to_string() };
    ticks(range, least).into_iter().map(tick).collect()
}

/// Returns round tick values from `low` to `high`, at least `least` apart: multiples of 1, 2 or 5 times a power of ten.
fn ticks((low, high): (f64, f64), least: f64) -> Vec<f64> {
    let rough = ((high - low) / TICKS).max(least);
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
    /// Returns the drawing; `None` unless there are two distinct `x` values.
    pub fn draw(&self) -> Option<Figure> {
        let points = || self.lines.iter().flat_map(|line| line.points.iter().copied());
        let x = ends(points().map(|point| point.0));
        if x.0 >= x.1 {
            return None;
        }
        let heights = points().map(|point| point.1).chain(self.marks.iter().map(|mark| mark.y));
        let y = ends(heights.chain(self.band.iter().flat_map(|&(_, low, high)| [low, high])));
        // A constant line still needs a positive height.
        let room = ((y.1 - y.0) * 0.04).max(1e-9);
        let frame = Frame { x, y: (y.0 - room, y.1 + room) };
        // A single line needs no legend because the title describes it.
        let named = if self.lines.len() > 1 { &self.lines[..] } else { &[] };
        let plot = Plot {
            title: &self.title,
            x_title: self.x_title,
            // The x axes count whole things: pairs, moves, iterations.
            x_ticks: axis(frame.x, 1.0),
            y_ticks: axis(frame.y, 0.0),
            names: named.iter().map(|line| line.name.as_str()).collect(),
            has_ideal: false,
        };
        let curves = html! {
            @if !self.band.is_empty() { polygon.band points=(band(&self.band, frame)) {} }
            @for (index, line) in self.lines.iter().enumerate() {
                (curve(&line.name, &self.places(line, index, frame), index))
            }
        };
        let marks = html! {
            @for mark in &self.marks {
                @let y = down(share(frame.y, mark.y));
                line.ideal x1=(across(0.0)) y1=(y) x2="100%" y2=(y) {}
                text.value x="100%" y=(y - 4.0) text-anchor="end" { (mark.name) }
            }
        };
        Some(plot.draw(&[Layer { shift: 0.0, curves }], &marks))
    }

    /// Returns the points of a line; those of the first have the band as their interval.
    fn places(&self, line: &Line, index: usize, frame: Frame) -> Vec<Place> {
        let is_banded = index == 0 && self.band.len() == line.points.len();
        let at = |(index, &(x, y)): (usize, &(f64, f64))| {
            let range = is_banded.then(|| (self.band[index].1, self.band[index].2));
            Place { at: place(frame, x, y), x, y, range }
        };
        line.points.iter().enumerate().map(at).collect()
    }
}

/// Returns the outline of a band: forward along its upper edge, back along the lower.
fn band(band: &[(f64, f64, f64)], frame: Frame) -> String {
    let upper = band.iter().map(|&(x, _, high)| (x, high));
    let lower = band.iter().rev().map(|&(x, low, _)| (x, low));
    upper.chain(lower).map(|(x, y)| stretched(place(frame, x, y))).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::plot::{HEIGHT, TOP};
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
        let figure = trend(&[(1.0, -3.0), (2.0, 0.5), (900.0, 2.0)]).draw().unwrap();
        assert_eq!(figure.width, None, "stretched to the width of the page");
        let text = figure.content.into_string();
        assert!(text.contains("H1") && !text.contains("NaN"));
        let attributes = text.split(" points=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let places: Vec<f64> = attributes
            .flat_map(|points| points.split([' ', ',']))
            .filter_map(|place| place.parse().ok())
            .collect();
        assert_eq!(places.len(), 2 * (6 + 3), "a band of three points and a line");
        let (across, down): (Vec<f64>, Vec<f64>) = places.chunks(2).map(|place| (place[0], place[1])).unzip();
        assert!(across.iter().all(|x| (0.0..=1000.0).contains(x)), "{across:?}");
        assert!(down.iter().all(|y| (TOP..TOP + HEIGHT).contains(y)), "{down:?}");
        // The values for the script, with the interval of the band.
        assert!(text.contains("data-x=\"1 2 900\" data-y=\"-3 0.5 2\" data-low=\"-4 -0.5 1\""), "{text}");
    }

    #[test]
    fn single_point_draws_nothing_and_a_flat_line_is_drawn() {
        assert!(trend(&[(2.0, 1.0)]).draw().is_none());
        let flat = Trend { band: Vec::new(), marks: Vec::new(), ..trend(&[(1.0, 0.0), (2.0, 0.0)]) };
        assert!(!flat.draw().unwrap().content.into_string().contains("NaN"));
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks((0.0, 10.0), 0.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks((-0.11, 0.32), 0.0), [-0.1, 0.0, 0.1, 0.2, 0.3]);
        assert_eq!(ticks((1.0, 3.0), 1.0), [1.0, 2.0, 3.0], "things that are counted");
        for range in [(1.0, 20_000.0), (-3.1, 3.1), (0.0, 1e-6), (-1e9, 5.0)] {
            assert!((3..=11).contains(&ticks(range, 0.0).len()), "{range:?}: {:?}", ticks(range, 0.0));
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
