//! Means of regrets and gains over positions.

use serde::Serialize;

use crate::stats::mean::mean_and_half;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Mean {
    /// Mean over positions.
    pub value: f64,
    /// Half-width of the interval; absent with fewer than two values.
    pub half_width: Option<f64>,
}

impl Mean {
    /// Returns the mean of these values with its interval.
    pub(super) fn of(values: &[f64]) -> Self {
        let (value, half_width) = mean_and_half(values);
        Self { value, half_width }
    }
}
