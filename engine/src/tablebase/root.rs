//! The moves at the root, ranked by what tables know of them.
//!
//! A move is good for what it leaves certain. Mate within the fifty-move rule comes first, the nearer the better: whoever
//! has our own tables mates in as few moves as can be. Without them all moves that win for certain are equal, and the
//! search chooses among them, so that play looks for mate and not for the nearest capture. Two things bound its freedom:
//! a move that leaves too few plies until the rule counts as no win, and once a position has come twice, only the distance
//! to the next capture or pawn move counts, which falls from move to move, so that nothing comes a third time.
//!
//! Source: the ranking by distance to zeroing follows Stockfish (since 2016); putting the distance to mate above it is
//! ours.

use std::time::{Duration, Instant};

use super::Outcome;
use super::tablebases::Tablebases;
use super::wdl::{Dtz, Wdl};
use crate::position::{Game, Position};
use crate::types::{FIFTY_MOVES, Key, MAX_PLY, Move, Ply, Score};

/// What tables know of a root move, for the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grade {
    /// It mates in so many plies, before the fifty-move rule.
    Mates(u16),
    /// It wins. Units: plies to the next capture or pawn move, zero where that is not known.
    Wins(u16),
    /// It wins unless the fifty-move rule comes first, which no table here can tell. Units: plies to go.
    MayWin(u16),
    /// It would win, but the fifty-move rule comes first. Units: plies to the next capture or pawn move, those already
    /// made counted too.
    Cursed(u16),
    /// Nobody wins.
    Draws,
    /// The opponent's win is cursed likewise.
    Blessed(u16),
    /// It loses unless the fifty-move rule comes first.
    MayLose(u16),
    /// It loses.
    Loses(u16),
    /// It is mated in so many plies.
    IsMated(u16),
}

/// Ranks of the grades, far enough apart for the plies between them.
const MATE: i32 = 40_000;
const WIN: i32 = 30_000;
const PERHAPS: i32 = 20_000;
const CURSED: i32 = 10_000;
/// No distance is longer than this. Units: plies.
const MOST_PLIES: u16 = 5_000;

/// What the fifty-move rule makes of nearly everything: hardly more than a draw. Units: centipawns.
const CURSED_SCORE: Score = Score(2);

/// The circumstances of the root that a rank depends on.
#[derive(Clone, Copy, Debug)]
struct Circumstances {
    /// Plies since the last capture or pawn move.
    clock: u16,
    /// Does the fifty-move rule hold?
    has_fifty_moves: bool,
    /// Has a position since then come twice?
    has_repeated: bool,
}

/// A root move and what it is worth by the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// The greater the better; equal where the search is to choose.
    pub rank: i32,
    /// What the tables say it is worth, if they do.
    pub score: Option<Score>,
}

/// All root moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The best first; equal ones as they were.
    pub moves: Vec<RankedMove>,
    /// Need the tables not be asked again below the root? True where the ranks alone make sure of progress.
    pub is_sufficient: bool,
}

/// Ranks the moves of a game's position; `None` where the tables do not know all of them, or it takes too long.
pub(super) fn rank(
    tables: &Tablebases,
    game: &Game,
    moves: &[Move],
    patience: Option<Duration>,
) -> Option<Ranking> {
    let begun = Instant::now();
    let position = game.position();
    let mut keys = game.keys().to_vec();
    keys.push(position.key());
    let circumstances = Circumstances {
        clock: position.halfmove_clock(),
        has_fifty_moves: tables.usage.has_fifty_moves,
        has_repeated: has_repeated(&keys),
    };
    let mut has_distances = true;
    let mut ranked = Vec::with_capacity(moves.len());
    for &mv in moves {
        if patience.is_some_and(|patience| begun.elapsed() > patience) {
            return None;
        }
        let grade = grade(tables, circumstances, &position.after(mv), &keys)?;
        has_distances &= !matches!(grade, Grade::Wins(0) | Grade::Loses(0));
        ranked.push(RankedMove { mv, rank: grade.rank(circumstances), score: grade.score() });
    }
    ranked.sort_by_key(|ranked| std::cmp::Reverse(ranked.rank));
    let is_winning = ranked.first().is_some_and(|best| best.rank > 0);
    Some(Ranking { moves: ranked, is_sufficient: has_distances || !is_winning })
}

/// What the tables know of the move that led to `child`. `keys` are the positions before it, that of the root last.
fn grade(tables: &Tablebases, circumstances: Circumstances, child: &Position, keys: &[Key]) -> Option<Grade> {
    if !child.has_legal_move() {
        return Some(if child.is_check() { Grade::Mates(1) } else { Grade::Draws });
    }
    let is_over = circumstances.has_fifty_moves && child.halfmove_clock() >= FIFTY_MOVES;
    if is_over || child.is_dead_material() || is_third(child, keys) {
        return Some(Grade::Draws);
    }
    let grade = known(tables, circumstances, child)?;
    // A win is none if the opponent's answer brings a position for the third time.
    let is_won = grade.rank(circumstances) > 0;
    let escapes = is_won && circumstances.has_repeated && child.halfmove_clock() > 0 && {
        let keys = [keys, &[child.key()]].concat();
        child.legal_moves().iter().any(|&mv| is_third(&child.after(mv), &keys))
    };
    Some(if escapes { Grade::Draws } else { grade })
}

/// The same where the game goes on.
fn known(tables: &Tablebases, circumstances: Circumstances, child: &Position) -> Option<Grade> {
    let by_mate = tables.outcome(child).map(|outcome| by_outcome(outcome.before(), circumstances));
    if let Some(certain) = by_mate.filter(|grade| !matches!(grade, Grade::MayWin(_) | Grade::MayLose(_))) {
        return Some(certain);
    }
    let by_zeroing = if child.halfmove_clock() == 0 {
        tables.wdl(child).map(|result| by_dtz(Dtz::by_zeroing(result), circumstances))
    } else {
        let distance =
            tables.dtz(child, circumstances.has_repeated).map(|dtz| by_dtz(dtz.before(), circumstances));
        distance.or_else(|| tables.wdl(child).map(|result| by_result(-result, circumstances)))
    };
    by_zeroing.or(by_mate)
}

/// By the distance to mate.
fn by_outcome(outcome: Outcome, circumstances: Circumstances) -> Grade {
    let Circumstances { clock, has_fifty_moves, .. } = circumstances;
    // A mate on the very last half-move counts.
    let is_in_time = |plies: u16| !has_fifty_moves || plies.saturating_add(clock) <= FIFTY_MOVES;
    match outcome {
        Outcome::Draw => Grade::Draws,
        Outcome::Win(plies) if is_in_time(plies) => Grade::Mates(plies),
        Outcome::Loss(plies) if is_in_time(plies) => Grade::IsMated(plies),
        Outcome::Win(plies) => Grade::MayWin(plies),
        Outcome::Loss(plies) => Grade::MayLose(plies),
    }
}

/// By the distance to the next capture or pawn move, that of the move itself counted.
fn by_dtz(dtz: Dtz, circumstances: Circumstances) -> Grade {
    let plies = dtz.plies.unsigned_abs().min(MOST_PLIES.into()) as u16;
    let total = plies.saturating_add(circumstances.clock).min(MOST_PLIES);
    let is_certain =
        !circumstances.has_fifty_moves || total < FIFTY_MOVES || (total == FIFTY_MOVES && !dtz.is_rounded);
    match (dtz.plies.signum(), is_certain) {
        (0, _) => Grade::Draws,
        (1, true) => Grade::Wins(plies),
        (_, true) => Grade::Loses(plies),
        (1, false) if total == FIFTY_MOVES => Grade::MayWin(plies),
        (1, false) => Grade::Cursed(total),
        (_, false) if total == FIFTY_MOVES => Grade::MayLose(plies),
        (_, false) => Grade::Blessed(total),
    }
}

/// By the result alone.
fn by_result(result: Wdl, circumstances: Circumstances) -> Grade {
    let result = if circumstances.has_fifty_moves { result } else { result.without_fifty_moves() };
    match result {
        Wdl::Win => Grade::Wins(0),
        Wdl::CursedWin => Grade::Cursed(FIFTY_MOVES + 1),
        Wdl::Draw => Grade::Draws,
        Wdl::BlessedLoss => Grade::Blessed(FIFTY_MOVES + 1),
        Wdl::Loss => Grade::Loses(0),
    }
}

impl Grade {
    fn rank(self, circumstances: Circumstances) -> i32 {
        let Circumstances { clock, has_repeated, .. } = circumstances;
        let capped = |plies: u16| i32::from(plies.min(MOST_PLIES));
        match self {
            Self::Mates(plies) => MATE - capped(plies),
            // Where a position has come twice, or the rule is only left out of account, progress has to be made.
            Self::Wins(plies) => {
                let must_hurry = has_repeated || plies.saturating_add(clock) > FIFTY_MOVES;
                WIN - if must_hurry { capped(plies) } else { 0 }
            }
            Self::MayWin(plies) => PERHAPS - capped(plies),
            Self::Cursed(total) => CURSED - capped(total),
            Self::Draws => 0,
            Self::Blessed(total) => capped(total) - CURSED,
            Self::MayLose(plies) => capped(plies) - PERHAPS,
            // Where a slip or two of the opponent would let the rule come first, the longest way is the best.
            Self::Loses(plies) => {
                let has_hope = plies.saturating_mul(2).saturating_add(clock) >= FIFTY_MOVES;
                if has_hope { capped(plies) - WIN } else { -WIN }
            }
            Self::IsMated(plies) => capped(plies) - MATE,
        }
    }

    fn score(self) -> Option<Score> {
        let is_near = |plies: u16| usize::from(plies) <= MAX_PLY;
        match self {
            Self::Mates(plies) if is_near(plies) => Some(Score::mate_in(Ply(plies))),
            Self::IsMated(plies) if is_near(plies) => Some(Score::mated_in(Ply(plies))),
            Self::Mates(_) | Self::Wins(_) => Some(Score::TABLE_WIN),
            Self::IsMated(_) | Self::Loses(_) => Some(-Score::TABLE_WIN),
            Self::Cursed(_) => Some(CURSED_SCORE),
            Self::Blessed(_) => Some(-CURSED_SCORE),
            Self::Draws => Some(Score::DRAW),
            Self::MayWin(_) | Self::MayLose(_) => None,
        }
    }
}

/// Has one of the positions come twice?
fn has_repeated(keys: &[Key]) -> bool {
    keys.iter().enumerate().any(|(index, key)| keys[..index].contains(key))
}

/// Is the position there for the third time?
fn is_third(position: &Position, keys: &[Key]) -> bool {
    keys.iter().filter(|&&key| key == position.key()).nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tablebase::MateTables;
    use crate::types::Color;

    const FRESH: Circumstances = Circumstances { clock: 0, has_fifty_moves: true, has_repeated: false };

    fn exact(plies: i32) -> Dtz {
        Dtz { plies, is_rounded: false }
    }

    fn rounded(plies: i32) -> Dtz {
        Dtz { plies, is_rounded: true }
    }

    #[test]
    fn grades_are_in_order() {
        let order = [
            Grade::Mates(1),
            Grade::Mates(100),
            Grade::Wins(30),
            Grade::MayWin(100),
            Grade::Cursed(101),
            Grade::Cursed(4000),
            Grade::Draws,
            Grade::Blessed(4000),
            Grade::Blessed(101),
            Grade::MayLose(100),
            Grade::Loses(90),
            Grade::Loses(3),
            Grade::IsMated(100),
            Grade::IsMated(2),
        ];
        let ranks = order.map(|grade| grade.rank(FRESH));
        assert!(ranks.is_sorted_by(|one, other| one > other), "{ranks:?}");
        assert_eq!(Grade::Wins(3).rank(FRESH), Grade::Wins(70).rank(FRESH), "the search is to choose");
        let hurried = Circumstances { has_repeated: true, ..FRESH };
        assert!(Grade::Wins(3).rank(hurried) > Grade::Wins(70).rank(hurried));
        assert_eq!(Grade::Loses(3).rank(FRESH), Grade::Loses(40).rank(FRESH));
    }

    #[test]
    fn the_counter_decides_what_a_distance_is_worth() {
        let at = |clock| Circumstances { clock, ..FRESH };
        assert_eq!(by_dtz(exact(40), at(60)), Grade::Wins(40));
        assert_eq!(by_dtz(exact(41), at(60)), Grade::Cursed(101));
        assert_eq!(by_dtz(rounded(39), at(60)), Grade::Wins(39));
        assert_eq!(by_dtz(rounded(40), at(60)), Grade::MayWin(40));
        assert_eq!(by_dtz(exact(-40), at(60)), Grade::Loses(40));
        assert_eq!(by_dtz(rounded(-40), at(60)), Grade::MayLose(40));
        assert_eq!(by_dtz(exact(-41), at(60)), Grade::Blessed(101));
        assert_eq!(by_dtz(exact(101), at(0)), Grade::Cursed(101));
        assert_eq!(by_dtz(Dtz::DRAW, at(99)), Grade::Draws);
        let free = Circumstances { clock: 90, has_fifty_moves: false, has_repeated: false };
        assert_eq!(by_dtz(exact(250), free), Grade::Wins(250));
        // Then only progress can win.
        assert!(Grade::Wins(249).rank(free) > Grade::Wins(250).rank(free));
        assert!(Grade::Wins(10).rank(free) > Grade::Wins(249).rank(free));
    }

    #[test]
    fn a_mate_that_comes_too_late_is_not_certain() {
        let at = |clock| Circumstances { clock, ..FRESH };
        assert_eq!(by_outcome(Outcome::Win(31), at(69)), Grade::Mates(31));
        assert_eq!(by_outcome(Outcome::Win(31), at(70)), Grade::MayWin(31));
        assert_eq!(by_outcome(Outcome::Loss(30), at(70)), Grade::IsMated(30));
        assert_eq!(by_outcome(Outcome::Loss(30), at(71)), Grade::MayLose(30));
        let free = Circumstances { clock: 99, has_fifty_moves: false, has_repeated: false };
        assert_eq!(by_outcome(Outcome::Win(31), free), Grade::Mates(31));
        assert_eq!(Grade::Mates(31).score(), Some(Score::mate_in(Ply(31))));
        assert_eq!(Grade::Mates(300).score(), Some(Score::TABLE_WIN));
    }

    /// Tables that know of every position of three men how far the kings are apart, and call that the distance to mate.
    struct Invented;

    impl MateTables for Invented {
        fn men(&self) -> usize {
            3
        }

        fn outcome(&self, position: &Position) -> Option<Outcome> {
            let distance = position.king(Color::White).distance(position.king(Color::Black));
            Some(match position.side_to_move() {
                Color::White => Outcome::Win(u16::from(distance) * 2 + 1),
                Color::Black => Outcome::Loss(u16::from(distance) * 2),
            })
        }
    }

    fn ranked(fen: &str) -> Ranking {
        let tables = Tablebases { own: Some(Arc::new(Invented)), ..Tablebases::default() };
        let game = Game::new(Position::from_fen(fen).expect("a position"));
        let moves: Vec<Move> = game.position().legal_moves().iter().copied().collect();
        tables.rank(&game, &moves).expect("tables for all moves")
    }

    #[test]
    fn the_shortest_mate_is_first() {
        let ranking = ranked("8/8/8/8/8/4k3/8/KR6 w - - 0 1");
        let first = ranking.moves[0];
        assert_eq!((first.mv.to_string().as_str(), first.score), ("a1b2", Some(Score::mate_in(Ply(7)))));
        assert!(ranking.is_sufficient);
        // The one who is mated goes the other way.
        let ranking = ranked("8/8/8/8/8/3k4/8/KR6 b - - 0 1");
        assert_eq!(ranking.moves[0].score, Some(Score::mated_in(Ply(10))));
        assert!(ranking.moves.last().is_some_and(|last| last.rank < ranking.moves[0].rank));
        // Where it is too late to be sure, the nearest is still the best try.
        let late = ranked("8/8/8/8/8/4k3/8/KR6 w - - 95 90");
        assert_eq!((late.moves[0].mv.to_string().as_str(), late.moves[0].score), ("a1b2", None));
    }

    #[test]
    fn without_patience_nothing_is_ranked() {
        let tables = Tablebases { own: Some(Arc::new(Invented)), ..Tablebases::default() };
        let game = Game::new(Position::from_fen("8/8/8/8/8/4k3/8/KR6 w - - 0 1").expect("a position"));
        let moves: Vec<Move> = game.position().legal_moves().iter().copied().collect();
        assert!(tables.rank_within(&game, &moves, Some(Duration::ZERO)).is_none());
        assert_eq!(tables.rank_within(&game, &moves, Some(Duration::MAX)), tables.rank(&game, &moves));
    }

    #[test]
    fn a_mate_on_the_board_needs_no_table() {
        let ranking = ranked("k7/8/1K6/8/8/8/8/7R w - - 99 90");
        assert_eq!(ranking.moves[0].score, Some(Score::mate_in(Ply(1))));
        assert!(ranking.moves[1..].iter().all(|ranked| ranked.score == Some(Score::DRAW)));
    }
}
