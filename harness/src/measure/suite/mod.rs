//! `harness suite`: solves EPD positions with known answers and verifies every claimed mate.
//!
//! Each position starts with `ucinewgame`, so results depend on neither the order nor the number of
//! workers. [`SuitePlay`] solves the positions and [`SuiteStudy`] reports on them. A stop request aborts the current
//! searches; a resumed run repeats them. `command` is the caller.

pub(crate) mod command;
mod compare;
pub(crate) mod config;
mod expect;
mod load;
mod mate;
mod play;
mod record;
mod report;
mod study;
mod summary;
mod worker;

pub(crate) use compare::{Baseline, Comparison};
pub(crate) use config::SuiteConfig;
pub use config::SuiteRequest;
pub use expect::Expectation;
pub use load::Suite;
pub(crate) use load::{Task, Warning};
pub use mate::{Relation, Verification, verify};
pub(crate) use play::{SuitePlay, setup};
pub(crate) use record::list_unsolved;
pub use record::{FaultKind, PositionRecord};
pub(crate) use report::suite_report;
pub(crate) use study::SuiteStudy;
pub(crate) use summary::{Points, SuiteSummary, warning_lines};
