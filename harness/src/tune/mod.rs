//! Tuning: parameters by SPSA, many settings by screening, evaluation weights by gradient descent.

pub(crate) mod screen;
pub(crate) mod spsa;
