//! Correction history.
//!
//! Bet: an evaluation that was wrong with the same pawns, pieces or previous moves is wrong again
//! by a similar amount.
//! Preconditions: not in check; the best move is quiet; the bound of the score contradicts the
//! evaluation.
//! Soundness: unsound: it changes the evaluation.
//! Knobs: `*CorrectionWeight`, `Correction*`.
//! Source: made known by Caissa (Witczak, 2023); now common to the strongest engines.
//! Evidence: `results/search.md`, "At playing depth".

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use zerocopy::{FromBytes, FromZeros};

use crate::machine::huge_pages::HUGE_PAGE;
use crate::memory::{OutOfMemory, map_zeroed};
use crate::position::Position;
use crate::search::heuristics::entry::Entry;
use crate::search::heuristics::piece_to::{PIECE_TO, PieceTo};
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::sync::coherence::{self, Watched};
use crate::types::{Color, Depth, Score};

/// The rows of a table that one thread uses. Range: a power of two.
const ROWS: usize = 16_384;

/// The entries of one key, by side to move.
type Row = [Entry; 2];

/// Entries by row, which is a key modulo the number of rows.
#[derive(Clone, Copy)]
struct Rows<'a>(&'a [Row]);

impl<'a> Rows<'a> {
    #[inline]
    fn entry(self, key: u64, side: Color) -> &'a Entry {
        &self.0[key as usize & (self.0.len() - 1)][side.index()]
    }
}

/// The number of tables of rows: pawns, and each side's pieces.
const TABLES: usize = 3;

/// The pairs of a piece and a target square, and [`PieceTo::NONE`].
const MOVES: usize = PIECE_TO + 1;

/// The keys of a position's corrections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorrectionKeys {
    side: Color,
    pawns: u64,
    /// By colour of the pieces.
    pieces: [u64; 2],
    /// The last two moves, the opponent's first.
    moves: [PieceTo; 2],
}

impl CorrectionKeys {
    /// Returns the keys of a position reached by `moves`, the last one first.
    #[inline]
    pub(crate) fn of(position: &Position, moves: [PieceTo; 2]) -> Self {
        Self {
            side: position.side_to_move(),
            pawns: position.pawn_key().0,
            pieces: [Color::White, Color::Black].map(|color| position.non_pawn_key(color).0),
            moves,
        }
    }
}

/// The entries of all tables.
struct Tables<'a> {
    /// The tables of rows, one after the other.
    rows: &'a mut [Row],
    moves: &'a mut [Entry],
}

self_cell! {
    struct Pages {
        owner: MutBorrow<MmapMut>,
        #[covariant]
        dependent: Tables,
    }
}

/// The memory of a correction history: huge pages, because a node reads four entries scattered over it.
pub(crate) struct CorrectionMemory(Pages);

impl CorrectionMemory {
    /// Allocates empty tables for this many threads, without touching the pages.
    ///
    /// Errors: [`OutOfMemory`] if the system refuses the memory: 2 MiB for one thread, 8 MiB for 32.
    pub(crate) fn new(threads: usize) -> Result<Self, OutOfMemory> {
        let rows = TABLES * ROWS * threads.next_power_of_two() * size_of::<Row>();
        let size = rows + MOVES * MOVES * size_of::<Entry>();
        let (map, start) = map_zeroed(size.next_multiple_of(HUGE_PAGE))?;
        Pages::try_new(MutBorrow::new(map), |map| {
            let (rows, moves) = map.borrow_mut()[start..start + size].split_at_mut(rows);
            let rows = <[Row]>::mut_from_bytes(rows).map_err(|_| OutOfMemory)?;
            let moves = <[Entry]>::mut_from_bytes(moves).map_err(|_| OutOfMemory)?;
            Ok(Tables { rows, moves })
        })
        .map(Self)
    }

    #[inline]
    pub(crate) fn history(&self) -> CorrectionHistory<'_> {
        let Tables { rows, moves } = self.0.borrow_dependent();
        let (pawns, rest) = rows.split_at(rows.len() / TABLES);
        let (white, black) = rest.split_at(pawns.len());
        CorrectionHistory { pawns: Rows(pawns), pieces: [Rows(white), Rows(black)], moves }
    }

    /// Resets all entries, while no worker uses them.
    pub(crate) fn clear(&mut self) {
        self.0.with_dependent_mut(|_, Tables { rows, moves }| {
            rows.zero();
            moves.zero();
        });
    }
}

/// The correction history tables. Range of an entry: `±CorrectionLimit`.
#[derive(Clone, Copy)]
pub(crate) struct CorrectionHistory<'a> {
    pawns: Rows<'a>,
    /// By colour of the pieces.
    pieces: [Rows<'a>; 2],
    /// Shape: `[move before the last][last move]`, in one dimension.
    moves: &'a [Entry],
}

impl CorrectionHistory<'_> {
    /// Returns the name and the addresses of the tables.
    pub(crate) fn watched(&self) -> Watched {
        let [white, black] = self.pieces;
        let rows = [self.pawns, white, black].map(|rows| coherence::extent(rows.0));
        ("corrections", rows.into_iter().chain([coherence::extent(self.moves)]).collect())
    }

    /// Returns the entry of the last two moves.
    #[inline]
    fn continuation(&self, moves: [PieceTo; 2]) -> &Entry {
        &self.moves[moves[1].index() * MOVES + moves[0].index()]
    }

    /// Returns the correction to add to the evaluation. Units: centipawns.
    #[inline]
    pub(crate) fn correction<T: Toggles>(&self, toggles: T, keys: &CorrectionKeys) -> i32 {
        let mut sum = 0;
        let mut add = |entry: &Entry, weight: Tunable| sum += entry.get() * toggles.value(weight);
        if on!(toggles, PawnCorrection) {
            add(self.pawns.entry(keys.pawns, keys.side), Tunable::PawnCorrectionWeight);
        }
        if on!(toggles, NonPawnCorrection) {
            for (table, key) in self.pieces.iter().zip(keys.pieces) {
                add(table.entry(key, keys.side), Tunable::NonPawnCorrectionWeight);
            }
        }
        if on!(toggles, ContinuationCorrection) {
            add(self.continuation(keys.moves), Tunable::ContinuationCorrectionWeight);
        }
        sum / (100 * toggles.value(Tunable::CorrectionGrain))
    }

    /// Learns from a search that found `score` where the corrected evaluation was `eval`.
    pub(crate) fn learn<T: Toggles>(
        &self,
        toggles: T,
        keys: &CorrectionKeys,
        depth: Depth,
        score: Score,
        eval: Score,
    ) {
        let limit = toggles.value(Tunable::CorrectionLimit);
        let most = toggles.value(Tunable::CorrectionMaxStep);
        let error = (score - eval).0 * depth.0 / toggles.value(Tunable::CorrectionDepthDivisor);
        let step = error.clamp(-most, most);
        if step == 0 {
            return;
        }
        if on!(toggles, PawnCorrection) {
            self.pawns.entry(keys.pawns, keys.side).update(step, limit);
        }
        if on!(toggles, NonPawnCorrection) {
            for (table, key) in self.pieces.iter().zip(keys.pieces) {
                table.entry(key, keys.side).update(step, limit);
            }
        }
        if on!(toggles, ContinuationCorrection)
            && keys.moves[1] != PieceTo::NONE
            && keys.moves[0] != PieceTo::NONE
        {
            self.continuation(keys.moves).update(step, limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{CORRECTIONS, Settings};

    #[test]
    fn correction_has_the_sign_of_the_error_and_stays_in_range() {
        let settings = CORRECTIONS.into_iter().fold(Settings::default(), |all, one| all.with(one, true));
        let limit = (&settings).value(Tunable::CorrectionLimit);
        let grain = (&settings).value(Tunable::CorrectionGrain);
        let position = Position::startpos();
        let keys = CorrectionKeys::of(&position, [PieceTo::NONE; 2]);
        let mut memory = CorrectionMemory::new(1).expect("little memory");
        let history = memory.history();
        assert_eq!(history.correction(&settings, &keys), 0);
        history.learn(&settings, &keys, Depth(8), Score(60), Score(10));
        let first = history.correction(&settings, &keys);
        assert!(first > 0);
        for _ in 0..1000 {
            history.learn(&settings, &keys, Depth(60), Score(30_000), Score(-30_000));
        }
        let most = history.correction(&settings, &keys);
        assert!(most > first && most <= 4 * 3 * limit / grain);
        let black = CorrectionKeys::of(&position.after_null(), [PieceTo::NONE; 2]);
        assert_eq!(history.correction(&settings, &black), 0, "the sides to move have separate entries");
        memory.clear();
        assert_eq!(memory.history().correction(&settings, &keys), 0);
    }

    #[test]
    fn rows_grow_with_the_threads_that_share_them() {
        for (threads, factor) in [(1, 1), (2, 2), (5, 8), (32, 32)] {
            let memory = CorrectionMemory::new(threads).expect("little memory");
            assert_eq!(memory.history().pawns.0.len(), factor * ROWS, "{threads} threads");
        }
    }
}
