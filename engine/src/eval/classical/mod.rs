//! The hand-written evaluation: a sum of terms, each with a middlegame and an endgame value.
//!
//! Each file implements one idea. A term is a function of the `EvalState`: it reads the board and
//! the attack maps from one side's view and adds weights from the tables in `weights`, which are
//! tuned on our own games (`workshop tune-eval`). The difference of the sides is blended by game
//! phase, and drawish endgames are scaled down (`scale`).
//!
//! The order in `evaluate` matters: pieces fill the attack maps, which later terms read.

mod evaluate;
mod formula;
mod king;
mod material;
mod passed;
mod pawns;
mod pieces;
mod scale;
mod sets;
mod space;
mod state;
mod tapered;
mod threats;
mod trace;
mod weight_table;
mod weights;

pub use evaluate::{evaluate, trace};
pub use formula::{DANGER_END, DANGER_SQUARE, FULL_PHASE, FULL_SCALE, UNITS_PER_CENTIPAWN};
pub use scale::{has_opposite_bishops, has_wrong_bishop, scale};
pub use tapered::Tapered;
pub use trace::Trace;
pub use weight_table::{TableInfo, Term};
pub use weights::{TABLES, WEIGHTS};
