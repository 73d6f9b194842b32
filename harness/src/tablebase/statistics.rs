//! What a table says as a whole.

use rayon::prelude::*;
use serde::Serialize;
use stretto::tablebase::{Material, Men, Outcome};
use stretto::types::Color;

use super::board::Board;
use super::table::Table;

/// Counts over the legal positions of one side to move, symmetric ones taken as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SideStatistics {
    /// Won for the side to move.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
    /// Wins, draws and losses if like men could be told apart, as other tables of counts have it.
    pub told_apart: [u64; 3],
    /// The longest win. Units: plies.
    pub longest_win: Option<u16>,
    /// Positions won in so many.
    pub longest_wins: u64,
    /// The longest loss. Units: plies.
    pub longest_loss: Option<u16>,
    /// Positions lost in so many.
    pub longest_losses: u64,
    /// One of the longest wins: where the men stand, in the order of the index.
    #[serde(skip)]
    pub deepest_win: Option<Men>,
    /// One of the longest losses.
    #[serde(skip)]
    pub deepest_loss: Option<Men>,
}

/// Counts over a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// White to move, then Black.
    pub sides: [SideStatistics; 2],
    /// Positions in which whoever has to move would rather not: each side does worse to move than the other way about. Where
    /// both sides have the same men, a position and the one with colours exchanged are one.
    pub zugzwangs: u64,
    /// Those in which each side would win if the other had to move.
    pub full_zugzwangs: u64,
}

impl SideStatistics {
    fn add(&mut self, outcome: Outcome, men: &Men, orderings: u64) {
        let class = match outcome {
            Outcome::Win(_) => 0,
            Outcome::Draw => 1,
            Outcome::Loss(_) => 2,
        };
        self.told_apart[class] += orderings;
        match outcome {
            Outcome::Draw => self.draws += 1,
            Outcome::Win(plies) => {
                self.wins += 1;
                if self.longest_win.is_none_or(|longest| plies > longest) {
                    (self.longest_win, self.longest_wins) = (Some(plies), 0);
                    self.deepest_win = Some(men.clone());
                }
                self.longest_wins += u64::from(self.longest_win == Some(plies));
            }
            Outcome::Loss(plies) => {
                self.losses += 1;
                if self.longest_loss.is_none_or(|longest| plies > longest) {
                    (self.longest_loss, self.longest_losses) = (Some(plies), 0);
                    self.deepest_loss = Some(men.clone());
                }
                self.longest_losses += u64::from(self.longest_loss == Some(plies));
            }
        }
    }

    /// Joins the counts of two parts, the second of which comes later in the table.
    fn join(mut self, other: Self) -> Self {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        for (sum, count) in self.told_apart.iter_mut().zip(other.told_apart) {
            *sum += count;
        }
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

/// Counts over all legal positions of a table.
pub fn statistics(table: &Table) -> Statistics {
    let (index, slice) = (table.index(), table.index().slice_len());
    (0..index.slices())
        .into_par_iter()
        .map(|number| {
            let mut statistics = Statistics::default();
            for place in number * slice..(number + 1) * slice {
                let Some(board) = Board::at(index, place) else { continue };
                let legal = Color::ALL.map(|side| board.is_legal(side));
                let orderings = index.orderings(&board.men);
                for side in Color::ALL.into_iter().filter(|side| legal[side.index()]) {
                    statistics.sides[side.index()].add(table.at(side, place), &board.men, orderings);
                }
                if legal == [true; 2] {
                    // For White, whoever is to move.
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
    /// With the same men on both sides every zugzwang was met twice, once for each colour.
    fn counted_once(self, material: Material) -> Self {
        let times = if material == material.turned() { 2 } else { 1 };
        Self { zugzwangs: self.zugzwangs / times, full_zugzwangs: self.full_zugzwangs / times, ..self }
    }
}
