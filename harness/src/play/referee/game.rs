//! One game between two running engines, from its opening to its result and termination.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use shakmaty::Position;

use super::adjudicate::{Adjudicator, JudgedMove};
use super::board::Board;
use super::clock::{Clock, go_command};
use super::pv::{Finding, check_ponder, check_pv};
use super::tablebase::Tables;
use crate::base::micros;
use crate::config::{EngineConfig, Limits};
use crate::play::adjudication::Adjudication;
use crate::play::live::{LiveSide, LiveSlot};
use crate::play::record::{
    Audit, GameResult, MoveDetails, MoveRecord, PvError, Side, SideStats, Termination, WrongPv,
};
use crate::uci::{Engine, READY, ReportedScore, SearchAnswer, UciError};

/// Time an engine has to answer `stop` when it ponders at the end of a game, before it is replaced.
const STOP_GRACE: Duration = Duration::from_millis(500);
/// Longest part of the line of a wrong PV kept. Units: bytes.
const LINE_BYTES: usize = 2000;
/// Longest rest of an audited game. Units: full moves.
const MAX_REST: u32 = 500;

/// The rules of a match that are not chess.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchRules<'a> {
    /// Rules that end a game early.
    pub adjudication: Adjudication,
    /// Tolerated overrun of each move.
    pub time_margin: Duration,
    /// Time limit of an answer where no clock runs, and of the answer to `stop` after a flag fell.
    pub answer_limit: Duration,
    /// Endgame tables that decide games.
    pub tables: Option<&'a Tables>,
    /// Whether moves are recorded with [`MoveDetails`].
    pub keeps_details: bool,
    /// Whether mate scores are compared with their PVs.
    pub checks_mates: bool,
    /// Factor of clocks and times per move. Units: permille.
    pub clock_permille: Option<u32>,
    /// The place in which the game is published while it is played.
    pub live: Option<LiveSlot<'a>>,
}

/// One side of a game: its engine and conditions.
#[derive(Debug)]
pub(crate) struct Contestant<'a> {
    /// The engine, ready for a new game.
    pub engine: &'a mut Engine,
    /// Its configuration, with the limits per move or game.
    pub config: &'a EngineConfig,
}

impl Contestant<'_> {
    /// Returns the time a search takes off its clock: its duration, or the time equivalent of the
    /// nodes it last reported.
    fn cost(&self, answer: &SearchAnswer) -> Duration {
        let Some(nodes_per_ms) = self.config.nodes_per_ms() else { return answer.elapsed };
        let micros = u128::from(answer.report.nodes.unwrap_or(0)) * 1000 / u128::from(nodes_per_ms.get());
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }
}

/// A game with a result.
#[derive(Debug)]
pub(crate) struct PlayedGame {
    pub result: GameResult,
    pub termination: Termination,
    /// Every move with its report.
    pub moves: Vec<MoveRecord>,
    /// Sums of White and Black.
    pub stats: [SideStats; 2],
    /// From the first `go` to the end.
    pub duration: Duration,
    /// Whether an engine must be restarted. Shape: White, Black.
    pub broken: [bool; 2],
    /// Wrong PVs that the engines reported.
    pub wrong_pvs: Vec<WrongPv>,
    /// The rest of the game after the verdict, if it was audited.
    pub audit: Option<Audit>,
}

/// The outcome of one move.
enum MoveOutcome {
    /// The side moved; the score that its engine reported, if any.
    Played(Option<ReportedScore>),
    /// The side lost by its own fault.
    Forfeited(Termination),
}

/// A game in progress.
struct Game<'a> {
    contestants: [Contestant<'a>; 2],
    /// Their limits on this machine.
    limits: [Limits; 2],
    clocks: [Option<Clock>; 2],
    rules: MatchRules<'a>,
    board: Board,
    moves: Vec<MoveRecord>,
    stats: [SideStats; 2],
    broken: [bool; 2],
    /// The move that each side ponders on.
    pondered: [Option<String>; 2],
    /// The moment at which the last move was asked for.
    asked: Instant,
    wrong_pvs: Vec<WrongPv>,
}

/// Plays a game from `board`. `is_audited` is called when the game ends; if it returns true, the game is played on for the
/// audit alone.
///
/// Errors: a stop was requested, or the harness itself was not running for a while: the clocks are invalid.
pub(crate) fn play_game(
    board: Board,
    white: Contestant<'_>,
    black: Contestant<'_>,
    rules: MatchRules<'_>,
    is_audited: impl FnOnce(&Termination) -> bool,
) -> Result<PlayedGame, UciError> {
    let limits = [&white, &black].map(|contestant| contestant.config.limits.scaled(rules.clock_permille));
    let mut game = Game {
        contestants: [white, black],
        limits,
        clocks: limits.map(|limits| limits.time_control.map(Clock::new)),
        rules,
        board,
        moves: Vec::new(),
        stats: [SideStats::default(); 2],
        broken: [false; 2],
        pondered: [None, None],
        asked: Instant::now(),
        wrong_pvs: Vec::new(),
    };
    let start = Instant::now();
    let (result, termination) = game.play(rules.adjudication, rules.tables)?;
    let duration = start.elapsed();
    let (plies, stats, pvs) = (game.moves.len(), game.stats, game.wrong_pvs.len());
    let audit = is_audited(&termination).then(|| game.audit(&termination));
    game.stop_pondering();
    let Game { mut moves, broken, mut wrong_pvs, .. } = game;
    moves.truncate(plies);
    wrong_pvs.truncate(pvs);
    Ok(PlayedGame { result, termination, moves, stats, duration, broken, wrong_pvs, audit })
}

impl Game<'_> {
    /// Plays until the rules of chess, these rules of adjudication or tables, or a fault end the game.
    fn play(
        &mut self,
        rules: Adjudication,
        tables: Option<&Tables>,
    ) -> Result<(GameResult, Termination), UciError> {
        let mut adjudicator = Adjudicator::new(rules);
        loop {
            if let Some(end) = self.board.outcome() {
                return Ok(end);
            }
            let side = self.board.turn();
            let full_move = self.board.position().fullmoves().get();
            let score = match self.make_move(side)? {
                MoveOutcome::Played(score) => score.map(ReportedScore::as_centipawns),
                MoveOutcome::Forfeited(fault) => return Ok((fault.result_of_fault(side), fault)),
            };
            // The rules come first: a mate on the board is not adjudicated.
            if let Some(end) = self.board.outcome() {
                return Ok(end);
            }
            if let Some(result) = tables.and_then(|tables| tables.result(self.board.position())) {
                return Ok((result, Termination::Tablebase));
            }
            let is_irreversible = self.board.position().halfmoves() == 0;
            if let Some(end) = adjudicator.judge(JudgedMove { side, score, full_move, is_irreversible }) {
                return Ok(end);
            }
        }
    }

    /// Plays an adjudicated game on, by the rules of chess and on the same clocks, to audit the verdict. Tables end the
    /// rest too, unless the verdict is theirs. A fault breaks the audit off, and the engines are restarted.
    fn audit(&mut self, verdict: &Termination) -> Audit {
        let (start, plies) = (Instant::now(), self.moves.len());
        if let Some(live) = self.rules.live {
            live.begin_audit();
        }
        let rules = Adjudication { max_moves: NonZeroU32::new(MAX_REST), ..Adjudication::default() };
        let tables = self.rules.tables.filter(|_| *verdict != Termination::Tablebase);
        let (result, ended) = match self.play(rules, tables) {
            Ok((_, Termination::MaxMoves)) => (None, format!("no end within {MAX_REST} moves")),
            Ok((result, ended)) => (ended.fault().is_none().then_some(result), ended.to_string()),
            Err(UciError::Cancelled) => (None, "a stop was requested".to_owned()),
            Err(_) => (None, "the harness was not running for a while".to_owned()),
        };
        if result.is_none() {
            self.broken = [true; 2];
        }
        let moves = self.moves[plies..].iter().map(|played| played.text.clone()).collect();
        let duration_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        Audit { result, ended, moves, duration_ms }
    }

    /// Publishes the position in which side `me` is asked for a move.
    fn publish(&self, me: usize) {
        let Some(live) = self.rules.live else { return };
        let played = |back: usize| self.moves.len().checked_sub(back).map(|index| &self.moves[index]);
        let side = |index: usize| {
            let left = self.clocks[index].as_ref().map(Clock::left_us);
            LiveSide::new(left, if index == me { played(2) } else { played(1) })
        };
        let last_move = played(1).map(|played| played.text.as_str());
        live.publish(self.board.position(), last_move, [side(0), side(1)]);
    }

    /// Asks `side` for a move and plays it.
    fn make_move(&mut self, side: Side) -> Result<MoveOutcome, UciError> {
        let me = side.index();
        self.publish(me);
        let limits = self.limits[me];
        let go = go_command(&limits, self.clocks[me].as_ref(), self.clocks[1 - me].as_ref(), side);
        let text = format!("{}\n{go}\n", self.board.command);
        let (answer, is_ponder_hit) = match self.think(me, &text) {
            Ok(found) => found,
            Err(error) => return self.judge_failure(side, error).map(MoveOutcome::Forfeited),
        };
        let spent = self.contestants[me].cost(&answer);
        let nodes_left = self.nodes_left(me);
        if let Err(over) = self.charge(me, spent) {
            self.contestants[me].engine.limit_last_search(nodes_left);
            return Ok(MoveOutcome::Forfeited(self.time_forfeit(side, spent, over)));
        }
        let mut findings = check_pv(&self.board, &answer.pv_line, &answer.best_move, self.rules.checks_mates);
        if let Some(ponder) = &answer.ponder_move
            && let Some(finding) = check_ponder(&self.board, &answer.pv_line, &answer.best_move, ponder)
        {
            findings.get_or_insert_default().push(finding);
        }
        if !self.board.play(&answer.best_move) {
            let text = answer.best_move.chars().take(100).collect();
            let answers_again = self.contestants[me].engine.answers_again();
            return Ok(MoveOutcome::Forfeited(if answers_again {
                Termination::AnsweredTwice { by: side, text }
            } else {
                Termination::IllegalMove { by: side, text }
            }));
        }
        let score = answer.report.score;
        let expected = answer.ponder_move.clone();
        if let Some(findings) = findings {
            self.record_pv(me, &findings, &answer);
        }
        self.record(me, answer, spent, is_ponder_hit);
        match self.start_pondering(me, expected) {
            Ok(()) => Ok(MoveOutcome::Played(score)),
            Err(error) => self.judge_failure(side, error).map(MoveOutcome::Forfeited),
        }
    }

    /// Starts a search of the side to move, or continues its ponder search if the played move was
    /// the expected one. Returns also whether it was.
    fn think(&mut self, me: usize, text: &str) -> Result<(SearchAnswer, bool), UciError> {
        let allowance = self.allowance(me);
        let was_played = |expected| self.moves.last().is_some_and(|played| played.text == expected);
        let is_hit = self.pondered[me].take().map(was_played);
        let is_other_pondering = self.pondered[1 - me].is_some();
        let [white, black] = &mut self.contestants;
        let (mine, other) = if me == 0 { (white, black) } else { (black, white) };
        let other = is_other_pondering.then_some(&mut *other.engine);
        self.stats[me].second_answers += mine.engine.await_ready()?;
        self.asked = Instant::now();
        let answer = match is_hit {
            None => mine.engine.search_watched(text, allowance, &mut |_| {}, other)?,
            Some(true) => mine.engine.ponderhit(allowance, other)?,
            Some(false) => {
                // Its clock runs from the moment the move is known, so a slow `stop` costs its own time.
                let spent = mine.engine.stop_pondering(allowance)?;
                let left = allowance.saturating_sub(spent);
                let mut answer = mine.engine.search_watched(text, left, &mut |_| {}, other)?;
                answer.elapsed += spent;
                answer.uncounted += spent;
                answer
            }
        };
        Ok((answer, is_hit == Some(true)))
    }

    /// Starts pondering on the `expected` answer, if it is legal and the game continues after it. An engine that does not
    /// ponder is asked to get ready.
    fn start_pondering(&mut self, me: usize, expected: Option<String>) -> Result<(), UciError> {
        if !self.contestants[me].config.ponder {
            self.contestants[me].engine.ask_ready();
            return Ok(());
        }
        let Some(expected) = expected else { return Ok(()) };
        let mut ahead = self.board.clone();
        if self.board.outcome().is_some() || !ahead.play(&expected) || ahead.outcome().is_some() {
            return Ok(());
        }
        let limits = self.limits[me];
        let go = go_command(&limits, self.clocks[me].as_ref(), self.clocks[1 - me].as_ref(), ahead.turn());
        let go = go.replacen("go", "go ponder", 1);
        self.contestants[me].engine.ponder(&format!("{}\n{go}\n", ahead.command))?;
        self.pondered[me] = Some(expected);
        Ok(())
    }

    /// Stops pondering after the game. An engine that does not stop is restarted.
    fn stop_pondering(&mut self) {
        for me in 0..2 {
            if self.pondered[me].take().is_some()
                && self.contestants[me].engine.stop_pondering(STOP_GRACE).is_err()
            {
                self.broken[me] = true;
            }
        }
    }

    /// Returns the time limit of the next move: by the clock, by the time per move, or else by the
    /// watchdog, which also applies where a clock counts nodes.
    fn allowance(&self, me: usize) -> Duration {
        let is_timed = self.contestants[me].config.is_timed();
        self.time_left(me).filter(|_| is_timed).unwrap_or(self.rules.answer_limit)
    }

    /// Returns the time of the next move by the clock or the time per move, with the margin.
    fn time_left(&self, me: usize) -> Option<Duration> {
        let margin = self.rules.time_margin;
        let by_clock = self.clocks[me].as_ref().map(|clock| clock.allowance(margin));
        by_clock.or_else(|| Some(Duration::from_millis(self.limits[me].movetime?.get()) + margin))
    }

    /// Returns the nodes of the next move where the clock counts nodes.
    fn nodes_left(&self, me: usize) -> Option<u64> {
        let nodes_per_ms = self.contestants[me].config.nodes_per_ms()?;
        let nodes = self.time_left(me)?.as_micros() * u128::from(nodes_per_ms.get()) / 1000;
        Some(u64::try_from(nodes).unwrap_or(u64::MAX))
    }

    fn charge(&mut self, me: usize, spent: Duration) -> Result<(), Duration> {
        let margin = self.rules.time_margin;
        match (&mut self.clocks[me], self.limits[me].movetime) {
            (Some(clock), _) => clock.charge(spent, margin),
            (None, Some(time)) => {
                let over = spent.saturating_sub(Duration::from_millis(time.get()));
                if over > margin { Err(over) } else { Ok(()) }
            }
            (None, None) => Ok(()),
        }
    }

    /// Records a move that took `spent` on the clock. Clocks that count nodes have no latency, nor
    /// have ponder hits, whose engine reports the time since `go ponder`.
    fn record(&mut self, me: usize, answer: SearchAnswer, spent: Duration, is_ponder_hit: bool) {
        let is_node_clock = self.contestants[me].config.nodes_per_ms().is_some();
        let latency = latency_us(&answer).filter(|_| !is_ponder_hit && !is_node_clock);
        let uncounted_us = if is_node_clock { 0 } else { micros(answer.uncounted) };
        let more =
            self.rules.keeps_details.then(|| Box::new(self.details(me, &answer, latency, uncounted_us)));
        let played = MoveRecord {
            text: answer.best_move,
            time_us: micros(spent),
            score: answer.report.score,
            depth: answer.report.depth,
            nodes: answer.report.nodes,
            is_ponder_hit,
            more,
        };
        self.stats[me].add(&played, uncounted_us);
        if let Some(latency) = latency {
            self.stats[me].latency_us += latency;
            self.stats[me].latency_count += 1;
        }
        self.moves.push(played);
    }

    /// Records the check of the PV that was reported before the next move to be recorded.
    fn record_pv(&mut self, me: usize, findings: &[Finding], answer: &SearchAnswer) {
        self.stats[me].checked_pvs += 1;
        let ply = self.moves.len();
        for &(error, pv_move) in findings {
            let is_known =
                self.wrong_pvs.iter().any(|known| known.error == error && known.ply % 2 == ply % 2);
            let line = (!is_known).then(|| shortened(&answer.pv_line));
            let is_ponder = matches!(error, PvError::IllegalPonderMove | PvError::PonderMoveDiffers);
            let ponder = answer.ponder_move.as_deref().filter(|_| is_ponder).map(shortened);
            self.wrong_pvs.push(WrongPv { ply, error, pv_move, ponder, line });
        }
    }

    fn details(
        &self,
        me: usize,
        answer: &SearchAnswer,
        latency_us: Option<i64>,
        uncounted_us: u64,
    ) -> MoveDetails {
        let report = &answer.report;
        MoveDetails {
            seldepth: report.seldepth,
            hashfull: report.hashfull,
            tbhits: report.tbhits,
            left_us: self.clocks[me].as_ref().map(Clock::left_us),
            latency_us,
            uncounted_us,
            pv: (!answer.pv.is_empty()).then(|| answer.pv.clone()),
        }
    }

    /// Stops an engine whose clock ran out together with the margin, and returns its fault: a loss on
    /// time, or a hang if it does not answer `stop` either. On a busy machine the answer may take a while,
    /// so it has the time of any other answer.
    fn judge_timeout(&mut self, side: Side) -> Result<Termination, UciError> {
        let me = side.index();
        let limit = self.rules.answer_limit;
        self.contestants[me].engine.note("the flag fell");
        let mut late = self.contestants[me].engine.stop(limit);
        // A harness that is suspended waits for no answer.
        if matches!(late, Err(UciError::Stalled)) {
            late = self.contestants[me].engine.stop(limit);
        }
        self.broken[me] = late.is_err();
        // The margin is part of the allowance. On a busy machine the wait ends later than that.
        let spent = self.asked.elapsed();
        let over = spent.saturating_sub(self.allowance(me)) + self.rules.time_margin;
        match late {
            Err(error @ (UciError::Cancelled | UciError::Stalled)) => Err(error),
            Err(UciError::Exited { how }) => Ok(Termination::Crash { by: side, how }),
            Err(UciError::Timeout { .. }) => {
                let seconds = limit.as_secs_f64();
                let how = format!("no bestmove in its time, and none within {seconds} s after `stop`");
                Ok(Termination::Hang { by: side, how })
            }
            _ => Ok(self.time_forfeit(side, spent, over)),
        }
    }

    /// Returns the end of a game in which `side` exceeded its time by `over` with a move that took `spent`, which counts
    /// as its longest. As in cutechess-cli, a lone king cannot win on time.
    fn time_forfeit(&mut self, side: Side, spent: Duration, over: Duration) -> Termination {
        // A wait that the watchdog ended is none of a clock that counts nodes.
        if self.contestants[side.index()].config.is_timed() {
            let longest = &mut self.stats[side.index()].max_time_us;
            *longest = micros(spent).max(*longest);
        }
        let over_us = micros(over);
        Termination::TimeForfeit { by: side, over_us, lone_king: self.board.has_lone_king(side.other()) }
    }

    /// Decides the effect of a failed search on the game.
    fn judge_failure(&mut self, side: Side, error: UciError) -> Result<Termination, UciError> {
        let me = side.index();
        let how = error.to_string();
        let has_clock = self.contestants[me].config.is_timed();
        self.broken[me] = true;
        match error {
            UciError::Cancelled | UciError::Stalled => Err(error),
            UciError::Timeout { awaited, .. } if has_clock && awaited != READY => self.judge_timeout(side),
            UciError::Timeout { .. } => Ok(Termination::Hang { by: side, how }),
            UciError::Exited { how } => Ok(Termination::Crash { by: side, how }),
            UciError::Spawn { .. }
            | UciError::Option { .. }
            | UciError::Refused { .. }
            | UciError::Pipe(_) => Ok(Termination::Crash { by: side, how }),
        }
    }
}

/// Returns the time of a move beyond the time that its engine last reported. Units: microseconds.
fn latency_us(answer: &SearchAnswer) -> Option<i64> {
    let reported = i64::try_from(answer.report.time_ms?).ok()?.checked_mul(1000)?;
    Some(i64::try_from(answer.elapsed.as_micros()).ok()? - reported)
}
/// Returns the beginning of a text that an engine wrote.
fn shortened(text: &str) -> String {
    text[..text.floor_char_boundary(LINE_BYTES)].to_owned()
}
