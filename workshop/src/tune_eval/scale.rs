//! Fit of a logistic scale by golden-section search.

use rayon::prelude::*;

use super::model::{Position, Weights, cross_entropy};

/// Search range of the scale. Units: centipawns.
const RANGE: (f64, f64) = (10.0, 2000.0);

/// Whether a fitted scale is inside the search range. At an end of it, values and points are not related, or contradict
/// each other.
pub(crate) fn is_inside(scale: f64) -> bool {
    1.01 * RANGE.0 < scale && scale < 0.99 * RANGE.1
}

/// Returns the argument of the minimum of a unimodal function.
///
/// Source: golden-section search, Kiefer, "Sequential minimax search for a maximum" (1953).
pub(super) fn smallest(low: f64, high: f64, tolerance: f64, of: impl Fn(f64) -> f64) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (low, high);
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (of(left), of(right));
    while high - low > tolerance {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = of(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = of(right);
        }
    }
    f64::midpoint(low, high)
}

/// Returns the maximum-likelihood scale for triples of value, points and count.
pub(crate) fn of_values(pairs: &[(f64, f64, f64)]) -> f64 {
    // The loss is unimodal in 1/scale.
    let loss = |steepness: f64| {
        pairs.iter().map(|(value, points, times)| times * cross_entropy(*points, value * steepness)).sum()
    };
    1.0 / smallest(1.0 / RANGE.1, 1.0 / RANGE.0, 1e-7, loss)
}

/// Returns the scale of the evaluation with these weights.
pub(super) fn of_positions(positions: &[Position], weights: &Weights) -> f64 {
    let pairs: Vec<(f64, f64, f64)> =
        positions.par_iter().map(|position| (position.value(weights), position.points(), 1.0)).collect();
    of_values(&pairs)
}

#[cfg(test)]
mod tests {
    use super::super::model::sigmoid;
    use super::*;

    #[test]
    fn known_scale_is_recovered() {
        let pairs: Vec<(f64, f64, f64)> = (-40..=40)
            .flat_map(|step| {
                let value = f64::from(step) * 10.0;
                let share = sigmoid(value / 137.0);
                [(value, 1.0, share), (value, 0.0, 1.0 - share)]
            })
            .collect();
        assert!((of_values(&pairs) - 137.0).abs() < 0.1 && is_inside(of_values(&pairs)));
        // The scores of the other side, and those of White.
        let reversed: Vec<_> = pairs.iter().map(|&(value, points, times)| (-value, points, times)).collect();
        let mixed = [pairs, reversed.clone()].concat();
        for pairs in [reversed, mixed] {
            assert!(!is_inside(of_values(&pairs)), "{}", of_values(&pairs));
        }
    }
}
