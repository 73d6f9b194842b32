//! The operations behind the fields of an EPD line: an opcode and its operand each, ended by `;`.

/// One operation, such as `bm Qg6` or `id "WAC.001"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The first word.
    pub opcode: String,
    /// The rest as written, without white space around it.
    pub operand: String,
}

impl Operation {
    /// All operations of the text behind the fields. Empty ones are left out; a last one needs no `;`.
    pub(super) fn read_all(text: &str) -> Vec<Self> {
        let read = |text: &str| {
            let (opcode, operand) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            Self { opcode: opcode.to_owned(), operand: operand.trim().to_owned() }
        };
        split(text).map(read).collect()
    }

    /// The operand as a text: what is between the quotes, its escapes resolved, or unquoted text as it is.
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

/// Splits at every `;` outside quotes; a backslash protects the character after it.
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
    fn operations_end_outside_quotes() {
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
