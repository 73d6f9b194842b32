//! A side as a type, so that what is seen from one side compiles once for each and asks nothing at run time.

use super::{Bitboard, Color, Rank};

/// White or Black, known to the compiler.
pub(crate) trait Side {
    /// The side itself.
    const US: Color;
    /// The other one.
    const THEM: Color;
    /// The other one, as a type.
    type Other: Side;

    /// What the side calls its eighth rank.
    const LAST_RANK: Bitboard = Bitboard::rank(Self::US.relative_rank(Rank::EIGHTH));
    /// What the side calls its third rank: pawns there came by one step and may have another.
    const THIRD_RANK: Bitboard = Bitboard::rank(Self::US.relative_rank(Rank::THIRD));
    /// What the side calls its first rank.
    const BACK_RANK: Bitboard = Bitboard::rank(Self::US.relative_rank(Rank::FIRST));
    /// Index difference of a step forward.
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

/// Evaluates an expression with a type parameter bound to the side at hand.
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
