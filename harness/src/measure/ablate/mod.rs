//! `harness ablate`: measures the effect of each switch of an engine on nodes, time and Elo.
//!
//! Each setting is the engine with one switch flipped, or two for the configured pairs. All settings
//! are compared with the unchanged engine as [`crate::measure::bench`] does, with a control that
//! shows the noise. Where times are compared, every setting has a measurement of the unchanged
//! engine of its own, next to it in time. Intervals hold simultaneously for all settings. The
//! interaction of a pair is the ratio of its nodes, divided by the product of the ratios of its two
//! switches. `games` adds Elo from matches. `command` is the caller.

pub(crate) mod command;
pub(crate) mod config;
mod effect;
mod games;
mod report;
mod variant;

pub(crate) use command::AblateRun;
pub use config::AblateConfig;
pub(crate) use config::{AblateGames, Played};
pub(crate) use effect::{Ablation, Effect, Job, Strength};
pub(crate) use games::{folder_of, settings_to_play};
pub(crate) use report::ablation_report;
pub(crate) use variant::{Variant, comparison, variants};
