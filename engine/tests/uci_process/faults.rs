//! A system that refuses memory, threads or files, signals, and pipes that are full, closed or read by nobody.

#![cfg(unix)]

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use stretto::eval::network::{BUCKETS, FEATURES, Weights};

use crate::driver::{Engine, ms};

/// The engine with a limit of the shell upon it: `-v` for its address space in KiB, `-n` for open files.
fn limited(limit: &str) -> Command {
    under(&format!("ulimit {limit}; exec \"$@\""))
}

/// What becomes the engine by way of this line of shell.
fn under(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line, "sh", env!("CARGO_BIN_EXE_stretto")]);
    command
}

/// Says everything at once, closes the input, and waits for the end.
fn say_all(mut command: Command, script: &str) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    let mut input = child.stdin.take().expect("stdin is piped");
    // It may have left already, which is judged by its answer.
    let _ = input.write_all(script.as_bytes());
    drop(input);
    child.wait_with_output().expect("an end")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Wherever memory ends, at the start, at a thread's stack, at what it keeps, at the table: the engine says so and plays, or
/// says so and does not start.
#[test]
fn little_memory_ends_nothing() {
    let script = "uci\nsetoption name Threads value 24\ngo depth 4\nisready\nsetoption name Hash value 96\n\
                  setoption name Threads value 40\nucinewgame\ngo depth 4\nisready\n";
    let (mut refused, mut played) = (0, 0);
    for step in 0..40 {
        let limit = 20_000 + 17_000 * step;
        let output = say_all(limited(&format!("-v {limit}")), script);
        let (said, errors) = (text(&output.stdout), text(&output.stderr));
        let shown = format!("{limit} KiB: {}\n{said}\n{errors}", output.status);
        match output.status.code() {
            Some(0) => {
                assert_eq!(said.lines().filter(|line| line.starts_with("bestmove ")).count(), 2, "{shown}");
                assert_eq!(said.matches("readyok").count(), 2, "{shown}");
                played += 1;
                refused += usize::from(said.contains("threads were asked for, "));
            }
            Some(1) => assert!(errors.starts_with("stretto: ") && !errors.contains("panicked"), "{shown}"),
            // The system's loader, which comes before the engine, has its own words.
            Some(126 | 127) if step == 0 => {}
            _ => panic!("{shown}"),
        }
    }
    assert!(played > 10 && refused > 5, "played {played} times, told of threads {refused} times");
}

/// A network sixteen times as wide wants 4 MB more of every thread: all have it before a search begins, or none does.
#[test]
fn a_network_too_wide_for_the_memory_is_refused_and_the_old_one_plays() {
    let hidden = 4096;
    let wide = Weights {
        rows: vec![0; FEATURES * hidden],
        biases: vec![1; hidden],
        outputs: vec![1; BUCKETS * 2 * hidden],
        output_biases: [0; BUCKETS],
        scale: 200,
        manifest: [7; 16],
    };
    let file = std::env::temp_dir().join(format!("stretto-wide-{}.network", std::process::id()));
    std::fs::write(&file, wide.to_bytes()).expect("a file");
    let script = format!(
        "uci\nsetoption name Threads value 12\nsetoption name EvalFile value {}\ngo depth 4\nisready\n\
         setoption name Threads value 20\ngo depth 4\nisready\n",
        file.display()
    );
    let (mut refused, mut taken) = (0, 0);
    for step in 0..24 {
        let limit = 300_000 + 100_000 * step;
        let output = say_all(limited(&format!("-v {limit}")), &script);
        let (said, errors) = (text(&output.stdout), text(&output.stderr));
        let shown = format!("{limit} KiB: {}\n{said}\n{errors}", output.status);
        assert_eq!(output.status.code(), Some(0), "{shown}");
        assert_eq!(said.lines().filter(|line| line.starts_with("bestmove ")).count(), 2, "{shown}");
        let is_refused = said.contains("the system grants no more memory") && said.contains("EvalFile: ");
        *if is_refused { &mut refused } else { &mut taken } += 1;
    }
    std::fs::remove_file(file).expect("it was written");
    assert!(refused > 2 && taken > 2, "refused {refused} times, taken {taken} times");
}

#[test]
fn a_table_the_system_refuses_leaves_the_old_one() {
    let mut engine = Engine::run(limited("-v 600000"));
    engine.send("uci");
    engine.until("uciok");
    let before = engine.go("depth 6").nodes();
    let warm = engine.go("depth 6").nodes();
    let told = engine.tell("setoption name Hash value 2000");
    assert_eq!(told, ["info string the system refused 2000 MiB for the hash table"]);
    assert_ne!(engine.go("depth 6").nodes(), before, "what the table knew is still there");
    engine.tell("ucinewgame");
    assert_eq!((engine.go("depth 6").nodes(), engine.go("depth 6").nodes()), (before, warm));
    engine.quit();
}

#[test]
fn no_file_to_open_is_told_and_the_game_goes_on() {
    let mut engine = Engine::run(limited("-n 4"));
    engine.send("uci");
    engine.until("uciok");
    // The one file that may still be opened.
    let log = std::env::temp_dir().join(format!("stretto-faults-{}.log", std::process::id()));
    assert!(engine.tell(&format!("setoption name Debug Log File value {}", log.display())).is_empty());
    for option in ["EvalFile", "Book File"] {
        let told = engine.tell(&format!("setoption name {option} value {}", log.display()));
        assert!(told.len() == 1 && told[0].contains("Too many open files"), "{option}: {told:?}");
    }
    engine.tell("setoption name Hash value 32");
    engine.tell("setoption name Threads value 3");
    let search = engine.go("depth 5");
    engine.check_moves(&search, false);
    engine.quit();
    std::fs::remove_file(log).expect("it was written");
}

/// Neither a pipe without a writer nor a device without an end is waited for.
#[test]
fn what_is_no_file_is_not_read() {
    let folder = std::env::temp_dir().join(format!("stretto-pipes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let pipes: Vec<_> = ["KQvKR.dtm", "KQvKR.rtbw", "pipe.network"].map(|name| folder.join(name)).into();
    let made = Command::new("mkfifo").args(&pipes).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no pipes can be made");
        return;
    }
    let mut engine = Engine::ready();
    for option in ["TablePath", "SyzygyPath"] {
        engine.tell(&format!("setoption name {option} value {}", folder.display()));
    }
    for file in ["/dev/zero".to_owned(), "/".to_owned(), pipes[2].display().to_string()] {
        for option in ["EvalFile", "Book File"] {
            let told = engine.tell(&format!("setoption name {option} value {file}"));
            let is_told = told.iter().any(|line| line.starts_with("info string ") && line.contains(&file));
            assert!(is_told, "{option} {file}: {told:?}");
        }
    }
    engine.tell("position fen 8/8/8/8/8/4k2r/8/KQ6 w - - 0 1");
    let search = engine.go("depth 4");
    engine.check_moves(&search, false);
    engine.quit();
    std::fs::remove_dir_all(folder).expect("as it was made");
}

/// Is a signal ignored by this process, and so by those it starts? `nohup` does that.
fn is_ignored(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (number - 1) & 1 != 0)
}

/// As every program, and at once whatever it does: there is nothing it would have to save.
#[test]
fn signals_end_it_at_once() {
    for (name, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        if is_ignored(number) {
            eprintln!("skipped: SIG{name} is ignored here");
            continue;
        }
        let mut engine = Engine::ready();
        engine.tell("setoption name Threads value 3");
        engine.send("go infinite");
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", engine.id())]).status();
        assert!(sent.expect("a shell").success());
        assert_eq!(engine.end().signal(), i32::try_from(number).ok(), "{name}");
    }
}

#[test]
fn a_reader_that_goes_away_does_not_end_it() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stretto"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("stdin is piped");
    for line in ["uci", "go depth 6", "isready", "d", "bench 1", "go infinite", "stop", "quit"] {
        input.write_all(format!("{line}\n").as_bytes()).expect("it still listens");
        std::thread::sleep(ms(10));
    }
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}

/// Far more is said than a pipe holds before anybody reads: everything comes, in order, and nothing twice.
#[test]
fn a_reader_that_dawdles_loses_nothing() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stretto"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    let script = format!("go infinite\n{}stop\ngo depth 3\nisready\nquit\n", "uci\n".repeat(200));
    input.write_all(script.as_bytes()).expect("the script fits into the pipe");
    std::thread::sleep(ms(300));
    assert!(child.try_wait().expect("it can be asked").is_none(), "it waits for its reader");
    let mut said = String::new();
    child.stdout.take().expect("stdout is piped").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("an end").code(), Some(0));
    let count = |word: &str| said.lines().filter(|line| line.split(' ').next() == Some(word)).count();
    assert_eq!((count("uciok"), count("bestmove"), count("readyok")), (200, 2, 1));
}

#[test]
fn no_input_and_no_output_at_all_is_an_end() {
    for closed in ["<&-", "<&- >&-", "<&- >&- 2>&-", "</dev/null >/dev/full"] {
        if closed.contains("full") && !Path::new("/dev/full").exists() {
            continue;
        }
        let output = say_all(under(&format!("exec \"$@\" {closed}")), "uci\n");
        assert_eq!(output.status.code(), Some(0), "{closed}: {}", text(&output.stderr));
    }
}
