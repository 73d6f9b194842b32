//! Process tests of `harness queue`: order, checks, locks, kill and restart.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};

use crate::common::{
    Exits, Has, Lab, await_that, harness, killed, lines_of, signalled, silent, stderr, stdout,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A folder with a queue, and with the configuration of a match or test.
struct QueueSetup(Lab);

impl QueueSetup {
    /// Configures a run of `games` games with the first engine in this mode. It is a match, or a test if `sprt` is set.
    fn new(mode: &str, lines: &str) -> Self {
        let lab = Lab::new(mode, "ok").with(lines);
        lab.write_config();
        Self(lab)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    fn call(&self, args: &[&str]) -> Output {
        harness(&["queue"]).args(args).current_dir(self.path(".")).output().unwrap()
    }

    fn add(&self, words: &[&str]) {
        self.call(&[&["add"], words].concat()).exits(0);
    }

    fn start(&self, args: &[&str]) -> Child {
        let mut command = harness(&["queue", "run"]);
        command.args(args).current_dir(self.path("."));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn list(&self) -> Vec<Value> {
        let output = self.call(&["list", "--json"]).exits(0);
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn states(&self) -> Vec<String> {
        self.list().iter().map(|entry| entry["state"].as_str().unwrap().to_owned()).collect()
    }

    fn games(&self, run: &str) -> usize {
        let journal = self.path("results/runs").join(run).join("journal.jsonl");
        lines_of(&journal)
    }
}

/// Returns the processes that a process has started.
fn children(child: &Child) -> Vec<Pid> {
    let id = child.id();
    let text = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?)).collect()
}

#[test]
fn commands_run_in_their_order_and_one_after_the_other() {
    let setup = QueueSetup::new("ok", "games: 4");
    for name in ["a", "b", "c"] {
        setup.add(&["match", "config.yaml", "--run-id", name]);
    }
    setup.add(&["match", "config.yaml"]);
    setup.call(&["remove", "2"]).exits(0);
    assert_eq!(setup.states(), ["waiting"; 3]);
    setup.call(&["run"]).exits(0);
    let list = setup.list();
    assert_eq!(list.iter().map(|entry| entry["id"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 3, 4]);
    for pair in list.windows(2) {
        let time = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
        assert!(time(&pair[0], "ended") <= time(&pair[1], "begun"), "{pair:?}");
    }
    assert_eq!((setup.games("match-a"), setup.games("match-b"), setup.games("match-c")), (4, 0, 4));
    let result = list[2]["result"].as_str().unwrap();
    assert!(result.starts_with("first against second: 4 games played"), "{result}");
    assert!(list[2]["run"].as_str().unwrap().ends_with("-q4"), "{list:?}");
    setup.call(&["remove", "--ended"]).exits(0);
    assert_eq!(setup.list().len(), 0);
    setup.call(&["run"]).exits(0);
}

#[test]
fn commands_that_cannot_run_are_refused_at_once() {
    let setup = QueueSetup::new("ok", "games: 4");
    for (words, expected) in [
        (&["match", "config.yaml", "--gams", "3"][..], "unexpected argument '--gams'"),
        (&["match", "none.yaml"], "none.yaml: no such file"),
        (&["match", "config.yaml", "--set", "games=3"], "games: 3"),
        (&["match", "config.yaml", "--set", "engines[0].command=./none"], "engines[0].command"),
        (&["match", "config.yaml", "--set", "openings.file=none.epd"], "openings.file"),
        (&["sprt", "config.yaml"], "sprt: missing"),
        (&["sprt", "config.yaml", "--counts", "1,2,3,4,5"], "--counts"),
        (&["match", "./none", "./none", "--nodes", "5", "-n", "2"], "./none: engines[0].command"),
        (&["sprt", "--dev", "none", "--base", "none", "--repo", "."], "git"),
        (&["match", "--resume", "none"], "no run `none`"),
        (&["suite", "none.epd", "--nodes", "5", "--engine", "/bin/sh"], "none.epd"),
        (&["doctor", "./a"], "harness doctor keeps no run"),
        (&["queue", "run"], "harness queue keeps no run"),
    ] {
        let output = setup.call(&[&["add"], words].concat());
        assert!(matches!(output.status.code(), Some(1 | 2)), "{words:?}: {output:?}");
        assert!(stderr(&output).contains(expected), "{words:?}: {}", stderr(&output));
    }
    setup.call(&["add"]).exits(2);
    assert_eq!(setup.list().len(), 0);
    assert!(!setup.path("results/runs").exists(), "a check begins no run");
    setup.add(&["match", "config.yaml", "--run-id", "a"]);
    let output = setup.call(&["add", "match", "config.yaml", "--run-id", "a"]).exits(2);
    output.stderr_has("is the run of entry 1");
    setup.call(&["remove", "5"]).exits(2);
}

#[test]
fn queue_fails_after_all_if_a_command_fails() {
    let setup = QueueSetup::new("illegal after=2", "sprt: { elo0: 0, elo1: 100 }\nconcurrency: 2");
    setup.add(&["sprt", "config.yaml", "--expect", "h1"]);
    setup.add(&["sprt", "config.yaml", "--expect", "h0"]);
    setup.call(&["run"]).exits(1).stderr_has("1 of the commands did not exit with 0");
    let codes: Vec<Value> = setup.list().iter().map(|entry| entry["exit_code"].clone()).collect();
    assert_eq!(codes, [1, 0]);
}

#[test]
fn killed_queue_and_test_are_resumed_with_the_missing_games() {
    let setup = QueueSetup::new("slow ms=20", "sprt: { elo0: 0, elo1: 1, max_games: 40 }");
    setup.add(&["sprt", "config.yaml", "--run-id", "a", "--expect", "h1"]);
    setup.add(&["sprt", "config.yaml", "--run-id", "b"]);
    let queue = setup.start(&[]);
    await_that("some games", || setup.games("sprt-a") > 2);
    assert_eq!(setup.states(), ["running", "waiting"]);
    setup.call(&["remove", "1"]).exits(1).stderr_has("command 1 is in progress");
    let tests = children(&queue);
    assert_eq!(tests.len(), 1, "one command at once");
    killed(queue);
    kill_process(tests[0], Signal::KILL).unwrap();
    await_that("the end of the test", || setup.states() == ["interrupted", "waiting"]);
    let played = setup.games("sprt-a");
    assert!(played < 40, "killed in the middle");
    setup.call(&["remove", "2"]).exits(0);
    let output = setup.call(&["run"]).exits(1);
    assert_eq!((setup.games("sprt-a"), setup.states()), (40, vec!["ended".to_owned()]));
    assert!(stderr(&output).contains(&format!("with {played} games")), "resumed: {}", stderr(&output));
    output.stderr_has("expected H1 to be accepted");
}

#[test]
fn test_of_a_killed_queue_goes_on_and_is_waited_for() {
    let setup = QueueSetup::new("slow ms=20", "games: 20");
    setup.add(&["match", "config.yaml", "--run-id", "a"]);
    setup.add(&["match", "config.yaml", "--run-id", "b"]);
    let queue = setup.start(&[]);
    await_that("some games", || setup.games("match-a") > 2);
    // A second process does not run the queue too.
    setup.call(&["run"]).exits(1).stderr_has("another `harness queue run` runs this queue");
    killed(queue);
    assert_eq!(setup.states(), ["running", "waiting"], "the test goes on");
    let output = setup.call(&["run"]).exits(0);
    let text = stderr(&output);
    let waiting = "waiting for the command that an earlier `harness queue run` began";
    assert_eq!(text.matches(waiting).count(), 1, "{text}");
    assert_eq!((setup.games("match-a"), setup.games("match-b")), (20, 20));
    assert_eq!(setup.states(), ["ended"; 2]);
}

#[test]
fn test_of_a_killed_queue_is_waited_for_without_its_lock() {
    let setup = QueueSetup::new("slow ms=20", "games: 20");
    setup.add(&["match", "config.yaml", "--out", "elsewhere"]);
    let queue = setup.start(&[]);
    let games = || lines_of(&setup.path("elsewhere/journal.jsonl"));
    await_that("some games", || games() > 2);
    killed(queue);
    // As on Windows, where a child does not inherit a lock.
    fs::remove_file(setup.path("results/queue/machine.lock")).unwrap();
    assert_eq!(setup.states(), ["running"]);
    let output = setup.call(&["run"]).exits(0);
    let text = stderr(&output);
    assert!(text.contains("/elsewhere, which is in progress"), "{text}");
    assert_eq!((games(), setup.states()), (20, vec!["ended".to_owned()]));
}

#[test]
fn interrupted_queue_stops_its_test_and_waits_for_other_runs() {
    let setup = QueueSetup::new("slow ms=20", "games: 20");
    setup.add(&["match", "config.yaml", "--run-id", "a"]);
    // A run that the queue did not begin has the machine.
    let mut other =
        silent(harness(&["match", "config.yaml", "--run-id", "other"]).current_dir(setup.path(".")));
    await_that("some games of the other run", || setup.games("match-other") > 0);
    let queue = setup.start(&["--wait"]);
    await_that("the games of the queue", || setup.games("match-a") > 2);
    assert!(other.try_wait().unwrap().is_some(), "the other run has ended");
    let output = signalled(queue, Signal::TERM).exits(3);
    let text = stderr(&output);
    assert!(text.contains("waiting for results/runs/match-other, which is in progress"), "{text}");
    assert!(text.contains("command 1 is interrupted: `harness queue run` resumes it"), "{text}");
    assert_eq!(setup.states(), ["interrupted"]);
    assert!(setup.games("match-a") < 20);
    setup.call(&["run"]).exits(0);
    assert_eq!(setup.games("match-a"), 20);
    assert!(stdout(&setup.call(&["list"])).contains("exit code 0; first against second: 20 games played"));
}
