//! Finds imports that go against a crate's documented order. Shared by the layering tests of both crates.
//!
//! Reads source text, not the compiler's view: comments and literals are blanked out, then every path that
//! starts with `crate` or `super` is resolved to the top-level module it enters. The crate's root (`lib.rs`,
//! `main.rs`) may import anything; every other file only modules of an earlier level, or its own.

use std::fs;
use std::path::{Path, PathBuf};

/// Top-level modules from the lowest level to the highest; a level may not import itself.
pub(crate) type Order<'a> = &'a [&'a [&'a str]];

/// Everything wrong with the sources under `src`, one message each.
pub(crate) fn violations(src: &Path, order: Order<'_>) -> Vec<String> {
    let mut files = Vec::new();
    collect(src, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no sources under {}", src.display());
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("sources are readable UTF-8");
        let inside = file.strip_prefix(src).expect("found under src");
        found.extend(file_violations(inside, &text, order));
    }
    found
}

/// Everything wrong with one file; `path` is relative to `src`.
pub(crate) fn file_violations(path: &Path, text: &str, order: Order<'_>) -> Vec<String> {
    let shown = path.display();
    let module = module_of(path);
    if let Some(top) = module.first()
        && level(order, top).is_none()
    {
        return vec![format!("{shown}: module `{top}` has no level yet; add it to ORDER in tests/layering")];
    }
    let mut found = Vec::new();
    for Reference { line, target } in references(&tokens(text), &module) {
        let problem = match (&target, module.first()) {
            (Target::Prelude, _) => Some("a prelude hides what is used; name the items".to_owned()),
            (Target::Glob, _) => Some("a glob of the crate's root hides what is used".to_owned()),
            (Target::Module(_), None) => None,
            (Target::Module(name), Some(own)) if name == own => None,
            (Target::Module(name), Some(own)) => match level(order, name) {
                None => {
                    Some(format!("`crate::{name}` is no module with a level; name the module it lives in"))
                }
                Some(theirs) if Some(theirs) < level(order, own) => None,
                Some(_) => Some(format!("`{own}` must not import `{name}`, which is not to its left")),
            },
        };
        found.extend(problem.map(|problem| format!("{shown}:{line}: {problem}")));
    }
    found
}

/// The files under `src`, relative to it and in order, whose code has the path `words`: `["unsafe"]`, or
/// `["Command", "new"]` for `Command::new`.
pub(crate) fn files_with(src: &Path, words: &[&str]) -> Vec<String> {
    let mut files = Vec::new();
    collect(src, &mut files);
    let has_it = |file: &PathBuf| {
        let text = fs::read_to_string(file).expect("sources are readable UTF-8");
        let tokens = tokens(&text);
        let is_it = |at: usize| {
            let mut parts = words.iter().enumerate();
            parts.all(|(part, word)| {
                let is_joined =
                    part == 0 || tokens.get(at + 2 * part - 1).is_some_and(|token| token.text == "::");
                is_joined && tokens.get(at + 2 * part).is_some_and(|token| token.text == *word)
            })
        };
        (0..tokens.len()).any(is_it)
    };
    files.retain(has_it);
    let relative = |file: &PathBuf| file.strip_prefix(src).expect("found under src").display().to_string();
    let mut found: Vec<String> = files.iter().map(relative).collect();
    found.sort();
    found
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("src is readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn level(order: Order<'_>, module: &str) -> Option<usize> {
    order.iter().position(|names| names.contains(&module))
}

/// `search/driver/mod.rs` → search, driver; the crate's roots are empty.
fn module_of(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> =
        path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let last = parts.last().map(String::as_str);
    if last == Some("mod") || (parts.len() == 1 && matches!(last, Some("lib" | "main"))) {
        parts.pop();
    }
    parts
}

#[derive(Debug, PartialEq, Eq)]
enum Target {
    /// Something in this top-level module.
    Module(String),
    /// Everything in the root.
    Glob,
    /// A module called `prelude`.
    Prelude,
}

struct Reference {
    line: usize,
    target: Target,
}

/// A word or a mark, and the line it stands in.
struct Token<'a> {
    text: &'a str,
    line: usize,
}

/// Words, `::` and single marks, without comments and literals.
fn tokens(text: &str) -> Vec<Token<'_>> {
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

/// How many bytes the token at the start of `text` takes; never zero.
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

/// The literal after `r`, `b`, `br`, `c`, `cr`; 0 if the word was no prefix of one.
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

/// A literal between two of `quote`, with backslash escapes.
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

/// A character literal, or the mark of a lifetime.
fn apostrophe(text: &str) -> usize {
    let mut rest = text[1..].chars();
    match (rest.next(), rest.next()) {
        (Some('\\'), _) => quoted(text, '\''),
        (Some(c), Some('\'')) => 2 + c.len_utf8(),
        _ => 1,
    }
}

/// Block comments nest.
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

/// Every path into the crate, seen from the module `file`.
fn references(tokens: &[Token<'_>], file: &[String]) -> Vec<Reference> {
    let mut found = Vec::new();
    // Inline modules we are in: name and the brace depth of their body.
    let mut inline: Vec<(&str, usize)> = Vec::new();
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        let word = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.text);
        let continues_path = at > 0 && tokens[at - 1].text == "::";
        match token.text {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inline.retain(|&(_, body)| body <= depth);
            }
            "mod" if word(1) == "prelude" => {
                found.push(Reference { line: token.line, target: Target::Prelude });
            }
            "mod" if word(2) == "{" => inline.push((word(1), depth + 1)),
            "crate" if word(1) == "::" => enter(tokens, at + 2, &mut found),
            "super" if !continues_path => {
                let mut base: Vec<&str> = file.iter().map(String::as_str).collect();
                base.extend(inline.iter().map(|&(name, _)| name));
                let supers = (0..).take_while(|step| word(step * 2) == "super" && word(step * 2 + 1) == "::");
                let count = supers.count();
                base.truncate(base.len().saturating_sub(count));
                if base.is_empty() && count > 0 {
                    enter(tokens, at + 2 * count, &mut found);
                }
            }
            _ => {}
        }
    }
    found
}

/// Notes what a path (or each path of a group) names right below the root.
fn enter(tokens: &[Token<'_>], at: usize, found: &mut Vec<Reference>) {
    let Some(first) = tokens.get(at) else { return };
    if first.text != "{" {
        found.push(named(first));
        return;
    }
    let mut depth = 0;
    let mut starts = true;
    for token in &tokens[at..] {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," => starts = depth == 1,
            _ if starts && depth == 1 => {
                found.push(named(token));
                starts = false;
            }
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

fn named(token: &Token<'_>) -> Reference {
    let target = match token.text {
        "*" => Target::Glob,
        "prelude" => Target::Prelude,
        name => Target::Module(name.to_owned()),
    };
    Reference { line: token.line, target }
}
