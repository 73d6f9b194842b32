//! What hears of every weight that a position uses.
//!
//! The terms are written once, over a [`Tracer`]. In play it is [`Silent`] and folds to nothing. [`Trace`] keeps the
//! counts: with them, the phase and the scale the evaluation is a formula of the weights, which is what the tuner
//! works on and the breakdown is drawn from.

use super::table::{Table, Term};
use super::tapered::Tapered;
use super::weights::{TABLES, WEIGHTS};
use super::{FULL_PHASE, GRAIN, king};
use crate::types::{ByColor, Color};

/// Hears of weights as the terms take them.
pub(super) trait Tracer {
    /// `color` counts a weight `times` times; the danger to a king is counted for the king's side.
    fn count<const N: usize>(&mut self, color: Color, table: &Table<N>, index: usize, times: i32);
}

/// Hears nothing.
pub(super) struct Silent;

impl Tracer for Silent {
    #[inline]
    fn count<const N: usize>(&mut self, _: Color, _: &Table<N>, _: usize, _: i32) {}
}

/// The evaluation of a position taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// How often each side counts each weight. Shape: by side, `[WEIGHTS]`.
    pub counts: ByColor<Vec<i32>>,
    /// How much of a middlegame is left. Range: 0 to [`FULL_PHASE`].
    pub phase: i32,
    /// What remains of an endgame advantage of either side. Units: 1/[`FULL_SCALE`](super::FULL_SCALE).
    pub scale: ByColor<i32>,
}

impl Trace {
    pub(super) fn new() -> Self {
        let none = || vec![0; WEIGHTS];
        Self { counts: ByColor([none(), none()]), phase: 0, scale: ByColor([super::FULL_SCALE; 2]) }
    }

    /// What one side has from a term.
    pub fn of(&self, term: Term, color: Color) -> Tapered {
        let sum = TABLES.iter().filter(|table| table.term == term).fold(Tapered::ZERO, |sum, table| {
            let counts = &self.counts[color][table.start..];
            table.weights.iter().zip(counts).fold(sum, |sum, (&weight, &times)| sum + weight * times)
        });
        if term == Term::Danger { -king::penalty(sum) } else { sum }
    }

    /// White's advantage before it is blended.
    pub fn balance(&self) -> Tapered {
        Term::ALL
            .into_iter()
            .fold(Tapered::ZERO, |sum, term| sum + self.of(term, Color::White) - self.of(term, Color::Black))
    }

    /// White's advantage by the formula of the evaluation. Units: centipawns.
    pub fn value(&self) -> i32 {
        super::blend(self.balance(), self.phase, self.scale)
    }

    /// A table with a line a term: White, Black and the difference, for middlegame and endgame. Units: pawns.
    pub fn breakdown(&self) -> String {
        let pawns = |units: i32| f64::from(units) / f64::from(100 * GRAIN);
        let pair = |value: Tapered| format!("{:7.2} {:7.2}", pawns(value.middle()), pawns(value.end()));
        let rule = "-----------+-----------------+-----------------+-----------------";
        let mut lines = vec![
            "Term       |  White mg   eg  |  Black mg   eg  |  Total mg   eg  ".to_owned(),
            rule.to_owned(),
        ];
        for term in Term::ALL {
            let (white, black) = (self.of(term, Color::White), self.of(term, Color::Black));
            let name = term.name();
            lines.push(format!("{name:10} | {} | {} | {} ", pair(white), pair(black), pair(white - black)));
        }
        lines.push(rule.to_owned());
        let balance = self.balance();
        lines.push(format!("{:10} | {:15} | {:15} | {} ", "Sum", "", "", pair(balance)));
        let side = if balance.end() >= 0 { Color::White } else { Color::Black };
        lines.push(format!(
            "Middlegame {}/{FULL_PHASE}, endgame scaled by {}/{}: {:+.2} for White",
            self.phase,
            self.scale[side],
            super::FULL_SCALE,
            f64::from(self.value()) / 100.0
        ));
        lines.join("\n")
    }
}

impl Tracer for Trace {
    fn count<const N: usize>(&mut self, color: Color, table: &Table<N>, index: usize, times: i32) {
        self.counts[color][table.start + index] += times;
    }
}
