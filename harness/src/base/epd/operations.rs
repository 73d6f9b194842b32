//! The operations after the fields of an EPD line: each has an opcode and an operand and ends with
//! `;`. Lines of EPD and FEN files have the same errors.

use crate::base::pgn::is_movetext;

/// One operation, such as `bm Qg6` or `id "WAC.001"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The opcode, the first word of the operation.
    pub opcode: String,
    /// The operand as written, without surrounding white space.
    pub operand: String,
}

impl Operation {
    /// Parses all operations after the fields. Empty operations are skipped; the last one needs no
    /// `;`.
    pub(super) fn read_all(text: &str) -> Vec<Self> {
        let read = |text: &str| {
            let (opcode, operand) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            Self { opcode: opcode.to_owned(), operand: operand.trim().to_owned() }
        };
        split(text).map(read).collect()
    }

    /// Whether this is no operation but moves after the position, as in UCI's `position` or in a PGN file. The opcodes
    /// of comments, such as `c3`, are no squares.
    pub(super) fn plays_moves(&self) -> bool {
        let is_comment = matches!(self.opcode.as_bytes(), [b'c', b'0'..=b'9']);
        self.opcode == "moves" || !is_comment && is_movetext(&self.opcode)
    }

    /// Returns the operand as text: the quoted part with escapes resolved, or the unquoted operand
    /// unchanged.
    pub fn text(&self) -> String {
        let Some(quoted) = self.operand.strip_prefix('"') else {
            return self.operand.clone();
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
}

/// Whether the last quote of some operations is not closed and hides others.
pub(super) fn has_open_quote(text: &str) -> bool {
    let (mut open, mut escaped) = (None, false);
    for (at, c) in text.char_indices() {
        if c == '"' && !escaped {
            open = open.is_none().then_some(at);
        }
        escaped = c == '\\' && !escaped;
    }
    let hidden = open.and_then(|at: usize| text[at..].split_once(';'));
    hidden.is_some_and(|(_, hidden)| !hidden.trim().is_empty())
}

/// Splits at every `;` outside quotes. A backslash escapes the next character.
fn split(text: &str) -> impl Iterator<Item = &str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        let operations = Operation::read_all(text);
        operations.into_iter().map(|operation| (operation.opcode.clone(), operation.text())).collect()
    }

    #[test]
    fn semicolons_inside_quotes_do_not_end_an_operation() {
        let pair = |opcode: &str, text: &str| (opcode.to_owned(), text.to_owned());
        for (text, expected) in [
            (" bm Nxg5; c0 \"ERET.095; Queen\";", vec![pair("bm", "Nxg5"), pair("c0", "ERET.095; Queen")]),
            ("; bm O-O; id  sbd.003", vec![pair("bm", "O-O"), pair("id", "sbd.003")]),
            (r#"a "foo\"bar";; ; b "foo\\\\";"#, vec![pair("a", "foo\"bar"), pair("b", r"foo\\")]),
            (r#"c0 "bm g5g2; am g5f5;"#, vec![pair("c0", "bm g5g2; am g5f5;")]),
            ("noop;draw", vec![pair("noop", ""), pair("draw", "")]),
            (" ;; ", vec![]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
