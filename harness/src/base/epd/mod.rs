//! Parser for lines of EPD and FEN files: the fields of a position and the operations that follow.
//!
//! Published files vary, so six fields, stray `-` and `;`, loose quotes, long algebraic moves, `!`
//! and `?` are accepted. Anything else is rejected with the token and the expectation. The callers,
//! `openings` and `suite`, decide the meaning of a line.

mod fields;
mod moves;
mod operations;

pub use fields::{Line, lines, parse};
pub(crate) use moves::legal_move;
pub use moves::read_move;
pub use operations::Operation;
