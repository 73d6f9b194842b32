//! The hand-written evaluation: a sum of small terms, each weighed for the middlegame and the endgame.
//!
//! One file an idea. A term is a function of the `Sheet`: it looks at the board and the attack maps from one side
//! and adds weights out of the tables in `weights`, which are tuned on our own games (`harness tune-eval`). The
//! difference of the sides is blended by the material left; what wins no endgame is scaled down (`scale`).
//!
//! The order within `evaluate` matters: pieces add their attacks to the maps, which the terms after them read.

mod king;
mod material;
mod passed;
mod pawns;
mod pieces;
mod scale;
mod sets;
mod sheet;
mod space;
mod table;
mod tapered;
mod threats;
mod trace;
mod weights;

#[cfg(test)]
mod tests;

use super::mating;
use crate::position::Position;
use crate::types::{Black, ByColor, Color, PieceType, Score, Side, White};
use sheet::Sheet;
use trace::{Silent, Tracer};

pub use table::{TableInfo, Term};
pub use tapered::Tapered;
pub use trace::Trace;
pub use weights::{TABLES, WEIGHTS};

/// Units of the weights in a centipawn.
pub const GRAIN: i32 = 4;
/// The phase of a full board.
pub const FULL_PHASE: i32 = 24;
/// The scale of an endgame advantage that counts in full.
pub const FULL_SCALE: i32 = 64;
/// What the square of a king's danger is divided by to give units of the middlegame.
pub const DANGER_SQUARE: i32 = 256;
/// What a king's danger is divided by to give units of the endgame.
pub const DANGER_END: i32 = 8;

/// What each piece adds to the phase: 0 with bare kings and pawns, 24 at the start.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// The value for the side to move.
pub fn evaluate(position: &Position) -> Score {
    if let Some(score) = mating::evaluate(position) {
        return score;
    }
    let sheet = fill_in(position, Silent);
    let value = blend(sheet.balance(), phase(position), scale::scales(position));
    match position.side_to_move() {
        Color::White => Score(value),
        Color::Black => Score(-value),
    }
    .clamp_to_eval()
}

/// The evaluation taken apart; `None` where a bare king is hunted by rules without weights.
pub fn trace(position: &Position) -> Option<Trace> {
    if mating::evaluate(position).is_some() {
        return None;
    }
    let mut trace = fill_in(position, Trace::new()).tracer;
    trace.phase = phase(position);
    trace.scale = scale::scales(position);
    Some(trace)
}

/// Adds up all terms of both sides.
#[inline]
fn fill_in<T: Tracer>(position: &Position, tracer: T) -> Sheet<'_, T> {
    let mut sheet = Sheet::new(position, tracer);
    pieces::term::<White, T>(&mut sheet);
    pieces::term::<Black, T>(&mut sheet);
    rest::<White, T>(&mut sheet);
    rest::<Black, T>(&mut sheet);
    sheet.add_of(position.side_to_move(), &weights::TEMPO, 0);
    sheet
}

/// The terms that need the attacks of both sides.
#[inline]
fn rest<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>) {
    material::term::<S, T>(sheet);
    pawns::term::<S, T>(sheet);
    passed::term::<S, T>(sheet);
    king::term::<S, T>(sheet);
    threats::term::<S, T>(sheet);
    space::term::<S, T>(sheet);
}

/// How much of a middlegame is left. Range: 0 to [`FULL_PHASE`].
#[inline]
fn phase(position: &Position) -> i32 {
    let sum: i32 = [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen]
        .into_iter()
        .map(|kind| PHASE[kind.index()] * position.pieces(kind).count() as i32)
        .sum();
    sum.min(FULL_PHASE)
}

/// One value out of two: each counts by the phase, the endgame also by the scale of the side that is ahead in it.
///
/// Units: centipawns out of [`GRAIN`].
#[inline]
fn blend(balance: Tapered, phase: i32, scale: ByColor<i32>) -> i32 {
    let ahead = if balance.end() >= 0 { Color::White } else { Color::Black };
    let end = balance.end() * scale[ahead] / FULL_SCALE;
    (balance.middle() * phase + end * (FULL_PHASE - phase)) / (FULL_PHASE * GRAIN)
}
