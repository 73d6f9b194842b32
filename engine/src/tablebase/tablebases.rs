//! All tables an engine has, as a search asks them.
//!
//! There are three sources. Syzygy tables know who wins under the fifty-move rule and how far the next capture or pawn move
//! is. Our own know how far mate is, and nothing of the rule. Either may be missing; each answers what it can. What they
//! leave open of four men at the root, the tables that are part of the program know. The callers
//! are `engine`, which has the root moves ranked before a search, and `search::heuristics::tablebase`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::embedded::Embedded;
use super::root::{self, Ranking};
use super::{Dtz, Outcome, Syzygy, Wdl};
use crate::position::{Game, Position};
use crate::types::{Depth, FIFTY_MOVES, Move};

/// Tables of the distance to mate.
pub trait MateTables: Send + Sync {
    /// Men of the largest tables. Units: men, kings among them.
    fn men(&self) -> usize;

    /// How far mate is with best play on both sides, the fifty-move rule left out. Range: `None` where no table knows, and
    /// always where castling is possible.
    fn outcome(&self, position: &Position) -> Option<Outcome>;

    /// Which tables have failed since the last call, and why.
    fn failures(&self) -> Vec<String> {
        Vec::new()
    }
}

/// How the tables are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableUse {
    /// The least remaining depth at which positions with as many men as the largest tables are looked up.
    pub probe_depth: Depth,
    /// Most men that Syzygy tables are asked for. Range: 0 to 7.
    pub probe_limit: usize,
    /// Does the fifty-move rule hold?
    pub has_fifty_moves: bool,
    /// Are the tables that are part of the program asked at the root? By default not: only who plays games wants that, and
    /// says so.
    pub has_embedded: bool,
}

impl Default for TableUse {
    fn default() -> Self {
        Self {
            probe_depth: Depth(1),
            probe_limit: Self::MAX_LIMIT,
            has_fifty_moves: true,
            has_embedded: false,
        }
    }
}

impl TableUse {
    /// The most men there are tables for.
    pub const MAX_LIMIT: usize = 7;
}

/// What the tables say of a position after a capture or pawn move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The result.
    Result(Wdl),
    /// The result, and how far mate is, which comes before the fifty-move rule could.
    Distance(Outcome),
}

/// Tables and how they are used. Cheap to clone: the tables are shared.
#[derive(Clone, Default)]
pub struct Tablebases {
    /// Tables of results and distances to captures and pawn moves.
    pub syzygy: Option<Arc<Syzygy>>,
    /// Tables of distances to mate.
    pub own: Option<Arc<dyn MateTables>>,
    /// How they are used.
    pub usage: TableUse,
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebases")
            .field("syzygy", &self.syzygy)
            .field("own", &self.own.as_ref().map(|own| own.men()))
            .field("usage", &self.usage)
            .finish()
    }
}

impl Tablebases {
    /// The most men a position in the tree may have for the tables to be asked; zero where there is nothing to ask.
    pub fn men(&self) -> usize {
        self.syzygy_men().max(self.own_men())
    }

    fn syzygy_men(&self) -> usize {
        self.syzygy.as_ref().map_or(0, |syzygy| syzygy.men().min(self.usage.probe_limit))
    }

    fn own_men(&self) -> usize {
        self.own.as_ref().map_or(0, |own| own.men())
    }

    /// What is known of a position right after a capture or pawn move.
    ///
    /// Syzygy tables are asked first: they answer in a few microseconds, while a distance to mate may have to be decoded.
    pub fn verdict(&self, position: &Position) -> Option<Verdict> {
        let has_fifty_moves = self.usage.has_fifty_moves;
        if let Some(result) = self.syzygy_for(position).and_then(|syzygy| syzygy.wdl(position)) {
            let result = if has_fifty_moves { result } else { result.without_fifty_moves() };
            return Some(Verdict::Result(result));
        }
        match self.own_outcome(position)? {
            Outcome::Draw => Some(Verdict::Result(Wdl::Draw)),
            // A longer one may come too late, which our own tables do not know.
            Outcome::Win(plies) | Outcome::Loss(plies) if has_fifty_moves && plies > FIFTY_MOVES => None,
            outcome => Some(Verdict::Distance(outcome)),
        }
    }

    fn own_outcome(&self, position: &Position) -> Option<Outcome> {
        let is_small = position.occupied().count() as usize <= self.own_men();
        self.own.as_ref().filter(|_| is_small)?.outcome(position)
    }

    /// The distance to mate; at the root.
    pub(super) fn outcome(&self, position: &Position) -> Option<Outcome> {
        self.own_outcome(position).or_else(|| self.embedded_for(position)?.outcome(position))
    }

    /// The result as far as the fifty-move rule is concerned; at the root.
    pub(super) fn wdl(&self, position: &Position) -> Option<Wdl> {
        let known = self.syzygy_for(position).and_then(|syzygy| syzygy.wdl(position));
        known.or_else(|| self.embedded_for(position)?.wdl(position))
    }

    /// The distance to the next capture or pawn move; at the root. Unless `is_exact`, that of a near one may be longer than it
    /// is, as far as the fifty-move rule allows.
    pub(super) fn dtz(&self, position: &Position, is_exact: bool) -> Option<Dtz> {
        let known = self.syzygy_for(position).and_then(|syzygy| syzygy.dtz(position));
        known.or_else(|| self.embedded_for(position)?.dtz(position, is_exact))
    }

    fn embedded_for(&self, position: &Position) -> Option<&'static Embedded> {
        let is_asked = self.usage.has_embedded && position.occupied().count() <= Embedded::MEN;
        is_asked.then(Embedded::shared)
    }

    fn syzygy_for(&self, position: &Position) -> Option<&Syzygy> {
        let is_small = position.occupied().count() as usize <= self.syzygy_men();
        self.syzygy.as_deref().filter(|_| is_small)
    }

    /// The moves of a game's position by what the tables know of each; `None` where they do not know all of them.
    pub fn rank(&self, game: &Game, moves: &[Move]) -> Option<Ranking> {
        self.rank_within(game, moves, None)
    }

    /// The same; `None` also where it takes longer than there is patience. What was found is kept, so that the next time it is
    /// quicker.
    pub fn rank_within(&self, game: &Game, moves: &[Move], patience: Option<Duration>) -> Option<Ranking> {
        let position = game.position();
        let is_small = position.occupied().count() as usize <= self.men();
        if is_small || self.embedded_for(position).is_some() {
            root::rank(self, game, moves, patience)
        } else {
            None
        }
    }

    /// Which tables have failed since the last call, and why.
    pub fn failures(&self) -> Vec<String> {
        let mut failures = self.syzygy.as_ref().map(|syzygy| syzygy.failures()).unwrap_or_default();
        failures.extend(self.own.iter().flat_map(|own| own.failures()));
        failures
    }
}
