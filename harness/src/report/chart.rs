//! Curves with error bars, drawn as SVG on logarithmic axes.

use maud::{Markup, html};

/// A measured point. Both axes are logarithmic, so all values are positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Lower and upper end of the interval.
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A named curve.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// Sorted by `x`.
    pub(crate) points: Vec<Point>,
}

/// A line chart with two logarithmic axes.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x_title: &'static str,
    pub(crate) series: Vec<Series>,
    /// Value at the least `x` of a line drawn for comparison, which is proportional to `x`.
    pub(crate) ideal: f64,
}

const WIDTH: f64 = 600.0;
/// Height without the legend.
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 48.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 48.0;
const RIGHT: f64 = 16.0;
/// Distance between two lines of the legend.
pub(crate) const NAMES: f64 = 20.0;
/// Width of a legend mark with its gaps, and the maximum width of a letter.
const MARK: f64 = 42.0;
const LETTER: f64 = 7.0;
/// Number of curve colours; further curves reuse them.
pub(crate) const COLOURS: usize = 8;

/// Returns the position of each name of the legend: in lines below the axis, starting at (`left`,
/// `top`), so that a narrow screen shows them too.
pub(crate) fn legend<'a>(
    names: impl Iterator<Item = &'a String>,
    (left, top): (f64, f64),
    width: f64,
) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (left, top + NAMES / 2.0);
    let mut places = Vec::new();
    for name in names {
        let wanted = MARK + LETTER * name.chars().count() as f64;
        if x > left && x + wanted > width {
            (x, y) = (left, y + NAMES);
        }
        places.push((x, y));
        x += wanted;
    }
    places
}

/// The mapping from values to pixel coordinates.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Ranges of the axes.
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        LEFT + share(self.x, value) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - share(self.y, value) * (HEIGHT - TOP - BOTTOM)
    }
}

/// Returns the relative position of a value on a logarithmic axis. Range: 0 to 1 between its ends.
fn share((low, high): (f64, f64), value: f64) -> f64 {
    (value.ln() - low.ln()) / (high.ln() - low.ln())
}

/// Returns the minimum and the maximum of the values.
pub(crate) fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// Returns the tick values of an axis, few enough to be readable.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    const FINE: [f64; 14] = [0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0];
    if high / low < 2.5 && low > 0.65 {
        return FINE.into_iter().filter(|tick| (low..=high).contains(tick)).collect();
    }
    if low > 100.0 {
        return large_ticks(low, high);
    }
    // Powers of two, thinned out if there are many.
    let powers = (low.log2().ceil() as i32)..=(high.log2().floor() as i32);
    let every = powers.clone().count().div_ceil(9).max(1);
    powers.step_by(every).map(|power| 2.0_f64.powi(power)).collect()
}

/// Returns the tick values of an axis of large numbers, such as speeds.
fn large_ticks(low: f64, high: f64) -> Vec<f64> {
    let decades = (low.log10().floor() as i32)..=(high.log10().floor() as i32);
    if high / low < 4.0 {
        // Equal steps of 1, 2 or 5 units, at least three of them.
        let unit = 10.0_f64.powi(((high - low) / 3.0).log10().floor() as i32);
        let step = [5.0, 2.0, 1.0].map(|step| step * unit).into_iter().find(|step| 3.0 * step <= high - low);
        let step = step.unwrap_or(unit);
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        return (first..=last).map(|count| count as f64 * step).collect();
    }
    let steps: &[f64] = if decades.clone().count() > 4 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let ticks = decades.flat_map(|decade| steps.iter().map(move |step| step * 10.0_f64.powi(decade)));
    ticks.filter(|tick| (low..=high).contains(tick)).collect()
}

/// Formats a tick value; large ones as `250 k` or `1.5 M`.
fn label(tick: f64) -> String {
    let scaled = |unit: f64, name: &str| format!("{} {name}", (tick / unit * 1000.0).round() / 1000.0);
    match tick {
        1e9.. => scaled(1e9, "G"),
        1e6.. => scaled(1e6, "M"),
        1e3.. => scaled(1e3, "k"),
        _ => tick.to_string(),
    }
}

impl Chart {
    /// Returns the drawing; empty unless there are two distinct `x` values.
    pub(crate) fn draw(&self) -> Markup {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = ends(points().map(|point| point.x));
        if x.0 >= x.1 {
            return html! {};
        }
        let y = ends(points().flat_map(|point| [point.low, point.high, self.ideal]));
        let frame = Frame { x, y: (y.0 * 0.96, y.1 * 1.04) };
        let names = legend(self.series.iter().map(|series| &series.name), (LEFT, HEIGHT), WIDTH);
        let height = names.last().map_or(HEIGHT, |&(_, y)| y + NAMES / 2.0);
        let mut places: Vec<f64> = points().map(|point| point.x).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        html! {
            figure {
                svg.small viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(self.title) {
                    text x=(LEFT) y="18" { (self.title) }
                    (self.axes(frame, &places))
                    @for (index, (series, name)) in self.series.iter().zip(names).enumerate() {
                        (draw_series(series, frame, index, name))
                    }
                }
            }
        }
    }

    fn axes(&self, frame: Frame, places: &[f64]) -> Markup {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        // End of the ideal line within the frame.
        let reach = (frame.x.1 / frame.x.0).min(frame.y.1 / self.ideal);
        html! {
            @for &place in places {
                line.axis x1=(round(frame.x(place))) y1=(TOP) x2=(round(frame.x(place))) y2=(bottom) {}
                text x=(round(frame.x(place))) y=(bottom + 18.0) text-anchor="middle" { (place) }
            }
            @for tick in ticks(frame.y) {
                line.axis x1=(LEFT) y1=(round(frame.y(tick))) x2=(right) y2=(round(frame.y(tick))) {}
                text x=(LEFT - 6.0) y=(round(frame.y(tick) + 4.0)) text-anchor="end" { (label(tick)) }
            }
            text x=(f64::midpoint(LEFT, right)) y=(HEIGHT - 10.0) text-anchor="middle" { (self.x_title) }
            line.ideal x1=(round(frame.x(frame.x.0))) y1=(round(frame.y(self.ideal)))
                x2=(round(frame.x(frame.x.0 * reach))) y2=(round(frame.y(self.ideal * reach))) {}
        }
    }
}

/// Draws a curve, its error bars, and its legend entry at (`x`, `y`).
fn draw_series(series: &Series, frame: Frame, index: usize, (x, y): (f64, f64)) -> Markup {
    let colour = format!("var(--c{})", index % COLOURS);
    let line: Vec<String> = series
        .points
        .iter()
        .map(|point| format!("{},{}", round(frame.x(point.x)), round(frame.y(point.y))))
        .collect();
    html! {
        polyline.curve stroke=(colour) points=(line.join(" ")) {}
        @for point in &series.points {
            line stroke=(colour) x1=(round(frame.x(point.x))) y1=(round(frame.y(point.low)))
                x2=(round(frame.x(point.x))) y2=(round(frame.y(point.high))) {}
            circle fill=(colour) r="3" cx=(round(frame.x(point.x))) cy=(round(frame.y(point.y))) {}
        }
        line stroke=(colour) stroke-width="3" x1=(x) y1=(y) x2=(x + 18.0) y2=(y) {}
        text x=(x + 24.0) y=(y + 4.0) { (series.name) }
    }
}

/// Rounds to tenths of a pixel.
pub(crate) fn round(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: &[(f64, f64)]) -> Chart {
        let points = points.iter().map(|&(x, y)| Point { x, y, low: y * 0.9, high: y * 1.1 }).collect();
        let series = vec![Series { name: "a < b".to_owned(), points }];
        Chart { title: "T".to_owned(), x_title: "threads", series, ideal: 1.0 }
    }

    #[test]
    fn every_coordinate_lies_inside_the_chart() {
        let text = chart(&[(1.0, 1.0), (4.0, 2.6), (256.0, 31.0)]).draw().into_string();
        assert!(text.contains("a &lt; b") && !text.contains("NaN"));
        for attribute in text.split('"').skip(1).step_by(2) {
            if let Ok(place) = attribute.parse::<f64>() {
                assert!((0.0..=WIDTH).contains(&place), "{place}");
            }
        }
    }

    #[test]
    fn legend_wraps_below_the_axis() {
        let mut many = chart(&[(1.0, 1.0), (2.0, 2.0)]);
        many.series = vec![Series { name: "x".repeat(25), ..many.series[0].clone() }; 5];
        let places = legend(many.series.iter().map(|series| &series.name), (LEFT, HEIGHT), WIDTH);
        assert_eq!(
            places.iter().map(|place| place.1).collect::<Vec<_>>(),
            [390.0, 390.0, 410.0, 410.0, 430.0]
        );
        assert!(many.draw().into_string().contains("0 0 600 440"));
    }

    #[test]
    fn single_x_value_draws_nothing() {
        assert_eq!(chart(&[(2.0, 1.0)]).draw().into_string(), "");
        assert_eq!(chart(&[]).draw().into_string(), "");
    }

    #[test]
    fn speeds_are_labelled_with_their_unit() {
        let mut speeds = chart(&[(1.0, 6e5), (4.0, 2e6)]);
        speeds.ideal = 6e5;
        let text = speeds.draw().into_string();
        assert!(text.contains(">1 M</text>") && !text.contains("NaN"), "{text}");
        let labels = [2.5e5, 1e6, 1.25e7, 3e9, 512.0, 0.5].map(label);
        assert_eq!(labels, ["250 k", "1 M", "12.5 M", "3 G", "512", "0.5"]);
    }

    #[test]
    fn tick_count_is_small_for_every_range() {
        let speeds = [(5.1e5, 5.9e5), (7e5, 1.5e6), (6e5, 3e6), (7e5, 9e7), (9.9e5, 1.01e6), (2e3, 9e8)];
        let ratios = [(0.9, 1.3), (0.96, 2.1), (0.5, 40.0), (0.9, 270.0), (1e-3, 1e6)];
        for range in ratios.into_iter().chain(speeds) {
            let ticks = ticks(range);
            assert!((2..=12).contains(&ticks.len()), "{range:?}: {ticks:?}");
        }
    }
}
