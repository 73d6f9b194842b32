//! Networks: self-play games, training samples and training.

pub(crate) mod data;
pub(crate) mod datagen;
pub(crate) mod rules;
pub(crate) mod train;
