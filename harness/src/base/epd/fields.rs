//! The four or six fields at the start of a line, and the position they describe.

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{CastlingMode, Chess, Setup};

use super::operations::{Operation, has_open_quote};
use crate::base::wording::expected;

/// The fields of the start position.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// A parsed line: a legal position and the operations that follow it.
#[derive(Clone, Debug)]
pub struct Line {
    /// The position after validation.
    pub position: Chess,
    /// Whether its castling rights need Chess960 rules.
    pub castling: CastlingMode,
    /// The operations in the order of the line.
    pub operations: Vec<Operation>,
    /// Whether a quote that is not closed hides further operations.
    pub hides_operations: bool,
    /// The first four fields, for messages.
    pub fields: String,
}

impl Line {
    /// Returns the last operation with this opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().rfind(|operation| operation.opcode == opcode)
    }

    /// Returns the number of operations with this opcode.
    pub fn count(&self, opcode: &str) -> usize {
        self.operations.iter().filter(|operation| operation.opcode == opcode).count()
    }

    /// Returns the `id` of the line unless it is empty.
    pub fn id(&self) -> Option<String> {
        self.operation("id").map(Operation::text).filter(|id| !id.is_empty())
    }
}

/// Splits a file at LF, CR LF and lone CR, so that line numbers match those of an editor.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r').unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        rest = after.strip_prefix(b"\r\n").or_else(|| after.get(1..)).unwrap_or_default();
        Some(line)
    })
}

/// Parses one line; `None` for blank lines and `#` comments. `startpos` stands for the fields of the start position.
///
/// Line ends, NUL bytes, the end-of-file mark of DOS and a byte order mark may still be attached.
///
/// Errors: the offending token and the expected one.
pub fn parse(bytes: &[u8]) -> Option<Result<Line, String>> {
    let text = String::from_utf8_lossy(bytes);
    let is_blank = |c: char| c.is_whitespace() || matches!(c, '\0' | '\u{1a}');
    let text = text.trim_start_matches('\u{feff}').trim_matches(is_blank);
    if text.is_empty() || text.starts_with('#') {
        return None;
    }
    let operations = text.strip_prefix("startpos");
    let is_start = |rest: &&str| !rest.starts_with(|c: char| !c.is_whitespace() && c != ';');
    Some(match operations.filter(is_start) {
        Some(operations) => read(&format!("{START}{operations}")),
        None => read(text),
    })
}

fn read(text: &str) -> Result<Line, String> {
    let mut rest = text;
    let placement = field(&mut rest, text, "piece placement")?;
    let turn = field(&mut rest, placement, "side to move, w or b")?;
    let castling = field(&mut rest, turn, "castling rights")?;
    let en_passant = en_passant(&mut rest, castling)?;
    let from_fields = counters(&mut rest)?;
    let operations = Operation::read_all(rest);
    if let Some(played) = operations.iter().find(|operation| operation.plays_moves()) {
        let text = format!("{} {}", played.opcode, played.operand);
        let what =
            "no moves after the position, which are not played: give the position after them, or a PGN file";
        return Err(expected(text.trim_end(), what));
    }
    let hmvc = counter(&operations, "hmvc", "a half-move clock after hmvc")?;
    let fmvn = counter(&operations, "fmvn", "a full-move number after fmvn")?;
    let (halfmoves, fullmoves) = from_fields.unwrap_or((hmvc.unwrap_or(0), fmvn.unwrap_or(1)));

    let fields = [placement, turn, castling, en_passant].join(" ");
    let setup = setup(&fields, [placement, turn, castling, en_passant], halfmoves, fullmoves)?;
    let mode = CastlingMode::detect(&setup);
    let position: Chess =
        setup.position(mode).map_err(|error| expected(&fields, format_args!("a legal position, {error}")))?;
    Ok(Line { position, castling: mode, operations, hides_operations: has_open_quote(rest), fields })
}

/// Returns the next token, which ends at white space or at the `;` of an operation.
fn token<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let start = rest.trim_start();
    let end = start.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(start.len());
    let (token, after) = start.split_at(end);
    (!token.is_empty()).then(|| {
        *rest = after;
        token
    })
}

fn field<'a>(rest: &mut &'a str, before: &str, name: &'static str) -> Result<&'a str, String> {
    token(rest).ok_or_else(|| expected(before, format_args!("the {name} after it")))
}

/// Reads the fourth field. Some files write `-0 1` for `- 0 1`.
fn en_passant<'a>(rest: &mut &'a str, before: &str) -> Result<&'a str, String> {
    let start = rest.trim_start();
    let token = field(rest, before, "en passant square, or -")?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if token.strip_prefix('-').is_some_and(is_number) {
        *rest = &start[1..];
        return Ok(&start[..1]);
    }
    Ok(token)
}

/// Reads the two counters of a six-field line and skips a lone `-` that some files put after the
/// fourth field.
fn counters(rest: &mut &str) -> Result<Option<(u32, u32)>, String> {
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

/// Returns the numeric operand of the last operation `opcode`.
fn counter(operations: &[Operation], opcode: &str, what: &str) -> Result<Option<u32>, String> {
    let found = operations.iter().rfind(|operation| operation.opcode == opcode);
    found.map(|operation| number(&operation.operand, what)).transpose()
}

fn number(token: &str, what: &str) -> Result<u32, String> {
    let all_digits = token.bytes().all(|byte| byte.is_ascii_digit());
    let value = token.parse().ok().filter(|_| all_digits);
    value.ok_or_else(|| expected(token, what))
}

/// Parses the fields. Extensions of shakmaty beyond standard chess (pockets, promoted marks,
/// underscores) are rejected.
fn setup(
    joined: &str,
    [placement, turn, castling, en_passant]: [&str; 4],
    halfmoves: u32,
    fullmoves: u32,
) -> Result<Setup, String> {
    let placement_error = || expected(placement, "a piece placement of eight ranks");
    if placement.contains(['_', '[', '~']) || placement.matches('/').count() != 7 {
        return Err(placement_error());
    }
    let fen = Fen::from_ascii(format!("{joined} {halfmoves} {fullmoves}").as_bytes());
    fen.map(Fen::into_setup).map_err(|error| match error {
        ParseFenError::InvalidTurn => expected(turn, "the side to move, w or b"),
        ParseFenError::InvalidCastling => expected(castling, "castling rights, such as KQkq, HAha or -"),
        ParseFenError::InvalidEpSquare => expected(en_passant, "an en passant square, or -"),
        ParseFenError::InvalidBoard => placement_error(),
        _ => expected(joined, "the fields of a FEN"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w -";

    #[test]
    fn operations_follow_four_or_six_fields() {
        for tail in [
            "- bm e4; id \"x\";",
            "- 0 1 bm e4; id \"x\";",
            "-; bm e4; id \"x\"",
            "- - bm e4;id \"x\"",
            "-0 1 bm e4; id \"x\"",
        ] {
            let line = parse(format!("{KINGS} {tail}\r\n").as_bytes()).unwrap().unwrap();
            assert_eq!(line.operation("bm").unwrap().operand, "e4", "{tail}");
            assert_eq!(line.id().as_deref(), Some("x"), "{tail}");
            assert_eq!(line.fields, format!("{KINGS} -"));
        }
    }

    #[test]
    fn open_quote_that_hides_operations_is_noted() {
        let line = format!("{KINGS} - bm e4 d4; id \"Fischer\"s line\"; am e4;");
        assert!(parse(line.as_bytes()).unwrap().unwrap().hides_operations);
        let line = format!("{KINGS} - bm e4; id \"a \\\"b\\\" c\"; am d4;");
        let read = parse(line.as_bytes()).unwrap().unwrap();
        assert!(!read.hides_operations && read.operation("am").is_some(), "escaped quotes");
    }

    #[test]
    fn startpos_is_the_start_position() {
        for line in ["startpos", "startpos\tid \"a\";", "startpos; id \"a\";", "startpos 0 1"] {
            assert_eq!(parse(line.as_bytes()).unwrap().unwrap().fields, START, "{line}");
        }
        assert_eq!(parse(b"startpos bm e4;").unwrap().unwrap().operation("bm").unwrap().operand, "e4");
        for line in ["startposition", "startpos2", "start pos"] {
            assert!(parse(line.as_bytes()).unwrap().is_err(), "{line}");
        }
    }

    #[test]
    fn moves_after_the_position_are_an_error() {
        let read = |tail: &str| parse(format!("4k3/8/8/8/8/8/4P3/4K3 w - - {tail}").as_bytes()).unwrap();
        for (tail, shown) in [
            ("moves e2e4 e8e7", "moves e2e4 e8e7"),
            ("0 1 moves e2e4", "moves e2e4"),
            ("bm e4; moves", "moves"),
            ("e2e4 e8e7", "e2e4 e8e7"),
            ("0 1 1. e4 Ke7", "1. e4 Ke7"),
            ("O-O;", "O-O"),
        ] {
            let expected = "`: expected no moves after the position, which are not played: ";
            let message = read(tail).unwrap_err();
            assert!(message.starts_with(&format!("`{shown}{expected}")), "{message}");
        }
        let others = [
            "| +0.20 | 1/2-1/2",
            "[0.5]",
            "c3 \"moves\"; c1 e2e4;",
            "D1 20 ;D2 400",
            "pv e4; am Kd1;",
            "\"e4\"",
        ];
        assert!(others.iter().all(|tail| read(tail).is_ok()));
    }

    #[test]
    fn trailing_counters_are_not_read_as_opcodes() {
        let line = parse(b"4k3/8/8/8/8/8/8/3K4 b - - 12 13").unwrap().unwrap();
        assert_eq!(line.operations, []);
    }
}
