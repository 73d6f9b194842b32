//! The variants of chess that engines can play.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Variant of chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// Standard chess, castling written `e1g1`.
    #[default]
    Standard,
    /// Chess960 and double Chess960, castling written king takes own rook.
    Chess960,
}
