//! Checks of the handshake: names and options.

use std::collections::HashSet;

use super::support::{Outcome, bad, good, note};
use crate::uci::Engine;

pub(super) fn introduction(engine: &mut Engine) -> Outcome {
    let has_author = engine.hello.iter().any(|line| line.starts_with("id author "));
    match (engine.id_name.is_empty(), has_author) {
        (false, true) => good(engine.id_name.clone()),
        (true, _) => bad("sends no `id name` line between `uci` and `uciok`"),
        (false, false) => bad("sends no `id author` line between `uci` and `uciok`"),
    }
}

pub(super) fn options(engine: &mut Engine) -> Outcome {
    let lines: Vec<&String> = engine.hello.iter().filter(|line| line.starts_with("option ")).collect();
    if lines.len() != engine.options.len() {
        let bad_line = lines.iter().find(|line| crate::uci::OptionDecl::parse(line).is_none());
        let line = bad_line.map_or("", |line| line.as_str());
        return bad(format!("`{line}`: expected `option name NAME type check|spin|combo|button|string ...`"));
    }
    let mut seen = HashSet::new();
    if let Some(twice) = engine.options.iter().find(|option| !seen.insert(option.name.to_ascii_lowercase())) {
        return bad(format!("declares `{}` twice (names do not differ by case)", twice.name));
    }
    let spin =
        |line: &&&String| line.contains(" type spin ") && !(line.contains(" min ") && line.contains(" max "));
    if let Some(line) = lines.iter().find(spin) {
        return bad(format!("`{line}`: a spin option has min and max"));
    }
    let lacks: Vec<&str> =
        ["Hash", "Threads"].into_iter().filter(|name| !seen.contains(&name.to_ascii_lowercase())).collect();
    if lacks.is_empty() {
        good(format!("{} declared, Hash and Threads among them", seen.len()))
    } else {
        note(format!("{} declared, but not {}: testing frameworks ask for it", seen.len(), lacks.join(", ")))
    }
}
