//! Tests of parsing commands.

use proptest::prelude::*;

use super::*;

fn command(line: &str) -> Command {
    let parsed = parse(line).unwrap().unwrap();
    assert_eq!(parsed.warnings, [], "{line}");
    parsed.command
}

#[test]
fn commands_without_operands_are_parsed() {
    for (line, expected) in [
        ("uci", Command::Uci),
        ("isready", Command::IsReady),
        ("ucinewgame", Command::UciNewGame),
        ("stop", Command::Stop),
        ("ponderhit", Command::PonderHit),
        ("quit", Command::Quit),
        ("register later", Command::Register),
        ("register name A B code 1", Command::Register),
        ("debug on", Command::Debug),
        ("debug off", Command::Debug),
        ("help", Command::Help),
        ("system", Command::System),
        ("d", Command::Display),
        ("eval", Command::Eval),
    ] {
        assert_eq!(command(line), expected);
    }
}

#[test]
fn blank_lines_give_no_command() {
    for line in ["", " ", "\t\r\n", "\u{b}"] {
        assert_eq!(parse(line), Ok(None));
    }
}

#[test]
fn words_are_separated_by_any_white_space() {
    assert_eq!(command("\t  debug \t  \t\ton\t\r\n"), Command::Debug);
    assert_eq!(command("   isready"), Command::IsReady);
}

#[test]
fn unknown_words_before_a_command_are_skipped_with_a_warning() {
    let parsed = parse("joho haha debug on").unwrap().unwrap();
    assert_eq!(parsed.command, Command::Debug);
    assert_eq!(parsed.warnings, [ParseError::UnknownCommand { token: "joho".into() }]);
    for (line, token) in
        [("uci2", "uci2"), ("what a d eval", "what"), ("D", "D"), ("x d", "x"), ("d2 d", "d2")]
    {
        assert_eq!(parse(line), Err(ParseError::UnknownCommand { token: token.into() }));
    }
    // A repeated unknown word must not count as the start of the line.
    assert!(parse("a a d").is_err());
}

#[test]
fn debug_accepts_only_on_or_off() {
    assert_eq!(parse("debug joho on"), Err(unexpected("debug", "on or off", "joho")));
    assert_eq!(parse("debug"), Err(ParseError::Missing { after: "debug", expected: "on or off" }));
}

#[test]
fn words_after_a_command_give_a_warning() {
    let parsed = parse("isready now").unwrap().unwrap();
    assert_eq!(parsed.command, Command::IsReady);
    let surplus = ParseError::Surplus { command: "isready".to_owned(), token: "now".to_owned() };
    assert_eq!(parsed.warnings, [surplus]);
}

#[test]
fn option_names_and_values_may_contain_spaces() {
    let set = |name: &str, value: Option<&str>| Command::SetOption {
        name: name.to_owned(),
        value: value.map(str::to_owned),
    };
    assert_eq!(command("setoption name Hash value 32"), set("Hash", Some("32")));
    assert_eq!(command("setoption  name Clear\t Hash"), set("Clear Hash", None));
    assert_eq!(
        command("setoption name Path value C:\\My  Files\\tb "),
        set("Path", Some("C:\\My  Files\\tb"))
    );
    assert_eq!(command("setoption name Path value"), set("Path", Some("")));
    assert_eq!(command("setoption name A value value 3"), set("A", Some("value 3")));
    for line in ["setoption", "setoption name", "setoption Hash value 3"] {
        assert!(parse(line).is_err(), "{line}");
    }
}

#[test]
fn bench_accepts_depth_threads_and_hash() {
    let bench = |depth: Option<i32>, threads, hash: Option<u64>| Command::Bench {
        depth: depth.map(Depth),
        threads,
        hash: hash.map(Mebibytes),
    };
    assert_eq!(command("bench"), bench(None, None, None));
    assert_eq!(command("bench 5"), bench(Some(5), None, None));
    assert_eq!(command("bench 5 2 64"), bench(Some(5), Some(2), Some(64)));
    assert_eq!(parse("bench -3").unwrap().unwrap().command, bench(Some(1), None, None));
    assert_eq!(parse("bench deep"), Err(unexpected("bench depth", "a whole number", "deep")));
}

#[test]
fn perft_accepts_a_depth_and_an_optional_fen() {
    let perft = |depth, fen: Option<&str>| Command::Perft { depth, fen: fen.map(str::to_owned) };
    assert_eq!(command("perft 3"), perft(3, None));
    assert_eq!(command("perft 0 8/8 w - -"), perft(0, Some("8/8 w - -")));
    assert_eq!(command("perft 1 fen 8/8 w - -"), perft(1, Some("8/8 w - -")));
    assert_eq!(command("perft 2 startpos"), perft(2, Some(START_FEN)));
    assert!(parse("perft").is_err() && parse("perft three").is_err());
}

#[test]
fn messages_are_cut_to_one_short_line() {
    let error = parse(&"x\u{0}".repeat(100_000)).unwrap_err().to_string();
    assert!(error.len() < 300 && !error.contains(char::is_control), "{error}");
    assert_eq!(parse("uci2").unwrap_err().to_string(), "unknown command 'uci2'");
}

proptest! {
    #[test]
    fn parse_never_panics_on_any_text(line in any::<String>()) {
        let _ = parse(&line);
    }

    #[test]
    fn parse_never_panics_on_words_of_the_protocol(words in prop::collection::vec(prop::sample::select(vec![
        "go", "position", "startpos", "fen", "moves", "setoption", "name", "value", "wtime", "depth", "perft",
        "searchmoves", "e2e4", "-1", "0", "99999999999999999999", "abc", "debug", "on", "bench", "é", "\u{0}",
    ]), 0..12)) {
        if let Ok(Some(parsed)) = parse(&words.join(" ")) {
            for warning in parsed.warnings {
                prop_assert!(!warning.to_string().contains('\n'));
            }
        }
    }
}
