//! An independent implementation of the rules.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};
use stretto::position::Position;
use stretto::types::Move;

/// A board that shares no code with the engine.
#[derive(Clone)]
pub(crate) struct Board(pub(crate) Chess);

impl Board {
    pub(crate) fn new(fen: &str) -> Self {
        let fen: Fen = fen.parse().expect("a FEN");
        Self(fen.into_position(CastlingMode::Standard).expect("a position by both implementations"))
    }

    /// Plays the engine's move `mv` in `position`, which equals the position of this board.
    ///
    /// Errors: the move, if it is illegal here.
    pub(crate) fn play(&mut self, position: &Position, mv: Move) -> Result<(), String> {
        let text = position.uci(mv, false);
        let played = text.parse::<UciMove>().ok().and_then(|text| text.to_move(&self.0).ok());
        let played = played.ok_or_else(|| format!("{text} is not legal in {}", self.key()))?;
        self.0.play_unchecked(played);
        Ok(())
    }

    pub(crate) fn is_mate(&self) -> bool {
        self.0.is_checkmate()
    }

    /// Whether the game is over by mate, stalemate, insufficient material or the fifty-move rule.
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_game_over() || self.0.halfmoves() >= 100
    }

    /// Returns the parts of the FEN that identify positions for the repetition rule.
    pub(crate) fn key(&self) -> String {
        let fen = Fen::from_position(&self.0, EnPassantMode::Legal).to_string();
        fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
    }
}
