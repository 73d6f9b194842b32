//! Time management: the budget of a move, and how the search adapts it between iterations.
//!
//! [`move_budget`] computes soft and hard limit from the [`Clock`] before the search. The main worker
//! recomputes the soft limit between iterations from the [`Signals`] of the root moves. The hard limit
//! is enforced by `threads::timekeeper`, by the main worker if the alarm is late, and by every worker
//! where the clock counts nodes. Nothing here reads a clock: the callers are `engine`, before it starts a search,
//! and `search::stopping` and the deepening driver in it.

mod budget;
mod clock;
mod deadline;
mod signals;
#[cfg(test)]
mod tests;

pub use budget::{Budget, is_long_enough_for_helpers, left_after, move_budget};
pub use clock::{Clock, MAX_CLOCK, NodeClock};
pub use deadline::SoftLimit;
pub use signals::{Signals, average_score, soft_limit};

pub(crate) use budget::{decode_time_limit, mate_line_time_limit};
pub(crate) use deadline::Deadline;
pub(crate) use signals::RootStability;
