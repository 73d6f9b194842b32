//! What a quiet position is worth, without looking ahead.
//!
//! Three evaluations stand behind one enum: [`network`] was learned from the engine's own games, [`classical`] is
//! hand-written, and [`material`] counts pieces with the values GNU Chess used, as the project's source texts do. The
//! first two leave bare kings to rules (`mating`). All are pure functions of the position; the search
//! (`search::worker`) is the caller, and keeps what a network has summed up from node to node.

pub mod classical;
pub mod material;
pub(crate) mod mating;
pub mod network;
mod wdl;

use std::sync::Arc;

use crate::position::Position;
use crate::types::Score;
use network::Network;

pub use wdl::{Wdl, wdl, winning_pawn};

/// What a search evaluates with.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// A network.
    Network(Arc<Network>),
    /// Tapered, with squares, mobility, pawns and king safety.
    Classical,
    /// Piece values and nothing else.
    Material,
}

impl Default for Evaluation {
    /// The network that is built in. Where it cannot be used, which a test rules out for ours and the start of the program
    /// tells of any other, the classical evaluation.
    fn default() -> Self {
        Network::embedded().map_or(Self::Classical, Self::Network)
    }
}

impl Evaluation {
    /// Of which sort it is.
    pub const fn kind(&self) -> EvalType {
        match self {
            Self::Network(_) => EvalType::Network,
            Self::Classical => EvalType::Classical,
            Self::Material => EvalType::Material,
        }
    }

    /// How many neurons a thread sums up for each side; none without a network.
    pub fn hidden(&self) -> usize {
        match self {
            Self::Network(network) => network.hidden(),
            Self::Classical | Self::Material => 0,
        }
    }

    /// The value for the side to move. Units: centipawns. Range: `±Score::MAX_EVAL`.
    #[inline]
    pub fn evaluate(&self, position: &Position) -> Score {
        match self {
            Self::Network(network) => {
                mating::evaluate(position).unwrap_or_else(|| network.evaluate(position))
            }
            Self::Classical => classical::evaluate(position),
            Self::Material => material::evaluate(position),
        }
    }
}

/// A sort of evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvalType {
    /// [`Evaluation::Network`].
    #[default]
    Network,
    /// [`Evaluation::Classical`].
    Classical,
    /// [`Evaluation::Material`].
    Material,
}

impl EvalType {
    /// All sorts.
    pub const ALL: [Self; 3] = [Self::Network, Self::Classical, Self::Material];

    /// The name of the UCI choice.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Classical => "classical",
            Self::Material => "material",
        }
    }
}
