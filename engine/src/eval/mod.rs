//! Static evaluation of positions.
//!
//! Three evaluations share one enum: [`network`] is trained on the engine's own games,
//! [`classical`] is hand-written, and [`material`] counts pieces with the values of GNU Chess. The
//! first two leave bare kings to the rules of `mating`. All are pure functions of the position. The
//! caller is the search (`search::context`), which stores the network's accumulators from node to
//! node.

pub mod classical;
mod evaluation;
pub mod material;
pub(crate) mod mating;
pub mod network;
mod wdl;

pub use evaluation::{EvalType, Evaluation};
pub use wdl::{REFERENCE_NODES, Trend, Wdl, WdlCurve, WdlModel, material_points};
