//! Engines given as commits of a git repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::common::{BOOK, Exits, Has, await_that, expect_parts, harness, silent, stderr, stdout};

/// Arguments of short matches and tests.
const SHORT: [&str; 6] = ["--nodes", "200", "--openings", "../book.epd", "--set", "adjudication.max_moves=6"];

/// A git repository of an engine with the branches `main` and `patch`, and a cache of its own.
struct Repo {
    dir: tempfile::TempDir,
}

impl Repo {
    /// Creates the repository. The Makefile is in `folder`; the benches are 100 and 200.
    fn new(folder: &str) -> Self {
        let repo = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(repo.dir.path().join("repo")).unwrap();
        fs::write(repo.dir.path().join("book.epd"), BOOK).unwrap();
        fs::create_dir_all(repo.path(folder)).unwrap();
        // A folder of this name must not be in the way of the program.
        fs::create_dir_all(repo.path("engine")).unwrap();
        fs::write(repo.path("engine/notes.txt"), "").unwrap();
        repo.git(&["init", "--quiet", "--initial-branch", "main", "."]);
        let makefile = "EXE = my-engine\n$(EXE): engine.sh\n\tcp engine.sh $(EXE)\n\tchmod +x $(EXE)\n";
        fs::write(repo.path(folder).join("Makefile"), makefile).unwrap();
        repo.commit(folder, 100, "First version");
        repo.git(&["checkout", "--quiet", "-b", "patch"]);
        repo.commit(folder, 200, "Improve the search\n\nBench: 200");
        repo.git(&["checkout", "--quiet", "main"]);
        repo
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("repo").join(name)
    }

    /// Commits an engine whose `bench` prints this many nodes.
    fn commit(&self, folder: &str, nodes: u64, message: &str) {
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = bench ]; then echo \"{nodes} nodes 5000 nps\"; exit; fi\nexec {} ok\n",
            env!("CARGO_BIN_EXE_fake-engine")
        );
        fs::write(self.path(folder).join("engine.sh"), script).unwrap();
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    fn git(&self, args: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]);
        // A git hook that runs these tests sets them for its own repository.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"] {
            git.env_remove(name);
        }
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        git.args(args).current_dir(self.path(""));
        let output = git.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        stdout(&output).trim().to_owned()
    }

    /// The harness in the repository.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = harness(args);
        command.current_dir(self.path("")).env("XDG_CACHE_HOME", self.dir.path().join("cache"));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command and returns what it prints to stderr.
    fn expect(&self, code: i32, args: &[&str]) -> String {
        let output = self.run(args).exits(code);
        stderr(&output)
    }

    fn builds(&self) -> Vec<PathBuf> {
        let folder = self.dir.path().join("cache/stretto-harness/builds");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        entries.filter(|path| path.is_dir()).collect()
    }

    fn manifest(&self, run: &str) -> Value {
        let text = fs::read_to_string(self.path("..").join(run).join("manifest.yaml")).unwrap();
        serde_yaml::from_str(&text).unwrap()
    }

    fn games(&self, run: &str) -> usize {
        fs::read_to_string(self.path("..").join(run).join("journal.jsonl")).unwrap().lines().count()
    }

    /// Asserts that neither the checkout nor the list of work trees was touched.
    fn expect_untouched(&self) {
        assert_eq!(self.git(&["status", "--porcelain"]), "");
        assert_eq!(self.git(&["branch", "--show-current"]), "main");
        assert_eq!(self.git(&["worktree", "list"]).lines().count(), 1);
    }
}

#[test]
fn test_of_two_commits_builds_both_once_and_stores_them() {
    let repo = Repo::new("");
    let test =
        [&["sprt", "--dev", "patch", "--base", "main", "-n", "4", "--elo", "-5", "5"][..], &SHORT].concat();
    let text = repo.expect(0, &[&test[..], &["-o", "../run"]].concat());
    let parts = [
        "building patch (",
        "running bench of patch (",
        "building main (",
        "bench 200 nodes 5000 nps",
        "bench 100 nodes 5000 nps",
    ];
    expect_parts(&text, &parts);
    repo.expect_untouched();
    let manifest = repo.manifest("run");
    for (index, (name, bench)) in [("patch", 200), ("main", 100)].into_iter().enumerate() {
        let (build, commit) = (&manifest["builds"][index], repo.git(&["rev-parse", name]));
        assert_eq!((&build["revision"], &build["commit"]), (&name.into(), &commit.clone().into()));
        assert_eq!(build["bench"]["nodes"], bench);
        assert_eq!(build["blake3"].as_str().unwrap().len(), 64);
        let engine = &manifest["identity"]["config"]["engines"][index];
        assert_eq!((&engine["name"], &engine["git"]["revision"]), (&name.into(), &commit.into()));
        assert_eq!(manifest["identity"]["engines"][index]["bench"], bench);
    }
    // The second run finds both builds, and prints their benches again.
    let text = repo.expect(0, &[&test[..], &["-o", "../again"]].concat());
    assert!(!text.contains("building") && text.contains("bench 200 nodes"), "{text}");
    let report = repo.run(&["report", "../run"]).exits(0);
    let parts = ["(patch) Improve the search | ", "| bench | 200 nodes 5000 nps | 100 nodes 5000 nps |"];
    expect_parts(&stdout(&report), &parts);
    // The head of the page has the bounds and the commits.
    let page = fs::read_to_string(repo.path("../run/report.html")).unwrap();
    let head = page.split_once("<ul class=\"context\">").unwrap().1.split_once("</ul>").unwrap().0;
    let parts = ["H0: -5 nElo, H1: 5 nElo", "<li>patch: ", "(patch) Improve the search</li><li>main: "];
    expect_parts(head, &parts);
}

#[test]
fn missing_bench_is_added_to_a_build_without_building_again() {
    let repo = Repo::new("");
    let test = [&["match", "--dev", "patch", "--base", "main", "-n", "2"][..], &SHORT].concat();
    let text = repo.expect(0, &[&test[..], &["--no-bench", "-o", "../run"]].concat());
    assert!(text.contains("built in ") && !text.contains("bench"), "{text}");
    let text = repo.expect(0, &[&test[..], &["-o", "../again"]].concat());
    assert!(text.contains("running bench of patch (") && text.contains("bench 200 nodes"), "{text}");
    assert!(!text.contains("building") && !text.contains("built in"), "{text}");
}

/// Waits for a child that must not wait for the end of a run.
fn expect_end(mut child: std::process::Child) -> Output {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_mins(1) {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn bench_is_added_while_another_run_uses_the_build() {
    let repo = Repo::new("");
    let test = [&["match", "--dev", "patch", "--base", "main", "-n", "2"][..], &SHORT].concat();
    repo.expect(0, &[&test[..], &["--no-bench", "-o", "../run"]].concat());
    let locks: Vec<fs::File> =
        repo.builds().iter().map(|build| fs::File::open(build.with_extension("lock")).unwrap()).collect();
    assert_eq!(locks.len(), 2);
    for lock in &locks {
        lock.lock_shared().unwrap();
    }
    let mut command = repo.command(&[&test[..], &["-o", "../again"]].concat());
    let output = expect_end(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()).exits(0);
    assert!(
        stderr(&output).contains("bench 200 nodes") && !stderr(&output).contains("waiting"),
        "{}",
        stderr(&output)
    );
    drop(locks);
    repo.expect(0, &["builds", "prune", "--all"]);
    assert!(repo.builds().is_empty());
}

#[test]
fn commit_with_and_without_bench_is_built_once() {
    let repo = Repo::new("");
    let engine = |name: &str, bench: bool| {
        format!("{{ name: {name}, git: {{ repository: repo, revision: main, bench: {bench} }} }}")
    };
    let config = format!(
        "engines: [{}, {}]\nopenings: {{ file: book.epd }}\nnodes: 100\ngames: 2\nadjudication: {{ max_moves: 6 }}\n",
        engine("without", false),
        engine("with", true)
    );
    fs::write(repo.dir.path().join("same.yaml"), config).unwrap();
    let mut command = repo.command(&["match", "../same.yaml", "-o", "../run"]);
    expect_end(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()).exits(0);
    let builds = &repo.manifest("run")["builds"];
    assert!(builds[0]["bench"].is_null());
    assert_eq!((&builds[1]["bench"]["nodes"], repo.builds().len()), (&100.into(), 1));
}

#[test]
fn run_without_bench_is_resumed_with_another_cache() {
    let repo = Repo::new("");
    let test = [&["match", "--dev", "patch", "--base", "main", "-n", "2"][..], &SHORT].concat();
    repo.expect(0, &[&test[..], &["--no-bench", "-o", "../run"]].concat());
    let mut resume = repo.command(&["match", "--resume", "../run", "--set", "games=4"]);
    resume.env("XDG_CACHE_HOME", repo.dir.path().join("other")).exits(0).stderr_has("building patch");
    assert_eq!(repo.games("run"), 4);
}

#[test]
fn build_command_of_several_lines_is_one_cell_of_the_report() {
    let repo = Repo::new("");
    let build = "true\nmake EXE={exe}\n";
    let test = ["match", "--dev", "patch", "--base", "main", "-n", "2", "--build", build, "-o", "../run"];
    let text = repo.expect(0, &[&test[..], &SHORT].concat());
    assert!(text.contains(": `true; make EXE=engine-under-test`\n"), "{text}");
    let report = fs::read_to_string(repo.path("../run/report.md")).unwrap();
    assert!(report.contains("\n| build | true; make EXE={exe} | true; make EXE={exe} |\n"), "{report}");
}

#[test]
fn resumed_run_keeps_its_commits_when_branches_move() {
    let repo = Repo::new("");
    let test = ["sprt", "--dev", "patch", "--base", "main", "--elo", "-5", "5"];
    let short = [&test[..], &SHORT, &["-n", "4", "-o", "../run"]].concat();
    repo.expect(0, &short);
    let before = repo.manifest("run")["builds"][0]["commit"].clone();
    repo.git(&["checkout", "--quiet", "patch"]);
    repo.commit("", 300, "Another idea");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.expect(0, &["builds", "prune", "--all"]);
    assert!(repo.builds().is_empty());
    // The same arguments and more games: the program is built again from the same commit.
    let longer = [&test[..], &SHORT, &["-n", "8", "--resume", "../run"]].concat();
    let text = repo.expect(0, &longer);
    assert!(text.contains("patch has moved to ") && text.contains("bench 200 nodes"), "{text}");
    assert_eq!((repo.games("run"), &repo.manifest("run")["builds"][0]["commit"]), (8, &before));
    let text = repo.expect(0, &["sprt", "--resume", "../run", "--set", "sprt.max_games=10"]);
    assert!(!text.contains("building"), "{text}");
    assert_eq!(repo.games("run"), 10);
}

#[test]
fn errors_show_cause_and_remedy() {
    let repo = Repo::new("");
    repo.git(&["checkout", "--quiet", "-b", "empty"]);
    repo.git(&["rm", "--quiet", "Makefile"]);
    repo.git(&["commit", "--quiet", "-m", "Remove the Makefile"]);
    repo.git(&["checkout", "--quiet", "main"]);
    let outside = repo.dir.path().to_str().unwrap().to_owned();
    let dev = ["match", "--dev", "patch", "--base", "main", "-n", "2"];
    for (code, args, expected) in [
        (
            2,
            &[&dev[..], &["--repo", &outside]].concat(),
            &["is not in a git repository; set `repository` (--repo PATH)"][..],
        ),
        (2, &[&dev[..], &["--repo", "nowhere"]].concat(), &["error: --repo nowhere: ", "no such folder"]),
        (
            2,
            &["match", "--dev", "pach", "--base", "main", "-n", "2"].to_vec(),
            &["error: --dev pach: ", "no revision `pach` in ", "did you mean `patch`?"],
        ),
        (
            2,
            &["match", "--dev", "patch", "--base", "xyz", "-n", "2"].to_vec(),
            &["error: --base xyz: ", "no revision `xyz` in ", "; its current branch is `main`"],
        ),
        (
            1,
            &[&dev[..], &["--build", "echo compiling; echo broken >&2; exit 3"]].concat(),
            &["cannot build patch (", "exited with code 3", "\n  compiling\n  broken", "/build.log"],
        ),
        (
            1,
            &[&dev[..], &["--build", "no-such-compiler"]].concat(),
            &[
                "exited with code 127 because a program is missing: install it, or set another command with `build` (--build)",
            ],
        ),
        (
            1,
            &[&dev[..], &["--build", "make EXE=one && make EXE=two"]].concat(),
            &["the commit has several programs; choose one with `build`:\n  \
                 --build 'make EXE=one && make EXE=two && cp one {exe}'\n  \
                 --build 'make EXE=one && make EXE=two && cp two {exe}'\n"],
        ),
        (
            1,
            &[&dev[..], &["--build", "make --version"]].concat(),
            &["did not produce `engine-under-test` or another program. Expected"],
        ),
        (
            1,
            &[&dev[..], &["--build", "make EXE={exe} && printf '#!/bin/sh\necho old engine\n' >{exe}"]]
                .concat(),
            &[
                "bench of patch (",
                "printed no line such as `123 nodes 456 nps`",
                "--no-bench",
                "\n  old engine",
            ],
        ),
        (
            2,
            &["match", "--dev", "patch", "--base", "empty", "-n", "2"].to_vec(),
            &[
                "error: --base empty: ",
                "the commit has no Makefile with sources or `EXE`, Cargo.toml, CMakeLists.txt, meson.build or go.mod in its root \
                 or in one folder below it; set `build` (--build)",
            ],
        ),
        (1, &[&dev[..], &["--build-dir", "src"]].concat(), &["the commit has no folder `src`"]),
        (2, &[&dev[..], &["--build-dir", "../src"]].concat(), &["expected a folder inside the repository"]),
        (2, &["match", "./x", "./y", "-n", "2", "--repo", "."].to_vec(), &["--repo needs --dev, --base"]),
        (2, &["match", "a.yaml", "--dev", "patch"].to_vec(), &["needs engines on the command line"]),
    ] {
        let text = repo.expect(code, &[&args[..], &SHORT].concat());
        for part in expected {
            assert!(text.contains(part), "{args:?}: {part}: {text}");
        }
        repo.expect_untouched();
    }
}

#[test]
fn notices_report_untested_changes_equal_commits_and_wrong_benches() {
    let repo = Repo::new("");
    let run = |args: &[&str]| repo.expect(0, &[&["match", "-n", "2"], args, &SHORT].concat());
    let text = run(&["--dev", "main", "--base", "main", "-o", "../same"]);
    assert!(text.contains("main and main-2 are the same commit ") && !text.contains("uncommitted"), "{text}");
    repo.git(&["checkout", "--quiet", "patch"]);
    repo.commit("", 200, "Reorder\n\nBench: 201");
    fs::write(repo.path("Makefile"), "changed").unwrap();
    let text = run(&["--dev", "patch", "--base", "patch~1", "-o", "../reorder"]);
    let parts = ["has uncommitted changes", "its commit message states 201", "have the same bench 200"];
    expect_parts(&text, &parts);
    assert_eq!(fs::read_to_string(repo.path("Makefile")).unwrap(), "changed");
}

#[test]
fn interrupted_build_leaves_nothing_and_is_repeated() {
    let repo = Repo::new("");
    let slow = "test -e ../../../../go || sleep 30; make EXE={exe}";
    let test =
        [&["match", "--dev", "patch", "--base", "main", "-n", "2", "--build", slow][..], &SHORT].concat();
    let is_building = || repo.builds().iter().any(|build| build.join("build.log").exists());
    for signal in [Signal::TERM, Signal::KILL] {
        let mut child = silent(&mut repo.command(&test));
        await_that("a build", is_building);
        kill_process(Pid::from_child(&child), signal).unwrap();
        let status = child.wait().unwrap();
        if signal == Signal::TERM {
            assert_eq!(status.code(), Some(3));
            repo.expect_untouched();
            fs::remove_file(repo.builds()[0].join("build.log")).unwrap();
        }
    }
    fs::write(repo.dir.path().join("cache/go"), "").unwrap();
    let text = repo.expect(0, &[&test[..], &["-o", "../run"]].concat());
    assert!(text.contains("building patch") && repo.games("run") == 2, "{text}");
    repo.expect_untouched();
}

#[test]
fn makefile_of_a_subfolder_is_found() {
    let repo = Repo::new("src");
    let both = ["--dev", "patch", "--base", "main"];
    let text = repo.expect(0, &[&["match", "-n", "2", "-o", "../run"], &both[..], &SHORT].concat());
    assert!(text.contains("` in src/"), "{text}");
    // The same builds, in a benchmark and by the name of the folder.
    let bench =
        ["bench", "--depth", "2", "--positions", "../book.epd", "--build-dir", "src", "-o", "../bench"];
    let text = repo.expect(0, &[&bench[..], &both].concat());
    assert!(!text.contains("building"), "{text}");
    let bench = repo.manifest("bench");
    assert_eq!(bench["builds"][1]["revision"], "main");
}

#[test]
fn only_program_that_a_command_makes_is_the_engine() {
    let repo = Repo::new("");
    let test = ["match", "--dev", "patch", "--base", "main", "-n", "2", "--build", "make EXE=bin-name"];
    let text = repo.expect(0, &[&test[..], &SHORT, &["-o", "../run"]].concat());
    assert!(text.contains(" s: `bin-name`\n") && text.contains("bench 200 nodes"), "{text}");
}

#[test]
fn engine_of_cargo_without_makefile_is_built() {
    let repo = Repo::new("");
    repo.git(&["rm", "--quiet", "Makefile"]);
    fs::create_dir(repo.path("src")).unwrap();
    fs::write(repo.path("Cargo.toml"), "[package]\nname = \"rusty\"\nedition = \"2021\"\n\n[workspace]\n")
        .unwrap();
    let main = "fn main() {\n    use std::os::unix::process::CommandExt;\n    \
                panic!(\"{}\", std::process::Command::new(\"sh\").arg(SCRIPT).args(std::env::args().skip(1)).exec());\n}\n";
    // Only the program is kept, so it runs the script of the checkout.
    let script = format!("const SCRIPT: &str = {:?};\n", repo.path("engine.sh"));
    fs::write(repo.path("src/main.rs"), script + main).unwrap();
    repo.commit("", 300, "Rewrite");
    let test = ["match", "--dev", "main", "--base", "main~1", "-n", "2"];
    let text = repo.expect(0, &[&test[..], &SHORT, &["-o", "../run"]].concat());
    for part in
        ["`cargo build --release --target-dir target`", " s: `target/release/rusty`\n", "bench 300 nodes"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let builds = &repo.manifest("run")["builds"];
    assert_eq!(builds[1]["build"], "make -j{jobs} EXE={exe}");
    // The command is part of the run, and the program is found in the cache.
    let text = repo.expect(0, &["match", "--resume", "../run", "--set", "games=4"]);
    assert!(!text.contains("building") && repo.games("run") == 4, "{text}");
}

#[test]
fn configuration_file_gives_engines_by_revision() {
    let repo = Repo::new("");
    let config = format!(
        "# two commits and a program\nengines:\n  - {{ name: new, git: {{ repository: repo, revision: patch }} }}\n  \
         - {{ git: {{ repository: repo, revision: main, bench: false }} }}\n  - {{ name: other, command: {}, args: [ok] }}\n\
         openings: {{ file: book.epd }}\nnodes: 100\ngames: 2\nadjudication: {{ max_moves: 6 }}\n",
        env!("CARGO_BIN_EXE_fake-engine")
    );
    let file = repo.dir.path().join("gauntlet.yaml");
    fs::write(&file, &config).unwrap();
    repo.expect(0, &["match", "../gauntlet.yaml", "-o", "../run"]);
    let manifest = repo.manifest("run");
    assert_eq!((&manifest["builds"][0]["engine"], repo.games("run")), (&"new".into(), 6));
    assert_eq!(manifest["identity"]["config"]["engines"][1]["name"], "main");
    assert!(manifest["builds"][1]["bench"].is_null());
    assert!(manifest["identity"]["engines"][1]["binary"]["blake3"].is_string());
    repo.expect(0, &["match", "--resume", "../run"]);
    for (from, to, expected) in [
        (
            "revision: patch",
            "revision: pach",
            "gauntlet.yaml:3:53: engines[0].git.revision: no revision `pach`",
        ),
        (
            "revision: patch",
            "revison: patch",
            "engines[0].git: unknown field `revison`, did you mean `revision`?",
        ),
        ("name: new,", "name: new, command: x,", "engines[0].git: `command` and `git` exclude each other"),
        (
            "git: { repository: repo, revision: patch }",
            "args: [x]",
            "engines[0]: expected `command` or `git`",
        ),
    ] {
        fs::write(&file, config.replace(from, to)).unwrap();
        let text = repo.expect(2, &["match", "../gauntlet.yaml"]);
        assert!(text.contains(expected), "{to}: {text}");
    }
}

#[test]
fn builds_are_listed_and_pruned() {
    let repo = Repo::new("");
    let run = ["match", "--dev", "patch", "--base", "main", "-n", "2", "-o", "../run"];
    repo.expect(0, &[&run[..], &SHORT].concat());
    let list = repo.run(&["builds", "list"]).exits(0);
    assert!(
        stdout(&list).contains("Improve the search\n") && stdout(&list).contains("2 builds, "),
        "{}",
        stdout(&list)
    );
    let list: Vec<Value> = serde_json::from_str(&stdout(&repo.run(&["builds", "list", "--json"]))).unwrap();
    let name = list[0]["name"].as_str().unwrap();
    repo.expect(0, &["builds", "prune", "--older-than", "1h"]);
    repo.expect(0, &["builds", "prune", "--all", "--dry-run"]);
    assert_eq!(repo.builds().len(), 2);
    repo.expect(0, &["builds", "prune", name]);
    assert_eq!(repo.builds().len(), 1);
    let text = repo.expect(2, &["builds", "prune", name]);
    assert!(text.contains("no build of this name"), "{text}");
    let text = repo.expect(2, &["builds", "prune"]);
    assert!(text.contains("--older-than AGE or --all"), "{text}");
    let folder = Path::new("cache/stretto-harness/builds");
    repo.expect(0, &["builds", "prune", "--all"]);
    assert_eq!(fs::read_dir(repo.dir.path().join(folder)).unwrap().count(), 0, "locks are deleted as well");
}

#[test]
fn failed_build_is_listed_as_such() {
    let repo = Repo::new("");
    let run = ["match", "--dev", "patch", "--base", "main", "-n", "2", "--build", "echo broken; exit 3"];
    let text = repo.expect(1, &[&run[..], &SHORT].concat());
    assert!(text.contains("exit 3"), "{text}");
    let list = || stdout(&repo.run(&["builds", "list"]));
    let text = list();
    assert!(text.contains("  failed: cannot build patch ("), "{text}");
    assert!(
        text.contains("): `echo broken; exit 3` exited with code 3; see build.log in its folder\n"),
        "{text}"
    );
    // The next attempt fails before its build command, and the log is that of the first.
    let tree = repo.builds()[0].join("tree");
    fs::write(&tree, "in the way").unwrap();
    repo.expect(1, &[&run[..], &SHORT].concat());
    let text = list();
    assert!(text.contains("): git worktree: ") && text.contains("already exists\n"), "{text}");
    assert!(!text.contains("build.log") && repo.builds()[0].join("build.log").is_file(), "{text}");
    fs::remove_file(tree).unwrap();
    let json: Vec<Value> = serde_json::from_str(&stdout(&repo.run(&["builds", "list", "--json"]))).unwrap();
    assert_eq!(json[0]["failed"], true);
    assert!(json[0]["error"].as_str().unwrap().starts_with("cannot build patch ("), "{}", json[0]["error"]);
    let pruned = repo.expect(0, &["builds", "prune", "--older-than", "1h"]);
    assert!(pruned.contains("0 builds deleted"), "{pruned}");
    assert_eq!(repo.builds().len(), 1, "it failed just now");
    let run = [
        "match",
        "--dev",
        "patch",
        "--base",
        "main",
        "-n",
        "2",
        "--build",
        "cp engine.sh {exe}; chmod -x {exe}",
    ];
    let text = repo.expect(1, &[&run[..], &SHORT].concat());
    assert!(text.contains("which is not executable"), "{text}");
}

#[test]
fn name_of_a_branch_and_a_tag_must_be_qualified() {
    let repo = Repo::new("");
    repo.git(&["tag", "patch", "main"]);
    // A tag at the commit of its branch is not ambiguous.
    repo.git(&["tag", "main", "heads/main"]);
    let args = |dev: &'static str, run: &'static str| {
        [&["match", "--dev", dev, "--base", "main", "-n", "2", "-o", run][..], &SHORT].concat()
    };
    let text = repo.expect(2, &args("patch", "../run"));
    let parts = [
        "error: --dev patch: ",
        ": `patch` is a branch (",
        ") and a tag (",
        "; expected `heads/patch` or `tags/patch`",
    ];
    expect_parts(&text, &parts);
    let text = repo.expect(2, &args("patch~0", "../run"));
    assert!(text.contains("expected `heads/patch~0` or `tags/patch~0`"), "{text}");
    repo.expect(0, &args("heads/patch", "../branch"));
    repo.expect(0, &args("tags/patch", "../tag"));
    for (run, name) in [("branch", "refs/heads/patch"), ("tag", "refs/tags/patch")] {
        assert_eq!(repo.manifest(run)["builds"][0]["commit"], repo.git(&["rev-parse", name]));
    }
}

/// Creates a git repository with the file `NAME.txt` beside the one of the engine.
fn library(repo: &Repo, name: &str) -> String {
    let folder = repo.dir.path().join(name);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(format!("{name}.txt")), "").unwrap();
    let path = folder.to_str().unwrap().to_owned();
    repo.git(&["init", "--quiet", &path]);
    repo.git(&["-C", &path, "add", "."]);
    repo.git(&["-C", &path, "commit", "--quiet", "-m", "First version"]);
    path
}

#[test]
fn submodules_are_cloned_from_the_local_repository() {
    let repo = Repo::new("");
    let [nets, inner] = ["nets", "inner"].map(|name| library(&repo, name));
    let submodule = |args: &[&str]| {
        repo.git(&[&["-c", "protocol.file.allow=always"][..], args].concat());
    };
    submodule(&["-C", &nets, "submodule", "--quiet", "add", "../inner", "inner"]);
    repo.git(&["-C", &nets, "commit", "--quiet", "-m", "Add a submodule"]);
    submodule(&["submodule", "--quiet", "add", &nets, "nets"]);
    repo.git(&["commit", "--quiet", "-m", "Add a submodule"]);
    let leave = || repo.git(&["submodule", "--quiet", "deinit", "--force", "nets"]);
    let config = || fs::read_to_string(repo.path(".git/config")).unwrap();
    leave();
    let untouched = config();
    assert!(!untouched.contains("submodule"), "{untouched}");
    // Each run has a build command of its own, so that it builds.
    let run = |code: i32, name: &str, allow: &str| {
        let build = format!("ls nets/nets.txt nets/inner/inner.txt && make EXE={{exe}} # {name}");
        let folder = format!("../{name}");
        let run = ["match", "--dev", "main", "--base", "main", "-n", "2", "--build", &build, "-o", &folder];
        let mut command = repo.command(&[&run[..], &SHORT].concat());
        command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "protocol.file.allow");
        let output = command.env("GIT_CONFIG_VALUE_0", allow).exits(code);
        repo.expect_untouched();
        assert_eq!(config(), untouched);
        stderr(&output)
    };

    // The inner submodule comes from its relative URL.
    fs::remove_dir_all(&nets).unwrap();
    run(0, "outer", "always");

    // Both are local.
    submodule(&["submodule", "--quiet", "update", "--init", "--recursive"]);
    leave();
    fs::remove_dir_all(&inner).unwrap();
    run(0, "both", "user");

    fs::remove_dir_all(repo.path(".git/modules")).unwrap();
    let text = run(1, "none", "always");
    assert!(text.contains("): cannot check out submodule `nets` at "), "{text}");
    assert!(
        text.contains(", which is not in the local repository (`git submodule update --init` "),
        "{text}"
    );
    let list = stdout(&repo.run(&["builds", "list"]));
    assert!(list.contains("): cannot check out submodule `nets` at "), "{list}");
}

#[test]
fn makefile_of_a_folder_beyond_ascii_is_found() {
    let repo = Repo::new("möter");
    let run = ["match", "--dev", "patch", "--base", "main", "-n", "2", "-o", "../run"];
    let text = repo.expect(0, &[&run[..], &SHORT].concat());
    assert!(text.contains("` in möter/"), "{text}");
}

#[test]
fn unknown_revision_of_a_shallow_clone_has_a_hint() {
    let repo = Repo::new("");
    let url = format!("file://{}", repo.path("").display());
    repo.git(&["clone", "--quiet", "--depth", "1", "--branch", "patch", &url, "../shallow"]);
    let run = ["match", "--repo", "../shallow", "--dev", "patch", "--base", "main", "-n", "2"];
    let text = repo.expect(2, &[&run[..], &SHORT].concat());
    for part in
        ["error: --base main: ", "no revision `main` in ", " (a shallow clone: ", "`git fetch --unshallow`"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn messages_of_git_are_read_in_english() {
    let repo = Repo::new("");
    let bin = repo.dir.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let script = "#!/bin/sh\nif [ \"$LC_ALL\" != C ]; then echo 'fatal: Kein Git-Repository' >&2; exit 128; fi\n\
                  PATH=${PATH#*:}\nexport PATH\nexec git \"$@\"\n";
    // Another process writes it: the system does not start a file that a thread of this one has open.
    let mut write = Command::new("sh");
    write.args(["-c", "printf %s \"$1\" >\"$0\" && chmod +x \"$0\""]).arg(bin.join("git")).arg(script);
    assert!(write.status().unwrap().success());
    let outside = repo.dir.path().to_str().unwrap();
    let run = ["match", "--repo", outside, "--dev", "patch", "--base", "main", "-n", "2"];
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = repo.command(&[&run[..], &SHORT].concat());
    let output = command.env("PATH", path).env("LC_ALL", "de_DE.UTF-8").exits(2);
    output.stderr_has("is not in a git repository; set");
}

#[test]
fn defaults_of_a_test_are_those_of_a_patch() {
    let repo = Repo::new("");
    let output = repo.run(&["sprt", "--dev", "patch", "--base", "main", "--print-config"]).exits(0);
    let text = stdout(&output);
    expect_parts(&text, &["revision: patch\n", "time_control: 8+0.08\n", "elo0: 0.0\n", "elo1: 5.0\n"]);
    repo.run(&["sprt", "--dev", "patch", "--base", "main", "--plan"]).exits(0);
    assert!(repo.builds().is_empty(), "neither builds anything");
}

#[test]
fn mistakes_of_a_configuration_are_found_before_a_build() {
    let repo = Repo::new("");
    for (args, expected) in [
        (["--openings", "nix.epd"], "nix.epd"),
        (["--set", "adjudication.draw={ from_move: 34, moves: 8, scores: 20 }"], "scores"),
    ] {
        let test = [&["sprt", "--dev", "patch", "--base", "main", "--out", "../run"][..], &args].concat();
        let error = repo.expect(2, &test);
        assert!(error.contains(expected) && repo.builds().is_empty(), "{error}");
    }
}
