//! The tokens of a line of PGN: tags, moves, move numbers, results, comments and variations.

use std::borrow::Cow;

use shakmaty::CastlingSide;
use shakmaty::san::San;

use super::lines::is_blank;
use crate::base::wording::shown;

/// A result token: White's half-points; `None` for `*`.
pub(super) type ResultToken = Option<u8>;

/// Words between moves that are no moves: marks of older databases.
const REMARKS: [&str; 7] = ["N", "D", "ep", "e.p", "mate", "ch", "dbl"];
/// Names of Chess960, without `chess` at the end.
const CHESS960: [&str; 8] =
    ["chess960", "960", "fischerandom", "fischerrandom", "doublefischerrandom", "frc", "dfrc", "freestyle"];
/// Characters that end a word.
const ENDS: [char; 11] = ['{', '}', '(', ')', ';', '$', '!', '?', '*', '[', ' '];
/// Characters in a word that stand for others: figurines, dashes, and signs of print.
const SIGNS: [(&[char], &str); 9] = [
    (&['♔', '♚'], "K"),
    (&['♕', '♛'], "Q"),
    (&['♖', '♜'], "R"),
    (&['♗', '♝'], "B"),
    (&['♘', '♞'], "N"),
    // The pawn needs no letter, and a variation selector only chooses the shape of a figurine.
    (&['♙', '♟', '\u{fe0e}', '\u{fe0f}'], ""),
    (&['‐', '‑', '–', '—', '−'], "-"),
    (&['×'], "x"),
    (&['½'], "1/2"),
];

/// A token of a PGN file.
#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A tag pair with its name in lower case.
    Tag(String, Cow<'a, str>),
    /// The `{` of a comment.
    Comment,
    /// The `(` of a variation.
    Open,
    /// The `)` of a variation.
    Close,
    /// A move number and the number of dots after it.
    Number(u32, usize),
    /// Dots apart from their number.
    Dots,
    /// A move or null move.
    Move(San),
    /// A result: the half-points of White, if known.
    Result(Option<u8>),
    /// A remark, annotation or comment to the end of the line.
    Ignored,
    /// A word that is none of these.
    Unknown(&'a str),
}

/// Returns the token at the start of a text, and its length.
pub(super) fn token(text: &str, is_line_start: bool) -> (Token<'_>, usize) {
    let Some(first) = text.chars().next() else { return (Token::Ignored, 0) };
    match first {
        '{' => (Token::Comment, 1),
        '(' => (Token::Open, 1),
        ')' => (Token::Close, 1),
        '*' => (Token::Result(None), 1),
        ';' => (Token::Ignored, text.len()),
        '}' | '!' | '?' => (Token::Ignored, 1),
        '$' => (Token::Ignored, 1 + end_of(&text[1..], |c| !c.is_ascii_alphanumeric())),
        '[' => tag(text, is_line_start).unwrap_or_else(|| {
            let word = &text[..=end_of(&text[1..], is_end)];
            (Token::Unknown(word), word.len())
        }),
        _ => {
            let mut word = &text[..end_of(text, is_end)];
            // A promotion such as `d8(Q)`.
            if word.ends_with(['1', '8'])
                && let [b'(', b'Q' | b'R' | b'B' | b'N', b')', ..] = text.as_bytes()[word.len()..]
            {
                word = &text[..word.len() + 3];
            }
            let known = marker(word).map(|token| (token, word.len())).or_else(|| number(word));
            known.unwrap_or((Token::Unknown(word), word.len()))
        }
    }
}

/// Whether a word plays a move or begins to do so: a move or a move number with dots.
pub(crate) fn is_movetext(word: &str) -> bool {
    matches!(token(word, false).0, Token::Move(_) | Token::Number(_, 1..))
}

fn is_end(c: char) -> bool {
    !c.is_ascii_alphanumeric() && (ENDS.contains(&c) || is_blank(c))
}

/// Returns the index of the first such character, or the length.
fn end_of(text: &str, is_end: impl FnMut(char) -> bool) -> usize {
    text.find(is_end).unwrap_or(text.len())
}

/// Reads a tag pair. At the start of a line its quotes may be missing.
fn tag(text: &str, is_line_start: bool) -> Option<(Token<'_>, usize)> {
    let inner = text[1..].trim_start_matches(is_blank);
    let (name, after) = inner.split_at(end_of(inner, |c| is_blank(c) || "\"]".contains(c)));
    if !name.starts_with(char::is_alphabetic) {
        return None;
    }
    let after = after.trim_start_matches(is_blank);
    let (value, rest) = match after.strip_prefix('"') {
        Some(quoted) => match closing_quote(quoted) {
            Some(end) => (&quoted[..end], after_bracket(&quoted[end + 1..])?),
            None => (quoted.trim_end_matches(|c| is_blank(c) || "\"]".contains(c)), ""),
        },
        None if is_line_start => (after.trim_end_matches(is_blank).strip_suffix(']')?.trim(), ""),
        None => return None,
    };
    let value = if value.contains('\\') {
        value.replace("\\\"", "\"").replace("\\\\", "\\").into()
    } else {
        value.into()
    };
    Some((Token::Tag(name.to_lowercase(), value), text.len() - rest.len()))
}

/// Returns the index of the quote that ends a value: the first one before `]` that is not escaped.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().enumerate().position(|(index, byte)| {
        let is_literal = is_escaped;
        is_escaped = byte == b'\\' && !is_literal;
        byte == b'"' && !is_literal && after_bracket(&text[index + 1..]).is_some()
    })
}

/// Returns the text after the `]` of a tag.
fn after_bracket(text: &str) -> Option<&str> {
    text.trim_start_matches(is_blank).strip_prefix(']')
}

/// Reads a word that is no move number. Only dots may precede a move: another sign could be an unknown figurine.
fn marker(original: &str) -> Option<Token<'static>> {
    if original.starts_with(|first: char| first.is_ascii_alphabetic())
        && let Ok(san @ (San::Normal { .. } | San::Castle(_))) = San::from_ascii(original.as_bytes())
    {
        return Some(Token::Move(san));
    }
    let word = &*plain(original);
    if ["--", "@@@@"].contains(&word.trim_end_matches(['+', '#'])) {
        return Some(Token::Move(San::Null));
    }
    let core = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    if core.is_empty() {
        return Some(if word.starts_with(['.', '…']) { Token::Dots } else { Token::Ignored });
    }
    let core = core.trim_start_matches(['.', '…']);
    let half_points = half_points(core).or((core == "1/2").then_some(1));
    if half_points.is_some() {
        Some(Token::Result(half_points))
    } else if REMARKS.contains(&core) && original.is_ascii() {
        Some(Token::Ignored)
    } else if core.starts_with(|first| matches!(first, '1'..='9')) {
        // A move after its number, not one from this rank.
        None
    } else {
        san(core).map(Token::Move)
    }
}

/// Reads the move number at the start of a word: `12`, `12.`, `12...e5`. Four digits without dots are a move of
/// correspondence chess.
fn number(word: &str) -> Option<(Token<'_>, usize)> {
    let (digits, after) = word.split_at(end_of(word, |c| !c.is_ascii_digit()));
    let rest = after.trim_start_matches(['.', '…']);
    let dots = &after[..after.len() - rest.len()];
    let number = digits.parse().ok().filter(|&number: &u32| number > 0)?;
    let is_number = match rest.bytes().next() {
        None => !dots.is_empty() || digits.len() < 4,
        Some(b'0'..=b'9') => !dots.is_empty() && marker(rest).is_some(),
        Some(first) => !dots.is_empty() || !first.is_ascii_punctuation(),
    };
    let dots_shown = if dots.contains('…') { 3 } else { dots.len() };
    is_number.then_some((Token::Number(number, dots_shown), digits.len() + dots.len()))
}

/// Returns a word with ASCII characters for figurines and the like.
pub(super) fn plain(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return word.into();
    }
    let mut text = String::with_capacity(word.len());
    for c in word.chars() {
        match SIGNS.iter().find(|(signs, _)| signs.contains(&c)) {
            Some((_, plain)) => text.push_str(plain),
            None => text.push(c),
        }
    }
    text.into()
}

/// Returns White's half-points for a result; `None` for a game without a result.
pub fn half_points(result: &str) -> Option<u8> {
    match &*plain(result) {
        "1-0" => Some(2),
        "0-1" => Some(0),
        "1/2-1/2" => Some(1),
        _ => None,
    }
}

/// Checks the value of a `Variant` tag. Errors: the game is neither chess nor Chess960.
pub(crate) fn check_variant(value: &str) -> Result<(), String> {
    let letters = value.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let is_chess = ["", "chess", "standard", "normal", "orthodox", "fromposition"].contains(&&*letters)
        || CHESS960.iter().any(|name| letters.trim_end_matches("chess") == *name);
    if is_chess {
        Ok(())
    } else {
        Err(format!("its variant is `{}`, expected chess or Chess960", shown(value)))
    }
}

/// Returns the result of a game whose `Result` tag and result token at the end of the moves are these.
///
/// Errors: they are two different results.
pub(crate) fn agreed(tag: Option<u8>, token: Option<u8>) -> Result<Option<u8>, String> {
    const RESULTS: [&str; 3] = ["0-1", "1/2-1/2", "1-0"];
    match (tag, token) {
        (Some(tag), Some(token)) if tag != token => {
            let [tag, token] = [tag, token].map(|points| RESULTS[usize::from(points.min(2))]);
            Err(format!("its moves end with {token}, but its tag Result is {tag}"))
        }
        _ => Ok(token),
    }
}

/// Reads a move in algebraic notation, also long (`Ng1-f3`, `e2e4`), with castling by zeros, promotions without `=`
/// (`d8Q`, `d8(Q)`, `d8/Q`), and marks such as `+`, `e.p.` and `mate` after it.
///
/// Whether the move is a capture is not certain: files omit the `x`, or have one too many.
pub(crate) fn san(text: &str) -> Option<San> {
    if let Ok(san) = San::from_ascii(text.as_bytes()) {
        return (!matches!(san, San::Put { .. })).then_some(san);
    }
    let is_mark = |c: char| !c.is_alphanumeric();
    let mut core = text.trim_end_matches(is_mark);
    for suffix in ["e.p", "ep", "mate", "ch"] {
        core = core.strip_suffix(suffix).unwrap_or(core).trim_end_matches(is_mark);
    }
    match core.replace(['O', 'o'], "0").as_str() {
        "0-0" | "00" => return Some(San::Castle(CastlingSide::KingSide)),
        "0-0-0" | "000" => return Some(San::Castle(CastlingSide::QueenSide)),
        "0000" => return Some(San::Null),
        _ => {}
    }
    let mut bare: Vec<u8> = core.bytes().filter(|byte| !b"x:-=/()".contains(byte)).collect();
    if let [.., b'a'..=b'h', b'1' | b'8', piece] = bare[..]
        && b"QRBNqrbn".contains(&piece)
    {
        bare.pop();
        bare.extend([b'=', piece.to_ascii_uppercase()]);
    }
    San::from_ascii(&bare).ok().filter(|san| !matches!(san, San::Put { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_other_than_chess_are_refused() {
        for chess in ["", "?", "Standard", "chess", "normal", "From Position", "Chess960", "Chess 960"] {
            assert_eq!(check_variant(chess), Ok(()), "{chess}");
        }
        for name in [
            "fischerandom",
            "FischerRandom",
            "Fischerandom Chess",
            "Freestyle Chess",
            "Double Fischer Random",
        ] {
            assert_eq!(check_variant(name), Ok(()), "{name}");
        }
        for other in ["Atomic", "crazyhouse", "Crazyhouse960", "King of the Hill", "chess variant"] {
            let error = check_variant(other).unwrap_err();
            assert_eq!(error, format!("its variant is `{other}`, expected chess or Chess960"));
        }
    }

    /// Returns the tokens of a line as text: moves as SAN, the others as in the enum.
    fn tokens(mut line: &str) -> String {
        let mut shown = Vec::new();
        let mut is_start = true;
        loop {
            line = line.trim_start_matches(is_blank);
            if line.is_empty() {
                return shown.join(" ");
            }
            let (token, length) = token(line, is_start);
            assert!(length > 0, "{line}");
            match token {
                Token::Ignored => {}
                Token::Move(san) => shown.push(san.to_string()),
                Token::Number(number, dots) => shown.push(format!("{number}{}", ".".repeat(dots))),
                Token::Tag(name, value) => shown.push(format!("{name}={value};")),
                token => shown.push(format!("{token:?}")),
            }
            line = &line[length..];
            is_start = false;
        }
    }

    #[test]
    fn every_notation_of_a_move_is_read() {
        for (text, expected) in [
            ("1.e4 e5! 2. Nf3?? Nc6+- 3.Bb5 $14$1 a6 ⩱", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"),
            ("12...e5 12. ... e5 12 e4 1e4 1…e5 ..e5", "12... e5 12. Dots e5 12 e4 1 e4 1... e5 e5"),
            ("O-O 0-0-0+ o-o 0–0 12.O-O#!", "O-O O-O-O O-O O-O 12. O-O"),
            ("e2e4 e2-e4 Ng1-f3 e4:d5 Nb1xd2 R1a3+ Pe4 Qd1×d8", "e2e4 e2e4 Ng1f3 e4d5 Nb1xd2 R1a3 e4 Qd1xd8"),
            (
                "d8=Q d8Q+ exd8q exd8(Q)# d8/N d7d8=r! d8(R) (c8=Q)",
                "d8=Q d8=Q ed8=Q ed8=Q d8=N d7d8=R d8=R Open c8=Q Close",
            ),
            ("♘f3 ♞c6 ♗︎b5 ♙e4 ♟︎xd5 e8=♕ ♔e2 ♜a1", "Nf3 Nc6 Bb5 e4 xd5 e8=Q Ke2 Ra1"),
            ("exd6 e.p. exd6e.p. exd6ep Qh5mate Bb5ch e4, Qh4†", "exd6 ed6 ed6 Qh5 Bb5 e4 Qh4"),
            ("-- Z0 --+ 0000 @@@@", "-- -- -- -- --"),
            ("e4;e5", "e4"),
            (
                "1-0 0–1 ½-½ 1/2-1/2* 1/2 ½ e4*",
                "Result(Some(2)) Result(Some(0)) Result(Some(1)) Result(Some(1)) Result(None) Result(Some(1)) Result(Some(1)) e4 Result(None)",
            ),
            ("39.Kg2 40.1-0 N D mate +- = # ± ∞ — \" <> }", "39. Kg2 40. Result(Some(2))"),
            ("e4{a", "e4 Comment Unknown(\"a\")"),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn other_words_are_unknown() {
        for word in [
            "Sf3",
            "Kf6e",
            "Кf3",
            "Сb5",
            "О-О",
            "Zf3",
            "nf3",
            "e9",
            "i4",
            "N@f3",
            "5254",
            "52546",
            "0",
            "00-",
            "0.5",
            "+0.35",
            "2-1",
            "1:0",
            "1,e4",
            "1.5",
            "0:05",
            "[0.5]",
            "[%clk",
            "RR",
            "Diagram",
            "e4e5e6",
            "🨀f3",
            "♘",
            "\"e4",
            "+e4",
            "１．ｅ４",
            "é",
        ] {
            let expected =
                if word.starts_with("00") { "O-O".to_owned() } else { format!("Unknown({word:?})") };
            assert_eq!(tokens(word), expected, "{word}");
        }
        assert_eq!(tokens("7.Sf3"), "7. Unknown(\"Sf3\")");
    }

    #[test]
    fn tags_are_read_with_their_odd_forms() {
        for (text, expected) in [
            (r#"[White "a"] [Black"b" ][FEN  "c"]1.e4"#, "white=a; black=b; fen=c; 1. e4"),
            (r#"[White "Joe \"Kid\" (x] \\ ]"]"#, r#"white=Joe "Kid" (x] \ ];"#),
            (r#"[White "Joe "Kid" Doe"]"#, r#"white=Joe "Kid" Doe;"#),
            (r#"[Site "C:\"]"#, r"site=C:\;"),
            (r#"[A:b_1 ""] [Événement "é"]"#, "a:b_1=; événement=é;"),
            (r#"[White "Doe"#, "white=Doe;"),
            (r#"[White "Doe]"#, "white=Doe;"),
            (r#"[White "Doe" "#, "white=Doe;"),
            ("[White Doe, J.]", "white=Doe, J.;"),
            ("[Event]", "event=;"),
            ("[Event", "Unknown(\"[Event\")"),
            (r#"[ "x"]"#, "Unknown(\"[\") Unknown(\"\\\"x\\\"]\")"),
            ("e4 [White Doe]", "e4 Unknown(\"[White\") Unknown(\"Doe]\")"),
            (r#"1-0[White "Doe"]"#, "Result(Some(2)) white=Doe;"),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn moves_are_told_from_other_words() {
        assert!(["e4", "g1f3", "1.", "1...e5", "♘f3", "O-O", "0000"].into_iter().all(is_movetext));
        assert!(
            !["", "12", "id", "bm", "D1", "|", "[0.5]", "1-0", "+0.20", "moves"].into_iter().any(is_movetext)
        );
    }
}
