//! What the rest of a game says of a position: its result, or the scores on the way there as well.

use super::games::PlayedGame;

/// A share of the point, in two bytes. Units: 1/65,535 of the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prospect(pub(super) u16);

impl Prospect {
    /// That of a side with so many doubled points.
    pub(super) const fn of_result(half_points: u8) -> Self {
        Self(match half_points {
            0 => 0,
            1 => 1 << 15,
            _ => u16::MAX,
        })
    }

    /// The nearest to a share. Range: 0 to 1.
    pub fn of_share(share: f32) -> Self {
        Self((share * f32::from(u16::MAX)).round() as u16)
    }

    /// The share. Range: 0 to 1.
    pub fn share(self) -> f32 {
        f32::from(self.0) / f32::from(u16::MAX)
    }

    /// What it is to the opponent.
    pub(super) const fn of_the_other(self) -> Self {
        Self(u16::MAX - self.0)
    }

    pub(super) const fn to_bytes(self) -> [u8; 2] {
        self.0.to_le_bytes()
    }

    /// White's prospects before each move of a game: the λ-return of temporal differences. Each is the next position's
    /// score with a weight of `1 - lambda`, and the next prospect with the rest; after the last move comes the result.
    /// So a λ of 1 says the result everywhere, and a smaller one looks some 1 / (1 - λ) plies ahead, where the scores know
    /// more than here and less is left to luck. `curve` makes a share of the point of a score.
    ///
    /// Source: Sutton, "Learning to predict by the methods of temporal differences" (1988).
    pub fn of_game(game: &PlayedGame, lambda: f32, curve: impl Fn(i16) -> f32) -> Vec<Self> {
        let mut ahead = f32::from(game.half_points) / 2.0;
        let mut prospects = vec![Self::of_share(ahead); game.moves.len()];
        let later = game.moves.iter().map(|&(_, score)| score).skip(1).rev();
        for (prospect, score) in prospects.iter_mut().rev().skip(1).zip(later) {
            ahead = (1.0 - lambda) * curve(score) + lambda * ahead;
            *prospect = Self::of_share(ahead);
        }
        prospects
    }
}

#[cfg(test)]
mod tests {
    use super::super::games::tests::sample as game;
    use super::*;

    #[test]
    fn looks_as_far_ahead_as_it_is_told() {
        let shares = |lambda| {
            let curve = |score: i16| f32::from(score) / 64_000.0 + 0.5;
            Prospect::of_game(&game(), lambda, curve).into_iter().map(Prospect::share).collect::<Vec<_>>()
        };
        // Scores: 10, -20, 30, 32,000, -400; White won.
        assert_eq!(shares(1.0), [1.0; 5]);
        let near = |found: &[f32], expected: [f32; 5]| {
            found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-4)
        };
        assert!(near(&shares(0.0), [0.49969, 0.50047, 1.0, 0.49375, 1.0]), "{:?}", shares(0.0));
        // From the end: 1, (0.49375 + 1) / 2, (1 + that) / 2, (0.50047 + that) / 2, (0.49969 + that) / 2.
        assert!(near(&shares(0.5), [0.59334, 0.68698, 0.87344, 0.74688, 1.0]), "{:?}", shares(0.5));
    }

    #[test]
    fn the_sides_share_the_point() {
        for half_points in 0..=2 {
            let one = Prospect::of_result(half_points);
            assert!((one.share() - f32::from(half_points) / 2.0).abs() < 1e-4);
            assert!((one.share() + one.of_the_other().share() - 1.0).abs() < 1e-6);
        }
    }
}
