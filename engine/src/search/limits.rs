//! What a `go` asks for, checked against the position.

use crate::time::Clock;
use crate::types::{Depth, Millis, Move, Nodes};

/// The limits of one search; those that are absent do not limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Finish this iteration and stop.
    pub depth: Option<Depth>,
    /// Begin with this iteration instead of the first: what are those before worth? Only for experiments.
    pub first_depth: Option<Depth>,
    /// Stop after so many nodes of all workers together; exact with one worker.
    pub nodes: Option<Nodes>,
    /// Start no further iteration after so many nodes of all workers together.
    pub soft_nodes: Option<Nodes>,
    /// Stop when a mate in so many moves is proven, for either side. A search that leaves out what it deems bad cannot
    /// prove that there is none, so without one it goes on until `stop` or another limit.
    pub mate: Option<u32>,
    /// Think so long.
    pub movetime: Option<Millis>,
    /// Plan with this clock.
    pub clock: Option<Clock>,
    /// Give no move before `stop`.
    pub infinite: bool,
    /// Give no move before `stop` or `ponderhit`; nothing else ends the search before. Time pondered is time thought.
    pub ponder: bool,
    /// Consider only these root moves; all if empty.
    pub searchmoves: Vec<Move>,
}
