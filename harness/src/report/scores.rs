//! The scores of both sides over a game, as a small drawing.

use maud::{Markup, html};

/// Width and height of the drawing, which is stretched.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 100.0;
/// The width of the drawing stands for at least this many plies.
const LEAST_PLIES: usize = 40;
/// Slope of the logistic curve from centipawns to the chance of winning, as Lichess draws it.
const SLOPE: f64 = 0.003_682_08;

/// Draws the scores of White's and of Black's engine, ply by ply, from White's view. Units: centipawns. A score beyond a few
/// pieces lies near the edge. `is_white_last` is whether White made the last move.
pub(crate) fn score_curves(scores: &[Option<i32>], is_white_last: bool) -> Markup {
    let last = scores.len().saturating_sub(1);
    let plies = last.max(LEAST_PLIES) as f64;
    let line = |is_white: bool| -> String {
        let own = scores
            .iter()
            .enumerate()
            .filter(|(ply, _)| (last - ply).is_multiple_of(2) == (is_white == is_white_last));
        let points = own.filter_map(|(ply, score)| {
            Some(format!("{:.1},{:.1}", ply as f64 / plies * WIDTH, height((*score)?)))
        });
        points.collect::<Vec<_>>().join(" ")
    };
    let shown = scores.iter().rev().flatten().next().map_or_else(
        || "no score yet".to_owned(),
        |score| format!("scores of both engines, the last one {:+.2}", f64::from(*score) / 100.0),
    );
    html! {
        svg.scores.stretched viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" role="img" aria-label=(shown) {
            line.middle x1="0" y1=(HEIGHT / 2.0) x2=(WIDTH) y2=(HEIGHT / 2.0) {}
            polyline.curve points=(line(true)) style="stroke:var(--c0)" {}
            polyline.curve points=(line(false)) style="stroke:var(--c1)" {}
        }
    }
}

/// Returns the height of a score from the top.
fn height(score: i32) -> f64 {
    let chance = 1.0 / (1.0 + (-SLOPE * f64::from(score)).exp());
    2.0 + (HEIGHT - 4.0) * (1.0 - chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_its_own_curve() {
        let text = score_curves(&[Some(0), Some(-100_000), None, Some(100_000)], false).into_string();
        assert!(text.contains("points=\"0.0,50.0\" style=\"stroke:var(--c0)\""), "White's: {text}");
        assert!(text.contains("points=\"10.0,98.0 30.0,2.0\" style=\"stroke:var(--c1)\""), "Black's: {text}");
        assert!(text.contains("the last one +1000.00"), "{text}");
        assert!(score_curves(&[], true).into_string().contains("no score yet"));
    }
}
