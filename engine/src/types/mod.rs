//! Basic types: squares, pieces, bitboards, moves, scores, depths.
//!
//! All are small `Copy` types that carry their unit in their name and know no rules of chess. Every
//! other module may import from here; this module imports nothing from the crate.

mod bitboard;
mod chess_move;
mod color;
mod depth;
mod key;
mod piece;
mod random;
mod score;
mod side;
mod square;
mod units;

pub use bitboard::{Bitboard, Squares};
pub use chess_move::{Move, MoveKind};
pub use color::{ByColor, Color};
pub use depth::{Depth, MAX_PLY, Ply};
pub use key::Key;
pub use piece::{Piece, PieceType};
pub use random::{SplitMix64, seed_or_random};
pub use score::{Bound, FIFTY_MOVES, Score, Window};
pub(crate) use side::{Black, Side, White, by_side};
pub use square::{File, Rank, Square};
pub use units::{Mebibytes, Millis, Nodes, Permille};
