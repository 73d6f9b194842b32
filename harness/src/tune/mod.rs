//! Tuning: parameters by SPSA, many settings by screening, evaluation weights by gradient descent.

pub mod eval;
pub mod screen;
pub mod spsa;
