//! Tests of the import.

use std::fs;
use std::time::Duration;

use super::error::ImportError;
use super::table::{
    ADJUDICATION_KEYS, ENGINE_KEYS, LOG_KEYS, OPENINGS_KEYS, OPTIONS, OUTPUT_KEYS, SPRT_KEYS,
};
use super::yaml::Imported;
use super::*;
use crate::config::Source;
use crate::play::adjudication::TableResults;
use crate::play::matches::{ExecutionArgs, LoadedMatch, OutputFile, PgnField, RunKind};
use crate::play::openings::{Format as BookFormat, Order};
use crate::stats::llr::Model;

fn import(line: &str) -> Result<Imported, ImportError> {
    import_command_line(&split_words(line))
}

/// Returns the resulting configuration.
fn load(imported: &Imported) -> LoadedMatch {
    let dir = tempfile::tempdir().unwrap();
    for name in ["book.epd", "book.pgn"] {
        fs::write(dir.path().join(name), "").unwrap();
    }
    let source = Source::new(dir.path().join("imported.yaml"), imported.yaml.clone());
    let kind = if imported.is_test { RunKind::Sprt } else { RunKind::Match };
    LoadedMatch::load(&source, kind, ExecutionArgs::default())
        .unwrap_or_else(|error| panic!("{error}\n{}", imported.yaml))
}

#[test]
fn words_are_split_by_the_rules_of_a_shell() {
    assert_eq!(split_words("a  'b c' d=\"e f\"g \\\n h\\ i ''"), ["a", "b c", "d=e fg", "h i", ""]);
    assert_eq!(split_words("  "), [""; 0]);
}

#[test]
fn fastchess_test_is_imported() {
    let imported = import(
        "fastchess -engine cmd=sh name=new option.Hash=16 -engine cmd=sh name=old args='-c \"x y\"' tc=5+0.05 \
         -each tc=8+0.08 option.Threads=1 timemargin=20 -openings file=book.epd format=epd order=random start=11 \
         -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized -rounds 1000 -repeat -concurrency 2 -recover \
         -draw movenumber=40 movecount=8 score=10 -resign movecount=3 score=400 twosided=true -maxmoves 200 \
         -pgnout file=out.pgn -srand 42",
    )
    .unwrap();
    assert!(imported.is_test);
    assert_eq!(imported.notes, ["the seed shuffles the openings in another order here"]);
    let LoadedMatch { config, execution, .. } = load(&imported);
    let [new, old] = &config.engines[..] else { panic!("two engines") };
    assert_eq!((new.name.as_str(), new.limits.to_string().as_str()), ("new", "8+0.08"));
    assert_eq!(
        (old.args.as_slice(), old.limits.to_string().as_str()),
        (&["-c".to_owned(), "x y".to_owned()][..], "8+0.08")
    );
    assert_eq!(new.options.len(), 2);
    let sprt = config.sprt.unwrap();
    assert_eq!((sprt.elo1, sprt.max_games), (5.0, Some(2000)));
    assert_eq!((config.openings.start, config.openings.order, config.seed), (10, Order::Random, 42));
    let (win, draw) = (config.adjudication.win.unwrap(), config.adjudication.draw.unwrap());
    assert_eq!((win.score, win.moves.get(), win.two_sided), (400, 3, true));
    assert_eq!((draw.from_move, draw.moves.get(), draw.score), (40, 8, 10));
    assert_eq!((config.time_margin.as_millis(), execution.concurrency), (20, 2));
}

#[test]
fn tournaments_and_other_limits_are_imported() {
    let imported = import(
        "-engine cmd=sh name=a nodes=500 -engine cmd=sh name=b st=0.5 -engine cmd=sh name=c tc=40/1:00 depth=9 \
         -openings file=book.pgn plies=8 order=sequential -rounds 3 -games 1 -tournament gauntlet -variant fischerandom \
         -noswap -use-affinity -tb . -tbpieces 5 -tbadjudicate DRAW -recover",
    )
    .unwrap();
    assert!(!imported.is_test);
    assert_eq!(imported.notes, ["games come in pairs: one more is played"]);
    let LoadedMatch { config, .. } = load(&imported);
    let limits: Vec<String> = config.engines.iter().map(|engine| engine.limits.to_string()).collect();
    assert_eq!(limits, ["500 nodes", "500 ms per move", "40/60, depth 9"]);
    assert_eq!(config.openings.format, BookFormat::Pgn { plies: std::num::NonZero::new(8) });
    assert_eq!((config.games, config.repeat, config.swap), (Some(4), false, false));
    assert_eq!(config.pairings.count(), 2);
    let tables = config.tablebases.unwrap();
    assert_eq!((tables.pieces.map(std::num::NonZero::get), tables.results), (Some(5), TableResults::Drawn));
    assert_eq!(config.time_margin.as_millis(), 0);
}

#[test]
fn cutechess_options_are_imported() {
    let imported = import(
        "cutechess-cli -each tc=8+0.08 option.Hash=64 timemargin=50 -engine cmd=sh name=a arg=--lab 'arg=--foo x' ponder \
         initstr='one\\ntwo' initstr=three stderr=a.txt -engine cmd=sh name=b whitepov option.Hash=16 \
         -openings file=book.epd -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 -rounds 10 -pgnout games.pgn fi",
    )
    .unwrap();
    assert_eq!(
        imported.notes,
        [
            "whitepov: left out; scores are read from the side to move",
            "-pgnout fi: left out",
            "without -recover a crash ends the match there; here the run goes on: set max_faults to stop",
            "-sprt: the bounds are logistic Elo, as in cutechess-cli; those of fastchess are normalized",
        ]
    );
    let LoadedMatch { config, .. } = load(&imported);
    let [one, two] = &config.engines[..] else { panic!("two engines") };
    assert_eq!((one.args.as_slice(), one.ponder), (&["--lab".to_owned(), "--foo x".to_owned()][..], true));
    assert_eq!((one.init.join("|").as_str(), two.ponder), ("one|two|three", false));
    for engine in [one, two] {
        assert_eq!(engine.limits.to_string(), "8+0.08");
        assert_eq!(engine.options[0].value.as_deref(), Some("64"), "-each comes last, wherever it stands");
    }
    assert_eq!(config.time_margin.as_millis(), 50);
    assert_eq!(config.sprt.unwrap().model, Model::Logistic);
}

#[test]
fn the_model_of_a_test_is_that_of_the_tool() {
    let model = |before: &str, bounds: &str| {
        let line = format!(
            "{before} name=a cmd=sh nodes=9 -engine name=b cmd=sh nodes=9 -openings file=book.epd -sprt elo0=0 elo1=5 {bounds}"
        );
        load(&import(&line).unwrap()).config.sprt.unwrap().model
    };
    assert_eq!(model("fastchess -engine", ""), Model::Normalized);
    assert_eq!(model("-engine", ""), Model::Normalized);
    assert_eq!(model("/usr/bin/cutechess-cli -engine", ""), Model::Logistic);
    assert_eq!(model("-engine arg=x", ""), Model::Logistic);
    assert_eq!(model("-outcomeinterval 10 -engine", ""), Model::Logistic);
    assert_eq!(model("cutechess-cli -engine", "model=normalized"), Model::Normalized);
}

#[test]
fn pgnout_selects_the_details_of_pgn_comments() {
    let imported = import(
        "-engine cmd=sh name=a nodes=9 -engine cmd=sh name=b nodes=9 -openings file=book.epd -recover \
         -pgnout file=p.pgn nodes=true seldepth=true timeleft=true nps=false notation=san min=true append=false",
    )
    .unwrap();
    assert_eq!(load(&imported).config.pgn, [PgnField::Nodes, PgnField::Seldepth, PgnField::Clock]);
    assert_eq!(imported.notes, ["-pgnout min=true: left out"]);
}

#[test]
fn files_formats_and_time_limits_are_imported() {
    let engines =
        "-engine cmd=sh name=a nodes=9 -engine cmd=sh name=b nodes=9 -openings file=book.epd -recover";
    let imported = import(&format!(
        "{engines} -pgnout file=p.pgn append=false -epdout file=e.epd -log file=x.log level=trace engine=true \
         -output format=fastchess -ratinginterval 5 -scoreinterval 2 -startup-ms 1500 -ucinewgame-ms 2500 \
         -ping-ms 3500 -check-mate-pvs -strict -event E -config outname=c.json -autosaveinterval 0"
    ))
    .unwrap();
    assert_eq!(imported.notes, [""; 0]);
    let LoadedMatch { config, execution, output, .. } = load(&imported);
    let name = |file: &Option<OutputFile>| {
        let file = file.as_ref().unwrap();
        (file.path.file_name().unwrap().to_string_lossy().into_owned(), file.append)
    };
    assert_eq!(name(&output.pgn), ("p.pgn".to_owned(), false));
    assert_eq!(name(&output.epd), ("e.epd".to_owned(), true));
    assert_eq!((name(&output.log), output.logs_engines), (("x.log".to_owned(), true), true));
    assert_eq!(output.format, Some(Format::Fastchess));
    assert_eq!((output.rating_interval, output.score_interval), (5, 2));
    let seconds = |time: Duration| time.as_secs_f64();
    let watchdog = config.watchdog;
    assert_eq!([watchdog.uci, watchdog.ready, watchdog.new_game()].map(seconds), [1.5, 3.5, 2.5]);
    assert!(execution.check_mate_pvs && execution.strict_pv && execution.epd);
    let LoadedMatch { config, execution, output, .. } =
        load(&import(&format!("{engines} -ping-ms 900")).unwrap());
    assert!(!execution.check_mate_pvs && !execution.strict_pv);
    assert_eq!((output.format, output.pgn), (None, None));
    assert_eq!(config.watchdog.new_game(), Duration::from_secs(60), "its default is not the ping's");
    let error = import(&format!("{engines} -output format=pretty")).unwrap_err().to_string();
    assert!(error.contains("`pretty` after `-output`: expected fastchess or cutechess"), "{error}");
}

#[test]
fn unsupported_options_are_errors() {
    for (line, expected) in [
        ("-engine cmd=sh -frobnicate 3", "unknown option `-frobnicate`"),
        (
            "-engine cmd=sh -rounds 2 --out xx",
            "unknown option `--out`: options of the harness must precede --from-fastchess",
        ),
        ("-engine cmd=sh ponder=perhaps", "`perhaps` after `-engine`: expected true or false"),
        ("-engine cmd", "`cmd` after `-engine`: expected KEY=VALUE"),
        ("-engine cmd=sh colour=red", "`colour` after `-engine`: expected name, cmd"),
        ("-engine cmd=sh -each nodes=many", "`many` after `-each`: expected a whole number"),
        ("-engine cmd=sh tc=hg5", "an hourglass clock is not supported"),
        ("-sprt elo0=0 elo1=x", "`x` after `-sprt`: expected a number"),
        ("-sprt model=bayesian", "model=bayesian is not supported"),
        ("-engine cmd=sh name=a -engine cmd=sh name=b -rounds 5", "no openings: every game would begin"),
        ("-tournament swiss", "`swiss` after `-tournament`: expected roundrobin or gauntlet"),
    ] {
        let error = import(line).unwrap_err().to_string();
        assert!(error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn saved_configuration_is_imported() {
    let text = r#"{
        "resign": { "enabled": true, "move_count": 3, "score": 500, "twosided": false },
        "draw": { "enabled": false, "move_count": 1, "score": 0, "move_number": 0 },
        "maxmoves": { "enabled": true, "move_count": 150 },
        "opening": { "file": "book.epd", "format": "EPD", "order": "SEQUENTIAL", "plies": -1, "start": 1 },
        "sprt": { "enabled": false }, "rounds": 10, "games": 2, "concurrency": 2, "seed": 7,
        "type": "ROUNDROBIN", "variant": "STANDARD", "noswap": false, "recover": true,
        "pgn": { "file": "p.pgn", "track_nodes": true, "track_pv": false },
        "engines": [
            { "name": "a", "cmd": "sh", "args": "", "dir": "", "options": [["Hash", "16"]],
              "limit": { "tc": { "time": 8000, "increment": 80, "moves": 0, "fixed_time": 0, "timemargin": 5 }, "nodes": 0, "plies": 0 } },
            { "name": "b", "cmd": "sh", "args": "x", "dir": "", "options": [],
              "limit": { "tc": { "time": 0, "increment": 0, "moves": 0, "fixed_time": 250 }, "nodes": 0, "plies": 6 } }
        ],
        "stats": { "a vs b": { "wins": 1 } }
    }"#;
    let imported = import_saved(text).unwrap();
    assert!(imported.notes.iter().any(|note| note.contains("totals only")), "{:?}", imported.notes);
    assert!(imported.notes.iter().all(|note| !note.contains("-recover")), "{:?}", imported.notes);
    let LoadedMatch { config, .. } = load(&imported);
    assert_eq!(config.pgn, [PgnField::Nodes]);
    let limits: Vec<String> = config.engines.iter().map(|engine| engine.limits.to_string()).collect();
    assert_eq!(limits, ["8+0.08", "depth 6, 250 ms per move"]);
    assert_eq!((config.games, config.openings.order), (Some(20), Order::Sequential));
    assert_eq!(config.adjudication.max_moves.map(std::num::NonZero::get), Some(150));
    assert!(config.adjudication.draw.is_none() && config.adjudication.win.is_some());
    for text in ["", "[]", "{}", "{\"engines\": []}"] {
        assert!(matches!(import_saved(text), Err(ImportError::Json(_))), "{text}");
    }
}

#[test]
fn names_in_the_tables_are_unique() {
    for table in [OPTIONS, ENGINE_KEYS, OPENINGS_KEYS, SPRT_KEYS, ADJUDICATION_KEYS, LOG_KEYS, OUTPUT_KEYS] {
        for (index, entry) in table.iter().enumerate() {
            assert!(table[..index].iter().all(|other| other.name != entry.name), "{}", entry.name);
        }
    }
}
