//! The rules of chess by shakmaty, for the referee, openings, PGN and reports.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist128;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position};

use super::record::{GameResult, Side, Termination};
use crate::config::Variant;

/// Returns the castling notation of a variant.
pub(crate) fn castling_mode(variant: Variant) -> CastlingMode {
    match variant {
        Variant::Standard => CastlingMode::Standard,
        Variant::Chess960 => CastlingMode::Chess960,
    }
}

/// Returns the position of a FEN; `None` if it is invalid in this variant.
pub(crate) fn start_position(variant: Variant, fen: &str) -> Option<Chess> {
    fen.parse::<Fen>().ok()?.into_position(castling_mode(variant)).ok()
}

/// Returns the legal move that this text denotes, with castling in either notation.
pub(crate) fn legal_move(position: &Chess, text: &str) -> Option<Move> {
    text.parse::<UciMove>().ok()?.to_move(position).ok()
}

/// Returns the position that moves reach from a FEN; `None` if either is invalid.
pub(crate) fn position_after<'a>(
    variant: Variant,
    fen: &str,
    moves: impl IntoIterator<Item = &'a String>,
) -> Option<Chess> {
    moves.into_iter().try_fold(start_position(variant, fen)?, |position, text| {
        let legal = legal_move(&position, text)?;
        position.play(legal).ok()
    })
}

/// A position with the history that the rules need.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) position: Chess,
    /// Hashes since the last irreversible move, the current position's last. A repetition is three equal ones;
    /// 128 bits make a false one impossible in practice.
    hashes: Vec<Zobrist128>,
}

impl State {
    /// Returns a position without history.
    pub(crate) fn new(position: Chess) -> Self {
        let mut state = Self { position, hashes: Vec::new() };
        state.hashes.push(state.hash());
        state
    }

    fn hash(&self) -> Zobrist128 {
        self.position.zobrist_hash(EnPassantMode::Legal)
    }

    /// Returns the legal move that this text denotes, with castling in either notation.
    pub(crate) fn find(&self, text: &str) -> Option<Move> {
        legal_move(&self.position, text)
    }

    /// Makes a legal move.
    pub(crate) fn make(&mut self, legal: Move) {
        if self.position.is_irreversible(legal) {
            self.hashes.clear();
        }
        self.position.play_unchecked(legal);
        self.hashes.push(self.hash());
    }

    /// Returns the side to move.
    pub(crate) fn turn(&self) -> Side {
        match self.position.turn() {
            Color::White => Side::White,
            Color::Black => Side::Black,
        }
    }

    /// Returns the result, if the rules end the game here. Mate comes before the fifty-move rule.
    pub(crate) fn outcome(&self) -> Option<(GameResult, Termination)> {
        if self.position.legal_moves().is_empty() {
            return Some(if self.position.is_check() {
                (GameResult::won_by(self.turn().other()), Termination::Checkmate)
            } else {
                (GameResult::Draw, Termination::Stalemate)
            });
        }
        let draw = if self.position.is_insufficient_material() {
            Termination::InsufficientMaterial
        } else if self.position.halfmoves() >= 100 {
            Termination::FiftyMoves
        } else if self.is_threefold() {
            Termination::Threefold
        } else {
            return None;
        };
        Some((GameResult::Draw, draw))
    }

    fn is_threefold(&self) -> bool {
        let Some((current, earlier)) = self.hashes.split_last() else { return false };
        earlier.iter().filter(|&hash| hash == current).count() >= 2
    }
}
