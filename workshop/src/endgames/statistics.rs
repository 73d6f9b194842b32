//! Statistics of a table.

use rayon::prelude::*;
use stretto::tablebase::{Material, Outcome, PieceSquares};
use stretto::types::Color;

use super::board::Board;
use super::table::Table;

/// Positions won, or lost, by the side to move; symmetric positions count once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decided {
    /// Number of positions by distance in plies, up to the longest distance.
    pub by_distance: Vec<u64>,
    /// Squares of one of the positions with the longest distance, in the order of the index.
    pub deepest: Option<PieceSquares>,
}

/// Counts over the legal positions of one side to move; symmetric positions count once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SideStatistics {
    /// Positions won by the side to move.
    pub wins: Decided,
    pub draws: u64,
    /// Positions lost by the side to move.
    pub losses: Decided,
    /// Wins, draws and losses with identical pieces counted as distinguishable, for comparison with
    /// other published counts.
    pub distinguishable: [u64; 3],
}

/// Statistics of both sides to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics {
    /// White to move, then Black.
    pub sides: [SideStatistics; 2],
    /// Mutual zugzwangs: each side does worse when to move. If both sides have the same pieces,
    /// colour-swapped positions count once.
    pub zugzwangs: u64,
    /// Mutual zugzwangs in which each side wins if the other is to move.
    pub full_zugzwangs: u64,
}

impl Decided {
    /// Returns the number of positions.
    pub(crate) fn count(&self) -> u64 {
        self.by_distance.iter().sum()
    }

    /// Returns the longest distance, if there is a position. Units: plies.
    pub(crate) fn longest(&self) -> Option<u16> {
        self.by_distance.len().checked_sub(1).map(|plies| plies as u16)
    }

    /// Returns the number of positions with the longest distance.
    pub(crate) fn longests(&self) -> u64 {
        self.by_distance.last().copied().unwrap_or(0)
    }

    fn add(&mut self, plies: u16, squares: &PieceSquares) {
        let plies = usize::from(plies);
        if self.by_distance.len() <= plies {
            self.by_distance.resize(plies + 1, 0);
            self.deepest = Some(squares.clone());
        }
        self.by_distance[plies] += 1;
    }

    /// Adds the positions of a later part of the table.
    fn join(self, other: Self) -> Self {
        let is_longer = other.by_distance.len() > self.by_distance.len();
        let (mut longer, shorter) = if is_longer { (other, self) } else { (self, other) };
        for (sum, count) in longer.by_distance.iter_mut().zip(shorter.by_distance) {
            *sum += count;
        }
        longer
    }
}

impl SideStatistics {
    /// Returns the number of positions.
    pub(crate) fn count(&self) -> u64 {
        self.wins.count() + self.draws + self.losses.count()
    }

    fn add(&mut self, outcome: Outcome, squares: &PieceSquares, orderings: u64) {
        let class = match outcome {
            Outcome::Win(plies) => {
                self.wins.add(plies, squares);
                0
            }
            Outcome::Draw => {
                self.draws += 1;
                1
            }
            Outcome::Loss(plies) => {
                self.losses.add(plies, squares);
                2
            }
        };
        self.distinguishable[class] += orderings;
    }

    /// Adds the counts of a later part of the table.
    fn join(self, other: Self) -> Self {
        Self {
            wins: self.wins.join(other.wins),
            draws: self.draws + other.draws,
            losses: self.losses.join(other.losses),
            distinguishable: std::array::from_fn(|class| {
                self.distinguishable[class] + other.distinguishable[class]
            }),
        }
    }
}

/// Computes the statistics of a table.
pub(crate) fn statistics(table: &Table) -> Statistics {
    let (index, slice) = (table.index(), table.index().slice_len());
    (0..index.slices())
        .into_par_iter()
        .map(|number| {
            let mut statistics = Statistics::default();
            for place in number * slice..(number + 1) * slice {
                let Some(board) = Board::at(index, place) else { continue };
                let legal = Color::ALL.map(|side| board.is_legal(side));
                let orderings = index.orderings(&board.squares);
                for side in Color::ALL.into_iter().filter(|side| legal[side.index()]) {
                    statistics.sides[side.index()].add(table.at(side, place), &board.squares, orderings);
                }
                if legal == [true; 2] {
                    // Score from White's point of view.
                    let score = |outcome: Outcome, sign: i32| match outcome {
                        Outcome::Draw => 0,
                        Outcome::Win(_) => sign,
                        Outcome::Loss(_) => -sign,
                    };
                    let to_move = score(table.at(Color::White, place), 1);
                    let waiting = score(table.at(Color::Black, place), -1);
                    statistics.zugzwangs += u64::from(to_move < waiting);
                    statistics.full_zugzwangs += u64::from((to_move, waiting) == (-1, 1));
                }
            }
            statistics
        })
        .reduce(Statistics::default, |one, other| {
            let [white, black] = one.sides;
            let [other_white, other_black] = other.sides;
            Statistics {
                sides: [white.join(other_white), black.join(other_black)],
                zugzwangs: one.zugzwangs + other.zugzwangs,
                full_zugzwangs: one.full_zugzwangs + other.full_zugzwangs,
            }
        })
        .counted_once(table.material())
}

impl Statistics {
    /// Halves the zugzwangs if both sides have the same pieces, since each was counted once per
    /// colour.
    fn counted_once(self, material: Material) -> Self {
        let times = if material == material.color_swapped() { 2 } else { 1 };
        Self { zugzwangs: self.zugzwangs / times, full_zugzwangs: self.full_zugzwangs / times, ..self }
    }
}
