//! One game between two running engines, from its opening to a result and whose doing it was.

use std::time::{Duration, Instant};

use super::adjudicate::Adjudicator;
use super::board::Board;
use super::clock::{Clock, go_command};
use crate::config::{Adjudication, Limits};
use crate::store::{GameResult, MoveRecord, Side, SideStats, Termination};
use crate::uci_client::{Engine, ReportedScore, SearchAnswer, UciError};

/// Time an engine has to answer `stop` after its flag fell, before it is replaced.
const STOP_GRACE: Duration = Duration::from_millis(500);

/// The rules of a match that are not chess.
#[derive(Clone, Copy, Debug)]
pub struct MatchRules {
    /// Early decisions.
    pub adjudication: Adjudication,
    /// Overdraft of a clock that is forgiven.
    pub time_margin: Duration,
    /// Longest silence where no clock runs.
    pub answer_limit: Duration,
}

/// A player at the board.
#[derive(Debug)]
pub struct Seat<'a> {
    /// Ready for a new game.
    pub engine: &'a mut Engine,
    /// What it may think.
    pub limits: Limits,
}

/// A finished game.
#[derive(Debug)]
pub struct PlayedGame {
    /// Who won.
    pub result: GameResult,
    /// How it ended.
    pub termination: Termination,
    /// Every move with its report.
    pub moves: Vec<MoveRecord>,
    /// Sums of White and Black.
    pub stats: [SideStats; 2],
    /// From the first `go` to the end.
    pub duration: Duration,
    /// The sides whose engine must be started anew. Shape: White, Black.
    pub broken: [bool; 2],
}

/// Why a game has no result; nobody's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// A stop was asked for.
    Cancelled,
    /// The harness itself was not running for a while: the clocks say nothing, the game is played again.
    Stalled,
}

/// A game under way.
struct Table<'a> {
    seats: [Seat<'a>; 2],
    clocks: [Option<Clock>; 2],
    rules: MatchRules,
    board: Board,
    moves: Vec<MoveRecord>,
    stats: [SideStats; 2],
    broken: [bool; 2],
}

/// Plays a game from `board`.
pub fn play_game(
    board: Board,
    white: Seat<'_>,
    black: Seat<'_>,
    rules: MatchRules,
) -> Result<PlayedGame, Unfinished> {
    let clocks = [&white, &black].map(|seat| seat.limits.time_control.map(Clock::new));
    let mut table = Table {
        seats: [white, black],
        clocks,
        rules,
        board,
        moves: Vec::new(),
        stats: [SideStats::default(); 2],
        broken: [false; 2],
    };
    let start = Instant::now();
    let (result, termination) = table.play()?;
    let Table { moves, stats, broken, .. } = table;
    Ok(PlayedGame { result, termination, moves, stats, duration: start.elapsed(), broken })
}

impl Table<'_> {
    fn play(&mut self) -> Result<(GameResult, Termination), Unfinished> {
        let mut adjudicator = Adjudicator::new(self.rules.adjudication);
        loop {
            if let Some(end) = self.board.outcome() {
                return Ok(end);
            }
            let side = self.board.turn();
            let full_move = self.board.full_move();
            let score = match self.make_move(side)? {
                Ok(score) => score.map(ReportedScore::as_centipawns),
                Err(fault) => return Ok((GameResult::won_by(side.other()), fault)),
            };
            // The rules come first: a mate on the board is not adjudicated.
            if let Some(end) = self.board.outcome() {
                return Ok(end);
            }
            if let Some(end) = adjudicator.judge(side, score, full_move) {
                return Ok(end);
            }
        }
    }

    /// Has `side` move; the inner error is its fault.
    fn make_move(&mut self, side: Side) -> Result<Result<Option<ReportedScore>, Termination>, Unfinished> {
        let me = usize::from(side == Side::Black);
        let limits = self.seats[me].limits;
        let go = go_command(&limits, self.clocks[me].as_ref(), self.clocks[1 - me].as_ref(), side);
        let text = format!("{}\n{go}\n", self.board.command());
        let allowance = self.allowance(me);
        let answer = match self.seats[me].engine.search(&text, allowance) {
            Ok(answer) => answer,
            Err(error) => return self.judge_failure(side, &error).map(Err),
        };
        if let Err(over) = self.charge(me, answer.elapsed) {
            let over_us = u64::try_from(over.as_micros()).unwrap_or(u64::MAX);
            return Ok(Err(Termination::TimeForfeit { by: side, over_us }));
        }
        if !self.board.play(&answer.best_move) {
            let text = answer.best_move.chars().take(100).collect();
            return Ok(Err(Termination::IllegalMove { by: side, text }));
        }
        let score = answer.report.score;
        self.record(me, answer);
        Ok(Ok(score))
    }

    /// How long the next move may take by the clock, by the time per move, or else by the watchdog.
    fn allowance(&self, me: usize) -> Duration {
        let margin = self.rules.time_margin;
        match (&self.clocks[me], self.seats[me].limits.movetime) {
            (Some(clock), _) => clock.allowance(margin),
            (None, Some(time)) => Duration::from_millis(time.get()) + margin,
            (None, None) => self.rules.answer_limit,
        }
    }

    fn charge(&mut self, me: usize, spent: Duration) -> Result<(), Duration> {
        let margin = self.rules.time_margin;
        match (&mut self.clocks[me], self.seats[me].limits.movetime) {
            (Some(clock), _) => clock.charge(spent, margin),
            (None, Some(time)) => {
                let over = spent.saturating_sub(Duration::from_millis(time.get()));
                if over > margin { Err(over) } else { Ok(()) }
            }
            (None, None) => Ok(()),
        }
    }

    fn record(&mut self, me: usize, answer: SearchAnswer) {
        let played = MoveRecord {
            text: answer.best_move,
            time_us: u64::try_from(answer.elapsed.as_micros()).unwrap_or(u64::MAX),
            score: answer.report.score,
            depth: answer.report.depth,
            nodes: answer.report.nodes,
        };
        self.stats[me].add(&played);
        self.moves.push(played);
    }

    /// What a failed search means for the game.
    fn judge_failure(&mut self, side: Side, error: &UciError) -> Result<Termination, Unfinished> {
        let me = usize::from(side == Side::Black);
        let how = error.to_string();
        let has_clock = self.clocks[me].is_some() || self.seats[me].limits.movetime.is_some();
        self.broken[me] = true;
        match error {
            UciError::Cancelled => Err(Unfinished::Cancelled),
            UciError::Stalled => Err(Unfinished::Stalled),
            UciError::Silent { after, .. } if has_clock => {
                let start = Instant::now();
                self.seats[me].engine.note("the flag fell");
                let late = self.seats[me].engine.stop(STOP_GRACE);
                self.broken[me] = late.is_err();
                let waited = *after + start.elapsed();
                let left = after.saturating_sub(self.rules.time_margin);
                let over_us = u64::try_from(waited.saturating_sub(left).as_micros()).unwrap_or(u64::MAX);
                match late {
                    Err(UciError::Cancelled) => Err(Unfinished::Cancelled),
                    Err(UciError::Gone { how }) => Ok(Termination::Crash { by: side, how }),
                    _ => Ok(Termination::TimeForfeit { by: side, over_us }),
                }
            }
            UciError::Silent { .. } => Ok(Termination::Hang { by: side, how }),
            UciError::Gone { how } => Ok(Termination::Crash { by: side, how: how.clone() }),
            UciError::Spawn { .. } | UciError::Pipe(_) => Ok(Termination::Crash { by: side, how }),
        }
    }
}
