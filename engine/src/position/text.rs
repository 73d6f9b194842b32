//! Moves in UCI notation, and the errors of reading a move.
//!
//! Internally, and in Chess960 notation, castling is the king taking its own rook; standard chess
//! writes the king's move. The parser accepts both forms; the caller chooses the form to write.

use thiserror::Error;

use super::{Position, Wing};
use crate::attacks;
use crate::types::{Bitboard, Color, Move, MoveKind, PieceType, Rank, Square};

/// Reason why a text is not a legal move of a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum MoveTextError {
    #[error("move {text:?} cannot be read: expected {expected}")]
    Syntax { text: String, expected: &'static str },
    #[error("move {NULL_MOVE:?} is a null move, which is not supported: expected a legal move")]
    NullMove,
    #[error("move {text:?} starts on {square}, which is empty: expected a piece of {mover:?}")]
    EmptySquare { text: String, square: Square, mover: Color },
    #[error("move {text:?} starts on {square}, where the opponent stands: expected a piece of {mover:?}")]
    NotYours { text: String, square: Square, mover: Color },
    #[error("move {text:?} is illegal: {reason}")]
    Illegal { text: String, reason: &'static str },
    #[error("move {text:?} is ambiguous: expected one of {candidates}")]
    Ambiguous { text: String, candidates: String },
}

/// Longest text that an error message repeats. Units: characters.
const MAX_QUOTE_LENGTH: usize = 40;

pub(super) fn quote(text: &str) -> String {
    text.chars().take(MAX_QUOTE_LENGTH).collect()
}

/// The text of a null move in UCI.
const NULL_MOVE: &str = "0000";

const UCI_FORM: &str = "two squares and an optional promotion letter, such as e2e4 or e7e8q";

impl Position {
    /// Parses a legal move in UCI notation. Castling may be written as the king's move (`e1g1`) or
    /// as the king taking its rook (`e1h1`). If an ordinary king move has the same text, the text
    /// means that move.
    ///
    /// Errors: [`MoveTextError`], with the text and the reason.
    ///
    /// ```
    /// use stretto::position::Position;
    ///
    /// let start = Position::startpos();
    /// assert_eq!(start.parse_uci("g1f3")?.to().to_string(), "f3");
    /// let error = start.parse_uci("e2e5").unwrap_err();
    /// assert!(error.to_string().starts_with("move \"e2e5\" is illegal"), "{error}");
    /// # Ok::<(), stretto::position::MoveTextError>(())
    /// ```
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveTextError> {
        let syntax = || MoveTextError::Syntax { text: quote(text), expected: UCI_FORM };
        if text == NULL_MOVE {
            return Err(MoveTextError::NullMove);
        }
        if !text.is_ascii() || !(4..=5).contains(&text.len()) {
            return Err(syntax());
        }
        let from: Square = text[..2].parse().map_err(|()| syntax())?;
        let to: Square = text[2..4].parse().map_err(|()| syntax())?;
        let promotion = match text[4..].chars().next() {
            None => None,
            Some(letter) => {
                let kind = PieceType::from_char(letter).ok_or_else(syntax)?;
                Some(kind).filter(|kind| PieceType::PROMOTIONS.contains(kind)).ok_or_else(syntax).map(Some)?
            }
        };
        if from == to {
            return Err(syntax());
        }
        self.find_move(from, to, promotion)
            .ok_or_else(|| self.diagnose_illegal_move(text, from, to, promotion))
    }

    /// Returns the legal move between two different squares, accepting both castling forms.
    pub(crate) fn find_move(&self, from: Square, to: Square, promotion: Option<PieceType>) -> Option<Move> {
        let kinds = match promotion {
            Some(kind) => [Some(MoveKind::Promotion(kind)), None, None],
            None => [Some(MoveKind::Normal), Some(MoveKind::EnPassant), Some(MoveKind::Castling)],
        };
        let direct = kinds.into_iter().flatten().map(|kind| Move::new(from, to, kind));
        let castling = self.castling_by_king_step(from, to).filter(|_| promotion.is_none());
        direct.chain(castling).find(|&mv| self.is_legal(mv))
    }

    /// Returns the castling move that takes the king from `from` to `to`, if the right exists.
    fn castling_by_king_step(&self, from: Square, to: Square) -> Option<Move> {
        [Wing::King, Wing::Queen].into_iter().find_map(|wing| {
            let rook = self.castling_rook(self.side, wing)?;
            let (king_to, _) = wing.destinations(self.side);
            (from == self.king(self.side) && to == king_to).then(|| Move::new(from, rook, MoveKind::Castling))
        })
    }

    /// Determines why a well-formed text is not a legal move.
    fn diagnose_illegal_move(
        &self,
        text: &str,
        from: Square,
        to: Square,
        promotion: Option<PieceType>,
    ) -> MoveTextError {
        let text = quote(text);
        let mover = self.side;
        let Some(piece) = self.piece_on(from) else {
            return MoveTextError::EmptySquare { text, square: from, mover };
        };
        if piece.color != mover {
            return MoveTextError::NotYours { text, square: from, mover };
        }
        let last_rank = Self::back_rank(!mover).has(to);
        let reason = match (piece.kind, promotion) {
            (PieceType::Pawn, None) if last_rank && self.reaches(piece.kind, from, to) => {
                "a pawn that reaches the last rank needs a promotion letter"
            }
            (PieceType::Pawn, Some(_)) if !last_rank => "a pawn promotes only on the last rank",
            (kind, Some(_)) if kind != PieceType::Pawn => "only a pawn promotes",
            (PieceType::King, _) if self.is_castling_step(from, to) => "castling is not possible here",
            _ if !self.reaches(piece.kind, from, to) => "the piece cannot make this move",
            (PieceType::King, _) => "the king would be in check",
            _ if self.checkers.has_many() => "in double check only the king may move",
            _ if self.is_check() => "the move leaves the king in check",
            _ => "the piece is pinned",
        };
        MoveTextError::Illegal { text, reason }
    }

    /// Whether a king's move from `from` to `to` can only mean castling.
    fn is_castling_step(&self, from: Square, to: Square) -> bool {
        let own_rook = self.pieces_of(self.side, PieceType::Rook).has(to);
        let is_destination =
            [Wing::King, Wing::Queen].iter().any(|wing| wing.destinations(self.side).0 == to);
        let home = Self::back_rank(self.side);
        home.has(from) && (own_rook && home.has(to) || is_destination && from.distance(to) > 1)
    }

    /// Whether a piece of the side to move on `from` could move to `to` if its king were not
    /// attacked. En passant counts only where it is possible.
    fn reaches(&self, kind: PieceType, from: Square, to: Square) -> bool {
        let (side, occupied) = (self.side, self.occupied());
        let targets = if kind == PieceType::Pawn {
            let once = Bitboard::from_square(from).forward(side) & !occupied;
            let third_rank = Bitboard::rank(side.relative_rank(Rank::THIRD));
            let twice = (once & third_rank).forward(side) & !occupied;
            let victims = self.side(!side) | self.en_passant.map_or(Bitboard::EMPTY, Bitboard::from);
            once | twice | (attacks::pawn(side, from) & victims)
        } else {
            attacks::of(kind, side, from, occupied)
        };
        (targets & !self.side(side)).has(to)
    }

    /// Writes a legal move in UCI notation. With `chess960`, castling is the king taking its rook.
    /// Otherwise it is the king's move, unless king or rook stand on squares possible only in
    /// Chess960.
    ///
    /// ```
    /// use stretto::position::Position;
    ///
    /// let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")?;
    /// let castling = position.parse_san("O-O")?;
    /// assert_eq!(position.uci(castling, false), "e1g1");
    /// assert_eq!(position.uci(castling, true), "e1h1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn uci(&self, mv: Move, chess960: bool) -> String {
        if mv.is_castling() && !chess960 && Self::is_standard_castling(mv.from(), mv.to()) {
            let (king_to, _) = Wing::of(mv.from(), mv.to()).destinations(self.side);
            format!("{}{king_to}", mv.from())
        } else {
            mv.to_string()
        }
    }
}
