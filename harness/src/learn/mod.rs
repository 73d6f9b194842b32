//! Networks: self-play games, training samples and training.

pub mod data;
pub mod datagen;
pub mod train;
