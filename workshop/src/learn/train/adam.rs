//! The Adam optimiser with decoupled weight decay.
//!
//! Source: `AdamW`, I. Loshchilov and F. Hutter, "Decoupled Weight Decay Regularization" (2019).

use super::model::{Shape, WEIGHT_LIMIT};

/// Decay of the first moment (beta 1).
const MEAN_DECAY: f32 = 0.9;
/// Decay of the second moment (beta 2).
const SQUARE_DECAY: f32 = 0.999;
/// Lower bound of the denominator, against division by zero.
const EPSILON: f32 = 1e-8;

/// The parameters of one optimiser step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Learning rate of the schedule.
    pub(super) rate: f32,
    /// Weight decay, relative to the learning rate.
    pub(super) decay: f32,
    /// Positions in the batch.
    pub(super) positions: usize,
    /// Bias corrections of the moments, which start at zero.
    pub(super) mean_correction: f32,
    pub(super) square_correction: f32,
}

impl Step {
    /// Returns the step with this number, from 1.
    pub(super) fn new(number: u64, rate: f64, decay: f64, positions: usize) -> Self {
        let youth = |decay: f32| (1.0 / (1.0 - f64::from(decay).powf(number as f64))) as f32;
        Self {
            rate: rate as f32,
            decay: decay as f32,
            positions,
            mean_correction: youth(MEAN_DECAY),
            square_correction: youth(SQUARE_DECAY),
        }
    }
}

/// The first and second moments of the gradient, by parameter; after them those of the feature weights that all
/// king buckets share.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Moments {
    pub(super) means: Vec<f32>,
    pub(super) squares: Vec<f32>,
}

impl Moments {
    pub(super) fn new(shape: Shape) -> Self {
        let count = shape.len() + shape.shared();
        Self { means: vec![0.0; count], squares: vec![0.0; count] }
    }
}

/// Adds the gradients of all threads to the first, in order, and resets the others to zero.
pub(super) fn gather(gradients: &mut [&mut [f32]]) {
    let Some((slopes, others)) = gradients.split_first_mut() else { return };
    for other in others {
        for (slope, part) in slopes.iter_mut().zip(other.iter_mut()) {
            *slope += *part;
            *part = 0.0;
        }
    }
}

/// Replaces each slope by the direction of its parameter, and updates the moments.
///
/// Slices of one length, without bounds checks in the loop: the compiler vectorizes it.
pub(super) fn direct(step: Step, means: &mut [f32], squares: &mut [f32], slopes: &mut [f32]) {
    let each = 1.0 / step.positions as f32;
    for ((mean, square), slope) in means.iter_mut().zip(squares).zip(slopes) {
        let here = *slope * each;
        *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * here;
        *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * here * here;
        *slope = *mean * step.mean_correction / ((*square * step.square_correction).sqrt() + EPSILON);
    }
}

/// Moves parameters along their directions, which are reset to zero.
pub(super) fn advance(step: Step, parameters: &mut [f32], directions: &mut [f32]) {
    for (value, direction) in parameters.iter_mut().zip(directions) {
        let moved = *value * (1.0 - step.rate * step.decay) - step.rate * *direction;
        *value = moved.clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
        *direction = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optimiser_finds_the_minimum_of_a_quadratic() {
        let goal = [0.5_f32, -1.0, 0.0, 1.5];
        let mut parameters = [0.0_f32; 4];
        let mut moments = Moments { means: vec![0.0; 4], squares: vec![0.0; 4] };
        for number in 1..=4000 {
            let slope: Vec<f32> =
                parameters.iter().zip(goal).map(|(here, goal)| 2.0 * (here - goal)).collect();
            // Two threads with half of the gradient each, over two positions.
            let (mut one, mut other) = (slope.clone(), slope);
            let rate = 0.05 / f64::from(number).sqrt();
            let step = Step::new(u64::from(number as u32), rate, 0.0, 2);
            gather(&mut [&mut one, &mut other]);
            direct(step, &mut moments.means, &mut moments.squares, &mut one);
            advance(step, &mut parameters, &mut one);
            assert_eq!((one, other), (vec![0.0; 4], vec![0.0; 4]));
        }
        for (found, goal) in parameters.iter().zip(goal) {
            assert!((found - goal).abs() < 0.01, "{found}, expected {goal}");
        }
    }

    #[test]
    fn weights_stay_within_their_limit() {
        let (mut parameters, mut moments) = ([1.97_f32], Moments { means: vec![0.0], squares: vec![0.0] });
        for number in 1..100 {
            let mut slope = [-1.0_f32];
            let step = Step::new(number, 0.01, 0.0, 1);
            direct(step, &mut moments.means, &mut moments.squares, &mut slope);
            advance(step, &mut parameters, &mut slope);
        }
        assert!((parameters[0] - WEIGHT_LIMIT).abs() < 1e-6, "{parameters:?}");
    }

    #[test]
    fn first_direction_is_the_sign_of_the_slope() {
        let (mut mean, mut square, mut slopes) = ([0.0; 2], [0.0; 2], [3.0, -0.01]);
        direct(Step::new(1, 0.5, 0.0, 1), &mut mean, &mut square, &mut slopes);
        assert!((slopes[0] - 1.0).abs() < 1e-3 && (slopes[1] + 1.0).abs() < 1e-3, "{slopes:?}");
    }

    #[test]
    fn weights_decay_towards_zero() {
        for (before, direction, after) in [(1.0, 0.0, 0.95), (-1.0, 0.0, -0.95), (1.0, 1.0, 0.45)] {
            let mut parameters = [before];
            advance(Step::new(1, 0.5, 0.1, 1), &mut parameters, &mut [direction]);
            assert!((parameters[0] - after).abs() < 1e-6, "{parameters:?}, expected {after}");
        }
    }
}
