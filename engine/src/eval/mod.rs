//! What a quiet position is worth, without looking ahead.
//!
//! Two evaluations stand behind one enum: [`material`] counts pieces with the values GNU Chess used, as the
//! project's source texts do, and [`classical`] is the one to play with. Both are pure functions of the position;
//! the search (`search::worker`) is the caller.

pub mod classical;
pub mod material;
mod wdl;

use crate::position::Position;
use crate::types::Score;

pub use wdl::{Wdl, wdl};

/// Which evaluation a search uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// Piece values and nothing else.
    Material,
    /// Tapered, with squares, mobility, pawns and king safety.
    #[default]
    Classical,
}

impl Evaluation {
    /// All evaluations.
    pub const ALL: [Self; 2] = [Self::Classical, Self::Material];

    /// The name of the UCI choice.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Classical => "classical",
        }
    }

    /// The value for the side to move. Units: centipawns. Range: `±Score::MAX_EVAL`.
    #[inline]
    pub fn evaluate(self, position: &Position) -> Score {
        match self {
            Self::Material => material::evaluate(position),
            Self::Classical => classical::evaluate(position),
        }
    }
}
