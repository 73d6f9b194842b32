//! Sides as types, so that code seen from one side is compiled once per side without run-time
//! branches.

use super::{Bitboard, Color, Rank};

/// White or Black as a type parameter.
pub(crate) trait Side {
    const US: Color;
    const THEM: Color;
    /// The opponent as a type.
    type Other: Side;

    /// The eighth rank from this side's point of view.
    const LAST_RANK: Bitboard = Bitboard::rank(Self::US.relative_rank(Rank::EIGHTH));
    /// The third rank from this side's point of view, where pawns stand after a single step.
    const THIRD_RANK: Bitboard = Bitboard::rank(Self::US.relative_rank(Rank::THIRD));
    /// The first rank from this side's point of view.
    const BACK_RANK: Bitboard = Bitboard::rank(Self::US.relative_rank(Rank::FIRST));
    /// Index difference of a pawn step forward.
    const FORWARD: i32 = match Self::US {
        Color::White => 8,
        Color::Black => -8,
    };
}

/// White as a type.
pub(crate) struct White;
/// Black as a type.
pub(crate) struct Black;

impl Side for White {
    const US: Color = Color::White;
    const THEM: Color = Color::Black;
    type Other = Black;
}

impl Side for Black {
    const US: Color = Color::Black;
    const THEM: Color = Color::White;
    type Other = White;
}

/// Evaluates an expression with a type parameter bound to the type of the given side.
macro_rules! by_side {
    ($color:expr, $side:ident => $body:expr) => {
        match $color {
            crate::types::Color::White => {
                type $side = crate::types::White;
                $body
            }
            crate::types::Color::Black => {
                type $side = crate::types::Black;
                $body
            }
        }
    };
}
pub(crate) use by_side;
