//! The searches of a measurement by number, and their order.
//!
//! A search that follows one of the same process finds its code and its network in the caches. It is about 1.5 % faster,
//! at 10 ms per search, than one that follows another process. All engines must profit alike.

use serde::{Deserialize, Serialize};

use super::{Load, SearchRecord};

/// One search of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    pub(crate) engine: usize,
    /// Index into the loads.
    pub(crate) load: usize,
    pub(crate) position: usize,
    pub(crate) repetition: u32,
}

/// The searches of a measurement, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// Number of engines measured.
    pub engines: usize,
    /// Loads measured with each engine. Shape: at least one.
    pub loads: Vec<Load>,
    /// Number of positions searched.
    pub positions: usize,
    /// Searches of each position by each engine with each load.
    pub repetitions: u32,
}

impl Grid {
    /// Returns the number of searches.
    pub(crate) fn searches(&self) -> usize {
        self.repetitions as usize * self.pass()
    }

    /// Returns the number of searches of one position in one repetition.
    fn round(&self) -> usize {
        self.engines * self.loads.len()
    }

    /// Returns the number of searches of all positions in one repetition.
    pub(crate) fn pass(&self) -> usize {
        self.positions * self.round()
    }

    /// Returns the search with this number. All searches of a position in a repetition follow each
    /// other.
    pub(crate) fn search(&self, index: usize) -> Search {
        let (round, place) = (index / self.round(), index % self.round());
        let (repetition, position) = (round / self.positions, round % self.positions);
        let member = member(place, self.round(), position + repetition);
        Search {
            engine: member % self.engines,
            load: member / self.engines,
            position,
            repetition: repetition as u32,
        }
    }
}

/// The finished searches of a grid, by engine, load and position.
pub(crate) struct Cells<'a> {
    grid: Grid,
    cells: Vec<Vec<&'a SearchRecord>>,
}

impl<'a> Cells<'a> {
    /// Sorts searches into their cells, in each by number: they end in any order, and floating-point sums depend on the order.
    pub(crate) fn new(grid: Grid, records: &'a [SearchRecord]) -> Self {
        let mut records: Vec<&SearchRecord> = records.iter().collect();
        records.sort_by_key(|record| record.index);
        let mut cells = Self { cells: vec![Vec::new(); grid.pass()], grid };
        for record in records {
            let Some(load) = cells.grid.loads.iter().position(|&load| record.is_of(load)) else { continue };
            let place = cells.place(record.engine, load, record.position);
            cells.cells[place].push(record);
        }
        cells
    }

    fn place(&self, engine: usize, load: usize, position: usize) -> usize {
        (engine * self.grid.loads.len() + load) * self.grid.positions + position
    }

    /// Returns the searches of an engine with a load. Shape: position, repetition.
    pub(crate) fn of(&self, engine: usize, load: usize) -> &[Vec<&'a SearchRecord>] {
        let first = self.place(engine, load, 0);
        &self.cells[first..first + self.grid.positions]
    }
}

/// Returns the differences of two lists of logarithms at the positions known for both.
pub(crate) fn log_ratios(one: &[Option<f64>], other: &[Option<f64>]) -> Vec<f64> {
    one.iter().zip(other).filter_map(|(one, other)| Some((*one)? - (*other)?)).collect()
}

/// The order in which the engines, or the loads of an engine, search a position, as a manifest names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchOrder {
    /// Forwards and backwards by turns over positions and repetitions, with another first engine in every round:
    /// 012 102 120 210 201 021. With three or more, none follows itself; of two, each follows itself equally often.
    Rotated,
}

/// Returns which of `count` members searches at `place` of the round `turn`; all are counted from 0.
pub(super) fn member(place: usize, count: usize, turn: usize) -> usize {
    let is_backward = turn % 2 == 1;
    // A round ends beside its start. The next one starts elsewhere.
    let start = turn.div_ceil(2) % count;
    let steps = if is_backward { count - place } else { place };
    (start + steps) % count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the members in the order of their searches, by round.
    fn rounds(count: usize, rounds: usize) -> Vec<Vec<usize>> {
        (0..rounds).map(|turn| (0..count).map(|place| member(place, count, turn)).collect()).collect()
    }

    /// Returns how often each member follows itself in a series that repeats itself.
    fn self_follows(rounds: &[Vec<usize>], count: usize) -> Vec<usize> {
        let series: Vec<usize> = rounds.concat();
        let mut found = vec![0; count];
        for (index, &member) in series.iter().enumerate() {
            found[member] += usize::from(series[(index + 1) % series.len()] == member);
        }
        found
    }

    #[test]
    fn rotated_order_has_every_member_at_every_place_equally_often() {
        for count in 1..7 {
            let rounds = rounds(count, 2 * count);
            for place in 0..count {
                let mut members: Vec<usize> = rounds.iter().map(|round| round[place]).collect();
                members.sort_unstable();
                let twice: Vec<usize> = (0..count).flat_map(|member| [member; 2]).collect();
                assert_eq!(members, twice, "place {place} of {count}");
            }
        }
    }

    #[test]
    fn no_member_follows_itself_more_often_than_another_in_rotated_order() {
        let of = |count| self_follows(&rounds(count, 2 * count), count);
        assert_eq!(of(2), [1, 1]);
        for count in 3..7 {
            assert_eq!(of(count), vec![0; count]);
        }
    }

    #[test]
    fn rotated_order_starts_with_another_member_in_every_second_round() {
        assert_eq!(rounds(3, 6), [[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 1, 0], [2, 0, 1], [0, 2, 1]]);
    }

    #[test]
    fn order_is_stored_by_its_name() {
        assert_eq!(serde_json::to_string(&SearchOrder::Rotated).unwrap(), "\"rotated\"");
    }

    #[test]
    fn every_search_has_one_number() {
        let loads = vec![Load::AsConfigured, Load::Threads(std::num::NonZeroU32::MIN)];
        let grid = Grid { engines: 2, loads, positions: 4, repetitions: 2 };
        let of = |index| {
            let Search { engine, load, position, repetition } = grid.search(index);
            (engine, load, position, repetition)
        };
        let found: std::collections::BTreeSet<_> = (0..grid.searches()).map(of).collect();
        assert_eq!(found.len(), grid.searches());
    }
}
