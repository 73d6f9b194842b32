//! The worker of a match, which plays the games of a pair in order.

#![expect(clippy::disallowed_methods, reason = "dates of games")]

use crate::play::referee::{Board, Contestant, MatchRules, PlayedGame, play_game};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail};
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;

use super::disturbance::{evidence_lines, void_cause};
use super::equipment::Equipment;
use super::setup::MAX_RUNNING;
use super::study::MatchStudy;
use crate::base::errors::Stop;
use crate::config::{EngineOption, Variant};
use crate::play::live::LiveSlot;
use crate::play::openings::Opening;
use crate::play::pairings::Pairing;
use crate::play::record::{GameRecord, RECORD_VERSION, Side, Termination};
use crate::play::schedule::PairJob;
use crate::pool::Player;
use crate::run::disturbance::{MachineCounters, Shares};
use crate::run::executor::{Attempt, Evidence, LEGEND, Outbox, VoidCause};
use crate::uci::{Replay, UciError};

/// The connection of a worker to the collector.
type GameOutbox<'a> = Outbox<'a, GameRecord, ()>;

/// The players, in the order of the configuration.
#[derive(Debug)]
pub(super) struct Roster<'a> {
    pub(super) all: Vec<Player<'a>>,
    /// Indices of engines that may be running, the most recent last.
    pub(super) recent: Vec<usize>,
}

impl<'a> Roster<'a> {
    /// Prepares the next pairing: quits the engines that have been idle longest if too many are
    /// running. Returns notices.
    pub(super) fn make_room(&mut self, pairing: Pairing) -> Vec<String> {
        let engines = pairing.engines();
        self.recent.retain(|engine| !engines.contains(engine));
        self.recent.extend(engines);
        let surplus = self.recent.len().saturating_sub(MAX_RUNNING);
        let idle: Vec<usize> = self.recent.drain(..surplus).collect();
        let players = self.all.iter_mut().enumerate();
        Player::quit(players.filter(|(engine, _)| idle.contains(engine)).map(|(_, player)| player))
    }

    /// Returns the players of two different engines.
    ///
    /// # Panics
    ///
    /// If both are the same or an index is out of range.
    pub(super) fn pair(&mut self, one: usize, other: usize) -> [&mut Player<'a>; 2] {
        self.all.get_disjoint_mut([one, other]).expect("a pairing is of two engines of the match")
    }
}

/// The engines of one worker.
pub(crate) struct MatchWorker<'a> {
    pub(super) study: &'a MatchStudy,
    pub(super) equipment: &'a Equipment,
    pub(super) players: Roster<'a>,
    /// The place in which its games are published.
    pub(super) live: Option<LiveSlot<'a>>,
    /// Options of the engines of the current pair, in addition to the configured ones.
    pub(super) pair_options: Option<[Vec<EngineOption>; 2]>,
}

/// A game of a pair.
#[derive(Clone, Copy)]
struct Assignment {
    pair: u64,
    half: u8,
    /// Index of the game in the run. Messages count from 1.
    game: u64,
    /// Engines of White and Black, as indices of the configuration.
    engines: [usize; 2],
}

impl MatchWorker<'_> {
    /// Plays the missing games of a pair.
    pub(super) fn play_pair(
        &mut self,
        PairJob { pair, halves }: PairJob,
        outbox: &GameOutbox<'_>,
    ) -> Result<(), Stop> {
        let pairing = self.study.config.pairings.of(pair);
        self.players.make_room(pairing).into_iter().for_each(|notice| outbox.notice(notice));
        if let Some(source) = &self.study.option_source {
            let options = source.pair_options(pair, &self.equipment.cancel);
            self.pair_options = Some(options.ok_or(Stop::Cancelled)?);
        }
        for half in halves {
            // A stop request ends an audit, and its game is saved.
            if self.equipment.cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            let [first, second] = pairing.engines();
            let is_swapped = half == 1 && self.study.config.swap;
            let engines = if is_swapped { [second, first] } else { [first, second] };
            let assignment = Assignment { pair, half, game: 2 * pair + u64::from(half), engines };
            let subject = format!("game {}", assignment.game + 1);
            self.equipment.outputs.game_started(assignment.game, assignment.engines);
            let (record, evidence) =
                outbox.repeat_while_void(&subject, "played again", || self.play_once(assignment, outbox))?;
            outbox.send(record, (), evidence)?;
        }
        Ok(())
    }

    /// Plays a game once.
    fn play_once(
        &mut self,
        assignment: Assignment,
        outbox: &GameOutbox<'_>,
    ) -> Result<Attempt<(GameRecord, Option<Evidence>)>, Stop> {
        let config = &self.study.config;
        let opening = self.equipment.book.opening(config.opening(assignment.pair, assignment.half));
        let (board, book) = set_up(opening, config.variant)?;
        for (place, engine) in config.pairings.of(assignment.pair).engines().into_iter().enumerate() {
            let name = &config.engines[engine].name;
            let report = |reason: &str, dialogue: &str| outbox.failed_start(name, reason, dialogue);
            self.players.all[engine].ready(report)?;
            self.set_pair_options(place, engine)?;
        }
        let fen = board.start_fen.clone();
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let [white, black] = assignment.engines;
        if let Some(live) = self.live {
            live.begin(assignment.game, [white, black], &opening.label);
        }
        let played = self.play(board, assignment.game, [white, black]);
        if let Some(live) = self.live {
            live.end();
        }
        let (played, disturbance) = match played {
            Ok(played) => played,
            Err(UciError::Stalled) => {
                self.players.pair(white, black).into_iter().for_each(Player::discard);
                return Ok(Attempt::Void(VoidCause::Stalled));
            }
            Err(_) => return Err(Stop::Cancelled),
        };
        let evidence = self.collect_evidence(&played, disturbance, assignment)?;
        if let Some(cause) = void_cause(disturbance, &config.watchdog, &played.termination) {
            return Ok(Attempt::Void(cause));
        }
        let mut stats = played.stats;
        for (stats, engine) in stats.iter_mut().zip(assignment.engines) {
            stats.restarts = self.players.all[engine].take_restarts();
        }
        let record = GameRecord {
            v: RECORD_VERSION,
            game: assignment.game,
            pair: assignment.pair,
            half: assignment.half,
            white,
            black,
            fen,
            book,
            opening: opening.label.clone(),
            started_ms: u64::try_from(started.as_millis()).unwrap_or(u64::MAX),
            duration_ms: u64::try_from(played.duration.as_millis()).unwrap_or(u64::MAX),
            steal_time_permille: disturbance.steal_time,
            other_load_permille: disturbance.other_load,
            clock_permille: self.equipment.clock_permille(),
            result: played.result,
            termination: played.termination,
            plies: played.moves.len(),
            white_stats: stats[0],
            black_stats: stats[1],
            moves: played.moves,
            wrong_pvs: played.wrong_pvs,
            audit: played.audit,
        };
        Ok(Attempt::Done((record, evidence)))
    }

    /// Plays a game between White and Black from this position. Returns also the disturbance up to its result.
    fn play(
        &mut self,
        board: Board,
        game: u64,
        [white, black]: [usize; 2],
    ) -> Result<(PlayedGame, Shares), UciError> {
        let MatchStudy { config, execution, .. } = self.study;
        let counters = MachineCounters::now(config.is_timed());
        let mut disturbance = Shares::default();
        let rules = MatchRules {
            tables: self.equipment.tables.as_deref(),
            adjudication: config.adjudication,
            time_margin: config.time_margin,
            answer_limit: config.watchdog.answer,
            keeps_details: !config.pgn.is_empty(),
            checks_mates: execution.check_mate_pvs,
            clock_permille: self.equipment.clock_permille(),
            live: self.live,
        };
        let engines = self.players.pair(white, black).map(Player::engine_mut);
        let [Some(first), Some(second)] = engines else { return Err(UciError::Cancelled) };
        let white = Contestant { engine: first, config: &config.engines[white] };
        let black = Contestant { engine: second, config: &config.engines[black] };
        let played = play_game(board, white, black, rules, |ended| {
            disturbance = counters.shares();
            ended.is_adjudicated()
                && config.adjudication.audits(config.seed, game)
                && void_cause(disturbance, &config.watchdog, ended).is_none()
        })?;
        Ok((played, disturbance))
    }

    /// Sets the options of the current pair in an engine that is ready.
    fn set_pair_options(&mut self, place: usize, engine: usize) -> Result<(), Stop> {
        let Some(options) = &self.pair_options else { return Ok(()) };
        let player = &mut self.players.all[engine];
        let Some(running) = player.engine_mut() else { return Ok(()) };
        match running.set_up(&options[place], &[]) {
            Ok(()) => Ok(()),
            Err(UciError::Cancelled) => Err(Stop::Cancelled),
            Err(error) => {
                let dialogue = running.dialogue();
                Err(anyhow!("engine {}: {error}\n{dialogue}", player.identity().0).into())
            }
        }
    }

    /// Returns the evidence of a fault, and kills engines that cannot go on.
    fn collect_evidence(
        &mut self,
        played: &PlayedGame,
        disturbance: Shares,
        assignment: Assignment,
    ) -> Result<Option<Evidence>, Stop> {
        let fault = played.termination.fault();
        let evidence = fault.map(|side| self.describe_fault(side, played, disturbance, assignment));
        let evidence = evidence.transpose()?.flatten();
        for side in [Side::White, Side::Black] {
            // After an illegal move, engine and harness disagree on the position: restart the
            // engine.
            let is_broken = played.broken[side.index()];
            let is_lost = matches!(
                played.termination,
                Termination::IllegalMove { by, .. } | Termination::AnsweredTwice { by, .. } if by == side
            );
            if is_broken || is_lost {
                self.players.all[assignment.engines[side.index()]].discard();
            }
        }
        Ok(evidence)
    }

    /// Describes the fault of one side; `None` if its engine is gone.
    fn describe_fault(
        &mut self,
        side: Side,
        played: &PlayedGame,
        disturbance: Shares,
        assignment: Assignment,
    ) -> Result<Option<Evidence>, Stop> {
        let number = assignment.game + 1;
        let index = assignment.engines[side.index()];
        let player = &mut self.players.all[index];
        let (name, command) = player.identity();
        let Some(engine) = player.engine_mut() else { return Ok(None) };
        let ended = &played.termination;
        let replay = Replay::of(engine, &self.study.config.engines[index], ended.to_string());
        let replay = serde_yaml::to_string(&replay).context("cannot describe faults")?;
        let dialogue = engine.dialogue();
        let shares = evidence_lines(disturbance);
        let text =
            format!("game {number}: {ended}\nengine: {name}: {command}\n{shares}{LEGEND}\n\n{dialogue}");
        Ok(Some(Evidence { text, replay: Some(replay) }))
    }
}

/// Sets up an opening. Returns its moves too, in the notation of the variant.
///
/// Errors: the opening does not fit the variant, or leaves nothing to play.
fn set_up(opening: &Opening, variant: Variant) -> anyhow::Result<(Board, Vec<String>)> {
    let (board, moves) = Board::after(opening, variant).context("opening")?;
    if board.outcome().is_some() {
        let fen = Fen::from_position(board.position(), EnPassantMode::Legal).to_string();
        bail!("opening {}: the game is over in `{fen}`", opening.label);
    }
    Ok((board, moves))
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Chess, Move, Position};

    use super::*;

    #[test]
    fn error_of_a_finished_opening_has_the_position_reached() {
        let mut position = Chess::default();
        let moves: Vec<Move> = ["f2f3", "e7e5", "g2g4", "d8h4"]
            .into_iter()
            .map(|text| {
                let mv = text.parse::<shakmaty::uci::UciMove>().unwrap().to_move(&position).unwrap();
                position.play_unchecked(mv);
                mv
            })
            .collect();
        let start = Fen::from_position(&Chess::default(), EnPassantMode::Legal).to_string();
        let castling = CastlingMode::Standard;
        let mut opening = Opening { fen: start, moves, label: "game 2".to_owned(), line: 2, castling };
        assert_eq!(
            set_up(&opening, Variant::Standard).unwrap_err().to_string(),
            "opening game 2: the game is over in `rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3`"
        );
        opening.moves.pop();
        assert_eq!(set_up(&opening, Variant::Standard).unwrap().1, ["f2f3", "e7e5", "g2g4"]);
    }
}
