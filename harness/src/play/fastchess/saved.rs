//! The reader of a saved configuration, which it translates to a command line.

use serde_json::Value as Json;

use super::parser::import_command_line;
use super::table::{Kind, PGN_KEYS};
use super::yaml::{ImportError, Imported};
use crate::base::wording::parser_message;

/// Parses the `config.json` that fastchess saves. Its results are not imported.
pub fn import_saved(text: &str) -> Result<Imported, ImportError> {
    let json: Json =
        serde_json::from_str(text).map_err(|error| ImportError::json(parser_message(&error.to_string())))?;
    let engines = json["engines"].as_array().filter(|engines| !engines.is_empty());
    let engines = engines.ok_or_else(|| ImportError::json("it has no engines"))?;
    let mut line = Line(Vec::new());
    for engine in engines {
        line.option("-engine", saved_engine(engine));
    }
    line.sections(&json, RULES);
    let order = choice(&json["opening"]["order"], &["random", "sequential"]);
    let format = choice(&json["opening"]["format"], &["epd", "pgn"]);
    for (key, value) in [("order", order), ("format", format)] {
        let value = value.filter(|_| is_set(&json["opening"]));
        line.single("-openings", value.map(|value| format!("{key}={value}")));
    }
    add_tournament(&mut line, &json);
    add_outputs(&mut line, &json);
    let mut imported = import_command_line(&line.0)?;
    imported.notes.extend(missing_counterparts(&json));
    if json["stats"].as_object().is_some_and(|stats| !stats.is_empty()) {
        imported.notes.push("its results are totals only and are not imported".to_owned());
    }
    Ok(imported)
}

/// Sections of the file: the option, the section, and pairs of field and key.
type Sections = &'static [(&'static str, &'static str, &'static [(&'static str, &'static str)])];

/// The openings, and the rules that end a game or the match.
const RULES: Sections = &[
    ("-openings", "opening", &[("file", "file"), ("plies", "plies"), ("start", "start")]),
    ("-draw", "draw", &[("move_number", "movenumber"), ("move_count", "movecount"), ("score", "score")]),
    ("-resign", "resign", &[("move_count", "movecount"), ("score", "score"), ("twosided", "twosided")]),
    (
        "-sprt",
        "sprt",
        &[("elo0", "elo0"), ("elo1", "elo1"), ("alpha", "alpha"), ("beta", "beta"), ("model", "model")],
    ),
];

const OUTPUTS: Sections = &[
    ("-pgnout", "pgn", &[("file", "file"), ("append_file", "append")]),
    ("-epdout", "epd", &[("file", "file"), ("append_file", "append")]),
    ("-log", "log", &[("file", "file"), ("append_file", "append"), ("engine_coms", "engine")]),
];

/// The words of the command line.
struct Line(Vec<String>);

impl Line {
    /// Adds an option with parameters.
    fn option(&mut self, option: &str, params: Vec<String>) {
        self.0.push(option.to_owned());
        self.0.extend(params);
    }

    /// Adds an option without parameters if the value is true.
    fn flag(&mut self, option: &str, value: &Json) {
        if value.as_bool() == Some(true) {
            self.option(option, Vec::new());
        }
    }

    /// Adds an option with one value, if there is one.
    fn single(&mut self, option: &str, value: Option<String>) {
        if let Some(value) = value {
            self.option(option, vec![value]);
        }
    }

    /// Adds the sections that are enabled or have a file, each with those keys that have a value.
    fn sections(&mut self, json: &Json, sections: Sections) {
        for (option, section, keys) in sections.iter().filter(|(_, section, _)| is_set(&json[section])) {
            let text = |field: &str| scalar(&json[section][field]).filter(|text| !text.is_empty());
            let given = keys.iter().filter_map(|(field, key)| Some(format!("{key}={}", text(field)?)));
            let given: Vec<String> = given.collect();
            if !given.is_empty() {
                self.option(option, given);
            }
        }
    }
}

/// Whether a section of the file is enabled, or has a file.
fn is_set(section: &Json) -> bool {
    let has_file = section["file"].as_str().is_some_and(|file| !file.is_empty());
    has_file || section["enabled"].as_bool() == Some(true)
}

/// Adds further rules, and format, length and execution of the tournament.
fn add_tournament(line: &mut Line, json: &Json) {
    if is_set(&json["maxmoves"]) {
        line.single("-maxmoves", scalar(&json["maxmoves"]["move_count"]));
    }
    let tables = &json["tb_adjudication"];
    if is_set(tables) {
        line.single("-tb", scalar(&tables["syzygy_dirs"]));
        line.single("-tbpieces", scalar(&tables["max_pieces"]));
        line.flag("-tbignore50", &tables["ignore_50_move_rule"]);
    }
    for (option, key) in
        [("-rounds", "rounds"), ("-games", "games"), ("-concurrency", "concurrency"), ("-srand", "seed")]
    {
        line.single(option, scalar(&json[key]));
    }
    if choice(&json["type"], &["roundrobin", "gauntlet"]) == Some("gauntlet") {
        line.single("-tournament", Some("gauntlet".to_owned()));
        line.single("-seeds", scalar(&json["gauntlet_seeds"]));
    }
    if choice(&json["variant"], &["standard", "frc", "fischerandom"]).is_some_and(|name| name != "standard") {
        line.single("-variant", Some("fischerandom".to_owned()));
    }
    for (option, key) in [
        ("-noswap", "noswap"),
        ("-use-affinity", "affinity"),
        ("-recover", "recover"),
        ("-reverse", "reverse"),
        ("-check-mate-pvs", "check_mate_pvs"),
    ] {
        line.flag(option, &json[key]);
    }
}

/// Adds the files and the output that scripts parse.
fn add_outputs(line: &mut Line, json: &Json) {
    let (pgn_file, others) = OUTPUTS.split_at(1);
    line.sections(json, pgn_file);
    let pgn = &json["pgn"];
    let is_tracked = |name: &str| pgn[format!("track_{name}")].as_bool() == Some(true);
    let details = PGN_KEYS.iter().filter(|entry| matches!(entry.kind, Kind::Detail));
    let tracked = details.map(|entry| entry.name).filter(|name| is_tracked(name));
    let tracked: Vec<String> = tracked.map(|name| format!("{name}=true")).collect();
    if is_set(pgn) && !tracked.is_empty() {
        line.option("-pgnout", tracked);
    }
    line.sections(json, others);
    // The file does not tell whether the default, the format of fastchess, was asked for.
    if choice(&json["output"], &["fastchess", "cutechess"]) == Some("cutechess") {
        line.single("-output", Some("format=cutechess".to_owned()));
    }
    line.single("-ratinginterval", scalar(&json["ratinginterval"]));
}

/// Returns notes on saved settings that have no counterpart and differ from the default.
fn missing_counterparts(json: &Json) -> Vec<String> {
    let pgn = &json["pgn"];
    let is_true = |value: &Json| value.as_bool() == Some(true);
    let is_text_but =
        |value: &Json, default: &str| value.as_str().is_some_and(|text| !text.is_empty() && text != default);
    let restarts = json["engines"].as_array().into_iter().flatten().any(|engine| is_true(&engine["restart"]));
    let settings = [
        ("pgn.event_name", is_text_but(&pgn["event_name"], "Fastchess Tournament")),
        ("pgn.site", is_text_but(&pgn["site"], "?")),
        ("pgn.notation", choice(&pgn["notation"], &["san", "lan", "uci"]).is_some_and(|name| name != "san")),
        ("pgn.min", is_true(&pgn["min"])),
        ("pgn.crc", is_true(&pgn["crc"])),
        ("pgn.additional_lines_rgx", pgn["additional_lines_rgx"].as_array().is_some_and(|it| !it.is_empty())),
        ("wait", json["wait"].as_u64().is_some_and(|ms| ms > 0)),
        ("report_penta", json["report_penta"].as_bool() == Some(false)),
        ("engines.restart", restarts),
    ];
    let missing = settings.into_iter().filter(|(_, is_set)| *is_set);
    missing.map(|(name, _)| format!("saved `{name}` is not imported")).collect()
}

/// Returns the name that a field has by its text or, as fastchess writes it, by its number.
fn choice(value: &Json, names: &[&'static str]) -> Option<&'static str> {
    let text = scalar(value)?.to_lowercase();
    let number = text.parse::<usize>().ok();
    let mut names = names.iter().enumerate();
    names.find(|(index, name)| number == Some(*index) || **name == text).map(|(_, name)| *name)
}

/// Returns the parameters of `-engine` for a saved engine.
fn saved_engine(engine: &Json) -> Vec<String> {
    let limit = &engine["limit"];
    let mut words: Vec<String> = ["name", "cmd", "dir", "args"]
        .into_iter()
        .filter_map(|key| Some(format!("{key}={}", scalar(&engine[key]).filter(|text| !text.is_empty())?)))
        .collect();
    let ms = |key: &str| limit["tc"][key].as_f64().filter(|&time| time > 0.0).map(|time| time / 1000.0);
    if let Some(time) = ms("time").or_else(|| ms("increment").map(|_| 0.0)) {
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
