//! A test environment for processes: a folder with openings and a configuration, in which the
//! harness runs.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test crate uses its part")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use stretto_harness::games::GameRecord;

/// Six openings after two plies each.
pub const BOOK: &str = "\
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"open\";
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"sicilian\";
rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"french\";
rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - id \"closed\";
rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - id \"indian\";
rnbqkbnr/pppp1ppp/8/4p3/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - id \"english\";
";

/// Default timeouts of a [`Lab`]: long enough that no working engine counts as hanging when the
/// hypervisor takes CPU time for seconds.
const PATIENT: &str = "watchdog: { uci: 60, ready: 60, answer: 60 }\n";

/// A match configuration under construction, in its own folder.
pub struct Lab {
    dir: tempfile::TempDir,
    engines: Vec<String>,
    extra: String,
}

impl Lab {
    /// Creates two engines with these arguments, at 200 nodes per move by default.
    pub fn new(first: &str, second: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("book.epd"), BOOK).unwrap();
        let lab = Self { dir, engines: vec![String::new(); 2], extra: String::new() };
        lab.engine(0, first, "").engine(1, second, "")
    }

    /// Sets engine `index`; `more` are further fields, each with a leading comma.
    pub fn engine(mut self, index: usize, args: &str, more: &str) -> Self {
        self.engines[index] = entry(["first", "second"][index], args, more);
        self
    }

    /// Adds an engine with this name.
    pub fn and(mut self, name: &str, args: &str) -> Self {
        self.engines.push(entry(name, args, ""));
        self
    }

    /// Adds top-level lines.
    pub fn with(mut self, lines: &str) -> Self {
        let _ = writeln!(self.extra, "{lines}");
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn run_dir(&self) -> PathBuf {
        self.path("run")
    }

    /// Writes the configuration.
    pub fn write_config(&self) -> PathBuf {
        let limit = if self.extra.contains("time_control") { "" } else { "nodes: 200\n" };
        let rules =
            if self.extra.contains("adjudication") { "" } else { "adjudication: { max_moves: 12 }\n" };
        let watchdog = if self.extra.contains("watchdog") { "" } else { PATIENT };
        let engines = self.engines.join("\n  - ");
        let text = format!(
            "engines:\n  - {engines}\nopenings: {{ file: book.epd, order: sequential }}\n\
             {watchdog}{limit}{rules}{}",
            self.extra
        );
        let file = self.path("config.yaml");
        fs::write(&file, text).unwrap();
        file
    }

    /// Returns the unstarted command `harness KIND config --out run ARGS`.
    pub fn command(&self, kind: &str, args: &[&str]) -> Command {
        let mut command = self.edited(kind, |text| text);
        command.args(args);
        command
    }

    /// Returns the unstarted command `harness KIND config --out run` with an edited configuration.
    pub fn edited(&self, kind: &str, edit: impl FnOnce(String) -> String) -> Command {
        let config = self.write_config();
        fs::write(&config, edit(fs::read_to_string(&config).unwrap())).unwrap();
        let mut command = harness(&[kind]);
        command.arg(config).arg("--out").arg(self.run_dir());
        command
    }

    pub fn run(&self, kind: &str, args: &[&str]) -> Output {
        self.command(kind, args).output().unwrap()
    }

    pub fn resume(&self, kind: &str, args: &[&str]) -> Output {
        harness(&[kind, "--resume"]).arg(self.run_dir()).args(args).output().unwrap()
    }

    pub fn spawn(&self, kind: &str, args: &[&str]) -> Child {
        self.command(kind, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Returns the finished games.
    pub fn journal(&self) -> Vec<GameRecord> {
        games_of(&self.run_dir())
    }

    pub fn summary(&self) -> Value {
        summary_of(&self.run_dir())
    }

    pub fn pgn(&self) -> String {
        fs::read_to_string(self.run_dir().join("games.pgn")).unwrap()
    }

    /// Waits until the journal has `games` lines.
    pub fn await_games(&self, games: usize) {
        let file = self.run_dir().join("journal.jsonl");
        await_that("games in the journal", || {
            fs::read(&file).is_ok_and(|bytes| bytes.split(|&byte| byte == b'\n').count() > games)
        });
    }
}

/// A folder with positions and the configuration of a measurement: `smp`, `bench` or `ablate`.
pub struct MeasurementSetup {
    kind: &'static str,
    dir: tempfile::TempDir,
}

impl MeasurementSetup {
    /// Creates the folder with the configuration `text`, `book.epd` and `positions.epd`.
    pub fn new(kind: &'static str, text: &str) -> Self {
        let setup = Self { kind, dir: tempfile::tempdir().unwrap() };
        for file in ["positions.epd", "book.epd"] {
            fs::write(setup.path(file), BOOK).unwrap();
        }
        setup.configure(text);
        setup
    }

    /// Returns the `engines` list: fake engines in these modes, named `engine 0` and so on.
    pub fn engines(modes: &[&str]) -> String {
        let engine = |(index, mode): (usize, &&str)| {
            let command = fake_engine();
            format!("  - {{ name: engine {index}, command: {command}, args: [{mode}] }}\n")
        };
        format!("engines:\n{}", modes.iter().enumerate().map(engine).collect::<String>())
    }

    /// Replaces the configuration.
    pub fn configure(&self, text: &str) {
        fs::write(self.path("config.yaml"), text).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn command(&self, out: &str) -> Command {
        let mut command = harness(&[self.kind]);
        command.arg(self.path("config.yaml")).arg("--out").arg(self.path(out));
        command
    }

    pub fn run(&self, out: &str) -> Output {
        self.command(out).output().unwrap()
    }

    pub fn resume(&self, out: &str) -> Output {
        harness(&[self.kind, "--resume"]).arg(self.path(out)).output().unwrap()
    }

    pub fn text(&self, out: &str, file: &str) -> String {
        fs::read_to_string(self.path(out).join(file)).unwrap()
    }

    pub fn summary(&self, out: &str) -> Value {
        summary_of(&self.path(out))
    }

    /// Returns the number of lines of a journal.
    pub fn lines(&self, journal: &str) -> usize {
        lines_of(&self.path(journal))
    }

    /// Asserts that two runs have equal files, but for the name and the start of the run in reports.
    pub fn expect_same(&self, one: &str, other: &str, files: &[&str]) {
        let is_same = |row: &&str| {
            !["run", "begun"]
                .iter()
                .any(|name| row.starts_with(&format!("| {name} |")) || row.contains(&format!(">{name}</")))
        };
        for file in files {
            let rows_end = if *file == "report.html" { "</tr>" } else { "\n" };
            let [one, other] = [one, other].map(|run| self.text(run, file));
            let [one, other] =
                [&one, &other].map(|text| text.split(rows_end).filter(is_same).collect::<Vec<_>>());
            assert_eq!(one, other, "{file}");
        }
    }

    /// Runs once to the end in `whole`, and once in `run` with a kill after some lines of this
    /// journal and a resume; both must have the same number of lines.
    pub fn expect_to_survive_a_kill(&self, journal: &str, some: usize) {
        self.run("whole").exits(0);
        let all = self.lines(&format!("whole/{journal}"));
        let child = silent(&mut self.command("run"));
        let journal = format!("run/{journal}");
        await_that("some lines", || self.lines(&journal) > some);
        killed(child);
        assert!(self.lines(&journal) < all, "killed in the middle");
        self.resume("run").exits(0);
        assert_eq!(self.lines(&journal), all);
    }
}

/// Returns the games in the journal of a run.
pub fn games_of(run: &Path) -> Vec<GameRecord> {
    let text = fs::read_to_string(run.join("journal.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the summary of a run.
pub fn summary_of(run: &Path) -> Value {
    serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap()
}

/// Returns the number of lines of a file; 0 without the file.
pub fn lines_of(file: &Path) -> usize {
    fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

/// Returns the configuration entry of a fake engine.
fn entry(name: &str, args: &str, more: &str) -> String {
    let args: Vec<&str> = args.split_whitespace().collect();
    let command = fake_engine();
    format!("{{ name: {name}, command: {command}, args: [{}]{more} }}", args.join(", "))
}

/// Returns the engine of this repository. It is built first, with the profile and flags of these
/// tests: `cargo test -p stretto-harness` does not build programs of other packages.
///
/// Cargo unites the features of dependencies over the selected packages and tests. The command
/// selects all packages and a test, as `cargo test --workspace` does, so that it reuses all builds of
/// that. A test of the engine does not need the programs of the harness, which are running.
pub fn stretto() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
        let folder = programs().file_name().unwrap();
        let profile = if folder == "debug" { "test".as_ref() } else { folder };
        let mut command = Command::new(cargo);
        command.args(["build", "--locked", "--quiet", "--workspace", "--bin", "stretto", "--test", "perft"]);
        command.args(["--message-format", "json-render-diagnostics", "--manifest-path", manifest]);
        let output = command.arg("--profile").arg(profile).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "cannot build the engine: {command:?}\n{}", stderr(&output));
        let executable = |line: &str| {
            let message: Value = serde_json::from_str(line).ok()?;
            Some(PathBuf::from(message["executable"].as_str()?))
        };
        let text = stdout(&output);
        let found = text.lines().filter_map(executable).find(|path| path.ends_with("stretto"));
        found.unwrap_or_else(|| panic!("cargo reports no executable: {command:?}\n{text}"))
    })
}

/// Returns the harness command with these arguments, where the bare command `stretto` is the engine
/// of this repository.
pub fn harness_with_stretto(args: &[&str]) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(stretto().parent().unwrap().to_owned()).chain(std::env::split_paths(&path));
    let mut command = harness(args);
    command.env("PATH", std::env::join_paths(folders).unwrap());
    command
}

/// Returns the folder of the built programs, which has the one of this test in `deps`.
fn programs() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> =
        LazyLock::new(|| std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned());
    &FOLDER
}

/// Returns the path of a program of the workspace, which `cargo test --workspace` builds before the tests.
pub fn program(name: &str) -> &'static str {
    let path = programs().join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} is not built; cargo test --workspace builds it", path.display());
    path.to_str().unwrap().to_owned().leak()
}

/// Returns the path of the scripted engine.
pub fn fake_engine() -> &'static str {
    program("fake-engine")
}

/// Returns the harness command with these arguments.
pub fn harness(args: &[&str]) -> Command {
    command("harness", args)
}

/// Returns the command of the workshop with these arguments.
pub fn workshop(args: &[&str]) -> Command {
    command("workshop", args)
}

fn command(name: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program(name));
    command.args(args).stdin(Stdio::null());
    command
}

/// Starts a command whose output is not read.
pub fn silent(command: &mut Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Kills a process and waits for its end.
pub fn killed(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Sends a signal to a process and waits for its end.
pub fn signalled(child: Child, signal: Signal) -> Output {
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait_with_output().unwrap()
}

pub fn await_that(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "waited too long for: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Asserts the exit code and prints the output on failure.
#[track_caller]
pub fn expect_code(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "stdout: {}\nstderr: {}", stdout(output), stderr(output));
}

/// A command to run, or the output of one that ran.
pub trait Exits {
    /// Asserts the exit code and returns the output.
    fn exits(self, code: i32) -> Output;
}

impl Exits for &mut Command {
    #[track_caller]
    fn exits(self, code: i32) -> Output {
        self.output().unwrap().exits(code)
    }
}

impl Exits for Output {
    #[track_caller]
    fn exits(self, code: i32) -> Output {
        expect_code(&self, code);
        self
    }
}

/// An output that is searched for texts. A missing text is printed with the whole output.
pub trait Has {
    /// Asserts that stderr contains a text.
    fn stderr_has(&self, part: &str) -> &Self;
    /// Asserts that stdout contains a text.
    fn stdout_has(&self, part: &str) -> &Self;
}

impl Has for Output {
    #[track_caller]
    fn stderr_has(&self, part: &str) -> &Self {
        let (out, err) = (stdout(self), stderr(self));
        assert!(err.contains(part), "stderr has no `{part}`\nstdout: {out}\nstderr: {err}");
        self
    }

    #[track_caller]
    fn stdout_has(&self, part: &str) -> &Self {
        let (out, err) = (stdout(self), stderr(self));
        assert!(out.contains(part), "stdout has no `{part}`\nstdout: {out}\nstderr: {err}");
        self
    }
}

/// Asserts that a text contains all parts.
#[track_caller]
pub fn expect_parts(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}`: {text}");
    }
}

/// Returns the findings of `harness doctor` on an engine. On a busy machine the doctor may miss an answer; it says so and
/// is called again.
pub fn examination(engine: &[&str]) -> Vec<Value> {
    for _ in 0..10 {
        let output = harness(&["doctor", "--only-engine", "--json"]).args(engine).output().unwrap();
        expect_code(&output, 0);
        let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let findings = json["findings"].as_array().unwrap();
        let is_unanswered = |found: &Value| {
            found["message"].as_str().unwrap().contains("the harness itself was not running for a while")
        };
        if !findings.iter().any(is_unanswered) {
            return findings.clone();
        }
    }
    panic!("the machine was too busy in ten examinations of {engine:?}");
}

/// Asserts that the games are exactly those of `pairs` pairs.
pub fn expect_schedule(games: &[GameRecord], pairs: u64) {
    let mut numbers: Vec<u64> = games.iter().map(|game| game.game).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..2 * pairs).collect::<Vec<_>>());
    for game in games {
        assert_eq!((game.pair, u64::from(game.half)), (game.game / 2, game.game % 2));
        assert_eq!((game.white, game.black), (usize::from(game.half), 1 - usize::from(game.half)));
    }
}

/// Returns the events of a name, of a command that ran with `--json`.
pub fn events(output: &Output, name: &str) -> Vec<Value> {
    let parsed =
        stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
    parsed.into_iter().filter(|event| event["event"] == name).collect()
}

/// Returns the number of processes whose command line contains `text`.
pub fn processes_with(text: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let has_text = |path: &Path| {
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ").contains(text)
    };
    entries.filter(|entry| has_text(&entry.path())).count()
}

/// Returns the path of a file in the repository's `testdata`.
pub fn carried(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata")).join(name)
}

/// Returns the path of a file or folder in the collections that `STRETTO_TEST_DATA` names. Only
/// ignored tests call this.
pub fn collection(name: &str) -> PathBuf {
    let folder =
        std::env::var_os("STRETTO_TEST_DATA").expect("`make test-data DATA=FOLDER` names the folder");
    let path = PathBuf::from(folder).join(name);
    assert!(path.exists(), "{} does not exist", path.display());
    path
}
