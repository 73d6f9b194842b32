//! Tuning: parameters by SPSA, many settings by screening, evaluation weights by gradient descent; and
//! the calibration of regret by a screening.

pub(crate) mod calibrate;
pub(crate) mod eval;
pub(crate) mod screen;
pub(crate) mod spsa;
