//! The sum of all terms, as a score or decomposed into its weights.

use super::formula::{FULL_PHASE, blend};
use super::state::EvalState;
use super::trace::{Silent, Trace, Tracer};
use super::{king, material, passed, pawns, pieces, scale, space, threats, weights};
use crate::eval::mating;
use crate::position::Position;
use crate::types::{Black, Color, PieceType, Score, Side, White};

/// Contribution of each piece type to the phase: a sum of 0 without pieces, 24 in the start
/// position.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// Evaluates a position for the side to move. Units: centipawns. Range: `±Score::MAX_EVAL`.
pub fn evaluate(position: &Position) -> Score {
    if let Some(score) = mating::evaluate(position) {
        return score;
    }
    let state = sum_terms(position, Silent);
    let value = blend(state.balance(), phase(position), scale::scales(position));
    match position.side_to_move() {
        Color::White => Score(value),
        Color::Black => Score(-value),
    }
    .clamp_to_eval()
}

/// Returns the evaluation decomposed into weights; `None` for bare kings, which `mating` evaluates
/// without weights.
pub fn trace(position: &Position) -> Option<Trace> {
    if mating::evaluate(position).is_some() {
        return None;
    }
    let mut trace = sum_terms(position, Trace::new()).tracer;
    trace.phase = phase(position);
    trace.scale = scale::scales(position);
    Some(trace)
}

/// Adds up all terms of both sides.
#[inline]
fn sum_terms<T: Tracer>(position: &Position, tracer: T) -> EvalState<'_, T> {
    let mut state = EvalState::new(position, tracer);
    pieces::term::<White, T>(&mut state);
    pieces::term::<Black, T>(&mut state);
    terms_after_attacks::<White, T>(&mut state);
    terms_after_attacks::<Black, T>(&mut state);
    state.add_of(position.side_to_move(), &weights::TEMPO, 0);
    state
}

/// Adds the terms that need the attack maps of both sides.
#[inline]
fn terms_after_attacks<S: Side, T: Tracer>(state: &mut EvalState<'_, T>) {
    material::term::<S, T>(state);
    pawns::term::<S, T>(state);
    passed::term::<S, T>(state);
    king::term::<S, T>(state);
    threats::term::<S, T>(state);
    space::term::<S, T>(state);
}

/// Returns the game phase. Range: 0 to [`FULL_PHASE`].
#[inline]
fn phase(position: &Position) -> i32 {
    let sum: i32 = [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen]
        .into_iter()
        .map(|kind| PHASE[kind.index()] * position.pieces(kind).count() as i32)
        .sum();
    sum.min(FULL_PHASE)
}

#[cfg(test)]
mod tests;
