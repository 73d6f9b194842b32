//! Finished games read from PGN: players, moves, comments and results.

use std::io::Read;

use shakmaty::san::San;
use stretto::position::{Game, Position};
use stretto::types::{Color, Move};

use super::draft::GameBuilder;
use super::games::Games;
use super::lines::{NextGame, Place};
use super::token::{ResultToken, agreed, check_variant, half_points};

/// A move together with the data that a reader keeps from its comments.
pub trait RecordedMove: Clone {
    /// Returns a move without comment data.
    fn new(mv: Move) -> Self;

    /// Extracts the relevant data from a comment after the move.
    fn comment(&mut self, comment: &str);
}

/// A finished game, possibly truncated to its first moves.
#[derive(Clone)]
pub struct FinishedGame<M> {
    /// Names of White and Black.
    pub players: [String; 2],
    /// Position before the first move.
    pub start: Game,
    /// The moves, up to the requested number of plies.
    pub moves: Vec<M>,
    /// White's points in half-points. Range: 0 to 2.
    pub half_points: u8,
}

impl<M> FinishedGame<M> {
    /// Returns the half-points of a side.
    pub fn half_points_of(&self, color: Color) -> u8 {
        if color == Color::White { self.half_points } else { 2 - self.half_points }
    }
}

impl<R: Read> Games<R> {
    /// Returns the first `plies` plies of the next game; `None` after the last game.
    pub fn next_finished<M: RecordedMove>(
        &mut self,
        plies: usize,
    ) -> Option<(Place, NextGame<FinishedGame<M>>)> {
        self.next(&FinishedGameBuilder::new(plies))
    }
}

/// A game during parsing.
#[derive(Clone)]
struct FinishedGameBuilder<M> {
    /// Maximum number of plies to keep.
    plies: usize,
    players: [String; 2],
    start: Game,
    /// The `Result` tag, used for games whose movetext has no result token.
    half_points: Option<u8>,
    /// The position after the moves; `None` before the first one.
    now: Option<Game>,
    moves: Vec<M>,
    /// Whether later moves and their comments are left out: after `plies` moves, and after a null move, because the
    /// moves after it are not a legal game.
    is_closed: bool,
    /// The result token at the end of the movetext.
    outcome: Option<ResultToken>,
}

impl<M> FinishedGameBuilder<M> {
    fn new(plies: usize) -> Self {
        let start = Game::new(Position::startpos());
        let (players, moves) = Default::default();
        Self { plies, players, start, half_points: None, now: None, moves, is_closed: false, outcome: None }
    }
}

impl<M: RecordedMove> GameBuilder for FinishedGameBuilder<M> {
    type Game = FinishedGame<M>;

    fn tag(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "variant" => check_variant(value)?,
            "result" => self.half_points = half_points(value),
            "white" => value.clone_into(&mut self.players[0]),
            "black" => value.clone_into(&mut self.players[1]),
            "fen" => {
                self.start = Game::from_fen(value)
                    .map_err(|error| format!("invalid starting position `{value}`: {error}"))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn san(&mut self, san: San) -> Result<(), String> {
        self.is_closed |= san == San::Null || self.moves.len() == self.plies;
        if self.is_closed {
            return Ok(());
        }
        let now = self.now.get_or_insert_with(|| self.start.clone());
        let mv = now
            .position()
            .parse_san(&san.to_string())
            .map_err(|error| format!("ply {}: {error} in `{}`", self.moves.len() + 1, now.position()))?;
        self.moves.push(M::new(mv));
        now.play(mv);
        Ok(())
    }

    fn comment(&mut self, comment: &str) {
        if let Some(last) = self.moves.last_mut().filter(|_| !self.is_closed) {
            last.comment(comment);
        }
    }

    fn outcome(&mut self, half_points: Option<u8>) -> Result<(), String> {
        self.outcome = Some(agreed(self.half_points, half_points)?);
        Ok(())
    }

    fn finish(self) -> Option<FinishedGame<M>> {
        let Self { players, start, moves, .. } = self;
        Some(FinishedGame { players, start, moves, half_points: self.outcome.unwrap_or(self.half_points)? })
    }
}
