//! Splits Rust source into tokens.

/// A word or a mark, with its line.
#[derive(Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: usize,
}

/// Splits source text into words, `::` and single marks. Comments and literals are dropped.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let end = at + token_length(&text[at..]);
        let token = &text[at..end];
        let is_code = !token.starts_with("//")
            && !token.starts_with("/*")
            && !token.contains('"')
            && !token.starts_with('\'')
            && !token.trim().is_empty();
        if is_code {
            found.push(Token { text: token, line });
        }
        line += token.matches('\n').count();
        at = end;
    }
    found
}

/// Returns the length of the token at the start of `text`, at least 1. Units: bytes.
fn token_length(text: &str) -> usize {
    let first = text.chars().next().map_or(1, char::len_utf8);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return block_comment(text);
    }
    if text.starts_with("::") {
        return 2;
    }
    if text.starts_with('"') {
        return quoted(text, '"');
    }
    if text.starts_with('\'') {
        return apostrophe(text);
    }
    if text.starts_with(is_word) {
        let word = text.find(|c| !is_word(c)).unwrap_or(text.len());
        return word + string_after_prefix(&text[..word], &text[word..]);
    }
    first
}

/// Returns the length of the literal after a prefix `r`, `b`, `br`, `c` or `cr`; 0 if there is
/// none.
fn string_after_prefix(word: &str, rest: &str) -> usize {
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let opens = rest[hashes..].starts_with('"');
    match word {
        "r" | "br" | "cr" if opens => {
            let close = format!("\"{}", "#".repeat(hashes));
            let body = hashes + 1;
            rest[body..].find(&close).map_or(rest.len(), |at| body + at + close.len())
        }
        "b" | "c" if opens && hashes == 0 => quoted(rest, '"'),
        _ => 0,
    }
}

/// Returns the length of a literal in quotes with backslash escapes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a character literal, or 1 for the mark of a lifetime.
fn apostrophe(text: &str) -> usize {
    let mut rest = text[1..].chars();
    match (rest.next(), rest.next()) {
        (Some('\\'), _) => quoted(text, '\''),
        (Some(c), Some('\'')) => 2 + c.len_utf8(),
        _ => 1,
    }
}

/// Returns the length of a block comment, which may contain others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}
