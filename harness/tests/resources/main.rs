//! Tests of scarce resources: without disk space, memory, descriptors or write permission the run
//! ends with the reason, and resumes afterwards; load from other programs is recorded.
//!
//! Cargo runs test programs one after another. Busy loops and limits of memory are therefore not in
//! the program `runs`, where they would disturb tests that measure time.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "test helpers may panic, and start programs"
)]

#[path = "../common/mod.rs"]
mod common;
mod other_load;

use std::fs;
use std::process::{Command, Output};

use common::{Exits, Has, Lab, expect_schedule, harness, stderr};
use stretto_harness::games::{GameRecord, Side};

fn lab(pairs: u64, concurrency: u32) -> Lab {
    let lines =
        format!("games: {}\nconcurrency: {concurrency}\nadjudication: {{ max_moves: 20 }}", 2 * pairs);
    Lab::new("ok seed=5", "ok seed=6").with(&lines)
}

/// Runs the match of a lab from a shell command line; `$DIR` is the lab's folder.
fn started_by(lab: &Lab, shell: &[&str], line: &str) -> Output {
    let command = lab.command("match", &[]);
    let mut wrapped = Command::new(shell[0]);
    wrapped.args(&shell[1..]).args(["-c", line, "sh"]).env("DIR", lab.path(""));
    wrapped.arg(command.get_program()).args(command.get_args()).output().unwrap()
}

/// Returns the complete lines of the journal.
fn saved(lab: &Lab) -> Vec<GameRecord> {
    let text = fs::read_to_string(lab.run_dir().join("journal.jsonl")).unwrap_or_default();
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    text[..whole].lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Asserts that the run can be finished and repeats no saved game.
fn expect_to_go_on(lab: &Lab, pairs: u64, saved: &[GameRecord]) {
    lab.resume("match", &[]).exits(0);
    let games = lab.journal();
    assert_eq!(games[..saved.len()], *saved);
    expect_schedule(&games, pairs);
}

/// The command for a namespace where this process may mount. Only ignored tests use it.
const NAMESPACE: [&str; 5] = ["unshare", "--user", "--map-root-user", "--mount", "sh"];

/// Uses a tmpfs of a few hundred kilobytes.
#[test]
#[ignore = "needs user namespaces; run by `make test-namespaces`"]
fn with_namespaces_full_disk_ends_the_run_and_loses_no_finished_game() {
    for size in [96, 200] {
        let lab = lab(100, 3);
        fs::create_dir(lab.path("disk")).unwrap();
        // The small disk disappears with its namespace, so it is copied first.
        let line = format!(
            "mount -t tmpfs -o size={size}k none \"$DIR/disk\" && mkdir \"$DIR/disk/run\" \"$DIR/run\" || exit 99\n\
             mount --bind \"$DIR/disk/run\" \"$DIR/run\" || exit 99\n\
             \"$@\"; code=$?\n\
             cp -r \"$DIR/run\" \"$DIR/kept\"; exit $code"
        );
        let output = started_by(&lab, &NAMESPACE, &line).exits(1);
        let text = stderr(&output);
        assert!(text.contains("No space left on device") && text.contains("cannot "), "{text}");
        fs::remove_dir_all(lab.run_dir()).unwrap();
        fs::rename(lab.path("kept"), lab.run_dir()).unwrap();
        let games = saved(&lab);
        assert!(!games.is_empty() && games.len() < 200, "{} games on {size} KiB", games.len());
        assert!(text.contains("resume with: harness match --resume"), "{text}");
        expect_to_go_on(&lab, 100, &games);
    }
}

#[test]
#[ignore = "needs user namespaces; run by `make test-namespaces`"]
fn with_namespaces_read_only_disk_is_reported() {
    let lab = lab(2, 1);
    lab.run("match", &[]).exits(0);
    let line = "mount --bind \"$DIR/run\" \"$DIR/run\" && mount -o remount,ro,bind \"$DIR/run\" || exit 99\n\
                \"$1\" match --resume \"$DIR/run\"";
    started_by(&lab, &NAMESPACE, line).exits(1).stderr_has("Read-only file system");
    expect_to_go_on(&lab, 2, &saved(&lab));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
fn folder_that_cannot_be_created_is_reported() {
    // Not even root can create folders in the kernel's procfs.
    let lab = lab(2, 1);
    let output = harness(&["match"]).arg(lab.write_config()).args(["--out", "/proc/stretto-run"]).exits(1);
    output.stderr_has("cannot create /proc/stretto-run");
}

#[test]
fn too_few_descriptors_are_refused_before_the_first_game() {
    let lab = lab(16, 8);
    let with_limit = |files: u64| started_by(&lab, &["sh"], &format!("ulimit -n {files}; exec \"$@\""));
    let expected = "concurrency: 8 games at once need 104 open files, and the limit is 103: raise it with `ulimit -n 104`, or set `-j 7`";
    with_limit(103).exits(2).stderr_has(expected);
    assert!(!lab.run_dir().exists());
    let output = with_limit(104).exits(0);
    assert!(!stderr(&output).contains("open files"), "{}", stderr(&output));
    expect_schedule(&lab.journal(), 16);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs `prlimit`")]
fn too_few_descriptors_end_the_run_with_the_reason() {
    let lab = Lab::new("ok seed=5", "ok seed=6 dies-at=9")
        .with("games: 200\nconcurrency: 2\nadjudication: { max_moves: 20 }");
    // No file can be opened any more once some games are saved: neither pipes nor the evidence of the failed start.
    let line = "\"$@\" & until [ -s \"$DIR/run/journal.jsonl\" ]; do sleep 0.02; done; \
                prlimit --pid $! --nofile=3: || exit 99; wait $!";
    let output = started_by(&lab, &["sh"], line).exits(1);
    let text = stderr(&output);
    let notice =
        text.lines().find(|line| line.contains("second") && line.contains("failed to start")).unwrap();
    assert_eq!(
        notice.matches("Too many open files").count(),
        2,
        "the cause, and that of no evidence: {notice}"
    );
    let error = "engine second did not start: a worker gave up after 3 attempts";
    assert!(text.contains(error) && text.contains("resume with:"), "{text}");
    expect_to_go_on(&lab, 100, &saved(&lab));
}

#[test]
fn limit_of_descriptors_that_the_user_may_raise_is_raised() {
    let lab = lab(16, 8);
    started_by(&lab, &["sh"], "ulimit -Sn 28; exec \"$@\"").exits(0);
}

#[test]
fn engine_that_leaks_descriptors_loses_games_with_the_reason() {
    expect_leak("-n 64");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "engines inherit the limit of the harness")]
fn engines_keep_the_limit_of_descriptors_that_the_harness_raises() {
    expect_leak("-Sn 64");
}

/// Asserts that an engine opens files until the system refuses another, and aborts. The harness plays on with
/// a new process, and runs out of nothing itself.
fn expect_leak(limit: &str) {
    let lab = Lab::new("ok seed=5", "leaky seed=6")
        .with("games: 12\nconcurrency: 1\nadjudication: { max_moves: 20 }");
    let output = started_by(&lab, &["sh"], &format!("ulimit {limit}; exec \"$@\"")).exits(0);
    let games = lab.journal();
    expect_schedule(&games, 6);
    let lost: Vec<&GameRecord> = games.iter().filter(|game| game.termination.name() == "crash").collect();
    assert!(lost.len() > 2, "{} of {} games", lost.len(), games.len());
    for game in lost {
        let side = game.termination.fault().unwrap();
        assert_eq!(if side == Side::White { game.white } else { game.black }, 1, "the engine that leaks");
        let fault = lab.run_dir().join(format!("faults/game-{}.txt", game.game + 1));
        let text = fs::read_to_string(&fault).unwrap();
        assert!(text.contains("cannot open the book: Too many open files"), "{text}");
    }
    assert!(!stderr(&output).contains("Too many open files"), "the harness: {}", stderr(&output));
}

/// Wherever memory ends, the run either finishes with fewer games at once, or ends and can be
/// resumed.
#[test]
fn low_memory_loses_no_game() {
    let (mut finished, mut refused) = (0, 0);
    for step in 0..6 {
        let lab = lab(20, 12);
        let limit = 90_000 + 35_000 * step;
        let output = started_by(&lab, &["sh"], &format!("ulimit -v {limit}; exec \"$@\""));
        let text = stderr(&output);
        match output.status.code() {
            Some(0) => finished += 1,
            Some(1) => refused += 1,
            // Some failed allocations abort the process, in Rust's runtime ("memory allocation of N
            // bytes failed") or in the C library ("failed to register TLS destructor: out of
            // memory", "cannot allocate memory for thread-local data"). The run is then in the same
            // state as after a kill.
            _ => assert!(
                ["memory allocation of", "out of memory", "cannot allocate memory"]
                    .iter()
                    .any(|words| text.contains(words)),
                "{limit} KiB: {}\n{text}",
                output.status
            ),
        }
        assert!(!text.contains("failed to spawn thread"), "{text}");
        if lab.run_dir().join("manifest.yaml").exists() {
            expect_to_go_on(&lab, 20, &saved(&lab));
        }
    }
    assert!(finished > 0, "{finished} finished, {refused} refused");
}
