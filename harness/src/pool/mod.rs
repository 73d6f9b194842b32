//! The engine processes of the workers: started on trial before a run, kept running from game to game and from search to
//! search, and replaced after a fault.
//!
//! A [`Player`] is one engine of one worker. The module does not know games; matches, measurements and the workshop are
//! its callers.

mod player;
mod trial;

pub use player::{Player, Setup};
pub(crate) use trial::preflight;
pub use trial::{PreflightError, Trial, try_engine, untried};
