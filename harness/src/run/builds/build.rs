//! Makes one build: work tree, build command, `bench`.
//!
//! An interruption at any point leaves at most a work tree in the cache, which the next build of the
//! same commit removes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};

use super::bench::{BENCH_LIMIT, Bench, last_lines, read_lossy, run_bench};
use super::cache::{self, BUILD_LOG, Lock, LockKind, TREE, USED};
use super::job::{self, run_logged};
use super::programs::Programs;
use super::record::{BuildRecord, RECORD_VERSION, one_line, short_hash};
use super::repository::Repository;
use super::{recipe, submodules};
use crate::base::cancel::Cancel;
use crate::base::system::files::is_executable;
use crate::base::system::group::describe_exit;
use crate::config::GitBuild;
use crate::config::git::EXE;
use crate::run::command::{Failure, say};
use crate::run::hash_file;
use crate::run::quick::quoted_for_sh;

/// Advice if a build command misses a program.
const MISSING: &str = " because a program is missing: install it, or set another command with `build` (--build), such as \
    `make EXE={exe} CC=gcc`";

/// Exit code of a shell that does not find a program.
const NOT_FOUND: i32 = 127;

/// Advice if `bench` fails.
const ADVICE: &str = "`bench: false` (--no-bench) skips it; only the program is kept, so a network or another file that it \
    reads must be embedded or given by an absolute path";

/// An engine to build.
#[derive(Debug)]
pub(super) struct Order<'a> {
    /// Name of the engine in the run.
    pub(super) engine: &'a str,
    /// The commit and the command.
    pub(super) git: &'a GitBuild,
    /// The present time, UTC.
    pub(super) now: &'a str,
    pub(super) cancel: &'a Cancel,
}

impl Order<'_> {
    /// Returns the record of the build, which is made unless it is in the cache, and a lock that
    /// keeps it there.
    pub(super) fn fill(&self) -> Result<(BuildRecord, Lock), Failure> {
        let folder = self.git.cached();
        loop {
            let lock = self.lock(&folder, LockKind::Shared, "waiting for another harness that builds")?;
            if let Some(record) = finished(&folder)? {
                let record = self.with_bench(&folder, record)?;
                fs::write(folder.join(USED), self.now).with_context(|| cannot("write to", &folder))?;
                return Ok((record, lock));
            }
            drop(lock);
            let waiting = "waiting until no other run makes or uses the build of";
            let lock = self.lock(&folder, LockKind::Exclusive, waiting)?;
            // Another process may have built it while this one waited.
            if finished(&folder)?.is_none() {
                fs::create_dir_all(&folder).with_context(|| cannot("create", &folder))?;
                noting_failure(&folder, self.compile(&folder))?;
            }
            drop(lock);
        }
    }

    /// Takes the lock of `folder`. `waiting` is the message, without the name of the engine, if another
    /// process has it.
    fn lock(&self, folder: &Path, kind: LockKind, waiting: &str) -> Result<Lock, Failure> {
        let waiting = || say(&format!("{waiting} {}", self.title()));
        let lock = Lock::take(folder, kind, self.cancel, waiting).with_context(|| cannot("lock", folder))?;
        lock.ok_or_else(|| self.interrupted())
    }

    /// Returns the record of a build with the figures of `bench`, if they are asked for.
    ///
    /// The caller has the shared lock of the build, which runs keep until they end. A bench changes
    /// nothing that they use, so it waits only for another bench.
    fn with_bench(&self, folder: &Path, record: BuildRecord) -> Result<BuildRecord, Failure> {
        if record.bench.is_some() || !self.git.bench {
            return Ok(record);
        }
        let waiting = "waiting for another harness that runs bench of";
        let _lock = self.lock(&folder.join("bench"), LockKind::Exclusive, waiting)?;
        // Another process may have run it while this one waited.
        if let Some(record) = finished(folder)?.filter(|record| record.bench.is_some()) {
            return Ok(record);
        }
        say(&format!("running bench of {}", self.title()));
        let bench = noting_failure(folder, self.bench(folder, BENCH_LIMIT))?;
        let record = BuildRecord { bench: Some(bench), ..record };
        cache::write_record(folder, &record).with_context(|| cannot("write to", folder))?;
        Ok(record)
    }

    /// Builds the program. This process has the exclusive lock.
    fn compile(&self, folder: &Path) -> Result<(), Failure> {
        let repository = Repository::open(&self.git.repository).map_err(|error| self.failed(error))?;
        let commit = &self.git.revision;
        let message = repository.message(commit).map_err(|error| self.failed(error))?;
        let tree =
            WorkTree::add(&repository, &folder.join(TREE), commit).map_err(|error| self.failed(error))?;
        let start = Instant::now();
        let dir = tree.0.join(&self.git.folder);
        let before = Programs::list(&dir);
        self.run_command(folder, &tree.0)?;
        let name = if dir.join(EXE).is_file() {
            PathBuf::from(EXE)
        } else {
            self.choose(before.made_since(&dir)).map_err(|why| self.failed(why))?
        };
        let made = dir.join(&name);
        if !is_executable(&made) {
            let place = self.git.folder.join(EXE);
            let message = format!("the build command made `{}`, which is not executable", place.display());
            return Err(self.failed(message));
        }
        let program = folder.join(EXE);
        install(&made, &program).with_context(|| cannot("write", &program))?;
        let record = BuildRecord {
            version: RECORD_VERSION,
            commit: commit.clone(),
            subject: message.lines().next().unwrap_or_default().to_owned(),
            folder: self.git.folder.clone(),
            build: self.git.build.clone(),
            built: self.now.to_owned(),
            seconds: (start.elapsed().as_secs_f64() * 10.0).round() / 10.0,
            blake3: hash_file(&program).with_context(|| cannot("read", &program))?,
            bench: None,
        };
        cache::write_record(folder, &record).with_context(|| cannot("write to", folder))?;
        let what = if name == Path::new(EXE) { String::new() } else { format!(": `{}`", name.display()) };
        say(&format!("built in {} s{what}", record.seconds));
        Ok(())
    }

    /// Runs the build command in the work tree.
    fn run_command(&self, folder: &Path, tree: &Path) -> Result<(), Failure> {
        let jobs = num_cpus::get();
        let text = self.git.build.replace("{exe}", EXE).replace("{jobs}", &jobs.to_string());
        let dir = tree.join(&self.git.folder);
        let place = match self.git.folder.to_str() {
            Some("") | None => String::new(),
            Some(folder) => format!(" in {folder}/"),
        };
        let shown = one_line(&text);
        say(&format!("building {}: `{shown}`{place}", self.title()));
        if !dir.is_dir() {
            return Err(self.failed(format!("the commit has no folder `{}`", self.git.folder.display())));
        }
        let log = folder.join(BUILD_LOG);
        let file = File::create(&log).with_context(|| cannot("create", &log))?;
        let mut shell = job::command(Path::new("sh"), &dir);
        let status = run_logged(shell.args(["-c", &text]), &file, None, self.cancel)
            .map_err(|error| self.failed(format!("`{shown}`{place}: {error}")))?;
        let Some(status) = status else { return Err(self.interrupted()) };
        if status.success() {
            return Ok(());
        }
        let is_missing = is_program_missing(status.code(), &read_lossy(&log));
        let (exit, hint) = (describe_exit(status), if is_missing { MISSING } else { "" });
        Err(self.failed(format!("`{shown}`{place} {exit}{hint}{}", tail(&log))))
    }

    /// Returns the program of a build whose command did not make `{exe}`: the only one that it made.
    ///
    /// Errors: a message for the user, with whole commands if there are several programs.
    fn choose(&self, made: Vec<PathBuf>) -> Result<PathBuf, String> {
        match <[PathBuf; 1]>::try_from(made) {
            Ok([only]) => Ok(only),
            Err(none) if none.is_empty() => {
                let place = self.git.folder.join(EXE);
                Err(format!(
                    "the build command succeeded but did not produce `{}` or another program. Expected a command that \
                     makes `{{exe}}`, such as `make EXE={{exe}}` or `cargo build --release && cp target/release/NAME {{exe}}`",
                    place.display()
                ))
            }
            Err(several) => Err(recipe::choice(
                several.iter().map(|path| command_with(&self.git.build, path)),
                &self.git.folder,
            )),
        }
    }

    /// Runs `bench` and returns its figures.
    fn bench(&self, folder: &Path, limit: Duration) -> Result<Bench, Failure> {
        let (program, log) = (folder.join(EXE), folder.join("bench.log"));
        let mut engine = job::command(&program, folder);
        let figures = run_bench(engine.arg("bench"), &log, limit, self.cancel);
        if self.cancel.is_cancelled() {
            return Err(self.interrupted());
        }
        figures.map_err(|why| {
            let (title, program, tail) = (self.title(), program.display(), tail(&log));
            Failure::Run(anyhow!("bench of {title}: `{program} bench` {why}; {ADVICE}{tail}"))
        })
    }

    /// Returns the name and the commit of the engine.
    fn title(&self) -> String {
        let commit = short_hash(&self.git.revision);
        if self.engine.starts_with(commit) {
            commit.to_owned()
        } else {
            format!("{} ({commit})", self.engine)
        }
    }

    /// Returns the failure of the build. After a stop request it is an interruption, because a stop
    /// request from the terminal also reaches git and the compiler.
    fn failed(&self, why: impl std::fmt::Display) -> Failure {
        if self.cancel.is_cancelled() {
            return self.interrupted();
        }
        Failure::Run(anyhow!("cannot build {}: {why}", self.title()))
    }

    fn interrupted(&self) -> Failure {
        say(&format!("interrupted during the build of {}", self.title()));
        Failure::Interrupted
    }
}

/// Returns the record of a finished build in the cache.
fn finished(folder: &Path) -> anyhow::Result<Option<BuildRecord>> {
    cache::finished(folder).with_context(|| cannot("read", folder))
}

/// Stores the error if making the build or its bench failed, and removes an older one otherwise.
fn noting_failure<T>(folder: &Path, made: Result<T, Failure>) -> Result<T, Failure> {
    let error = match &made {
        Err(Failure::Run(error)) => Some(format!("{error:#}")),
        _ => None,
    };
    let noted = cache::note_failure(folder, error.as_deref());
    // The error of the build is reported first.
    let made = made?;
    noted.with_context(|| cannot("write to", folder))?;
    Ok(made)
}

/// A work tree, removed when this is dropped.
struct WorkTree(PathBuf);

impl WorkTree {
    fn add(repository: &Repository, tree: &Path, commit: &str) -> Result<Self, String> {
        // Left behind by a harness that was killed.
        Repository::remove_work_tree(tree);
        let new = Self(tree.to_path_buf());
        submodules::check_out(&repository.add_work_tree(tree, commit)?, &repository.git_dirs())?;
        Ok(new)
    }
}

impl Drop for WorkTree {
    fn drop(&mut self) {
        Repository::remove_work_tree(&self.0);
    }
}

/// Copies a program to its place, which is replaced atomically. Links are followed.
fn install(made: &Path, program: &Path) -> std::io::Result<()> {
    let new = program.with_extension("new");
    fs::copy(made, &new)?;
    fs::rename(new, program)
}

/// Returns a build command that copies a program which it made to its place.
fn command_with(build: &str, program: &Path) -> String {
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    // Cargo and CMake build that program alone.
    let mut build = build.to_owned();
    for (part, option) in [("cargo build ", "--bin"), ("cmake --build build-release ", "--target")] {
        if !build.contains(option) {
            build = build.replacen(part, &format!("{part}{option} {name} "), 1);
        }
    }
    format!("{build} && cp {} {{exe}}", quoted_for_sh(&program.display().to_string()))
}

/// Whether a failed build command did not find a program, by its exit code or by messages of a shell
/// or make in its log. Build systems print similar lines about optional parts.
fn is_program_missing(code: Option<i32>, log: &str) -> bool {
    let make = format!(" Error {NOT_FOUND}");
    let is_message = |line: &str| {
        line.ends_with(": not found") || line.ends_with(": command not found") || line.ends_with(&make)
    };
    code == Some(NOT_FOUND) || log.lines().any(is_message)
}

/// Returns the end of a log for an error, with the place of the whole log.
fn tail(log: &Path) -> String {
    let place = log.display();
    last_lines(log, &place.to_string()).unwrap_or_else(|| format!("\nIts log is empty: {place}"))
}

fn cannot(what: &str, path: &Path) -> String {
    format!("cannot {what} {}", path.display())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn git_build(repository: PathBuf) -> GitBuild {
        GitBuild {
            repository,
            revision: "0123456789abcdef".to_owned(),
            folder: PathBuf::new(),
            build: "make".to_owned(),
            bench: true,
        }
    }

    /// Returns the result of the bench of an engine that is this shell script.
    fn bench_of(script: &str, limit: Duration) -> Result<Bench, String> {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join(EXE);
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let git = git_build(PathBuf::new());
        let order = Order { engine: "dev", git: &git, now: "", cancel: &Cancel::new() };
        order.bench(dir.path(), limit).map_err(|failure| match failure {
            Failure::Run(error) => error.to_string(),
            _ => "another failure".to_owned(),
        })
    }

    #[test]
    fn git_that_fails_after_a_stop_request_is_an_interruption() {
        let dir = tempfile::tempdir().unwrap();
        let (git, cancel) = (git_build(dir.path().join("missing")), Cancel::new());
        let order = Order { engine: "dev", git: &git, now: "", cancel: &cancel };
        let build = || noting_failure(dir.path(), order.compile(dir.path()));
        let mark = dir.path().join("failed");
        assert!(matches!(build(), Err(Failure::Run(_))));
        let error = fs::read_to_string(&mark).unwrap();
        assert!(error.starts_with("cannot build dev (0123456789): no such folder"), "{error}");
        cancel.cancel();
        assert!(matches!(build(), Err(Failure::Interrupted)));
        assert!(!mark.exists(), "an interrupted build has not failed");
    }

    #[test]
    fn chosen_program_is_built_alone_where_possible() {
        for (build, expected) in [
            ("cargo build --release", "cargo build --bin one --release && cp target/one {exe}"),
            ("cargo build --bin one", "cargo build --bin one && cp target/one {exe}"),
            (
                "cmake -S . -B build-release && cmake --build build-release -j {jobs}",
                "cmake -S . -B build-release && cmake --build build-release --target one -j {jobs} && cp target/one {exe}",
            ),
            ("make", "make && cp target/one {exe}"),
        ] {
            assert_eq!(command_with(build, Path::new("target/one")), expected);
        }
    }

    #[test]
    fn only_messages_of_shells_and_make_report_a_missing_program() {
        for (code, log, expected) in [
            (2, "sh: 1: clang: not found\nmake: *** [Makefile:2: all] Error 1\n", true),
            (1, "bash: line 1: clang: command not found\n", true),
            (2, "make: clang: No such file or directory\nmake: *** [Makefile:2: all] Error 127\n", true),
            (127, "", true),
            (1, "-- Looking for pthread_create in pthreads - not found\nmain.c:1: error: x\n", false),
            (1, "checking for clang... not found\n", false),
            (2, "make: *** [Makefile:2: all] Error 1\n", false),
        ] {
            assert_eq!(is_program_missing(Some(code), log), expected, "{code}: {log}");
        }
    }

    #[test]
    fn bench_errors_show_the_cause_and_the_way_out() {
        let patient = Duration::from_mins(1);
        assert_eq!(bench_of("echo 12 nodes 34 nps", patient), Ok(Bench { nodes: 12, nps: Some(34) }));
        assert_eq!(bench_of("echo 12 nodes >&2; exit 1", patient), Ok(Bench { nodes: 12, nps: None }));
        let error = bench_of("echo unknown command; exit 1", patient).unwrap_err();
        for part in [
            "bench of dev (0123456789): ",
            "printed no line",
            "code 1",
            "--no-bench",
            "must be embedded",
            "\n  unknown command",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
        let error = bench_of("echo 12 nodes 34 nps; kill -KILL $$", patient).unwrap_err();
        assert!(error.contains("signal 9") && error.contains("--no-bench"), "{error}");
        let error = bench_of("sleep 60", Duration::from_millis(50)).unwrap_err();
        assert!(error.contains("did not end within 0 s") && error.contains("log is empty"), "{error}");
    }
}
