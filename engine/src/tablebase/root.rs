//! Ranking of root moves by tablebase values.
//!
//! Mates within the fifty-move rule rank first, the shortest best, so that play with DTM tables
//! mates in the fewest moves. Without DTM tables all certainly winning moves rank equally, and the
//! search chooses the one that mates rather than the next capture. Where only some distances are known,
//! as after captures, a known mate ranks with the other wins: its score is exact, and a shorter mate
//! beats it. A known loss ranks with the other losses, and the search compares them.
//!
//! Two conditions restrict wins: a move that leaves too few plies before the fifty-move limit is not
//! winning; and once a position has occurred twice, moves rank by distance to zeroing. That distance
//! decreases with every move, so no position occurs a third time. Without DTZ tables the distance of a
//! quiet move is unknown and ranks as the longest, so winning captures and pawn moves come first. A piece that is given
//! away counts as progress too, so short mates are proved by search and come before. The
//! defender may still reach a position that has occurred twice, which the tables do not know, so a distance is
//! then no exact score.
//!
//! Source: the ranking by DTZ follows Stockfish (since 2018); ranking DTM above it is ours.

use std::time::{Duration, Instant};

use super::Outcome;
use super::embedded::MAX_INEXACT_LOSS;
use super::proof::{LONGEST_PROOF, is_mated_within, mates_within};
use super::swindle::winning_share;
use super::tablebases::Tablebases;
use super::wdl::{Dtz, Wdl};
use crate::position::{Game, Position};
use crate::types::{FIFTY_MOVES, Key, MAX_PLY, Move, Ply, Score};

/// The tablebase value of a root move for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RootRank {
    /// Mates in this many plies, within the fifty-move limit.
    Mates(u16),
    /// The same, also where positions have occurred twice.
    MatesForSure(u16),
    /// Wins. Units: plies to the next zeroing move, 0 if unknown.
    Wins(u16),
    /// Wins unless the fifty-move rule intervenes, which is unknown. Units: plies.
    MayWin(u16),
    /// A win that the fifty-move rule turns into a draw. Units: plies to the next zeroing move plus
    /// the clock.
    Cursed(u16),
    /// Draws, with or without the fifty-move rule.
    Draws,
    /// A loss that the fifty-move rule turns into a draw. Units: as for cursed wins.
    Blessed(u16),
    /// Loses unless the fifty-move rule intervenes, which is unknown. Units: plies.
    MayLose(u16),
    /// Loses. Units: plies to the next zeroing move, 0 if unknown.
    Loses(u16),
    /// Is mated in this many plies.
    IsMated(u16),
}

/// Base ranks, far enough apart for the plies that are subtracted.
const MATE: i32 = 40_000;
const WIN: i32 = 30_000;
const UNCERTAIN: i32 = 20_000;
const CURSED: i32 = 10_000;
/// Cap of distances in ranks. Units: plies.
const MAX_PLIES: u16 = 5_000;

/// Plies of resistance that a move is worth after which no reply wins. Small, because against fallible
/// opponents the longest defence saves more than the hardest next move (`results/tablebases.md`,
/// "Lost positions").
const SWINDLE_PLIES: i32 = 6;

/// The score of a cursed win. Units: centipawns.
const CURSED_SCORE: Score = Score(2);

/// The properties of the root that ranks depend on.
#[derive(Clone, Copy, Debug)]
struct RootContext {
    /// The fifty-move clock. Units: plies.
    clock: u16,
    /// Whether the fifty-move rule applies.
    has_fifty_moves: bool,
    /// Whether a position since the last zeroing move has occurred twice.
    has_repeated: bool,
    /// Whether the opponent is expected to make mistakes.
    swindles: bool,
}

impl RootContext {
    /// Whether moves may be ordered by distances that stored tables round by up to five plies.
    fn needs_exact_distances(self) -> bool {
        self.has_repeated || self.swindles
    }

    /// Whether a side that loses in `plies` should resist as long as possible: small errors of the opponent could reach
    /// the fifty-move limit.
    fn has_hope(self, plies: u16) -> bool {
        self.swindles || plies.saturating_mul(2).saturating_add(self.clock) >= FIFTY_MOVES
    }
}

/// A root move with its tablebase rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedMove {
    /// A legal move at the root.
    pub mv: Move,
    /// The rank, larger is better; equal ranks are left to the search.
    pub rank: i32,
    /// The tablebase score, if one is known.
    pub score: Option<Score>,
}

/// The ranked root moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The moves, best first; equal ones in their original order.
    pub moves: Vec<RankedMove>,
    /// Whether the search need not probe the tables, because the ranks alone guarantee progress.
    pub is_sufficient: bool,
}

impl Tablebases {
    /// Ranks the root moves by tablebase values; `None` unless all of them are covered.
    pub fn rank(&self, game: &Game, moves: &[Move]) -> Option<Ranking> {
        self.rank_within(game, moves, None)
    }

    /// Ranks the root moves as [`Tablebases::rank`] does; `None` also if it takes longer than the
    /// time limit. If the limit is exceeded after all moves are ranked, lost moves keep the order by
    /// distance. Decoded blocks stay cached, so a later call is faster.
    pub fn rank_within(&self, game: &Game, moves: &[Move], time_limit: Option<Duration>) -> Option<Ranking> {
        let position = game.position();
        let is_small = position.occupied().count() as usize <= self.max_pieces();
        if is_small || self.embedded_for(position).is_some() {
            rank(self, game, moves, time_limit)
        } else {
            None
        }
    }
}

/// Ranks the root moves; `None` if the tables do not cover all of them or the time limit is
/// exceeded.
fn rank(tables: &Tablebases, game: &Game, moves: &[Move], time_limit: Option<Duration>) -> Option<Ranking> {
    let begun = Instant::now();
    let is_late = || time_limit.is_some_and(|time_limit| begun.elapsed() > time_limit);
    let position = game.position();
    let mut keys = game.keys().to_vec();
    keys.push(position.key());
    let context = RootContext {
        clock: position.halfmove_clock(),
        has_fifty_moves: tables.usage.has_fifty_moves,
        has_repeated: has_repeated(&keys),
        swindles: tables.usage.swindles,
    };
    let mut ranks = Vec::with_capacity(moves.len());
    for &mv in moves {
        if is_late() {
            return None;
        }
        ranks.push(rank_move(tables, context, &position.after(mv), &keys)?);
    }
    let is_draw = |position: &Position| {
        let is_over = context.has_fifty_moves && position.halfmove_clock() >= FIFTY_MOVES;
        is_over || is_third_occurrence(position, &keys)
    };
    if context.has_repeated {
        prove_short_mates(position, moves, &mut ranks, &is_draw, is_late);
    }
    if !context.swindles {
        discount_short_mates(context, position, moves, &mut ranks, &is_draw, is_late);
    }
    let has_distances = !ranks.iter().any(|rank| matches!(rank, RootRank::Wins(0) | RootRank::Loses(0)));
    // Wins and losses without a known mate.
    let has_wins = ranks.iter().any(|rank| matches!(rank, RootRank::Wins(_)));
    let has_losses = ranks.iter().any(|rank| matches!(rank, RootRank::Loses(_)));
    let ranked_move = |(&mv, rank): (&Move, RootRank)| {
        // A known mate comes after a zeroing move, as the distances of the others end with one.
        let (rank, score) = match rank {
            RootRank::Mates(2..) | RootRank::MatesForSure(_) if has_wins => {
                (RootRank::Wins(1), rank.score(context))
            }
            RootRank::IsMated(plies) if has_losses => {
                let plies = if context.swindles { plies } else { 1 };
                (RootRank::Loses(plies), RootRank::Loses(1).score(context))
            }
            rank => (rank, rank.score(context)),
        };
        RankedMove { mv, rank: rank.rank(context), score }
    };
    let mut ranked: Vec<RankedMove> = moves.iter().zip(ranks).map(ranked_move).collect();
    // Known mates come first among equals.
    ranked.sort_by_key(|ranked| std::cmp::Reverse((ranked.rank, ranked.score)));
    if tables.usage.swindles {
        order_lost_moves(tables, position, &mut ranked, is_late);
    }
    let is_winning = ranked.first().is_some_and(|best| best.rank > 0);
    Some(Ranking { moves: ranked, is_sufficient: has_distances || !is_winning })
}

/// Marks the wins, also those at the fifty-move limit, with the shortest mate that a search proves. Nothing more is
/// marked once `is_late`.
fn prove_short_mates(
    position: &Position,
    moves: &[Move],
    ranks: &mut [RootRank],
    is_draw: &impl Fn(&Position) -> bool,
    mut is_late: impl FnMut() -> bool,
) {
    for plies in (3..=LONGEST_PROOF).step_by(2) {
        let is_known = |rank: &RootRank| matches!(rank, RootRank::Mates(known) if *known < plies);
        if ranks.iter().any(|rank| is_known(rank) || matches!(rank, RootRank::MatesForSure(_))) {
            return;
        }
        for (&mv, rank) in moves.iter().zip(&mut *ranks) {
            if is_late() {
                return;
            }
            let is_win = matches!(rank, RootRank::Wins(_) | RootRank::MayWin(_));
            if is_win && is_mated_within(&position.after(mv), plies - 1, is_draw) {
                *rank = RootRank::MatesForSure(plies);
            }
        }
    }
}

/// Takes the hope of reaching the fifty-move limit from moves that a search proves to be mated before: they rank as a
/// capture or pawn move does, so that the search chooses the longest resistance. Nothing more is changed once
/// `is_late`.
fn discount_short_mates(
    context: RootContext,
    position: &Position,
    moves: &[Move],
    ranks: &mut [RootRank],
    is_draw: &impl Fn(&Position) -> bool,
    mut is_late: impl FnMut() -> bool,
) {
    for (&mv, rank) in moves.iter().zip(ranks) {
        let has_hope = matches!(*rank, RootRank::Loses(plies) if plies != 1 && context.has_hope(plies));
        if is_late() {
            return;
        }
        if has_hope && mates_within(&position.after(mv), LONGEST_PROOF, is_draw) {
            *rank = RootRank::Loses(1);
        }
    }
}

/// Raises the ranks of moves that all lose for certain by the difficulty of the win after each.
/// `ranked` is sorted by rank. A move whose replies the tables do not cover counts as an easy win.
/// Nothing changes if `is_late` before the difficulty of all of them is known, because a bonus for
/// some of the moves would reorder them for no reason.
fn order_lost_moves(
    tables: &Tablebases,
    position: &Position,
    ranked: &mut [RankedMove],
    mut is_late: impl FnMut() -> bool,
) {
    if ranked.first().is_none_or(|first| first.rank > i32::from(MAX_PLIES) - WIN) {
        return;
    }
    let mut bonuses = Vec::with_capacity(ranked.len());
    for one in &*ranked {
        if is_late() {
            return;
        }
        let child = position.after(one.mv);
        let losing = 1000 - winning_share(tables, &child).unwrap_or(1000);
        let mates = |&reply: &Move| {
            let end = child.after(reply);
            end.is_check() && !end.has_legal_move()
        };
        // One reply wins, and it is found: worse than the loss of a piece.
        let is_mated = child.legal_moves().iter().any(mates);
        bonuses.push(if is_mated { -2 } else { SWINDLE_PLIES * losing as i32 / 1000 });
    }
    for (one, bonus) in ranked.iter_mut().zip(bonuses) {
        one.rank += bonus;
    }
    ranked.sort_by_key(|ranked| std::cmp::Reverse(ranked.rank));
}

/// Returns the value of the move that led to `child`. `keys` are those of the earlier positions,
/// the root last.
fn rank_move(tables: &Tablebases, context: RootContext, child: &Position, keys: &[Key]) -> Option<RootRank> {
    if !child.has_legal_move() {
        return Some(if child.is_check() { RootRank::Mates(1) } else { RootRank::Draws });
    }
    let is_over = context.has_fifty_moves && child.halfmove_clock() >= FIFTY_MOVES;
    if is_over || child.is_dead_material() || is_third_occurrence(child, keys) {
        return Some(RootRank::Draws);
    }
    let rank = rank_by_tables(tables, context, child)?;
    // A win does not count if the reply repeats a position for the third time.
    let is_won = rank.rank(context) > 0;
    let can_be_repeated = is_won && context.has_repeated && child.halfmove_clock() > 0 && {
        let keys = [keys, &[child.key()]].concat();
        child.legal_moves().iter().any(|&mv| is_third_occurrence(&child.after(mv), &keys))
    };
    Some(if can_be_repeated { RootRank::Draws } else { rank })
}

/// Returns the value of the move that led to `child` if the game continues there.
fn rank_by_tables(tables: &Tablebases, context: RootContext, child: &Position) -> Option<RootRank> {
    // A capture or pawn move sets the clock back, so that the whole distance counts from there.
    let context = if child.halfmove_clock() == 0 { RootContext { clock: 0, ..context } } else { context };
    let dtm_rank = tables.outcome(child).map(|outcome| from_dtm(outcome.before(), context));
    if let Some(certain) = dtm_rank.filter(|rank| !matches!(rank, RootRank::MayWin(_) | RootRank::MayLose(_)))
    {
        return Some(certain);
    }
    let dtz_rank = if child.halfmove_clock() == 0 {
        tables.wdl(child).map(|result| from_dtz(Dtz::after_zeroing(result), context))
    } else {
        let is_exact = context.needs_exact_distances();
        let mut distance = tables.dtz(child, is_exact);
        // A lost side that has hope must not take a move that is mated at once for one that lasts longer.
        let is_lost = distance.is_some_and(|dtz| dtz.plies > 0);
        if is_lost && !is_exact && context.has_hope(MAX_INEXACT_LOSS) {
            distance = tables.dtz(child, true);
        }
        distance
            .map(|dtz| from_dtz(dtz.before(), context))
            .or_else(|| tables.wdl(child).map(|result| from_wdl(-result, context)))
    };
    dtz_rank.or(dtm_rank)
}

/// Converts a distance to mate.
fn from_dtm(outcome: Outcome, context: RootContext) -> RootRank {
    let RootContext { clock, has_fifty_moves, .. } = context;
    // A mate on the last half-move before the limit counts.
    let is_in_time = |plies: u16| !has_fifty_moves || plies.saturating_add(clock) <= FIFTY_MOVES;
    match outcome {
        Outcome::Draw => RootRank::Draws,
        Outcome::Win(plies) if is_in_time(plies) => RootRank::Mates(plies),
        Outcome::Loss(plies) if is_in_time(plies) => RootRank::IsMated(plies),
        Outcome::Win(plies) => RootRank::MayWin(plies),
        Outcome::Loss(plies) => RootRank::MayLose(plies),
    }
}

/// Converts a DTZ value that includes the move itself.
fn from_dtz(dtz: Dtz, context: RootContext) -> RootRank {
    let plies = dtz.plies.unsigned_abs().min(MAX_PLIES.into()) as u16;
    let total = plies.saturating_add(context.clock).min(MAX_PLIES);
    let is_certain =
        !context.has_fifty_moves || total < FIFTY_MOVES || (total == FIFTY_MOVES && !dtz.is_rounded);
    match (dtz.plies.signum(), is_certain) {
        (0, _) => RootRank::Draws,
        (1, true) => RootRank::Wins(plies),
        (_, true) => RootRank::Loses(plies),
        (1, false) if total == FIFTY_MOVES => RootRank::MayWin(plies),
        (1, false) => RootRank::Cursed(total),
        (_, false) if total == FIFTY_MOVES => RootRank::MayLose(plies),
        (_, false) => RootRank::Blessed(total),
    }
}

/// Converts a WDL value.
fn from_wdl(result: Wdl, context: RootContext) -> RootRank {
    let result = if context.has_fifty_moves { result } else { result.without_fifty_moves() };
    match result {
        Wdl::Win => RootRank::Wins(0),
        Wdl::CursedWin => RootRank::Cursed(FIFTY_MOVES + 1),
        Wdl::Draw => RootRank::Draws,
        Wdl::BlessedLoss => RootRank::Blessed(FIFTY_MOVES + 1),
        Wdl::Loss => RootRank::Loses(0),
    }
}

impl RootRank {
    fn rank(self, context: RootContext) -> i32 {
        let RootContext { clock, has_repeated, .. } = context;
        let capped = |plies: u16| i32::from(plies.min(MAX_PLIES));
        let known_or_longest = |plies: u16| capped(if plies == 0 { MAX_PLIES } else { plies });
        match self {
            Self::Mates(plies) | Self::MatesForSure(plies) => MATE - capped(plies),
            // After a repetition, or beyond the limit of an ignored rule, the distance must
            // decrease.
            Self::Wins(plies) => {
                let must_hurry = has_repeated || plies.saturating_add(clock) > FIFTY_MOVES;
                WIN - if must_hurry { known_or_longest(plies) } else { 0 }
            }
            Self::MayWin(plies) => UNCERTAIN - capped(plies),
            Self::Cursed(total) => CURSED - capped(total),
            Self::Draws => 0,
            Self::Blessed(total) => capped(total) - CURSED,
            Self::MayLose(plies) => capped(plies) - UNCERTAIN,
            Self::Loses(plies) if context.has_hope(plies) => known_or_longest(plies) - WIN,
            Self::Loses(_) => -WIN,
            Self::IsMated(plies) => capped(plies) - MATE,
        }
    }

    /// Returns the score, if it is certain.
    fn score(self, context: RootContext) -> Option<Score> {
        let RootContext { clock, has_repeated, .. } = context;
        let is_near = |plies: u16| plies <= 2 || (!has_repeated && usize::from(plies) <= MAX_PLY);
        match self {
            Self::MatesForSure(plies) => Some(Score::mate_in(Ply(plies))),
            Self::Mates(plies) if is_near(plies) => Some(Score::mate_in(Ply(plies))),
            Self::IsMated(plies) if is_near(plies) => Some(Score::mated_in(Ply(plies))),
            // The result alone is that with a fresh clock.
            Self::Wins(0) | Self::Loses(0) if clock > 0 || has_repeated => None,
            Self::Mates(_) | Self::Wins(_) => Some(Score::TB_WIN),
            Self::IsMated(_) | Self::Loses(_) => Some(-Score::TB_WIN),
            Self::Cursed(_) => Some(CURSED_SCORE),
            Self::Blessed(_) => Some(-CURSED_SCORE),
            Self::Draws => Some(Score::DRAW),
            Self::MayWin(_) | Self::MayLose(_) => None,
        }
    }
}

/// Whether one of the positions has occurred twice.
fn has_repeated(keys: &[Key]) -> bool {
    keys.iter().enumerate().any(|(index, key)| keys[..index].contains(key))
}

/// Whether the position occurs for the third time.
fn is_third_occurrence(position: &Position, keys: &[Key]) -> bool {
    keys.iter().filter(|&&key| key == position.key()).nth(1).is_some()
}

#[cfg(test)]
mod tests;
