//! The board of a game: checks moves and writes the `position` command.

use anyhow::{anyhow, bail};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position};

use crate::config::Variant;
use crate::play::openings::Opening;
use crate::play::record::{GameResult, Side, Termination};
use crate::play::rules::{State, castling_mode};

/// The state of a game in progress.
#[derive(Clone, Debug)]
pub struct Board {
    /// The position with its history.
    pub(super) state: State,
    mode: CastlingMode,
    /// The start position, written as sent to the engines.
    pub start_fen: String,
    /// The command `position fen ... moves ...`, with the start position and all moves since.
    pub command: String,
}

impl Board {
    /// Sets up a start position from a FEN with four or six fields.
    pub fn new(fen: &str, variant: Variant) -> anyhow::Result<Self> {
        let mode = castling_mode(variant);
        let parsed: Fen = fen.parse().map_err(|error| anyhow!("`{fen}` is not a FEN: {error}"))?;
        let position: Chess = parsed
            .into_position(mode)
            .map_err(|error| anyhow!("`{fen}` is not a legal position: {error}"))?;
        let start_fen = Fen::from_position(&position, EnPassantMode::Legal).to_string();
        let command = format!("position fen {start_fen}");
        Ok(Self { state: State::new(position), mode, start_fen, command })
    }

    /// Sets up an opening and makes its moves. Returns the moves too, in the notation of the variant.
    ///
    /// Errors: the start position is invalid in this variant, or a move is illegal.
    pub fn after(opening: &Opening, variant: Variant) -> anyhow::Result<(Self, Vec<String>)> {
        let mut board = Self::new(&opening.fen, variant)?;
        let moves: Vec<String> = opening.moves.iter().map(|mv| mv.to_uci(board.mode).to_string()).collect();
        for text in &moves {
            if !board.play(text) {
                bail!("`{text}` cannot be played in the opening from `{}`", opening.fen);
            }
        }
        Ok((board, moves))
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Side {
        self.state.turn()
    }

    /// Returns the current position.
    pub fn position(&self) -> &Chess {
        &self.state.position
    }

    /// Returns whether this side has nothing but its king, so that it cannot mate.
    pub fn has_lone_king(&self, side: Side) -> bool {
        let color = if side == Side::White { Color::White } else { Color::Black };
        self.state.position.board().by_color(color).count() == 1
    }

    /// Plays the move `text` if it is legal and in the notation of the variant. Returns whether it was.
    ///
    /// Castling is `e1g1` in standard chess and king takes rook in Chess960. The other notation is
    /// rejected, because in some positions it denotes another move.
    pub fn play(&mut self, text: &str) -> bool {
        let Some(legal) = self.legal(text) else { return false };
        // Every start position is followed by `moves` once, and by a blank before each move.
        let is_first = self.command.len() == "position fen ".len() + self.start_fen.len();
        self.command.push_str(if is_first { " moves " } else { " " });
        self.command.push_str(text);
        self.state.make(legal);
        true
    }

    fn legal(&self, text: &str) -> Option<Move> {
        self.state.find(text).filter(|legal| legal.to_uci(self.mode).to_string() == text)
    }

    /// Returns the move `text` in SAN, if [`Board::play`] would play it.
    pub fn san(&self, text: &str) -> Option<String> {
        self.legal(text).map(|legal| San::from_move(&self.state.position, legal).to_string())
    }

    /// Returns the result, if the rules end the game here. Mate comes before the fifty-move rule.
    pub fn outcome(&self) -> Option<(GameResult, Termination)> {
        self.state.outcome()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn play(fen: &str, variant: Variant, moves: &str) -> Board {
        let mut board = Board::new(fen, variant).unwrap();
        for text in moves.split_whitespace() {
            assert!(board.play(text), "{text} in {moves}");
        }
        board
    }

    fn end(fen: &str, moves: &str) -> Option<Termination> {
        play(fen, Variant::Standard, moves).outcome().map(|(_, termination)| termination)
    }

    #[test]
    fn games_end_as_the_rules_say() {
        let mated = play(START, Variant::Standard, "f2f3 e7e5 g2g4 d8h4");
        assert_eq!(mated.outcome(), Some((GameResult::Black, Termination::Checkmate)));
        assert_eq!(
            end("7k/5Q2/8/8/8/8/8/K7 w - - 0 1", "f7f6 h8h7 f6f7 h7h8 a1a2"),
            Some(Termination::Stalemate)
        );
        assert_eq!(end("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", ""), Some(Termination::Stalemate));
        assert_eq!(end("7k/8/8/8/8/8/1p6/K7 w - - 0 1", "a1b2"), Some(Termination::InsufficientMaterial));
        assert_eq!(end("7k/8/8/8/8/8/R7/K7 w - - 99 80", "a2b2"), Some(Termination::FiftyMoves));
        let mate_first = end("7k/8/6K1/8/8/8/R7/8 w - - 99 80", "a2a8");
        assert_eq!(mate_first, Some(Termination::Checkmate));
        let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
        assert_eq!(end(START, shuffle), None);
        assert_eq!(end(START, &format!("{shuffle} f6g8")), Some(Termination::Threefold));
    }

    #[test]
    fn a_pawn_move_and_lost_rights_start_repetition_anew() {
        let moves = "e2e4 e7e5 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8";
        // The position after 1...e5 had castling rights; the two after it have not.
        assert_eq!(end(START, moves), None);
        assert_eq!(end(START, &format!("{moves} e1e2 e8e7 e2e1 e7e8")), Some(Termination::Threefold));
    }

    #[test]
    fn castling_is_spelled_as_the_variant_does() {
        let fen = "4k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1";
        for (variant, good, bad) in [(Variant::Standard, "e1g1", "e1h1"), (Variant::Chess960, "e1h1", "e1g1")]
        {
            let mut board = Board::new(fen, variant).unwrap();
            assert!(!board.play(bad), "{bad}");
            assert!(board.play(good), "{good}");
        }
        let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
        assert!(Board::new(fen, Variant::Chess960).is_ok() && Board::new(fen, Variant::Standard).is_err());
    }

    #[test]
    fn position_command_lists_every_move() {
        let mut board = play(START, Variant::Standard, "");
        assert_eq!(board.command, format!("position fen {START}"));
        assert!(board.play("e2e4") && !board.play("e2e4") && board.play("e7e5"));
        assert_eq!(board.command, format!("position fen {START} moves e2e4 e7e5"));
    }

    #[test]
    fn texts_that_are_no_legal_moves() {
        let mut board = Board::new(START, Variant::Standard).unwrap();
        for text in ["", "0000", "(none)", "e2e5", "e7e5", "e2e4q", "E2E4", "e2-e4", "Nf3", "\u{1F600}"] {
            assert!(!board.play(text), "{text}");
        }
    }

    #[test]
    fn bad_openings_say_what_is_wrong() {
        assert!(Board::new("hello", Variant::Standard).unwrap_err().to_string().contains("not a FEN"));
        let two_kings = Board::new("kk6/8/8/8/8/8/8/K7 w - - 0 1", Variant::Standard);
        assert!(two_kings.unwrap_err().to_string().contains("not a legal position"));
    }
}
