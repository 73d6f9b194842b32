//! Lines of EPD and FEN files: the fields of a position and the operations behind them.
//!
//! Decides what is read leniently because published files have it (six fields, stray `-` and `;`, loose quotes, long
//! algebraic moves, `!` and `?`) and what is refused, with the token and what was expected. What a line is for, an
//! opening or a task, is its callers' business: `openings` and `suite`.

mod error;
mod fields;
mod moves;
mod operations;

pub use error::LineError;
pub use fields::{Line, lines, parse};
pub use moves::{MoveError, read_move};
pub use operations::Operation;
