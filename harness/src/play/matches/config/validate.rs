//! Rules that combine several fields of a match: engines, pairings and length.

use std::num::NonZeroUsize;

use serde_yaml::Mapping;

use super::match_config::RunKind;
use super::tune::TuneConfig;
use crate::config::engine::{RawEngine, merge_options};
use crate::config::limits::Limits;
use crate::config::{EngineConfig, FieldPath, Problem, Source, Variant};
use crate::play::pairings::Pairings;
use crate::play::sprt::SprtConfig;

pub(super) fn validate_engines(
    kind: RunKind,
    raw: Vec<RawEngine>,
    options: &Mapping,
    source: &Source,
    shared: Limits,
) -> Result<Vec<EngineConfig>, Problem> {
    let path = FieldPath::root().key("engines");
    if let Some(what) = kind.single_engine().filter(|_| raw.len() != 1) {
        let message = format!("expected one engine {what}, found {}", raw.len());
        return Err(Problem::new(path, message));
    }
    if kind.single_engine().is_none() && raw.len() < 2 {
        return Err(Problem::new(path, format!("expected two engines or more, found {}", raw.len())));
    }
    let mut engines: Vec<EngineConfig> = Vec::with_capacity(raw.len());
    for (index, engine) in raw.into_iter().enumerate() {
        let here = path.index(index);
        let options = merge_options(options, engine.options);
        let engine = RawEngine { options, ..engine }.validate(&here, source.names(), shared)?;
        if engine.limits.is_empty() {
            return Err(Problem::new(
                here,
                "no limit: expected time_control, nodes, depth or movetime, here or above",
            ));
        }
        if engines.iter().any(|other| other.name == engine.name) {
            return Err(Problem::new(
                here.key("name"),
                format!("`{}` is taken: names must differ", engine.name),
            ));
        }
        engines.push(engine);
    }
    if let [engine] = &engines[..] {
        let shifted = |sign| EngineConfig { name: format!("{} {sign}", engine.name), ..engine.clone() };
        engines = vec![shifted('+'), shifted('-')];
    }
    Ok(engines)
}

/// Returns the pairings of the engines. A test has two engines.
pub(super) fn validate_pairings(
    kind: RunKind,
    engines: usize,
    gauntlet: Option<NonZeroUsize>,
    neighbours: Option<NonZeroUsize>,
) -> Result<Pairings, Problem> {
    let refuse = |key: &str, message: String| Err(Problem::new(FieldPath::root().key(key), message));
    if kind == RunKind::Sprt && engines != 2 {
        return refuse(
            "engines",
            format!("a test is between two engines, found {engines}; `harness match` plays more"),
        );
    }
    match (gauntlet.map(NonZeroUsize::get), neighbours.map(NonZeroUsize::get)) {
        (None, None) => Ok(Pairings::round_robin(engines)),
        (None, Some(places)) => Ok(Pairings::neighbours(engines, places)),
        (Some(challengers), None) if challengers < engines => Ok(Pairings::gauntlet(engines, challengers)),
        (Some(challengers), None) => refuse(
            "gauntlet",
            format!("{challengers}: expected fewer challengers than the {engines} engines"),
        ),
        (Some(_), Some(_)) => refuse("neighbours", "a gauntlet and neighbours exclude each other".to_owned()),
    }
}

/// Returns the maximum number of games of the run; `None` is unlimited.
pub(super) fn validate_length(
    kind: RunKind,
    sprt: Option<SprtConfig>,
    tune: Option<&TuneConfig>,
    games: Option<u64>,
) -> Result<Option<u64>, Problem> {
    let root = FieldPath::root();
    let refuse = |key: &str, message: String| Err(Problem::new(root.key(key), message));
    let (path, length) = match (kind, sprt) {
        (RunKind::Sprt, None) => return refuse("sprt", "missing: a test needs bounds".to_owned()),
        (RunKind::Sprt, Some(_)) if games.is_some() => {
            return refuse("games", "a test has no fixed length; use sprt.max_games".to_owned());
        }
        (RunKind::Sprt, Some(sprt)) => (root.key("sprt").key("max_games"), sprt.max_games),
        (RunKind::Match | RunKind::Screen, _) if games.is_none() => {
            return refuse("games", format!("missing: a {} needs a number of games", kind.noun()));
        }
        (RunKind::Match | RunKind::Screen, _) => (root.key("games"), games),
        (RunKind::Tune, _) if games.is_some() => {
            return refuse(
                "games",
                "a tuning has tune.iterations of tune.pairs, no number of games".to_owned(),
            );
        }
        (RunKind::Tune, _) => {
            if let Some(most) = sprt.and_then(|sprt| sprt.max_games) {
                validate_games(root.key("sprt").key("max_games"), most)?;
            }
            let missing = || Problem::new(root.key("tune"), "missing: expected the parameters to tune");
            return Ok(Some(tune.ok_or_else(missing)?.all_pairs().saturating_mul(2)));
        }
    };
    length.map(|games| validate_games(path, games)).transpose()
}

/// Rejects a section `sprt` in a run of fixed length.
pub(super) fn check_test(kind: RunKind, has_test: bool) -> Result<(), Problem> {
    if has_test && matches!(kind, RunKind::Match | RunKind::Screen) {
        let message = format!("a {} has a fixed length and tests nothing; use `harness sprt`", kind.noun());
        return Err(Problem::new(FieldPath::root().key("sprt"), message));
    }
    Ok(())
}

/// Rejects a value of `UCI_Chess960` that contradicts the variant of the games.
pub(super) fn check_chess960(
    engines: &[EngineConfig],
    variant: Variant,
    parent: &FieldPath,
) -> Result<(), Problem> {
    let wanted = (variant == Variant::Chess960).to_string();
    for (index, engine) in engines.iter().enumerate() {
        let given = engine.options.iter().find(|option| option.name.eq_ignore_ascii_case("UCI_Chess960"));
        let value = given.and_then(|option| option.value.as_deref());
        if let Some(value) = value.filter(|value| !value.eq_ignore_ascii_case(&wanted)) {
            let path = parent.key("engines").index(index).key("options").key("UCI_Chess960");
            let other = if variant == Variant::Chess960 { "standard" } else { "chess960" };
            let message = format!("{value} contradicts the variant: omit it, or set `variant: {other}`");
            return Err(Problem::new(path, message));
        }
    }
    Ok(())
}

/// Rejects a number of games that is odd or zero.
pub(crate) fn validate_games(path: FieldPath, games: u64) -> Result<u64, Problem> {
    if games == 0 || games % 2 == 1 {
        let message = format!("{games}: expected an even number above 0, games come in pairs");
        return Err(Problem::new(path, message));
    }
    Ok(games)
}
