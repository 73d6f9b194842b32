//! The requirements of `OpenBench`: the output of bench, the start positions of genfens, the
//! options it sets.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::driver::Engine;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stretto"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().expect("the engine starts")
}

/// Returns standard output and standard error together, as the client reads them.
fn merged(output: &Output) -> String {
    [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat()
}

/// Finds the number before or after one of these words as the client does: punctuation counts as
/// space, case is ignored, the last matching line wins.
fn find(text: &str, before: &str, after: &[&str]) -> Option<u64> {
    let plain: String = text.chars().map(|c| if c.is_ascii_punctuation() { ' ' } else { c }).collect();
    plain.to_ascii_lowercase().lines().rev().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |index: usize| words.get(index)?.parse().ok();
        (0..words.len()).find_map(|index| {
            let stands_before = words.get(index + 1) == Some(&before);
            let leads = |phrase: &&str| {
                let phrase: Vec<&str> = phrase.split(' ').collect();
                words[..index].ends_with(&phrase)
            };
            number(index).filter(|_| stands_before || after.iter().any(leads))
        })
    })
}

/// Returns the node count that the client reads from the output of bench.
pub(crate) fn nodes(text: &str) -> Option<u64> {
    find(text, "nodes", &["nodes", "nodes searched"])
}

fn speed(text: &str) -> Option<u64> {
    find(text, "nps", &["nps", "nodes second"])
}

#[test]
fn reader_of_the_test_makes_the_known_errors_of_the_client() {
    // Output that the client is known to misread; the reader of this test must misread it too.
    assert_eq!(nodes("12,345 nodes 7 nps"), Some(345));
    assert_eq!(speed("999.5 nps"), Some(5));
    assert_eq!(nodes("100 nodes 50 nps\nNodes searched: 8"), Some(8));
    assert_eq!(speed("Nodes/second : 77"), Some(77));
    assert_eq!((nodes("5 nodes 6 nps"), speed("5 nodes 6 nps")), (Some(5), Some(6)));
}

#[test]
fn parallel_benches_agree_and_are_read_correctly() {
    let running: Vec<_> =
        (0..2).map(|_| command(&["bench", "4"]).spawn().expect("the engine starts")).collect();
    let texts: Vec<String> =
        running.into_iter().map(|child| merged(&child.wait_with_output().expect("the bench ends"))).collect();
    let last = texts[0].lines().last().unwrap_or_default();
    let words: Vec<&str> = last.split(' ').collect();
    assert_eq!((words.len(), words[1], words[3]), (4, "nodes", "nps"), "{last}");
    assert_eq!(nodes(&texts[0]), words[0].parse().ok());
    assert_eq!(speed(&texts[0]), words[2].parse().ok());
    assert_eq!(nodes(&texts[0]), nodes(&texts[1]));
}

/// Returns the positions that the client reads from the output.
fn fens(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(|line| line.strip_prefix("info string genfens ")).map(str::to_owned).collect()
}

#[test]
fn genfens_accepts_its_request_in_one_argument() {
    let one = run(&["genfens 4 seed 4294967297 book None", "quit"]);
    assert!(one.status.success(), "{}", merged(&one));
    let found = fens(&one);
    assert_eq!(found.len(), 4);
    assert_eq!(String::from_utf8_lossy(&one.stdout).lines().count(), 4, "nothing else is said");
    assert!(found.iter().all(|fen| fen.split(' ').count() == 6), "{found:?}");
    let apart = run(&["genfens", "4", "seed", "4294967297", "book", "None"]);
    assert_eq!(fens(&apart), found);
    assert_ne!(fens(&run(&["genfens 4 seed 4294967298 book None ", "quit"])), found);
}

#[test]
fn genfens_starts_from_a_book() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("genfens.epd");
    std::fs::write(&path, "\n4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - id \"kings\";\n\n").expect("a book");
    let book = path.display();
    let found = fens(&run(&[&format!("genfens 3 seed 1 book {book} plies 2"), "quit"]));
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|fen| !fen.contains('q') && fen.contains('k')), "{found:?}");
    std::fs::write(&path, "4k3/8 w - -\n").expect("a book");
    let broken = run(&[&format!("genfens 3 seed 1 book {book}"), "quit"]);
    assert_eq!(broken.status.code(), Some(1));
    assert!(merged(&broken).contains("line 1"), "{}", merged(&broken));
    assert_eq!(run(&["genfens 3 seed 1 book /no/such/book", "quit"]).status.code(), Some(1));
    assert_eq!(run(&["genfens three", "quit"]).status.code(), Some(2));
}

#[test]
fn switches_are_printed_with_what_they_disable() {
    let text = String::from_utf8_lossy(&run(&["switches"]).stdout).into_owned();
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).expect("the switch");
    assert!(
        line("NullMove (on, unsound):").ends_with("Off, it also disables NullMoveVerification."),
        "{text}"
    );
    assert!(line("Improving (on, unsound):").contains("late-move limit is not halved"), "{text}");
    assert!(line("Killers (off").starts_with("Killers (off, ordering): Killer moves"), "{text}");
}

#[test]
fn every_tunable_is_printed_and_is_a_lab_option() {
    let text = String::from_utf8_lossy(&run(&["tunables"]).stdout).into_owned();
    assert!(text.lines().count() > 20, "{text}");
    let mut engine = Engine::start(&["--lab"]);
    engine.send("uci");
    let declared = engine.until("uciok");
    for line in text.lines() {
        let fields: Vec<&str> = line.split(", ").collect();
        let [name, "int", value, min, max, step, rate] = fields[..] else { panic!("{line}") };
        let whole = |text: &str| text.parse::<f64>().expect("a number") as i64;
        let (value, min, max) = (whole(value), whole(min), whole(max));
        let option = format!("option name {name} type spin default {value} min {min} max {max}");
        assert!(declared.contains(&option), "{option}");
        assert!(whole(step) > 0 && rate == "0.002", "{line}");
    }
    engine.quit();
}

#[test]
fn version_prints_commit_build_instruction_sets_and_kernels() {
    let text = String::from_utf8_lossy(&run(&["--version"]).stdout).into_owned();
    assert_eq!(text.lines().next(), Some(concat!("stretto ", env!("CARGO_PKG_VERSION"))));
    for word in ["commit", "build", "needs", "network"] {
        assert!(text.lines().any(|line| line.starts_with(word)), "{word}: {text}");
    }
}
