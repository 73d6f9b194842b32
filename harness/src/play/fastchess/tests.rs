//! Tests of the import.

use std::fs;
use std::time::Duration;

use super::table::{ENGINE_KEYS, EPD_KEYS, Kind, OPTIONS};
use super::yaml::{ImportError, Imported};
use super::*;
use crate::config::{Source, Variant};
use crate::play::adjudication::TableResults;
use crate::play::block::score::Score;
use crate::play::matches::{ExecutionArgs, LoadedMatch, PgnField, RunKind};
use crate::play::openings::{Format as BookFormat, Order};
use crate::play::pairings::Pairings;
use crate::play::record::{GameRecord, GameResult, PvError, Side, Termination, WrongPv, sample_game};
use crate::play::verdict::Tracker;
use stretto_stats::bounds::{Bounds, Corrections, Sprt, Verdict};
use stretto_stats::counts::Pentanomial;
use stretto_stats::llr::Model;
use stretto_stats::summary::SprtState;
use stretto_stats::units::Llr;

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
    assert_eq!(
        split_words(r#"a="--x \"p q\"" "C:\a\\b" 'c\"d' e\"f"#),
        ["a=--x \"p q\"", "C:\\a\\b", "c\\\"d", "e\"f"],
        "within double quotes a backslash escapes quotes and backslashes only"
    );
}

#[test]
fn arguments_keep_backslashes_except_before_quotes() {
    let args = |text: &str| {
        let line = format!("-engine cmd=sh nodes=9 args={text}");
        let words: Vec<String> = line.splitn(4, ' ').map(str::to_owned).collect();
        let engines: serde_yaml::Value =
            serde_yaml::from_str(&import_command_line(&words).unwrap().yaml).unwrap();
        let list = engines["engines"][0]["args"].as_sequence().unwrap();
        list.iter().map(|word| word.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(args(r"--evalfile C:\nets\x.nnue"), ["--evalfile", r"C:\nets\x.nnue"]);
    assert_eq!(args(r#""C:\my nets\x" \\host\n"#), [r"C:\my nets\x", r"\\host\n"]);
    assert_eq!(args(r#"--x "p \"q\" r" \'s"#), ["--x", "p \"q\" r", "'s"]);
}

#[test]
fn defaults_of_fastchess_are_kept() {
    let line = "-engine cmd=sh name=a -engine cmd=sh name=b -each tc=1+0.01 -recover -reverse \
                -openings file=book.epd plies=16";
    let imported = import(line).unwrap();
    assert_eq!(
        imported.notes,
        [
            "-reverse: left out, because the engines swap colours",
            "-openings plies: left out, because positions have no moves"
        ]
    );
    let LoadedMatch { config, execution, .. } = load(&imported);
    assert_eq!((execution.concurrency, config.openings.order), (1, Order::Sequential));
    let error = import(&format!("cutechess-cli {line}")).unwrap_err().to_string();
    assert_eq!(error, "a command line of cutechess-cli is not supported");
    let seeded = |order: &str| import(&format!("{line} -srand 3 {order}")).unwrap().notes.join("\n");
    let note = "the seed shuffles the openings in another order here";
    assert!(!seeded("").contains(note), "nothing is shuffled");
    assert!(seeded("-openings file=book.epd order=random").contains(note));
    for option in ["-j", "--quiet"] {
        let error = import(&format!("{line} {option} 1")).unwrap_err().to_string();
        let expected =
            format!("unknown option `{option}`: options of the harness must precede --from-fastchess");
        assert_eq!(error, expected);
    }
}

#[test]
fn engines_without_names_have_those_of_their_files_and_equal_names_are_numbered() {
    let names = |engines: [&str; 3]| {
        let line: Vec<String> = engines.iter().map(|keys| format!("-engine {keys} nodes=9")).collect();
        let root: serde_yaml::Value = serde_yaml::from_str(&import(&line.join(" ")).unwrap().yaml).unwrap();
        let engines = root["engines"].as_sequence().unwrap();
        engines.iter().map(|engine| engine["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(["cmd=new/engine.exe", "cmd=./engine", "cmd=sh"]), ["engine", "engine_2", "sh"]);
    assert_eq!(names(["cmd=a name=x", "cmd=x", "cmd=b name=x"]), ["x", "x_2", "x_3"]);
}

#[test]
fn clock_of_a_base_of_zero_is_kept() {
    let engine = |name: &str| {
        format!(
            r#"{{"name": "{name}", "cmd": "sh", "limit": {{"tc": {{"increment": 100, "fixed_time": 0, "time": 0, "moves": 0}}, "nodes": 5000}}}}"#
        )
    };
    let text = format!(r#"{{"engines": [{}, {}], "recover": true}}"#, engine("a"), engine("b"));
    let limits = |imported: &Imported| load(imported).config.engines[0].limits.to_string();
    assert_eq!(limits(&import_saved(&text).unwrap()), "0+0.1, 5000 nodes");
    let line = "-engine cmd=sh name=a -engine cmd=sh name=b -each tc=0+0.1 -recover";
    assert_eq!(limits(&import(line).unwrap()), "0+0.1");
}

#[test]
fn values_without_a_field_replace_earlier_ones() {
    let line = "-engine cmd=sh name=a tc=8s+0.08s -engine cmd=sh name=b tc=1+0.01 -recover -maxmoves 100 -maxmoves 0 \
                -openings file=book.pgn plies=8 plies=-1";
    let imported = import(&format!("{line} -each tc=inf st=0.1s")).unwrap();
    assert!(!imported.yaml.contains("max_moves") && !imported.yaml.contains("plies"), "{}", imported.yaml);
    assert_eq!(load(&imported).config.engines[0].limits.to_string(), "100 ms per move");
    assert_eq!(load(&import(line).unwrap()).config.engines[0].limits.to_string(), "8+0.08");
}

#[test]
fn margin_of_one_engine_has_a_note_that_it_applies_to_all() {
    let imported = |first: &str, second: &str| {
        import(&format!("-engine cmd=a nodes=9 {first} -engine cmd=b nodes=9 {second} -recover")).unwrap()
    };
    let note = "timemargin: the largest applies to all engines".to_owned();
    for (first, second, is_noted) in [
        ("", "", false),
        ("timemargin=50", "", true),
        ("", "timemargin=50", true),
        ("timemargin=50", "timemargin=50", false),
        ("timemargin=0", "", false),
    ] {
        let notes = imported(first, second).notes;
        assert_eq!(notes.contains(&note), is_noted, "{first}, {second}: {notes:?}");
    }
    assert!(imported("", "timemargin=50").yaml.contains("time_margin: 51"));
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
    assert!(draw.irreversible_restarts, "as in fastchess");
    assert_eq!((config.time_margin.as_millis(), execution.concurrency), (21, 2));
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
    assert_eq!(config.time_margin.as_millis(), 1);
}

#[test]
fn seeds_of_a_gauntlet_play_each_other_and_all_later_engines() {
    let pairings = |seeds: u64| {
        let engines: String =
            ["a", "b", "c", "d"].map(|name| format!("-engine cmd=sh name={name} ")).concat();
        let line = format!("{engines} -each nodes=5 -recover -tournament gauntlet -seeds {seeds}");
        load(&import(&line).unwrap()).config.pairings.count()
    };
    // seeds * engines - seeds * (seeds + 1) / 2
    assert_eq!([1, 2, 3, 9].map(pairings), [3, 5, 6, 6]);
}

#[test]
fn each_applies_last_wherever_it_stands() {
    let imported = import(
        "-each tc=8+0.08 option.Hash=64 timemargin=50 -engine cmd=sh name=a -engine cmd=sh name=b option.Hash=16 \
         -openings file=book.epd -sprt elo0=0 elo1=5 -recover",
    )
    .unwrap();
    assert_eq!(imported.notes, [""; 0]);
    let LoadedMatch { config, .. } = load(&imported);
    for engine in &config.engines {
        assert_eq!(engine.limits.to_string(), "8+0.08");
        assert_eq!(engine.options[0].value.as_deref(), Some("64"));
    }
    assert_eq!(config.time_margin.as_millis(), 51);
    assert_eq!(config.sprt.unwrap().model, Model::Normalized);
}

#[test]
fn length_is_that_of_fastchess_in_any_order_of_options() {
    for (options, expected) in [
        ("", (4, true)),
        ("-games 20", (40, true)),
        ("-rounds 20", (40, true)),
        ("-rounds 20 -repeat", (40, true)),
        ("-games 1 -rounds 20 -repeat", (40, true)),
        ("-repeat -games 1 -rounds 20", (20, false)),
        ("-rounds 20 -sprt elo0=0 elo1=5", (40, true)),
        ("-rounds 1 -games 20", (20, false)),
        ("-games 20 -rounds 2", (40, true)),
        ("-rounds 1 -repeat 20 -sprt elo0=0 elo1=5", (20, false)),
        ("-games 4 -sprt elo0=0 elo1=5", (8, true)),
    ] {
        let engines = "-engine name=a cmd=sh nodes=9 -engine name=b cmd=sh nodes=9 -openings file=book.epd";
        let config = load(&import(&format!("fastchess {options} {engines}")).unwrap()).config;
        let games = config.sprt.map_or(config.games, |sprt| sprt.max_games).unwrap();
        assert_eq!(
            (games, config.repeat),
            expected,
            "{options}: the last of -games and -repeat counts, and more than two are rounds"
        );
    }
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
        "{engines} -pgnout file=p.pgn append=false -epdout file=e.epd -log file=x.log level=trace engine=true compress=true \
         -output format=fastchess -ratinginterval 5 -scoreinterval 2 -startup-ms 1500 -ucinewgame-ms 2500 \
         -ping-ms 3500 -check-mate-pvs -strict -event E -config outname=c.json -autosaveinterval 0"
    ))
    .unwrap();
    let outname = "-config outname=c.json: left out, because the run folder keeps the configuration";
    assert_eq!(imported.notes, ["-log compress=true: left out", "-event: left out", outname]);
    let LoadedMatch { config, execution, output, .. } = load(&imported);
    let name = |path: &std::path::Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let files: Vec<_> = output.files().map(|(key, path, append)| (key, name(path), append)).collect();
    let expected = [("pgn", "p.pgn", false), ("epd", "e.epd", true), ("log", "x.log", true)];
    assert_eq!(files, expected.map(|(key, name, append)| (key, name.to_owned(), append)));
    assert!(output.log.as_ref().unwrap().engines);
    assert_eq!(output.format, Some(Format::Fastchess));
    assert_eq!(output.rating_interval, 5);
    let watchdog = config.watchdog;
    assert_eq!(
        [watchdog.uci, watchdog.ready, watchdog.new_game()],
        [1500, 3500, 2500].map(Duration::from_millis)
    );
    assert!(execution.check_mate_pvs && execution.strict_pv);
    let LoadedMatch { config, execution, output, .. } =
        load(&import(&format!("{engines} -ping-ms 900")).unwrap());
    assert!(!execution.check_mate_pvs && !execution.strict_pv);
    assert_eq!((output.format, output.pgn), (None, None));
    assert_eq!(config.watchdog.new_game(), Duration::from_mins(1), "its default is not the ping's");
    let error = import(&format!("{engines} -output format=pretty")).unwrap_err().to_string();
    assert!(error.contains("`pretty` after `-output`: expected fastchess or cutechess"), "{error}");
}

#[test]
fn unsupported_options_are_errors() {
    for (line, expected) in [
        ("-engine cmd=sh -frobnicate 3", "unknown option `-frobnicate`"),
        ("-engine cmd=sh -round 3", "unknown option `-round`; did you mean `-rounds`?"),
        (
            "-engine cmd=sh -rounds 2 --out xx",
            "unknown option `--out`: options of the harness must precede --from-fastchess",
        ),
        ("-engine cmd=sh ponder=true", "`ponder` after `-engine`: expected name, cmd"),
        ("-engine cmd=sh -resign movecount=3 score=4 twosided=perhaps", "expected true or false"),
        ("-engine cmd", "`cmd` after `-engine`: expected KEY=VALUE"),
        ("-engine cmd=sh colour=red", "`colour` after `-engine`: expected name, cmd"),
        ("-engine cmd=sh -each nodes=many", "`many` after `-each`: expected a whole number"),
        ("-engine cmd=sh tc=hg5", "an hourglass clock is not supported"),
        ("-sprt elo0=0 elo1=x", "`x` after `-sprt`: expected a number"),
        ("-sprt model=bayesian", "model=bayesian is not supported"),
        ("-engine cmd=sh name=a -variant fischerandom -rounds 5", "no openings: the built-in ones are not"),
        ("-engine cmd=sh -noswap -reverse", "`-noswap -reverse` gives the first engine Black in every game"),
        ("-engine cmd=sh -reverse -noswap", "exchange the engines and omit -reverse"),
        (
            "-engine cmd=sh -rounds 100 -games 4",
            "4 games per round: expected at most 2; use -games 2 and more",
        ),
        ("-engine cmd=sh -repeat 3 -rounds 3", "3 games per round: expected at most 2"),
        ("-tournament swiss", "`swiss` after `-tournament`: expected roundrobin or gauntlet"),
        (
            "-engine cmd=sh -config file=saved.json outname=next.json",
            "`-config file=saved.json` replaces engines and settings; to import the saved configuration, use \
             `--from-fastchess saved.json`",
        ),
    ] {
        let error = import(line).unwrap_err().to_string();
        assert!(error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn unknown_or_missing_keys_and_values_are_errors() {
    for (line, expected) in [
        ("-pgnout fle=x.pgn", "`fle` after `-pgnout`: expected file, append"),
        ("-pgnout", "`-pgnout`: missing file="),
        ("-pgnout file=", "`file=` after `-pgnout`: expected KEY=VALUE"),
        ("-pgnout nodes=true", "`-pgnout`: missing file="),
        ("-pgnout file=x.pgn nodes=yes", "`nodes=yes` after `-pgnout`: expected true or false"),
        ("-pgnout x.pgn", "`x.pgn` after `-pgnout`: expected KEY=VALUE"),
        ("-epdout file=x.epd apend=true", "`apend` after `-epdout`: expected file or append"),
        ("-log file=x.log level=loud", "`loud` after `-log`: expected trace, info"),
        ("-log level=info", "`-log`: missing file="),
        ("-output", "`-output`: missing format="),
        ("-config nme=x", "`nme` after `-config`: expected file, outname"),
        ("-openings order=random", "`-openings`: missing file="),
        ("-openings file=book.epd order=up", "`up` after `-openings`: expected random or sequential"),
        ("-openings file=book.epd policy=up", "`up` after `-openings`: expected round"),
        ("-sprt elo0=0", "`-sprt`: missing elo1="),
        ("-resign movecount=3", "`-resign`: missing score="),
        ("-resign movecount=3 score=400 movenumber=2", "`movenumber` after `-resign`: expected movecount"),
        ("-draw movecount=0 score=5", "`0` after `-draw`: expected a whole number above 0"),
        ("-tb", "`-tb`: missing value"),
        ("-tb a b", "`b` after `-tb`: expected one value only"),
        ("-tbpieces 5", "`-tbpieces` needs `-tb FOLDER`"),
        ("-rounds", "`-rounds`: missing value"),
        ("-reverse now", "`now` after `-reverse`: expected no value"),
        ("-recover always", "`always` after `-recover`: expected no value"),
        ("-engine name=c", "`-engine`: missing cmd="),
    ] {
        let error = import(&format!("-engine cmd=sh name=a {line}")).unwrap_err().to_string();
        assert!(error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn adjudications_have_the_defaults_of_fastchess() {
    let imported =
        import("-engine cmd=sh name=a nodes=9 -engine cmd=sh name=b nodes=9 -draw -resign score=600")
            .unwrap();
    let LoadedMatch { config, .. } = load(&imported);
    let (win, draw) = (config.adjudication.win.unwrap(), config.adjudication.draw.unwrap());
    assert_eq!((win.score, win.moves.get(), win.two_sided), (600, 1, false));
    assert_eq!((draw.from_move, draw.moves.get(), draw.score), (0, 1, 0));
}

#[test]
fn match_without_openings_uses_the_built_in_ones() {
    let line = "-engine cmd=sh name=a nodes=9 -engine cmd=sh name=b nodes=9 -recover -maxmoves 0 -draw movecount=8 score=10";
    let imported = import(line).unwrap();
    let [note] = &imported.notes[..] else { panic!("{:?}", imported.notes) };
    assert!(note.contains("no -openings") && note.contains("start position"), "{note}");
    assert!(!imported.yaml.contains("openings"), "{}", imported.yaml);
    let LoadedMatch { config, .. } = load(&imported);
    assert_eq!(config.adjudication.max_moves, None, "0 is no limit");
    assert_eq!(config.adjudication.draw.unwrap().from_move, 0);
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
        let error = import_saved(text).unwrap_err().to_string();
        assert!(error.starts_with("not a saved configuration of fastchess: "), "{text}: {error}");
    }
}

#[test]
fn saved_files_tables_and_numbered_choices_are_imported() {
    let text = r#"{
        "tb_adjudication": { "enabled": true, "syzygy_dirs": ".", "max_pieces": 5, "ignore_50_move_rule": true },
        "opening": { "file": "book.epd", "format": 0, "order": 1, "plies": -1, "start": 1 },
        "sprt": { "enabled": false }, "rounds": 10, "games": 2, "seed": 7, "output": 1, "type": 1, "variant": 1,
        "gauntlet_seeds": 1, "ratinginterval": 5, "scoreinterval": 2, "recover": true, "check_mate_pvs": true,
        "reverse": true, "wait": 100, "report_penta": true,
        "pgn": { "file": "p.pgn", "append_file": false, "notation": 2, "event_name": "E", "site": "?", "min": false },
        "epd": { "file": "e.epd", "append_file": true },
        "log": { "file": "x.log", "append_file": false, "engine_coms": true, "level": 3 },
        "engines": [
            { "name": "a", "cmd": "sh", "options": [], "limit": { "tc": {}, "nodes": 500 }, "restart": true },
            { "name": "b", "cmd": "sh", "options": [], "limit": { "tc": {}, "nodes": 500 } },
            { "name": "c", "cmd": "sh", "options": [], "limit": { "tc": {}, "nodes": 500 } }
        ]
    }"#;
    let imported = import_saved(text).unwrap();
    assert_eq!(
        imported.notes,
        [
            "-reverse: left out, because the engines swap colours",
            "-output format=cutechess: printed in the format of fastchess",
            "saved `pgn.event_name` is not imported",
            "saved `pgn.notation` is not imported",
            "saved `wait` is not imported",
            "saved `engines.restart` is not imported",
        ]
    );
    let LoadedMatch { config, execution, output, .. } = load(&imported);
    let tables = config.tablebases.unwrap();
    assert_eq!((tables.pieces.map(std::num::NonZero::get), tables.ignore_fifty), (Some(5), true));
    assert_eq!((config.openings.order, config.openings.format), (Order::Sequential, BookFormat::Epd));
    assert_eq!((config.pairings.count(), config.variant), (2, Variant::Chess960));
    assert_eq!((output.format, output.rating_interval), (Some(Format::Fastchess), 5));
    let appends: Vec<bool> = output.files().map(|(.., append)| append).collect();
    assert_eq!((appends, output.log.unwrap().engines), (vec![false, true, false], true));
    assert!(execution.check_mate_pvs);
    let all = import_saved(&text.replace("\"max_pieces\": 5", "\"max_pieces\": 0")).unwrap();
    assert_eq!(load(&all).config.tablebases.unwrap().pieces, None, "no limit");
}

#[test]
fn names_in_the_tables_are_unique() {
    let section = |entry: &super::table::Entry| match entry.kind {
        Kind::Section(keys, _) | Kind::Rule(keys, ..) => Some(keys),
        _ => None,
    };
    for table in OPTIONS.iter().filter_map(section).chain([OPTIONS, ENGINE_KEYS, EPD_KEYS]) {
        for (index, entry) in table.iter().enumerate() {
            assert!(table[..index].iter().all(|other| other.name != entry.name), "{}", entry.name);
        }
    }
}

/// Returns the output of a match between two engines.
fn printer(games: Option<u64>) -> Printer {
    let names = ["New-e443b2459e", "Base-e443b2459e"].map(str::to_owned).to_vec();
    let mut printer = Printer::new(names, Pairings::round_robin(2));
    printer.rating_interval = 10;
    printer.conditions = "0.601+0.006, 1t, 16MB, UHO_Lichess_4852_v1.epd".to_owned();
    printer.most_games = games;
    printer
}

/// Returns a game in which the first engine has these half points.
fn game(number: u64, half_points: u8) -> GameRecord {
    let mut game = sample_game(number);
    game.result = match (half_points, number % 2) {
        (1, _) => GameResult::Draw,
        (2, 0) | (0, 1) => GameResult::White,
        _ => GameResult::Black,
    };
    game
}

/// Plays pairs with these half points of the first engine; returns all output.
fn play(
    printer: &mut Printer,
    pairs: &[([u8; 2], usize)],
    test: Option<(SprtState, Option<Verdict>)>,
) -> String {
    let all = pairs.iter().flat_map(|&(half_points, count)| std::iter::repeat_n(half_points, count));
    let mut text = String::new();
    let mut tracker = Tracker::default();
    for (pair, half_points) in all.enumerate() {
        for (half, points) in half_points.into_iter().enumerate() {
            let game = game(2 * pair as u64 + half as u64, points);
            tracker.add(&game);
            printer.count(&game, vec![tracker.score], test);
            text.push_str(&printer.finished(&game));
        }
    }
    text
}

/// The block is a comment in fishtest's worker, which fastchess printed.
#[test]
fn block_equals_one_that_fastchess_printed() {
    let pairs = [([0, 0], 43), ([0, 1], 61), ([1, 1], 25), ([2, 0], 119), ([2, 1], 55), ([2, 2], 37)];
    let text = play(&mut printer(Some(680)), &pairs, None);
    let block = "\
--------------------------------------------------
Results of New-e443b2459e vs Base-e443b2459e (0.601+0.006, 1t, 16MB, UHO_Lichess_4852_v1.epd):
Elo: -9.20 +/- 20.93, nElo: -11.50 +/- 26.11
LOS: 19.41 %, DrawRatio: 42.35 %, PairsRatio: 0.88
Games: 680, Wins: 248, Losses: 266, Draws: 166, Points: 331.0 (48.68 %)
Ptnml(0-2): [43, 61, 144, 55, 37], WL/DD Ratio: 4.76
--------------------------------------------------
";
    assert!(text.ends_with(block), "{}", &text[text.len() - 600..]);
    assert_eq!(text.matches("Results of").count(), 34, "after every ten of 340 pairs, the last among them");
}

#[test]
fn state_and_verdict_of_a_test_are_printed() {
    let spec = Sprt::new(Model::Normalized, 0.0, 2.5, 0.05, 0.05).unwrap();
    let state = SprtState::new(spec, &Pentanomial([0, 0, 0, 1, 0]), Corrections::default());
    let deciding_bounds = Bounds { lower: Llr(-2.94), upper: Llr(2.4) };
    let at = |llr| SprtState { llr: Llr(llr), deciding_bounds, ..state };
    let (test, decided) = ((at(1.2), None), (at(2.45), Some(Verdict::AcceptH1)));
    let line = |test| play(&mut printer(Some(20)), &[([2, 1], 10)], Some(test));
    let text = line(test);
    assert!(text.contains("\nLLR: 1.20 (50.0%) (-2.94, 2.40) [0.00, 2.50]\n---"), "{text}");
    assert!(!text.contains("completed"), "{text}");
    let text = line(decided);
    assert_eq!(text.matches("\nSPRT ([0.00, 2.50]) completed - H1 was accepted\n").count(), 1, "{text}");
    let moved_back = line((at(1.9), decided.1));
    assert!(moved_back.contains("\nLLR: 1.90 (79.2%) "), "{moved_back}");
    assert!(moved_back.contains(" completed - H1 was accepted\n"), "the decision stays: {moved_back}");
}

#[test]
fn games_in_progress_at_a_decision_are_followed_by_a_last_block() {
    let mut printer = printer(None);
    assert_eq!(printer.started(0, [0, 1]), "Started game 1 of 0 (New-e443b2459e vs Base-e443b2459e)\n");
    play(&mut printer, &[([1, 1], 11)], None);
    let text = printer.ended(Duration::from_secs(3725));
    assert!(text.contains("\nGames: 22, Wins: 0, Losses: 0, Draws: 22, Points: 11.0 (50.00 %)\n"), "{text}");
    assert!(text.ends_with("\nFinished match\nTotal Time: 01:02:05 (hours:minutes:seconds)\n\n"), "{text}");
    assert!(!printer.ended(Duration::ZERO).contains("Games:"), "the block was the last");
}

#[test]
fn wrong_pvs_faults_and_reasons_have_the_words_of_fastchess() {
    let mut printer = printer(None);
    let mut lost = game(0, 0);
    lost.termination = Termination::TimeForfeit { by: Side::White, over_us: 12_345, lone_king: false };
    let wrong = |error, pv_move, line: &str| WrongPv {
        ply: 2,
        error,
        pv_move,
        ponder: None,
        line: Some(line.to_owned()),
    };
    lost.wrong_pvs = vec![
        wrong(PvError::IllegalMove, Some(2), "info score cp 1 pv g1f3 e2e4"),
        wrong(PvError::MateDistance, None, "info score mate 1 pv g1f3 b8c6 f3e5"),
        wrong(PvError::BestMoveDiffers, Some(1), "info score cp 1 pv a2a3"),
        WrongPv {
            ponder: Some("d7d6".to_owned()),
            ..wrong(PvError::PonderMoveDiffers, Some(2), "info score cp 1 pv g1f3 d7d5")
        },
    ];
    printer.count(&lost, vec![Score::default()], None);
    let text = printer.finished(&lost);
    let tail = "Position; startpos\nMoves; e2e4 e7e5\n";
    for (warning, line) in [
        ("Illegal PV move - move e2e4 from New-e443b2459e", "score cp 1 pv g1f3 e2e4"),
        ("Too long mating PV - from New-e443b2459e", "score mate 1 pv g1f3 b8c6 f3e5"),
        (
            "Bestmove does not match beginning of last PV - move g1f3 from New-e443b2459e",
            "score cp 1 pv a2a3",
        ),
        (
            "Ponder move does not match second move of last PV - move d7d6 from New-e443b2459e",
            "score cp 1 pv g1f3 d7d5",
        ),
    ] {
        assert!(text.contains(&format!("Warning; {warning}\nInfo; info {line}\n{tail}")), "{text}");
    }
    let end =
        "Finished game 1 (New-e443b2459e vs Base-e443b2459e): 0-1 {White loses on time (12ms overrun)}\n";
    assert!(text.ends_with(end), "{text}");
    lost.result = GameResult::Draw;
    lost.termination = Termination::TimeForfeit { by: Side::White, over_us: 12_345, lone_king: true };
    let end = "1/2-1/2 {White loses on time (12ms overrun); Black has a lone king: draw}\n";
    let text = printer.finished(&lost);
    assert!(text.ends_with(end), "{text}");
    let text = printer.ended(Duration::ZERO);
    assert!(text.contains("\nPlayer: New-e443b2459e\n  Timeouts: 1\n  Crashed: 0\n\n"), "{text}");
}

#[test]
fn several_engines_are_printed_as_a_table() {
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let mut printer = Printer::new(names, Pairings::round_robin(3));
    printer.rating_interval = 10;
    for (number, score) in [Score::default(), Score::of_pair([2, 2])].into_iter().enumerate() {
        let game = game(number as u64, 2);
        printer.count(&game, vec![score, Score::default(), Score::default()], None);
        printer.finished(&game);
    }
    let text = printer.ended(Duration::ZERO);
    let lines: Vec<&str> = text.lines().collect();
    let head = "Rank Name                             Elo        +/-       nElo        +/-      Games      Score       Draw           Ptnml(0-2)";
    assert_eq!(lines[1], head);
    assert!(lines[2].starts_with("   1 a                                inf "), "{text}");
    assert!(lines[2].ends_with("         2     100.0%       0.0%      [0, 0, 0, 0, 1]"), "{text}");
    assert!(lines[3].starts_with("   2 b                               -inf "), "{text}");
    assert!(lines[4].starts_with("   3 c                               -nan "), "{text}");
}
