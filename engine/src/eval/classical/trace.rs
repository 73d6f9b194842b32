//! Recording of the weights that an evaluation uses.
//!
//! The terms are generic over a [`Tracer`]. In play it is [`Silent`] and compiles to nothing.
//! [`Trace`] records how often each weight is used. Together with phase and scale this expresses
//! the evaluation as a formula of the weights, which the tuner optimises and the breakdown prints.

use super::formula::{FULL_PHASE, FULL_SCALE, UNITS_PER_CENTIPAWN, blend, penalty};
use super::tapered::Tapered;
use super::weight_table::{Term, WeightTable};
use super::weights::{TABLES, WEIGHTS};
use crate::types::{ByColor, Color};

/// A receiver of the weights that the terms use.
pub(super) trait Tracer {
    /// Records that `color` uses a weight `times` times; king danger is recorded for the king's
    /// side.
    fn count<const N: usize>(&mut self, color: Color, table: &WeightTable<N>, index: usize, times: i32);
}

/// A tracer that records nothing.
pub(super) struct Silent;

impl Tracer for Silent {
    #[inline]
    fn count<const N: usize>(&mut self, _: Color, _: &WeightTable<N>, _: usize, _: i32) {}
}

/// The evaluation of a position, decomposed into its weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Number of uses of each weight. Shape: by side, `[WEIGHTS]`.
    pub counts: ByColor<Vec<i32>>,
    /// The game phase. Range: 0 (endgame) to [`FULL_PHASE`] (middlegame).
    pub phase: i32,
    /// Scale of each side's endgame advantage. Units: 1/[`FULL_SCALE`].
    pub scale: ByColor<i32>,
}

impl Trace {
    pub(super) fn new() -> Self {
        let none = || vec![0; WEIGHTS];
        Self { counts: ByColor([none(), none()]), phase: 0, scale: ByColor([FULL_SCALE; 2]) }
    }

    /// Returns the value of a term for one side.
    pub fn of(&self, term: Term, color: Color) -> Tapered {
        let sum = TABLES.iter().filter(|table| table.term == term).fold(Tapered::ZERO, |sum, table| {
            let counts = &self.counts[color][table.start..];
            table.weights.iter().zip(counts).fold(sum, |sum, (&weight, &times)| sum + weight * times)
        });
        if term == Term::Danger { -penalty(sum) } else { sum }
    }

    /// Returns White's advantage before blending middlegame and endgame.
    pub fn balance(&self) -> Tapered {
        Term::ALL
            .into_iter()
            .fold(Tapered::ZERO, |sum, term| sum + self.of(term, Color::White) - self.of(term, Color::Black))
    }

    /// Returns White's advantage by the evaluation formula. Units: centipawns.
    pub fn value(&self) -> i32 {
        blend(self.balance(), self.phase, self.scale)
    }

    /// Formats a table with one line per term: White, Black and the difference, for middlegame and
    /// endgame.
    /// Units: pawns.
    pub fn breakdown(&self) -> String {
        let pawns = |units: i32| f64::from(units) / f64::from(100 * UNITS_PER_CENTIPAWN);
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
            FULL_SCALE,
            f64::from(self.value()) / 100.0
        ));
        lines.join("\n")
    }
}

impl Tracer for Trace {
    fn count<const N: usize>(&mut self, color: Color, table: &WeightTable<N>, index: usize, times: i32) {
        self.counts[color][table.start + index] += times;
    }
}
