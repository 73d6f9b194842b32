//! A UCI engine process: start, options, searches with one absolute deadline each, and guaranteed
//! termination.
//!
//! Every failure of an engine is a [`UciError`]; the referee decides its effect on the game. A
//! failed engine must be dropped and replaced. This module does not know the rules of chess.

mod dialogue;
mod engine;
mod error;
mod info;
mod needs;
mod options;
mod pipes;
mod process;
mod replay;
mod sent_search;
mod words;

pub use engine::{Engine, SearchAnswer};
pub use error::UciError;
pub use info::{ReportedScore, SearchInfo, SearchReport};
pub(crate) use needs::{missing_switches, no_effect, off_text};
pub use options::OptionDecl;
pub(crate) use options::{OptionCheck, OptionKind, check_option, declared_option};
pub use process::{LAUNCH_ARG, Launcher, exec_engine};
pub use replay::Replay;
pub(crate) use replay::Replayed;
pub use sent_search::ReplaySearch;
pub(crate) use words::{READY, go_line, is_best_move, limit_words};
