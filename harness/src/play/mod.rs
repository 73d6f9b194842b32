//! Games between engines: openings, the referee, the schedule, matches and sequential tests.

pub mod adjudication;
pub(crate) mod block;
pub mod fastchess;
pub mod limit_check;
pub mod live;
pub mod matches;
pub mod openbench;
pub mod openings;
pub mod pairings;
pub mod pgn;
pub mod pv_watch;
pub mod record;
pub mod referee;
pub(crate) mod rules;
pub mod schedule;
pub mod verdict;
