//! Network training on self-play games.
//!
//! `data` reads the games and keeps some of them apart to judge by; `exact` gives positions of few
//! pieces their exact results; `shards` holds the positions on disk and shuffles them again for each
//! epoch; `gradient` computes the gradient of the loss over a batch, each thread over its share; `adam` takes the step; `model`
//! quantises the result. [`TrainPlay`] carries it out: its tasks are the
//! epochs, done by one worker. The same configuration gives the same network with the same number
//! of threads, and an interrupted run goes on from its last whole epoch. The caller is the command
//! line.

pub(crate) mod command;
pub(crate) mod config;
mod report;

pub use config::TrainConfig;
pub(crate) use report::train_report;

mod adam;
mod checkpoint;
mod data;
mod exact;
mod gradient;
mod model;
mod record;
mod run;
mod shards;
mod study;
mod trainer;
mod view;

#[cfg(test)]
mod tests;

pub(crate) use data::{Dataset, DatasetSize, delete_shards, load};
pub(crate) use exact::METRIC;
pub(crate) use record::{EpochRecord, ValidationLosses};
pub(crate) use run::TrainPlay;
pub(crate) use study::TrainStudy;
