//! Checks of the handshake: names and options.

use std::collections::HashSet;

use super::support::{Outcome, bad, good, note};
use crate::uci::{Engine, OptionDecl, OptionKind};

pub(super) fn introduction(engine: &mut Engine) -> Outcome {
    match (engine.id_name.is_empty(), engine.has_author) {
        (false, true) => good(engine.id_name.clone()),
        (true, _) => bad("sends no `id name` line between `uci` and `uciok`"),
        (false, false) => bad("sends no `id author` line between `uci` and `uciok`"),
    }
}

pub(super) fn options(engine: &mut Engine) -> Outcome {
    if let Some(line) = &engine.unread_option {
        return bad(format!("`{line}`: expected `option name NAME type check|spin|combo|button|string ...`"));
    }
    if engine.dropped_options > 0 {
        let kept = engine.options.len();
        return bad(format!("declares {} options; only {kept} are kept", kept + engine.dropped_options));
    }
    let mut seen = HashSet::new();
    if let Some(twice) = engine.options.iter().find(|option| !seen.insert(option.name.to_ascii_lowercase())) {
        return bad(format!("declares `{}` twice (names do not differ by case)", twice.name));
    }
    for option in &engine.options {
        if let Some(flaw) = option.flaw() {
            return bad(format!("`{}`: {flaw}", option.name));
        }
    }
    let is_odd = |option: &&OptionDecl| {
        let default = option.default.as_deref().unwrap_or_default();
        matches!(option.kind, OptionKind::Check { .. }) && !["true", "false"].contains(&default)
    };
    if let Some(option) = engine.options.iter().find(is_odd) {
        return note(format!(
            "{}; UCI writes `true` and `false`, and other programs may take the option for off",
            option.default_text()
        ));
    }
    let lacks: Vec<&str> =
        ["Hash", "Threads"].into_iter().filter(|name| !seen.contains(&name.to_ascii_lowercase())).collect();
    if lacks.is_empty() {
        good(format!("{} declared, Hash and Threads among them", seen.len()))
    } else {
        note(format!("{} declared, but not {}: testing frameworks ask for it", seen.len(), lacks.join(", ")))
    }
}
