//! Training targets from the rest of a game: the result, or a λ-return of the later scores and the
//! result.

use super::games::PlayedGame;

/// A share of the point in 16 bits. Units: 1/65,535 of the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target(pub(super) u16);

impl Target {
    /// Returns the target for a result in half-points.
    pub(super) const fn of_result(half_points: u8) -> Self {
        Self(match half_points {
            0 => 0,
            1 => 1 << 15,
            _ => u16::MAX,
        })
    }

    /// Returns the nearest representable target. Range: 0 to 1.
    pub fn of_share(share: f32) -> Self {
        Self((share * f32::from(u16::MAX)).round() as u16)
    }

    /// Returns the target as a share of the point. Range: 0 to 1.
    pub fn share(self) -> f32 {
        f32::from(self.0) / f32::from(u16::MAX)
    }

    /// Returns the target from the opponent's point of view.
    pub(super) const fn opponents(self) -> Self {
        Self(u16::MAX - self.0)
    }

    pub(super) const fn to_bytes(self) -> [u8; 2] {
        self.0.to_le_bytes()
    }

    /// Computes White's targets before each move of a game: the λ-returns of temporal-difference
    /// learning. Each is the score of the next position with weight `1 - lambda` plus the next
    /// target with weight `lambda`; the last target is the result.
    ///
    /// With λ = 1 every target is the result. A smaller λ averages over about 1 / (1 - λ) plies,
    /// where later scores are more accurate than the current one and less noisy than the result.
    /// `curve` converts a score to a share of the point.
    ///
    /// Source: Sutton, "Learning to predict by the methods of temporal differences" (1988).
    pub fn of_game(game: &PlayedGame, lambda: f32, curve: impl Fn(i16) -> f32) -> Vec<Self> {
        let mut ahead = f32::from(game.half_points) / 2.0;
        let mut targets = vec![Self::of_share(ahead); game.moves.len()];
        let later = game.moves.iter().map(|&(_, score)| score).skip(1).rev();
        for (target, score) in targets.iter_mut().rev().skip(1).zip(later) {
            ahead = (1.0 - lambda) * curve(score) + lambda * ahead;
            *target = Self::of_share(ahead);
        }
        targets
    }
}

#[cfg(test)]
mod tests {
    use super::super::games::tests::sample as game;
    use super::*;

    #[test]
    fn lambda_sets_the_horizon_of_the_target() {
        let shares = |lambda| {
            let curve = |score: i16| f32::from(score) / 64_000.0 + 0.5;
            Target::of_game(&game(), lambda, curve).into_iter().map(Target::share).collect::<Vec<_>>()
        };
        // Scores: 10, -20, 30, 32,000, -400; White won.
        assert_eq!(shares(1.0), [1.0; 5]);
        let near = |found: &[f32], expected: [f32; 5]| {
            found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-4)
        };
        assert!(near(&shares(0.0), [0.49969, 0.50047, 1.0, 0.49375, 1.0]), "{:?}", shares(0.0));
        // From the end: 1, (0.49375 + 1) / 2, (1 + that) / 2, (0.50047 + that) / 2, (0.49969 +
        // that) / 2.
        assert!(near(&shares(0.5), [0.59334, 0.68698, 0.87344, 0.74688, 1.0]), "{:?}", shares(0.5));
    }

    #[test]
    fn targets_of_both_sides_sum_to_one() {
        for half_points in 0..=2 {
            let one = Target::of_result(half_points);
            assert!((one.share() - f32::from(half_points) / 2.0).abs() < 1e-4);
            assert!((one.share() + one.opponents().share() - 1.0).abs() < 1e-6);
        }
    }
}
