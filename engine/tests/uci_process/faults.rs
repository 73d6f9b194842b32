//! Failures of the system: no memory, threads or files, signals, and full or closed pipes.

#![cfg(unix)]

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use stretto::eval::network::{BUCKETS, FEATURES, Weights};

use crate::driver::{Engine, ms};

/// Returns the engine under a `ulimit`: `-v` for address space in KiB, `-n` for open files.
///
/// glibc reserves 64 MiB of address space for the heap of a new thread, if it is there. Without
/// arenas of their own all threads share one heap, and free memory stays free.
fn limited(limit: &str) -> Command {
    let mut command = under(&format!("ulimit {limit}; exec \"$@\""));
    command.env("MALLOC_ARENA_MAX", "1");
    command
}

/// Returns a shell that runs this line, which executes the engine.
fn under(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line, "sh", env!("CARGO_BIN_EXE_stretto")]);
    command
}

/// Sends the whole script, closes the input and waits for the end.
fn say_all(mut command: Command, script: &str) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    let mut input = child.stdin.take().expect("stdin is piped");
    // The engine may have exited already; its output shows whether it should have.
    let _ = input.write_all(script.as_bytes());
    drop(input);
    child.wait_with_output().expect("an end")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Memory may run out at the start, at a thread's stack, at its histories or at the hash table. The
/// engine reports it and plays on, or reports it and exits.
#[test]
fn lack_of_memory_is_reported_and_the_engine_plays_on() {
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
                refused += usize::from(said.contains("threads were requested, "));
            }
            Some(1) => assert!(errors.starts_with("stretto: ") && !errors.contains("panicked"), "{shown}"),
            // The loader of the system failed before the engine started.
            Some(126 | 127) if step == 0 => {}
            _ => panic!("{shown}"),
        }
    }
    assert!(played > 10 && refused > 5, "played {played} times, refused threads {refused} times");
}

/// A network of 4,096 neurons needs several MB more for each thread than the embedded one. Either
/// all threads have it, or it is refused.
#[test]
fn network_too_wide_for_the_memory_is_refused_and_the_old_one_kept() {
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
        let limit = 200_000 + 30_000 * step;
        let output = say_all(limited(&format!("-v {limit}")), &script);
        let (said, errors) = (text(&output.stdout), text(&output.stderr));
        let shown = format!("{limit} KiB: {}\n{said}\n{errors}", output.status);
        assert_eq!(output.status.code(), Some(0), "{shown}");
        assert_eq!(said.lines().filter(|line| line.starts_with("bestmove ")).count(), 2, "{shown}");
        let is_refused =
            said.contains("the system refused to allocate more memory") && said.contains("EvalFile: ");
        *if is_refused { &mut refused } else { &mut taken } += 1;
    }
    std::fs::remove_file(file).expect("it was written");
    assert!(refused > 2 && taken > 2, "refused {refused} times, accepted {taken} times");
}

#[test]
fn refused_hash_size_keeps_the_old_table() {
    let mut engine = Engine::run(limited("-v 600000"));
    engine.send("uci");
    engine.until("uciok");
    let before = engine.go("depth 6").nodes();
    let warm = engine.go("depth 6").nodes();
    let reply = engine.tell("setoption name Hash value 2000");
    assert_eq!(
        reply,
        ["info string option Hash: cannot allocate a hash table of 2000 MiB: the system refused"]
    );
    assert_ne!(engine.go("depth 6").nodes(), before, "the old table keeps its contents");
    engine.tell("ucinewgame");
    assert_eq!((engine.go("depth 6").nodes(), engine.go("depth 6").nodes()), (before, warm));
    engine.quit();
}

#[test]
fn lack_of_file_handles_is_reported_and_the_engine_plays_on() {
    let mut engine = Engine::run(limited("-n 4"));
    engine.send("uci");
    engine.until("uciok");
    // Only one more file can be opened.
    let log = std::env::temp_dir().join(format!("stretto-faults-{}.log", std::process::id()));
    assert!(engine.tell(&format!("setoption name Debug Log File value {}", log.display())).is_empty());
    for option in ["EvalFile", "Book File"] {
        let reply = engine.tell(&format!("setoption name {option} value {}", log.display()));
        assert!(reply.len() == 1 && reply[0].contains("Too many open files"), "{option}: {reply:?}");
    }
    engine.tell("setoption name Hash value 32");
    engine.tell("setoption name Threads value 3");
    let search = engine.go("depth 5");
    engine.check_moves(&search, false);
    engine.quit();
    std::fs::remove_file(log).expect("it was written");
}

/// The engine does not wait for the other end of a pipe and does not read an endless device.
#[test]
fn pipes_devices_and_folders_are_not_read_as_files() {
    let folder = std::env::temp_dir().join(format!("stretto-pipes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let pipes: Vec<_> = ["KQvKR.dtm", "KQvKR.rtbw", "pipe.network"].map(|name| folder.join(name)).into();
    let made = Command::new("mkfifo").args(&pipes).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo failed");
    let mut engine = Engine::ready();
    for option in ["TablePath", "SyzygyPath"] {
        engine.tell(&format!("setoption name {option} value {}", folder.display()));
    }
    for file in ["/dev/zero".to_owned(), "/".to_owned(), pipes[2].display().to_string()] {
        for option in ["EvalFile", "Book File"] {
            let reply = engine.tell(&format!("setoption name {option} value {file}"));
            let is_reported =
                reply.iter().any(|line| line.starts_with("info string ") && line.contains(&file));
            assert!(is_reported, "{option} {file}: {reply:?}");
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_stretto"));
        command.args(["genfens", "1", "seed", "1", "book", file.as_str()]);
        let output = say_all(command, "");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{file}: {errors}");
        assert!(errors.contains(&format!("cannot read the book {file}")), "{errors}");
    }
    let pipe = pipes[2].display();
    let reply = engine.tell(&format!("setoption name Debug Log File value {pipe}"));
    let refusal =
        format!("info string option Debug Log File: cannot open {pipe}: expected a file, found a named pipe");
    assert_eq!(reply, [refusal]);
    engine.tell("position fen 8/8/8/8/8/4k2r/8/KQ6 w - - 0 1");
    let search = engine.go("depth 4");
    engine.check_moves(&search, false);
    engine.quit();
    std::fs::remove_dir_all(folder).expect("as it was made");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs the inherited pipe as /dev/stderr")]
fn debug_log_may_be_a_device_or_an_inherited_pipe() {
    let script = |log: &str| format!("setoption name Debug Log File value {log}\nisready\nquit\n");
    for (log, is_seen) in [("/dev/null", false), ("/dev/stderr", true)] {
        let command = Command::new(env!("CARGO_BIN_EXE_stretto"));
        let output = say_all(command, &script(log));
        let (said, logged) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success() && !said.contains("cannot open"), "{log}: {said}");
        assert_eq!(logged.contains("< readyok"), is_seen, "{log}: {logged}");
    }
}

/// Sends a signal to an engine that searches with three threads and returns the signal that ended it.
fn killed_by(command: Command, name: &str) -> Option<i32> {
    let mut engine = Engine::run(command);
    engine.send("uci");
    engine.until("uciok");
    engine.tell("setoption name Threads value 3");
    engine.send("go infinite");
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", engine.id())]).status();
    assert!(sent.expect("a shell").success());
    engine.end().signal()
}

/// A parent may ignore signals, as `nohup` does, and its children inherit that; `env` restores the
/// defaults.
#[test]
fn signals_end_the_engine_during_a_search() {
    for (name, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        let mut command = Command::new("env");
        command.args(["--default-signal=TERM,INT,HUP", env!("CARGO_BIN_EXE_stretto")]);
        assert_eq!(killed_by(command, name), Some(number), "{name}");
        // The same below a shell that ignores the signal.
        let line = format!("trap '' {name}; exec env --default-signal={name} \"$@\"");
        assert_eq!(killed_by(under(&line), name), Some(number), "{name}, ignored by the parent");
    }
}

/// As in `stretto bench | head -1`.
#[test]
fn closed_output_ends_the_engine_during_a_search() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stretto"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("stdin is piped");
    input.write_all(b"go infinite\n").expect("the script fits into the pipe");
    let deadline = Instant::now() + ms(60_000);
    let status = loop {
        match child.try_wait().expect("it can be asked") {
            Some(status) => break status,
            None if Instant::now() < deadline => std::thread::sleep(ms(10)),
            None => panic!("the engine searches on: {:?}", child.kill()),
        }
    };
    assert_eq!(status.code(), Some(0));
    drop(input);
}

/// The engine prints more than a pipe holds before it is read. Every line arrives once.
#[test]
fn slow_reader_loses_no_output() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stretto"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    let script = format!("go infinite\n{}stop\ngo depth 3\nisready\nquit\n", "uci\n".repeat(200));
    input.write_all(script.as_bytes()).expect("the script fits into the pipe");
    std::thread::sleep(ms(300));
    assert!(child.try_wait().expect("it can be asked").is_none(), "the engine waits for its reader");
    let mut said = String::new();
    child.stdout.take().expect("stdout is piped").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("an end").code(), Some(0));
    let count = |word: &str| said.lines().filter(|line| line.split(' ').next() == Some(word)).count();
    assert_eq!((count("uciok"), count("bestmove"), count("readyok")), (200, 2, 1));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /dev/full")]
fn closed_input_and_output_end_the_engine() {
    for closed in ["<&-", "<&- >&-", "<&- >&- 2>&-", "</dev/null >/dev/full"] {
        let output = say_all(under(&format!("exec \"$@\" {closed}")), "uci\n");
        assert_eq!(output.status.code(), Some(0), "{closed}: {}", text(&output.stderr));
    }
}
