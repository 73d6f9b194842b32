//! One line of an opening file: four or six FEN fields, then EPD operations.
//!
//! The position must be legal and playable. Of the operations `hmvc` and `fmvn` set the counters of a four-field line and
//! `id` names the opening; everything else is not ours to judge, so published files with loose `bm` lists still load.

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, Setup};
use thiserror::Error;

/// Half-moves without progress after which a game is drawn.
const FIFTY_MOVES: u32 = 100;

/// Most characters of a token that an error repeats.
const TOKEN_SHOWN: usize = 60;

/// A position from which a pair of games can start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// All six fields, as shakmaty writes them; the en passant square only where such a capture is legal.
    pub fen: String,
    /// The EPD's `id`, or `line N`.
    pub label: String,
    /// Where it stands in its file, from 1.
    pub line: usize,
    /// Whether its castling rights need Chess960 rules.
    pub castling: CastlingMode,
}

impl Opening {
    /// The position itself.
    ///
    /// # Panics
    ///
    /// If `fen` or `castling` was changed since the line was read.
    pub fn position(&self) -> Chess {
        Fen::from_ascii(self.fen.as_bytes())
            .ok()
            .and_then(|fen| fen.into_position(self.castling).ok())
            .expect("an Opening is only made from a legal position")
    }
}

/// Why a line is no opening.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// The line ends too early.
    #[error("`{token}`: expected the {field} after it")]
    Missing {
        /// The last token there is.
        token: String,
        /// What should follow.
        field: &'static str,
    },
    /// A field or an operand cannot be read.
    #[error("`{token}`: expected {expected}")]
    Bad {
        /// What stands there.
        token: String,
        /// What should.
        expected: &'static str,
    },
    /// The fields describe no legal position.
    #[error("`{token}`: expected a legal position, {reason}")]
    Illegal {
        /// The fields of the position.
        token: String,
        /// shakmaty's reason.
        reason: String,
    },
    /// There is nothing left to play.
    #[error("`{token}`: expected a position to play on, {reason}")]
    Over {
        /// The fields of the position.
        token: String,
        /// How the game has ended.
        reason: &'static str,
    },
}

/// The opening on line number `line`; `None` for blank lines and `#` comments.
///
/// Line ends, NUL bytes and a byte order mark may still be attached.
///
/// Errors: [`LineError`] with the offending token and what was expected.
pub fn parse(bytes: &[u8], line: usize) -> Option<Result<Opening, LineError>> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty() && !text.starts_with('#')).then(|| opening(text, line))
}

fn opening(text: &str, line: usize) -> Result<Opening, LineError> {
    let mut rest = text;
    let placement = field(&mut rest, text, "piece placement")?;
    let turn = field(&mut rest, placement, "side to move, w or b")?;
    let castling = field(&mut rest, turn, "castling rights")?;
    let en_passant = field(&mut rest, castling, "en passant square, or -")?;
    let from_fields = counters(&mut rest)?;
    let operations = Operations::read(rest)?;
    let (halfmoves, fullmoves) =
        from_fields.unwrap_or((operations.hmvc.unwrap_or(0), operations.fmvn.unwrap_or(1)));

    let fields = [placement, turn, castling, en_passant].join(" ");
    let setup = setup(&fields, [placement, turn, castling, en_passant], halfmoves, fullmoves)?;
    let mode = CastlingMode::detect(&setup);
    let position: Chess = setup
        .position(mode)
        .map_err(|error| LineError::Illegal { token: shown(&fields), reason: error.to_string() })?;
    check_playable(&position, &fields)?;
    Ok(Opening {
        fen: Fen::from_position(&position, EnPassantMode::Legal).to_string(),
        label: operations.id.unwrap_or_else(|| format!("line {line}")),
        line,
        castling: mode,
    })
}

/// The next token up to white space or the `;` of an operation.
fn token<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let start = rest.trim_start();
    let end = start.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(start.len());
    let (token, after) = start.split_at(end);
    (!token.is_empty()).then(|| {
        *rest = after;
        token
    })
}

fn field<'a>(rest: &mut &'a str, before: &str, name: &'static str) -> Result<&'a str, LineError> {
    token(rest).ok_or_else(|| LineError::Missing { token: shown(before), field: name })
}

/// The two counters of a six-field line. A lone `-` that some files put after the fourth field is skipped.
fn counters(rest: &mut &str) -> Result<Option<(u32, u32)>, LineError> {
    let mut ahead = *rest;
    let mut next = token(&mut ahead);
    while next == Some("-") {
        *rest = ahead;
        next = token(&mut ahead);
    }
    let Some(halfmoves) = next.filter(|token| token.starts_with(|c: char| c.is_ascii_digit())) else {
        return Ok(None);
    };
    let fullmoves = field(&mut ahead, halfmoves, "full-move number")?;
    *rest = ahead;
    Ok(Some((number(halfmoves, "a half-move clock")?, number(fullmoves, "a full-move number")?)))
}

fn number(token: &str, expected: &'static str) -> Result<u32, LineError> {
    let all_digits = token.bytes().all(|byte| byte.is_ascii_digit());
    let value = token.parse().ok().filter(|_| all_digits);
    value.ok_or_else(|| LineError::Bad { token: shown(token), expected })
}

/// The operations that matter to an opening.
#[derive(Debug, Default)]
struct Operations {
    hmvc: Option<u32>,
    fmvn: Option<u32>,
    id: Option<String>,
}

impl Operations {
    fn read(text: &str) -> Result<Self, LineError> {
        let mut found = Self::default();
        for operation in split_operations(text) {
            let (opcode, operand) = operation.split_once(char::is_whitespace).unwrap_or((operation, ""));
            match opcode {
                "hmvc" => found.hmvc = Some(number(operand.trim(), "a half-move clock after hmvc")?),
                "fmvn" => found.fmvn = Some(number(operand.trim(), "a full-move number after fmvn")?),
                "id" => found.id = Some(unquoted(operand.trim())).filter(|id| !id.is_empty()),
                _ => {}
            }
        }
        Ok(found)
    }
}

/// Splits at every `;` outside quotes; a backslash protects the character after it.
fn split_operations(text: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c: char| {
        let literal = escaped;
        escaped = c == '\\' && !literal;
        if c == '"' && !literal {
            quoted = !quoted;
        }
        c == ';' && !quoted
    })
    .map(str::trim)
    .filter(|operation| !operation.is_empty())
}

/// The text between the quotes, its escapes resolved; unquoted text as it is.
fn unquoted(operand: &str) -> String {
    let Some(quoted) = operand.strip_prefix('"') else {
        return operand.to_owned();
    };
    let mut text = String::new();
    let mut characters = quoted.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => break,
            '\\' => text.extend(characters.next()),
            _ => text.push(c),
        }
    }
    text
}

/// Reads the fields; what shakmaty takes beyond plain chess (pockets, promoted marks, underscores) is refused.
fn setup(
    joined: &str,
    [placement, turn, castling, en_passant]: [&str; 4],
    halfmoves: u32,
    fullmoves: u32,
) -> Result<Setup, LineError> {
    let bad = |token: &str, expected| LineError::Bad { token: shown(token), expected };
    let placement_error = || bad(placement, "a piece placement of eight ranks");
    if placement.contains(['_', '[', '~']) || placement.matches('/').count() != 7 {
        return Err(placement_error());
    }
    let fen = Fen::from_ascii(format!("{joined} {halfmoves} {fullmoves}").as_bytes());
    fen.map(Fen::into_setup).map_err(|error| match error {
        ParseFenError::InvalidTurn => bad(turn, "the side to move, w or b"),
        ParseFenError::InvalidCastling => bad(castling, "castling rights, such as KQkq, HAha or -"),
        ParseFenError::InvalidEpSquare => bad(en_passant, "an en passant square, or -"),
        ParseFenError::InvalidBoard => placement_error(),
        _ => bad(joined, "the fields of a FEN"),
    })
}

fn check_playable(position: &Chess, fields: &str) -> Result<(), LineError> {
    let reason = if position.is_checkmate() {
        "this is checkmate"
    } else if position.is_stalemate() {
        "this is stalemate"
    } else if position.is_insufficient_material() {
        "neither side can mate"
    } else if position.halfmoves() >= FIFTY_MOVES {
        "the fifty moves are over"
    } else {
        return Ok(());
    };
    Err(LineError::Over { token: shown(fields), reason })
}

/// A token fit for one line of a message.
fn shown(token: &str) -> String {
    let mut text: String = token.chars().take(TOKEN_SHOWN).flat_map(char::escape_debug).collect();
    if token.chars().nth(TOKEN_SHOWN).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn read(text: &str) -> Result<Opening, LineError> {
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
            assert_eq!(read(text).unwrap_err().to_string(), message);
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
            assert!(
                matches!(read(&format!("{placement} w KQkq -")), Err(LineError::Bad { .. })),
                "{placement}"
            );
        }
    }

    #[test]
    fn garbage_is_shortened_and_escaped_in_messages() {
        let message = read(&format!("\u{1b}[31m{}", "x".repeat(80))).unwrap_err().to_string();
        assert!(message.starts_with("`\\u{1b}[31mxxx") && message.contains("x…`:"), "{message}");
        for bytes in [&b"\xff\xfe\x00\x01"[..], b";;;;", b"\"", b"w w w w", b"- - - -", b"\\"] {
            assert!(parse(bytes, 1).is_none_or(|result| result.is_err()), "{bytes:?}");
        }
    }
}
