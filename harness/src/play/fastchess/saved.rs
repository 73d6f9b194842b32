//! The reader of a saved configuration, which it translates to a command line.

use serde_json::Value as Json;

use super::error::ImportError;
use super::parser::import_command_line;
use super::table::PGN_FIELDS;
use super::yaml::Imported;
use crate::base::wording::parser_message;

/// Parses the `config.json` that fastchess saves. Its results are not imported.
pub fn import_saved(text: &str) -> Result<Imported, ImportError> {
    let json: Json =
        serde_json::from_str(text).map_err(|error| ImportError::Json(parser_message(&error.to_string())))?;
    let mut words: Vec<String> = Vec::new();
    let engines = json["engines"].as_array().filter(|engines| !engines.is_empty());
    let engines = engines.ok_or_else(|| ImportError::Json("it has no engines".to_owned()))?;
    for engine in engines {
        words.push("-engine".to_owned());
        words.extend(saved_engine(engine));
    }
    let mut section = |option: &str, value: &Json, keys: &[(&str, &str)]| {
        let given: Vec<String> = keys
            .iter()
            .filter_map(|(field, key)| Some(format!("{key}={}", scalar(&value[*field])?)))
            .collect();
        if !given.is_empty() {
            words.push(option.to_owned());
            words.extend(given);
        }
    };
    let is_enabled = |value: &Json| value["enabled"].as_bool() == Some(true);
    let opening = &json["opening"];
    let keys = [("file", "file"), ("plies", "plies"), ("start", "start")];
    section("-openings", opening, &keys);
    if is_enabled(&json["draw"]) {
        let keys = [("move_number", "movenumber"), ("move_count", "movecount"), ("score", "score")];
        section("-draw", &json["draw"], &keys);
    }
    if is_enabled(&json["resign"]) {
        let keys = [("move_count", "movecount"), ("score", "score"), ("twosided", "twosided")];
        section("-resign", &json["resign"], &keys);
    }
    if is_enabled(&json["sprt"]) {
        let keys =
            [("elo0", "elo0"), ("elo1", "elo1"), ("alpha", "alpha"), ("beta", "beta"), ("model", "model")];
        section("-sprt", &json["sprt"], &keys);
    }
    let mut single = |option: &str, value: Option<String>| {
        if let Some(value) = value {
            words.extend([option.to_owned(), value]);
        }
    };
    if is_enabled(&json["maxmoves"]) {
        single("-maxmoves", scalar(&json["maxmoves"]["move_count"]));
    }
    if is_enabled(&json["tb_adjudication"]) {
        single("-tb", scalar(&json["tb_adjudication"]["syzygy_dirs"]));
    }
    for (option, key) in
        [("-rounds", "rounds"), ("-games", "games"), ("-concurrency", "concurrency"), ("-srand", "seed")]
    {
        single(option, scalar(&json[key]));
    }
    let lower = |value: &Json| scalar(value).map(|text| text.to_lowercase());
    if let Some(order) = lower(&opening["order"]).filter(|order| order == "sequential" || order == "random") {
        words.extend(["-openings".to_owned(), format!("order={order}")]);
    }
    if lower(&json["type"]).is_some_and(|kind| kind.contains("gauntlet")) {
        words.extend(["-tournament", "gauntlet"].map(str::to_owned));
        words.extend(
            scalar(&json["gauntlet_seeds"]).into_iter().flat_map(|seeds| ["-seeds".to_owned(), seeds]),
        );
    }
    if lower(&json["variant"]).is_some_and(|variant| variant.contains("fr") || variant.contains("fischer")) {
        words.extend(["-variant", "fischerandom"].map(str::to_owned));
    }
    for (option, key) in [("-noswap", "noswap"), ("-use-affinity", "affinity"), ("-recover", "recover")] {
        if json[key].as_bool() == Some(true) {
            words.push(option.to_owned());
        }
    }
    let is_tracked = |name: &str| json["pgn"][format!("track_{name}")].as_bool() == Some(true);
    let tracked: Vec<&str> =
        PGN_FIELDS.iter().map(|(name, _)| *name).filter(|name| is_tracked(name)).collect();
    let pgn_file = scalar(&json["pgn"]["file"]).filter(|file| !file.is_empty());
    if !tracked.is_empty() || pgn_file.is_some() {
        words.push("-pgnout".to_owned());
        words.extend(pgn_file.map(|file| format!("file={file}")));
        words.extend(tracked.into_iter().map(|name| format!("{name}=true")));
    }
    let mut imported = import_command_line(&words)?;
    if json["stats"].as_object().is_some_and(|stats| !stats.is_empty()) {
        imported.notes.push("its results are totals only and are not imported".to_owned());
    }
    Ok(imported)
}

/// Returns the parameters of `-engine` for a saved engine.
fn saved_engine(engine: &Json) -> Vec<String> {
    let limit = &engine["limit"];
    let mut words: Vec<String> = ["name", "cmd", "dir", "args"]
        .into_iter()
        .filter_map(|key| Some(format!("{key}={}", scalar(&engine[key]).filter(|text| !text.is_empty())?)))
        .collect();
    let ms = |key: &str| limit["tc"][key].as_f64().filter(|&time| time > 0.0).map(|time| time / 1000.0);
    if let Some(time) = ms("time") {
        let moves = limit["tc"]["moves"].as_u64().filter(|&moves| moves > 0);
        let moves = moves.map_or_else(String::new, |moves| format!("{moves}/"));
        let increment = ms("increment").map_or_else(String::new, |increment| format!("+{increment}"));
        words.push(format!("tc={moves}{time}{increment}"));
    }
    words.extend(ms("fixed_time").map(|time| format!("st={time}")));
    words.extend(limit["tc"]["timemargin"].as_u64().map(|margin| format!("timemargin={margin}")));
    let above_zero = |key: &str| limit[key].as_u64().filter(|&value| value > 0);
    words.extend(above_zero("nodes").map(|nodes| format!("nodes={nodes}")));
    words.extend(above_zero("plies").map(|plies| format!("depth={plies}")));
    for option in engine["options"].as_array().into_iter().flatten() {
        words.extend(
            scalar(&option[0]).zip(scalar(&option[1])).map(|(name, value)| format!("option.{name}={value}")),
        );
    }
    words
}

/// Returns a string, number or truth value as text.
fn scalar(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}
