//! Child processes of a build: git, the build command and `bench`.

#![expect(clippy::disallowed_methods, reason = "starts git and make")]

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::base::cancel::Cancel;
use crate::base::system::group::Group;

/// Time between two looks at a running process.
const POLL: Duration = Duration::from_millis(10);

/// Variables that would lead git or make of a build to the caller's repository or job server.
const REMOVED: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
];

/// Returns a command without input and without the variables of an outer git or make.
pub(super) fn command(program: &Path, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(dir).stdin(Stdio::null());
    for name in REMOVED {
        command.env_remove(name);
    }
    command
}

/// Runs a command in a process group of its own; its output goes to `log`. The group is killed on a
/// stop request, after `limit`, and when the command exits, because it may leave processes behind.
///
/// Returns the exit status; `None` if the command did not end by itself. Errors: it could not be started or observed.
pub(super) fn run_logged(
    command: &mut Command,
    log: &File,
    limit: Option<Duration>,
    cancel: &Cancel,
) -> io::Result<Option<ExitStatus>> {
    let (out, errors) = (log.try_clone()?, log.try_clone()?);
    let mut group = Group::spawn(command.stdout(out).stderr(errors))?;
    let start = Instant::now();
    loop {
        if group.has_ended() {
            return group.kill().map(Some).ok_or_else(|| io::Error::other("no exit status"));
        }
        if cancel.is_cancelled() || limit.is_some_and(|limit| start.elapsed() > limit) {
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str, limit: Option<Duration>, cancel: &Cancel) -> Option<ExitStatus> {
        let log = tempfile::tempfile().unwrap();
        let mut shell = command(Path::new("sh"), Path::new("."));
        run_logged(shell.args(["-c", text]), &log, limit, cancel).unwrap()
    }

    #[test]
    fn process_that_takes_too_long_is_killed() {
        let start = Instant::now();
        let ended = shell("sleep 60", Some(Duration::from_millis(50)), &Cancel::new());
        assert_eq!(ended, None);
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
    fn stop_request_kills_the_process_and_its_children() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("child");
        let cancel = Cancel::new();
        let script = format!("sleep 60 & echo $! > {}; wait", file.display());
        // The line end shows that the number is complete.
        let child = || std::fs::read_to_string(&file).ok().filter(|text| text.ends_with('\n'));
        std::thread::scope(|scope| {
            let running = scope.spawn(|| shell(&script, Some(Duration::from_secs(30)), &cancel));
            while child().is_none() && !running.is_finished() {
                std::thread::sleep(POLL);
            }
            cancel.cancel();
            let ended = running.join().unwrap();
            assert_eq!(ended, None);
        });
        let child = child().unwrap();
        let start = Instant::now();
        while is_alive(child.trim()) {
            assert!(start.elapsed() < Duration::from_secs(5), "process {child} survived");
            std::thread::sleep(POLL);
        }
    }

    /// Whether a process runs. A killed one stays listed as a zombie until its parent waits for it.
    fn is_alive(id: &str) -> bool {
        let stat = std::fs::read_to_string(Path::new("/proc").join(id).join("stat")).unwrap_or_default();
        let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        state.is_some_and(|state| !"ZX".contains(state))
    }

    #[test]
    fn exit_code_is_returned() {
        assert_eq!(shell("exit 3", None, &Cancel::new()).unwrap().code(), Some(3));
    }
}
