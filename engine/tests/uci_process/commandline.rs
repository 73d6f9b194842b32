//! The command line, as scripts and OpenBench use it.

use std::process::{Command, Output};

use crate::driver::Engine;
use crate::openbench::nodes;

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stretto")).args(args).output().expect("the engine starts")
}

fn text(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).expect("output is text");
    assert!(
        output.status.success(),
        "{}: {text}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// Returns the node count of the last line `<nodes> nodes <nps> nps`.
pub(crate) fn signature(text: &str) -> u64 {
    let last = text.lines().last().unwrap_or_default();
    let words: Vec<&str> = last.split(' ').collect();
    let is_count = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_well_formed = words.len() == 4 && words[1] == "nodes" && words[3] == "nps";
    assert!(
        is_well_formed && is_count(words[0]) && is_count(words[2]),
        "not `<nodes> nodes <nps> nps`: {last:?}"
    );
    words[0].parse().expect("a count")
}

#[test]
fn bench_gives_the_same_node_count_twice() {
    let outputs = [run(&["bench", "5"]), run(&["bench", "5"])].map(|output| text(&output));
    let counts = outputs.each_ref().map(|text| signature(text));
    assert_eq!(counts[0], counts[1]);
    assert!(counts[0] > 1000, "too few nodes for a search: {}", counts[0]);
    assert_eq!(nodes(&outputs[0]), Some(counts[0]));
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    for (arguments, expected) in [
        (&["bench", "0"][..], "bench depth: expected a whole number from 1 to 245, found '0'"),
        (&["bench", "5.5"], "bench depth: expected a whole number, found '5.5'"),
        (&["bench", "5", "9999"], "bench threads: expected a whole number from 1 to 1024, found '9999'"),
        (&["perft", "-1"], "perft: expected a whole number from 0 to "),
        (&["speedtest", "0"], "speedtest threads: expected a whole number from 1 to 1024, found '0'"),
        (
            &["speedtest", "1", "16", "x"],
            "speedtest seconds: expected a whole number from 1 to 86400, found 'x'",
        ),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected) && output.stdout.is_empty(), "{arguments:?}: {error}");
    }
}

#[test]
fn help_of_a_command_is_its_usage() {
    for (arguments, first, last) in [
        (
            &["bench", "--help"][..],
            "usage: stretto [--lab] bench [DEPTH] [THREADS] [HASH]",
            "is the signature",
        ),
        (&["--lab", "bench", "-h"], "usage: stretto [--lab] bench ", "is the signature"),
        (&["perft", "--help"], "usage: stretto perft DEPTH [FEN] ", "by first move"),
        (&["speedtest", "4", "--help"], "usage: stretto speedtest [THREADS] [HASH] [SECONDS] ", "30 seconds"),
        (&["genfens", "--help"], "usage: stretto genfens N seed S ", "for OpenBench"),
        (&["tunables", "--help"], "usage: stretto tunables ", "SPSA test"),
        (&["switches", "--help"], "usage: stretto switches ", "what it does"),
    ] {
        let usage = text(&run(arguments));
        assert!(usage.starts_with(first) && usage.trim_end().ends_with(last), "{arguments:?}: {usage}");
        assert!(usage.matches("stretto").count() == 1, "{arguments:?}: {usage}");
    }
    assert!(text(&run(&["--help"])).starts_with("Stretto, a UCI chess engine"));
    assert!(!run(&["frobnicate", "--help"]).status.success());
}

#[test]
fn bench_accepts_depth_threads_and_hash() {
    let shallow = signature(&text(&run(&["bench", "3"])));
    let deep = signature(&text(&run(&["bench", "5"])));
    assert!(shallow < deep, "{shallow} nodes to depth 3, {deep} to depth 5");
    assert!(signature(&text(&run(&["bench", "3", "2", "8"]))) > 0);
}

#[test]
fn perft_prints_counts_by_move_and_the_sum() {
    let output = text(&run(&["perft", "3"]));
    let lines: Vec<&str> = output.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.last(), Some(&"Nodes searched: 8902"));
    assert_eq!(lines.len(), 21);
    assert!(lines.contains(&"e2e4: 600"), "{output}");
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert!(text(&run(&["perft", "2", fen])).ends_with("Nodes searched: 2039\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure() {
    for args in [&["genfens", "3", "seed", "1"][..], &["bench", "2"], &["perft", "2"], &["tunables"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_stretto"));
        let output = command.args(args).stdout(full).output().expect("the engine");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("cannot write to standard output"), "{args:?}: {error}");
    }
}

#[test]
fn invalid_arguments_fail_with_a_message() {
    for args in
        [&["frobnicate"][..], &["bench", "deep"], &["perft"], &["perft", "2", "8/8/8 w - -"], &["--joho"]]
    {
        let output = run(args);
        let reply = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && !reply.is_empty() && !reply.contains("panicked"),
            "{args:?}: {reply}"
        );
    }
}

#[test]
fn surplus_arguments_are_refused_by_name() {
    for (args, surplus) in [
        (&["bench", "1", "1", "1", "extra"][..], "extra"),
        (&["speedtest", "1", "1", "1", "extra"], "extra"),
        (&["tunables", "extra"], "extra"),
        (&["switches", "extra"], "extra"),
        (&["help", "extra"], "extra"),
        (&["--help", "extra"], "extra"),
        (&["--version", "extra"], "extra"),
        (&["-V", "extra"], "extra"),
        (&["--lab", "perft", "1"], "--lab"),
        (&["--lab", "speedtest", "1", "1", "1"], "--lab"),
        (&["--lab", "genfens 1 seed 1"], "--lab"),
        (&["--lab", "tunables"], "--lab"),
        (&["--lab", "switches"], "--lab"),
        (&["--lab", "--version"], "--lab"),
    ] {
        let output = run(args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let expected = format!("stretto: unknown argument '{surplus}'; see stretto --help\n");
        assert_eq!((output.status.code(), error.as_str()), (Some(2), expected.as_str()), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    assert!(signature(&text(&run(&["--lab", "bench", "1"]))) > 0);
    assert!(text(&run(&["--lab", "--help"])).starts_with("Stretto, a UCI chess engine"));
}

#[test]
#[cfg(unix)]
fn argument_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStrExt;

    let mut command = Command::new(env!("CARGO_BIN_EXE_stretto"));
    let output = command.arg(std::ffi::OsStr::from_bytes(b"ben\xFFch")).output().expect("the engine starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(error, "stretto: unknown argument 'ben\u{FFFD}ch'; see stretto --help\n");
}

/// `echo "go perft 3" | stretto` prints its result: perft and bench finish before the end of input
/// is read, unlike a search.
#[test]
fn piped_perft_and_bench_finish_before_the_end_of_input() {
    for (line, last) in [("go perft 3", "Nodes searched: 8902"), ("bench 3", " nps")] {
        let mut engine = Engine::start(&[]);
        engine.send(line);
        engine.close_input();
        engine.until_line(|line| line.ends_with(last));
        engine.expect_exit();
    }
}

#[test]
fn empty_input_ends_with_success() {
    let output = run(&[]);
    assert!(output.status.success(), "{}", output.status);
}

#[test]
fn manual_page_and_completions_have_every_command() {
    let packaging = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging");
    let help = text(&run(&["--help"]));
    let usage = help.lines().take_while(|line| !line.starts_with("--lab makes"));
    let commands: Vec<&str> = usage
        .filter_map(|line| line.split_once("stretto ").map(|(_, rest)| rest.trim_start_matches("[--lab] ")))
        .filter_map(|rest| rest.split_whitespace().next())
        .filter(|word| word.starts_with(|first: char| first.is_ascii_lowercase()))
        .collect();
    assert!(commands.contains(&"bench") && commands.contains(&"tunables"), "{help}");
    for file in ["stretto.1", "stretto.bash"] {
        let reply = std::fs::read_to_string(packaging.join(file)).expect("a file of the repository");
        for command in &commands {
            assert!(reply.contains(command), "{file} lacks {command}");
        }
    }
}

#[test]
fn start_and_speedtest_describe_the_program_and_its_machine() {
    let mut engine = Engine::start(&[]);
    engine.send("isready");
    let lines = engine.until("readyok");
    let version = concat!("info string Stretto ", env!("CARGO_PKG_VERSION"));
    assert!(lines[0].starts_with(version), "{lines:?}");
    let machine = " network kernels, 1 thread on ";
    for part in [machine, " processor", ", huge pages "] {
        assert!(lines[1].contains(part), "{part}: {lines:?}");
    }
    let speed = text(&run(&["speedtest", "1", "16", "1"]));
    assert!(speed.contains(machine), "{speed}");
    let range =
        speed.lines().find_map(|line| line.strip_prefix("slowest thread ")).expect("a line of threads");
    let (slowest, fastest) = range.split_once(" nps, fastest ").expect("two speeds");
    // One thread is the slowest and the fastest.
    assert_eq!(Some(slowest), fastest.strip_suffix(" nps"), "{speed}");
    assert!(signature(&speed) > 0);
}
