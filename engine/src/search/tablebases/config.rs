//! The tablebase configuration of a search, and the probe at the root.

use std::time::Duration;

use crate::position::Game;
use crate::tablebase::{RankedMove, Tablebases};
use crate::types::{Move, Score};

/// The tablebases of one search, and the result of probing them at the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct TbConfig {
    pub(crate) tables: Tablebases,
    /// The greatest number of pieces for which nodes below the root are probed; 0 turns probing
    /// off.
    pub(crate) max_pieces: u32,
    /// The number of root moves ranked.
    pub(crate) root_hits: u64,
    /// Whether the distance to mate is known after every candidate move, which leaves nothing to
    /// search for.
    pub(crate) is_mate_distance_known: bool,
}

impl TbConfig {
    /// Probes the root moves. Returns the moves to search, best rank first and otherwise in their
    /// old order.
    ///
    /// If the tablebases do not cover the position, all moves are returned. Otherwise only the
    /// best-ranked ones are, or all that rank as high as the last line to show. Tables that take longer than
    /// `decode_time` to decode count as missing.
    pub(crate) fn at_root(
        tables: &Tablebases,
        game: &Game,
        moves: Vec<Move>,
        lines: usize,
        decode_time: Option<Duration>,
    ) -> (Vec<RankedMove>, Self) {
        let tables = tables.clone();
        let Some(ranking) = tables.rank_within(game, &moves, decode_time) else {
            let unranked = moves.into_iter().map(|mv| RankedMove { mv, rank: 0, score: None }).collect();
            let max_pieces = tables.max_pieces() as u32;
            return (unranked, Self { tables, max_pieces, ..Self::default() });
        };
        let mut ranked = ranking.moves;
        let root_hits = ranked.len() as u64;
        if let Some(last) = ranked.get(lines.clamp(1, ranked.len().max(1)) - 1).map(|last| last.rank) {
            ranked.retain(|ranked| ranked.rank >= last);
        }
        let max_pieces = if ranking.is_sufficient { 0 } else { tables.max_pieces() as u32 };
        let is_mate_distance_known = ranked.iter().all(|ranked| ranked.score.is_some_and(Score::is_mate));
        (ranked, Self { tables, max_pieces, root_hits, is_mate_distance_known })
    }
}
