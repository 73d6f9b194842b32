//! Endgame tables: which men make a table, and where in it a position stands.
//!
//! A table holds one value for each position of its men, for either side to move. Positions that are the same but for a
//! symmetry of the board stand at one place. The harness makes tables; what reads them is to come. Castling is left
//! out, as usual, and en passant is a matter of the moves.

mod index;
mod material;
mod outcome;

pub use index::{Index, Men};
pub use material::{MAX_OTHERS, Material, MaterialError};
pub use outcome::Outcome;
