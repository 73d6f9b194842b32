//! The choice among the evaluations.

use std::sync::Arc;

use super::network::Network;
use super::{classical, material, mating};
use crate::position::Position;
use crate::types::Score;

/// The evaluation used by a search.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// A neural network, shared by all threads.
    Network(Arc<Network>),
    /// The hand-written tapered evaluation.
    Classical,
    /// The values of the pieces and nothing else.
    Material,
}

impl Default for Evaluation {
    /// Returns the built-in network. If it is unusable, which a test excludes for ours and startup
    /// reports for others, returns the classical evaluation.
    fn default() -> Self {
        Network::embedded().map_or(Self::Classical, Self::Network)
    }
}

impl Evaluation {
    /// Returns the type of the evaluation.
    pub const fn kind(&self) -> EvalType {
        match self {
            Self::Network(_) => EvalType::Network,
            Self::Classical => EvalType::Classical,
            Self::Material => EvalType::Material,
        }
    }

    /// Returns the number of neurons that a thread accumulates per side; 0 without a network.
    pub fn hidden(&self) -> usize {
        match self {
            Self::Network(network) => network.hidden(),
            Self::Classical | Self::Material => 0,
        }
    }

    /// Evaluates a position for the side to move. Units: centipawns. Range: `±Score::MAX_EVAL`.
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

/// The type of an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvalType {
    /// Selects [`Evaluation::Network`], the default.
    #[default]
    Network,
    /// Selects [`Evaluation::Classical`], which needs no network.
    Classical,
    /// Selects [`Evaluation::Material`], the baseline.
    Material,
}

impl EvalType {
    /// All types, in the order of the option's choices.
    pub const ALL: [Self; 3] = [Self::Network, Self::Classical, Self::Material];

    /// Returns the name used by the UCI option.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Classical => "classical",
            Self::Material => "material",
        }
    }
}
