//! Finished games read from PGN: players, moves, comments and results.

use std::io::{self, Read};
use std::marker::PhantomData;
use std::ops::ControlFlow;

use pgn_reader::{KnownOutcome, Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};
use shakmaty::san::San;
use stretto::position::{Game, Position};
use stretto::types::{Color, Move};

use super::{Games, Place, half_points};

/// A move together with the data that a reader keeps from its comments.
pub trait RecordedMove {
    /// Returns a move without comment data.
    fn new(mv: Move) -> Self;

    /// Extracts the relevant data from a comment after the move.
    fn comment(&mut self, comment: &[u8]);
}

/// A finished game, possibly truncated to its first moves.
#[derive(Clone)]
pub struct FinishedGame<M> {
    /// Names of White and Black.
    pub players: [String; 2],
    /// Starting position.
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
    /// Returns the first `plies` plies of the next game, or a description of its error;
    /// `Ok(Ok(None))` if the game has no result.
    ///
    /// Errors: as [`next`](Self::next).
    #[expect(
        clippy::type_complexity,
        reason = "location, I/O error, game error and missing result are separate cases"
    )]
    pub(crate) fn next_finished<M: RecordedMove>(
        &mut self,
        plies: usize,
    ) -> Option<(Place, io::Result<Result<Option<FinishedGame<M>>, String>>)> {
        self.next(&mut Recorder { plies, moves: PhantomData })
    }
}

/// A visitor that records one game up to a number of plies.
struct Recorder<M> {
    plies: usize,
    moves: PhantomData<M>,
}

/// The tags that matter for a finished game.
struct Tags {
    players: [String; 2],
    start: Game,
    /// The `Result` tag, used for games whose movetext has no result token.
    half_points: Option<u8>,
}

impl Tags {
    fn none() -> Self {
        Self { players: Default::default(), start: Game::new(Position::startpos()), half_points: None }
    }
}

/// A game during parsing.
struct Recording<M> {
    tags: Tags,
    now: Game,
    moves: Vec<M>,
    /// Whether a null move occurred; the moves after it are not a legal game.
    is_closed: bool,
    /// The result token at the end of the movetext.
    outcome: Option<Outcome>,
}

impl<M: RecordedMove> Visitor for Recorder<M> {
    type Tags = Tags;
    type Movetext = Recording<M>;
    type Output = Result<Option<FinishedGame<M>>, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::none())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        match name.to_ascii_lowercase().as_slice() {
            // The tags of a game without movetext merge with those of the next game.
            b"event" => *tags = Tags::none(),
            b"result" => tags.half_points = half_points(&value.decode_utf8_lossy()),
            b"white" => tags.players[0] = value.decode_utf8_lossy().into_owned(),
            b"black" => tags.players[1] = value.decode_utf8_lossy().into_owned(),
            b"fen" => {
                let fen = value.decode_utf8_lossy();
                match Game::from_fen(&fen) {
                    Ok(start) => tags.start = start,
                    Err(error) => {
                        return ControlFlow::Break(Err(format!(
                            "invalid starting position `{fen}`: {error}"
                        )));
                    }
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Recording<M>> {
        let now = tags.start.clone();
        ControlFlow::Continue(Recording { tags, now, moves: Vec::new(), is_closed: false, outcome: None })
    }

    fn san(&mut self, game: &mut Recording<M>, san: SanPlus) -> ControlFlow<Self::Output> {
        game.is_closed |= san.san == San::Null;
        if game.is_closed || game.moves.len() == self.plies {
            return ControlFlow::Continue(());
        }
        match game.now.position().parse_san(&san.to_string()) {
            Ok(mv) => {
                game.moves.push(M::new(mv));
                game.now.play(mv);
                ControlFlow::Continue(())
            }
            Err(error) => {
                let (ply, position) = (game.moves.len() + 1, game.now.position());
                ControlFlow::Break(Err(format!("ply {ply}: {error} in `{position}`")))
            }
        }
    }

    fn comment(&mut self, game: &mut Recording<M>, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        if let Some(last) = game.moves.last_mut() {
            last.comment(comment.as_bytes());
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Recording<M>) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, game: &mut Recording<M>, outcome: Outcome) -> ControlFlow<Self::Output> {
        game.outcome = Some(outcome);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Recording<M>) -> Self::Output {
        let Recording { tags: Tags { players, start, half_points }, moves, outcome, .. } = game;
        let half_points = outcome.map_or(half_points, half_points_of);
        Ok(half_points.map(|half_points| FinishedGame { players, start, moves, half_points }))
    }
}

/// Returns White's half-points for the result token; `None` for a game without a result.
fn half_points_of(outcome: Outcome) -> Option<u8> {
    match outcome {
        Outcome::Known(KnownOutcome::Decisive { winner }) => Some(if winner.is_white() { 2 } else { 0 }),
        Outcome::Known(KnownOutcome::Draw) => Some(1),
        Outcome::Unknown => None,
    }
}
