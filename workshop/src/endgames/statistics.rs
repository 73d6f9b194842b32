//! Statistics of a table.

use rayon::prelude::*;
use serde::Serialize;
use stretto::tablebase::{Material, Outcome, PieceSquares};
use stretto::types::Color;

use super::board::Board;
use super::table::Table;

/// Counts over the legal positions of one side to move; symmetric positions count once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SideStatistics {
    /// Positions won by the side to move.
    pub wins: u64,
    pub draws: u64,
    /// Positions lost by the side to move.
    pub losses: u64,
    /// Wins, draws and losses with identical pieces counted as distinguishable, for comparison with
    /// other published counts.
    pub distinguishable: [u64; 3],
    /// Longest win. Units: plies.
    pub longest_win: Option<u16>,
    /// Number of positions with the longest win.
    pub longest_wins: u64,
    /// Longest loss. Units: plies.
    pub longest_loss: Option<u16>,
    /// Number of positions with the longest loss.
    pub longest_losses: u64,
    /// Number of wins by distance in plies.
    #[serde(skip)]
    pub wins_by_distance: Vec<u64>,
    /// Number of losses by distance in plies.
    #[serde(skip)]
    pub losses_by_distance: Vec<u64>,
    /// Squares of one of the longest wins, in the order of the index.
    #[serde(skip)]
    pub deepest_win: Option<PieceSquares>,
    /// Squares of one of the longest losses.
    #[serde(skip)]
    pub deepest_loss: Option<PieceSquares>,
}

/// Statistics of both sides to move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Statistics {
    /// White to move, then Black.
    pub sides: [SideStatistics; 2],
    /// Mutual zugzwangs: each side does worse when to move. If both sides have the same pieces,
    /// colour-swapped positions count once.
    pub zugzwangs: u64,
    /// Mutual zugzwangs in which each side wins if the other is to move.
    pub full_zugzwangs: u64,
}

impl SideStatistics {
    fn add(&mut self, outcome: Outcome, squares: &PieceSquares, orderings: u64) {
        let class = match outcome {
            Outcome::Win(_) => 0,
            Outcome::Draw => 1,
            Outcome::Loss(_) => 2,
        };
        self.distinguishable[class] += orderings;
        match outcome {
            Outcome::Draw => self.draws += 1,
            Outcome::Win(plies) => {
                self.wins += 1;
                count(&mut self.wins_by_distance, plies);
                if self.longest_win.is_none_or(|longest| plies > longest) {
                    (self.longest_win, self.longest_wins) = (Some(plies), 0);
                    self.deepest_win = Some(squares.clone());
                }
                self.longest_wins += u64::from(self.longest_win == Some(plies));
            }
            Outcome::Loss(plies) => {
                self.losses += 1;
                count(&mut self.losses_by_distance, plies);
                if self.longest_loss.is_none_or(|longest| plies > longest) {
                    (self.longest_loss, self.longest_losses) = (Some(plies), 0);
                    self.deepest_loss = Some(squares.clone());
                }
                self.longest_losses += u64::from(self.longest_loss == Some(plies));
            }
        }
    }

    /// Adds the counts of a later part of the table.
    fn join(mut self, other: Self) -> Self {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        for (sum, count) in self.distinguishable.iter_mut().zip(other.distinguishable) {
            *sum += count;
        }
        join(&mut self.wins_by_distance, &other.wins_by_distance);
        join(&mut self.losses_by_distance, &other.losses_by_distance);
        if other.longest_win > self.longest_win {
            (self.longest_win, self.longest_wins) = (other.longest_win, other.longest_wins);
            self.deepest_win = other.deepest_win;
        } else if other.longest_win == self.longest_win {
            self.longest_wins += other.longest_wins;
        }
        if other.longest_loss > self.longest_loss {
            (self.longest_loss, self.longest_losses) = (other.longest_loss, other.longest_losses);
            self.deepest_loss = other.deepest_loss;
        } else if other.longest_loss == self.longest_loss {
            self.longest_losses += other.longest_losses;
        }
        self
    }
}

/// Counts a position at this distance.
fn count(counts: &mut Vec<u64>, plies: u16) {
    let plies = usize::from(plies);
    if counts.len() <= plies {
        counts.resize(plies + 1, 0);
    }
    counts[plies] += 1;
}

/// Adds the counts of another part.
fn join(counts: &mut Vec<u64>, other: &[u64]) {
    counts.resize(counts.len().max(other.len()), 0);
    for (sum, count) in counts.iter_mut().zip(other) {
        *sum += count;
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
