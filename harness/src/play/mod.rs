//! Games between engines: openings, the referee, the schedule, matches and sequential tests.

pub(crate) mod adjudication;
pub(crate) mod fastchess;
pub(crate) mod limit_check;
pub(crate) mod live;
pub(crate) mod matches;
pub(crate) mod openbench;
pub(crate) mod openings;
pub(crate) mod pairings;
pub(crate) mod pgn;
pub(crate) mod plan;
pub(crate) mod pv_error;
pub(crate) mod pv_watch;
pub(crate) mod record;
pub(crate) mod referee;
pub(crate) mod schedule;
pub(crate) mod sprt;
pub(crate) mod verdict;
