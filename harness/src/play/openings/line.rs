//! One line of an opening file: four or six FEN fields, then EPD operations.
//!
//! The position must be legal and the game not over. The operations `hmvc` and `fmvn` set the
//! counters of a four-field line, and `id` is the name of the opening. Other operations are ignored,
//! so published files with invalid `bm` lists still load.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

use crate::base::epd::{self, Line};
use crate::base::wording::expected;
use crate::play::record::Termination;
use crate::play::rules::State;

/// A position from which a pair of games can start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// FEN of the start position with six fields. The en passant square is set only if such a capture
    /// is legal.
    pub fen: String,
    /// Moves from the start position; none if the file has positions only.
    pub moves: Vec<Move>,
    /// The EPD operation `id`, or `line N`.
    pub label: String,
    /// Number of the line or game in the file, from 1.
    pub line: usize,
    /// Castling mode that the castling rights need.
    pub castling: CastlingMode,
}

impl Opening {
    /// Returns the position from which the engines play.
    ///
    /// # Panics
    ///
    /// Panics if `fen`, `moves` or `castling` was changed after the file was read.
    pub fn position(&self) -> Chess {
        let start: Option<Chess> =
            Fen::from_ascii(self.fen.as_bytes()).ok().and_then(|fen| fen.into_position(self.castling).ok());
        start
            .and_then(|start| self.moves.iter().try_fold(start, |position, &mv| position.play(mv).ok()))
            .expect("an Opening is only made of legal moves from a legal position")
    }
}

/// Parses the opening on line number `line`; `None` for blank lines and `#` comments.
///
/// The line may include line ends, NUL bytes and a byte order mark.
///
/// Errors: the offending token and the expected syntax.
pub(crate) fn parse(bytes: &[u8], line: usize) -> Option<Result<Opening, String>> {
    epd::parse(bytes).map(|read| opening(&read?, line))
}

fn opening(read: &Line, line: usize) -> Result<Opening, String> {
    if let Some(reason) = over_after(&read.position, &[]) {
        return Err(expected(&read.fields, format_args!("a position to play on, {reason}")));
    }
    Ok(Opening {
        fen: Fen::from_position(&read.position, EnPassantMode::Legal).to_string(),
        moves: Vec::new(),
        label: read.id().unwrap_or_else(|| format!("line {line}")),
        line,
        castling: read.castling,
    })
}

/// Returns the reason why the game is over after the moves of an opening, if it is, as the referee judges.
/// A repetition before the last move does not count.
pub(super) fn over_after(start: &Chess, moves: &[Move]) -> Option<&'static str> {
    let mut state = State::new(start.clone());
    for &mv in moves {
        state.make(mv);
    }
    let (_, termination) = state.outcome()?;
    Some(match termination {
        Termination::Checkmate => "this is checkmate",
        Termination::Stalemate => "this is stalemate",
        Termination::InsufficientMaterial => "neither side can mate",
        Termination::FiftyMoves => "the fifty moves are over",
        _ => "the position occurs for the third time",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn read(text: &str) -> Result<Opening, String> {
        parse(text.as_bytes(), 5).unwrap()
    }

    #[test]
    fn four_and_six_fields_and_opcodes_set_the_counters() {
        for (tail, counters) in [
            ("", "0 1"),
            (" 3 17", "3 17"),
            (" hmvc 4; fmvn 9;", "4 9"),
            (" fmvn 9", "0 9"),
            (" 3 17; hmvc 8;", "3 17"),
            (" - bm e4; fmvn 12;", "0 12"),
            (" c0 \"fmvn 3; hmvc 4\"; fmvn 5;", "0 5"),
        ] {
            assert_eq!(read(&format!("{START}{tail}")).unwrap().fen, format!("{START} {counters}"), "{tail}");
        }
    }

    #[test]
    fn ids_become_labels() {
        for (tail, label) in [
            ("", "line 5"),
            (" id \"Réti; \\\"quoted\\\"\";", "Réti; \"quoted\""),
            (" bm e4; id  sbd.003", "sbd.003"),
            (" id \"\";", "line 5"),
            (" id \"cut off", "cut off"),
        ] {
            assert_eq!(read(&format!("{START}{tail}")).unwrap().label, label, "{tail}");
        }
    }

    #[test]
    fn line_ends_and_comments_do_not_matter() {
        for text in ["", "  \r\n", "\0\n", "# a comment", "\u{feff}"] {
            assert_eq!(parse(text.as_bytes(), 1), None, "{text:?}");
        }
        for text in [format!("{START}\r\n"), format!("{START} 0 1\0\n"), format!("\u{feff}{START}\r\0")] {
            assert_eq!(read(&text).unwrap().fen, format!("{START} 0 1"), "{text:?}");
        }
    }

    #[test]
    fn chess960_is_detected() {
        assert_eq!(read(START).unwrap().castling, CastlingMode::Standard);
        let fischer = read("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w KQkq - 0 1").unwrap();
        assert_eq!(fischer.castling, CastlingMode::Chess960);
        assert_eq!(fischer.position().legal_moves().len(), 20);
        let shredder = read("nrbknbqr/ppp1pppp/3p4/8/2P5/8/PP1PPPPP/QNBRKNRB w DGbh - 0 2").unwrap();
        assert_eq!(shredder.fen, "nrbknbqr/ppp1pppp/3p4/8/2P5/8/PP1PPPPP/QNBRKNRB w KQkq - 0 2");
    }

    #[test]
    fn only_real_en_passant_squares_survive() {
        let idle = read("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").unwrap();
        assert!(idle.fen.contains(" KQkq - "), "{}", idle.fen);
        let real = read("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3").unwrap();
        assert!(real.fen.contains(" KQkq f6 "), "{}", real.fen);
    }

    #[test]
    fn errors_name_the_token_and_what_was_expected() {
        for (text, message) in [
            ("nonsense", "`nonsense`: expected the side to move, w or b after it"),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq -",
                "`rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN`: expected a piece placement of eight ranks",
            ),
            ("8/8/4k3/8/8/4K3/4P3/8 x - -", "`x`: expected the side to move, w or b"),
            ("8/8/4k3/8/8/4K3/4P3/8 w", "`w`: expected the castling rights after it"),
            ("8/8/4k3/8/8/4K3/4P3/8 w - e9", "`e9`: expected an en passant square, or -"),
            ("8/8/4k3/8/8/4K3/4P3/8 w KX -", "`KX`: expected castling rights, such as KQkq, HAha or -"),
            ("8/8/4k3/8/8/4K3/4P3/8 w - - 3", "`3`: expected the full-move number after it"),
            ("8/8/4k3/8/8/4K3/4P3/8 w - - 3 bm", "`bm`: expected a full-move number"),
            ("8/8/4k3/8/8/4K3/4P3/8 w - - hmvc x;", "`x`: expected a half-move clock after hmvc"),
            ("8/8/4k3/8/8/4K3/4P3/8 w - - fmvn;", "``: expected a full-move number after fmvn"),
            (
                "8/8/4k3/8/8/8/4P3/8 w - -",
                "`8/8/4k3/8/8/8/4P3/8 w - -`: expected a legal position, illegal position: missing king",
            ),
            (
                "8/8/4k3/8/8/4K3/8/8 w - -",
                "`8/8/4k3/8/8/4K3/8/8 w - -`: expected a position to play on, neither side can mate",
            ),
            (
                "7k/5Q2/6K1/8/8/8/8/8 b - -",
                "`7k/5Q2/6K1/8/8/8/8/8 b - -`: expected a position to play on, this is stalemate",
            ),
            (
                "7k/6Q1/6K1/8/8/8/8/8 b - -",
                "`7k/6Q1/6K1/8/8/8/8/8 b - -`: expected a position to play on, this is checkmate",
            ),
            (
                "8/8/4k3/8/8/4K3/4P3/8 w - - 100 90",
                "`8/8/4k3/8/8/4K3/4P3/8 w - -`: expected a position to play on, the fifty moves are over",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), message);
        }
    }

    #[test]
    fn variants_of_chess_are_refused() {
        for placement in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Q]",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/Q",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ~KBNR",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w",
        ] {
            let error = read(&format!("{placement} w KQkq -")).unwrap_err();
            assert!(error.ends_with("expected a piece placement of eight ranks"), "{error}");
        }
    }

    #[test]
    fn garbage_is_shortened_and_escaped_in_messages() {
        let message = read(&format!("\u{1b}[31m{}", "x".repeat(80))).unwrap_err();
        assert!(message.starts_with("`\\u{1b}[31mxxx") && message.contains("x…`:"), "{message}");
        for bytes in [&b"\xff\xfe\x00\x01"[..], b";;;;", b"\"", b"w w w w", b"- - - -", b"\\"] {
            assert!(parse(bytes, 1).is_none_or(|result| result.is_err()), "{bytes:?}");
        }
    }
}
