//! Curves with error bars, drawn as SVG on logarithmic axes.

use maud::{Markup, html};

use super::document::Figure;
use super::plot::{self, Frame, Layer, Place, Plot, Tick, across, colour, curve, down, ends, round};

/// A measured point. Both axes are logarithmic, so all values are positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Lower and upper end of the interval.
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A curve of points with intervals, and its name in the legend.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// Points of the curve, in rising order of `x`.
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

/// Distance of neighbouring series at the same `x`, which keeps their error bars apart, and the largest distance of all. Units: pixels.
const APART: f64 = 4.0;
const MAX_APART: f64 = 16.0;

/// Returns the shift of a series to the right. Units: pixels.
fn shift(index: usize, count: usize) -> f64 {
    let last = count.saturating_sub(1) as f64;
    round((index as f64 - last / 2.0) * APART.min(MAX_APART / last.max(1.0)))
}

/// Returns the relative position of a value on a logarithmic axis. Range: 0 to 1 between its ends.
fn share((low, high): (f64, f64), value: f64) -> f64 {
    plot::share((low.ln(), high.ln()), value.ln())
}

/// Returns the tick values of an axis, few enough to be readable.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    const FINE: [f64; 14] = [0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0];
    const HALVES: [f64; 9] = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0];
    let within = |ticks: &[f64]| ticks.iter().copied().filter(|tick| (low..=high).contains(tick)).collect();
    if !(0.05..=100.0).contains(&low) || high > 9000.0 || high / low > 600.0 {
        return decimal_ticks(low, high);
    }
    if high / low < 2.5 && low > 0.65 {
        return within(&FINE);
    }
    if high / low < 8.0 && low > 0.65 && high < 10.0 {
        return within(&HALVES);
    }
    // Powers of two: 1/16 to 8192, of which a range of 600 has ten at most.
    let powers = (low.log2().ceil() as i32)..=(high.log2().floor() as i32);
    powers.map(|power| 2.0_f64.powi(power)).collect()
}

/// Returns the tick values of an axis of large or small numbers, such as speeds, or of a wide range.
/// Powers of two would be hard to read there: 16.384 k, 0.00048828125.
fn decimal_ticks(low: f64, high: f64) -> Vec<f64> {
    let decades = (low.log10().floor() as i32)..=(high.log10().floor() as i32);
    if high / low < 4.0 {
        // Equal steps of 1, 2 or 5 units, at least three of them.
        let unit = 10.0_f64.powi(((high - low) / 3.0).log10().floor() as i32);
        let step = [5.0, 2.0, 1.0].map(|step| step * unit).into_iter().find(|step| 3.0 * step <= high - low);
        let step = step.unwrap_or(unit);
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        return (first..=last).map(|count| count as f64 * step).collect();
    }
    let count = decades.clone().count();
    let steps: &[f64] = if count > 4 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let decades = decades.step_by(count.div_ceil(12));
    let ticks = decades.flat_map(|decade| steps.iter().map(move |step| step * 10.0_f64.powi(decade)));
    ticks.filter(|tick| (low..=high).contains(tick)).collect()
}

/// Formats a tick value; large ones as `250 k` or `1.5 M`, numbers of four digits as they are, tiny
/// ones as `5e-6`.
fn label(tick: f64) -> String {
    let scaled = |unit: f64, name: &str| format!("{} {name}", (tick / unit * 1000.0).round() / 1000.0);
    match tick {
        1e9.. => scaled(1e9, "G"),
        1e6.. => scaled(1e6, "M"),
        1e4.. => scaled(1e3, "k"),
        // A multiple of a step may end with digits of rounding: 0.0006000000000000001.
        _ => {
            let rounded = format!("{tick:.5e}").parse().unwrap_or(tick);
            if rounded < 1e-4 { format!("{rounded:e}") } else { rounded.to_string() }
        }
    }
}

impl Chart {
    /// Returns the drawing; `None` unless there are two distinct `x` values.
    pub(crate) fn draw(&self) -> Option<Figure> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = ends(points().map(|point| point.x));
        if x.0 >= x.1 {
            return None;
        }
        let y = ends(points().flat_map(|point| [point.low, point.high, self.ideal]));
        let frame = Frame { x, y: (y.0 * 0.96, y.1 * 1.04) };
        let mut places: Vec<f64> = points().map(|point| point.x).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let x_tick = |place: f64| Tick { at: share(frame.x, place), label: place.to_string() };
        let y_tick = |value: f64| Tick { at: share(frame.y, value), label: label(value) };
        let plot = Plot {
            title: &self.title,
            x_title: self.x_title,
            x_ticks: places.into_iter().map(x_tick).collect(),
            y_ticks: ticks(frame.y).into_iter().map(y_tick).collect(),
            names: self.series.iter().map(|series| series.name.as_str()).collect(),
            has_ideal: true,
        };
        let place = |point: &Point| Place {
            at: (share(frame.x, point.x), share(frame.y, point.y)),
            x: point.x,
            y: point.y,
            range: Some((point.low, point.high)),
        };
        let layer = |(index, series): (usize, &Series)| Layer {
            shift: shift(index, self.series.len()),
            curves: curve(&series.name, &series.points.iter().map(place).collect::<Vec<_>>(), index),
        };
        let layers: Vec<Layer> = self.series.iter().enumerate().map(layer).collect();
        Some(plot.draw(&layers, &self.marks(frame)))
    }

    /// Draws the ideal line, and the points with their error bars.
    fn marks(&self, frame: Frame) -> Markup {
        // End of the ideal line within the frame.
        let reach = (frame.x.1 / frame.x.0).min(frame.y.1 / self.ideal);
        let left = |x: f64| across(share(frame.x, x));
        let top = |y: f64| down(share(frame.y, y));
        html! {
            line.ideal x1=(left(frame.x.0)) y1=(top(self.ideal)) x2=(left(frame.x.0 * reach))
                y2=(top(self.ideal * reach)) {}
            @for (index, series) in self.series.iter().enumerate() {
                g transform=(format!("translate({} 0)", shift(index, self.series.len()))) {
                    @for point in &series.points {
                        line stroke=(colour(index)) x1=(left(point.x)) y1=(top(point.low))
                            x2=(left(point.x)) y2=(top(point.high)) {}
                        circle fill=(colour(index)) r="3" cx=(left(point.x)) cy=(top(point.y)) {}
                    }
                }
            }
        }
    }
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
        let text = chart(&[(1.0, 1.0), (4.0, 2.6), (256.0, 31.0)]).draw().unwrap().content.into_string();
        assert!(text.contains("a &lt; b") && !text.contains("NaN"));
        let attributes = text.split('"').skip(1).step_by(2);
        let places = attributes.filter_map(|attribute| attribute.strip_suffix('%')?.parse::<f64>().ok());
        let places: Vec<f64> = places.collect();
        assert!(places.len() > 12 && places.iter().all(|place| (0.0..=100.0).contains(place)), "{places:?}");
        assert!(text.contains("data-x=\"1 4 256\""), "{text}");
    }

    #[test]
    fn series_lie_beside_each_other() {
        assert_eq!((shift(0, 2), shift(1, 2)), (-2.0, 2.0));
        assert_eq!((shift(0, 1), shift(0, 9), shift(8, 9)), (0.0, -8.0, 8.0));
        let mut two = chart(&[(1.0, 1.0), (2.0, 1.8)]);
        two.series.push(Series { name: "b".to_owned(), ..two.series[0].clone() });
        let text = two.draw().unwrap().content.into_string();
        for shift in ["-2", "2"] {
            assert!(text.contains(&format!("<g transform=\"translate({shift} 0)\">")), "{text}");
            assert!(text.contains(&format!("<svg class=\"stretched\" x=\"{shift}\"")), "{text}");
        }
    }

    #[test]
    fn ideal_line_is_in_the_legend_and_labels_are_outside() {
        let text = chart(&[(1.0, 1.0), (4.0, 2.6)]).draw().unwrap().content.into_string();
        assert!(
            text.contains(">ideal</text>") && text.matches("<line class=\"ideal\"").count() == 2,
            "{text}"
        );
        // Labels begin at the left edge, grid and curves behind them.
        assert!(
            text.contains("<text class=\"value\" x=\"2\"") && text.contains("<line class=\"axis\" x1=\"7%\""),
            "{text}"
        );
    }

    #[test]
    fn single_x_value_draws_nothing() {
        assert!(chart(&[(2.0, 1.0)]).draw().is_none());
        assert!(chart(&[]).draw().is_none());
    }

    #[test]
    fn speeds_are_labelled_with_their_unit() {
        let mut speeds = chart(&[(1.0, 6e5), (4.0, 2e6)]);
        speeds.ideal = 6e5;
        let text = speeds.draw().unwrap().content.into_string();
        assert!(text.contains(">1 M</text>") && !text.contains("NaN"), "{text}");
        let labels = [2.5e5, 1e6, 1.25e7, 3e9, 1024.0, 0.0625, 3.0 * 0.0002, 1e-8].map(label);
        assert_eq!(labels, ["250 k", "1 M", "12.5 M", "3 G", "1024", "0.0625", "0.0006", "1e-8"]);
    }

    #[test]
    fn labels_are_short_for_every_range() {
        let ranges = [
            (0.9, 1100.0),
            (80.0, 4e4),
            (0.9, 270.0),
            (0.0004, 0.3),
            (0.0004, 0.0005),
            (1e-9, 1e6),
            (700.0, 9e7),
        ];
        for range in ranges {
            for tick in ticks(range) {
                let label = label(tick);
                assert!(label.len() <= 7, "{range:?}: {label}");
            }
        }
        let labels = |range: (f64, f64)| ticks(range).into_iter().map(label).collect::<Vec<_>>();
        assert_eq!(labels((0.9, 1100.0)), ["1", "10", "100", "1000"]);
        assert_eq!(labels((0.9, 70.0)), ["1", "2", "4", "8", "16", "32", "64"]);
    }

    #[test]
    fn tick_count_is_small_for_every_range() {
        let speeds = [(5.1e5, 5.9e5), (7e5, 1.5e6), (6e5, 3e6), (7e5, 9e7), (9.9e5, 1.01e6), (2e3, 9e8)];
        let ratios =
            [(0.9, 1.3), (0.96, 2.1), (0.5, 40.0), (0.9, 270.0), (1e-3, 1e6), (1e-9, 1e9), (0.06, 30.0)];
        for range in ratios.into_iter().chain(speeds) {
            let ticks = ticks(range);
            assert!((2..=12).contains(&ticks.len()), "{range:?}: {ticks:?}");
        }
    }
}
