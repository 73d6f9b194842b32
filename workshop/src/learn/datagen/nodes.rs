//! Node limits of a move: one number, or one for each of two phases of the game.

use std::fmt;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The smallest number of pieces, kings and pawns included, to which `from_16_pieces` applies.
const MANY_PIECES: u32 = 16;

/// A node limit: the same for every move, or by the number of pieces on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum NodeLimit {
    /// The same limit for every move.
    Same(NonZeroU64),
    /// A limit by the number of pieces before the move.
    ByPieces(LimitsByPieces),
}

/// Node limits by the number of pieces on the board, kings and pawns included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitsByPieces {
    /// Nodes with 16 pieces or more.
    pub from_16_pieces: NonZeroU64,
    /// Nodes with fewer than 16 pieces.
    pub below: NonZeroU64,
}

impl NodeLimit {
    /// Returns the limit of a move with this number of pieces on the board.
    pub(super) fn at(self, pieces: u32) -> NonZeroU64 {
        match self {
            Self::Same(nodes) => nodes,
            Self::ByPieces(limits) if pieces >= MANY_PIECES => limits.from_16_pieces,
            Self::ByPieces(limits) => limits.below,
        }
    }

    /// Returns the limits multiplied by `factor`.
    pub(super) fn times(self, factor: NonZeroU64) -> Self {
        match self {
            Self::Same(nodes) => Self::Same(nodes.saturating_mul(factor)),
            Self::ByPieces(LimitsByPieces { from_16_pieces, below }) => Self::ByPieces(LimitsByPieces {
                from_16_pieces: from_16_pieces.saturating_mul(factor),
                below: below.saturating_mul(factor),
            }),
        }
    }

    /// Whether the limit is at least `other` for every number of pieces.
    pub(super) fn is_at_least(self, other: Self) -> bool {
        [MANY_PIECES, MANY_PIECES - 1].iter().all(|&pieces| self.at(pieces) >= other.at(pieces))
    }
}

/// Writes `80`, or `400 (80 below 16 pieces)`.
impl fmt::Display for NodeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same(nodes) => nodes.fmt(f),
            Self::ByPieces(LimitsByPieces { from_16_pieces, below }) => {
                write!(f, "{from_16_pieces} ({below} below {MANY_PIECES} pieces)")
            }
        }
    }
}

/// Decides by the kind of YAML node, so that errors state the field.
impl<'de> Deserialize<'de> for NodeLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrMap;

        impl<'de> Visitor<'de> for NumberOrMap {
            type Value = NodeLimit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of nodes above 0, or `{ from_16_pieces: 400, below: 80 }`")
            }

            fn visit_u64<E: de::Error>(self, nodes: u64) -> Result<NodeLimit, E> {
                let wrong = || E::invalid_value(de::Unexpected::Unsigned(nodes), &self);
                NonZeroU64::new(nodes).map(NodeLimit::Same).ok_or_else(wrong)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NodeLimit, A::Error> {
                LimitsByPieces::deserialize(MapAccessDeserializer::new(map)).map(NodeLimit::ByPieces)
            }
        }

        deserializer.deserialize_any(NumberOrMap)
    }
}
